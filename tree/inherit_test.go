package tree_test

import (
	"errors"
	"iter"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/tree"
	"github.com/google/go-cmp/cmp"
)

var none = iceberg.Optional[int64]{}

// trackings returns the tracking of every row.
func trackings(rows []tree.Row) []tree.Tracking {
	var all []tree.Tracking
	for _, r := range rows {
		all = append(all, r.Entry.Tracking)
	}
	return all
}

// S28: ids count live rows that inherit, masked or not, before any filter.
func TestRowIDs(t *testing.T) {
	ref := pointer(tree.Added, "m.parquet", 7, 8)
	ref.Tracking.FirstRowID = some[int64](1000)
	ref.Manifest.Val.DV = bits(1)
	materialised := explicit(tree.Existing, "old", 3)
	materialised.Tracking.FirstRowID = some[int64](50)
	added := bare("explicit", 7)
	added.Tracking.FirstRowID = some[int64](400)
	rows := sequence(
		bare("a", 10),
		bare("masked", 20),
		materialised,
		explicit(tree.Deleted, "dead", 3),
		explicit(tree.Replaced, "dead too", 3),
		added,
		bare("c", 5),
		explicit(tree.Existing, "null id", 3), // a checker warns (rules 8.7)
	)
	want := []iceberg.Optional[int64]{some[int64](1000), some[int64](1010), some[int64](50), none, none,
		some[int64](400), some[int64](1030), some[int64](1035)}

	got, err := collect(tree.Inherit(ref, rows))
	if err != nil {
		t.Fatal(err)
	}
	var ids []iceberg.Optional[int64]
	for _, tracking := range trackings(got) {
		ids = append(ids, tracking.FirstRowID)
	}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("row ids (-want +got):\n%s", diff)
	}

	ref.Tracking.FirstRowID = none
	got, err = collect(tree.Inherit(ref, rows))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range got {
		if row.Entry.Tracking.FirstRowID.Valid {
			t.Errorf("%s has a row id below a manifest without (rules 8.6)", row.Entry.Location)
		}
	}
}

func TestInheritedNumbers(t *testing.T) {
	ref := pointer(tree.Existing, "m.parquet", 7, 9)
	ref.Tracking.SnapshotTimestampMicros = some[int64](70_000)
	rewritten := bare("rewritten", 1)
	rewritten.Tracking.SequenceNumber = some[int64](2)
	rewritten.Tracking.ModifiedSnapshotID = some[int64](7)
	raised := explicit(tree.Modified, "raised", 3) // by column files (Q15)
	raised.Tracking.SequenceNumber = none
	stamped := explicit(tree.Existing, "stamped", 3)
	stamped.Tracking.SnapshotTimestampMicros = some[int64](30_000)

	got, err := collect(tree.Inherit(ref, sequence(bare("new", 1), rewritten, raised, stamped)))
	if err != nil {
		t.Fatal(err)
	}
	inherited := tree.Tracking{Status: tree.Added, SnapshotID: some[int64](7), SequenceNumber: some[int64](7),
		FileSequenceNumber: some[int64](7), SnapshotTimestampMicros: some[int64](70_000)}
	old := inherited
	old.SequenceNumber = some[int64](2)
	old.ModifiedSnapshotID = some[int64](7)
	column := raised.Tracking
	column.SequenceNumber = some[int64](7)
	column.SnapshotTimestampMicros = some[int64](70_000)
	want := []tree.Tracking{inherited, old, column, stamped.Tracking}
	if diff := cmp.Diff(want, trackings(got)); diff != "" {
		t.Errorf("tracking (-want +got):\n%s", diff)
	}
}

// A v1 manifest lends its sequence number 0 to rows of any status (rules 7.4, 7.9).
func TestSequenceNumberZero(t *testing.T) {
	ref := pointer(tree.Existing, "m.avro", 7, 2)
	ref.Tracking.SequenceNumber, ref.Tracking.FileSequenceNumber = some[int64](0), some[int64](0)
	row := explicit(tree.Existing, "a", 3)
	row.Tracking.SequenceNumber, row.Tracking.FileSequenceNumber = none, none
	got, err := collect(tree.Inherit(ref, sequence(row, bare("b", 1))))
	if err != nil {
		t.Fatal(err)
	}
	for _, tracking := range trackings(got) {
		if tracking.SequenceNumber != some[int64](0) || tracking.FileSequenceNumber != some[int64](0) {
			t.Errorf("numbers are %v and %v", tracking.SequenceNumber, tracking.FileSequenceNumber)
		}
	}
}

// S28: what cannot be inherited is refused, with the manifest, the row and the field.
func TestInheritRefuses(t *testing.T) {
	parent := func(change func(*tree.Entry)) tree.Entry {
		ref := pointer(tree.Added, "m.parquet", 7, 2)
		ref.Tracking.FirstRowID = some[int64](1000)
		change(&ref)
		return ref
	}
	row := func(change func(*tree.Entry)) tree.Entry {
		e := explicit(tree.Existing, "f", 3)
		change(&e)
		return e
	}
	good, fine := parent(func(*tree.Entry) {}), row(func(*tree.Entry) {})
	tests := []struct {
		ref, row tree.Entry
		want     string
	}{
		{fine, fine, "tree: manifest f: content_type: a DATA entry has no rows to inherit"},
		{parent(func(e *tree.Entry) { e.Tracking.SnapshotID = none }), fine,
			"tree: manifest m.parquet: snapshot_id: null in the root (rules 7.6)"},
		{parent(func(e *tree.Entry) { e.Tracking.SequenceNumber = none }), fine,
			"tree: manifest m.parquet: sequence_number: null in the root (rules 7.6)"},
		{parent(func(e *tree.Entry) { e.Tracking.FileSequenceNumber = some[int64](6) }), fine,
			"tree: manifest m.parquet: file_sequence_number: differs from the sequence number of the manifest (rules 2.2.3)"},
		{good, row(func(e *tree.Entry) { e.Tracking.SequenceNumber = none }),
			"tree: manifest m.parquet: row 1: sequence_number: null in an entry that is EXISTING (rules 7.3)"},
		{good, row(func(e *tree.Entry) { e.Tracking.Status, e.Tracking.FileSequenceNumber = tree.Deleted, none }),
			"tree: manifest m.parquet: row 1: file_sequence_number: null in an entry that is DELETED (rules 7.3)"},
		{good, row(func(e *tree.Entry) {
			e.Tracking.Status, e.Tracking.SequenceNumber, e.Tracking.FileSequenceNumber = tree.Modified, none, none
		}), "tree: manifest m.parquet: row 1: sequence_number: null in an entry that is MODIFIED (rules 7.3)"},
		{good, row(func(e *tree.Entry) { e.RecordCount = -1 }),
			"tree: manifest m.parquet: row 1: record_count: -1 is negative"},
		{parent(func(e *tree.Entry) { e.Tracking.FirstRowID = some[int64](maxInt64 - 14) }), bare("f", 10),
			"tree: manifest m.parquet: row 1: first_row_id: 9223372036854775803 and 10 records exceed 64 bits"},
	}
	for _, test := range tests {
		_, err := collect(tree.Inherit(test.ref, sequence(bare("first", 10), test.row)))
		wantError(t, err, test.want)
		var corrupt *tree.CorruptError
		if !errors.As(err, &corrupt) {
			t.Errorf("%v is no CorruptError", err)
		}
	}
	last := parent(func(e *tree.Entry) { e.Tracking.FirstRowID = some[int64](maxInt64 - 20) })
	if _, err := collect(tree.Inherit(last, sequence(bare("a", 10), bare("b", 10)))); err != nil {
		t.Errorf("ids up to the last one: %v", err)
	}
}

func TestInheritPassesErrorsOnAndStops(t *testing.T) {
	broken := errors.New("broken")
	var rows iter.Seq2[tree.Row, error] = func(yield func(tree.Row, error) bool) {
		_ = yield(tree.Row{Entry: bare("a", 1)}, nil) && yield(tree.Row{}, broken)
	}
	ref := pointer(tree.Added, "m.parquet", 7, 2)
	got, err := collect(tree.Inherit(ref, rows))
	if len(got) != 1 || !errors.Is(err, broken) {
		t.Errorf("%d rows, error %v", len(got), err)
	}
	for range tree.Inherit(ref, rows) {
		break
	}
}
