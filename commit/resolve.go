package commit

import (
	"cmp"
	"context"
	"slices"

	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/tree"
)

// resolved says where the change of a transaction stands in one base.
type resolved struct {
	// files are the files of the base that the commit changes.
	files []*changed
	// loose finds those that stand in the root, by row.
	loose map[int]*changed
	// masks are the positions to mask, by the root row of the pointer.
	masks map[int]tree.Masks
	// adds are the files that come in.
	adds []addition
	// vectors are the Puffin files of this transaction to which the new rows refer.
	vectors []string
}

// changed is a file of a base that the commit removes or writes a new row of.
type changed struct {
	// old is the file's entry, read in full unless it is only removed.
	old tree.Located
	// row is the root row of the file, or of the pointer to its leaf.
	row  int
	fate fate
	// state is the entry of a file that stays, with what is to change of it.
	state tree.Entry
}

// fate is what becomes of a changed file.
type fate uint8

const (
	removed fate = iota + 1
	// modified files have another deletion vector (rules 6.3).
	modified
	// refreshed files have other statistics, which is no change of data.
	refreshed
)

// inRoot reports whether the file is loose.
func (c *changed) inRoot() bool { return c.old.Manifest == "" }

// addition is a row that comes in.
type addition struct {
	key   string
	entry tree.Entry
}

// resolver binds the files that a transaction names to rows of one base.
type resolver struct {
	*search
	*Txn
	base *Head
	// pending are the deletion vectors that new rows need.
	pending []pending
	// past are searches in other snapshots, by id, and legacy a manifest of delete files that the base has, empty if it
	// has none, nil before somebody looked.
	past   map[int64]*search
	legacy *string
	out    resolved
}

// locate finds every target and, if asked to, every duplicate of an added file, and says what becomes of them. It opens
// a leaf only for what no hint, no earlier lookup and no statistics answer, and for rows that are to be written again.
func (x *Txn) locate(ctx context.Context, base *Head) (resolved, error) {
	r := &resolver{Txn: x, base: base, search: x.search(base), past: make(map[int64]*search)}
	if err := r.find(ctx); err != nil {
		return resolved{}, err
	}
	if err := r.readWritten(ctx); err != nil {
		return resolved{}, err
	}
	for _, t := range x.targets { // in the order in which the caller named them
		place, ok := r.taken[t.location]
		if !ok {
			if err := r.missing(t); err != nil {
				return resolved{}, err
			}
			continue
		}
		if err := r.decide(ctx, t, place); err != nil {
			return resolved{}, err
		}
	}
	if err := r.restore(ctx); err != nil {
		return resolved{}, err
	}
	if err := r.newFiles(ctx); err != nil {
		return resolved{}, err
	}
	r.out = tamper.Stage(seamDecided, r, r.out)
	if err := r.writeVectors(ctx); err != nil {
		return resolved{}, err
	}
	out, err := r.finish(ctx)
	return tamper.Stage(seamMasked, r, out), err
}

// readWritten reads the rows that are to be written again, each leaf once.
func (r *resolver) readWritten(ctx context.Context) error {
	wanted := make(map[int][]tree.Located)
	for _, t := range r.Txn.targets {
		if place, ok := r.taken[t.location]; ok && !t.remove {
			wanted[place.row] = append(wanted[place.row], place.located)
		}
	}
	for row := range r.base.Tree.Rows { // in an order that does not change
		if files := wanted[row]; len(files) > 0 {
			if err := r.fill(ctx, row, files); err != nil {
				return err
			}
		}
	}
	return nil
}

// missing says what it means that a target is not live in a base.
func (r *resolver) missing(t *target) error {
	if r.base == r.Txn.base {
		return refusef(t.location, "no live file of the table")
	}
	switch {
	case t.remove:
		return conflictf(RuleRemoveGone, t.location, "another writer removed it")
	case t.deletes != nil:
		return conflictf(RuleDVGone, t.location, "another writer removed it, the rows to delete may live on elsewhere")
	}
	r.work.note(RuleRefreshDropped, t.location)
	t.dropped = true
	return nil
}

// decide says what becomes of a target that was found, and remembers where.
func (r *resolver) decide(ctx context.Context, t *target, place place) error {
	before := t.found
	c := &changed{old: place.located, row: place.row}
	if before == nil && r.base != r.Txn.base {
		if err := r.unseen(t, place.located); err != nil || t.dropped && t.deletes == nil && !t.remove {
			return err
		}
	}
	raced := before != nil && before.Entry.Tracking.ModifiedSnapshotID != c.old.Entry.Tracking.ModifiedSnapshotID
	moved := before != nil && (before.Manifest != c.old.Manifest ||
		c.old.Manifest != "" && before.Position != c.old.Position)
	if moved {
		r.work.note(RuleTargetMoved, t.location)
	}
	var err error
	switch {
	case t.remove:
		err = r.decideRemoval(ctx, t, c, raced)
	default:
		err = r.decideChange(ctx, t, before, c, raced)
	}
	if err != nil {
		return err
	}
	t.found = &c.old // not before: a state that was not judged is none to compare the next one with
	if c.fate != 0 {
		r.out.files = append(r.out.files, c)
	}
	return nil
}

// unseen judges a target that is met for the first time on a winner's state, since what the transaction began on expired
// before it was read: the file must be of then, and where its deletes matter, they must not have changed since (F33).
func (r *resolver) unseen(t *target, now tree.Located) error {
	since := r.Txn.base.Tree.SequenceNumber
	if now.Entry.Tracking.FileSequenceNumber.Val > since {
		return r.missing(t)
	}
	modified := now.Entry.Tracking.ModifiedSnapshotID
	if s, retained := r.base.Metadata.Snapshot(modified.Val); !modified.Valid || retained && s.SequenceNumber <= since {
		return nil
	}
	const reason = "its deletes may have changed since the transaction began, whose snapshot has expired"
	switch {
	case t.rewritten && t.asOf == 0:
		return conflictf(RuleRemoveDVRaced, t.location, reason)
	case t.deletes != nil:
		return conflictf(RuleDVRaced, t.location, reason)
	case t.stats != nil:
		r.work.note(RuleRefreshDropped, t.location)
		t.dropped = true
	}
	return nil
}

// decideRemoval removes a file. Where new files hold its rows, its deletes must be those that they were made with.
func (r *resolver) decideRemoval(ctx context.Context, t *target, c *changed, raced bool) error {
	c.fate = removed
	if t.rewritten {
		if err := r.noLegacyDeletes(t); err != nil {
			return err
		}
	}
	if t.rewritten && t.asOf != 0 && !t.compared { // what the caller's hint showed does not count
		var err error
		if raced, err = r.changedSince(ctx, c.old, t.asOf); err != nil {
			return err
		}
		t.compared = true
	}
	switch {
	case raced && t.rewritten:
		return conflictf(RuleRemoveDVRaced, t.location,
			"its deletes have changed since it was read, the new files would bring deleted rows back")
	case raced:
		r.work.note(RuleRemoveDVKept, t.location)
	}
	return nil
}

// decideChange writes a new row of a file, with another deletion vector, other statistics, or both.
func (r *resolver) decideChange(ctx context.Context, t *target, before *tree.Located, c *changed, raced bool) error {
	if t.stats != nil && (raced || t.dropped) {
		r.work.note(RuleRefreshDropped, t.location)
		t.dropped = true
	}
	if t.dropped && t.deletes == nil {
		return nil
	}
	var err error
	if c.old, err = r.complete(ctx, c.old, c.row); err != nil {
		return err
	}
	refreshedByOther := before != nil && !raced && before.Projection.AllStats && !slices.Equal(before.Entry.Stats, c.old.Entry.Stats)
	c.state = c.old.Entry
	if t.stats != nil && !t.dropped {
		c.fate, c.state.Stats = refreshed, *t.stats
		if err := r.checkEntry(c.state); err != nil {
			return &RefusedError{Location: t.location, Reasons: []string{err.Error()}, Err: err}
		}
	}
	if t.deletes == nil {
		return nil
	}
	if refreshedByOther {
		r.work.note(RuleDVRefreshed, t.location)
	}
	return r.decideDeletes(ctx, t, before, c, raced)
}

// newFiles lists the files that the transaction adds.
func (r *resolver) newFiles(ctx context.Context) error {
	for _, a := range r.adds {
		row := addition{key: "new " + a.location, entry: r.newRow(a)}
		if err := r.bear(ctx, a, row); err != nil {
			return err
		}
		r.out.adds = append(r.out.adds, row)
	}
	return nil
}

// newRow returns the row of a file that this commit adds (rules 12.4).
func (x *Txn) newRow(a *add) tree.Entry {
	f := a.file
	f.Location = a.location
	return f.Entry(x.base.Location, x.work.snapshotID)
}

// finish turns the positions into masks. A leaf that mixes live and dead rows, as only other engines write,
// has its dead rows masked on the way, so that its counts and its deletion vector tell what is live (S27).
func (r *resolver) finish(ctx context.Context) (resolved, error) {
	r.out.loose, r.out.masks = make(map[int]*changed), make(map[int]tree.Masks)
	positions := make(map[int]*[refreshed + 1][]uint32)
	for _, c := range r.out.files {
		if c.inRoot() {
			r.out.loose[c.row] = c
			continue
		}
		if positions[c.row] == nil {
			positions[c.row] = new([refreshed + 1][]uint32)
		}
		positions[c.row][c.fate] = append(positions[c.row][c.fate], uint32(c.old.Position))
	}
	for i, entry := range r.base.Tree.Rows {
		if !entry.Manifest.Valid || !entry.Tracking.Status.Live() {
			continue
		}
		dead, err := r.unmaskedDead(ctx, entry)
		if err != nil {
			return resolved{}, err
		}
		m := tree.Masks{Dead: dead}
		if p := positions[i]; p != nil {
			var errs [3]error
			m.Deleted, errs[0] = mdv.Of(p[removed]...)
			m.Replaced, errs[1] = mdv.Of(p[modified]...)
			m.Moved, errs[2] = mdv.Of(p[refreshed]...)
			if err := cmp.Or(errs[:]...); err != nil {
				return resolved{}, err
			}
		}
		if !m.All().IsEmpty() {
			r.out.masks[i] = m
		}
	}
	return r.out, nil
}
