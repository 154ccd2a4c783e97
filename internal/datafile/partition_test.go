package datafile_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/datafile"
	"github.com/firn-io/firn/tree"
)

func specOf(sourceID int, t iceberg.Transform) iceberg.PartitionSpec {
	return iceberg.NewPartitionSpecID(3, iceberg.PartitionField{SourceIDs: []int{sourceID}, FieldID: 1000, Name: "p", Transform: t})
}

// partitionOf inspects a file under a spec of one field.
func partitionOf(t *testing.T, data []byte, typ iceberg.Type, transform iceberg.Transform, o datafile.Options) (tree.Value, error) {
	t.Helper()
	f, err := inspect(data, iceberg.NewSchema(0, field(1, "c", typ, false)), specOf(1, transform), o)
	if err != nil {
		return tree.Value{}, err
	}
	if !f.SpecID.Valid || f.SpecID.Val != 3 || f.Partition == nil {
		t.Errorf("spec %v, partition %v", f.SpecID, f.Partition)
	}
	return f.Partition.Value(1000), nil
}

// TestTimestampPartitions checks that instants before 1970 and in nanoseconds fall where their microsecond does
// (B46), by exact bounds and by reading the column.
func TestTimestampPartitions(t *testing.T) {
	instants := []struct {
		nanos                   int64
		hour, day, month, years int32
	}{
		{0, 0, 0, 0, 0},
		{1000, 0, 0, 0, 0},
		{-1, -1, -1, -1, -1},
		{-1001, -1, -1, -1, -1},
		{time.Date(2017, 11, 16, 22, 31, 8, 1001, time.UTC).UnixNano(), 419686, 17486, 574, 47},
		{time.Date(1969, 12, 31, 23, 0, 0, 0, time.UTC).UnixNano(), -1, -1, -1, -1},
	}
	floorMicros := func(nanos int64) int64 { return int64(math.Floor(float64(nanos) / 1000)) }
	for _, i := range instants {
		files := map[string][]byte{}
		for name, nanos := range map[string]bool{"ts": false, "tn": true} {
			unit, v := schema.TimeUnitMicros, floorMicros(i.nanos)
			if nanos {
				unit, v = schema.TimeUnitNanos, i.nanos
			}
			files[name] = writeFile(t, []schema.Node{leaf(t, "c", true, parquet.Types.Int64, schema.NewTimestampLogicalType(false, unit), 0, 1)},
				[][]cells{{{values: []int64{v, v}, def: []int16{1, 1}}}})
		}
		for _, exact := range []bool{true, false} {
			buckets := map[string]tree.Value{}
			for name, data := range files {
				typ := map[string]iceberg.Type{"ts": prims.Timestamp, "tn": prims.TimestampNs}[name]
				for transform, want := range map[iceberg.Transform]tree.Value{
					iceberg.HourTransform{}: tree.Int(i.hour), iceberg.DayTransform{}: tree.Date(i.day),
					iceberg.MonthTransform{}: tree.Int(i.month), iceberg.YearTransform{}: tree.Int(i.years),
				} {
					got, err := partitionOf(t, setExact(t, data, exact), typ, transform, datafile.Options{})
					if err != nil || got != want {
						t.Errorf("%s of %s %d ns: %s, want %s (%v)", transform, name, i.nanos, got, want, err)
					}
				}
				bucket, err := partitionOf(t, setExact(t, data, exact), typ, iceberg.BucketTransform{NumBuckets: 16}, datafile.Options{})
				if err != nil {
					t.Error(err)
				}
				buckets[name] = bucket
			}
			if buckets["ts"] != buckets["tn"] {
				t.Errorf("%d ns: buckets %v", i.nanos, buckets)
			}
		}
	}
}

// TestPartitionValues checks how the value of a partition field is found.
func TestPartitionValues(t *testing.T) {
	longs := func(def []int16, values ...int64) []byte {
		return writeFile(t, []schema.Node{leaf(t, "c", true, parquet.Types.Int64, nil, 0, 1)}, [][]cells{{{values: values, def: def}}})
	}
	texts := func(values ...string) []byte {
		def := make([]int16, len(values))
		for i := range def {
			def[i] = 1
		}
		return writeFile(t, []schema.Node{leaf(t, "c", true, parquet.Types.ByteArray, schema.StringLogicalType{}, 0, 1)}, [][]cells{{{values: values, def: def}}})
	}
	exact := func(data []byte) []byte { return setExact(t, data, true) }
	identity, truncate := iceberg.IdentityTransform{}, iceberg.TruncateTransform{Width: 10}
	null := tree.Value{}
	lying := writeLyingBounds(t)
	cases := []struct {
		name      string
		data      []byte
		typ       iceberg.Type
		transform iceberg.Transform
		want      tree.Value
		refused   string
	}{
		{"identity by bounds", exact(longs([]int16{1, 1}, 7, 7)), prims.Int64, identity, tree.Long(7), ""},
		{"identity by reading", longs([]int16{1, 1}, 7, 7), prims.Int64, identity, tree.Long(7), ""},
		{"inexact bounds decide nothing", lying, prims.Int64, identity, null, "3 and 4"},
		{"two by bounds", exact(longs([]int16{1, 1}, 7, 8)), prims.Int64, identity, null, "7 and 8"},
		{"two by reading", longs([]int16{1, 1}, 7, 8), prims.Int64, identity, null, "7 and 8"},
		{"nulls", longs([]int16{0, 0}), prims.Int64, identity, null, ""},
		{"a null among values", exact(longs([]int16{1, 0}, 7)), prims.Int64, identity, null, "7 and null"},
		{"a null among values by reading", longs([]int16{0, 1}, 7), prims.Int64, identity, null, "null and 7"},
		{"truncate by bounds", exact(longs([]int16{1, 1}, -20, -11)), prims.Int64, truncate, tree.Long(-20), ""},
		{"truncate into two", exact(longs([]int16{1, 1}, -11, -10)), prims.Int64, truncate, null, "-20 and -10"},
		{"truncate a string", texts("abcdefghijX", "abcdefghijY"), prims.String, truncate, tree.String("abcdefghij"), ""},
		{"bucket needs the column", exact(longs([]int16{1, 1}, 1, 4)), prims.Int64, iceberg.BucketTransform{NumBuckets: 1}, tree.Int(0), ""},
		{"bucket of one value by bounds", exact(longs([]int16{1, 1}, 34, 34)), prims.Int64, iceberg.BucketTransform{NumBuckets: 1 << 30}, tree.Int(2017239379 % (1 << 30)), ""},
		{"void", longs([]int16{1, 1}, 1, 4), prims.Int64, iceberg.VoidTransform{}, null, ""},
		{"promoted", writeFile(t, []schema.Node{leaf(t, "c", true, parquet.Types.Int32, nil, 0, 1)}, [][]cells{{{values: []int32{7}, def: []int16{1}}}}), prims.Int64, identity, tree.Long(7), ""},
		{"column missing", writeFile(t, []schema.Node{leaf(t, "x", true, parquet.Types.Int32, nil, 0, 2)}, [][]cells{{{values: []int32{7}, def: []int16{1}}}}), prims.Int64, identity, null, ""},
		{"does not apply", longs([]int16{1}, 7), prims.Int64, iceberg.DayTransform{}, null, "does not apply"},
		{"not UTF-8", texts("\xff"), prims.String, identity, null, "UTF-8"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := partitionOf(t, c.data, c.typ, c.transform, datafile.Options{})
			switch {
			case c.refused == "" && (err != nil || got != c.want):
				t.Errorf("got %s (%v), want %s", got, err, c.want)
			case c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)):
				t.Errorf("got %s (%v), want an error with %q", got, err, c.refused)
			}
		})
	}
}

// writeLyingBounds writes 3 and 4 with bounds that are both 3 and not called exact.
func writeLyingBounds(t *testing.T) []byte {
	data := writeFile(t, []schema.Node{leaf(t, "c", true, parquet.Types.Int64, nil, 0, 1)}, [][]cells{{{values: []int64{3, 4}, def: []int16{1, 1}}}})
	return editFooter(t, data, func(m *fileMetaData) {
		s := m.RowGroups[0].Columns[0].MetaData.Statistics
		s.MaxValue = s.MinValue
	})
}

// TestNaNPartition checks that NaNs are one partition, apart from numbers.
func TestNaNPartition(t *testing.T) {
	write := func(values ...float64) []byte {
		return writeFile(t, []schema.Node{leaf(t, "c", false, parquet.Types.Double, nil, 0, 1)}, [][]cells{{{values: values}}})
	}
	other := math.Float64frombits(math.Float64bits(math.NaN()) | 1<<40)
	got, err := partitionOf(t, write(math.NaN(), other), prims.Float64, iceberg.IdentityTransform{}, datafile.Options{})
	if err != nil || !got.IsNaN() {
		t.Errorf("got %s (%v)", got, err)
	}
	var several *datafile.PartitionError
	if _, err := partitionOf(t, write(1, math.NaN()), prims.Float64, iceberg.IdentityTransform{}, datafile.Options{}); !errors.As(err, &several) {
		t.Errorf("got %v", err)
	}
}

func TestGivenPartition(t *testing.T) {
	table := iceberg.NewSchema(0, field(1, "c", prims.Int64, true), field(2, "region", prims.String, true),
		field(3, "ts", prims.Timestamp, false))
	spec := iceberg.NewPartitionSpecID(1,
		iceberg.PartitionField{SourceIDs: []int{1}, FieldID: 1000, Name: "c", Transform: iceberg.IdentityTransform{}},
		iceberg.PartitionField{SourceIDs: []int{2}, FieldID: 1001, Name: "region", Transform: iceberg.IdentityTransform{}},
		iceberg.PartitionField{SourceIDs: []int{3}, FieldID: 1002, Name: "ts_day", Transform: iceberg.DayTransform{}})
	data := setExact(t, writeFile(t, []schema.Node{leaf(t, "c", false, parquet.Types.Int64, nil, 0, 1)}, [][]cells{{{values: []int64{7, 7}}}}), true)
	cases := []struct{ name, given, want, refused string }{
		{"region given", `{"region":"eu"}`, "7 eu null", ""},
		{"all given, by id and name", `{"1000":7,"region":"eu","ts_day":"2026-11-29"}`, "7 eu 2026-11-29", ""},
		{"a day as a number", `{"1001":"eu","ts_day":20786}`, "7 eu 2026-11-29", ""},
		{"not what the bounds say", `{"c":8,"region":"eu"}`, "", "8 was given"},
		{"the column is required and not given", `{}`, "", "required and missing"},
		{"null for a required column", `{"region":null}`, "", "required and missing"},
		{"unknown field", `{"zone":1}`, "", "no such field"},
		{"twice", `{"region":"eu","1001":"eu"}`, "", "given twice"},
		{"wrong type", `{"c":"seven"}`, "", "is no long"},
		{"no object", `[]`, "", "partition values"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			given, err := datafile.ParsePartition([]byte(c.given), table, spec)
			var f tree.File
			if err == nil {
				f, err = inspect(data, table, spec, datafile.Options{Partition: given})
			}
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			p := f.Partition
			if got := p.Value(1000).String() + " " + p.Value(1001).String() + " " + p.Value(1002).String(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestParsePartitionTypes checks every type that a partition value can have.
func TestParsePartitionTypes(t *testing.T) {
	cases := []struct {
		typ  iceberg.Type
		json string
		want tree.Value
		ok   bool
	}{
		{prims.Bool, `true`, tree.Bool(true), true},
		{prims.Bool, `1`, tree.Value{}, false},
		{prims.Int32, `-5`, tree.Int(-5), true},
		{prims.Int32, `3000000000`, tree.Value{}, false},
		{prims.Int32, `1.5`, tree.Value{}, false},
		{prims.Int64, `3000000000`, tree.Long(3000000000), true},
		{prims.Float32, `1.5`, tree.Float(1.5), true},
		{prims.Float64, `1.5`, tree.Double(1.5), true},
		{prims.Date, `"1969-12-31"`, tree.Date(-1), true},
		{prims.Timestamp, `1000001`, tree.Timestamp(1000001), true},
		{prims.Timestamp, `"1970-01-01T00:00:01.000001"`, tree.Timestamp(1000001), true},
		{prims.Timestamp, `"1970-01-01T00:00:01.0000015"`, tree.Value{}, false},
		{prims.TimestampTz, `"1970-01-01T00:00:01.000001+00:00"`, tree.Timestamp(1000001), true},
		{prims.TimestampNs, `5`, tree.TimestampNano(5), true},
		{prims.TimestampNs, `"1970-01-01T00:00:00.000000005"`, tree.TimestampNano(5), true},
		{prims.TimestampNs, `"3000-01-01T00:00:00"`, tree.Value{}, false},
		{iceberg.DecimalTypeOf(9, 2), `"12.34"`, tree.DecimalInt64(1234, 2), true},
		{iceberg.DecimalTypeOf(9, 2), `12.34`, tree.DecimalInt64(1234, 2), true},
		{iceberg.DecimalTypeOf(9, 2), `12.345`, tree.Value{}, false},
		{iceberg.DecimalTypeOf(9, 2), `1e999999999`, tree.Value{}, false},
		{prims.String, `"x"`, tree.String("x"), true},
		{prims.String, `true`, tree.Value{}, false},
		{prims.Binary, `"0x00ff"`, tree.Binary([]byte{0, 255}), true},
		{prims.Binary, `"00ff"`, tree.Value{}, false},
		{iceberg.FixedTypeOf(2), `"0x00ff"`, tree.Fixed([]byte{0, 255}), true},
		{iceberg.FixedTypeOf(2), `"0x00"`, tree.Value{}, false},
		{prims.UUID, `"00000000-0000-0000-0000-000000000001"`, tree.BytesValue(tree.KindUUID, strings.Repeat("\x00", 15)+"\x01"), true},
		{prims.UUID, `"x"`, tree.Value{}, false},
	}
	for _, c := range cases {
		table := iceberg.NewSchema(0, field(1, "c", c.typ, false))
		got, err := datafile.ParsePartition([]byte(`{"p":`+c.json+`}`), table, specOf(1, iceberg.IdentityTransform{}))
		if (err == nil) != c.ok || c.ok && got.Value(1000) != c.want {
			t.Errorf("%s as %s: %v (%v), want %s", c.json, c.typ, got, err, c.want)
		}
	}
}
