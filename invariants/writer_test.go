package invariants_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/leaf"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/rootmanifest"
	"github.com/firn-io/firn/tree"
)

// writtenTable is a table that the writer's own functions make, one random snapshot after another.
type writtenTable struct {
	parent, child tree.Tree
	leaves        leaves
	files         int
}

// commit replaces the parent by the child and makes a new child: files are added, removed, given deletion vectors and
// moved, leaves written, masked and folded.
func (w *writtenTable) commit(t *rapid.T) {
	w.parent = w.child
	next := tree.Tree{
		Origin:         tree.Origin{TableLocation: tableLocation, SnapshotID: w.parent.Origin.SnapshotID + 1},
		SequenceNumber: w.parent.SequenceNumber + 1, TimestampMillis: w.parent.TimestampMillis + 1,
		FirstRowID: w.parent.FirstRowID + w.parent.AddedRows,
	}
	if w.parent.Root != "" {
		next.ParentSnapshotID = some(w.parent.Origin.SnapshotID)
	}
	next.Root = fmt.Sprintf("%s/metadata/root-%d.parquet", tableLocation, next.SequenceNumber)
	c := &commitStep{writtenTable: w, t: t, id: next.Origin.SnapshotID}
	c.builder = rootmanifest.NewBuilder(w.parent, rootmanifest.Snapshot{
		ID: c.id, SequenceNumber: next.SequenceNumber, FirstRowID: next.FirstRowID})
	for row, e := range w.parent.Rows {
		switch {
		case !e.Tracking.Status.Live():
		case e.Content == tree.Data:
			c.loose(row, e)
		default:
			c.pointer(row, e)
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "new files") {
		w.files++
		e := inLeaf(fmt.Sprintf("data/%d.parquet", w.files))
		bound := tree.Long(int64(w.files))
		e.Stats = tree.Stats{{FieldID: 1, Lower: bound, Upper: bound, Tight: some(true), ValueCount: some(leafRows), NullCount: some(int64(0))}}
		c.place(e)
	}
	c.writeLeaf(next.SequenceNumber)
	root, err := c.builder.Build()
	c.must(err)
	next.Rows, next.AddedRows = root.Rows, root.AddedRows
	w.child = next
}

// commitStep is one commit in the making.
type commitStep struct {
	*writtenTable
	t       *rapid.T
	id      int64
	builder *rootmanifest.Builder
	pushed  []tree.Entry
}

func (c *commitStep) must(err error) {
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *commitStep) choose(what string, from ...string) string {
	return rapid.SampledFrom(from).Draw(c.t, what)
}

// place puts a live row into the root or into the leaf that this commit writes.
func (c *commitStep) place(e tree.Entry) {
	if c.choose("place", "root", "leaf") == "root" {
		c.builder.Inline(e)
	} else {
		c.pushed = append(c.pushed, e)
	}
}

func (c *commitStep) carried(e tree.Entry) tree.Entry {
	e, err := tree.Carry(e)
	c.must(err)
	return e
}

// state is the entry with one more deleted row.
func (c *commitStep) state(e tree.Entry) tree.Entry {
	return withDV(e, e.DeletionVector.Val.Cardinality+1)
}

func (c *commitStep) loose(row int, e tree.Entry) {
	switch c.choose("loose file", "keep", "keep", "remove", "replace", "push") {
	case "remove":
		c.must(c.builder.Remove(row))
	case "replace":
		c.must(c.builder.Replace(row, c.state(e)))
	case "push":
		c.must(c.builder.Drop(row))
		c.pushed = append(c.pushed, c.carried(e))
	}
}

// pointer keeps, masks, empties or folds a leaf. A mask that moves files leaves at least one, for a pointer is DELETED
// only if all its files were removed or replaced (rules 9.9).
func (c *commitStep) pointer(row int, e tree.Entry) {
	mode := c.choose("leaf", "keep", "keep", "mask", "empty", "fold")
	if mode == "keep" {
		return
	}
	var masks tree.Masks
	rows := c.writtenTable.leaves.Leaf(context.TODO(), c.parent.Origin, e, tree.Full)
	first := true
	for live, err := range tree.LiveIn(c.parent.Origin, e, tree.Full, rows) {
		c.must(err)
		acts := map[string][]string{
			"mask": {"keep", "remove", "replace", "move"}, "empty": {"remove", "replace"}, "fold": {"move", "remove", "replace"},
		}[mode]
		if mode == "mask" && first {
			acts = []string{"keep"}
		}
		first = false
		c.take(&masks, live, c.choose("leaf file", acts...), mode == "fold")
	}
	if mode == "fold" {
		c.must(c.builder.Drop(row))
	} else if !masks.Deleted.Union(masks.Replaced).Union(masks.Moved).IsEmpty() {
		c.must(c.builder.Mask(row, masks))
	}
}

// take takes one file out of a leaf; a fold tells of it by a row, anything else by a position.
func (c *commitStep) take(masks *tree.Masks, live tree.Located, act string, fold bool) {
	one, err := mdv.Of(uint32(live.Position))
	c.must(err)
	switch act {
	case "remove":
		masks.Deleted = masks.Deleted.Union(one)
		if fold {
			gone, err := tree.Delete(live.Entry, c.id)
			c.must(err)
			c.builder.Inline(gone)
		}
	case "replace":
		masks.Replaced = masks.Replaced.Union(one)
		now, err := tree.Modify(c.state(live.Entry), c.id)
		c.must(err)
		c.place(now)
		if fold {
			old, err := tree.Replace(live.Entry, c.id)
			c.must(err)
			c.builder.Inline(old)
		}
	case "move":
		masks.Moved = masks.Moved.Union(one)
		c.place(c.carried(live.Entry))
	}
}

func (c *commitStep) writeLeaf(sequence int64) {
	if len(c.pushed) == 0 {
		return
	}
	c.must(leaf.Check(c.pushed))
	location := fmt.Sprintf("metadata/%d.parquet", sequence)
	p, err := leaf.Pointer(location, 1000, c.pushed, sequence)
	c.must(err)
	c.writtenTable.leaves[tableLocation+"/"+location] = c.pushed
	c.builder.Point(p)
}

// sample is the last commit as the checkers see it.
func (w *writtenTable) sample() *sample {
	parent, child := w.parent, w.child
	child.Rows = slices.Clone(child.Rows)
	return &sample{table: facts(), parent: &parent, tree: &child, leaves: maps.Clone(w.leaves)}
}

// Whatever the writer makes of random commits violates nothing, at any depth.
func TestWriterIsClean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &writtenTable{leaves: make(leaves)}
		for range rapid.IntRange(1, 6).Draw(t, "commits") {
			w.commit(t)
			for depth := invariants.RootOnly; depth <= invariants.AllLeaves; depth++ {
				if found := w.sample().violations(depth); len(found) > 0 {
					t.Fatalf("snapshot %d, %s:%s", w.child.SequenceNumber, depth, messages(found))
				}
			}
		}
	})
}

// The checker and the writer agree on what is live, each by its own walk (rules 6.2, 9.15).
func TestLive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &writtenTable{leaves: make(leaves)}
		for range rapid.IntRange(1, 5).Draw(t, "commits") {
			w.commit(t)
		}
		ctx := context.Background()
		theirs := make(map[string]string)
		for l, err := range tree.Live(ctx, w.child, tree.Full, w.leaves) {
			if err != nil {
				t.Fatal(err)
			}
			theirs[l.Location] = fmt.Sprintf("%s %d", cmp.Or(l.Manifest, w.child.Root), l.Position)
		}
		places, locations, err := invariants.LiveFiles(ctx, invariants.NewLeaves(facts(), w.leaves, invariants.LeafOptions{}), w.child)
		if err != nil {
			t.Fatal(err)
		}
		mine := make(map[string]string)
		for i, p := range places {
			mine[locations[i]] = fmt.Sprintf("%s %d", p.Object, p.Row)
		}
		if !maps.Equal(theirs, mine) || len(mine) != len(places) {
			t.Fatalf("writer %v, checker %v", theirs, mine)
		}
	})
}

// sabotage are faults of a writer, each done to one row of the child's root; false if the row does not lend itself.
var sabotage = map[string]func(child *tree.Tree, i int) bool{
	"live row lost": func(c *tree.Tree, i int) bool {
		live := c.Rows[i].Tracking.Status != tree.Added && c.Rows[i].Tracking.Status.Live() && c.Rows[i].Content == tree.Data
		c.Rows = slices.Delete(c.Rows, i, i+1)
		return live
	},
	"row twice": func(c *tree.Tree, i int) bool {
		c.Rows = append(c.Rows, c.Rows[i])
		return c.Rows[i].Tracking.Status.Live()
	},
	"tombstone lost": func(c *tree.Tree, i int) bool {
		dead := !c.Rows[i].Tracking.Status.Live() && c.Rows[i].Content == tree.Data
		c.Rows = slices.Delete(c.Rows, i, i+1)
		return dead
	},
	"tombstone revived": func(c *tree.Tree, i int) bool {
		dead := c.Rows[i].Tracking.Status == tree.Deleted
		c.Rows[i].Tracking.Status = tree.Existing
		return dead
	},
	"old status": func(c *tree.Tree, i int) bool {
		old := c.Rows[i].Tracking.Status
		c.Rows[i].Tracking.Status = tree.Added
		return old != tree.Added
	},
	"sequence number changed": func(c *tree.Tree, i int) bool {
		old := c.Rows[i].Tracking.Status != tree.Added
		c.Rows[i].Tracking.SequenceNumber.Val++
		return old
	},
	"snapshot id changed": func(c *tree.Tree, i int) bool {
		c.Rows[i].Tracking.SnapshotID.Val--
		return true
	},
	"row id changed": func(c *tree.Tree, i int) bool {
		c.Rows[i].Tracking.FirstRowID.Val += 3
		return c.Rows[i].Tracking.Status != tree.Added
	},
	"deltas forgotten": func(c *tree.Tree, i int) bool {
		had := c.Rows[i].Tracking.DeletedPositions != nil || c.Rows[i].Tracking.ReplacedPositions != nil
		c.Rows[i].Tracking.DeletedPositions, c.Rows[i].Tracking.ReplacedPositions = nil, nil
		return had
	},
	"deltas confused": func(c *tree.Tree, i int) bool {
		t := &c.Rows[i].Tracking
		t.DeletedPositions, t.ReplacedPositions = t.ReplacedPositions, t.DeletedPositions
		return t.DeletedPositions != nil || t.ReplacedPositions != nil
	},
	"mask forgotten": func(c *tree.Tree, i int) bool {
		had := c.Rows[i].Manifest.Val.DV != nil
		c.Rows[i].Manifest.Val.DV = nil
		return had
	},
	"counts changed": func(c *tree.Tree, i int) bool {
		c.Rows[i].Manifest.Val.AddedRows++
		return c.Rows[i].Manifest.Valid
	},
}

// A fault of the writer never goes unseen.
func TestSabotageIsFound(t *testing.T) {
	names := slices.Sorted(maps.Keys(sabotage))
	done := make(map[string]int)
	rapid.Check(t, func(t *rapid.T) {
		w := &writtenTable{leaves: make(leaves)}
		for range rapid.IntRange(1, 4).Draw(t, "commits") {
			w.commit(t)
		}
		if len(w.child.Rows) == 0 {
			return
		}
		row := rapid.IntRange(0, len(w.child.Rows)-1).Draw(t, "row")
		for _, name := range names {
			s := w.sample()
			if !sabotage[name](s.tree, row) {
				continue
			}
			done[name]++
			if len(s.violations(invariants.AllLeaves)) == 0 {
				t.Fatalf("%s: row %d of %+v", name, row, w.child.Rows)
			}
		}
	})
	t.Logf("faults tried: %v", done)
	if len(done) < len(names)/2 {
		t.Errorf("only %d of %d kinds of faults were tried", len(done), len(names))
	}
}

// CheckChild finds what CheckTree and CheckTransition find, one after the other.
func TestCheckChildIsBoth(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		w := &writtenTable{leaves: make(leaves)}
		for range rapid.IntRange(1, 4).Draw(t, "commits") {
			w.commit(t)
		}
		s := w.sample()
		if len(s.tree.Rows) > 0 {
			name := rapid.SampledFrom(slices.Sorted(maps.Keys(sabotage))).Draw(t, "fault")
			sabotage[name](s.tree, rapid.IntRange(0, len(s.tree.Rows)-1).Draw(t, "row"))
		}
		depth := invariants.Depth(rapid.IntRange(0, int(invariants.AllLeaves)).Draw(t, "depth"))
		ctx := context.Background()
		read := func() *invariants.Leaves { return invariants.NewLeaves(s.table, s.leaves, s.options) }
		l := read()
		want := append(collect(invariants.CheckTree(ctx, l, *s.tree, depth)), collect(invariants.CheckTransition(ctx, l, *s.parent, *s.tree, depth))...)
		got := collect(invariants.CheckChild(ctx, read(), *s.parent, *s.tree, depth))
		if !slices.Equal(want, got) {
			t.Fatalf("together %v, one by one %v", got, want)
		}
		found += len(got)
	})
	if found == 0 {
		t.Error("nothing was found at all")
	}
}
