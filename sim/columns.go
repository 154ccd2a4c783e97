package sim

import (
	"fmt"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// columns are those of a table, those that were dropped among them.
type columns struct {
	schemaID, schemas int
	known             map[int]iceberg.NestedField
	// current are the columns with statistics that the current schema has.
	current columnSet
}

// columnSet is a set of columns with statistics, by their field id.
type columnSet uint64

// mostColumns bounds the field ids of the columns with statistics, so that a set of them is one number.
const mostColumns = 64

func (s columnSet) has(id int) bool { return id < mostColumns && s&(1<<id) != 0 }

// statsColumns returns the columns of a schema that have statistics.
func statsColumns(s *iceberg.Schema) columnSet {
	var set columnSet
	for _, c := range s.Fields() {
		if c.ID < mostColumns {
			set |= 1 << c.ID
		}
	}
	return set
}

// measured returns the columns of a schema of which new files have statistics: of so many, or of all if that is 0.
func measured(s *iceberg.Schema, count int) columnSet {
	all := statsColumns(s)
	if count == 0 {
		return all
	}
	var some columnSet
	for ; all != 0 && count > 0; count-- {
		some |= all & -all
		all &= all - 1
	}
	return some
}

// columnsNow returns the columns of the table as the catalog names it.
func (w *World) columnsNow() *columns {
	m := &w.metadata
	if w.columns.schemas == len(m.Schemas) && w.columns.schemaID == m.CurrentSchemaID {
		return &w.columns
	}
	known := make(map[int]iceberg.NestedField)
	for _, s := range m.Schemas {
		for _, c := range s.Fields() {
			known[c.ID] = c
		}
	}
	w.columns = columns{m.CurrentSchemaID, len(m.Schemas), known, statsColumns(m.Schema())}
	return &w.columns
}

// forgetColumns forgets that files have statistics of columns that the table has no more: who writes their entries again
// leaves those out, and who carries them keeps them.
func (w *World) forgetColumns(before metadata.Table) {
	if len(before.Schemas) == 0 || statsColumns(before.Schema())&^w.columnsNow().current == 0 {
		return
	}
	for id, m := range w.models {
		kept := model{m.files.Copy()}
		m.files.Scan(func(number int64, f file) bool {
			if f.columns&^w.columns.current != 0 {
				f.columns &= w.columns.current
				kept.files.Set(number, f)
			}
			return true
		})
		w.models[id] = kept
	}
}

// columnType is the type of a column that is added, by its field id.
func columnType(id int) iceberg.Type {
	return []iceberg.Type{
		iceberg.PrimitiveTypes.String, iceberg.PrimitiveTypes.Float64, iceberg.PrimitiveTypes.Date, iceberg.PrimitiveTypes.Int64,
	}[id%4]
}

// valueOf returns the value that a column has in all rows of a file, by the number of the file; null in some of the
// files if the column may be null and has an even id, so that pointers know the bounds of some columns. Files of far numbers share values, so that they meet in partitions.
func valueOf(number int64, c iceberg.NestedField) tree.Value {
	switch {
	case c.ID == idColumnID:
		return tree.Long(number)
	case !c.Required && c.ID%2 == 0 && (number+int64(c.ID))%5 == 0:
		return tree.Value{}
	}
	switch c.Type.(type) {
	case iceberg.StringType:
		return tree.String(fmt.Sprintf("v%d", number%7))
	case iceberg.Float64Type:
		return tree.Double(float64(number%9-4) / 2)
	case iceberg.DateType:
		return tree.Date(int32(number%400) - 200)
	}
	return tree.Long(number*31%97 - 50)
}

// columnStats returns the statistics of a column of a file: bounds, and the better they are the more counts. Of a column
// of nulls both counts are known, for without them nothing would be.
func columnStats(c iceberg.NestedField, number, records, better int64) tree.FieldStats {
	v := valueOf(number, c)
	f := tree.FieldStats{FieldID: c.ID, Lower: v, Upper: v, Tight: iceberg.Optional[bool]{Valid: true}}
	f.ValueCount = iceberg.Optional[int64]{Val: records, Valid: better > 0 || v.IsNull()}
	f.NullCount.Valid = better > 1 || v.IsNull()
	if v.IsNull() {
		f.NullCount.Val = records
	}
	return f
}

// statsOf returns the statistics of a file for some of the columns of a table.
func statsOf(all []iceberg.NestedField, some columnSet, number, records, better int64) tree.Stats {
	var stats tree.Stats
	for _, c := range all {
		if some.has(c.ID) {
			stats = append(stats, columnStats(c, number, records, better))
		}
	}
	return stats
}

// statsIn returns how good the statistics of an entry are, and of which columns it has some; -1 if they are not those of
// the file.
func (c *columns) statsIn(e *tree.Entry, number int64) (better int64, set columnSet) {
	better = -1
	for i := range e.Stats {
		if f := &e.Stats[i]; f.FieldID == idColumnID {
			better = 0
			if f.ValueCount.Valid {
				better++
			}
			if f.NullCount.Valid {
				better++
			}
		}
	}
	for _, f := range e.Stats {
		column, known := c.known[f.FieldID]
		if !known || f.FieldID >= mostColumns {
			return -1, set
		}
		want := columnStats(column, number, e.RecordCount, better)
		if f.Lower != want.Lower || f.Upper != want.Upper || f.ValueCount.Valid != want.ValueCount.Valid || f.NullCount != want.NullCount {
			return -1, set
		}
		set |= 1 << f.FieldID
	}
	return better, set
}

// The specs of files that have none, and of entries the partition of which is not that of the file.
const (
	noSpec    = -1
	wrongSpec = -2
)

// specID is the id of a spec as the entries of its files have it.
func specID(s iceberg.PartitionSpec) int32 {
	if s.IsUnpartitioned() {
		return noSpec
	}
	return int32(s.ID())
}

// partitionOf returns the partition of a file under a spec, nil for one without fields. columns are all that the spec can
// have as a source.
func partitionOf(number int64, spec iceberg.PartitionSpec, columns map[int]iceberg.NestedField) (tree.Tuple, error) {
	if spec.IsUnpartitioned() {
		return nil, nil
	}
	var values []tree.PartitionValue
	for _, field := range spec.Fields() {
		literal, some := valueOf(number, columns[field.SourceID()]).Literal()
		to := field.Transform.Apply(iceberg.Optional[iceberg.Literal]{Val: literal, Valid: some})
		if !to.Valid {
			continue
		}
		v, err := tree.FromLiteral(to.Val)
		if err != nil {
			return nil, err
		}
		values = append(values, tree.PartitionValue{FieldID: field.FieldID, Value: v})
	}
	return tree.NewTuple(values...)
}

// specIn returns the spec of an entry, if it has the partition of the file under it.
func (w *World) specIn(e *tree.Entry, number int64) int32 {
	if !e.SpecID.Valid {
		if e.Partition == nil {
			return noSpec
		}
		return wrongSpec
	}
	spec, known := w.metadata.SpecByID(int(e.SpecID.Val))
	if !known {
		return wrongSpec
	}
	want, err := partitionOf(number, spec, w.columnsNow().known)
	if err != nil || !want.Equal(e.Partition) {
		return wrongSpec
	}
	return e.SpecID.Val
}

// specs are the partition specs that the verb [Respec] chooses from. The last column of the schema stands for last.
var specs = []string{"", "bucket(4, id)", "truncate(10, id)", "last", "bucket(4, id), last"}
