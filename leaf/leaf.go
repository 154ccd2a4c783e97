// Package leaf knows the rules of a leaf manifest: a Parquet file of data files, written once, to which roots
// point (rules 1.3). Entries that a transaction adds stand in it with null snapshot id, sequence numbers and
// row id, which they inherit from the pointer; so its bytes do not depend on the attempt, and a retry reuses
// the object as it is.
package leaf

import (
	"fmt"
	"io"
	"iter"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/tree"
)

// MaxRows is the most rows of a leaf: a manifest deletion vector addresses no more (rules 9.10).
const MaxRows = mdv.MaxPosition + 1

// Check reports the first row that may not stand in a leaf of ours: one that is no data file, one with nulls
// that cannot be inherited (rules 7.3, 8.7), or one that mixes live and dead rows in one leaf (Q14). It also
// refuses an empty leaf (rules 2.6.4) and one with more than [MaxRows] rows.
func Check(rows []tree.Entry) error {
	if len(rows) == 0 || len(rows) > MaxRows {
		return fmt.Errorf("leaf manifest: %d rows, allowed are 1 to %d", len(rows), MaxRows)
	}
	for i, row := range rows {
		if err := checkRow(row); err != nil {
			return fmt.Errorf("leaf manifest, row %d, %s: %w", i, row.Location, err)
		}
		if row.Tracking.Status.Live() != rows[0].Tracking.Status.Live() {
			return fmt.Errorf("leaf manifest, row %d, %s: live and dead rows in one leaf", i, row.Location)
		}
	}
	return nil
}

func checkRow(row tree.Entry) error {
	t := row.Tracking
	switch {
	case row.Content != tree.Data:
		return fmt.Errorf("content_type is %s, a leaf holds data files only", row.Content)
	case row.Manifest.Valid:
		return fmt.Errorf("manifest_info in a leaf")
	case t.DeletedPositions != nil || t.ReplacedPositions != nil:
		return fmt.Errorf("positions of a manifest in a leaf")
	case t.Status == tree.Added:
		return nil
	case !t.SnapshotID.Valid:
		return fmt.Errorf("snapshot_id is null, the status is %s", t.Status)
	case !t.SequenceNumber.Valid || !t.FileSequenceNumber.Valid:
		return fmt.Errorf("a sequence number is null, the status is %s", t.Status)
	case t.Status.Live() && !t.FirstRowID.Valid:
		return fmt.Errorf("first_row_id is null, the status is %s", t.Status)
	}
	return nil
}

// Write writes rows as a leaf and returns its length in bytes. The same rows give the same bytes.
func Write(w io.Writer, s manifestio.Schema, rows []tree.Entry) (int64, error) {
	if err := Check(rows); err != nil && !tamper.On() {
		return 0, err
	}
	done, err := manifestio.Encode(w, s, rows, manifestio.EncodeOptions{})
	return done.SizeBytes, err
}

// Pointer returns the root's row for a leaf of these rows that this commit wrote: ADDED, with counts by status
// and aggregated statistics (rules 2.4, 3.8, Q9). The snapshot's values and the row id are left null for the
// root's builder; sequence is the sequence number of the commit (F5).
func Pointer(location string, sizeBytes int64, rows []tree.Entry, sequence int64) (tree.Entry, error) {
	info, err := tree.Summarize(rows, sequence)
	if err != nil {
		return tree.Entry{}, fmt.Errorf("leaf manifest %s: %w", location, err)
	}
	info.FormatVersion = 4
	return tree.Entry{
		Tracking:      tree.Tracking{Status: tree.Added},
		Content:       tree.DataManifest,
		Location:      location,
		FileFormat:    "parquet",
		RecordCount:   int64(len(rows)),
		FileSizeBytes: sizeBytes,
		Stats:         tree.Aggregate(rows),
		Manifest:      iceberg.Optional[tree.ManifestInfo]{Val: info, Valid: true},
	}, nil
}

// Reader reads one leaf.
type Reader struct {
	file *manifestio.Reader
	name string
}

// Open reads the footer of a leaf. The name is for error messages.
func Open(r io.ReaderAt, sizeBytes int64, name string, o manifestio.DecodeOptions) (*Reader, error) {
	file, err := manifestio.Open(r, sizeBytes, name, o)
	if err != nil {
		return nil, err
	}
	return &Reader{file: file, name: name}, nil
}

// File returns the file's reader: its schema, keys and row count.
func (r *Reader) File() *manifestio.Reader { return r.file }

// Rows yields all rows in file order, raw. A manifest entry in a leaf ends it with an error: the tree has two
// levels (rules 1.5, Q17).
func (r *Reader) Rows(p tree.Projection) iter.Seq2[tree.Row, error] {
	return func(yield func(tree.Row, error) bool) {
		for row, err := range r.file.Rows(p) {
			if err == nil && row.Entry.Content != tree.Data {
				err = &manifestio.CorruptError{
					Object: r.name, Row: row.Position, Field: "content_type",
					Err: fmt.Errorf("%s in a leaf manifest, which holds data files only", row.Entry.Content),
				}
			}
			if err != nil {
				yield(tree.Row{}, err)
				return
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}
