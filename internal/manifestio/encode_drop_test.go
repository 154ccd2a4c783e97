package manifestio_test

import (
	"bytes"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/tree"
)

// requiredColumns are the columns that are required on their whole path.
var requiredColumns = []string{"tracking.status", "content_type", "location", "file_format", "record_count", "file_size_in_bytes"}

func withColumns(more ...string) []string {
	return append(append([]string{}, requiredColumns...), more...)
}

// TestEncodeDropsColumns: a column without a value in any row is left out, and a struct of which nothing is
// left; what a reader would miss is not.
func TestEncodeDropsColumns(t *testing.T) {
	day := iceberg.NestedField{ID: 1000, Name: "day", Type: iceberg.PrimitiveTypes.Date}
	region := iceberg.NestedField{ID: 1001, Name: "region", Type: iceberg.PrimitiveTypes.String}
	table := tableOf(iceberg.PrimitiveTypes.Int64, iceberg.PrimitiveTypes.String, iceberg.GeometryType{})
	partitioned, unpartitioned := newSchema(t, table, day, region), newSchema(t, table)
	for _, c := range []struct {
		name   string
		schema manifestio.Schema
		edit   func(e *tree.Entry)
		want   []string
	}{
		{"least", partitioned, func(*tree.Entry) {}, withColumns()},
		{"null tuple", partitioned, func(e *tree.Entry) { e.Partition = nil }, withColumns()},
		{"tuple of nulls", partitioned, func(e *tree.Entry) { e.Partition = tree.Tuple{} }, withColumns("partition.day")},
		{"tuple of explicit nulls", partitioned, func(e *tree.Entry) {
			e.Partition = tree.Tuple{{FieldID: 1000}, {FieldID: 1001}}
		}, withColumns("partition.day")},
		{"tuple with one value", partitioned, func(e *tree.Entry) {
			e.Partition = tree.Tuple{{FieldID: 1001, Value: tree.String("")}}
		}, withColumns("partition.region")},
		{"empty statistics", unpartitioned, func(e *tree.Entry) { e.Stats = tree.Stats{} }, withColumns()},
		{"statistics of a column without any", unpartitioned, func(e *tree.Entry) {
			e.Stats = tree.Stats{{FieldID: 1}}
		}, withColumns("content_stats.ca.tight_bounds")},
		{"statistics of a geometry without any", unpartitioned, func(e *tree.Entry) {
			e.Stats = tree.Stats{{FieldID: 3}}
		}, withColumns()},
		{"geometry in the plane", unpartitioned, func(e *tree.Entry) {
			nan := nan()
			e.Stats = tree.Stats{{FieldID: 3, Lower: tree.Geo(1, 2, nan, nan)}}
		}, withColumns("content_stats.cc.lower_bound.x", "content_stats.cc.lower_bound.y")},
		{"one bound", unpartitioned, func(e *tree.Entry) {
			e.Stats = tree.Stats{{FieldID: 2, Upper: tree.String("z")}}
		}, withColumns("content_stats.cb.upper_bound", "content_stats.cb.tight_bounds")},
		{"statistics of an unknown column", unpartitioned, func(e *tree.Entry) {
			e.Stats = tree.Stats{{FieldID: 99, Lower: tree.Long(1)}}
		}, withColumns()},
		{"deletion vector", unpartitioned, func(e *tree.Entry) {
			e.DeletionVector = iceberg.Optional[tree.DeletionVector]{Valid: true, Val: tree.DeletionVector{Location: "dv"}}
		}, withColumns("deletion_vector.location", "deletion_vector.offset", "deletion_vector.size_in_bytes", "deletion_vector.cardinality")},
		{"empty binary", unpartitioned, func(e *tree.Entry) { e.KeyMetadata = []byte{} }, withColumns("key_metadata")},
		{"empty list", unpartitioned, func(e *tree.Entry) { e.SplitOffsets = []int64{} }, withColumns()},
		{"list", unpartitioned, func(e *tree.Entry) { e.SplitOffsets = []int64{4} }, withColumns("split_offsets.list.element")},
	} {
		t.Run(c.name, func(t *testing.T) {
			// Rows of several blocks, of which one in the middle has the fields.
			entries := make([]tree.Entry, 150)
			for i := range entries {
				entries[i] = plainEntry()
			}
			c.edit(&entries[100])
			var out bytes.Buffer
			got, err := manifestio.Encode(&out, c.schema, entries, manifestio.EncodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			paths := openParquet(t, out.Bytes()).paths()
			if diff := cmp.Diff(c.want, paths); diff != "" {
				t.Error(diff)
			}
			if got.Columns != len(paths) {
				t.Errorf("reported %d columns of %d", got.Columns, len(paths))
			}
		})
	}
}

// TestEncodeTupleOfNulls: with one column kept, a tuple of nulls and a null tuple stay apart (rules 2.7.3).
func TestEncodeTupleOfNulls(t *testing.T) {
	s := newSchema(t, tableOf(iceberg.PrimitiveTypes.Int64), iceberg.NestedField{ID: 1000, Name: "day", Type: iceberg.PrimitiveTypes.Date})
	null, nulls := plainEntry(), plainEntry()
	nulls.Partition = tree.Tuple{}
	got := openParquet(t, encode(t, s, null, nulls, null)).levels("partition.day")
	if diff := cmp.Diff([]level{{Def: 0}, {Def: 1}, {Def: 0}}, got); diff != "" {
		t.Error(diff)
	}
}

// TestEncodeTightBounds: tight_bounds is true or false wherever the struct is, and null nowhere else (rules 0.5-1).
func TestEncodeTightBounds(t *testing.T) {
	s := newSchema(t, tableOf(iceberg.PrimitiveTypes.Int64))
	var entries []tree.Entry
	for _, stats := range []tree.Stats{
		nil, {{FieldID: 1}}, {{FieldID: 1, Tight: iceberg.Optional[bool]{Valid: true, Val: true}}},
		{{FieldID: 1, Tight: iceberg.Optional[bool]{Valid: true}}}, {},
	} {
		e := plainEntry()
		e.Stats = stats
		entries = append(entries, e)
	}
	got := openParquet(t, encode(t, s, entries...)).levels("content_stats.ca.tight_bounds")
	want := []level{{Def: 0}, {Def: 3, Value: false}, {Def: 3, Value: true}, {Def: 3, Value: false}, {Def: 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestEncodeNoRows: a manifest without rows is a file without a row group that has the required columns only
// (rules 0.5-4).
func TestEncodeNoRows(t *testing.T) {
	f := openParquet(t, encode(t, fullSchema(t)))
	if f.NumRows() != 0 || f.NumRowGroups() != 0 {
		t.Errorf("%d rows in %d row groups", f.NumRows(), f.NumRowGroups())
	}
	if diff := cmp.Diff(requiredColumns, f.paths()); diff != "" {
		t.Error(diff)
	}
}

// TestEncodeWithoutStructs: no group is written without fields (B51).
func TestEncodeWithoutStructs(t *testing.T) {
	unknown := iceberg.NestedField{ID: 1000, Name: "void", Type: iceberg.PrimitiveTypes.Unknown}
	none, err := manifestio.NewSchema(tableOf(iceberg.PrimitiveTypes.Int64), nil, []int{})
	if err != nil {
		t.Fatal(err)
	}
	e := plainEntry()
	e.Stats = tree.Stats{{FieldID: 1, Lower: tree.Long(1), ValueCount: long(3)}}
	for name, s := range map[string]manifestio.Schema{
		"only an unknown column":       newSchema(t, tableOf(iceberg.PrimitiveTypes.Unknown)),
		"partitioned by an unknown":    newSchema(t, tableOf(iceberg.PrimitiveTypes.Unknown), unknown),
		"all statistics switched off":  none,
		"no columns, no partition":     newSchema(t, iceberg.NewSchema(1)),
		"the zero schema is legal too": {},
	} {
		if diff := cmp.Diff(requiredColumns, openParquet(t, encode(t, s, e)).paths()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
