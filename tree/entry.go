package tree

import "github.com/apache/iceberg-go"

// Status is what a manifest says about one of its entries (rules 6.1). The zero Status is invalid; the
// number in the file is one less than the number in memory, see [Status.Format].
type Status uint8

// The statuses of rules 6.1. Existing, Added and Modified entries are live, Deleted and Replaced ones are not.
const (
	// Existing entries are carried over unchanged.
	Existing Status = iota + 1
	// Added entries appear for the first time in their snapshot.
	Added
	// Deleted entries were removed by the snapshot in their snapshot id.
	Deleted
	// Replaced entries are the old state of a file whose deletion vector or column files changed.
	Replaced
	// Modified entries are the new state of such a file, or a manifest whose deletion vector changed.
	Modified
)

// Content says what an entry stands for (rules 2.1, 5). The zero Content is invalid.
type Content uint8

// The content types of the format. A v4 manifest holds only Data, DataManifest and DeleteManifest entries;
// the two kinds of delete files appear in legacy (v1 to v3) manifests (rules 2.1.2, 5).
const (
	// Data is a data file.
	Data Content = iota + 1
	// PositionDeletes is a position delete file or a v3 deletion vector.
	PositionDeletes
	// EqualityDeletes is an equality delete file.
	EqualityDeletes
	// DataManifest is a pointer to a manifest of data files.
	DataManifest
	// DeleteManifest is a pointer to a legacy manifest of delete files.
	DeleteManifest
)

// Entry is one row of a manifest: a data file, or in a root manifest also a pointer to a manifest
// (rules 2.1). An Entry is a value: whoever gets one may copy it freely, and nobody changes the slices that
// it holds. Null is an explicit optional, a nil slice, or a null [Value].
type Entry struct {
	// Tracking is the state of the entry in the table's history (rules 2.2).
	Tracking Tracking
	// Content says what the entry stands for.
	Content Content
	// Location is the location as stored, absolute or relative to the table (rules 12).
	Location string
	// FileFormat is the format's name as stored; compare it without regard to case (Q26).
	FileFormat string
	// RecordCount counts the rows of a data file, or all entries of a manifest (rules 2.6).
	RecordCount int64
	// FileSizeBytes is the length of the file.
	FileSizeBytes int64
	// SpecID is null for a file whose spec has no fields (rules 2.7.2).
	SpecID iceberg.Optional[int32]
	// Partition is nil exactly when the tuple is null (rules 2.7).
	Partition Tuple
	// Stats is nil when nothing is known (rules 3).
	Stats Stats
	// SortOrderID is null or unknown for files treated as unsorted.
	SortOrderID iceberg.Optional[int32]
	// DeletionVector is the colocated row-level deletion vector of a data file (rules 2.3, 10.2).
	DeletionVector iceberg.Optional[DeletionVector]
	// Manifest is set exactly for manifest pointers (rules 2.1.3).
	Manifest iceberg.Optional[ManifestInfo]
	// KeyMetadata is nil when null; a zero-length value is not null.
	KeyMetadata []byte
	// SplitOffsets is nil when null, else ascending.
	SplitOffsets []int64
	// Foreign are the columns that this version carries without reading them (S45, rules 15.3).
	Foreign []ForeignField
}

// Tracking is the part of an entry that tells its history (rules 2.2). In a leaf, null ids and numbers are
// inherited from the root's pointer (rules 7, 8); in a root all that may be set is explicit (rules 7.6).
type Tracking struct {
	Status Status
	// SnapshotID is the snapshot that added, deleted or replaced the entry (rules 6.6).
	SnapshotID iceberg.Optional[int64]
	// ModifiedSnapshotID is the snapshot that last modified the entry; never inherited (rules 7.10).
	ModifiedSnapshotID iceberg.Optional[int64]
	// SequenceNumber is the data sequence number.
	SequenceNumber iceberg.Optional[int64]
	// FileSequenceNumber is the sequence number of the snapshot that added the file.
	FileSequenceNumber iceberg.Optional[int64]
	// FirstRowID is the row id of the file's first row, or the start of a manifest's range (rules 8).
	FirstRowID iceberg.Optional[int64]
	// DeletedPositions and ReplacedPositions are Mumbling bitmaps of a pointer's last change (rules 9.2),
	// nil when null. They are trusted only while ModifiedSnapshotID is the snapshot being read (rules 9.6).
	DeletedPositions, ReplacedPositions []byte
	// SnapshotTimestampMicros is field 8 of the draft in rules 16.
	SnapshotTimestampMicros iceberg.Optional[int64]
}

// DeletionVector places a row-level deletion vector blob in a Puffin file (rules 2.3).
type DeletionVector struct {
	// Location is stored by the same rules as the location of an entry (rules 2.3.2).
	Location string
	// OffsetBytes and SizeBytes frame the blob, length and checksum included (rules 2.3.1).
	OffsetBytes, SizeBytes int64
	// Cardinality counts the deleted rows.
	Cardinality int64
	// KeyMetadata is nil when null.
	KeyMetadata []byte
}

// ManifestInfo is what a root says about a manifest it points to (rules 2.4). The counts and
// MinSequenceNumber describe the manifest as it was written; a deletion vector does not change them (Q5).
type ManifestInfo struct {
	AddedFiles, ExistingFiles, DeletedFiles, ReplacedFiles, ModifiedFiles int32
	AddedRows, ExistingRows, DeletedRows, ReplacedRows, ModifiedRows      int64
	MinSequenceNumber                                                     int64
	// DV is the manifest deletion vector as Mumbling bytes, nil when null (rules 9).
	DV []byte
	// FormatVersion is 4, or 0 for a legacy manifest (rules 2.4.4).
	FormatVersion int32
}

// Tuple is a partition tuple: the values by partition field id, ascending. A field that is not listed is
// null. A nil Tuple is the null tuple; an empty one is a tuple of nulls.
type Tuple []PartitionValue

// PartitionValue is the value of one partition field.
type PartitionValue struct {
	FieldID int
	Value   Value
}

// Stats are the column statistics of an entry, by column id, ascending (rules 3).
type Stats []FieldStats

// FieldStats is what an entry knows about one column (rules 3.1). The bounds are null when unknown.
type FieldStats struct {
	// FieldID is the id of the table column.
	FieldID      int
	Lower, Upper Value
	// Tight says that both bounds are values of counted rows (rules 3.6). A null reads as false and is
	// written as false (rules 0.5-1).
	Tight iceberg.Optional[bool]
	// ValueCount counts all values, nulls and NaNs included.
	ValueCount, NullCount, NaNCount iceberg.Optional[int64]
	// AvgSizeBytes is the mean size of the values that are not null.
	AvgSizeBytes iceberg.Optional[int32]
}

// The known structs that a foreign field may stand in.
const (
	// InEntry is the entry itself.
	InEntry = 0
	// InTracking is the struct tracking, field 147.
	InTracking = 147
	// InManifestInfo is the struct manifest_info, field 150.
	InManifestInfo = 150
)

// ForeignField is one column, or tree of columns, that this version carries as it was read: fields of later
// format versions, of engines, and column files (S45, rules 15.3, MF3).
type ForeignField struct {
	// Parent is the known struct that holds the field: [InEntry], [InTracking] or [InManifestInfo].
	Parent int
	// Type is shared by the rows of one manifest; treat it as immutable.
	Type *ForeignType
	// Cells are the values of this row, leaf by leaf in the order of the type's leaves.
	Cells []ForeignCell
}

// ForeignType is a Parquet type tree as it stood in the file that was read.
type ForeignType struct {
	ID         int // field id, -1 for none
	Name       string
	Repetition Repetition
	// Physical is the Parquet physical type's name of a leaf, empty for a group.
	Physical string
	// TypeLength is the length of a FIXED_LEN_BYTE_ARRAY leaf.
	TypeLength int
	// Logical and Converted are the annotations, serialized so that they can be written again.
	Logical   string
	Converted string
	// Precision and Scale belong to a decimal annotation.
	Precision, Scale int
	Children         []*ForeignType
}

// Repetition is a Parquet repetition type. The zero Repetition is invalid.
type Repetition uint8

// The repetition types of Parquet.
const (
	Required Repetition = iota + 1
	Optional
	Repeated
)

// ForeignCell is one level triple of a foreign leaf column. Def counts from the field's parent, so that the
// cell stays valid when it moves to another manifest.
type ForeignCell struct {
	Leaf     int
	Rep, Def int
	// Value is the plain encoding of the value without a length prefix; empty and unused where Def says null.
	Value string
}
