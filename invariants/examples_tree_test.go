package invariants_test

import "github.com/firn-io/firn/tree"

// leafL1 is a leaf of three new files.
func leafL1() []tree.Entry {
	return []tree.Entry{inLeaf("data/x.parquet"), inLeaf("data/y.parquet"), inLeaf("data/z.parquet")}
}

// childTree is the tree of snapshot 102, which begins at row id 50, with these rows.
func childTree(rows ...tree.Entry) tree.Tree {
	return tree.Tree{
		Origin:           tree.Origin{TableLocation: tableLocation, SnapshotID: childID},
		Root:             tableLocation + "/metadata/root-2.parquet",
		ParentSnapshotID: some(parentID), SequenceNumber: 2, TimestampMillis: 2000, FirstRowID: 50,
		Rows: rows,
	}
}

// parentTree is the tree of snapshot 101, which took the row ids below 50, with these rows.
func parentTree(rows ...tree.Entry) tree.Tree {
	return tree.Tree{
		Origin:         tree.Origin{TableLocation: tableLocation, SnapshotID: parentID},
		Root:           tableLocation + "/metadata/root-1.parquet",
		SequenceNumber: 1, TimestampMillis: 1000, AddedRows: 50,
		Rows: rows,
	}
}

// goodLeaf is a leaf with a row of each live status, all explicit but the new one.
func goodLeaf() *sample {
	state := withDV(modified(settled("data/x.parquet", 0)), 1)
	return &sample{table: facts(), leaf: []tree.Entry{inLeaf("data/n.parquet"), settled("data/y.parquet", 1), state}}
}

func goodTombstones() *sample {
	return &sample{table: facts(), leaf: []tree.Entry{
		oldState(settled("data/x.parquet", 0), tree.Deleted), oldState(settled("data/y.parquet", 1), tree.Replaced)}}
}

var leafExamples = []example{
	{"L-DATA-ONLY", goodLeaf, func(s *sample) { s.leaf[0] = point("metadata/l2.parquet", tree.Added, 0, leafL1()) }},
	{"L-SEQ-NULL", goodLeaf, func(s *sample) { s.leaf[1].Tracking.SequenceNumber = none[int64]() }},
	{"L-SEQ-NULL", goodLeaf, func(s *sample) { s.leaf[2].Tracking.FileSequenceNumber = none[int64]() }},
	{"L-SEQ-NULL", goodTombstones, func(s *sample) { s.leaf[0].Tracking.SequenceNumber = none[int64]() }},
	{"L-SEQ-MODIFIED", goodLeaf, func(s *sample) { s.leaf[2].Tracking.SequenceNumber = none[int64]() }},
	{"L-ID-NULL", goodLeaf, func(s *sample) { s.leaf[1].Tracking.SnapshotID = none[int64]() }},
	{"L-ROW-ID-NULL", goodLeaf, func(s *sample) { s.leaf[1].Tracking.FirstRowID = none[int64]() }},
	{"L-MIXED", goodLeaf, func(s *sample) { s.leaf[1] = oldState(s.leaf[1], tree.Deleted) }},
}

// goodFold is snapshot 102 with a leaf that it wrote: a new file, one that moved, one that was modified, and, in a leaf
// of its own, the old state and a tombstone.
func goodFold() *sample {
	x, y, w := settled("data/x.parquet", 0), settled("data/y.parquet", 1), settled("data/w.parquet", 2)
	live := []tree.Entry{inLeaf("data/n.parquet"), y, withDV(modified(x), 1)}
	dead := []tree.Entry{oldState(x, tree.Replaced), oldState(w, tree.Deleted)}
	for i, bound := range []tree.Value{tree.Long(5), tree.Long(1), tree.Long(7)} {
		live[i].Stats = tree.Stats{{FieldID: 1, Lower: bound, Upper: bound, Tight: some(true), ValueCount: some(leafRows), NullCount: some(int64(2))}}
	}
	l2 := byChild(point("metadata/l2.parquet", tree.Added, 0, live), 50)
	l2.Stats = tree.Stats{{FieldID: 1, Lower: tree.Long(1), Upper: tree.Long(7), Tight: some(true), ValueCount: some(3 * leafRows), NullCount: some(int64(6))}}
	l3 := byChild(point("metadata/l3.parquet", tree.Added, 0, dead), 80)
	t := childTree(l2, l3, loose("data/a.parquet", tree.Existing, 30))
	t.AddedRows = 3 * leafRows
	return &sample{table: facts(), tree: &t, leaves: leaves{
		tableLocation + "/metadata/l2.parquet": live,
		tableLocation + "/metadata/l3.parquet": dead,
	}}
}

// inL2 returns a row of the leaf of live rows of [goodFold].
func (s *sample) inL2(i int) *tree.Entry { return &s.leaves[tableLocation+"/metadata/l2.parquet"][i] }

func (s *sample) inL3(i int) *tree.Entry { return &s.leaves[tableLocation+"/metadata/l3.parquet"][i] }

// pointer returns the first row of the sample's tree, a pointer.
func (s *sample) pointer() *tree.Entry { return &s.tree.Rows[0] }

var treeLeafExamples = []example{
	{"T-RECORD-COUNT", goodFold, func(s *sample) { s.pointer().RecordCount++; s.pointer().Manifest.Val.DeletedFiles++ }},
	{"T-COUNTS", goodFold, func(s *sample) { s.pointer().Manifest.Val.AddedRows-- }},
	{"T-COUNTS", goodFold, func(s *sample) {
		s.pointer().Manifest.Val.AddedFiles++
		s.pointer().Manifest.Val.ModifiedFiles--
		s.pointer().Manifest.Val.ModifiedRows = 0
		s.pointer().Manifest.Val.AddedRows *= 2
	}},
	{"T-MIN-SEQ", goodFold, func(s *sample) { s.pointer().Manifest.Val.MinSequenceNumber = 2 }},
	{"T-STATS-COVER", goodFold, func(s *sample) { s.pointer().Stats[0].Lower = tree.Long(2) }},
	{"T-PARTITION", goodFold, func(s *sample) {
		s.pointer().SpecID, s.pointer().Partition = some(int32(1)), tree.Tuple{{FieldID: 1000, Value: tree.String("eu")}}
	}},
	{"T-STATS-COVER", goodFold, func(s *sample) { s.pointer().Stats[0].Upper = tree.Long(6) }},
	{"T-STATS-COVER", goodFold, func(s *sample) { s.pointer().Stats[0].NullCount = some(int64(0)) }},
	{"T-STATS-COVER", goodFold, func(s *sample) { s.inL2(0).Stats[0].Upper = tree.Value{} }},
	{"T-STATS-COVER", goodFold, func(s *sample) { s.inL2(0).Stats = nil }},
	{"T-TIGHT", goodFold, func(s *sample) { s.inL2(1).Stats[0].Tight = some(false) }},
	{"T-TIGHT", goodFold, func(s *sample) { s.inL2(2).Stats[0].Tight = some(false) }},
	{"T-TIGHT", goodFold, func(s *sample) {
		s.inL2(1).Stats[0].Lower, s.inL2(1).Stats[0].Tight = tree.Long(0), some(false)
		s.pointer().Stats[0].Lower = tree.Long(0)
	}},
	{"T-ADDED", goodFold, func(s *sample) { s.inL2(0).Tracking.SnapshotID = some(parentID) }},
	{"T-ADDED", goodFold, func(s *sample) { s.inL2(0).Tracking.FileSequenceNumber = some(int64(1)) }},
	{"T-OLDER", goodFold, func(s *sample) { s.inL2(1).Tracking.SnapshotID = some(childID) }},
	{"T-OLDER", goodFold, func(s *sample) { s.inL3(1).Tracking.FileSequenceNumber = some(int64(2)) }},
	{"T-MODIFIED", goodFold, func(s *sample) { s.inL2(2).Tracking.ModifiedSnapshotID = some(parentID) }},
	{"T-MODIFIED", goodFold, func(s *sample) { s.inL2(1).Tracking.ModifiedSnapshotID = some(childID) }},
	{"T-TOMBSTONE", goodFold, func(s *sample) { s.inL3(1).Tracking.SnapshotID = some(parentID) }},
	{"T-SEQ-RANGE", goodFold, func(s *sample) { s.inL2(0).Tracking.FileSequenceNumber = some(int64(3)) }},
	{"T-SEQ-RANGE", goodFold, func(s *sample) { s.inL2(0).Tracking.SequenceNumber = some(int64(3)) }},
}

var treeExamples = []example{
	{"T-LIVE-ONCE", goodFold, func(s *sample) { s.inL2(1).Location = "data/n.parquet" }},
	{"T-LIVE-ONCE", goodFold, func(s *sample) { s.tree.Rows[2].Location = "data/n.parquet" }},
	{"T-DELETED-LIVE", goodFold, func(s *sample) { s.inL3(1).Location = "data/y.parquet" }},
	{"T-DELETED-LIVE", goodFold, func(s *sample) { s.inL3(1).Location = "data/a.parquet" }},
	{"T-READDED", goodFold, func(s *sample) { s.inL3(1).Location = "data/n.parquet" }},
	{"T-ROW-ID-OVERLAP", goodFold, func(s *sample) { s.inL2(1).Tracking.FirstRowID = some(int64(5)) }},
	{"T-ROW-ID-END", goodFold, func(s *sample) { s.inL2(0).Tracking.FirstRowID = some(int64(75)) }},
}
