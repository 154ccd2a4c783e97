package invariants_test

import (
	"slices"
	"testing"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/tree"
)

// Changes that are in order: refreshed statistics, deletion vectors, folds and restores.
var cleanChanges = []struct {
	name   string
	sample func() *sample
}{
	{"S23: statistics of a loose file are refreshed", nextRefreshed},
	{"S22, S23: statistics of a leaf file are refreshed, its old slot masked in dv alone", func() *sample {
		x := settledX()
		x.Stats = tree.Stats{{FieldID: 1, Lower: tree.Long(1), Upper: tree.Long(2), Tight: some(true), ValueCount: some(leafRows)}}
		return next(masked(keptL1(), set(0), nil, nil), keptA(), keptB(), x)
	}},
	{"statistics appear and go", func() *sample {
		s := nextRefreshed()
		s.childRow(1).Stats = s.childRow(1).Stats[:1]
		s.parent.Rows[1].Stats = s.parent.Rows[1].Stats[1:]
		return s
	}},
	{"the bounds of a column without values say nothing", func() *sample {
		s := nextRefreshed()
		for _, e := range []*tree.Entry{&s.parent.Rows[1], s.childRow(1)} {
			e.Stats[0].NullCount = some(looseRows)
		}
		s.childRow(1).Stats[0].Lower = tree.Long(6)
		return s
	}},
	{"S15: moved, modified and new files in one new leaf", func() *sample {
		y, b := withDV(modified(settledY()), 1), withDV(modified(keptB()), 1)
		return next(masked(keptL1(), set(1), nil, set(1)), oldState(keptB(), tree.Replaced)).
			withLeaf(50, inLeaf("data/n.parquet"), y, b, keptA())
	}},
	{"S16, S17: old states in a leaf of tombstones", nextTombstoneLeaf},
	{"S16: the leaf of tombstones goes without a row", func() *sample { return nextTombstoneLeaf().then(1, 2, 3) }},
	{"a file is born with a deletion vector, loose and in a leaf", func() *sample {
		n, m := withDV(newFile(), 1), withDV(inLeaf("data/m.parquet"), 1)
		n.Tracking.FirstRowID, n.Tracking.ModifiedSnapshotID, m.Tracking.ModifiedSnapshotID = some(int64(60)), some(childID), some(childID)
		s := next(keptL1(), keptA(), keptB(), n).withLeaf(50, m)
		s.tree.AddedRows += looseRows
		return s
	}},
	{"S31, S38: a folded leaf is born with the mask of a winner, in dv alone", nextFoldMasked},
	{"the pointer to a leaf that was born with a mask is carried", func() *sample { return nextFoldMasked().then(0, 1, 2) }},
	{"a fold whose changed file is REPLACED in the root and MODIFIED", func() *sample {
		y := settledY()
		return next(keptA(), keptB(), oldState(y, tree.Replaced), withDV(modified(y), 1)).withLeaf(50, settledX(), settledZ())
	}},
	{"S24: a leaf file and a loose file come back", nextRestored},
}

// then is the snapshot after the child, which carries these rows of its root and does nothing else.
func (s *sample) then(rows ...int) *sample {
	child := childTree()
	child.Origin.SnapshotID, child.Root = childID+1, tableLocation+"/metadata/root-3.parquet"
	child.ParentSnapshotID, child.SequenceNumber, child.TimestampMillis = some(childID), 3, 3000
	child.FirstRowID = s.tree.FirstRowID + s.tree.AddedRows
	for _, i := range rows {
		e := s.tree.Rows[i]
		e.Tracking.Status, e.Tracking.DeletedPositions, e.Tracking.ReplacedPositions = tree.Existing, nil, nil
		child.Rows = append(child.Rows, e)
	}
	s.parent, s.tree = s.tree, &child
	return s
}

// nextRefreshed refreshes the statistics of the loose file a: other bounds of the same rows, and a column more.
func nextRefreshed() *sample {
	s := next(keptL1(), keptA(), keptB())
	s.parent.Rows[1].Stats = tree.Stats{
		{FieldID: 1, Lower: tree.Long(3), Upper: tree.Long(7), Tight: some(true), ValueCount: some(looseRows), NullCount: some(int64(0))},
		{FieldID: 2, Lower: tree.String("c"), Upper: tree.String("p"), Tight: some(false)},
	}
	s.childRow(1).Stats = tree.Stats{
		{FieldID: 1, Lower: tree.Long(1), Upper: tree.Long(9), Tight: some(false), ValueCount: some(looseRows), NullCount: some(int64(0))},
		{FieldID: 2, Lower: tree.String("cc"), Upper: tree.String("ooo"), Tight: some(true)},
		{FieldID: 4, Lower: tree.Double(1), Upper: tree.Double(2), Tight: some(true)},
	}
	return s
}

// nextTombstoneLeaf deletes the loose file a and replaces the deletion vectors of b and of y, the old states of the
// loose ones in a leaf of their own.
func nextTombstoneLeaf() *sample {
	y, b := withDV(modified(settledY()), 1), withDV(modified(keptB()), 1)
	s := next(masked(keptL1(), set(1), nil, set(1)), y, b).withLeaf(50, oldState(keptA(), tree.Deleted), oldState(keptB(), tree.Replaced))
	s.childRow(0).Manifest.Val.MinSequenceNumber = 2
	return s
}

// nextFoldMasked folds leaf L1 of which the parent masks z; the fold was written before that and holds z too.
func nextFoldMasked() *sample {
	s := next(keptA(), keptB()).withLeaf(50, settledX(), settledY(), settledZ())
	s.parent.Rows[0].Manifest.Val.DV, s.parent.Rows[0].Tracking.ModifiedSnapshotID = set(2), some(parentID)
	s.childRow(0).Manifest.Val.DV, s.childRow(0).Tracking.ModifiedSnapshotID = set(2), some(childID)
	return s
}

// nextRestored restores: file v comes back into a leaf and, with a deletion vector, file w into the root, both with the
// data sequence number and the row ids that they had.
func nextRestored() *sample {
	v := inLeaf("data/v.parquet")
	v.RecordCount = looseRows
	v.Tracking.SequenceNumber, v.Tracking.FirstRowID = some(int64(1)), some(int64(40))
	w := withDV(restored(loose("data/w.parquet", tree.Added, 0), 45), 1)
	w.Tracking.ModifiedSnapshotID = some(childID)
	s := next(keptL1(), keptA(), keptB(), w).withLeaf(50, v)
	s.childRow(0).Manifest.Val.MinSequenceNumber = 1
	return s
}

// nextTakenBack restores file y of leaf L1 to before its deletion vector, which cannot shrink in place (rules 10.1): y is
// deleted and added again.
func nextTakenBack(firstRowID int64) *sample {
	y := restored(settledY(), firstRowID)
	s := next(masked(keptL1(), set(1), set(1), nil), keptA(), keptB(), y)
	rows := leafL1()
	rows[1] = withDV(rows[1], 2)
	rows[1].Tracking.ModifiedSnapshotID = some(parentID)
	s.leaves[tableLocation+"/"+l1] = rows
	return s
}

func TestCleanChanges(t *testing.T) {
	for _, c := range cleanChanges {
		for depth := invariants.RootOnly; depth <= invariants.AllLeaves; depth++ {
			if found := c.sample().violations(depth); len(found) > 0 {
				t.Errorf("%s, %s:%s", c.name, depth, messages(found))
			}
		}
	}
}

// What the check of a commit finds in its fold without opening a leaf that stays, and what numbers tell of those.
func TestRewrittenLeaves(t *testing.T) {
	refresh := cleanChanges[1].sample
	for _, c := range []struct {
		name string
		good func() *sample
		bad  func(*sample)
		want []string
	}{
		{"a fold loses a file", nextFold, func(s *sample) { s.withoutLeafRow(1) }, []string{"X-LOST"}},
		{"a fold invents a file", nextFold, func(s *sample) { s.leaves[tableLocation+"/"+l2][0].Location = "data/v.parquet" }, []string{"X-INVENTED", "X-LOST"}},
		{"a fold brings back a masked file", nextFoldMasked, func(s *sample) {
			s.childRow(0).Manifest.Val.DV = nil
		}, []string{"X-INVENTED"}},
		{"a fold changes row ids", nextFold, func(s *sample) {
			rows := s.leaves[tableLocation+"/"+l2]
			rows[0].Tracking.FirstRowID, rows[1].Tracking.FirstRowID = rows[1].Tracking.FirstRowID, rows[0].Tracking.FirstRowID
		}, []string{"X-SAME-FILE"}},
		{"a fold forgets its tombstone", nextFold, func(s *sample) { s.dropRow(3) }, []string{"X-LOST"}},
		{"a refresh loses the file", refresh, func(s *sample) { s.dropRow(3) }, []string{"X-LOST"}},
		{"a refresh writes two files", refresh, func(s *sample) { s.addRow(loose("data/v.parquet", tree.Existing, 40)) }, []string{"X-INVENTED"}},
		{"a dead row of an older leaf is masked in dv alone", nextDeadMasked, func(*sample) {}, nil},
		{"a live one moves with it", nextDeadMasked, func(s *sample) {
			s.childRow(0).Manifest.Val.DV = set(1, 2)
			s.addRow(settledY())
		}, nil},
		{"a live one is masked with it", nextDeadMasked, func(s *sample) { s.childRow(0).Manifest.Val.DV = set(1, 2) }, []string{"X-LOST"}},
		{"a new row instead of the moved one", refresh, func(s *sample) {
			*s.childRow(3) = newFile()
			s.tree.AddedRows = looseRows
		}, []string{"X-LOST"}},
	} {
		s := c.good()
		c.bad(s)
		if found := s.violations(invariants.RewrittenLeaves); !slices.Equal(ids(found), c.want) {
			t.Errorf("%s: %v, want %v:%s", c.name, ids(found), c.want, messages(found))
		}
	}
}

// nextDeadMasked masks the tombstone z in an older leaf that mixes it with live rows.
func nextDeadMasked() *sample {
	rows := leafL1()
	rows[2] = oldState(settledZ(), tree.Deleted)
	s := next(masked(point(l1, tree.Existing, 0, rows), set(2), nil, nil), keptA(), keptB())
	s.parent.Rows[0] = point(l1, tree.Existing, 0, rows)
	s.leaves[tableLocation+"/"+l1] = rows
	olderLeaf(s)
	return s
}

// withoutLeafRow takes a row out of the leaf that the child wrote, and out of its pointer's counts.
func (s *sample) withoutLeafRow(i int) {
	rows := slices.Delete(slices.Clone(s.leaves[tableLocation+"/"+l2]), i, i+1)
	p := point(l2, tree.Added, 50, rows)
	p.Tracking = s.childRow(0).Tracking
	s.tree.Rows[0], s.leaves[tableLocation+"/"+l2] = p, rows
}
