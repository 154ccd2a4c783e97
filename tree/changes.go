package tree

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/apache/iceberg-go"
)

// ChangeKind says what a snapshot did to a file.
type ChangeKind uint8

// The kinds of changes. A location may be removed and added by one snapshot, in this order.
const (
	// FileRemoved is a file that was live and is not any more.
	FileRemoved ChangeKind = iota + 1
	// DeletesChanged is a live file with another deletion vector, or other column files.
	DeletesChanged
	// FileAdded is a file that was not live.
	FileAdded
)

// String returns the kind's name as the change feed prints it.
func (k ChangeKind) String() string {
	switch k {
	case FileRemoved:
		return "removed"
	case DeletesChanged:
		return "deletes"
	case FileAdded:
		return "added"
	}
	return fmt.Sprintf("change(%d)", uint8(k))
}

// Change is what a snapshot did to one file (T3).
type Change struct {
	Kind ChangeKind
	// Location is the file's resolved location.
	Location string
	// Before is the state that the parent had, null for an added file. Where the child tells of it by a tombstone,
	// it is the tombstone, with the status DELETED or REPLACED and the child's snapshot id; else it is the
	// parent's entry.
	Before iceberg.Optional[Located]
	// After is the new state, null for a removed file.
	After iceberg.Optional[Located]
}

// Changes yields what the child snapshot did to its parent's files, by resolved location. It reads statuses and
// positions alone, and only the leaves that the child wrote or in which it masked files (rules 6.3, 6.4, 9.2):
// entries and positions count only if they name the child's snapshot (rules 6.9, 9.6), and positions are looked up
// through the parent's pointer (rules 9.9). Positions masked in neither delta bitmap are no change (rules 9.13).
// All changes are held in memory.
//
// The parent of a first snapshot is the zero Tree. Masked entries of legacy delete manifests come as removed files
// of their content type. A tree that does not tell its changes consistently is a [CorruptError] (T2).
func Changes(ctx context.Context, parent, child Tree, p Projection, r LeafReader) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		f := feed{parent: parent, child: child, projection: p, reader: r}
		changes, err := f.read(ctx)
		if err != nil {
			yield(Change{}, err)
			return
		}
		for _, c := range changes {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// read returns all changes in order.
func (f *feed) read(ctx context.Context) ([]Change, error) {
	if err := f.related(); err != nil {
		return nil, err
	}
	if err := f.scan(ctx); err != nil {
		return nil, err
	}
	changes, err := f.pairs()
	if err != nil {
		return nil, err
	}
	for _, l := range f.removed {
		changes = append(changes, Change{Kind: FileRemoved, Location: l.Location, Before: some(l)})
	}
	for _, l := range f.added {
		changes = append(changes, Change{Kind: FileAdded, Location: l.Location, After: some(l)})
	}
	slices.SortFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Location, b.Location), cmp.Compare(a.Kind, b.Kind))
	})
	for i := 1; i < len(changes); i++ {
		a, b := changes[i-1], changes[i]
		if a.Location == b.Location && (a.Kind != FileRemoved || b.Kind != FileAdded) {
			return nil, f.corrupt("file %s is %s and %s in one snapshot", a.Location, a.Kind, b.Kind)
		}
	}
	return changes, nil
}

// related refuses trees that are not parent and child.
func (f *feed) related() error {
	id := f.child.ParentSnapshotID
	switch {
	case !id.Valid && (f.parent.Root != "" || len(f.parent.Rows) > 0):
		return fmt.Errorf("tree: snapshot %d has no parent, so snapshot %d is not it", f.child.Origin.SnapshotID,
			f.parent.Origin.SnapshotID)
	case id.Valid && id.Val != f.parent.Origin.SnapshotID:
		return fmt.Errorf("tree: snapshot %d is not the parent of snapshot %d, which is %d",
			f.parent.Origin.SnapshotID, f.child.Origin.SnapshotID, id.Val)
	}
	return nil
}

// pairs joins old and new states of the files that were modified.
func (f *feed) pairs() ([]Change, error) {
	before := make(map[string]Located, len(f.before))
	for _, l := range f.before {
		if _, twice := before[l.Location]; twice {
			return nil, f.corrupt("file %s has two replaced states (rules 6.3)", l.Location)
		}
		before[l.Location] = l
	}
	changes := make([]Change, 0, len(f.after))
	for _, l := range f.after {
		old, found := before[l.Location]
		if !found {
			return nil, f.corrupt("file %s is MODIFIED and has no replaced state (rules 6.3)", l.Location)
		}
		delete(before, l.Location)
		changes = append(changes, Change{Kind: DeletesChanged, Location: l.Location, Before: some(old), After: some(l)})
	}
	for _, l := range f.before {
		if _, unpaired := before[l.Location]; unpaired {
			return nil, f.corrupt("file %s is replaced and has no MODIFIED state (rules 6.3)", l.Location)
		}
	}
	return changes, nil
}

func some(l Located) iceberg.Optional[Located] { return iceberg.Optional[Located]{Val: l, Valid: true} }
