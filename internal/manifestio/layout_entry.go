package manifestio

import (
	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// rowType returns the row type of manifests with schema s and the given foreign fields, in the field order of
// rules 2.1, every leaf with the code that fills it.
func rowType(s Schema, foreign []*foreignField) (*layout, error) {
	c := newCells(0, func(rows []tree.Entry, s *strip[tree.Entry]) {
		for i := range rows {
			s.put(i, &rows[i], 0)
		}
	})
	type entry = *tree.Entry
	fields := []*field{
		trackingField(c, foreign),
		c.required("content_type", idContentType, intLeaf, appendContent),
		c.required("location", idLocation, stringLeaf, func(dst []byte, e entry) ([]byte, bool, error) { return putString(dst, e.Location) }),
		c.required("file_format", idFileFormat, stringLeaf, func(dst []byte, e entry) ([]byte, bool, error) { return putString(dst, e.FileFormat) }),
		c.required("record_count", idRecordCount, longLeaf, func(dst []byte, e entry) ([]byte, bool, error) { return putLong(dst, e.RecordCount) }),
		c.required("file_size_in_bytes", idFileSizeInBytes, longLeaf, func(dst []byte, e entry) ([]byte, bool, error) { return putLong(dst, e.FileSizeBytes) }),
		c.optional("spec_id", idSpecID, intLeaf, func(dst []byte, e entry) ([]byte, bool, error) { return putOptionalInt(dst, e.SpecID) }),
		partitionField(s),
		statsField(s),
		c.optional("sort_order_id", idSortOrderID, intLeaf, func(dst []byte, e entry) ([]byte, bool, error) { return putOptionalInt(dst, e.SortOrderID) }),
		deletionVectorField(),
		manifestInfoField(foreign),
		c.optional("key_metadata", idKeyMetadata, binaryLeaf, func(dst []byte, e entry) ([]byte, bool, error) { return putBytes(dst, e.KeyMetadata) }),
		list("split_offsets", idSplitOffsets, leaf("element", idSplitOffset, required, longLeaf, c, shredSplitOffsets(c))),
	}
	return newLayout(group("tracked_file", noID, required, append(fields, foreignFieldsIn(tree.InEntry, foreign)...)...))
}

// required returns a field that is required in the struct.
func (c *cells[C]) required(name string, id int, typ leafType, put appender[C]) *field {
	return leaf(name, id, required, typ, c, shred(c.strip, c.depth, c.depth, put))
}

// optional returns a field that is optional in the struct.
func (c *cells[C]) optional(name string, id int, typ leafType, put appender[C]) *field {
	return leaf(name, id, optional, typ, c, shred(c.strip, c.depth, c.depth+1, put))
}

// appendContent appends the content type as the file has it (rules 5).
func appendContent(dst []byte, e *tree.Entry) ([]byte, bool, error) {
	return putInt(dst, int32(e.Content)-int32(tree.Data))
}

// trackingField is the struct of rules 2.2.
func trackingField(c *cells[tree.Entry], foreign []*foreignField) *field {
	type tracking = *tree.Tracking
	long := func(name string, id int, typ leafType, get func(tracking) iceberg.Optional[int64]) *field {
		return c.optional(name, id, typ, func(dst []byte, e *tree.Entry) ([]byte, bool, error) { return putOptionalLong(dst, get(&e.Tracking)) })
	}
	binary := func(name string, id int, get func(tracking) []byte) *field {
		return c.optional(name, id, binaryLeaf, func(dst []byte, e *tree.Entry) ([]byte, bool, error) { return putBytes(dst, get(&e.Tracking)) })
	}
	type number = iceberg.Optional[int64]
	fields := []*field{
		c.required("status", idStatus, intLeaf, appendStatus),
		long("snapshot_id", idSnapshotID, longLeaf, func(t tracking) number { return t.SnapshotID }),
		long("modified_snapshot_id", idModifiedSnapshotID, longLeaf, func(t tracking) number { return t.ModifiedSnapshotID }),
		long("sequence_number", idSequenceNumber, longLeaf, func(t tracking) number { return t.SequenceNumber }),
		long("file_sequence_number", idFileSequenceNumber, longLeaf, func(t tracking) number { return t.FileSequenceNumber }),
		long("first_row_id", idFirstRowID, longLeaf, func(t tracking) number { return t.FirstRowID }),
		binary("deleted_positions", idDeletedPositions, func(t tracking) []byte { return t.DeletedPositions }),
		binary("replaced_positions", idReplacedPositions, func(t tracking) []byte { return t.ReplacedPositions }),
		long("snapshot_timestamp", idSnapshotTimestamp, timestampLeaf, func(t tracking) number { return t.SnapshotTimestampMicros }),
	}
	return group("tracking", idTracking, required, append(fields, foreignFieldsIn(tree.InTracking, foreign)...)...)
}

// appendStatus appends the status as the file has it (rules 6.1).
func appendStatus(dst []byte, e *tree.Entry) ([]byte, bool, error) {
	return putInt(dst, int32(e.Tracking.Status)-int32(tree.Existing))
}

// optionalCells is the source of the columns in an optional struct of the entry.
func optionalCells[C any](get func(*tree.Entry) *iceberg.Optional[C]) *cells[C] {
	return newCells(1, func(rows []tree.Entry, s *strip[C]) {
		for i := range rows {
			if o := get(&rows[i]); o.Valid {
				s.put(i, &o.Val, 0)
			} else {
				s.put(i, nil, 0)
			}
		}
	})
}

// deletionVectorField is the struct of rules 2.3.
func deletionVectorField() *field {
	c := optionalCells(func(e *tree.Entry) *iceberg.Optional[tree.DeletionVector] { return &e.DeletionVector })
	type vector = *tree.DeletionVector
	return group("deletion_vector", idDV, optional,
		c.required("location", idDVLocation, stringLeaf, func(dst []byte, d vector) ([]byte, bool, error) { return putString(dst, d.Location) }),
		c.required("offset", idDVOffset, longLeaf, func(dst []byte, d vector) ([]byte, bool, error) { return putLong(dst, d.OffsetBytes) }),
		c.required("size_in_bytes", idDVSize, longLeaf, func(dst []byte, d vector) ([]byte, bool, error) { return putLong(dst, d.SizeBytes) }),
		c.required("cardinality", idDVCardinality, longLeaf, func(dst []byte, d vector) ([]byte, bool, error) { return putLong(dst, d.Cardinality) }),
		c.optional("key_metadata", idDVKeyMetadata, binaryLeaf, func(dst []byte, d vector) ([]byte, bool, error) { return putBytes(dst, d.KeyMetadata) }))
}

// manifestInfoField is the struct of rules 2.4.
func manifestInfoField(foreign []*foreignField) *field {
	c := optionalCells(func(e *tree.Entry) *iceberg.Optional[tree.ManifestInfo] { return &e.Manifest })
	type info = *tree.ManifestInfo
	files := func(name string, id int, get func(info) int32) *field {
		return c.required(name, id, intLeaf, func(dst []byte, m info) ([]byte, bool, error) { return putInt(dst, get(m)) })
	}
	rows := func(name string, id int, get func(info) int64) *field {
		return c.required(name, id, longLeaf, func(dst []byte, m info) ([]byte, bool, error) { return putLong(dst, get(m)) })
	}
	fields := []*field{
		files("added_files_count", idAddedFiles, func(m info) int32 { return m.AddedFiles }),
		files("existing_files_count", idExistingFiles, func(m info) int32 { return m.ExistingFiles }),
		files("deleted_files_count", idDeletedFiles, func(m info) int32 { return m.DeletedFiles }),
		files("replaced_files_count", idReplacedFiles, func(m info) int32 { return m.ReplacedFiles }),
		files("modified_files_count", idModifiedFiles, func(m info) int32 { return m.ModifiedFiles }),
		rows("added_rows_count", idAddedRows, func(m info) int64 { return m.AddedRows }),
		rows("existing_rows_count", idExistingRows, func(m info) int64 { return m.ExistingRows }),
		rows("deleted_rows_count", idDeletedRows, func(m info) int64 { return m.DeletedRows }),
		rows("replaced_rows_count", idReplacedRows, func(m info) int64 { return m.ReplacedRows }),
		rows("modified_rows_count", idModifiedRows, func(m info) int64 { return m.ModifiedRows }),
		rows("min_sequence_number", idMinSequenceNumber, func(m info) int64 { return m.MinSequenceNumber }),
		c.optional("dv", idMDV, binaryLeaf, func(dst []byte, m info) ([]byte, bool, error) { return putBytes(dst, m.DV) }),
		files("format_version", idFormatVersion, func(m info) int32 { return m.FormatVersion }),
	}
	return group("manifest_info", idManifestInfo, optional, append(fields, foreignFieldsIn(tree.InManifestInfo, foreign)...)...)
}
