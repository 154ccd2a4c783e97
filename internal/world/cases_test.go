package world_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/tree"
)

// sameValues compares values of bounds and tuples.
var sameValues = cmp.Comparer(func(a, b tree.Value) bool { return a == b })

// tableOf returns the row type of manifests of a table with columns of these types, called c1, c2 and so on.
func rowType(t *testing.T, types ...iceberg.Type) manifestio.Schema {
	t.Helper()
	var fields []iceberg.NestedField
	for i, typ := range types {
		fields = append(fields, iceberg.NestedField{ID: i + 1, Name: "c" + string(rune('1'+i)), Type: typ})
	}
	s, err := manifestio.NewSchema(iceberg.NewSchema(0, fields...), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func encode(t *testing.T, s manifestio.Schema, rows ...tree.Entry) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := manifestio.Encode(&b, s, rows, manifestio.EncodeOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decode(t *testing.T, data []byte) []tree.Entry {
	t.Helper()
	r, err := manifestio.Open(bytes.NewReader(data), int64(len(data)), "m.parquet", manifestio.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := r.ReadAll(tree.Full)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// fileWith returns an ADDED row with statistics.
func fileWith(stats ...tree.FieldStats) tree.Entry {
	return tree.Entry{
		Tracking: tree.Tracking{Status: tree.Added}, Content: tree.Data,
		Location: "f", FileFormat: "parquet", RecordCount: 5, FileSizeBytes: 900, Stats: stats,
	}
}

func bounds(column int, lower, upper tree.Value) tree.FieldStats {
	return tree.FieldStats{FieldID: column, Lower: lower, Upper: upper, Tight: iceberg.Optional[bool]{Val: true, Valid: true}}
}

// TestNanosecondBounds writes bounds of a column in nanoseconds and has another library say what it finds (B46).
func TestNanosecondBounds(t *testing.T) {
	instants := []int64{0, 1000, -1, -1001, 1510871468000001001, -3_600_000_000_000}
	var rows []tree.Entry
	for _, ns := range instants {
		rows = append(rows, fileWith(bounds(1, tree.TimestampNano(ns), tree.TimestampNano(ns))))
	}
	data := encode(t, rowType(t, iceberg.PrimitiveTypes.TimestampNs), rows...)
	if diff := cmp.Diff(rows, decode(t, data), sameValues); diff != "" {
		t.Errorf("written -, read +:\n%s", diff)
	}
	r, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	schema, column := r.MetaData().Schema, -1
	for i := range schema.NumColumns() {
		if strings.HasSuffix(schema.Column(i).Path(), "lower_bound") {
			column = i
		}
	}
	if column < 0 {
		t.Fatal("no lower bounds")
	}
	if got := schema.Column(column).LogicalType().String(); !strings.Contains(got, "isAdjustedToUTC=false, timeUnit=nanoseconds") {
		t.Errorf("lower bounds are %s", got)
	}
	chunk, err := r.RowGroup(0).Column(column)
	if err != nil {
		t.Fatal(err)
	}
	values, def := make([]int64, len(instants)), make([]int16, len(instants))
	if _, _, err := chunk.(*file.Int64ColumnChunkReader).ReadBatch(int64(len(instants)), values, def, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(instants, values); diff != "" {
		t.Errorf("lower bounds: %s", diff)
	}
}

// TestStatsOfAnotherSchema reads statistics of a column that the table does not have, and writes the row again under
// the table's own schema, which leaves them out (B51).
func TestStatsOfAnotherSchema(t *testing.T) {
	types := iceberg.PrimitiveTypes
	one, three := bounds(1, tree.Long(1), tree.Long(5)), bounds(3, tree.String("a"), tree.String("b"))
	written := fileWith(one, three)
	read := decode(t, encode(t, rowType(t, types.Int64, types.Bool, types.String), written))
	if diff := cmp.Diff([]tree.Entry{written}, read, sameValues); diff != "" {
		t.Errorf("written -, read +:\n%s", diff)
	}
	again := decode(t, encode(t, rowType(t, types.Int64, types.Bool), read...))
	if diff := cmp.Diff([]tree.Entry{fileWith(one)}, again, sameValues); diff != "" {
		t.Errorf("under the table's schema (-want +got):\n%s", diff)
	}
}

// TestListBesideMissingColumns reads a list from files that lack nested columns, since no row has a value there: all of
// tracking but the status, the deletion vector, or only one member of each (B51).
func TestListBesideMissingColumns(t *testing.T) {
	some := func(n int64) iceberg.Optional[int64] { return iceberg.Optional[int64]{Val: n, Valid: true} }
	for name, change := range map[string]func(*tree.Entry){
		"all of them missing": func(*tree.Entry) {},
		"some of them missing": func(e *tree.Entry) {
			e.Tracking.SequenceNumber = some(3)
			e.DeletionVector = iceberg.Optional[tree.DeletionVector]{Valid: true, Val: tree.DeletionVector{
				Location: "d.puffin", OffsetBytes: 4, SizeBytes: 40, Cardinality: 2,
			}}
		},
	} {
		rows := []tree.Entry{fileWith(), fileWith(), fileWith()}
		rows[0].SplitOffsets, rows[2].SplitOffsets = []int64{4, 100, 200}, []int64{4}
		change(&rows[0])
		if diff := cmp.Diff(rows, decode(t, encode(t, rowType(t, iceberg.PrimitiveTypes.Int64), rows...)), sameValues); diff != "" {
			t.Errorf("%s: written -, read +:\n%s", name, diff)
		}
	}
}
