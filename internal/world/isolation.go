package world

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/match"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// dependence is a filter from which a transaction was made.
type dependence struct {
	filter *match.Filter
	// remove says that what matches is removed: then only what others add matters.
	remove bool
}

// compareIsolation holds a snapshot against what its transaction was made from: what other writers committed between the
// transaction's base and the snapshot's parent must leave it true. It knows nothing of how a commit finds that out.
func (w *World) compareIsolation(ctx context.Context, head *commit.Head, in intent, s metadata.Snapshot) (string, error) {
	var wrong []string
	if in.uuid != "" && in.uuid != head.Metadata.UUID {
		wrong = append(wrong, "its transaction was of another table")
	}
	_, retained := head.Metadata.Snapshot(in.base)
	if in.base != 0 && retained && !descendsFrom(head.Metadata, s.ID, in.base) {
		wrong = append(wrong, fmt.Sprintf("it does not descend from snapshot %d, on which its transaction began", in.base))
	}
	then, now := w.states[in.base], w.states[s.ParentID.Val]
	wrong = append(wrong, in.misfits(head.Metadata, s)...)
	for _, c := range in.changes {
		wrong = append(wrong, w.outdated(c, in, head.Metadata, s, then, now)...)
	}
	if in.serializable && len(in.filters) > 0 {
		found, err := w.phantoms(ctx, head, in, s, then, now)
		if err != nil {
			return "", err
		}
		wrong = append(wrong, found...)
	}
	var out strings.Builder
	for _, text := range wrong {
		out.WriteString(w.problem("isolation of snapshot %d: %s", s.ID, text))
	}
	return out.String(), nil
}

func descendsFrom(m metadata.Table, id, ancestor int64) bool {
	for s := range m.Ancestors(id) {
		if s.ID == ancestor || s.ParentID.Valid && s.ParentID.Val == ancestor {
			return true
		}
	}
	return false
}

// outdated says why a step of a transaction should not have been taken, after other writers changed the deletes of its file:
// new files hold rows of it as they were read, or rows are deleted beside others without leave (B21).
func (w *World) outdated(c change, in intent, m metadata.Table, s metadata.Snapshot, then, now model) []string {
	if c.rewritten && c.asOf != 0 {
		then = w.states[c.asOf]
	}
	was, is := then[c.location], now[c.location]
	if was.fileSequence != is.fileSequence || was.modified == is.modified {
		return nil
	}
	switch {
	case c.rewritten:
		return []string{c.location + " was rewritten, and its deletes have changed since it was read"}
	case c.rows.IsEmpty():
		return nil
	case !c.merge:
		return []string{"rows of " + c.location + " were deleted, and its deletes have changed since"}
	}
	var wrong []string
	for other := range m.Ancestors(s.ParentID.Val) {
		if other.ID == in.base || w.states[other.ID][c.location].modified == was.modified {
			break // who writes new states of rows deletes the old ones: nobody had, up to here
		}
		if other.Operation() == metadata.OpOverwrite {
			wrong = append(wrong, fmt.Sprintf("rows of %s were deleted, and snapshot %d may have written new states of them", c.location, other.ID))
		}
	}
	before, errBefore := dv.ParseText(was.deleted)
	after, errAfter := dv.ParseText(is.deleted)
	theirs := after.Minus(before)
	if errors.Join(errBefore, errAfter) == nil && in.addsFiles() && theirs.Minus(c.rows).Cardinality() != theirs.Cardinality() {
		wrong = append(wrong, "new states of rows of "+c.location+" were written that another writer deleted")
	}
	return wrong
}

// misfits says why the files that a transaction adds do not fit the table that it met: a required column that they cannot
// have, or a partition spec that is gone (F23).
func (in intent) misfits(m metadata.Table, s metadata.Snapshot) []string {
	var wrong []string
	for _, c := range in.changes {
		if c.added == nil || !c.added.SpecID.Valid {
			continue
		}
		if _, known := m.SpecByID(int(c.added.SpecID.Val)); !known {
			wrong = append(wrong, fmt.Sprintf("%s was added, and its partition spec %d is gone", c.location, c.added.SpecID.Val))
		}
	}
	schema, known := m.SchemaByID(s.SchemaID.Val)
	if !known || in.schema == nil || !in.addsFiles() {
		return wrong
	}
	for _, column := range schema.Fields() {
		old, had := in.schema.FindFieldByID(column.ID)
		if column.Required && column.InitialDefault == nil && (!had || !old.Required) {
			wrong = append(wrong, "files were added that cannot have the required column "+column.Name)
		}
	}
	return wrong
}

func (in intent) addsFiles() bool {
	return slices.ContainsFunc(in.changes, func(c change) bool { return c.added != nil })
}

// phantoms says which files that a filter may match came, went or lost rows between the base and the parent (F26).
func (w *World) phantoms(ctx context.Context, head *commit.Head, in intent, s metadata.Snapshot, then, now model) ([]string, error) {
	var wrong []string
	for _, side := range []struct {
		snapshot    int64
		here, there model
	}{{s.ParentID.Val, now, then}, {in.base, then, now}} {
		snapshot, retained := head.Metadata.Snapshot(side.snapshot)
		if !retained {
			continue
		}
		t, err := roots{w, head}.Root(ctx, snapshot)
		if errors.Is(err, store.ErrNotFound) {
			continue
		} else if err != nil {
			return nil, err
		}
		for l, err := range tree.Live(ctx, t, tree.Full, w.codec.Leaves(w.objects)) {
			if err != nil {
				return nil, err
			}
			here, there := side.here[l.Location], side.there[l.Location]
			for _, d := range in.filters {
				came := here.fileSequence != there.fileSequence && side.snapshot != in.base
				changed := here.fileSequence != there.fileSequence || here.modified != there.modified
				if (came || changed && !d.remove) && d.filter.MayMatch(l.Entry) {
					wrong = append(wrong, fmt.Sprintf("%s may match its filter and was not the same on snapshot %d", l.Location, in.base))
				}
			}
		}
	}
	slices.Sort(wrong)
	return slices.Compact(wrong), nil
}

// compareUpdate holds an update that is reported as done, with nothing to do, against the table: to make it again must change
// nothing either.
func (r *run) compareUpdate(ctx context.Context, w *World) string {
	if r.change == nil || r.err != nil || !r.result.NoOp {
		return ""
	}
	head, err := w.head(ctx)
	if err != nil {
		return ""
	}
	if again, err := r.change(head.Metadata); err != nil || !again.Equal(head.Metadata) {
		return w.problem("an update is reported as done, with nothing to do, and is not made: %v", err)
	}
	return ""
}
