package datafile_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/datafile"
	"github.com/firn-io/firn/tree"
)

const location = "file:///data/f.parquet"

// value makes tree.Value comparable for cmp: its fields are not exported.
var byValue = cmp.Comparer(func(a, b tree.Value) bool { return a == b })

func inspect(data []byte, table *iceberg.Schema, spec iceberg.PartitionSpec, o datafile.Options) (tree.File, error) {
	return datafile.Inspect(bytes.NewReader(data), int64(len(data)), location, table, spec, o)
}

func mustInspect(t *testing.T, data []byte, table *iceberg.Schema, spec iceberg.PartitionSpec, o datafile.Options) tree.File {
	t.Helper()
	f, err := inspect(data, table, spec, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	return f
}

func field(id int, name string, typ iceberg.Type, required bool) iceberg.NestedField {
	return iceberg.NestedField{ID: id, Name: name, Type: typ, Required: required}
}

func count(n int64) iceberg.Optional[int64] { return iceberg.Optional[int64]{Val: n, Valid: true} }
func tight(yes bool) iceberg.Optional[bool] { return iceberg.Optional[bool]{Val: yes, Valid: true} }

// longFile has one column of longs in two row groups: 5, null, 9 and 7, 6.
func longFile(t *testing.T) []byte {
	return writeFile(t, []schema.Node{leaf(t, "n", true, parquet.Types.Int64, nil, 0, 1)}, [][]cells{
		{{values: []int64{5, 9}, def: []int16{1, 0, 1}}},
		{{values: []int64{7, 6}, def: []int16{1, 1}}},
	})
}

var longTable = iceberg.NewSchema(0, field(1, "n", iceberg.PrimitiveTypes.Int64, false))

func TestInspect(t *testing.T) {
	data := setExact(t, longFile(t), true)
	got := mustInspect(t, data, longTable, *iceberg.UnpartitionedSpec, datafile.Options{})
	if len(got.SplitOffsets) != 2 || got.SplitOffsets[0] != 4 {
		t.Errorf("split offsets %v", got.SplitOffsets)
	}
	got.SplitOffsets = nil
	want := tree.File{Location: location, Format: "parquet", RecordCount: 5, FileSizeBytes: int64(len(data)),
		Stats: tree.Stats{{FieldID: 1, Lower: tree.Long(5), Upper: tree.Long(9), Tight: tight(true), ValueCount: count(5),
			NullCount: count(1)}}}
	if diff := cmp.Diff(want, got, byValue); diff != "" {
		t.Error(diff)
	}
}

// TestBoundsFromFooter checks which statistics of the footer become bounds, and whether they are tight.
func TestBoundsFromFooter(t *testing.T) {
	long := func(n int64) tree.Value { return tree.Long(n) }
	yes, no := true, false
	le := func(n byte) []byte { return []byte{n, 0, 0, 0, 0, 0, 0, 0} }
	cases := []struct {
		name         string
		edit         func(m *metadata.FileMetaData)
		lower, upper tree.Value
		tight        bool
	}{
		{"no exactness", func(*metadata.FileMetaData) {}, long(5), long(9), false},
		{"exact everywhere", func(m *metadata.FileMetaData) {
			for _, g := range m.RowGroups {
				s := g.Columns[0].MetaData.Statistics
				s.IsMinValueExact, s.IsMaxValueExact = &yes, &yes
			}
		}, long(5), long(9), true},
		{"exact where it matters", func(m *metadata.FileMetaData) {
			s := m.RowGroups[0].Columns[0].MetaData.Statistics
			s.IsMinValueExact, s.IsMaxValueExact = &yes, &yes
		}, long(5), long(9), true},
		{"exact where it does not matter", func(m *metadata.FileMetaData) {
			s := m.RowGroups[1].Columns[0].MetaData.Statistics
			s.IsMinValueExact, s.IsMaxValueExact = &yes, &yes
		}, long(5), long(9), false},
		{"said to be inexact", func(m *metadata.FileMetaData) {
			s := m.RowGroups[0].Columns[0].MetaData.Statistics
			s.IsMinValueExact, s.IsMaxValueExact = &yes, &no
		}, long(5), long(9), false},
		{"one row group without", func(m *metadata.FileMetaData) {
			s := m.RowGroups[1].Columns[0].MetaData.Statistics
			s.MinValue, s.MaxValue, s.Min, s.Max = nil, nil, nil, nil
		}, tree.Value{}, tree.Value{}, false},
		{"one row group without a maximum", func(m *metadata.FileMetaData) {
			s := m.RowGroups[1].Columns[0].MetaData.Statistics
			s.MaxValue, s.Max = nil, nil
		}, long(5), tree.Value{}, false},
		{"a row group of nulls without", func(m *metadata.FileMetaData) {
			s, nulls := m.RowGroups[1].Columns[0].MetaData.Statistics, int64(2)
			s.MinValue, s.MaxValue, s.Min, s.Max, s.NullCount = nil, nil, nil, nil, &nulls
		}, long(5), long(9), false},
		{"no column orders, deprecated fields", func(m *metadata.FileMetaData) {
			m.ColumnOrders = nil
			for _, g := range m.RowGroups {
				s := g.Columns[0].MetaData.Statistics
				s.Min, s.Max, s.IsMinValueExact, s.IsMaxValueExact = le(3), le(99), &yes, &yes
			}
		}, long(3), long(99), false},
		{"upper below lower", func(m *metadata.FileMetaData) {
			for _, g := range m.RowGroups {
				g.Columns[0].MetaData.Statistics.MaxValue = le(1)
			}
		}, tree.Value{}, tree.Value{}, false},
		{"bound of the wrong length", func(m *metadata.FileMetaData) {
			m.RowGroups[0].Columns[0].MetaData.Statistics.MinValue = []byte{1}
		}, tree.Value{}, long(9), false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			data := editFooter(t, longFile(t), c.edit)
			s := mustInspect(t, data, longTable, *iceberg.UnpartitionedSpec, datafile.Options{}).Stats[0]
			if s.Lower != c.lower || s.Upper != c.upper || s.Tight != tight(c.tight) {
				t.Errorf("bounds %s to %s, tight %v", s.Lower, s.Upper, s.Tight)
			}
		})
	}
}

// TestFloats checks that a column of floats has bounds only if it was read and found free of NaN (B36).
func TestFloats(t *testing.T) {
	null, nan := tree.Value{}, math.NaN()
	cases := []struct {
		name         string
		values       []float64
		def          []int16
		lower, upper tree.Value
	}{
		{"numbers", []float64{1, -2.5}, []int16{1, 1}, tree.Double(-2.5), tree.Double(1)},
		{"number and NaN", []float64{1, nan}, []int16{1, 1}, null, null},
		{"NaNs", []float64{nan, nan}, []int16{1, 1}, null, null},
		{"zeros", []float64{math.Copysign(0, -1), 0}, []int16{1, 1}, tree.Double(math.Copysign(0, -1)), tree.Double(0)},
		{"positive zero", []float64{0}, []int16{1}, tree.Double(0), tree.Double(0)},
		{"NaN and null", []float64{nan}, []int16{1, 0}, null, null},
		{"null", []float64{}, []int16{0}, null, null},
	}
	table := iceberg.NewSchema(0, field(1, "d", iceberg.PrimitiveTypes.Float64, false))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			data := writeFile(t, []schema.Node{leaf(t, "d", true, parquet.Types.Double, nil, 0, 1)},
				[][]cells{{{values: c.values, def: c.def}}})
			s := mustInspect(t, data, table, *iceberg.UnpartitionedSpec, datafile.Options{}).Stats[0]
			want := tree.FieldStats{FieldID: 1, Lower: c.lower, Upper: c.upper, Tight: tight(c.lower != null),
				ValueCount: count(int64(len(c.def))), NullCount: count(int64(len(c.def) - len(c.values)))}
			if diff := cmp.Diff(want, s, byValue); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTruncatedBounds checks bounds of strings and binaries at 16 code points or bytes (B32).
func TestTruncatedBounds(t *testing.T) {
	a15, high := strings.Repeat("a", 15), "\U0010ffff"
	cases := []struct {
		value, lower, upper string
		unbounded, binary   bool
	}{
		{value: strings.Repeat("a", 17), lower: a15 + "a", upper: a15 + "b"},
		{value: a15 + "\ud7ff" + "z", lower: a15 + "\ud7ff", upper: a15 + "\ue000"},
		{value: strings.Repeat(high, 17), lower: strings.Repeat(high, 16), unbounded: true},
		{value: a15 + high + "z", lower: a15 + high, upper: a15[:14] + "b"},
		{value: a15 + "\U0001f600" + "z", lower: a15 + "\U0001f600", upper: a15 + "\U0001f601"},
		{value: strings.Repeat("a", 16), lower: a15 + "a", upper: a15 + "a"},
		{value: "", lower: "", upper: ""},
		{value: "\x01" + strings.Repeat("\xff", 16), lower: "\x01" + strings.Repeat("\xff", 15), upper: "\x02", binary: true},
		{value: strings.Repeat("\xff", 17), lower: strings.Repeat("\xff", 16), unbounded: true, binary: true},
	}
	for _, c := range cases {
		typ, logical, kind := iceberg.Type(iceberg.PrimitiveTypes.String), schema.LogicalType(schema.StringLogicalType{}), tree.KindString
		if c.binary {
			typ, logical, kind = iceberg.PrimitiveTypes.Binary, nil, tree.KindBinary
		}
		data := writeFile(t, []schema.Node{leaf(t, "s", true, parquet.Types.ByteArray, logical, 0, 1)},
			[][]cells{{{values: []string{c.value}, def: []int16{1}}}})
		s := mustInspect(t, setExact(t, data, true), iceberg.NewSchema(0, field(1, "s", typ, false)),
			*iceberg.UnpartitionedSpec, datafile.Options{}).Stats[0]
		upper := tree.BytesValue(kind, c.upper)
		if c.unbounded {
			upper = tree.Value{}
		}
		isTight := c.lower == c.value && c.upper == c.value
		if s.Lower != tree.BytesValue(kind, c.lower) || s.Upper != upper || s.Tight != tight(isTight) {
			t.Errorf("%q: bounds %q to %q, tight %v", c.value, s.Lower, s.Upper, s.Tight)
		}
	}
}

func TestMetricsModes(t *testing.T) {
	null := tree.Value{}
	cases := []struct {
		property, value string
		stats           bool
		lower, upper    tree.Value
	}{
		{"write.metadata.metrics.default", "none", false, null, null},
		{"write.metadata.metrics.default", "counts", true, null, null},
		{"write.metadata.metrics.default", "truncate(2)", true, tree.String("ab"), tree.String("ac")},
		{"write.metadata.metrics.column.s", "full", true, tree.String("abcdefghijklmnopqrst"), tree.String("abcdefghijklmnopqrst")},
		{"write.metadata.metrics.column.other", "none", true, tree.String("abcdefghijklmnop"), tree.String("abcdefghijklmnoq")},
	}
	data := writeFile(t, []schema.Node{leaf(t, "s", true, parquet.Types.ByteArray, schema.StringLogicalType{}, 0, 1)},
		[][]cells{{{values: []string{"abcdefghijklmnopqrst"}, def: []int16{1}}}})
	for _, c := range cases {
		m, err := datafile.MetricsOf(map[string]string{c.property: c.value, "unrelated": "x"})
		if err != nil {
			t.Fatal(err)
		}
		f := mustInspect(t, data, iceberg.NewSchema(0, field(1, "s", iceberg.PrimitiveTypes.String, false)),
			*iceberg.UnpartitionedSpec, datafile.Options{Metrics: m})
		if (len(f.Stats) == 1) != c.stats {
			t.Fatalf("%s: %v", c.value, f.Stats)
		}
		if c.stats && (f.Stats[0].Lower != c.lower || f.Stats[0].Upper != c.upper) {
			t.Errorf("%s: bounds %q to %q", c.value, f.Stats[0].Lower, f.Stats[0].Upper)
		}
	}
	if _, err := datafile.MetricsOf(map[string]string{"write.metadata.metrics.default": "truncate(0)"}); err == nil {
		t.Error("truncate(0) was accepted")
	}
}

func TestNoRows(t *testing.T) {
	data := writeFile(t, []schema.Node{leaf(t, "n", true, parquet.Types.Int64, nil, 0, 1)}, nil)
	if _, err := inspect(data, longTable, *iceberg.UnpartitionedSpec, datafile.Options{}); !errors.Is(err, datafile.ErrNoRows) {
		t.Errorf("got %v", err)
	}
}
