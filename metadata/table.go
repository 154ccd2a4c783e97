package metadata

import (
	"bytes"

	"github.com/apache/iceberg-go"
)

// FormatVersion is the only format version that this package writes.
const FormatVersion = 4

// MainBranch is the name of the branch that current-snapshot-id follows.
const MainBranch = "main"

// Table is the content of one metadata file (rules 14.6). It is immutable by convention: copy it freely, and
// change none of the slices and maps that it holds. The zero Table is invalid; make one with [New] or [Parse].
type Table struct {
	// FormatVersion is 1 to 4.
	FormatVersion int
	// UUID is the table's identity, as stored; empty only in a version 1 table without one.
	UUID string
	// Location is absolute; null in a version 4 table whose catalog supplies it (rules 12.7).
	Location iceberg.Optional[string]
	// LastSequenceNumber is the highest number given to a snapshot; 0 in version 1.
	LastSequenceNumber int64
	// LastUpdatedMillis is when this file was written, in milliseconds since 1970 UTC.
	LastUpdatedMillis int64
	// LastColumnID is the highest field id ever given to a column.
	LastColumnID int
	// Schemas are all schemas; CurrentSchemaID is the id of one of them, see [Table.Schema].
	Schemas         []*iceberg.Schema
	CurrentSchemaID int
	// Specs are all partition specs; DefaultSpecID is the id of one of them, see [Table.Spec].
	Specs         []iceberg.PartitionSpec
	DefaultSpecID int
	// LastPartitionID is the highest id ever given to a partition field, 999 if there was none.
	LastPartitionID int
	// SortOrders are carried without looking into them.
	SortOrders         []SortOrder
	DefaultSortOrderID int
	// Properties are the table's settings.
	Properties map[string]string
	// CurrentSnapshotID is null before the first commit to the branch main.
	CurrentSnapshotID iceberg.Optional[int64]
	// NextRowID is the first row id that no snapshot has taken (rules 8.1); 0 before version 3.
	NextRowID int64
	// Refs are the branches and tags, by name.
	Refs []Ref
	// Snapshots are the retained snapshots in the order of the file.
	Snapshots []Snapshot
	// SnapshotLog tells what the branch main pointed to, oldest first.
	SnapshotLog []SnapshotLogEntry
	// MetadataLog lists earlier metadata files, oldest first.
	MetadataLog []MetadataLogEntry
	// Unknown are the members that this version does not interpret: statistics, encryption keys,
	// constraints (rules 14.7) and whatever engines add.
	Unknown Unknown

	texts texts
}

// Snapshot is one state of the table (rules 14.1, 14.2).
type Snapshot struct {
	ID int64
	// ParentID is null for a snapshot that started a history; the parent may have expired.
	ParentID iceberg.Optional[int64]
	// SequenceNumber is 0 for snapshots of version 1.
	SequenceNumber  int64
	TimestampMillis int64
	// RootManifest is the location of the root manifest, as stored (rules 12). A snapshot has a root
	// manifest, or a manifest list (rules 14.2), or in version 1 possibly a list of manifests.
	RootManifest iceberg.Optional[string]
	// ManifestList is the location of the manifest list of versions 1 to 3 (also of the interim form of
	// version 4, rules 0.5-3).
	ManifestList iceberg.Optional[string]
	// Manifests are the locations of version 1; nil when absent.
	Manifests []string
	// Summary says what the snapshot did, operation included; nil when absent.
	Summary map[string]string
	// SchemaID is the schema that was current.
	SchemaID iceberg.Optional[int]
	// FirstRowID and AddedRows are the snapshot's range of row ids (rules 8.1).
	FirstRowID, AddedRows iceberg.Optional[int64]
	// KeyID names the key of the root manifest's key metadata (rules 14.5).
	KeyID iceberg.Optional[string]
	// Unknown are members that this version does not know.
	Unknown Unknown
}

// The operations of a snapshot's summary.
const (
	OpAppend    = "append"
	OpReplace   = "replace"
	OpOverwrite = "overwrite"
	OpDelete    = "delete"
)

// Operation returns what the summary says the snapshot did, or "" if it does not say.
func (s Snapshot) Operation() string { return s.Summary["operation"] }

// The kinds of refs.
const (
	Branch = "branch"
	Tag    = "tag"
)

// Ref is a branch or a tag.
type Ref struct {
	Name       string
	SnapshotID int64
	// Type is [Branch] or [Tag].
	Type string
	// The retention settings; null means the table's default.
	MinSnapshotsToKeep                 iceberg.Optional[int]
	MaxSnapshotAgeMillis, MaxAgeMillis iceberg.Optional[int64]
	// Unknown are members that this version does not know.
	Unknown Unknown
}

// SnapshotLogEntry says that a snapshot became the current one.
type SnapshotLogEntry struct {
	SnapshotID      int64
	TimestampMillis int64
	Unknown         Unknown
}

// MetadataLogEntry names an earlier metadata file and its last-updated-ms.
type MetadataLogEntry struct {
	// File is the location as stored (rules 12.4).
	File            string
	TimestampMillis int64
	Unknown         Unknown
}

// SortOrder is a sort order of the table.
type SortOrder struct {
	ID int
	// JSON is the whole object, its order-id included.
	JSON string
}

// Unsorted is the sort order of a table without one.
var Unsorted = SortOrder{ID: 0, JSON: `{"order-id":0,"fields":[]}`}

// Unknown are members of a JSON object, in the order in which they stood.
type Unknown []Member

// Member is one member of a JSON object with the text of its value, without white space between tokens.
// Numbers and strings keep their spelling.
type Member struct {
	Name string
	JSON string
}

// texts is how the schemas and specs of a file stood there: they may hold members that iceberg-go's types
// have no room for. A schema or spec that did not come from a file has no text.
type texts struct {
	schemas map[*iceberg.Schema]string
	specs   []specText
}

type specText struct {
	spec iceberg.PartitionSpec
	json string
}

func (t texts) spec(spec iceberg.PartitionSpec) (string, bool) {
	for _, known := range t.specs {
		if known.spec.Equals(spec) {
			return known.json, true
		}
	}
	return "", false
}

// Equal reports whether both tables hold the same metadata, unknown members included.
func (t Table) Equal(o Table) bool {
	a, errA := t.appendJSON(nil)
	b, errB := o.appendJSON(nil)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}
