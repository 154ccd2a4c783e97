package manifestio

import (
	"github.com/apache/iceberg-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/tree"
)

// knownField is a scalar field of tracked_file and of the structs in it (rules 2).
type knownField struct {
	parent, id int // the struct's id, [tree.InEntry] for the entry itself
	name       string
	typ        scalarType
	// required fields are not null wherever their struct is not.
	required bool
	// always fields are read under every projection.
	always bool
	set    setter
}

// setter stores the values of a run of rows. A row that holds none is left as it is.
type setter func(es []tree.Entry, v *vector) error

// scalarType is the type of a known field.
type scalarType uint8

const (
	intField scalarType = iota + 1
	longField
	stringField
	binaryField
	timestamptzField
)

// String returns the type's Iceberg name.
func (t scalarType) String() string {
	return [...]string{"", "int", "long", "string", "binary", "timestamptz"}[t]
}

// fits reports whether a file's column has the type (rules 4.1).
func (t scalarType) fits(n *fileNode) bool {
	a := n.annotation
	switch t {
	case intField:
		return n.physical == format.Int32 && a.isInt(32)
	case longField:
		return n.physical == format.Int64 && a.isInt(64)
	case stringField:
		return n.physical == format.ByteArray && a.name == "string"
	case binaryField:
		return n.physical == format.ByteArray && a.name == ""
	case timestamptzField:
		return n.physical == format.Int64 && a.name == "timestamp" && a.unit == "micros" && a.utc
	}
	return false
}

// String names the field for messages: its path by the format's names and its id.
func (f *knownField) String() string { return fieldLabel(f.parent, f.id) }

// hasStruct reports whether an entry has the optional struct that the field belongs to.
func (f *knownField) hasStruct(e *tree.Entry) bool {
	if f.parent == idDV {
		return e.DeletionVector.Valid
	}
	return e.Manifest.Valid
}

// knownStructs are the structs that hold known fields.
var knownStructs = map[int]string{idTracking: "tracking", idDV: "deletion_vector", idManifestInfo: "manifest_info"}

// The values of [knownField.required] and [knownField.always].
const (
	mandatory = true
	nullable  = false
	everyRead = true
	fileRead  = false
)

// entryFields are the known fields of the entry itself (rules 2.1).
var entryFields = []knownField{
	{tree.InEntry, idContentType, "content_type", intField, mandatory, everyRead, setContent},
	{tree.InEntry, idLocation, "location", stringField, mandatory, everyRead,
		setText(func(e *tree.Entry) *string { return &e.Location })},
	{tree.InEntry, idFileFormat, "file_format", stringField, mandatory, fileRead,
		setText(func(e *tree.Entry) *string { return &e.FileFormat })},
	{tree.InEntry, idRecordCount, "record_count", longField, mandatory, everyRead,
		setNumber(func(e *tree.Entry) *int64 { return &e.RecordCount })},
	{tree.InEntry, idFileSizeInBytes, "file_size_in_bytes", longField, mandatory, fileRead,
		setNumber(func(e *tree.Entry) *int64 { return &e.FileSizeBytes })},
	{tree.InEntry, idSpecID, "spec_id", intField, nullable, fileRead,
		setOptional(func(e *tree.Entry) *iceberg.Optional[int32] { return &e.SpecID })},
	{tree.InEntry, idSortOrderID, "sort_order_id", intField, nullable, fileRead,
		setOptional(func(e *tree.Entry) *iceberg.Optional[int32] { return &e.SortOrderID })},
	{tree.InEntry, idKeyMetadata, "key_metadata", binaryField, nullable, fileRead,
		setBytes(func(e *tree.Entry) *[]byte { return &e.KeyMetadata })},
}

// trackingFields are the fields of the struct tracking (rules 2.2).
var trackingFields = []knownField{
	{idTracking, idStatus, "status", intField, mandatory, everyRead, setStatus},
	{idTracking, idSnapshotID, "snapshot_id", longField, nullable, everyRead,
		setOptional(func(e *tree.Entry) *iceberg.Optional[int64] { return &e.Tracking.SnapshotID })},
	{idTracking, idModifiedSnapshotID, "modified_snapshot_id", longField, nullable, everyRead,
		setOptional(func(e *tree.Entry) *iceberg.Optional[int64] { return &e.Tracking.ModifiedSnapshotID })},
	{idTracking, idSequenceNumber, "sequence_number", longField, nullable, everyRead,
		setOptional(func(e *tree.Entry) *iceberg.Optional[int64] { return &e.Tracking.SequenceNumber })},
	{idTracking, idFileSequenceNumber, "file_sequence_number", longField, nullable, everyRead,
		setOptional(func(e *tree.Entry) *iceberg.Optional[int64] { return &e.Tracking.FileSequenceNumber })},
	{idTracking, idFirstRowID, "first_row_id", longField, nullable, everyRead,
		setOptional(func(e *tree.Entry) *iceberg.Optional[int64] { return &e.Tracking.FirstRowID })},
	{idTracking, idDeletedPositions, "deleted_positions", binaryField, nullable, fileRead,
		setBytes(func(e *tree.Entry) *[]byte { return &e.Tracking.DeletedPositions })},
	{idTracking, idReplacedPositions, "replaced_positions", binaryField, nullable, fileRead,
		setBytes(func(e *tree.Entry) *[]byte { return &e.Tracking.ReplacedPositions })},
	{idTracking, idSnapshotTimestamp, "snapshot_timestamp", timestamptzField, nullable, fileRead,
		setOptional(func(e *tree.Entry) *iceberg.Optional[int64] { return &e.Tracking.SnapshotTimestampMicros })},
}

// dvFields are the fields of the struct deletion_vector (rules 2.3). The location, which is required, also
// marks the struct as present.
var dvFields = []knownField{
	{idDV, idDVLocation, "location", stringField, mandatory, fileRead, setDVLocation},
	{idDV, idDVOffset, "offset", longField, mandatory, fileRead,
		setNumber(func(e *tree.Entry) *int64 { return &e.DeletionVector.Val.OffsetBytes })},
	{idDV, idDVSize, "size_in_bytes", longField, mandatory, fileRead,
		setNumber(func(e *tree.Entry) *int64 { return &e.DeletionVector.Val.SizeBytes })},
	{idDV, idDVCardinality, "cardinality", longField, mandatory, fileRead,
		setNumber(func(e *tree.Entry) *int64 { return &e.DeletionVector.Val.Cardinality })},
	{idDV, idDVKeyMetadata, "key_metadata", binaryField, nullable, fileRead,
		setBytes(func(e *tree.Entry) *[]byte { return &e.DeletionVector.Val.KeyMetadata })},
}

// manifestFields are the fields of the struct manifest_info (rules 2.4). The first, which is required, also
// marks the struct as present.
var manifestFields = []knownField{
	{idManifestInfo, idAddedFiles, "added_files_count", intField, mandatory, fileRead, setAddedFiles},
	manifestCount(idExistingFiles, "existing_files_count", func(m *tree.ManifestInfo) *int32 { return &m.ExistingFiles }),
	manifestCount(idDeletedFiles, "deleted_files_count", func(m *tree.ManifestInfo) *int32 { return &m.DeletedFiles }),
	manifestCount(idReplacedFiles, "replaced_files_count", func(m *tree.ManifestInfo) *int32 { return &m.ReplacedFiles }),
	manifestCount(idModifiedFiles, "modified_files_count", func(m *tree.ManifestInfo) *int32 { return &m.ModifiedFiles }),
	manifestRows(idAddedRows, "added_rows_count", func(m *tree.ManifestInfo) *int64 { return &m.AddedRows }),
	manifestRows(idExistingRows, "existing_rows_count", func(m *tree.ManifestInfo) *int64 { return &m.ExistingRows }),
	manifestRows(idDeletedRows, "deleted_rows_count", func(m *tree.ManifestInfo) *int64 { return &m.DeletedRows }),
	manifestRows(idReplacedRows, "replaced_rows_count", func(m *tree.ManifestInfo) *int64 { return &m.ReplacedRows }),
	manifestRows(idModifiedRows, "modified_rows_count", func(m *tree.ManifestInfo) *int64 { return &m.ModifiedRows }),
	manifestRows(idMinSequenceNumber, "min_sequence_number", func(m *tree.ManifestInfo) *int64 { return &m.MinSequenceNumber }),
	{idManifestInfo, idMDV, "dv", binaryField, nullable, fileRead,
		setBytes(func(e *tree.Entry) *[]byte { return &e.Manifest.Val.DV })},
	{idManifestInfo, idFormatVersion, "format_version", intField, mandatory, fileRead, setFormatVersion},
}

// oldVersionField is where manifests of before October 2026 have the format version of a manifest (Q2).
var oldVersionField = knownField{tree.InEntry, idOldVersion, "format_version", intField, nullable, fileRead, setOldVersion}

// manifestCount is a required int of manifest_info.
func manifestCount(id int, name string, at func(*tree.ManifestInfo) *int32) knownField {
	set := setNumber(func(e *tree.Entry) *int32 { return at(&e.Manifest.Val) })
	return knownField{idManifestInfo, id, name, intField, mandatory, fileRead, set}
}

// manifestRows is a required long of manifest_info.
func manifestRows(id int, name string, at func(*tree.ManifestInfo) *int64) knownField {
	set := setNumber(func(e *tree.Entry) *int64 { return at(&e.Manifest.Val) })
	return knownField{idManifestInfo, id, name, longField, mandatory, fileRead, set}
}
