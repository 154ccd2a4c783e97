package invariants_test

import "github.com/firn-io/firn/tree"

const (
	l1 = "metadata/l1.parquet"
	l2 = "metadata/l2.parquet"
)

// next is snapshot 102 with these rows, after a snapshot 101 that added leaf L1 and the loose files a and b.
func next(rows ...tree.Entry) *sample {
	parent := parentTree(
		point(l1, tree.Added, 0, leafL1()),
		loose("data/a.parquet", tree.Added, 30),
		loose("data/b.parquet", tree.Added, 35),
	)
	child := childTree(rows...)
	return &sample{table: facts(), parent: &parent, tree: &child, leaves: leaves{tableLocation + "/" + l1: leafL1()}}
}

// kept are the rows of the parent as the child carries them.
func keptL1() tree.Entry   { return point(l1, tree.Existing, 0, leafL1()) }
func keptA() tree.Entry    { return loose("data/a.parquet", tree.Existing, 30) }
func keptB() tree.Entry    { return loose("data/b.parquet", tree.Existing, 35) }
func newFile() tree.Entry  { return byChild(loose("data/n.parquet", tree.Added, 0), 50) }
func settledX() tree.Entry { return settled("data/x.parquet", 0) }
func settledY() tree.Entry { return settled("data/y.parquet", 1) }
func settledZ() tree.Entry { return settled("data/z.parquet", 2) }

// withLeaf adds a leaf that the child wrote and its pointer, first of the rows.
func (s *sample) withLeaf(firstRowID int64, rows ...tree.Entry) *sample {
	p := byChild(point(l2, tree.Added, 0, rows), firstRowID)
	m := p.Manifest.Val
	if m.ExistingFiles+m.ModifiedFiles == 0 {
		p.Manifest.Val.MinSequenceNumber = 2
	}
	s.tree.Rows = append([]tree.Entry{p}, s.tree.Rows...)
	s.tree.AddedRows += m.AddedRows + m.ExistingRows + m.ModifiedRows
	s.leaves[tableLocation+"/"+l2] = rows
	return s
}

// nextIdle carries everything and adds a loose file.
func nextIdle() *sample {
	s := next(keptL1(), keptA(), keptB(), newFile())
	s.tree.AddedRows = looseRows
	return s
}

// nextMasked deletes file x of leaf L1 and replaces the deletion vector of y.
func nextMasked() *sample {
	return next(masked(keptL1(), set(0, 1), set(0), set(1)), keptA(), keptB(), withDV(modified(settledY()), 1))
}

// nextMoved moves file z out of leaf L1 and file a into a new leaf, and adds a file there.
func nextMoved() *sample {
	return next(masked(keptL1(), set(2), nil, nil), keptB(), settledZ()).
		withLeaf(50, keptA(), inLeaf("data/n.parquet"))
}

// nextFold rewrites leaf L1 and deletes its file x.
func nextFold() *sample {
	return next(keptA(), keptB(), oldState(settledX(), tree.Deleted)).withLeaf(50, settledY(), settledZ())
}

// nextLoose deletes the loose file a and replaces the deletion vector of b.
func nextLoose() *sample {
	return next(keptL1(), oldState(keptA(), tree.Deleted), oldState(keptB(), tree.Replaced), withDV(modified(keptB()), 1))
}

// nextEmptied deletes all files of leaf L1.
func nextEmptied() *sample {
	p := oldState(masked(keptL1(), set(0, 1, 2), set(0, 1, 2), nil), tree.Deleted)
	return next(p, keptA(), keptB())
}

// nextPremasked carries a leaf that was born with a mask over z.
func nextPremasked() *sample {
	s := next(masked(keptL1(), set(0, 2), set(0), nil), keptA(), keptB())
	s.parent.Rows[0].Manifest.Val.DV, s.parent.Rows[0].Tracking.ModifiedSnapshotID = set(2), some(parentID)
	return s
}

// nextStats carries statistics of leaf L1, whose bounds are wider than those of its rows.
func nextStats() *sample {
	s := next(masked(keptL1(), set(0), set(0), nil), keptA(), keptB())
	stats := func() tree.Stats {
		return tree.Stats{{FieldID: 1, Lower: tree.Long(1), Upper: tree.Long(9), Tight: some(false), ValueCount: some(3 * leafRows)}}
	}
	rows := leafL1()
	for i := range rows {
		rows[i].Stats = tree.Stats{{FieldID: 1, Lower: tree.Long(3), Upper: tree.Long(9), Tight: some(true), ValueCount: some(leafRows)}}
	}
	s.leaves[tableLocation+"/"+l1] = rows
	s.parent.Rows[0].Stats, s.tree.Rows[0].Stats = stats(), stats()
	return s
}

// nextTight carries statistics of leaf L1 that were tight before a row was masked.
func nextTight() *sample {
	s := nextStats()
	s.leafStats(func(f *tree.FieldStats) { f.Lower = tree.Long(1) })
	s.parent.Rows[0].Stats[0].Tight = some(true)
	return s
}

// nextDV carries a loose file with a deletion vector and extends that of another.
func nextDV() *sample {
	a, b := withDV(keptA(), 1), withDV(keptB(), 1)
	s := next(keptL1(), a, oldState(b, tree.Replaced), withDV(modified(b), 2))
	s.parent.Rows[1].DeletionVector, s.parent.Rows[2].DeletionVector = a.DeletionVector, b.DeletionVector
	for i := range s.parent.Rows[1:] {
		s.parent.Rows[1+i].Tracking.ModifiedSnapshotID = some(parentID)
	}
	s.tree.Rows[1].Tracking.ModifiedSnapshotID = some(parentID)
	s.tree.Rows[2].Tracking.ModifiedSnapshotID = some(parentID)
	return s
}

// childRow returns a row of the child's root.
func (s *sample) childRow(i int) *tree.Entry { return &s.tree.Rows[i] }

func (s *sample) dropRow(i int) { s.tree.Rows = append(s.tree.Rows[:i:i], s.tree.Rows[i+1:]...) }

func (s *sample) addRow(e tree.Entry) { s.tree.Rows = append(s.tree.Rows, e) }

var transitionExamples = []example{
	{"X-PARENT", nextIdle, func(s *sample) { s.tree.ParentSnapshotID = some(int64(100)) }},
	{"X-PARENT", nextIdle, func(s *sample) { s.tree.ParentSnapshotID = none[int64]() }},
	{"X-TIME", nextIdle, func(s *sample) { s.tree.TimestampMillis = 1000 }},
	{"X-SEQUENCE", nextNothing, func(s *sample) { s.tree.SequenceNumber = 1 }},
	{"X-FIRST-ROW-ID", nextNothing, func(s *sample) { s.tree.FirstRowID = 49; s.tree.AddedRows = 1 }},
	{"X-POINTER-KNOWN", nextIdle, func(s *sample) { s.parent.Rows = s.parent.Rows[1:] }},
	{"X-POINTER-AGAIN", nextIdle, func(s *sample) { s.childRow(0).Tracking.Status = tree.Added }},
}

// nextNothing is an empty snapshot after an empty one.
func nextNothing() *sample {
	s := next()
	s.parent.Rows = nil
	return s
}

var carryExamples = []example{
	{"X-CARRY", nextIdle, func(s *sample) { s.childRow(0).FileSizeBytes++ }},
	{"X-CARRY", nextIdle, func(s *sample) { s.childRow(0).Location = tableLocation + "/" + l1 }},
	{"X-CARRY", nextIdle, func(s *sample) { s.childRow(0).KeyMetadata = []byte{} }},
	{"X-CARRY", nextIdle, func(s *sample) { s.childRow(0).Tracking.ModifiedSnapshotID = some(parentID) }},
	{"X-CARRY", nextIdle, func(s *sample) {
		s.childRow(0).Tracking.FirstRowID = some(int64(20))
		s.tree.Rows = s.tree.Rows[:1]
		s.parent.Rows = s.parent.Rows[:1]
	}},
	{"X-CARRY", nextIdle, func(s *sample) { s.childRow(0).Foreign = foreign(900, "x") }},
	{"X-CARRY", nextIdle, func(s *sample) { s.parent.HasSnapshotTimestamps = true }},
	{"X-CARRY", nextUpgraded, func(s *sample) { s.parent.Rows[0].Tracking.FirstRowID = some(int64(20)) }},
	{"X-CARRY-STATS", nextStats, func(s *sample) { s.childRow(0).Stats[0].Lower = tree.Long(2) }},
	{"X-CARRY-STATS", nextStats, func(s *sample) {
		s.childRow(0).Stats[0].NullCount = some(int64(0))
		s.leafStats(func(f *tree.FieldStats) { f.NullCount = some(int64(0)) })
	}},
	{"X-CARRY-STATS", nextStats, func(s *sample) { s.parent.Rows[0].Stats = nil }},
	{"X-MDV-MONOTONE", nextPremasked, func(s *sample) { s.childRow(0).Manifest.Val.DV = set(0) }},
	{"X-MDV-STATUS", nextIdle, func(s *sample) {
		s.childRow(0).Tracking.Status, s.childRow(0).Tracking.ModifiedSnapshotID = tree.Modified, some(childID)
	}},
	{"X-MDV-STATUS", nextMoved, func(s *sample) {
		s.parent.Rows[0].Tracking.ModifiedSnapshotID = some(parentID)
		s.childRow(1).Tracking.Status, s.childRow(1).Tracking.ModifiedSnapshotID = tree.Existing, some(parentID)
	}},
	{"X-DELETED-POINTER", nextEmptied, func(s *sample) {
		s.childRow(0).Manifest.Val.DV, s.childRow(0).Tracking.DeletedPositions = set(0, 1), set(0, 1)
		s.addRow(settledZ())
	}},
	{"X-DELETED-POINTER", nextEmptied, func(s *sample) { s.childRow(0).Tracking.DeletedPositions = set(0, 1); s.addRow(settledZ()) }},
}

// leafStats changes the statistics of each row of leaf L1.
func (s *sample) leafStats(change func(*tree.FieldStats)) {
	for i := range s.leaves[tableLocation+"/"+l1] {
		change(&s.leaves[tableLocation+"/"+l1][i].Stats[0])
	}
}

// foreign is one unknown string column of an entry.
func foreign(id int, value string) []tree.ForeignField {
	return []tree.ForeignField{{
		Type:  &tree.ForeignType{ID: id, Name: "later", Repetition: tree.Optional, Physical: "BYTE_ARRAY"},
		Cells: []tree.ForeignCell{{Def: 1, Value: value}},
	}}
}
