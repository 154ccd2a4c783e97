package manifestio

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"
)

// NewSchema returns the row type of a manifest that is written under a table schema (rules 3.4).
//
// partition is the union of the partition types of all specs (rules 2.7.1); it is sorted by field id and made
// optional here. statsColumns are the ids of the columns to keep statistics of: nil means every column that
// may have some, an empty slice none. Columns that may have none are left out: those inside lists and maps
// (rules 3.3), of unknown type (B51), with an id beyond the range of rules 3.1, and for now variants. The
// metadata columns _row_id and _last_updated_sequence_number take part when they are listed.
//
// It fails for a listed column that the schema does not have, for a partition field that is listed twice, and
// for types that no manifest can hold (F3).
func NewSchema(table *iceberg.Schema, partition []iceberg.NestedField, statsColumns []int) (Schema, error) {
	s := Schema{SchemaID: table.ID}
	var err error
	if s.Partition, err = partitionFields(partition); err != nil {
		return Schema{}, err
	}
	wanted := func(id int) bool { return statsColumns == nil || slices.Contains(statsColumns, id) }
	s.Stats = appendStatsColumns(nil, "", table.Fields(), wanted)
	for _, id := range statsColumns {
		if c, ok := metadataColumn(id); ok {
			if !slices.Contains(s.Stats, c) {
				s.Stats = append(s.Stats, c)
			}
		} else if _, ok := table.FindFieldByID(id); !ok {
			return Schema{}, fmt.Errorf("manifestio: statistics of column %d: schema %d has no such column", id, table.ID)
		}
	}
	for _, c := range s.Stats {
		if _, ok := boundTypeOf(c.Type); !ok {
			return Schema{}, fmt.Errorf("manifestio: statistics of column %d %s: no Parquet type for %s", c.FieldID, c.Name, c.Type)
		}
	}
	return s, nil
}

// partitionFields returns the fields of a partition struct, sorted by id and optional.
func partitionFields(union []iceberg.NestedField) ([]iceberg.NestedField, error) {
	var fields []iceberg.NestedField
	for _, f := range union {
		_, unknown := f.Type.(iceberg.UnknownType)
		if _, ok := leafTypeOf(f.Type); !ok && !unknown {
			return nil, fmt.Errorf("manifestio: partition field %d %s: no Parquet type for %s", f.ID, f.Name, f.Type)
		}
		fields = append(fields, iceberg.NestedField{ID: f.ID, Name: f.Name, Type: f.Type})
	}
	slices.SortFunc(fields, func(a, b iceberg.NestedField) int { return cmp.Compare(a.ID, b.ID) })
	for i := 1; i < len(fields); i++ {
		if fields[i].ID == fields[i-1].ID {
			return nil, fmt.Errorf("manifestio: partition field %d is there twice: %s and %s", fields[i].ID, fields[i-1].Name, fields[i].Name)
		}
	}
	return fields, nil
}

// appendStatsColumns appends the wanted columns below a struct, in schema order (rules 3.2, 3.3).
func appendStatsColumns(columns []StatsColumn, prefix string, fields []iceberg.NestedField, wanted func(id int) bool) []StatsColumn {
	for _, f := range fields {
		switch t := f.Type.(type) {
		case *iceberg.StructType:
			columns = appendStatsColumns(columns, prefix+f.Name+".", t.FieldList, wanted)
		case *iceberg.ListType, *iceberg.MapType, iceberg.UnknownType, iceberg.VariantType:
		default:
			if _, ok := StatsBaseID(f.ID); ok && wanted(f.ID) {
				columns = append(columns, StatsColumn{FieldID: f.ID, Name: prefix + f.Name, Type: f.Type})
			}
		}
	}
	return columns
}

// metadataColumn returns the statistics column of a metadata column that may have statistics (rules 3.1).
func metadataColumn(id int) (StatsColumn, bool) {
	name := ""
	switch id {
	case columnLastUpdatedSequenceNumber:
		name = "_last_updated_sequence_number"
	case columnRowID:
		name = "_row_id"
	default:
		return StatsColumn{}, false
	}
	return StatsColumn{FieldID: id, Name: name, Type: iceberg.PrimitiveTypes.Int64}, true
}
