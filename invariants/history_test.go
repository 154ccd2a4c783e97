package invariants_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// roots are trees by snapshot id.
type roots map[int64]tree.Tree

func (r roots) Root(_ context.Context, s metadata.Snapshot) (tree.Tree, error) {
	t, ok := r[s.ID]
	if !ok {
		return tree.Tree{}, fmt.Errorf("no root of snapshot %d", s.ID)
	}
	return t, nil
}

// counted counts how often each leaf is read.
type counted struct {
	leaves
	reads map[string]int
}

func (c counted) Leaf(ctx context.Context, o tree.Origin, ref tree.Entry, p tree.Projection) iter.Seq2[tree.Row, error] {
	c.reads[ref.Location]++
	return c.leaves.Leaf(ctx, o, ref, p)
}

// threeSnapshots is a table whose third snapshot carries what the second did, with leaves L1 and L2.
func threeSnapshots() (metadata.Table, roots, leaves) {
	s := nextMoved()
	third := *s.tree
	third.Origin.SnapshotID, third.Root = 103, tableLocation+"/metadata/root-3.parquet"
	third.ParentSnapshotID, third.SequenceNumber, third.TimestampMillis = some(childID), 3, 3000
	third.FirstRowID, third.AddedRows = s.tree.FirstRowID+s.tree.AddedRows, 0
	third.Rows = slices.Clone(third.Rows)
	for i := range third.Rows {
		third.Rows[i].Tracking.Status = tree.Existing
	}
	m := *goodMetadata().metadata
	m.Snapshots = slices.Clone(m.Snapshots)
	m.Snapshots[1].AddedRows = some(s.tree.AddedRows)
	for _, id := range []int64{103, 99} { // the second is not of a v4 root
		m.Snapshots = append(m.Snapshots, metadata.Snapshot{ID: id, ParentID: some(childID), SequenceNumber: 3, RootManifest: some("metadata/root-3.parquet")})
	}
	m.Snapshots[3].RootManifest, m.Snapshots[3].ManifestList = none[string](), some("snap.avro")
	return m, roots{parentID: *s.parent, childID: *s.tree, 103: third}, s.leaves
}

func TestHistory(t *testing.T) {
	m, trees, files := threeSnapshots()
	read := counted{files, make(map[string]int)}
	l := invariants.NewLeaves(facts(), read, invariants.LeafOptions{})
	if found := collect(invariants.History(context.Background(), l, m, trees)); len(found) > 0 {
		t.Errorf("not clean: %s", messages(found))
	}
	if diff := cmp.Diff(map[string]int{l1: 1, l2: 1}, read.reads); diff != "" {
		t.Errorf("leaves read (-want +got):\n%s", diff)
	}
}

// A check opens no more leaves than its depth allows.
func TestDepth(t *testing.T) {
	for depth, want := range map[invariants.Depth]map[string]int{
		invariants.RootOnly:        {},
		invariants.AddedLeaves:     {l2: 1},
		invariants.RewrittenLeaves: {l2: 1},
		invariants.AllLeaves:       {l1: 1, l2: 1},
	} {
		s := nextMoved()
		read := counted{s.leaves, make(map[string]int)}
		l := invariants.NewLeaves(s.table, read, invariants.LeafOptions{})
		collect(invariants.CheckTree(context.Background(), l, *s.tree, depth))
		collect(invariants.CheckTransition(context.Background(), l, *s.parent, *s.tree, depth))
		if diff := cmp.Diff(want, read.reads); diff != "" {
			t.Errorf("%s: leaves read (-want +got):\n%s", depth, diff)
		}
	}
}

// Of the leaves that the child dropped those are opened that still had live rows.
func TestDepthOfFolds(t *testing.T) {
	emptied := func() *sample {
		s := next(keptA(), keptB())
		s.parent.Rows[0].Manifest.Val.DV, s.parent.Rows[0].Tracking.ModifiedSnapshotID = set(0, 1, 2), some(parentID)
		return s
	}
	for _, c := range []struct {
		name   string
		sample func() *sample
		depth  invariants.Depth
		want   map[string]int
	}{
		{"a fold", nextFold, invariants.AddedLeaves, map[string]int{l2: 1}},
		{"a fold", nextFold, invariants.RewrittenLeaves, map[string]int{l1: 1, l2: 1}},
		{"a leaf without live rows is dropped", emptied, invariants.RewrittenLeaves, map[string]int{}},
		{"a leaf without live rows is dropped", emptied, invariants.AllLeaves, map[string]int{l1: 1}},
		{"a leaf of tombstones is dropped", func() *sample { return nextTombstoneLeaf().then(1, 2, 3) },
			invariants.RewrittenLeaves, map[string]int{}},
	} {
		s := c.sample()
		read := counted{s.leaves, make(map[string]int)}
		l := invariants.NewLeaves(s.table, read, invariants.LeafOptions{})
		found := collect(invariants.CheckTransition(context.Background(), l, *s.parent, *s.tree, c.depth))
		if diff := cmp.Diff(c.want, read.reads); diff != "" || len(found) > 0 {
			t.Errorf("%s, %s: leaves read (-want +got):\n%s%s", c.name, c.depth, diff, messages(found))
		}
	}
}

// History compares each snapshot with its parent, also when that is not the one before, and reports what is wrong in
// the snapshot that has it.
func TestHistoryFindsTransitions(t *testing.T) {
	m, trees, files := threeSnapshots()
	branch := trees[103]
	branch.ParentSnapshotID = some(parentID)
	trees[103] = branch
	m.Snapshots[2].ParentID = some(parentID)
	l := invariants.NewLeaves(facts(), files, invariants.LeafOptions{})
	found := collect(invariants.History(context.Background(), l, m, trees))
	for _, v := range found {
		if v.Snapshot != 103 {
			t.Errorf("in snapshot %d: %s", v.Snapshot, v.Message())
		}
	}
	if want := []string{"X-CARRY", "X-INVENTED", "X-MDV-STATUS", "X-POINTER-KNOWN"}; !slices.Equal(ids(found), want) {
		t.Errorf("violations %v, want %v:%s", ids(found), want, messages(found))
	}
}

// A snapshot that uses its parent's root is not checked again (rules 14.9); a parent that is gone is not missed.
func TestHistorySharedRoot(t *testing.T) {
	m, trees, files := threeSnapshots()
	shared := trees[childID]
	shared.Origin.SnapshotID, shared.ParentSnapshotID = 103, some(childID)
	trees[103] = shared
	m.Snapshots = m.Snapshots[1:]
	l := invariants.NewLeaves(facts(), files, invariants.LeafOptions{})
	if found := collect(invariants.History(context.Background(), l, m, trees)); len(found) > 0 {
		t.Errorf("not clean: %s", messages(found))
	}
}

func TestUnreadable(t *testing.T) {
	m, trees, files := threeSnapshots()
	delete(files, tableLocation+"/"+l2)
	delete(trees, 103)

	l := invariants.NewLeaves(facts(), files, invariants.LeafOptions{})
	var last error
	for _, err := range invariants.History(context.Background(), l, m, trees) {
		if last != nil {
			t.Fatal("the sequence goes on after an error")
		}
		last = err
	}
	if last == nil {
		t.Fatal("no error")
	}

	var told []string
	l = invariants.NewLeaves(facts(), files, invariants.LeafOptions{Unreadable: func(object string, err error) bool {
		told = append(told, object)
		return err != nil
	}})
	if found := collect(invariants.History(context.Background(), l, m, trees)); len(found) > 0 {
		t.Errorf("violations without the leaf: %s", messages(found))
	}
	if want := []string{tableLocation + "/" + l2, "metadata/root-3.parquet"}; !slices.Equal(told, want) {
		t.Errorf("told of %v, want %v", told, want)
	}
}

// The consumer may stop at any violation.
func TestStop(t *testing.T) {
	s := nextMasked()
	s.childRow(0).FileSizeBytes++
	s.dropRow(3)
	s.dropRow(2)
	s.leaves[tableLocation+"/"+l1][2].Location = "data/../x.parquet"
	run := func(stop int) (n int) {
		l := invariants.NewLeaves(s.table, s.leaves, invariants.LeafOptions{})
		for _, seq := range []iter.Seq2[invariants.Violation, error]{
			invariants.CheckTree(context.Background(), l, *s.tree, invariants.AllLeaves),
			invariants.CheckTransition(context.Background(), l, *s.parent, *s.tree, invariants.AllLeaves),
			invariants.CheckLeaf(s.table, invariants.Place{}, rowsOf(s.leaves[tableLocation+"/"+l1])),
		} {
			for range seq {
				if n++; n == stop {
					return n
				}
			}
		}
		return n
	}
	all := run(0)
	if all < 4 {
		t.Fatalf("%d violations", all)
	}
	for stop := 1; stop <= all; stop++ {
		if n := run(stop); n != stop {
			t.Errorf("stopped after %d, %d came", stop, n)
		}
	}
}

// An error of the rows ends the check of a lone leaf.
func TestLeafError(t *testing.T) {
	broken := errors.New("page 3 is cut")
	rows := func(yield func(tree.Row, error) bool) {
		if yield(tree.Row{Entry: inLeaf("data/x.parquet")}, nil) {
			yield(tree.Row{}, broken)
		}
	}
	for _, err := range invariants.CheckLeaf(facts(), invariants.Place{}, rows) {
		if !errors.Is(err, broken) {
			t.Errorf("error %v", err)
		}
		return
	}
	t.Error("no error")
}
