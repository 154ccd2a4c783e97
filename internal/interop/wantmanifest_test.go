package interop_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// wantManifest are the fields of a sample manifest (rules 2.1), before columns without a value are left out.
func wantManifest(t *testing.T) []want {
	return []want{
		structOf("tracking", 147, func(e tree.Entry) any { return e }, wantTracking()...).always(),
		field("content_type", 134, "int", func(e tree.Entry) any { return contentNumbers[e.Content] }).always(),
		field("location", 100, "string", func(e tree.Entry) any { return e.Location }).always(),
		field("file_format", 101, "string", func(e tree.Entry) any { return e.FileFormat }).always(),
		field("record_count", 103, "long", func(e tree.Entry) any { return e.RecordCount }).always(),
		field("file_size_in_bytes", 104, "long", func(e tree.Entry) any { return e.FileSizeBytes }).always(),
		field("spec_id", 141, "int", func(e tree.Entry) any { return orNil(e.SpecID) }),
		structOf("partition", 102, func(e tree.Entry) any { return nilIf(e.Partition == nil, e.Partition) }, wantPartition()...),
		structOf("content_stats", 146, func(e tree.Entry) any { return nilIf(e.Stats == nil, e.Stats) }, wantStats(t)...),
		field("sort_order_id", 140, "int", func(e tree.Entry) any { return orNil(e.SortOrderID) }),
		structOf("deletion_vector", 148, func(e tree.Entry) any { return orNil(e.DeletionVector) }, wantVector()...),
		structOf("manifest_info", 150, func(e tree.Entry) any { return orNil(e.Manifest) }, wantInfo()...),
		field("key_metadata", 131, "binary", func(e tree.Entry) any { return hexOf(e.KeyMetadata) }),
		listOf("split_offsets", 132, func(e tree.Entry) any { return anyOf(e.SplitOffsets) },
			field("element", 133, "long", func(n int64) any { return n }).always()),
		listOf("column_files", 158, func(e tree.Entry) any { return nilIf(e.Foreign == nil, columnFilesIn(e)) }, wantColumnFile()),
		structOf("note", 900, func(e tree.Entry) any { return nilIf(len(e.Foreign) < 2, e) },
			field("text", -1, "string", func(tree.Entry) any { return "note 漢" }).always()),
	}
}

// The numbers that stand for statuses and content types (rules 5, 6.1).
var (
	statusNumbers  = map[tree.Status]int{tree.Existing: 0, tree.Added: 1, tree.Deleted: 2, tree.Replaced: 3, tree.Modified: 4}
	contentNumbers = map[tree.Content]int{tree.Data: 0, tree.DataManifest: 3, tree.DeleteManifest: 4}
)

// wantTracking are the members of rules 2.2, and one that is carried.
func wantTracking() []want {
	long := func(name string, id int, value func(tree.Tracking) iceberg.Optional[int64]) want {
		return field(name, id, "long", func(e tree.Entry) any { return orNil(value(e.Tracking)) })
	}
	at := long("snapshot_timestamp", 8, func(t tree.Tracking) iceberg.Optional[int64] { return t.SnapshotTimestampMicros })
	at.typ = "timestamptz"
	return []want{
		field("status", 0, "int", func(e tree.Entry) any { return statusNumbers[e.Tracking.Status] }).always(),
		long("snapshot_id", 1, func(t tree.Tracking) iceberg.Optional[int64] { return t.SnapshotID }),
		long("modified_snapshot_id", 5, func(t tree.Tracking) iceberg.Optional[int64] { return t.ModifiedSnapshotID }),
		long("sequence_number", 3, func(t tree.Tracking) iceberg.Optional[int64] { return t.SequenceNumber }),
		long("file_sequence_number", 4, func(t tree.Tracking) iceberg.Optional[int64] { return t.FileSequenceNumber }),
		long("first_row_id", 142, func(t tree.Tracking) iceberg.Optional[int64] { return t.FirstRowID }),
		field("deleted_positions", 6, "binary", func(e tree.Entry) any { return hexOf(e.Tracking.DeletedPositions) }),
		field("replaced_positions", 7, "binary", func(e tree.Entry) any { return hexOf(e.Tracking.ReplacedPositions) }),
		at,
		field("owner_since", 90, "timestamptz", func(e tree.Entry) any { return nilIf(len(e.Foreign) < 3, number(e)) }),
	}
}

// wantVector are the members of rules 2.3.
func wantVector() []want {
	return []want{
		field("location", 155, "string", func(d tree.DeletionVector) any { return d.Location }).always(),
		field("offset", 144, "long", func(d tree.DeletionVector) any { return d.OffsetBytes }).always(),
		field("size_in_bytes", 145, "long", func(d tree.DeletionVector) any { return d.SizeBytes }).always(),
		field("cardinality", 156, "long", func(d tree.DeletionVector) any { return d.Cardinality }).always(),
		field("key_metadata", 149, "binary", func(d tree.DeletionVector) any { return hexOf(d.KeyMetadata) }),
	}
}

// wantInfo are the members of rules 2.4.
func wantInfo() []want {
	type info = tree.ManifestInfo
	return []want{
		field("added_files_count", 504, "int", func(m info) any { return m.AddedFiles }).always(),
		field("existing_files_count", 505, "int", func(m info) any { return m.ExistingFiles }).always(),
		field("deleted_files_count", 506, "int", func(m info) any { return m.DeletedFiles }).always(),
		field("replaced_files_count", 523, "int", func(m info) any { return m.ReplacedFiles }).always(),
		field("modified_files_count", 525, "int", func(m info) any { return m.ModifiedFiles }).always(),
		field("added_rows_count", 512, "long", func(m info) any { return m.AddedRows }).always(),
		field("existing_rows_count", 513, "long", func(m info) any { return m.ExistingRows }).always(),
		field("deleted_rows_count", 514, "long", func(m info) any { return m.DeletedRows }).always(),
		field("replaced_rows_count", 524, "long", func(m info) any { return m.ReplacedRows }).always(),
		field("modified_rows_count", 526, "long", func(m info) any { return m.ModifiedRows }).always(),
		field("min_sequence_number", 516, "long", func(m info) any { return m.MinSequenceNumber }).always(),
		field("dv", 522, "binary", func(m info) any { return hexOf(m.DV) }),
		field("format_version", 521, "int", func(m info) any { return m.FormatVersion }).always(),
	}
}

// wantColumnFile is the element of the list of column files.
func wantColumnFile() want {
	return structOf("element", 159, func(f columnFile) any { return f },
		field("location", 164, "string", func(f columnFile) any { return nilIf(f.location == "", f.location) }),
		field("file_size_in_bytes", 166, "long", func(f columnFile) any { return f.sizeBytes }).always(),
	).always()
}

func columnFilesIn(e tree.Entry) any { return anyOf(columnFilesOf(int(number(e)))) }

// number is the number i of a full file or a pointer, whose record counts are 1000+i and 60+i.
func number(e tree.Entry) int64 { return e.RecordCount % 20 }

// wantPartition are the partition fields.
func wantPartition() []want {
	var fields []want
	for _, f := range samplePartition() {
		fields = append(fields, field(f.Name, f.ID, f.Type.Type(), func(tuple tree.Tuple) any {
			for _, v := range tuple {
				if v.FieldID == f.ID {
					return jsonOf(v.Value)
				}
			}
			return nil
		}))
	}
	return fields
}

// wantStats are the structs of rules 3.1, one a column.
func wantStats(t *testing.T) []want {
	var fields []want
	for _, c := range statsColumns(t) {
		base := 10_000 + 200*c.ID
		switch c.ID {
		case lastUpdatedColumn:
			base = 9000
		case rowIDColumn:
			base = 9200
		}
		fields = append(fields, structOf(c.Name, base, func(stats tree.Stats) any {
			for _, s := range stats {
				if s.FieldID == c.ID {
					return s
				}
			}
			return nil
		}, wantFieldStats(c.Type, base)...))
	}
	return fields
}

func wantFieldStats(t iceberg.Type, base int) []want {
	type stats = tree.FieldStats
	var fields []want
	switch t.(type) {
	case iceberg.GeometryType, iceberg.GeographyType:
		corner := func(name string, id, first int, value func(stats) tree.Value) want {
			return structOf(name, id, func(s stats) any { return nilIf(value(s).IsNull(), value(s)) }, wantCorner(first)...)
		}
		fields = []want{
			corner("lower_bound", base+1, base+10, func(s stats) tree.Value { return s.Lower }),
			corner("upper_bound", base+2, base+14, func(s stats) tree.Value { return s.Upper }),
		}
	default:
		fields = []want{
			field("lower_bound", base+1, t.Type(), func(s stats) any { return jsonOf(s.Lower) }),
			field("upper_bound", base+2, t.Type(), func(s stats) any { return jsonOf(s.Upper) }),
			field("tight_bounds", base+3, "boolean", func(s stats) any { return s.Tight.Val }), // never null (rules 0.5-1)
		}
	}
	fields = append(fields,
		field("value_count", base+4, "long", func(s stats) any { return orNil(s.ValueCount) }),
		field("null_value_count", base+5, "long", func(s stats) any { return orNil(s.NullCount) }))
	if floats(t) {
		fields = append(fields, field("nan_value_count", base+6, "long", func(s stats) any { return orNil(s.NaNCount) }))
	}
	if sized(t) {
		fields = append(fields, field("avg_value_size_in_bytes", base+7, "int", func(s stats) any { return orNil(s.AvgSizeBytes) }))
	}
	return fields
}

// wantCorner are the coordinates of a corner of a box; a missing z or m is NaN in memory.
func wantCorner(first int) []want {
	var fields []want
	for axis, name := range []string{"x", "y", "z", "m"} {
		f := field(name, first+axis, "double", func(v tree.Value) any {
			var c [4]float64
			c[0], c[1], c[2], c[3] = v.GeoCorner()
			return nilIf(math.IsNaN(c[axis]), fmt.Sprintf("0x%016x", math.Float64bits(c[axis])))
		})
		f.required = axis < 2
		fields = append(fields, f)
	}
	return fields
}
