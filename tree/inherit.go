package tree

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/apache/iceberg-go"
)

// Inherit yields the raw rows of a leaf, all of them and in file order, with what they inherit from the pointer
// ref: snapshot id and sequence numbers (rules 7.3, 7.4), row ids (rules 8.5, 8.6) and the timestamp (rules 16.2).
// Dead and masked rows come too, for a row id counts the rows before it, whatever became of them since.
//
// A pointer without explicit numbers, a row that lacks what it cannot inherit, a negative record count and
// a row id beyond 64 bits end the sequence with a [CorruptError], which names manifest and row (T1).
func Inherit(ref Entry, rows iter.Seq2[Row, error]) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		parent, err := newParent(ref)
		if err != nil {
			yield(Row{}, err)
			return
		}
		for row, err := range rows {
			if err == nil {
				row.Entry.Tracking, err = parent.lend(row)
			}
			if err != nil {
				yield(Row{}, err)
				return
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// parent lends the values of a pointer to the rows of its leaf, in file order.
type parent struct {
	manifest  string
	tracking  Tracking
	nextRowID iceberg.Optional[int64]
}

func newParent(ref Entry) (*parent, error) {
	t := ref.Tracking
	corrupt := func(field, message string) error {
		return &CorruptError{Manifest: ref.Location, Row: NoRow, Field: field, Err: errors.New(message)}
	}
	switch {
	case !ref.Content.IsManifest():
		return nil, corrupt("content_type", fmt.Sprintf("a %s entry has no rows to inherit", ref.Content))
	case !t.SnapshotID.Valid:
		return nil, corrupt("snapshot_id", "null in the root (rules 7.6)")
	case !t.SequenceNumber.Valid:
		return nil, corrupt("sequence_number", "null in the root (rules 7.6)")
	case t.FileSequenceNumber != t.SequenceNumber:
		return nil, corrupt("file_sequence_number", "differs from the sequence number of the manifest (rules 2.2.3)")
	}
	return &parent{manifest: ref.Location, tracking: t, nextRowID: t.FirstRowID}, nil
}

// lend returns the tracking of the next row with its nulls filled in.
func (p *parent) lend(row Row) (Tracking, error) {
	t, inherit := row.Entry.Tracking, p.tracking
	corrupt := func(field, message string) error {
		return &CorruptError{Manifest: p.manifest, Row: row.Position, Field: field, Err: errors.New(message)}
	}
	if row.Entry.RecordCount < 0 {
		return t, corrupt("record_count", fmt.Sprintf("%d is negative", row.Entry.RecordCount))
	}
	old := inherit.SequenceNumber.Val == 0 // a v1 manifest (rules 7.9)
	// Column files raise the data sequence number of a MODIFIED row, which then may be null (Q15).
	raised := t.Status == Modified && t.FileSequenceNumber.Valid
	switch {
	case !t.SequenceNumber.Valid && t.Status != Added && !raised && !old:
		return t, corrupt("sequence_number", fmt.Sprintf("null in an entry that is %s (rules 7.3)", t.Status))
	case !t.FileSequenceNumber.Valid && t.Status != Added && !old:
		return t, corrupt("file_sequence_number", fmt.Sprintf("null in an entry that is %s (rules 7.3)", t.Status))
	}
	t.SnapshotID = either(t.SnapshotID, inherit.SnapshotID)
	t.SequenceNumber = either(t.SequenceNumber, inherit.SequenceNumber)
	t.FileSequenceNumber = either(t.FileSequenceNumber, inherit.FileSequenceNumber)
	t.SnapshotTimestampMicros = either(t.SnapshotTimestampMicros, inherit.SnapshotTimestampMicros)
	var ok bool
	if t.FirstRowID, ok = p.rowID(t, row.Entry.RecordCount); !ok {
		return t, corrupt("first_row_id", fmt.Sprintf("%d and %d records exceed 64 bits",
			t.FirstRowID.Val, row.Entry.RecordCount))
	}
	return t, nil
}

// rowID returns the row id of the next row, and false if it exceeds 64 bits. A manifest without row ids has none
// in its rows, whatever they say (rules 8.6).
func (p *parent) rowID(t Tracking, records int64) (iceberg.Optional[int64], bool) {
	if !p.nextRowID.Valid {
		return p.nextRowID, true
	}
	if t.FirstRowID.Valid || !t.Status.Live() {
		return t.FirstRowID, true
	}
	id := p.nextRowID
	p.nextRowID.Val += records
	return id, id.Val <= math.MaxInt64-records
}

// either returns a, or b if a is null.
func either(a, b iceberg.Optional[int64]) iceberg.Optional[int64] {
	if a.Valid {
		return a
	}
	return b
}
