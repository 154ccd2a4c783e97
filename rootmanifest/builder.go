package rootmanifest

import (
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// Snapshot is the snapshot that a root is built for.
type Snapshot struct {
	ID, SequenceNumber int64
	// FirstRowID is the table's next row id at this attempt (rules 8.1).
	FirstRowID int64
}

// Builder collects the steps from a parent's root to the root of a new snapshot. Each row of the parent takes
// at most one step, and a pointer may also lose statistics. A Builder is used once, by one goroutine.
type Builder struct {
	parent   tree.Tree
	snapshot Snapshot
	masks    map[int]tree.Masks
	thin     map[int][]int // columns whose statistics a pointer keeps
	steps    map[int]step
	states   map[int]tree.Entry // new states of replaced rows
	loose    []tree.Entry
	pointers []tree.Entry
}

type step uint8

const (
	remove step = iota + 1
	replace
	drop
)

// NewBuilder starts from the root of parent, which it does not change; the zero Tree is the empty parent.
func NewBuilder(parent tree.Tree, snapshot Snapshot) *Builder {
	return &Builder{
		parent: parent, snapshot: snapshot,
		masks: make(map[int]tree.Masks), thin: make(map[int][]int), steps: make(map[int]step), states: make(map[int]tree.Entry),
	}
}

// Mask masks positions of the leaf that row points to.
func (b *Builder) Mask(row int, m tree.Masks) error {
	if err := b.claim(row); err != nil {
		return err
	}
	if !b.parent.Rows[row].Manifest.Valid {
		return b.errorf(row, "a data file has no positions to mask")
	}
	b.masks[row] = m
	return nil
}

// Thin leaves the statistics of the pointer in row out, but for those of some columns, whose ids it is given (F37). The pointer may
// be masked too.
func (b *Builder) Thin(row int, columns []int) error {
	switch {
	case row < 0 || row >= len(b.parent.Rows):
		return fmt.Errorf("root manifest %s has no row %d", b.parent.Root, row)
	case !b.parent.Rows[row].Manifest.Valid || !b.parent.Rows[row].Tracking.Status.Live():
		return b.errorf(row, "only a live pointer can be thinned")
	}
	b.thin[row] = columns
	return nil
}

// Remove removes the loose file of row and leaves a DELETED row (rules 6.4).
func (b *Builder) Remove(row int) error { return b.looseStep(row, remove) }

// Replace gives the loose file of row the new state, for example another deletion vector, and leaves the old
// one as a REPLACED row (rules 6.3).
func (b *Builder) Replace(row int, state tree.Entry) error {
	if err := b.looseStep(row, replace); err != nil {
		return err
	}
	b.states[row] = state
	return nil
}

// Drop leaves row out without a trace: its entry stands in a new leaf, or its leaf was rewritten (rules 9.9, Q24).
func (b *Builder) Drop(row int) error {
	if err := b.claim(row); err != nil {
		return err
	}
	b.steps[row] = drop
	return nil
}

// Inline adds a data row: an ADDED file, or a tombstone or state that already carries its tracking.
func (b *Builder) Inline(entry tree.Entry) { b.loose = append(b.loose, entry) }

// Point adds a pointer to a leaf written by this transaction, as package leaf makes it.
func (b *Builder) Point(pointer tree.Entry) { b.pointers = append(b.pointers, pointer) }

func (b *Builder) looseStep(row int, s step) error {
	if err := b.claim(row); err != nil {
		return err
	}
	if b.parent.Rows[row].Content != tree.Data {
		return b.errorf(row, "a manifest cannot be removed or replaced like a data file")
	}
	b.steps[row] = s
	return nil
}

// claim checks that row is a live row of the parent that no step has named.
func (b *Builder) claim(row int) error {
	if row < 0 || row >= len(b.parent.Rows) {
		return fmt.Errorf("root manifest %s has no row %d", b.parent.Root, row)
	}
	if !b.parent.Rows[row].Tracking.Status.Live() {
		return b.errorf(row, "the row is %s and takes no step", b.parent.Rows[row].Tracking.Status)
	}
	_, masked := b.masks[row]
	_, stepped := b.steps[row]
	if masked || stepped {
		return b.errorf(row, "two steps for one row")
	}
	return nil
}

func (b *Builder) errorf(row int, format string, args ...any) error {
	return fmt.Errorf("root manifest %s, row %d, %s: %s",
		b.parent.Root, row, b.parent.Rows[row].Location, fmt.Sprintf(format, args...))
}

// Root is what a Builder made (F8).
type Root struct {
	// Rows are the rows of the new root: pointers before data files, tombstones last. Where a pointer was thinned, thin ones come first.
	Rows []tree.Entry
	// AddedRows is the number of row ids that this snapshot hands out (rules 8.1, 8.4).
	AddedRows int64
}

// Build returns the new root. Every row is explicit (rules 7.6), every live one has its first row id (rules 8.2, F11, F16).
func (b *Builder) Build() (Root, error) {
	var pointers, dead []tree.Entry
	data := make([]tree.Entry, 0, len(b.parent.Rows)+len(b.loose))
	for row, entry := range b.parent.Rows {
		if !entry.Tracking.Status.Live() || b.steps[row] == drop {
			continue
		}
		if entry.Manifest.Valid {
			kept, err := b.pointer(row, entry)
			if err != nil {
				return Root{}, err
			}
			pointers = append(pointers, kept...)
			continue
		}
		var err error
		if data, dead, err = b.data(row, entry, data, dead); err != nil {
			return Root{}, err
		}
	}
	for _, entry := range b.pointers {
		pointers = append(pointers, b.explicit(entry))
	}
	b.sideBySide(pointers)
	for _, entry := range b.loose {
		if entry.Tracking.Status.Live() {
			data = append(data, b.explicit(entry))
		} else {
			dead = append(dead, entry)
		}
	}
	ids := rowIDs{next: b.snapshot.FirstRowID}
	if err := ids.assign(pointers, data); err != nil {
		return Root{}, err
	}
	rows := slices.Concat(pointers, data, dead)
	for i := range rows {
		rows[i].Stats = rows[i].Stats.Settled()
	}
	return Root{Rows: rows, AddedRows: ids.next - b.snapshot.FirstRowID}, nil
}

// data carries, removes or replaces one loose file: it appends to the live rows, to the tombstones or to both.
func (b *Builder) data(row int, entry tree.Entry, live, dead []tree.Entry) ([]tree.Entry, []tree.Entry, error) {
	switch b.steps[row] {
	case remove:
		gone, err := tree.Delete(b.parent.Pin(entry), b.snapshot.ID)
		return live, append(dead, gone), err
	case replace:
		old, err := tree.Replace(b.parent.Pin(entry), b.snapshot.ID)
		if err != nil {
			return nil, nil, err
		}
		state, err := tree.Modify(b.parent.Pin(b.states[row]), b.snapshot.ID)
		return append(live, state), append(dead, old), err
	}
	kept, err := tree.Carry(b.parent.Pin(entry))
	return append(live, kept), dead, err
}

// explicit gives a row added by this snapshot the commit's values where it has none of its own.
func (b *Builder) explicit(entry tree.Entry) tree.Entry {
	t := &entry.Tracking
	fill(&t.SnapshotID, b.snapshot.ID)
	fill(&t.SequenceNumber, b.snapshot.SequenceNumber)
	fill(&t.FileSequenceNumber, b.snapshot.SequenceNumber)
	if entry.DeletionVector.Valid && t.Status == tree.Added {
		fill(&t.ModifiedSnapshotID, b.snapshot.ID)
	}
	return entry
}

func fill(o *iceberg.Optional[int64], v int64) {
	if !o.Valid {
		*o = some(v)
	}
}

func some[T any](v T) iceberg.Optional[T] { return iceberg.Optional[T]{Val: v, Valid: true} }
