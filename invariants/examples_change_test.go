package invariants_test

import "github.com/firn-io/firn/tree"

var changeExamples = []example{
	{"X-MDV-DELTA", nextPremasked, func(s *sample) { s.childRow(0).Tracking.DeletedPositions = set(0, 2) }},
	{"X-MDV-DELTA", nextDeadRow, func(s *sample) { *s.childRow(0) = masked(*s.childRow(0), set(1), set(1), nil) }},
	{"X-MDV-DELTA", nextMoved, func(s *sample) { bornWithDelta(s.childRow(0)) }},
	{"X-LOST", nextIdle, func(s *sample) { s.dropRow(1) }},
	{"X-LOST", nextMasked, func(s *sample) { s.childRow(0).Tracking.DeletedPositions = nil }},
	{"X-LOST", nextFold, func(s *sample) { s.dropRow(3) }},
	{"X-INVENTED", nextIdle, func(s *sample) { s.addRow(loose("data/old.parquet", tree.Existing, 40)) }},
	{"X-INVENTED", nextMoved, func(s *sample) { s.parent.Rows = s.parent.Rows[:len(s.parent.Rows)-1] }},
	{"X-READDED", nextSwapped, func(s *sample) { s.childRow(4).Location = "data/x.parquet" }},
	{"X-KEPT", nextMoved, func(s *sample) { s.childRow(1).Tracking.DeletedPositions = set(2) }},
	{"X-TOLD-ONCE", nextMasked, func(s *sample) { s.addRow(oldState(settledX(), tree.Deleted)) }},
	{"X-TOLD-ONCE", nextLoose, func(s *sample) { s.addRow(oldState(keptB(), tree.Deleted)); s.dropRow(3) }},
	{"X-REPLACED", nextMasked, func(s *sample) { s.childRow(0).Tracking.ReplacedPositions = nil }},
	{"X-REPLACED", nextMasked, func(s *sample) { s.dropRow(3) }},
	{"X-REPLACED", nextMasked, func(s *sample) { s.addRow(oldState(settledY(), tree.Replaced)) }},
	{"X-REPLACED", nextIdle, func(s *sample) { s.addRow(oldState(settledX(), tree.Replaced)) }},
	{"X-REPLACED", nextLoose, func(s *sample) { s.dropRow(2) }},
	{"X-REPLACED", nextIdle, func(s *sample) { s.addRow(oldState(keptA(), tree.Replaced)) }},
	{"X-TOMBSTONE", nextIdle, func(s *sample) { s.addRow(oldState(loose("data/old.parquet", tree.Added, 40), tree.Deleted)) }},
	{"X-TOMBSTONE-STATE", nextLoose, func(s *sample) { s.childRow(1).RecordCount++ }},
	{"X-TOMBSTONE-STATE", nextLoose, func(s *sample) { s.childRow(2).DeletionVector = s.childRow(3).DeletionVector }},
	{"X-SAME-FILE", nextIdle, func(s *sample) { s.childRow(1).RecordCount-- }},
	{"X-SAME-FILE", nextIdle, func(s *sample) { s.childRow(1).Tracking.ModifiedSnapshotID = some(parentID) }},
	{"X-SAME-FILE", nextIdle, func(s *sample) { s.childRow(1).Foreign = foreign(901, "x") }},
	{"X-SAME-FILE", nextMoved, func(s *sample) {
		s.childRow(3).Tracking.FirstRowID = some(int64(40))
		s.childRow(3).RecordCount = leafRows
	}},
	{"X-SAME-FILE", nextMoved, func(s *sample) { s.childRow(3).KeyMetadata = []byte{1} }},
	{"X-SAME-FILE", nextIdle, func(s *sample) { s.childRow(1).KeyMetadata = []byte{} }},
	{"X-SAME-FILE", nextIdle, func(s *sample) { s.childRow(1).SpecID, s.childRow(1).Partition = some(int32(1)), tree.Tuple{} }},
	{"X-SAME-FILE", nextKeyed, func(s *sample) { s.childRow(3).KeyMetadata = nil }},
	{"X-SAME-FILE", nextKeyed, func(s *sample) { s.childRow(3).Foreign = foreign(902, "x") }},
	{"X-SAME-FILE", nextKeyed, func(s *sample) { s.childRow(3).Foreign[0].Type.Children[0].ID = 904 }},
	{"X-DV-STATUS", nextKeyed, func(s *sample) { s.childRow(3).DeletionVector.Val.KeyMetadata = nil }},
	{"X-SAME-FILE", nextIdle, func(s *sample) { s.childRow(1).FileFormat = "orc" }},
	{"X-SAME-FILE", nextMoved, func(s *sample) { s.leaves[tableLocation+"/"+l2][0].FileFormat = "orc" }},
	{"X-SAME-LAYOUT", nextIdle, func(s *sample) { s.childRow(1).SplitOffsets = []int64{4, 500} }},
	{"X-SAME-LAYOUT", nextMoved, func(s *sample) { s.childRow(3).SortOrderID = some(int32(0)) }},
	{"X-SAME-LAYOUT", nextMoved, func(s *sample) { s.leaves[tableLocation+"/"+l2][0].SortOrderID = some(int32(1)) }},
	{"X-FILE-STATS", nextRefreshed, func(s *sample) { s.childRow(1).Stats[0].NullCount = some(int64(1)) }},
	{"X-FILE-STATS", nextRefreshed, func(s *sample) { s.childRow(1).Stats[0].Lower = tree.Long(4) }},
	{"X-FILE-STATS", nextRefreshed, func(s *sample) { s.childRow(1).Stats[0].Upper = tree.Long(6) }},
	{"X-FILE-STATS", nextRefreshed, func(s *sample) {
		s.parent.Rows[1].Stats[0].Tight = some(false)
		s.childRow(1).Stats[0].Lower, s.childRow(1).Stats[0].Upper = tree.Long(8), tree.Long(9)
	}},
	{"X-FILE-STATS", nextRefreshed, func(s *sample) {
		s.parent.Rows[1].Stats[0].Tight = some(false)
		s.childRow(1).Stats[0].Lower, s.childRow(1).Stats[0].Upper = tree.Long(1), tree.Long(2)
	}},
	{"X-FILE-STATS", nextRefreshed, func(s *sample) { s.childRow(1).Stats[1].Lower = tree.String("a") }},
	{"X-FILE-STATS", nextRefreshed, func(s *sample) { s.childRow(1).Stats[1].Upper = tree.String("q") }},
	{"X-DV-STATUS", nextDV, func(s *sample) { s.childRow(1).DeletionVector.Val.Cardinality++ }},
	{"X-MODIFIED-SAME", nextDV, func(s *sample) { s.childRow(3).DeletionVector = s.childRow(2).DeletionVector }},
	{"X-MODIFIED-SAME", nextMasked, func(s *sample) { s.childRow(3).DeletionVector = none[tree.DeletionVector]() }},
	{"X-DV-SHRINKS", nextDV, func(s *sample) { s.childRow(3).DeletionVector = none[tree.DeletionVector]() }},
	{"X-DV-SHRINKS", nextDV, func(s *sample) { s.childRow(3).DeletionVector.Val.Cardinality = 0 }},
	{"X-ROW-ID-REUSED", nextMoved, func(s *sample) { s.leaves[tableLocation+"/"+l2][1].Tracking.FirstRowID = some(int64(40)) }},
	{"X-ROW-ID-REUSED", nextRestored, func(s *sample) {
		s.leaves[tableLocation+"/"+l2][0].Tracking.SequenceNumber = some(int64(2))
		s.childRow(0).Manifest.Val.MinSequenceNumber = 2
	}},
	{"X-ROW-ID-REUSED", nextRestored, func(s *sample) {
		s.leaves[tableLocation+"/"+l2][0].Tracking.FirstRowID = some(int64(48))
		s.tree.Rows = s.tree.Rows[:4]
	}},
}

// nextDeadRow carries a leaf of tombstones.
func nextDeadRow() *sample {
	dead := tree.Tracking{Status: tree.Deleted, SnapshotID: some(parentID), SequenceNumber: some(int64(0)), FileSequenceNumber: some(int64(0))}
	rows := leafL1()
	for i := range rows {
		rows[i].Tracking = dead
	}
	s := next(point(l1, tree.Existing, 0, rows), keptA(), keptB())
	s.parent.Rows[0] = point(l1, tree.Added, 0, rows)
	s.leaves[tableLocation+"/"+l1] = rows
	return s
}

// nextKeyed moves a file with a key, an unknown struct and a deletion vector with a key out of leaf L1.
func nextKeyed() *sample {
	s := nextMoved()
	rows := leafL1()
	s.leaves[tableLocation+"/"+l1] = rows
	for _, e := range []*tree.Entry{&rows[2], s.childRow(3)} {
		e.KeyMetadata, e.DeletionVector, e.Tracking.ModifiedSnapshotID = []byte{7}, withDV(*e, 1).DeletionVector, some(parentID)
		e.DeletionVector.Val.KeyMetadata = []byte{8}
		e.Foreign = []tree.ForeignField{{
			Type: &tree.ForeignType{ID: 902, Repetition: tree.Optional, Children: []*tree.ForeignType{
				{ID: 903, Repetition: tree.Optional, Physical: "INT32"}}},
			Cells: []tree.ForeignCell{{Def: 2, Value: "\x01\x00\x00\x00"}},
		}}
	}
	return s
}

// nextSwapped is [nextMasked] with a new loose file.
func nextSwapped() *sample {
	s := nextMasked()
	s.addRow(newFile())
	s.tree.AddedRows = looseRows
	return s
}

// bornWithDelta says of a new leaf that a file was deleted from it.
func bornWithDelta(e *tree.Entry) {
	e.Tracking.ModifiedSnapshotID, e.Tracking.DeletedPositions = some(childID), set(1)
	e.Manifest.Val.DV = set(1)
}
