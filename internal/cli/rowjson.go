package cli

import (
	"slices"
	"strconv"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/tree"
)

// rowNames are the names by which one manifest calls its partition fields and the columns of its statistics.
type rowNames struct {
	partition []iceberg.NestedField
	columns   map[int]string
}

// namesOf returns the names of a manifest. Columns that share a name have their id too.
func namesOf(s manifestio.Schema) rowNames {
	names := rowNames{partition: s.Partition, columns: make(map[int]string)}
	count := make(map[string]int)
	for _, column := range s.Stats {
		count[column.Name]++
	}
	for _, column := range s.Stats {
		name := column.Name
		if count[name] > 1 {
			name += "_" + strconv.Itoa(column.FieldID)
		}
		names.columns[column.FieldID] = name
	}
	return names
}

// object writes the members of a JSON object that are not null.
type object struct {
	dst   []byte
	begun bool
}

// key begins a member.
func (o *object) key(name string) {
	if o.begun {
		o.dst = append(o.dst, ',')
	}
	o.begun = true
	o.dst = append(appendText(o.dst, name), ':')
}

func (o *object) text(name, v string) {
	o.key(name)
	o.dst = appendText(o.dst, v)
}

func (o *object) number(name string, v int64) {
	o.key(name)
	o.dst = strconv.AppendInt(o.dst, v, 10)
}

func (o *object) optional(name string, v iceberg.Optional[int64]) {
	if v.Valid {
		o.number(name, v.Val)
	}
}

func (o *object) optional32(name string, v iceberg.Optional[int32]) {
	if v.Valid {
		o.number(name, int64(v.Val))
	}
}

// binary writes bytes; nil is null.
func (o *object) binary(name string, v []byte) {
	if v != nil {
		o.key(name)
		o.dst = appendBinary(o.dst, string(v))
	}
}

func (o *object) value(name string, v tree.Value) {
	if !v.IsNull() {
		o.key(name)
		o.dst = appendValue(o.dst, v)
	}
}

func (o *object) raw(name, json string) {
	o.key(name)
	o.dst = append(o.dst, json...)
}

// nested writes a member that is an object itself.
func (o *object) nested(name string, members func(*object)) {
	o.key(name)
	inner := object{dst: append(o.dst, '{')}
	members(&inner)
	o.dst = append(inner.dst, '}')
}

// appendRow appends a row as a JSON object with the fields that are not null (rules 2).
func (n rowNames) appendRow(dst []byte, row tree.Row) []byte {
	o := object{dst: append(dst, '{')}
	e := row.Entry
	o.number("position", row.Position)
	o.nested("tracking", func(o *object) { appendTracking(o, e.Tracking) })
	o.text("content_type", e.Content.String())
	o.text("location", e.Location)
	o.text("file_format", e.FileFormat)
	o.number("record_count", e.RecordCount)
	o.number("file_size_in_bytes", e.FileSizeBytes)
	o.optional32("spec_id", e.SpecID)
	if e.Partition != nil {
		o.raw("partition", partitionCell(e.Partition, n.partition).json)
	}
	if e.Stats != nil {
		o.nested("content_stats", func(o *object) { n.appendStats(o, e.Stats) })
	}
	o.optional32("sort_order_id", e.SortOrderID)
	if e.DeletionVector.Valid {
		o.nested("deletion_vector", func(o *object) { appendDV(o, e.DeletionVector.Val) })
	}
	if e.Manifest.Valid {
		o.nested("manifest_info", func(o *object) { appendManifestInfo(o, e.Manifest.Val) })
	}
	o.binary("key_metadata", e.KeyMetadata)
	if e.SplitOffsets != nil {
		o.raw("split_offsets", numberList(e.SplitOffsets))
	}
	if unread := unreadColumns(e.Foreign); unread != "[]" {
		o.raw("unread_columns", unread)
	}
	return append(o.dst, '}')
}

// unreadColumns lists the columns with values that this version carries without reading them (rules 15.3).
func unreadColumns(fields []tree.ForeignField) string {
	list := []byte{'['}
	for _, f := range fields {
		if !slices.ContainsFunc(f.Cells, func(c tree.ForeignCell) bool { return c.Value != "" }) {
			continue
		}
		if len(list) > 1 {
			list = append(list, ',')
		}
		column := object{dst: append(list, '{')}
		column.number("id", int64(f.Type.ID))
		column.text("name", f.Type.Name)
		list = append(column.dst, '}')
	}
	return string(append(list, ']'))
}

func appendTracking(o *object, t tree.Tracking) {
	o.text("status", t.Status.String())
	o.optional("snapshot_id", t.SnapshotID)
	o.optional("modified_snapshot_id", t.ModifiedSnapshotID)
	o.optional("sequence_number", t.SequenceNumber)
	o.optional("file_sequence_number", t.FileSequenceNumber)
	o.optional("first_row_id", t.FirstRowID)
	o.binary("deleted_positions", t.DeletedPositions)
	o.binary("replaced_positions", t.ReplacedPositions)
	o.optional("snapshot_timestamp", t.SnapshotTimestampMicros)
}

func appendDV(o *object, dv tree.DeletionVector) {
	o.text("location", dv.Location)
	o.number("offset", dv.OffsetBytes)
	o.number("size_in_bytes", dv.SizeBytes)
	o.number("cardinality", dv.Cardinality)
	o.binary("key_metadata", dv.KeyMetadata)
}

func appendManifestInfo(o *object, m tree.ManifestInfo) {
	for _, count := range []struct {
		name string
		n    int32
	}{
		{"added_files_count", m.AddedFiles}, {"existing_files_count", m.ExistingFiles},
		{"deleted_files_count", m.DeletedFiles}, {"replaced_files_count", m.ReplacedFiles},
		{"modified_files_count", m.ModifiedFiles},
	} {
		o.number(count.name, int64(count.n))
	}
	o.number("added_rows_count", m.AddedRows)
	o.number("existing_rows_count", m.ExistingRows)
	o.number("deleted_rows_count", m.DeletedRows)
	o.number("replaced_rows_count", m.ReplacedRows)
	o.number("modified_rows_count", m.ModifiedRows)
	o.number("min_sequence_number", m.MinSequenceNumber)
	o.binary("dv", m.DV)
	o.number("format_version", int64(m.FormatVersion))
}

func (n rowNames) appendStats(o *object, stats tree.Stats) {
	for _, s := range stats {
		o.nested(n.columns[s.FieldID], func(o *object) {
			o.value("lower_bound", s.Lower)
			o.value("upper_bound", s.Upper)
			if s.Tight.Valid {
				o.raw("tight_bounds", strconv.FormatBool(s.Tight.Val))
			}
			o.optional("value_count", s.ValueCount)
			o.optional("null_value_count", s.NullCount)
			o.optional("nan_value_count", s.NaNCount)
			o.optional32("avg_value_size_in_bytes", s.AvgSizeBytes)
		})
	}
}

func numberList(numbers []int64) string {
	return string(jsonList(numbers, func(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }))
}
