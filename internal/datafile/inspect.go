package datafile

import (
	"errors"
	"io"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// Format is the file format of all files that this package reads, as a manifest names it (Q26).
const Format = "parquet"

// Inspect returns what a manifest says about a Parquet data file of the given size under a table's schema and one
// of its partition specs. The file keeps the location that it is given.
//
// Statistics cover the scalar columns outside lists and maps (rules 3.3). Value counts include nulls. Bounds are
// those of the footer over all row groups, unknown if one row group has none; they are tight only where the footer
// calls them exact (rules 3.6). Columns of floats are read, and have bounds only if no value is NaN. NaN counts
// and mean sizes stay unknown.
//
// Errors: [ErrNoRows]; a [SchemaMismatchError] or [PartitionError] if the file does not fit the table; else a
// [FileError]. Memory is bounded by [Limits], not by what the file claims (DF1, DF2, DF3, DF5).
func Inspect(r io.ReaderAt, sizeBytes int64, location string, table *iceberg.Schema, spec iceberg.PartitionSpec,
	o Options) (data tree.File, err error) {
	defer func() { err = inFile(recovered(recover(), err), location) }()
	f, err := open(r, sizeBytes, o.Limits)
	if err != nil {
		return tree.File{}, err
	}
	if f.footer.NumRows == 0 {
		return tree.File{}, ErrNoRows
	}
	in := &inspector{file: f, known: map[int]columnStats{}, metrics: o.Metrics}
	if in.fit, err = fitSchema(f.columns, table, o.NameMapping, suppliedColumns(spec, o.Partition)); err != nil {
		return tree.File{}, err
	}
	if err := in.checkRequired(); err != nil {
		return tree.File{}, err
	}
	data = tree.File{Location: location, Format: Format, RecordCount: f.footer.NumRows, FileSizeBytes: sizeBytes,
		SplitOffsets: f.splitOffsets()}
	if spec.NumFields() > 0 {
		data.SpecID = iceberg.Optional[int32]{Val: int32(spec.ID()), Valid: true}
		if data.Partition, err = in.partition(spec, o.Partition); err != nil {
			return tree.File{}, err
		}
	}
	if data.Stats, err = in.entryStats(); err != nil {
		return tree.File{}, err
	}
	return data, nil
}

// recovered turns a panic into an error: the decoders are other people's code.
func recovered(panicked any, err error) error {
	if panicked == nil {
		return err
	}
	return malformed("%v", panicked)
}

// suppliedColumns returns the columns whose values readers take from the partition where a file lacks them: the
// sources of identity fields with a given value.
func suppliedColumns(spec iceberg.PartitionSpec, given tree.Tuple) []int {
	var ids []int
	for _, field := range spec.Fields() {
		_, identity := field.Transform.(iceberg.IdentityTransform)
		if identity && !given.Value(field.FieldID).IsNull() {
			ids = append(ids, field.SourceID())
		}
	}
	return ids
}

// inspector looks at one file that fits its table.
type inspector struct {
	file    *file
	fit     *fit
	metrics Metrics
	// known are the statistics by column id, so that no column of floats is read twice.
	known map[int]columnStats
}

// stats returns the full statistics of a column.
func (in *inspector) stats(c column) (columnStats, error) {
	if s, found := in.known[c.field.ID]; found {
		return s, nil
	}
	s := in.file.columnStats(c)
	if isFloat(c.field.Type) && isFloat(c.node.leaf.typ) && !s.allNull() {
		lower, upper, err := in.file.floatBounds(c)
		if err != nil {
			return columnStats{}, err
		}
		s.lower, s.upper = lower, upper
	}
	in.known[c.field.ID] = s
	return s, nil
}

// entryStats returns the statistics that the entry keeps.
func (in *inspector) entryStats() (tree.Stats, error) {
	var kept tree.Stats
	for _, c := range in.fit.columns {
		if c.field.Type.Equals(iceberg.PrimitiveTypes.Unknown) {
			continue
		}
		mode := in.metrics.of(c.name)
		s := in.file.columnStats(c)
		if mode.bounds() {
			var err error
			if s, err = in.stats(c); err != nil {
				return nil, err
			}
		}
		if f, any := mode.apply(s.fieldStats(c)); any {
			kept = append(kept, f)
		}
	}
	return kept, nil
}

// checkRequired makes sure that no column is null where the table forbids it, reading the definition levels of a
// column whose footer leaves that open.
func (in *inspector) checkRequired() error {
	for _, r := range in.fit.required {
		if in.file.noNulls(r.node) {
			continue
		}
		err := in.file.scan(r.node.column, func(def int, _ raw, _ int64) error {
			if def >= r.node.parentDef && def < r.node.def {
				return errStop
			}
			return nil
		})
		if errors.Is(err, errStop) {
			return mismatch(r.name, "is required and has nulls in the file")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// noNulls reports whether the footer says that a column is never null. What counts as a null inside a list
// differs between writers.
func (f *file) noNulls(n *node) bool {
	if f.leaves[n.column].maxRep > 0 {
		return false
	}
	for i := range f.footer.RowGroups {
		if s := f.chunk(i, n.column).stats; !s.HasNullCount || s.NullCount > 0 {
			return false
		}
	}
	return true
}
