package datafile

import (
	"bytes"
	"io"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// Content is what the rows of a data file say, whatever its footer claims.
type Content struct {
	RecordCount int64
	// Columns are the scalar columns outside lists and maps that the file shares with the table, by ascending id.
	Columns []ColumnContent
	// Partitions are the values that partition fields have over all rows, of those fields whose value follows from a column
	// of the file.
	Partitions []PartitionContent
}

// ColumnContent is what the values of one column say.
type ColumnContent struct {
	ColumnID int
	// Values counts the entries, nulls and NaNs included.
	Values, Nulls, NaNs int64
	// Lower and Upper are the least and the greatest value, NaNs apart; null where there is none, and of geo types.
	Lower, Upper tree.Value
}

// PartitionContent is what the rows say of one partition field.
type PartitionContent struct {
	FieldID int
	// Value is the value of the first row, Other that of a row with another one, if Several says that there is one.
	Value, Other tree.Value
	Several      bool
}

// Read reads all pages of a Parquet data file and returns what its rows say under a table's schema and a partition spec.
// Of the options the name mapping, the limits and the partition count: the last for columns that the file lacks.
//
// Errors: a [SchemaMismatchError] if the file does not fit the table; else a [FileError]. Memory is bounded by
// [Limits], not by what the file claims (DF1, DF3).
func Read(r io.ReaderAt, sizeBytes int64, location string, table *iceberg.Schema, spec iceberg.PartitionSpec,
	o Options) (content Content, err error) {
	defer func() { err = inFile(recovered(recover(), err), location) }()
	f, err := open(r, sizeBytes, o.Limits)
	if err != nil {
		return Content{}, err
	}
	in := &inspector{file: f, known: map[int]columnStats{}}
	if in.fit, err = fitSchema(f.columns, table, o.NameMapping, suppliedColumns(spec, o.Partition)); err != nil {
		return Content{}, err
	}
	content = Content{RecordCount: f.footer.NumRows}
	for _, c := range in.fit.columns {
		if c.field.Type.Equals(iceberg.PrimitiveTypes.Unknown) {
			continue
		}
		column, err := f.readColumn(c)
		if err != nil {
			return Content{}, err
		}
		content.Columns = append(content.Columns, column)
	}
	for _, field := range spec.Fields() {
		c, known, err := in.source(field)
		if err != nil || !known { // the value is not one of the rows
			continue
		}
		v, err := in.fromColumn(field, c)
		if err != nil {
			return Content{}, err
		}
		content.Partitions = append(content.Partitions,
			PartitionContent{FieldID: field.FieldID, Value: v.value, Other: v.other, Several: v.kind == verdictSeveral})
	}
	return content, nil
}

// readColumn reads all values of a column.
func (f *file) readColumn(c column) (ColumnContent, error) {
	content := ColumnContent{ColumnID: c.field.ID}
	leaf, maxDef := c.node.leaf, f.leaves[c.node.column].maxDef
	var last raw
	started, lastIsNaN := false, false
	err := f.scan(c.node.column, func(def int, r raw, n int64) error {
		content.Values += n
		switch {
		case def < maxDef:
			content.Nulls += n
			return nil
		case isGeo(c.field.Type):
			return nil
		case started && r.num == last.num && bytes.Equal(r.bytes, last.bytes):
			if lastIsNaN {
				content.NaNs += n
			}
			return nil
		}
		started, last = true, raw{r.num, append(last.bytes[:0], r.bytes...)}
		v, err := leaf.value(r)
		if err != nil {
			return err
		}
		v = promote(v, c.field.Type)
		if lastIsNaN = v.IsNaN(); lastIsNaN {
			content.NaNs += n
			return nil
		}
		content.take(v)
		return nil
	})
	return content, err
}

// take widens the range by a value.
func (c *ColumnContent) take(v tree.Value) {
	if c.Lower.IsNull() || tree.Compare(v, c.Lower) < 0 {
		c.Lower = v
	}
	if c.Upper.IsNull() || tree.Compare(v, c.Upper) > 0 {
		c.Upper = v
	}
}
