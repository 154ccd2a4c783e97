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

// Violations returns what was found so far.
func (w *World) Violations() []Violation { return slices.Clone(w.violations) }
