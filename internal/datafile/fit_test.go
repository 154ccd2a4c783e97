package datafile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/datafile"
	"github.com/firn-io/firn/tree"
)

var prims = iceberg.PrimitiveTypes

// TestTypes checks for each kind of column which table types it fits, and its bounds there.
func TestTypes(t *testing.T) {
	types, null := parquet.Types, tree.Value{}
	micros := schema.NewTimestampLogicalType(false, schema.TimeUnitMicros)
	cases := []struct {
		name    string
		physics parquet.Type
		logical schema.LogicalType
		width   int
		values  any
		table   iceberg.Type
		fits    bool
		bound   tree.Value
	}{
		{"boolean", types.Boolean, nil, 0, []bool{true}, prims.Bool, true, tree.Bool(true)},
		{"int", types.Int32, nil, 0, []int32{-7}, prims.Int32, true, tree.Int(-7)},
		{"int as long", types.Int32, nil, 0, []int32{-7}, prims.Int64, true, tree.Long(-7)},
		{"int as string", types.Int32, nil, 0, []int32{-7}, prims.String, false, null},
		{"byte", types.Int32, schema.NewIntLogicalType(8, true), 0, []int32{-7}, prims.Int32, true, tree.Int(-7)},
		{"unsigned int", types.Int32, schema.NewIntLogicalType(32, false), 0, []int32{-1}, prims.Int64, true, tree.Long(1<<32 - 1)},
		{"unsigned int as int", types.Int32, schema.NewIntLogicalType(32, false), 0, []int32{-1}, prims.Int32, false, null},
		{"unsigned long", types.Int64, schema.NewIntLogicalType(64, false), 0, []int64{1}, prims.Int64, false, null},
		{"long", types.Int64, nil, 0, []int64{1 << 40}, prims.Int64, true, tree.Long(1 << 40)},
		{"long as int", types.Int64, nil, 0, []int64{1}, prims.Int32, false, null},
		{"float", types.Float, nil, 0, []float32{1.5}, prims.Float32, true, tree.Float(1.5)},
		{"float as double", types.Float, nil, 0, []float32{1.5}, prims.Float64, true, tree.Double(1.5)},
		{"double as float", types.Double, nil, 0, []float64{1.5}, prims.Float32, false, null},
		{"date", types.Int32, schema.DateLogicalType{}, 0, []int32{-1}, prims.Date, true, tree.Date(-1)},
		{"date as int", types.Int32, schema.DateLogicalType{}, 0, []int32{-1}, prims.Int32, false, null},
		{"time in millis", types.Int32, schema.NewTimeLogicalType(false, schema.TimeUnitMillis), 0, []int32{9}, prims.Time, true, tree.Time(9000)},
		{"time in nanos", types.Int64, schema.NewTimeLogicalType(false, schema.TimeUnitNanos), 0, []int64{9}, prims.Time, false, null},
		{"timestamp in millis", types.Int64, schema.NewTimestampLogicalType(false, schema.TimeUnitMillis), 0, []int64{-9}, prims.Timestamp, true, tree.Timestamp(-9000)},
		{"timestamp in micros", types.Int64, micros, 0, []int64{-9}, prims.Timestamp, true, tree.Timestamp(-9)},
		{"timestamp with zone", types.Int64, schema.NewTimestampLogicalType(true, schema.TimeUnitMicros), 0, []int64{9}, prims.TimestampTz, true, tree.Timestamp(9)},
		{"timestamp without zone as one with", types.Int64, micros, 0, []int64{9}, prims.TimestampTz, false, null},
		{"timestamp in nanos", types.Int64, schema.NewTimestampLogicalType(false, schema.TimeUnitNanos), 0, []int64{-9}, prims.TimestampNs, true, tree.TimestampNano(-9)},
		{"timestamp in nanos as micros", types.Int64, schema.NewTimestampLogicalType(false, schema.TimeUnitNanos), 0, []int64{9}, prims.Timestamp, false, null},
		{"decimal in int", types.Int32, schema.NewDecimalLogicalType(5, 2), 0, []int32{-12345}, iceberg.DecimalTypeOf(5, 2), true, tree.DecimalInt64(-12345, 2)},
		{"decimal in long", types.Int64, schema.NewDecimalLogicalType(15, 2), 0, []int64{-12345}, iceberg.DecimalTypeOf(20, 2), true, tree.DecimalInt64(-12345, 2)},
		{"decimal narrowed", types.Int64, schema.NewDecimalLogicalType(15, 2), 0, []int64{1}, iceberg.DecimalTypeOf(14, 2), false, null},
		{"decimal of another scale", types.Int64, schema.NewDecimalLogicalType(15, 2), 0, []int64{1}, iceberg.DecimalTypeOf(15, 3), false, null},
		{"decimal in bytes", types.FixedLenByteArray, schema.NewDecimalLogicalType(20, 2), 9, []string{"\xff\xff\xff\xff\xff\xff\xff\xff\xfe"}, iceberg.DecimalTypeOf(20, 2), true, tree.DecimalInt64(-2, 2)},
		{"string", types.ByteArray, schema.StringLogicalType{}, 0, []string{"é"}, prims.String, true, tree.String("é")},
		{"enumeration", types.ByteArray, schema.EnumLogicalType{}, 0, []string{"A"}, prims.String, true, tree.String("A")},
		{"json", types.ByteArray, schema.JSONLogicalType{}, 0, []string{"{}"}, prims.String, true, tree.String("{}")},
		{"bytes as string", types.ByteArray, nil, 0, []string{"a"}, prims.String, false, null},
		{"binary", types.ByteArray, nil, 0, []string{"\xff"}, prims.Binary, true, tree.Binary([]byte{255})},
		{"fixed", types.FixedLenByteArray, nil, 2, []string{"ab"}, iceberg.FixedTypeOf(2), true, tree.Fixed([]byte("ab"))},
		{"fixed of another length", types.FixedLenByteArray, nil, 2, []string{"ab"}, iceberg.FixedTypeOf(3), false, null},
		{"uuid", types.FixedLenByteArray, schema.UUIDLogicalType{}, 16, []string{"0123456789abcdef"}, prims.UUID, true, tree.BytesValue(tree.KindUUID, "0123456789abcdef")},
		{"half float", types.FixedLenByteArray, schema.Float16LogicalType{}, 2, []string{"ab"}, prims.Float32, false, null},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			data := writeFile(t, []schema.Node{leaf(t, "c", false, c.physics, c.logical, c.width, 1)}, [][]cells{{{values: c.values}}})
			f, err := inspect(data, iceberg.NewSchema(0, field(1, "c", c.table, false)), *iceberg.UnpartitionedSpec, datafile.Options{})
			var mismatch *datafile.SchemaMismatchError
			switch {
			case c.fits && err != nil, !c.fits && !errors.As(err, &mismatch):
				t.Fatalf("got %v", err)
			case !c.fits:
				if mismatch.Column != "c" || mismatch.Location != location || !strings.Contains(err.Error(), c.table.String()) {
					t.Errorf("got %v", err)
				}
			case f.Stats[0].Lower != c.bound || f.Stats[0].Upper != c.bound:
				t.Errorf("bounds %s to %s", f.Stats[0].Lower, f.Stats[0].Upper)
			}
		})
	}
}

// TestColumnsByIDOrName checks how columns of the file find their columns of the table.
func TestColumnsByIDOrName(t *testing.T) {
	two := func(name1 string, id1 int, name2 string, id2 int) []byte {
		return writeFile(t, []schema.Node{leaf(t, name1, true, parquet.Types.Int64, nil, 0, id1), leaf(t, name2, true, parquet.Types.Int64, nil, 0, id2)},
			[][]cells{{{values: []int64{1}, def: []int16{1}}, {values: []int64{2}, def: []int16{1}}}})
	}
	table := iceberg.NewSchema(0, field(3, "a", prims.Int64, false), field(7, "b", prims.Int64, false))
	seven := 7
	cases := []struct {
		name    string
		data    []byte
		mapping iceberg.NameMapping
		lower   map[int]int64
		refused string
	}{
		{"by id, whatever the names", two("b", 3, "x", 7), nil, map[int]int64{3: 1, 7: 2}, ""},
		{"by name without ids", two("b", -1, "a", -1), nil, map[int]int64{3: 2, 7: 1}, ""},
		{"not by name if there are ids", two("a", -1, "x", 7), nil, map[int]int64{7: 2}, ""},
		{"field id 0 is an id", two("a", 0, "b", 3), nil, map[int]int64{3: 2}, ""},
		{"unknown columns are ignored", two("a", 3, "zz", 99), nil, map[int]int64{3: 1}, ""},
		{"by name mapping", two("old", -1, "x", -1), iceberg.NameMapping{{Names: []string{"b", "old"}, FieldID: &seven}}, map[int]int64{7: 1}, ""},
		{"one id twice", two("a", 3, "b", 3), nil, nil, "field id 3"},
		{"one name twice", two("a", -1, "a", -1), nil, nil, "field id 3"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f, err := inspect(c.data, table, *iceberg.UnpartitionedSpec, datafile.Options{NameMapping: c.mapping})
			var mismatch *datafile.SchemaMismatchError
			if c.refused != "" {
				if !errors.As(err, &mismatch) || !strings.Contains(err.Error(), c.refused) {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := map[int]int64{}
			for _, s := range f.Stats {
				got[s.FieldID] = s.Lower.Number()
			}
			if diff := cmp.Diff(c.lower, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRequired checks that a file may not be null where the table forbids it.
func TestRequired(t *testing.T) {
	n := func(optional bool) schema.Node { return leaf(t, "n", optional, parquet.Types.Int64, nil, 0, 1) }
	some := [][]cells{{{values: []int64{1}, def: []int16{1}}}}
	null := [][]cells{{{values: []int64{1}, def: []int16{1, 0}}}}
	noStats := parquet.WithStats(false)
	withDefault := field(1, "n", prims.Int64, true)
	withDefault.InitialDefault = int64(5)
	other := writeFile(t, []schema.Node{leaf(t, "x", true, parquet.Types.Int64, nil, 0, 2)}, some)
	cases := []struct {
		name   string
		data   []byte
		field  iceberg.NestedField
		reason string
	}{
		{"required in the file", writeFile(t, []schema.Node{n(false)}, [][]cells{{{values: []int64{1}}}}), field(1, "n", prims.Int64, true), ""},
		{"no null by statistics", writeFile(t, []schema.Node{n(true)}, some), field(1, "n", prims.Int64, true), ""},
		{"no null by reading", writeFile(t, []schema.Node{n(true)}, some, noStats), field(1, "n", prims.Int64, true), ""},
		{"null", writeFile(t, []schema.Node{n(true)}, null), field(1, "n", prims.Int64, true), "has nulls"},
		{"null found by reading", writeFile(t, []schema.Node{n(true)}, null, noStats), field(1, "n", prims.Int64, true), "has nulls"},
		{"missing", other, field(1, "n", prims.Int64, true), "missing"},
		{"missing with a default", other, withDefault, ""},
		{"missing and optional", other, field(1, "n", prims.Int64, false), ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := inspect(c.data, iceberg.NewSchema(0, c.field), *iceberg.UnpartitionedSpec, datafile.Options{})
			var mismatch *datafile.SchemaMismatchError
			if c.reason == "" && err != nil || c.reason != "" && (!errors.As(err, &mismatch) || !strings.Contains(mismatch.Reason, c.reason)) {
				t.Errorf("got %v", err)
			}
		})
	}
}
