package metadata_test

import (
	"math"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/metadata"
	"github.com/google/go-cmp/cmp"
)

func TestColumnDefaults(t *testing.T) {
	structOf := &iceberg.StructType{FieldList: []iceberg.NestedField{{Name: "a", Type: iceberg.StringType{}}}}
	for _, test := range []struct {
		typ       iceberg.Type
		good, bad []any
	}{
		{iceberg.BooleanType{}, []any{true}, []any{"true", 1}},
		{iceberg.Int32Type{}, []any{5, int32(-5), math.MaxInt32}, []any{math.MaxInt32 + 1, 1.5, "5"}},
		{iceberg.Int64Type{}, []any{5, int64(math.MinInt64)}, []any{uint64(math.MaxUint64), 1.5, "5"}},
		{iceberg.Float32Type{}, []any{1.5, 2, float32(0.25)}, []any{math.MaxFloat64, math.NaN(), "1"}},
		{iceberg.Float64Type{}, []any{1.5, 2, math.MaxFloat64}, []any{math.Inf(1), true}},
		{iceberg.DecimalTypeOf(5, 2), []any{"14.20", "-1.00"}, []any{"14.2", "14.200", "1e2", "12345.00", 14.2, "14", "x"}},
		{iceberg.StringType{}, []any{"", "x"}, []any{5}},
		{iceberg.DateType{}, []any{"2026-01-31"}, []any{"2026-02-31", 20000}},
		{iceberg.TimeType{}, []any{"22:31:08.123456"}, []any{"25:00:00", 5}},
		{iceberg.TimestampType{}, []any{"2017-11-16T22:31:08.123456"}, []any{"2017-11-16", "2017-11-16T22:31:08+00:00"}},
		{iceberg.TimestampTzType{}, []any{"2017-11-16T22:31:08.123456+00:00"}, []any{"2017-11-16T22:31:08"}},
		{iceberg.TimestampNsType{}, []any{"2017-11-16T22:31:08.123456789"}, []any{5}},
		{iceberg.TimestampTzNsType{}, []any{"2017-11-16T22:31:08.123456789+00:00"}, []any{5}},
		{iceberg.UUIDType{}, []any{"f79c3e09-677c-4bbd-a479-3f349cb785e7"}, []any{"f79c", 5}},
		{iceberg.FixedTypeOf(2), []any{"00ff", []byte{0, 255}}, []any{"00", "zz00", 5}},
		{iceberg.BinaryType{}, []any{"00ff", []byte{1}, ""}, []any{"0", 5}},
		{structOf, []any{map[string]any{}}, []any{map[string]any{"a": "x"}, "x"}},
		{&iceberg.ListType{Element: iceberg.StringType{}}, nil, []any{[]any{}, "x"}},
		{&iceberg.MapType{KeyType: iceberg.StringType{}, ValueType: iceberg.StringType{}}, nil, []any{map[string]any{}}},
		{iceberg.VariantType{}, nil, []any{"x", 5}},
		{iceberg.GeometryType{}, nil, []any{"x"}},
	} {
		for _, value := range test.good {
			m, err := wideTable(t).EvolveSchema(metadata.AddColumn{Name: "x", Type: test.typ, Required: true, Default: value})
			if err != nil {
				t.Errorf("%s: %v: %v", test.typ, value, err)
				continue
			}
			x, _ := m.Schema().FindFieldByName("x")
			if diff := cmp.Diff(x.InitialDefault, x.WriteDefault); diff != "" || x.InitialDefault == nil {
				t.Errorf("%s: %v: initial default %v, write default %v", test.typ, value, x.InitialDefault, x.WriteDefault)
			}
			checkWritten(t, m)
		}
		for _, value := range test.bad {
			_, err := wideTable(t).EvolveSchema(metadata.AddColumn{Name: "x", Type: test.typ, Default: value})
			if err == nil || !strings.Contains(err.Error(), `add column "x"`) {
				t.Errorf("%s: %v: %v", test.typ, value, err)
			}
		}
	}
}

// The default of writers may change and go, the one that old rows have may not.
func TestSetDefault(t *testing.T) {
	m, err := wideTable(t).EvolveSchema(metadata.AddColumn{Name: "x", Type: iceberg.Int32Type{}, Default: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []any{int64(7), nil} {
		changed, err := m.EvolveSchema(metadata.SetDefault{Column: "x", Default: value})
		x, _ := changed.Schema().FindFieldByName("x")
		if err != nil || x.InitialDefault != int64(1) || x.WriteDefault != value {
			t.Errorf("initial %v, write %v, %v", x.InitialDefault, x.WriteDefault, err)
		}
	}
	fields := m.Schema().Fields()
	fields[len(fields)-1].InitialDefault = int64(2)
	_, err = m.WithSchema(iceberg.NewSchemaWithIdentifiers(0, []int{1}, fields...))
	if err == nil || !strings.Contains(err.Error(), `column "x" has an initial default, or has none, and that cannot change`) {
		t.Errorf("another initial default: %v", err)
	}
}

// Columns within a new one are held to the same rules.
func TestDefaultsWithin(t *testing.T) {
	_, err := wideTable(t).EvolveSchema(metadata.AddColumn{Parent: "place", Name: "s", Type: &iceberg.StructType{FieldList: []iceberg.NestedField{
		{Name: "a", Type: iceberg.Int32Type{}, InitialDefault: "x"}}}})
	if err == nil || !strings.Contains(err.Error(), `"place.s.a": "x" is no default of type int`) {
		t.Error(err)
	}
}

// Before version 3 there are neither defaults nor the promotions of date and unknown.
func TestEvolveOlderVersions(t *testing.T) {
	for version := 1; version <= 4; version++ {
		m := wideTable(t)
		m.FormatVersion = version
		for _, change := range []metadata.SchemaChange{
			metadata.AddColumn{Name: "x", Type: iceberg.StringType{}, Default: "x"},
			metadata.SetDefault{Column: "count", Default: 5},
			metadata.PromoteColumn{Column: "day", Type: iceberg.TimestampType{}},
			metadata.PromoteColumn{Column: "void", Type: iceberg.StringType{}},
		} {
			if _, err := m.EvolveSchema(change); (err == nil) != (version >= 3) {
				t.Errorf("version %d: %v: %v", version, change, err)
			}
		}
	}
}
