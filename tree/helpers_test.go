package tree_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/tree"
)

var origin = tree.Origin{TableUUID: "u", TableLocation: "s3://b/t", SnapshotID: 9}

// some returns a set optional.
func some[T any](v T) iceberg.Optional[T] { return iceberg.Optional[T]{Val: v, Valid: true} }

// bits returns the bytes of a bitmap.
func bits(positions ...uint32) []byte {
	data, err := set(positions...).AppendBinary(nil)
	if err != nil {
		panic(err)
	}
	return data
}

// set returns a bitmap.
func set(positions ...uint32) mdv.Bitmap {
	b, err := mdv.Of(positions...)
	if err != nil {
		panic(err)
	}
	return b
}

// explicit returns an entry of a data file that lacks nothing.
func explicit(status tree.Status, location string, snapshotID int64) tree.Entry {
	return tree.Entry{
		Tracking: tree.Tracking{Status: status, SnapshotID: some(snapshotID), SequenceNumber: some(snapshotID),
			FileSequenceNumber: some(snapshotID)},
		Content: tree.Data, Location: location, FileFormat: "parquet", RecordCount: 10, FileSizeBytes: 100,
	}
}

// bare returns an ADDED entry that inherits all it can.
func bare(location string, records int64) tree.Entry {
	return tree.Entry{Tracking: tree.Tracking{Status: tree.Added}, Content: tree.Data, Location: location,
		FileFormat: "parquet", RecordCount: records, FileSizeBytes: 100}
}

// pointer returns the entry of a leaf of n rows that the snapshot wrote.
func pointer(status tree.Status, location string, snapshotID, n int64) tree.Entry {
	e := explicit(status, location, snapshotID)
	e.Content, e.RecordCount = tree.DataManifest, n
	e.Manifest = some(tree.ManifestInfo{FormatVersion: tree.FormatVersion})
	return e
}

// sequence yields the entries as rows of one file.
func sequence(entries ...tree.Entry) iter.Seq2[tree.Row, error] {
	return func(yield func(tree.Row, error) bool) {
		for i, e := range entries {
			if !yield(tree.Row{Position: int64(i), Entry: e}, nil) {
				return
			}
		}
	}
}

// leaves is a reader of leaves in memory, by stored location. It counts what it opens.
type leaves struct {
	rows   map[string][]tree.Entry
	opened []string
}

func (l *leaves) Leaf(_ context.Context, _ tree.Origin, ref tree.Entry, _ tree.Projection) iter.Seq2[tree.Row, error] {
	l.opened = append(l.opened, ref.Location)
	rows, found := l.rows[ref.Location]
	if !found {
		return func(yield func(tree.Row, error) bool) {
			yield(tree.Row{}, fmt.Errorf("there is no leaf %s", ref.Location))
		}
	}
	return sequence(rows...)
}

// collect returns what a sequence yields before its error.
func collect[T any](seq iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for v, err := range seq {
		if err != nil {
			return all, err
		}
		all = append(all, v)
	}
	return all, nil
}

// locations returns the resolved locations of the entries.
func locations(entries []tree.Located) []string {
	var all []string
	for _, l := range entries {
		all = append(all, l.Location)
	}
	return all
}

// wantError fails the test unless the error's text is this one.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("error is\n\t%v\nwant\n\t%s", err, want)
	}
}

const maxInt64 = math.MaxInt64
