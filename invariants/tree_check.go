package invariants

import (
	"context"
	"iter"

	"github.com/firn-io/firn/tree"
)

// CheckTree checks a snapshot: the rules of scopes entry and root on its root, those of scopes entry and leaf on each
// leaf that it opens and has not yielded them for before, and those of scope tree on what it opened. Leaves that are
// DELETED or hold delete files are not opened. An error of the leaf reader ends the sequence, but see [LeafOptions] (IV5, IV7).
func CheckTree(ctx context.Context, l *Leaves, t tree.Tree, depth Depth) iter.Seq2[Violation, error] {
	return CheckSnapshot(ctx, l, t, nil, depth)
}

// CheckSnapshot checks a tree as [CheckTree] does, and what the summary of its snapshot claims as [CheckTotals] does, in one walk over
// the live files. A nil summary is not known.
func CheckSnapshot(ctx context.Context, l *Leaves, t tree.Tree, summary map[string]string, depth Depth) iter.Seq2[Violation, error] {
	return func(yield func(Violation, error) bool) {
		s := newSnapshot(t)
		s.summary = summary
		l.check(yield, func(c check) error { return c.tree(ctx, l, s, depth) })
	}
}

// treeInput is a snapshot with the leaves that were opened.
type treeInput struct {
	*snapshot
	storage *storage
	leaves  []*openLeaf
	// closed says that some leaf with live data files was not opened.
	closed bool
	// walked is what one walk over the live files gathered for the rules about all of them, nil before.
	walked *liveWalk
	// noneDeleted says that no live file is named by a DELETED row.
	noneDeleted bool
}

func (c check) tree(ctx context.Context, l *Leaves, s *snapshot, depth Depth) error {
	c.root(s)
	in := &treeInput{snapshot: s, storage: l.storage}
	open := func(p *pointer) (*readLeaf, error) { return l.openFor(ctx, s, p, c.sink) }
	err := in.open(open, depth, func(read *readLeaf, o *openLeaf) bool {
		for _, v := range read.violations {
			c.sink.put(v)
		}
		read.violations = nil
		if o != nil {
			c.openLeaf(o)
		}
		return !c.sink.over()
	})
	if err != nil || c.sink.over() {
		return err
	}
	c.run(treeRules, s.place(-1), func(f *checker, r reporter) {
		f.tree(in, r)
	})
	c.totals(in)
	c.bornIn(in)
	return nil
}

// open opens the leaves of a tree as far as the depth allows and shows each to visit, which gets nil for one that is
// passed over because it cannot be read, and ends it by false.
func (in *treeInput) open(open func(*pointer) (*readLeaf, error), depth Depth, visit func(*readLeaf, *openLeaf) bool) error {
	opened := make(map[string]bool)
	for _, p := range in.pointers {
		if opened[p.location] {
			continue
		}
		if !opens(p, depth) {
			in.closed = in.closed || p.live() && p.entry.Content == tree.DataManifest
			continue
		}
		read, err := open(p)
		if err != nil {
			return err
		}
		opened[p.location] = true
		var o *openLeaf
		if read.leaf != nil {
			o = &openLeaf{snapshot: in.snapshot, pointer: p, leaf: read.leaf}
			in.leaves = append(in.leaves, o)
		}
		in.closed = in.closed || o == nil
		if !visit(read, o) {
			return nil
		}
	}
	return nil
}

// opens reports whether a check of a tree opens a leaf.
func opens(p *pointer, depth Depth) bool {
	if p.entry.Content != tree.DataManifest || !p.live() || !p.dv.usable() {
		return false
	}
	return depth == AllLeaves || depth >= AddedLeaves && p.entry.Tracking.Status == tree.Added
}

func (c check) openLeaf(o *openLeaf) {
	c.run(openLeafRules, o.snapshot.place(o.pointer.row), func(f *checker, r reporter) {
		f.openLeaf(o, r)
	})
	if o.pointer.legacy() {
		return
	}
	for row := range o.all() {
		c.run(openRowRules, o.place(row.row), func(f *checker, r reporter) {
			f.openRow(o, row, r)
		})
	}
}

// live yields the live files with the object that holds each: the root's own, then those of the opened leaves. A file is
// valid for one turn.
func (in *treeInput) live() iter.Seq2[string, *file] {
	return func(yield func(string, *file) bool) {
		for s, f := range in.spots() {
			if !yield(in.object(s), f) {
				return
			}
		}
	}
}
