package commit

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/match"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// filter is a filter on which the transaction depends.
type filter struct {
	expr iceberg.BooleanExpression
	// remove says that the files that match are removed.
	remove bool
}

// DeleteWhere removes every file all of whose rows match a filter, as statistics and partition values tell. A file that
// the filter may match in part is refused, by name: its rows have to be rewritten or deleted one by one. Files that
// this transaction adds are not looked at. Together with Append it is an overwrite of what matches.
func (x *Txn) DeleteWhere(expr iceberg.BooleanExpression) {
	x.filters = append(x.filters, filter{expr, true})
}

// DependOn says that the change was made from what a filter selects. Under [Serializable] it is a conflict if another
// writer adds a file that the filter may match.
func (x *Txn) DependOn(expr iceberg.BooleanExpression) {
	x.filters = append(x.filters, filter{expr, false})
}

// bind binds a filter to the columns as the transaction's base names them.
func (x *Txn) bind(f filter, m metadata.Table) (*match.Filter, error) {
	bound, err := match.New(f.expr, x.base.Metadata.Schema(), m.Specs)
	if err != nil {
		return nil, &RefusedError{Reasons: []string{fmt.Sprintf("filter %s: %v", f.expr, err)}, Err: err}
	}
	return bound, nil
}

// expand turns filters into targets, once, on the state that the transaction began on.
func (x *Txn) expand(ctx context.Context, base *Head) error {
	if x.work.expanded {
		return nil
	}
	x.work.expanded = true
	for _, f := range x.filters {
		bound, err := x.bind(f, base.Metadata)
		if err != nil {
			return err
		}
		if f.remove {
			if err := x.removeMatching(ctx, base, f, bound); err != nil {
				return err
			}
		}
	}
	return refused(x.problems)
}

// maxNamed bounds how many files an error names.
const maxNamed = 10

func (x *Txn) removeMatching(ctx context.Context, base *Head, f filter, bound *match.Filter) error {
	var partly []string
	n := 0
	for l, err := range x.matching(ctx, base, bound, 0) {
		if err != nil {
			return err
		}
		switch {
		case bound.MustMatch(l.Entry):
			x.remove(At(l), false, 0)
		case len(partly) < maxNamed:
			partly = append(partly, l.Location)
			n++
		default:
			n++
		}
	}
	if n > 0 {
		return refusef(partly[0], "the filter %s may match a part of it%s", f.expr, others(partly[1:], n-1))
	}
	return nil
}

// others names the other files of an error, or some of them.
func others(names []string, n int) string {
	if n == 0 {
		return ""
	}
	text := fmt.Sprintf(", and of %d more: %s", n, strings.Join(names, ", "))
	if len(names) < n {
		text += ", …"
	}
	return text
}

// matching yields the live files of a state that a filter may match and that were added after a sequence number. Only
// leaves that can hold such files are opened.
func (x *Txn) matching(ctx context.Context, head *Head, bound *match.Filter, after int64) iter.Seq2[tree.Located, error] {
	return func(yield func(tree.Located, error) bool) {
		projection := tree.Projection{File: true, Stats: bound.Columns()}
		leaves := x.table.options.Codec.Leaves(x.table.objects)
		for i, row := range head.Tree.Rows {
			added := row.Tracking.SequenceNumber.Val
			if !row.Manifest.Valid {
				added = row.Tracking.FileSequenceNumber.Val
			}
			if !row.Tracking.Status.Live() || added <= after && after > 0 || row.Content == tree.DeleteManifest {
				continue
			}
			if !row.Manifest.Valid {
				if bound.MayMatch(row) && !yield(head.loose(i), nil) {
					return
				}
				continue
			}
			if !bound.MayMatch(row) {
				continue
			}
			x.work.leavesOpened++
			for l, err := range tree.LiveIn(head.Tree.Origin, row, projection, leaves.Leaf(ctx, head.Tree.Origin, row, projection)) {
				if err == nil && (l.Entry.Tracking.FileSequenceNumber.Val <= after && after > 0 || !bound.MayMatch(l.Entry)) {
					continue
				}
				if !yield(l, err) || err != nil {
					return
				}
			}
		}
	}
}

// checkFilters refuses to go on where another writer added a file that a filter may match, if the isolation level asks
// for that. A file that was added since has a file sequence number above that of the snapshot of then.
func (x *Txn) checkFilters(ctx context.Context, from, to *Head) error {
	if x.options.Isolation != Serializable {
		return nil
	}
	for _, f := range x.filters {
		bound, err := x.bind(f, to.Metadata)
		if err != nil {
			return err
		}
		since := from.Tree.SequenceNumber
		for l, err := range x.matching(ctx, to, bound, since) {
			if err != nil {
				return err
			}
			if l.Entry.Tracking.FileSequenceNumber.Val > since {
				return conflictf(RuleFilterRaced, l.Location, "another writer added it, and the filter %s may match it", f.expr)
			}
		}
	}
	return nil
}
