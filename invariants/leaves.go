package invariants

import (
	"context"
	"fmt"
	"iter"
	"maps"

	"github.com/firn-io/firn/tree"
)

// Leaves reads leaves for [CheckTree], [CheckTransition] and [History] and keeps of each what they need, so that a
// leaf that several snapshots share is read once. What is kept of a row is its location and some 130 bytes; its
// statistics are not kept. With a [Spill] what is kept is bounded, see [LeafOptions]. A Leaves belongs to one table and is
// for one goroutine.
type Leaves struct {
	table   Table
	reader  tree.LeafReader
	options LeafOptions
	storage *storage
	files   map[string]*readLeaf
}

// LeafOptions say how [Leaves] treats leaves. The zero value ends a check at the first leaf that cannot be read, and keeps
// every row in memory.
type LeafOptions struct {
	// Spill, if not nil, takes what is more than FilesInMemory.
	Spill Spill
	// FilesInMemory is how many files of leaves a check with a Spill holds in memory, and how many of those that left
	// their place or came in at one. Where a snapshot changed more, new files of which nothing else is told are left out, and
	// the others are looked at in shares of so many, each of which takes a walk or two over the changed leaves. The default is
	// 131,072.
	FilesInMemory int
	// Unreadable is told of each manifest that cannot be read, by its location, and says whether the check goes on
	// without it; rules that would need it then report nothing. If it returns false the error ends the check.
	Unreadable func(object string, err error) bool
}

// readLeaf is a leaf with the violations found while it was read outside of the check of a tree, until one has yielded
// them. The leaf is nil if it could not be read.
type readLeaf struct {
	leaf       *leafFile
	violations []Violation
}

// NewLeaves returns a Leaves that reads with reader, which may be nil where no leaf is opened.
func NewLeaves(t Table, reader tree.LeafReader, o LeafOptions) *Leaves {
	return &Leaves{table: t.remembering(), reader: reader, options: o, storage: newStorage(o), files: make(map[string]*readLeaf)}
}

// check runs a check that reads these leaves and yields what it finds; at last the error that ended it, of a reader or
// of the spill.
func (l *Leaves) check(yield func(Violation, error) bool, run func(check) error) {
	c := check{table: l.table, sink: &sink{yield: func(v Violation) bool { return yield(v, nil) }, storage: l.storage}}
	err := run(c)
	if l.storage.failed() {
		err = l.storage.err
	}
	if err != nil && !c.sink.done {
		yield(Violation{}, err)
	}
}

// open returns the leaf of a pointer and keeps what is found while it is read.
func (l *Leaves) open(ctx context.Context, s *snapshot, p *pointer) (*readLeaf, error) {
	var kept []Violation
	read, err := l.openFor(ctx, s, p, &sink{storage: l.storage, yield: func(v Violation) bool {
		kept = append(kept, v)
		return true
	}})
	if err == nil && kept != nil {
		read.violations = kept
	}
	return read, err
}

// openFor returns the leaf of a pointer. What is found while it is read goes to a sink. The rows of a legacy manifest
// are not held to the rules of v4 rows.
func (l *Leaves) openFor(ctx context.Context, s *snapshot, p *pointer, found *sink) (*readLeaf, error) {
	if known, ok := l.files[p.location]; ok {
		return known, nil
	}
	c := check{table: l.table, sink: found, mute: p.legacy()}
	rows := l.reader.Leaf(ctx, s.tree.Origin, *p.entry, tree.Full)
	leaf, err := c.leaf(Place{Snapshot: s.id(), Object: p.location}, s.tree.Origin.TableLocation, rows)
	read := &readLeaf{leaf: leaf}
	if err != nil || found.over() {
		leaf.rows.release()
		read.leaf = nil
	}
	if err = l.skip(p.location, err); err != nil {
		return nil, fmt.Errorf("invariants: leaf of %s row %d: %w", s.tree.Root, p.row, err)
	}
	if !found.over() {
		l.files[p.location] = read
	}
	return read, nil
}

// skip returns err unless the check goes on without the manifest.
func (l *Leaves) skip(object string, err error) error {
	if err != nil && l.options.Unreadable != nil && l.options.Unreadable(object, err) {
		return nil
	}
	return err
}

// keep forgets every leaf to which none of the snapshots points.
func (l *Leaves) keep(snapshots ...*snapshot) {
	used := make(map[string]bool)
	for _, s := range snapshots {
		for _, p := range s.pointers {
			used[p.location] = true
		}
	}
	maps.DeleteFunc(l.files, func(location string, read *readLeaf) bool {
		if !used[location] && read.leaf != nil {
			read.leaf.rows.release()
		}
		return !used[location]
	})
}

// openLeaf is a leaf together with the pointer of one snapshot.
type openLeaf struct {
	snapshot *snapshot
	pointer  *pointer
	leaf     *leafFile
}

// all yields every row after inheritance, in file order (rules 7.4, 8.5, 8.6). The file is valid for one turn.
func (o *openLeaf) all() iter.Seq[*file] {
	return func(yield func(*file) bool) {
		lender := o.pointer.entry.Tracking
		next := lender.FirstRowID
		for f := range o.leaf.rows.all() {
			if !f.snapshotID.Valid {
				f.snapshotID, f.lentID = lender.SnapshotID, true
			}
			lends := f.status == tree.Added || lender.SequenceNumber.Valid && lender.SequenceNumber.Val == 0
			if !f.sequence.Valid && (lends || f.status == tree.Modified) { // Q15
				f.sequence = lender.SequenceNumber
			}
			if !f.fileSequence.Valid && lends {
				f.fileSequence = lender.FileSequenceNumber
			}
			switch {
			case !next.Valid:
				f.firstRowID = next
			case !f.firstRowID.Valid && isLive(f.status):
				f.firstRowID = next
				next.Val = sum(next.Val, f.recordCount)
			}
			if !yield(f) {
				return
			}
		}
	}
}

// masked reports whether a row is masked (rules 6.2).
func (o *openLeaf) masked(f *file) bool { return o.pointer.dv.set.contains(uint32(f.row)) }

// live yields the rows that are live in the snapshot: live by status and not masked (rules 9.15).
func (o *openLeaf) live() iter.Seq[*file] {
	return func(yield func(*file) bool) {
		for f := range o.all() {
			if f.live() && !o.masked(f) && !yield(f) {
				return
			}
		}
	}
}

// place returns the place of a row of the leaf, or of the leaf itself for -1.
func (o *openLeaf) place(row int64) Place {
	return Place{Snapshot: o.snapshot.id(), Object: o.pointer.location, Row: row}
}
