package manifestio_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/tree"
)

// fullEntries are a data file and a manifest pointer that leave no field null.
func fullEntries() []tree.Entry {
	file := plainEntry()
	id := long(8271093846510000001)
	file.Tracking = tree.Tracking{Status: tree.Modified, SnapshotID: id, ModifiedSnapshotID: id, SequenceNumber: long(3),
		FileSequenceNumber: long(2), FirstRowID: long(100), SnapshotTimestampMicros: long(1_795_000_000_000_000)}
	file.SpecID, file.SortOrderID = integer(1), integer(2)
	file.Partition = tree.Tuple{{FieldID: 1000, Value: tree.String("eu")}, {FieldID: 1001, Value: tree.Int(5)}}
	file.Stats = tree.Stats{
		{FieldID: 1, Lower: tree.Long(1), Upper: tree.Long(2), ValueCount: long(10), NullCount: long(0)},
		{FieldID: 2, Lower: tree.String("a"), Upper: tree.String("b"), ValueCount: long(10), NullCount: long(1), AvgSizeBytes: integer(1)},
		{FieldID: 3, Lower: tree.Double(1), Upper: tree.Double(2), ValueCount: long(10), NullCount: long(1), NaNCount: long(2)},
		{FieldID: 5, Lower: tree.Date(1), Upper: tree.Date(2), ValueCount: long(10), NullCount: long(1)},
		{FieldID: 6, Lower: tree.Geo(1, 2, 3, 4), Upper: tree.Geo(5, 6, 7, 8), ValueCount: long(10), NullCount: long(1), AvgSizeBytes: integer(21)},
	}
	file.DeletionVector = iceberg.Optional[tree.DeletionVector]{Valid: true, Val: tree.DeletionVector{
		Location: "data/dv.puffin", OffsetBytes: 4, SizeBytes: 50, Cardinality: 2, KeyMetadata: []byte{9}}}
	file.KeyMetadata, file.SplitOffsets = []byte("key"), []int64{4, 500}

	pointer := plainEntry()
	pointer.Content, pointer.Location = tree.DataManifest, "metadata/m0.parquet"
	pointer.Tracking.DeletedPositions, pointer.Tracking.ReplacedPositions = []byte{1}, []byte{2}
	pointer.Manifest = iceberg.Optional[tree.ManifestInfo]{Valid: true, Val: tree.ManifestInfo{AddedFiles: 1, ExistingFiles: 2,
		DeletedFiles: 3, ReplacedFiles: 4, ModifiedFiles: 5, AddedRows: 6, ExistingRows: 7, DeletedRows: 8, ReplacedRows: 9,
		ModifiedRows: 10, MinSequenceNumber: 11, DV: []byte{3}, FormatVersion: 4}}
	return []tree.Entry{file, pointer}
}

func fullSchema(t tester) manifestio.Schema {
	table := iceberg.NewSchema(7,
		iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64, Required: true},
		iceberg.NestedField{ID: 2, Name: "name", Type: iceberg.PrimitiveTypes.String},
		iceberg.NestedField{ID: 3, Name: "score", Type: iceberg.PrimitiveTypes.Float64},
		iceberg.NestedField{ID: 4, Name: "info", Type: &iceberg.StructType{FieldList: []iceberg.NestedField{
			{ID: 5, Name: "born", Type: iceberg.PrimitiveTypes.Date}}}},
		iceberg.NestedField{ID: 6, Name: "place", Type: iceberg.GeometryType{}})
	return newSchema(t, table, iceberg.NestedField{ID: 1001, Name: "id_bucket", Type: iceberg.PrimitiveTypes.Int32},
		iceberg.NestedField{ID: 1000, Name: "region", Type: iceberg.PrimitiveTypes.String, Required: true})
}

// describe prints a schema with the ids: one line a field, indented by depth.
func describe(n schema.Node, depth int, out *strings.Builder) {
	fmt.Fprintf(out, "%s%s %s %d", strings.Repeat(" ", depth), n.RepetitionType(), n.Name(), n.FieldID())
	if p, ok := n.(*schema.PrimitiveNode); ok {
		fmt.Fprintf(out, " %s", p.PhysicalType())
	}
	if !n.LogicalType().IsNone() {
		name, _, _ := strings.Cut(n.LogicalType().String(), ", is_from")
		fmt.Fprintf(out, " %s", name)
	}
	out.WriteByte('\n')
	if g, ok := n.(*schema.GroupNode); ok {
		for i := range g.NumFields() {
			describe(g.Field(i), depth+1, out)
		}
	}
}

// TestEncodeIDs: every field has the name, id, type and repetition of rules 2 and 3, id 0 and the elements of lists
// included; only the middle group of a list has no id (B51).
func TestEncodeIDs(t *testing.T) {
	var got strings.Builder
	describe(openParquet(t, encode(t, fullSchema(t), fullEntries()...)).MetaData().Schema.Root(), 0, &got)
	if diff := cmp.Diff(fullType, got.String()); diff != "" {
		t.Error(diff)
	}
}

const fullType = `required tracked_file -1
 required tracking 147
  required status 0 INT32
  optional snapshot_id 1 INT64
  optional modified_snapshot_id 5 INT64
  optional sequence_number 3 INT64
  optional file_sequence_number 4 INT64
  optional first_row_id 142 INT64
  optional deleted_positions 6 BYTE_ARRAY
  optional replaced_positions 7 BYTE_ARRAY
  optional snapshot_timestamp 8 INT64 Timestamp(isAdjustedToUTC=true, timeUnit=microseconds
 required content_type 134 INT32
 required location 100 BYTE_ARRAY String
 required file_format 101 BYTE_ARRAY String
 required record_count 103 INT64
 required file_size_in_bytes 104 INT64
 optional spec_id 141 INT32
 optional partition 102
  optional region 1000 BYTE_ARRAY String
  optional id_bucket 1001 INT32
 optional content_stats 146
  optional id 10200
   optional lower_bound 10201 INT64
   optional upper_bound 10202 INT64
   optional tight_bounds 10203 BOOLEAN
   optional value_count 10204 INT64
   optional null_value_count 10205 INT64
  optional name 10400
   optional lower_bound 10401 BYTE_ARRAY String
   optional upper_bound 10402 BYTE_ARRAY String
   optional tight_bounds 10403 BOOLEAN
   optional value_count 10404 INT64
   optional null_value_count 10405 INT64
   optional avg_value_size_in_bytes 10407 INT32
  optional score 10600
   optional lower_bound 10601 DOUBLE
   optional upper_bound 10602 DOUBLE
   optional tight_bounds 10603 BOOLEAN
   optional value_count 10604 INT64
   optional null_value_count 10605 INT64
   optional nan_value_count 10606 INT64
  optional info.born 11000
   optional lower_bound 11001 INT32 Date
   optional upper_bound 11002 INT32 Date
   optional tight_bounds 11003 BOOLEAN
   optional value_count 11004 INT64
   optional null_value_count 11005 INT64
  optional place 11200
   optional lower_bound 11201
    required x 11210 DOUBLE
    required y 11211 DOUBLE
    optional z 11212 DOUBLE
    optional m 11213 DOUBLE
   optional upper_bound 11202
    required x 11214 DOUBLE
    required y 11215 DOUBLE
    optional z 11216 DOUBLE
    optional m 11217 DOUBLE
   optional value_count 11204 INT64
   optional null_value_count 11205 INT64
   optional avg_value_size_in_bytes 11207 INT32
 optional sort_order_id 140 INT32
 optional deletion_vector 148
  required location 155 BYTE_ARRAY String
  required offset 144 INT64
  required size_in_bytes 145 INT64
  required cardinality 156 INT64
  optional key_metadata 149 BYTE_ARRAY
 optional manifest_info 150
  required added_files_count 504 INT32
  required existing_files_count 505 INT32
  required deleted_files_count 506 INT32
  required replaced_files_count 523 INT32
  required modified_files_count 525 INT32
  required added_rows_count 512 INT64
  required existing_rows_count 513 INT64
  required deleted_rows_count 514 INT64
  required replaced_rows_count 524 INT64
  required modified_rows_count 526 INT64
  required min_sequence_number 516 INT64
  optional dv 522 BYTE_ARRAY
  required format_version 521 INT32
 optional key_metadata 131 BYTE_ARRAY
 optional split_offsets 132 List
  repeated list -1
   required element 133 INT64
`
