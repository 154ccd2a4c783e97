package cli

import (
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/tree"
)

// TestRowInJSON has the fields that the fixtures leave out.
func TestRowInJSON(t *testing.T) {
	names := namesOf(manifestio.Schema{
		Partition: []iceberg.NestedField{{ID: 1000, Name: "p"}, {ID: 1001, Name: "p"}},
		Stats:     []manifestio.StatsColumn{{FieldID: 1, Name: "c"}, {FieldID: 2, Name: "c"}},
	})
	one := func(n int64) iceberg.Optional[int64] { return iceberg.Optional[int64]{Val: n, Valid: true} }
	row := tree.Row{Position: 3, Entry: tree.Entry{
		Tracking: tree.Tracking{
			Status: tree.Modified, ReplacedPositions: []byte{1}, SnapshotTimestampMicros: one(5),
		},
		Content: tree.Data, Location: "a\"b", FileFormat: "parquet", RecordCount: 1, FileSizeBytes: 2,
		Partition:   tree.Tuple{{FieldID: 1001, Value: tree.Int(7)}},
		Stats:       tree.Stats{{FieldID: 1, NaNCount: one(0)}, {FieldID: 2, Lower: tree.String("x")}},
		SortOrderID: iceberg.Optional[int32]{Val: 4, Valid: true},
		KeyMetadata: []byte{}, SplitOffsets: []int64{4, 9},
		Foreign: []tree.ForeignField{
			{Type: &tree.ForeignType{ID: 158, Name: "column_files"}, Cells: []tree.ForeignCell{{Value: "x"}}},
			{Type: &tree.ForeignType{ID: 135, Name: "equality_ids"}, Cells: []tree.ForeignCell{{}}},
			{Type: &tree.ForeignType{ID: -1, Name: "tags"}, Cells: []tree.ForeignCell{{}, {Value: "y"}}},
		},
	}}
	want := `{"position":3,"tracking":{"status":"MODIFIED","replaced_positions":"0x01","snapshot_timestamp":5},` +
		`"content_type":"DATA","location":"a\"b","file_format":"parquet","record_count":1,"file_size_in_bytes":2,` +
		`"partition":{"p_1000":null,"p_1001":7},"content_stats":{"c_1":{"nan_value_count":0},"c_2":{"lower_bound":"x"}},` +
		`"sort_order_id":4,"key_metadata":"0x","split_offsets":[4,9],` +
		`"unread_columns":[{"id":158,"name":"column_files"},{"id":-1,"name":"tags"}]}`
	if got := string(names.appendRow(nil, row)); got != want {
		t.Errorf("row:\n%s\nwant:\n%s", got, want)
	}
}
