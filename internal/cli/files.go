package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/match"
	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/tree"
)

// fileColumns are the columns of firn files. Scripts depend on their names and order.
var fileColumns = []string{
	"location", "record_count", "file_size_bytes", "snapshot_id", "sequence_number", "file_sequence_number",
	"first_row_id", "spec_id", "partition", "dv_location", "dv_offset", "dv_size_bytes", "dv_cardinality", "status",
	"manifest", "position",
}

// fileTextColumns are those of them that people get.
var fileTextColumns = []string{
	"location", "record_count", "file_size_bytes", "sequence_number", "partition", "dv_cardinality", "status", "manifest",
}

// filesCommand lists live files.
func (a *app) filesCommand() *cobra.Command {
	var noHeader bool
	var where string
	c := a.command(cobra.Command{
		Use:     "files TABLE [SNAPSHOT] [--where EXPR]",
		Short:   "List the live files of a snapshot",
		GroupID: groupRead,
		Long: `List the live data files of a snapshot, sorted by location.

With --output tsv, fields are separated by tabs and null is -. Tab, newline, carriage return and backslash are written
\t, \n, \r and \\. A partition is a JSON object by partition field id, with all partition fields of the table; with
--output json, by name.

With --where, files and leaves are left out whose partitions and statistics exclude every row that the filter would take,
as a scan does: region = 'eu' AND amount >= 9.5. A file that stays may still have no such row.`,
		Args: cobra.RangeArgs(1, 2),
	}, func(ctx context.Context, args []string) error { return a.files(ctx, args, where, !noHeader) })
	c.Flags().BoolVar(&noHeader, "no-header", false, "leave out the line of column names")
	c.Flags().StringVar(&where, "where", "", "list only files that may have rows for this filter")
	return c
}

func (a *app) files(ctx context.Context, args []string, where string, header bool) error {
	s, err := a.state(ctx, args)
	if err != nil {
		return err
	}
	union, err := s.metadata.UnionPartitionFields()
	if err != nil {
		return err
	}
	files, err := s.files(ctx, where)
	if err != nil {
		return err
	}
	slices.SortFunc(files, func(a, b tree.Located) int { return cmp.Compare(a.Location, b.Location) })
	return a.printFiles(files, union, s.tree.Origin.TableLocation, header)
}

// files returns the live files that may have rows for the filter; an empty one takes all.
func (s state) files(ctx context.Context, where string) ([]tree.Located, error) {
	filter, err := s.filter(where)
	if err != nil {
		return nil, err
	}
	var files []tree.Located
	p := tree.Projection{File: true, Stats: filter.Columns()}
	for f, err := range tree.Unique(tree.Live(ctx, pruned(s.tree, filter), p, s.leaves)) {
		if err != nil {
			return nil, err
		}
		if filter.MayMatch(f.Entry) {
			files = append(files, f)
		}
	}
	return files, nil
}

// filter binds a filter to the schema of the state.
func (s state) filter(where string) (*match.Filter, error) {
	schema := s.metadata.Schema()
	if old, ok := s.metadata.SchemaByID(s.schemaID); ok {
		schema = old
	}
	expr, err := match.Parse(cmp.Or(where, "true"), schema)
	if err != nil {
		return nil, &target.UsageError{Err: fmt.Errorf("--where: %w", err)}
	}
	return match.New(expr, schema, s.metadata.Specs)
}

// pruned returns the tree without the leaves that the filter excludes: a pointer that is not live is not followed.
func pruned(t tree.Tree, filter *match.Filter) tree.Tree {
	t.Rows = slices.Clone(t.Rows)
	for i, row := range t.Rows {
		if row.Content == tree.DataManifest && !filter.MayMatch(row) {
			t.Rows[i].Tracking.Status = tree.Deleted
		}
	}
	return t
}

func (a *app) printFiles(files []tree.Located, union []iceberg.NestedField, table string, header bool) error {
	if a.format == formatText {
		return a.printFilesText(files, union, table, header)
	}
	t := a.newTable(header, fileColumns...)
	for _, f := range files {
		dv := dvCells(f)
		t.row(
			textCell(f.Location),
			numberCell(f.Entry.RecordCount),
			numberCell(f.Entry.FileSizeBytes),
			optionalCell(f.Entry.Tracking.SnapshotID),
			optionalCell(f.Entry.Tracking.SequenceNumber),
			optionalCell(f.Entry.Tracking.FileSequenceNumber),
			optionalCell(f.Entry.Tracking.FirstRowID),
			optionalCell(f.Entry.SpecID),
			partitionCell(f.Entry.Partition, union),
			dv[0], dv[1], dv[2], dv[3],
			textCell(f.Entry.Tracking.Status.String()),
			textCell(holder(f)),
			numberCell(f.Position),
		)
	}
	return t.end()
}

// holder returns the manifest that holds an entry, for people and scripts.
func holder(f tree.Located) string { return cmp.Or(f.Manifest, "root") }

func dvCells(f tree.Located) [4]cell {
	dv := f.Entry.DeletionVector
	if !dv.Valid {
		return [4]cell{nullCell, nullCell, nullCell, nullCell}
	}
	return [4]cell{
		textCell(tree.Resolve(f.Origin.TableLocation, dv.Val.Location)),
		numberCell(dv.Val.OffsetBytes), numberCell(dv.Val.SizeBytes), numberCell(dv.Val.Cardinality),
	}
}

// partitionCell prints a tuple with all fields of the union of the table's specs: by id in tab-separated lines, by
// name in JSON.
func partitionCell(t tree.Tuple, union []iceberg.NestedField) cell {
	if t == nil {
		return nullCell
	}
	names := unionNames(union)
	byID, byName := []byte{'{'}, []byte{'{'}
	for i, field := range union {
		if i > 0 {
			byID, byName = append(byID, ','), append(byName, ',')
		}
		byID = appendText(byID, strconv.Itoa(field.ID))
		byName = appendText(byName, names[i])
		value := appendValue([]byte{':'}, t.Value(field.ID))
		byID, byName = append(byID, value...), append(byName, value...)
	}
	return cell{json: string(append(byName, '}')), tsv: string(append(byID, '}'))}
}

// unionNames returns the names of partition fields. Fields of two specs may share a name: those have their id too.
func unionNames(union []iceberg.NestedField) []string {
	count := make(map[string]int)
	for _, field := range union {
		count[field.Name]++
	}
	names := make([]string, len(union))
	for i, field := range union {
		names[i] = field.Name
		if count[field.Name] > 1 {
			names[i] = fmt.Sprintf("%s_%d", field.Name, field.ID)
		}
	}
	return names
}

func (a *app) printFilesText(files []tree.Located, union []iceberg.NestedField, table string, header bool) error {
	t := a.newTable(header, fileTextColumns...)
	for _, f := range files {
		t.row(
			textCell(tree.Relativize(table, f.Location)),
			numberCell(f.Entry.RecordCount),
			numberCell(f.Entry.FileSizeBytes),
			optionalCell(f.Entry.Tracking.SequenceNumber),
			partitionText(f.Entry.Partition, union),
			dvCells(f)[3],
			textCell(f.Entry.Tracking.Status.String()),
			textCell(tree.Relativize(table, holder(f))),
		)
	}
	return t.end()
}

// partitionText prints the fields of a tuple that have values.
func partitionText(t tree.Tuple, union []iceberg.NestedField) cell {
	if t == nil {
		return nullCell
	}
	var parts []string
	names := unionNames(union)
	for i, field := range union {
		if v := t.Value(field.ID); !v.IsNull() {
			parts = append(parts, fmt.Sprintf("%s=%s", names[i], v))
		}
	}
	return textCell(cmp.Or(strings.Join(parts, ","), "null"))
}
