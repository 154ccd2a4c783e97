package manifestio_test

import (
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/tree"
)

// TestStatsIDs: the ids of rules 3.1, both ways.
func TestStatsIDs(t *testing.T) {
	for _, c := range []struct {
		column, base int
	}{{0, 10000}, {1, 10200}, {2, 10400}, {949, 199800}, {999949, 199999800}, {2147483539, 9000}, {2147483540, 9200}} {
		if base, ok := manifestio.StatsBaseID(c.column); !ok || base != c.base {
			t.Errorf("column %d: %d %v, want %d", c.column, base, ok, c.base)
		}
		if column, ok := manifestio.StatsColumnID(c.base); !ok || column != c.column {
			t.Errorf("base %d: %d %v, want %d", c.base, column, ok, c.column)
		}
	}
	for _, column := range []int{-1, 999950, 2147483538, 2147483541, 2147483646} {
		if base, ok := manifestio.StatsBaseID(column); ok {
			t.Errorf("column %d has base %d", column, base)
		}
	}
	for _, base := range []int{-200, 0, 146, 8800, 9100, 9400, 9800, 10001, 10199, 200_000_000, 200_000_200} {
		if column, ok := manifestio.StatsColumnID(base); ok {
			t.Errorf("base %d has column %d", base, column)
		}
	}
}

// nestedTable has columns of every kind that may or may not have statistics.
func nestedTable() *iceberg.Schema {
	return iceberg.NewSchema(3,
		iceberg.NestedField{ID: 9, Name: "z", Type: iceberg.PrimitiveTypes.Int64},
		iceberg.NestedField{ID: 1, Name: "nothing", Type: iceberg.PrimitiveTypes.Unknown},
		iceberg.NestedField{ID: 2, Name: "person", Type: &iceberg.StructType{FieldList: []iceberg.NestedField{
			{ID: 3, Name: "name", Type: iceberg.PrimitiveTypes.String, Required: true},
			{ID: 4, Name: "home", Type: &iceberg.StructType{FieldList: []iceberg.NestedField{
				{ID: 5, Name: "place", Type: iceberg.GeometryType{}}}}},
			{ID: 6, Name: "tags", Type: &iceberg.ListType{ElementID: 7, Element: iceberg.PrimitiveTypes.String}},
		}}},
		iceberg.NestedField{ID: 10, Name: "m", Type: &iceberg.MapType{KeyID: 11, KeyType: iceberg.PrimitiveTypes.String, ValueID: 12, ValueType: iceberg.PrimitiveTypes.Int64}},
		iceberg.NestedField{ID: 13, Name: "v", Type: iceberg.VariantType{}},
		iceberg.NestedField{ID: 999950, Name: "far", Type: iceberg.PrimitiveTypes.Int64})
}

// TestNewSchemaStats: which columns have statistics, and under which names (rules 3.1 to 3.3).
func TestNewSchemaStats(t *testing.T) {
	for _, c := range []struct {
		name   string
		listed []int
		want   []string
	}{
		{"all", nil, []string{"z", "person.name", "person.home.place"}},
		{"none", []int{}, nil},
		{"some, in schema order", []int{5, 9}, []string{"z", "person.home.place"}},
		{"some that can have none", []int{1, 7, 11, 13, 999950, 3}, []string{"person.name"}},
		{"metadata columns", []int{2147483540, 9, 2147483539, 9, 2147483540}, []string{"z", "_row_id", "_last_updated_sequence_number"}},
	} {
		s, err := manifestio.NewSchema(nestedTable(), nil, c.listed)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var got []string
		for _, col := range s.Stats {
			got = append(got, col.Name)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || s.SchemaID != 3 {
			t.Errorf("%s: schema %d %s", c.name, s.SchemaID, diff)
		}
	}
}

// TestNewSchemaRefusals: errors name the column or field.
func TestNewSchemaRefusals(t *testing.T) {
	field := func(id int, typ iceberg.Type) iceberg.NestedField {
		return iceberg.NestedField{ID: id, Name: "p", Type: typ}
	}
	for _, c := range []struct {
		partition []iceberg.NestedField
		stats     []int
		want      string
	}{
		{nil, []int{77}, "manifestio: statistics of column 77: schema 3 has no such column"},
		{[]iceberg.NestedField{field(1000, iceberg.PrimitiveTypes.Date), field(1000, iceberg.PrimitiveTypes.Int32)}, nil, "manifestio: partition field 1000 is there twice"},
		{[]iceberg.NestedField{field(1001, iceberg.VariantType{})}, nil, "manifestio: partition field 1001 p: no Parquet type for variant"},
		{[]iceberg.NestedField{field(1001, &iceberg.StructType{})}, nil, "manifestio: partition field 1001 p: no Parquet type for struct"},
	} {
		if _, err := manifestio.NewSchema(nestedTable(), c.partition, c.stats); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestNewSchemaPartition: partition fields are sorted, optional, and may share a name.
func TestNewSchemaPartition(t *testing.T) {
	union := []iceberg.NestedField{
		{ID: 1002, Name: "day", Type: iceberg.PrimitiveTypes.Int32, Required: true},
		{ID: 1000, Name: "day", Type: iceberg.PrimitiveTypes.Date, Required: true}}
	s := newSchema(t, nestedTable(), union...)
	for i, id := range []int{1000, 1002} {
		if s.Partition[i].ID != id || s.Partition[i].Required {
			t.Errorf("field %d: %v", i, s.Partition[i])
		}
	}
	e := plainEntry()
	e.Partition = tree.Tuple{{FieldID: 1000, Value: tree.Date(1)}, {FieldID: 1002, Value: tree.Int(2)}}
	f := openParquet(t, encode(t, s, e))
	if diff := cmp.Diff([]any{int32(1), int32(2)}, append(f.values("partition.day"), f.values("partition.day_1002")...)); diff != "" {
		t.Error(diff)
	}
}
