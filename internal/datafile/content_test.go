package datafile_test

import (
	"bytes"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/datafile"
	"github.com/firn-io/firn/tree"
)

func read(data []byte, table *iceberg.Schema, spec iceberg.PartitionSpec) (datafile.Content, error) {
	return datafile.Read(bytes.NewReader(data), int64(len(data)), location, table, spec, datafile.Options{})
}

// TestRead reads nulls, NaNs and values over two row groups, whatever the footer says of them.
func TestRead(t *testing.T) {
	nan, zero := math.NaN(), math.Copysign(0, -1)
	data := writeFile(t, []schema.Node{
		leaf(t, "d", true, parquet.Types.Double, nil, 0, 1),
		leaf(t, "s", true, parquet.Types.ByteArray, schema.StringLogicalType{}, 0, 2),
		leaf(t, "n", false, parquet.Types.Int32, nil, 0, 3),
	}, [][]cells{
		{{values: []float64{nan, nan, 0, zero}, def: []int16{1, 1, 0, 1, 1}}, {values: []string{"eu", "eu", "eu", "eu"}, def: []int16{1, 1, 1, 0, 1}},
			{values: []int32{5, 5, 4, 6, 6}}},
		{{values: []float64{3}, def: []int16{1}}, {values: []string{"eu"}, def: []int16{1}}, {values: []int32{-7}}},
	})
	table := iceberg.NewSchema(0, field(1, "d", prims.Float64, false), field(2, "s", prims.String, false), field(3, "n", prims.Int64, true),
		field(4, "later", prims.Int64, false))
	spec := iceberg.NewPartitionSpecID(3,
		iceberg.PartitionField{SourceIDs: []int{2}, FieldID: 1000, Name: "s", Transform: iceberg.IdentityTransform{}},
		iceberg.PartitionField{SourceIDs: []int{3}, FieldID: 1001, Name: "n", Transform: iceberg.TruncateTransform{Width: 100}},
		iceberg.PartitionField{SourceIDs: []int{4}, FieldID: 1002, Name: "later", Transform: iceberg.IdentityTransform{}},
		iceberg.PartitionField{SourceIDs: []int{3}, FieldID: 1003, Name: "void", Transform: iceberg.VoidTransform{}})
	got, err := read(data, table, spec)
	if err != nil {
		t.Fatal(err)
	}
	want := datafile.Content{
		RecordCount: 6,
		Columns: []datafile.ColumnContent{
			{ColumnID: 1, Values: 6, Nulls: 1, NaNs: 2, Lower: tree.Double(zero), Upper: tree.Double(3)},
			{ColumnID: 2, Values: 6, Nulls: 1, Lower: tree.String("eu"), Upper: tree.String("eu")},
			{ColumnID: 3, Values: 6, Lower: tree.Long(-7), Upper: tree.Long(6)},
		},
		Partitions: []datafile.PartitionContent{
			{FieldID: 1000, Value: tree.String("eu"), Several: true},
			{FieldID: 1001, Value: tree.Long(0), Other: tree.Long(-100), Several: true},
		},
	}
	if diff := cmp.Diff(want, got, byValue); diff != "" {
		t.Error(diff)
	}
	if lied, err := read(setExact(t, data, true), table, spec); err != nil || !cmp.Equal(lied, got, byValue) {
		t.Errorf("with another footer: %v, %v", lied, err)
	}
	if _, err := read(data[:len(data)-1], table, spec); !errors.Is(err, datafile.ErrCorrupt) {
		t.Errorf("a cut file: %v", err)
	}
	var mismatch *datafile.SchemaMismatchError
	if _, err := read(data, iceberg.NewSchema(0, field(2, "s", prims.Int64, false)), spec); !errors.As(err, &mismatch) {
		t.Errorf("another type: %v", err)
	}
}

// TestReadWritten agrees with the values of each column of files that other libraries wrote.
func TestReadWritten(t *testing.T) {
	files, err := filepath.Glob("testdata/written/*-v[12]*.parquet")
	if err != nil || len(files) != 7 {
		t.Fatalf("found %d files: %v", len(files), err)
	}
	for _, name := range files {
		data := readFile(t, name)
		table, err := datafile.SchemaOf(bytes.NewReader(data), int64(len(data)), location, datafile.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		content, err := read(data, table, *iceberg.UnpartitionedSpec)
		if err != nil {
			t.Fatal(err)
		}
		if len(content.Columns) == 0 {
			t.Errorf("%s: no column was read", name)
		}
		for _, c := range content.Columns {
			column, _ := table.FindColumnName(c.ColumnID)
			values, err := datafile.Values(bytes.NewReader(data), int64(len(data)), column)
			if err != nil {
				t.Fatal(err)
			}
			want := datafile.ColumnContent{ColumnID: c.ColumnID, Values: int64(len(values))}
			for _, v := range values {
				switch {
				case v.IsNull():
					want.Nulls++
				case v.IsNaN():
					want.NaNs++
				default:
					if want.Lower.IsNull() || tree.Compare(v, want.Lower) < 0 {
						want.Lower = v
					}
					if want.Upper.IsNull() || tree.Compare(v, want.Upper) > 0 {
						want.Upper = v
					}
				}
			}
			if diff := cmp.Diff(want, c, byValue); diff != "" {
				t.Errorf("%s, %s: %s", name, column, diff)
			}
		}
	}
}
