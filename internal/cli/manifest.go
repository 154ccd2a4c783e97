package cli

import (
	"bytes"
	"context"
	"fmt"

	"github.com/apache/iceberg-go"
	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// manifestColumns are the columns of a manifest's rows as a table; in JSON a row has every field.
var manifestColumns = []string{
	"position", "status", "content_type", "location", "record_count", "file_size_in_bytes", "snapshot_id",
	"modified_snapshot_id", "sequence_number", "file_sequence_number", "first_row_id", "spec_id", "partition",
	"dv_cardinality",
}

// manifestCommand prints the rows of one manifest.
func (a *app) manifestCommand() *cobra.Command {
	var noHeader bool
	c := a.command(cobra.Command{
		Use:     "manifest FILE",
		Short:   "Print the raw rows of one manifest",
		GroupID: groupRead,
		Long: `Print the rows of one v4 manifest, a root or a leaf, as they are stored: nothing is inherited, resolved or left out.

With --output json, one row a line with every field that is not null, under the names of the format: bounds and partition
values as in firn files, bitmaps as 0x and hex digits. Columns of other versions are listed as unread_columns.`,
		Args: words(1, 1),
	}, func(ctx context.Context, args []string) error { return a.manifest(ctx, args[0], !noHeader) })
	c.Flags().BoolVar(&noHeader, "no-header", false, "leave out the line of column names")
	return c
}

func (a *app) manifest(ctx context.Context, arg string, header bool) error {
	file, err := a.openManifest(ctx, arg)
	if err != nil {
		return err
	}
	schema := file.Schema()
	if a.format == formatJSON {
		names := namesOf(schema)
		for row, err := range file.Rows(tree.Full) {
			if err != nil {
				return err
			}
			a.out.Write(append(names.appendRow(nil, row), '\n'))
		}
		return nil
	}
	t := a.newTable(header, manifestColumns...)
	for row, err := range file.Rows(tree.Projection{File: true}) {
		if err != nil {
			return err
		}
		t.row(manifestCells(row, schema.Partition)...)
	}
	return t.end()
}

// openManifest opens a v4 manifest; of an older one it says what it is.
func (a *app) openManifest(ctx context.Context, arg string) (*manifestio.Reader, error) {
	access, err := a.open()
	if err != nil {
		return nil, err
	}
	location, err := target.Location(arg)
	if err != nil {
		return nil, err
	}
	info, err := access.Objects.Stat(ctx, location)
	if err != nil {
		return nil, err
	}
	r := store.NewReaderAt(ctx, access.Objects, location)
	magic := make([]byte, 4)
	if _, err := r.ReadAt(magic, 0); err == nil && bytes.Equal(magic, []byte("Obj\x01")) {
		return nil, fmt.Errorf("%s is an Avro file, a manifest or manifest list of versions 1 to 3: %w", location, treeio.ErrLegacy)
	}
	return manifestio.Open(r, info.SizeBytes, location, manifestio.DecodeOptions{})
}

func manifestCells(row tree.Row, partition []iceberg.NestedField) []cell {
	e := row.Entry
	dv := nullCell
	if e.DeletionVector.Valid {
		dv = numberCell(e.DeletionVector.Val.Cardinality)
	}
	return []cell{
		numberCell(row.Position), textCell(e.Tracking.Status.String()), textCell(e.Content.String()),
		textCell(e.Location), numberCell(e.RecordCount), numberCell(e.FileSizeBytes),
		optionalCell(e.Tracking.SnapshotID), optionalCell(e.Tracking.ModifiedSnapshotID),
		optionalCell(e.Tracking.SequenceNumber), optionalCell(e.Tracking.FileSequenceNumber),
		optionalCell(e.Tracking.FirstRowID), optionalCell(e.SpecID), partitionCell(e.Partition, partition), dv,
	}
}
