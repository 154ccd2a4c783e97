package commit

import (
	"context"
	"fmt"
	"iter"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/tree"
)

// selfCheck holds the new root, the leaves that this transaction wrote and rewrote, and the step from the parent to the
// rules of the format, and refuses the commit if one of severity error is broken. Nothing is read for it: written leaves
// are checked as the rows that went into them, rewritten ones as the rows that came out of them.
func (x *Txn) selfCheck(ctx context.Context, base *Head, child tree.Tree) error {
	broken, err := x.broken(ctx, base, child)
	switch {
	case overruled(broken, err):
		return nil
	case err != nil:
		return fmt.Errorf("commit: self-check: %w", err)
	case len(broken) == 0:
		return nil
	}
	if first := broken[0]; first.ID == "X-FILE-STATS" { // statistics are the caller's word
		return refusef(first.Object, "the refreshed statistics contradict those of before: %s", first.Message())
	}
	return &SelfCheckError{Violations: broken}
}

// broken returns the violations of severity error.
func (x *Txn) broken(ctx context.Context, base *Head, child tree.Tree) ([]invariants.Violation, error) {
	table := invariants.TableOf(base.Metadata)
	leaves := invariants.NewLeaves(table, writtenLeaves{&x.work}, invariants.LeafOptions{})
	var broken []invariants.Violation
	for v, err := range invariants.CheckChild(ctx, leaves, base.Tree, child, invariants.RewrittenLeaves) {
		if err != nil {
			return nil, err
		}
		if v.Severity == invariants.Error {
			broken = append(broken, v)
		}
	}
	return broken, nil
}

// writtenLeaves reads the leaves that a transaction wrote or rewrote from memory.
type writtenLeaves struct{ *work }

// yield yields the rows of the leaf as a reader finds them.
func (l *writtenLeaf) yield(yield func(tree.Row, error) bool) {
	position := int64(0)
	for _, m := range l.members {
		for _, entry := range m.rows {
			if !yield(tree.Row{Position: position, Entry: entry}, nil) {
				return
			}
			position++
		}
	}
}

// Leaf implements [tree.LeafReader].
func (w writtenLeaves) Leaf(_ context.Context, origin tree.Origin, ref tree.Entry, _ tree.Projection) iter.Seq2[tree.Row, error] {
	return func(yield func(tree.Row, error) bool) {
		name := tree.Resolve(origin.TableLocation, ref.Location)
		for i := range w.leaves {
			if w.leaves[i].location == name {
				w.leaves[i].yield(yield)
				return
			}
		}
		rows, known := w.rows[name]
		if !known {
			yield(tree.Row{}, fmt.Errorf("leaf manifest %s is not of this transaction", name))
			return
		}
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}
