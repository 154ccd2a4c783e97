package commit

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/match"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
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
// writer adds or removes a file that the filter may match, or deletes rows of one.
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

// expand turns filters into targets, once, on the state that the transaction began on: on a later one a filter would match
// files that the caller did not mean.
func (x *Txn) expand(ctx context.Context, base *Head) error {
	if x.work.expanded {
		return nil
	}
	for _, f := range x.filters {
		if f.remove && base != x.base {
			return filterGone(f)
		}
		bound, err := x.bind(f, base.Metadata)
		if err != nil {
			return err
		}
		if f.remove {
			err := x.removeMatching(ctx, base, f, bound)
			if errors.Is(err, store.ErrNotFound) {
				return x.unmatched(ctx, base, f, err)
			} else if err != nil {
				return err
			}
		}
	}
	x.work.expanded = true
	for _, a := range x.adds {
		if t := x.named[a.location]; t != nil && t.remove {
			x.problem("%s: removed by a filter and added in one transaction", a.location)
		}
	}
	return refused(x.problems)
}

// unmatched says what it means that files could not be read to which a filter was to be turned: where the table has moved
// on, what the filter meant can no longer be told.
func (x *Txn) unmatched(ctx context.Context, base *Head, f filter, cause error) error {
	if name, err := x.table.catalog.Load(ctx, x.table.id); err != nil || name == base.MetadataLocation {
		return errors.Join(cause, err)
	}
	return filterGone(f)
}

func filterGone(f filter) error {
	return conflictf(RuleFilterRaced, "", "what the filter %s matched has expired, so that nothing can be told", f.expr)
}

// maxNamed bounds how many files an error names.
const maxNamed = 10

func (x *Txn) removeMatching(ctx context.Context, base *Head, f filter, bound *match.Filter) error {
	var partly []string
	n := 0
	for l, err := range x.matching(ctx, base, bound) {
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

// matching yields the live files of a state that a filter may match. Only leaves that can hold such files are opened.
func (x *Txn) matching(ctx context.Context, head *Head, bound *match.Filter) iter.Seq2[tree.Located, error] {
	return func(yield func(tree.Located, error) bool) {
		p := tree.Projection{File: true, Stats: bound.Columns()}
		nowhere := &Head{Location: head.Location}
		places, err := x.apart(ctx, head, nowhere, p, bound.MayMatch)
		if err != nil {
			yield(tree.Located{}, err)
			return
		}
		for _, place := range places {
			if !yield(place.located, nil) {
				return
			}
		}
	}
}

// checkFilters refuses to go on where another writer changed what a filter may match, if the isolation level asks for
// that: a file that was added, and for a transaction that depends on the filter also one that was removed or whose
// deletes changed (F26).
func (x *Txn) checkFilters(ctx context.Context, from, to *Head) error {
	if x.options.Isolation != Serializable {
		return nil
	}
	for _, f := range x.filters {
		bound, err := x.bind(f, to.Metadata)
		if err != nil {
			return err
		}
		p := tree.Projection{File: true, Stats: bound.Columns()}
		now, err := x.apart(ctx, to, from, p, bound.MayMatch)
		if err != nil {
			return err
		}
		if len(now) == 0 && f.remove {
			continue
		}
		was, err := x.apart(ctx, from, to, p, bound.MayMatch)
		if errors.Is(err, store.ErrNotFound) {
			return filterGone(f)
		} else if err != nil {
			return err
		}
		if err := raced(f, was, now); err != nil {
			return err
		}
	}
	return nil
}

// raced compares what a filter may match before and after other writers.
func raced(f filter, was, now []place) error {
	before := make(map[tree.Identity]tree.Revision)
	for _, p := range was {
		before[p.located.Identity()] = p.located.Revision()
	}
	for _, p := range now {
		old, known := before[p.located.Identity()]
		switch {
		case !known:
			return conflictf(RuleFilterRaced, p.located.Location, "another writer added it, and the filter %s may match it", f.expr)
		case !f.remove && old.DeletionVector != p.located.Revision().DeletionVector:
			return conflictf(RuleFilterRaced, p.located.Location, "another writer deleted rows of it, and the filter %s may match it", f.expr)
		}
		delete(before, p.located.Identity())
	}
	if f.remove {
		return nil
	}
	for _, p := range was {
		if _, gone := before[p.located.Identity()]; gone {
			return conflictf(RuleFilterRaced, p.located.Location, "another writer removed it, and the filter %s may match it", f.expr)
		}
	}
	return nil
}
