package rootmanifest

import (
	"fmt"
	"io"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/tree"
)

// Check reports the first row that may not stand in a root of ours: a content type that roots do not hold
// (rules 5), a null where roots are explicit (rules 7.6), or a manifest whose two sequence numbers differ
// (rules 2.2.3).
func Check(rows []tree.Entry) error {
	for i, row := range rows {
		if err := checkRow(row); err != nil {
			return fmt.Errorf("root manifest, row %d, %s: %w", i, row.Location, err)
		}
	}
	return nil
}

func checkRow(row tree.Entry) error {
	t := row.Tracking
	isManifest := row.Content == tree.DataManifest || row.Content == tree.DeleteManifest
	switch {
	case row.Content != tree.Data && !isManifest:
		return fmt.Errorf("content_type %s cannot stand in a root", row.Content)
	case row.Manifest.Valid != isManifest:
		return fmt.Errorf("manifest_info must be there exactly for manifests")
	case !t.SnapshotID.Valid:
		return fmt.Errorf("snapshot_id is null")
	case !t.SequenceNumber.Valid || !t.FileSequenceNumber.Valid:
		return fmt.Errorf("a sequence number is null")
	case isManifest && t.SequenceNumber != t.FileSequenceNumber:
		return fmt.Errorf("sequence numbers %d and %d of a manifest differ",
			t.SequenceNumber.Val, t.FileSequenceNumber.Val)
	case t.Status.Live() && row.Content != tree.DeleteManifest && !t.FirstRowID.Valid:
		return fmt.Errorf("first_row_id is null")
	}
	return nil
}

// Write writes rows as a root manifest and returns its length in bytes. The same rows give the same bytes. A
// root without rows is a Parquet file without rows (rules 0.5-4).
func Write(w io.Writer, s manifestio.Schema, rows []tree.Entry) (int64, error) {
	if err := Check(rows); err != nil && !tamper.On() {
		return 0, err
	}
	done, err := manifestio.Encode(w, s, rows, manifestio.EncodeOptions{})
	return done.SizeBytes, err
}

// File is a root manifest as it was read.
type File struct {
	// Reader has the file's schema and keys.
	Reader *manifestio.Reader
	// Rows are all rows in file order.
	Rows []tree.Entry
}

// Read reads a whole root manifest with the columns of p. Its rows count against the limit of memory. The name is for
// error messages.
func Read(r io.ReaderAt, sizeBytes int64, name string, p tree.Projection, o manifestio.DecodeOptions) (File, error) {
	reader, err := manifestio.Open(r, sizeBytes, name, o)
	if err != nil {
		return File{}, err
	}
	rows, err := reader.ReadAll(p)
	if err != nil {
		return File{}, err
	}
	return File{Reader: reader, Rows: rows}, nil
}
