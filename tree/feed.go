package tree

import (
	"context"
	"errors"
	"fmt"

	"github.com/firn-io/firn/mdv"
)

// feed collects the halves of changes while it walks the child's root.
type feed struct {
	parent, child Tree
	projection    Projection
	reader        LeafReader
	// pointers are the parent's live pointers by resolved location.
	pointers map[string]Entry

	added, removed []Located
	before, after  []Located
}

// scan walks the child's root, and those leaves that can tell of a change.
func (f *feed) scan(ctx context.Context) error {
	f.pointers = map[string]Entry{}
	for _, e := range f.parent.Rows {
		if e.Content.IsManifest() && e.Tracking.Status.Live() {
			f.pointers[Resolve(f.parent.Origin.TableLocation, e.Location)] = e
		}
	}
	for i, e := range f.child.Rows {
		if e.Content.IsManifest() {
			if err := f.pointer(ctx, e); err != nil {
				return err
			}
			continue
		}
		l, err := f.child.loose(i)
		if err != nil {
			return err
		}
		f.tell(l)
	}
	return nil
}

// own reports whether an id is that of the child's snapshot.
func (f *feed) own(t Tracking) (snapshot, modified bool) {
	id := f.child.Origin.SnapshotID
	return is(t.SnapshotID, id), is(t.ModifiedSnapshotID, id)
}

// tell files an entry, live or tombstone, under what it says of the child's snapshot. Files without records never
// live (rules 2.6.4).
func (f *feed) tell(l Located) {
	if l.Entry.RecordCount == 0 {
		return
	}
	snapshot, modified := f.own(l.Entry.Tracking)
	switch status := l.Entry.Tracking.Status; {
	case status == Added && snapshot:
		f.added = append(f.added, l)
	case status == Deleted && snapshot:
		f.removed = append(f.removed, l)
	case status == Replaced && snapshot:
		f.before = append(f.before, l)
	case status == Modified && modified:
		f.after = append(f.after, l)
	}
}

// pointer reads the leaf behind one of the child's pointers if the child wrote it or took files from it.
func (f *feed) pointer(ctx context.Context, e Entry) error {
	snapshot, modified := f.own(e.Tracking)
	if e.Tracking.Status == Added && snapshot {
		if err := f.newLeaf(ctx, e); err != nil {
			return err
		}
	}
	m := taken{ref: e}
	var err error
	if modified {
		if m.deleted, err = positions(e, "deleted_positions", e.Tracking.DeletedPositions); err != nil {
			return err
		}
		if m.replaced, err = positions(e, "replaced_positions", e.Tracking.ReplacedPositions); err != nil {
			return err
		}
	}
	emptied := e.Tracking.Status == Deleted && snapshot
	if emptied || !m.deleted.IsEmpty() || !m.replaced.IsEmpty() {
		return f.taken(ctx, m)
	}
	return nil
}

// newLeaf files the rows of a leaf that the child wrote. A masked row was never part of a snapshot there; a
// tombstone tells of its file whether it is masked or not.
func (f *feed) newLeaf(ctx context.Context, ref Entry) error {
	place := leafPlace(f.child.Origin, ref, f.projection)
	for row, err := range judge(ref, f.reader.Leaf(ctx, f.child.Origin, ref, f.projection)) {
		if err != nil {
			return err
		}
		if row.verdict == live || row.verdict == dead {
			f.tell(place.at(row.Row))
		}
	}
	return nil
}

// taken is what the child took out of a leaf by positions.
type taken struct {
	ref               Entry
	deleted, replaced mdv.Bitmap
}

// taken files the rows that the child took out of a leaf, as the parent had them.
func (f *feed) taken(ctx context.Context, m taken) error {
	mask, err := m.check()
	if err != nil {
		return err
	}
	ref, found := f.pointers[Resolve(f.child.Origin.TableLocation, m.ref.Location)]
	if !found {
		return m.corrupt(NoRow, "", errors.New("the parent has no such manifest to take files from (rules 9.9)"))
	}
	place := leafPlace(f.parent.Origin, ref, f.projection)
	for row, err := range judge(ref, f.reader.Leaf(ctx, f.parent.Origin, ref, f.projection)) {
		if err != nil {
			return err
		}
		deleted, replaced := holds(m.deleted, row.Position), holds(m.replaced, row.Position)
		switch {
		case row.verdict == empty:
		case row.verdict != live && (deleted || replaced):
			return m.corrupt(row.Position, "", errors.New("deleted or replaced, but it was not live in the parent"))
		case row.verdict != live:
		case deleted:
			f.removed = append(f.removed, place.at(row.Row))
		case replaced:
			f.before = append(f.before, place.at(row.Row))
		case !m.ref.Tracking.Status.Live() && !holds(mask, row.Position):
			return m.corrupt(row.Position, "", errors.New("its manifest is DELETED, but no bitmap has it (rules 9.9)"))
		}
	}
	return nil
}

// check refuses delta bitmaps that overlap, or that the deletion vector of a pointer that is still live does not
// hold (rules 9.3, 9.4). It returns that deletion vector.
func (m taken) check() (mdv.Bitmap, error) {
	mask, err := maskOf(m.ref)
	if err != nil {
		return mask, err
	}
	if p, both := m.deleted.Intersect(m.replaced).Max(); both {
		return mask, m.corrupt(NoRow, "replaced_positions", fmt.Errorf("position %d is deleted too (rules 9.3)", p))
	}
	if p, lacks := m.deleted.Union(m.replaced).Minus(mask).Max(); lacks && m.ref.Tracking.Status.Live() {
		return mask, m.corrupt(NoRow, "manifest_info.dv", fmt.Errorf("lacks position %d of a delta bitmap (rules 9.4)", p))
	}
	return mask, nil
}

func (m taken) corrupt(row int64, field string, err error) error {
	return &CorruptError{Manifest: m.ref.Location, Row: row, Field: field, Err: err}
}

func (f *feed) corrupt(format string, args ...any) error {
	return &CorruptError{Manifest: f.child.Root, Row: NoRow, Err: fmt.Errorf(format, args...)}
}
