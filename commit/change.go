package commit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/tree"
)

// Target names a live data file of the table that a transaction removes or changes.
type Target struct {
	// Location is resolved, or relative to the table's location.
	Location string
	// FileSequenceNumber, if set, tells the file apart from another of the same location.
	FileSequenceNumber iceberg.Optional[int64]
	// Hint, if set, is where the caller read the file, unchanged; it spares the lookup while it is still right. A
	// leaf and a position that were made up name another file, and nobody looks again.
	Hint *tree.Located
}

// At returns the target that a scan or an iteration of [Table.Files] found.
func At(l tree.Located) Target {
	return Target{Location: l.Location, FileSequenceNumber: l.Entry.Tracking.FileSequenceNumber, Hint: &l}
}

// add is a file to add.
type add struct {
	file     tree.File
	location string // resolved
	// deletes are rows of the file that are deleted when it is born, nil if its own deletion vector says all.
	deletes *deletes
	// withdrawn says that the transaction removed the file again, and rewritten that it holds the rows of others.
	withdrawn, rewritten bool
}

// target is a file to remove or to change, with what the transaction learned of it.
type target struct {
	Target
	location string // resolved
	// remove says that the file goes; rewritten, that new files of this transaction hold its rows.
	remove, rewritten bool
	// asOf is the snapshot whose deletes were applied when the file was rewritten, 0 for those of the base.
	asOf int64
	// deletes and stats are what is to change of a file that stays; nil for what stays.
	deletes *deletes
	stats   *tree.Stats
	// found is where it stood when it was looked up last, nil before that.
	found *tree.Located
	// compared says that its deletes are known to be those as of asOf, merged that they were joined with another
	// writer's, and dropped that its statistics are left alone.
	compared, merged, dropped bool
}

// deletes are the rows to delete of one file.
type deletes struct {
	rows dv.Vector
	// whole says that rows are all deleted rows, the earlier ones among them; else they come on top.
	whole bool
	// written is a deletion vector of exactly these rows that the caller wrote, if any.
	written *tree.DeletionVector
	options DVOptions
}

// DVOptions are the settings of a change of deleted rows. The zero DVOptions are good.
type DVOptions struct {
	// MergeRaced goes on when another writer changed the file's deletion vector in the meantime, if that writer only
	// deleted rows: the rows of both are deleted then. Without it that is a conflict. If this transaction adds files,
	// the rows that the other one deleted must be others than this one's, for what is added may be their new state
	// (F21).
	MergeRaced bool
	// KeepEmptied keeps a file all of whose rows are deleted, under a deletion vector that covers it. By default it is
	// removed (F29).
	KeepEmptied bool
	// Written is a deletion vector that the caller wrote for [Txn.SetDV], with its full location. It is read to see
	// that it holds the rows that are said; without it the commit writes one.
	Written *tree.DeletionVector
}

// Append adds data files.
func (x *Txn) Append(files ...tree.File) {
	for _, f := range files {
		a := &add{file: f, location: x.resolve(f.Location)}
		x.adds = append(x.adds, a)
		x.added[a.location] = a
	}
}

// Remove removes data files. A file that this transaction added leaves no trace (S18, F2).
func (x *Txn) Remove(targets ...Target) {
	for _, t := range targets {
		x.remove(t, false, 0)
	}
}

// Replace removes data files and adds others that hold what is to stay of their rows: an overwrite. If the deletes of
// a removed file have changed since it was read, the commit is a conflict, for the new files would bring deleted rows
// back.
func (x *Txn) Replace(old []Target, files ...tree.File) {
	for _, t := range old {
		x.remove(t, true, 0)
	}
	x.Append(files...)
}

// Rewrite replaces data files by others that hold the same rows: a compaction. asOf is the snapshot whose deletes
// were applied to the rows; the new files get its sequence number, so that equality deletes that came later still
// apply to them (B39). If the deletes of an old file have changed since that snapshot, the commit is a conflict (F27).
func (x *Txn) Rewrite(old []Target, files []tree.File, asOf int64) {
	s, ok := x.base.Metadata.Snapshot(asOf)
	if !ok {
		x.problem("rewrite as of snapshot %d: no such snapshot is retained", asOf)
		return
	}
	if !x.base.Metadata.IsAncestor(asOf, x.base.Tree.Origin.SnapshotID) {
		x.problem("rewrite as of snapshot %d: it is not in the history of branch %q", asOf, x.base.Branch)
		return
	}
	for _, t := range old {
		x.remove(t, true, asOf)
	}
	for _, f := range files {
		if n := f.DataSequenceNumber; n.Valid && n.Val != s.SequenceNumber {
			x.problem("%s: data sequence number %d, but snapshot %d has %d", f.Location, n.Val, asOf, s.SequenceNumber)
		}
		f.DataSequenceNumber = some(s.SequenceNumber)
		x.Append(f)
		x.adds[len(x.adds)-1].rewritten = true
	}
}

func (x *Txn) remove(t Target, rewritten bool, asOf int64) {
	if a := x.own(t); a != nil {
		a.withdrawn = true
		delete(x.added, a.location)
		return
	}
	x.target(t, func(wish *target, known bool) {
		if known && (!wish.remove || wish.rewritten != rewritten || wish.asOf != asOf) {
			x.problem("%s: removed and changed in one transaction", wish.location)
		}
		wish.remove, wish.rewritten, wish.asOf = true, rewritten, asOf
	})
}

// ExtendDV deletes rows of a file, by their positions in it, in addition to those that its deletion vector deletes
// already (rules 10.1). Of a file that this transaction adds the rows are deleted from the beginning. Several calls for
// one file add up.
func (x *Txn) ExtendDV(t Target, rows dv.Vector, o DVOptions) {
	if o.Written != nil {
		x.problem("%s: a written deletion vector is for SetDV", t.Location)
	}
	x.delete(t, deletes{rows: rows, options: o})
}

// SetDV gives a file a deletion vector of exactly these rows, which must contain those that are deleted already
// (rules 10.1).
func (x *Txn) SetDV(t Target, rows dv.Vector, o DVOptions) {
	x.delete(t, deletes{rows: rows, whole: true, written: o.Written, options: o})
}

func (x *Txn) delete(t Target, d deletes) {
	if d.rows.IsEmpty() {
		x.problem("%s: no rows to delete", t.Location)
		return
	}
	merge := func(place **deletes) {
		switch old := *place; {
		case old == nil:
			*place = &d
		case old.whole || d.whole || old.options != d.options:
			x.problem("%s: two deletion vectors in one transaction", t.Location)
		default:
			old.rows = old.rows.Union(d.rows)
		}
	}
	if a := x.own(t); a != nil {
		merge(&a.deletes)
		return
	}
	x.target(t, func(wish *target, _ bool) {
		if wish.remove {
			x.problem("%s: removed and changed in one transaction", wish.location)
		}
		merge(&wish.deletes)
	})
}

// Refresh replaces the statistics of a file by better ones of the same rows. That is no change of data: change feeds
// do not tell of it. If another writer has removed the file or changed its deletes, its statistics are left as they are.
func (x *Txn) Refresh(t Target, stats tree.Stats) {
	stats = slices.Clone(stats)
	if a := x.own(t); a != nil {
		a.file.Stats = stats
		return
	}
	x.target(t, func(wish *target, _ bool) {
		if wish.remove || wish.stats != nil {
			x.problem("%s: refreshed and changed otherwise in one transaction", wish.location)
		}
		wish.stats = &stats
	})
}

// own returns the file of this transaction that a target means, if it means one.
func (x *Txn) own(t Target) *add {
	if t.Hint != nil || t.FileSequenceNumber.Valid {
		return nil
	}
	return x.added[x.resolve(t.Location)]
}

// target finds or makes the target of a location, and changes it. A hint and a number given twice must agree.
func (x *Txn) target(t Target, change func(wish *target, known bool)) {
	name := x.resolve(t.Location)
	wish, known := x.named[name]
	if !known {
		wish = &target{Target: t, location: name, found: t.Hint}
		x.targets = append(x.targets, wish)
		x.named[name] = wish
		change(wish, false)
		return
	}
	if t.FileSequenceNumber.Valid && wish.FileSequenceNumber.Valid && t.FileSequenceNumber != wish.FileSequenceNumber {
		x.problem("%s: named with two file sequence numbers", name)
	}
	if wish.Hint == nil && t.Hint != nil {
		wish.Hint, wish.found = t.Hint, t.Hint
	}
	if t.FileSequenceNumber.Valid {
		wish.FileSequenceNumber = t.FileSequenceNumber
	}
	change(wish, true)
}

func (x *Txn) problem(format string, args ...any) {
	x.problems = append(x.problems, fmt.Errorf(format, args...))
}

// refused returns a refusal that lists the problems, or nil if there are none.
func refused(problems []error) error {
	if len(problems) == 0 {
		return nil
	}
	r := &RefusedError{Err: errors.Join(problems...)}
	for _, p := range problems {
		r.Reasons = append(r.Reasons, p.Error())
	}
	return r
}
