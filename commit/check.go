package commit

import (
	"context"
	"fmt"
	"iter"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/tree"
)

// selfCheck holds the new root, the leaves that this transaction wrote, and the step from the parent to the
// rules of the format, and refuses the commit if one of severity error is broken. Nothing is read for it: the
// written leaves are checked as the rows that went into them.
func (x *Txn) selfCheck(ctx context.Context, base *Head, child tree.Tree) error {
	table := invariants.TableOf(base.Metadata)
	leaves := invariants.NewLeaves(table, writtenLeaves{&x.work}, invariants.LeafOptions{})
	var broken []invariants.Violation
	for _, findings := range []iter.Seq2[invariants.Violation, error]{
		invariants.CheckTree(ctx, leaves, child, invariants.AddedLeaves),
		invariants.CheckTransition(ctx, leaves, base.Tree, child, invariants.AddedLeaves),
	} {
		for v, err := range findings {
			if err != nil {
				return fmt.Errorf("commit: self-check: %w", err)
			}
			if v.Severity == invariants.Error {
				broken = append(broken, v)
			}
		}
	}
	if len(broken) > 0 {
		return &SelfCheckError{Violations: broken}
	}
	return nil
}

// writtenLeaves reads the leaves of a transaction from memory.
type writtenLeaves struct{ *work }

// Leaf implements [tree.LeafReader].
func (w writtenLeaves) Leaf(_ context.Context, origin tree.Origin, ref tree.Entry, _ tree.Projection) iter.Seq2[tree.Row, error] {
	return func(yield func(tree.Row, error) bool) {
		name := tree.Resolve(origin.TableLocation, ref.Location)
		for _, leaf := range w.leaves {
			if leaf.location != name {
				continue
			}
			for i, row := range leaf.rows {
				if !yield(tree.Row{Position: int64(i), Entry: row}, nil) {
					return
				}
			}
			return
		}
		yield(tree.Row{}, fmt.Errorf("leaf manifest %s is not of this transaction", name))
	}
}
