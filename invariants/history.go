package invariants

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// RootReader reads root manifests for [History].
type RootReader interface {
	// Root returns the tree of a snapshot that has a root manifest.
	Root(ctx context.Context, s metadata.Snapshot) (tree.Tree, error)
}

// History checks every retained snapshot that has a root manifest with [CheckTree] and [CheckTotals], and every one
// whose parent has one too, or that has no parent, with [CheckTransition] and the rules of scope commit that need no
// promise, all leaves opened. Snapshots come line by line: each after its parent, and of several children of one parent
// the one with the lowest sequence number first, with all that descends from it. Whether a ref reaches a snapshot does
// not matter, and nothing is compared across lines (IV15). A snapshot that uses the root of its parent is not checked
// again (rules 14.9); one whose parent has a manifest list or is gone is not compared with it.
//
// A leaf is read once as long as snapshots that follow each other point to it. In memory are two roots at a time, the
// rows of their leaves as [Leaves] keeps them, two dozen bytes for each live file of one snapshot, and what changed between
// two; of all but the roots no more than a bounded number where there is a [Spill]. Of each file that left the line some 100
// bytes stay in memory: by those the rules of scope history know a file that comes back (IV20). An error of a reader or of the
// spill ends the sequence, but see [LeafOptions] (IV6, F10).
func History(ctx context.Context, l *Leaves, m metadata.Table, roots RootReader) iter.Seq2[Violation, error] {
	return func(yield func(Violation, error) bool) {
		l.check(yield, func(c check) error {
			c.line = newLine(&m)
			h := &history{check: c, leaves: l, roots: roots, snapshots: make(map[int64]metadata.Snapshot)}
			for s := range rooted(&m) {
				h.snapshots[s.ID] = *s
			}
			for _, s := range lines(&m) {
				if err := h.next(ctx, s); err != nil || c.sink.over() {
					return err
				}
			}
			return nil
		})
	}
}

type history struct {
	check
	leaves    *Leaves
	roots     RootReader
	snapshots map[int64]metadata.Snapshot
	last      *snapshot
}

// lines returns the snapshots that have a root manifest, line by line. The snapshot with the lowest sequence number that
// is left begins a line: its parent is not retained, or comes later, which M-SEQUENCE-ORDER reports.
func lines(m *metadata.Table) []metadata.Snapshot {
	var all []metadata.Snapshot
	for s := range rooted(m) {
		all = append(all, *s)
	}
	slices.SortStableFunc(all, func(a, b metadata.Snapshot) int { return cmp.Compare(a.SequenceNumber, b.SequenceNumber) })
	children := make(map[int64][]int)
	var stack []int // the last one comes first
	for i, s := range slices.Backward(all) {
		stack = append(stack, i)
		if s.ParentID.Valid {
			children[s.ParentID.Val] = append(children[s.ParentID.Val], i)
		}
	}
	var order []metadata.Snapshot
	visited := make([]bool, len(all))
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if visited[i] {
			continue
		}
		visited[i] = true
		order = append(order, all[i])
		stack = append(stack, children[all[i].ID]...)
	}
	return order
}

// next checks one snapshot, and it against its parent.
func (h *history) next(ctx context.Context, s metadata.Snapshot) error {
	parent, err := h.parent(ctx, s)
	if err != nil {
		return err
	}
	child, err := h.read(ctx, s)
	if child == nil || err != nil {
		delete(h.snapshots, s.ID) // its children are not compared with it
		return err
	}
	h.last = child
	h.line.enter(child, parent)
	if parent == nil {
		h.leaves.keep(child)
		return h.tree(ctx, h.leaves, child, AllLeaves)
	}
	h.leaves.keep(parent, child)
	if parent.tree.Root != "" && parent.tree.Root == child.tree.Root {
		return nil
	}
	if err := h.tree(ctx, h.leaves, child, AllLeaves); err != nil || h.sink.over() {
		return err
	}
	return h.transition(ctx, h.leaves, parent, child, AllLeaves)
}

// parent returns the parent of a snapshot, an empty one if it has none, nil if it cannot be compared with it.
func (h *history) parent(ctx context.Context, s metadata.Snapshot) (*snapshot, error) {
	if !s.ParentID.Valid {
		return newSnapshot(tree.Tree{}), nil
	}
	if h.last != nil && h.last.id() == s.ParentID.Val {
		return h.last, nil
	}
	if p, retained := h.snapshots[s.ParentID.Val]; retained {
		return h.read(ctx, p)
	}
	return nil, nil
}

// read returns a snapshot, or nil if it is passed over because its root cannot be read.
func (h *history) read(ctx context.Context, s metadata.Snapshot) (*snapshot, error) {
	t, err := h.roots.Root(ctx, s)
	if err == nil {
		root := newSnapshot(t)
		root.summary = s.Summary
		return root, nil
	}
	if err = h.leaves.skip(s.RootManifest.Val, err); err != nil {
		return nil, fmt.Errorf("invariants: root of snapshot %d: %w", s.ID, err)
	}
	return nil, nil
}
