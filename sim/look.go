package sim

import (
	"context"
	"maps"
	"slices"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// Head is a branch of the table of a world with the tree of its newest snapshot.
type Head struct {
	Branch string
	Tree   tree.Tree
}

// Heads returns the branches in the order of their names.
func (w *World) Heads() []Head {
	var heads []Head
	for ref := range w.metadata.AllRefs() {
		if t, known := w.trees[ref.SnapshotID]; known && ref.Type == metadata.Branch {
			heads = append(heads, Head{ref.Name, t})
		}
	}
	return heads
}

// Leaves reads the rows of the live leaves of a tree, by the location that the tree has for them.
func (w *World) Leaves(ctx context.Context, t tree.Tree) (map[string][]tree.Row, error) {
	leaves := make(map[string][]tree.Row)
	for _, pointer := range t.Rows {
		if !pointer.Content.IsManifest() || !pointer.Tracking.Status.Live() {
			continue
		}
		var rows []tree.Row
		for row, err := range w.codec.Leaves(&w.objects).Leaf(ctx, t.Origin, pointer, tree.Full) {
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
		leaves[pointer.Location] = rows
	}
	return leaves, nil
}

// Counts returns what happened in the world so far.
func (w *World) Counts() Counts {
	c := w.stats
	for _, m := range []*map[string]int64{&c.Programs, &c.Verbs, &c.Rules, &c.Faults} {
		*m = maps.Clone(*m)
	}
	return c
}

// Commits counts the snapshots that were made so far.
func (w *World) Commits() int64 { return w.stats.Commits }

// Size is how large the table of a world is.
type Size struct {
	// Files are the live files of the branch main, and Leaves the pointers that its root has.
	Files, Leaves int
	// Snapshots are those that the table retains, and Objects those that the store holds.
	Snapshots, Objects int
	// Largest are the largest things that were written so far.
	Largest Largest
}

// Size returns how large the table is.
func (w *World) Size() Size {
	s := Size{Snapshots: len(w.metadata.Snapshots), Objects: len(w.objects.Names()), Largest: w.largest}
	head, there := w.metadata.Current()
	if !there {
		return s
	}
	if m, known := w.models[head.ID]; known {
		s.Files = m.files.Len()
	}
	for i := range w.trees[head.ID].Rows {
		if w.trees[head.ID].Rows[i].Content.IsManifest() {
			s.Leaves++
		}
	}
	return s
}

// Violations returns what was found so far.
func (w *World) Violations() []Violation { return slices.Clone(w.violations) }
