package metadata

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"
)

// AppendJSON appends the metadata file to dst, without white space. The same Table gives the same bytes.
// Only version 4 is written. Schemas and specs that came from a file are written as they stood there (MD7).
func (t Table) AppendJSON(dst []byte) ([]byte, error) {
	if t.FormatVersion != FormatVersion {
		return nil, fmt.Errorf("metadata: format version %d cannot be written, only %d", t.FormatVersion, FormatVersion)
	}
	return t.appendJSON(dst)
}

// Marshal returns what [Table.AppendJSON] appends.
func (t Table) Marshal() ([]byte, error) { return t.AppendJSON(nil) }

// appendJSON writes any version in the form of version 4.
func (t Table) appendJSON(dst []byte) ([]byte, error) {
	e := &encoder{dst: dst, start: len(dst)}
	e.open('{')
	e.intMember("format-version", int64(t.FormatVersion))
	e.strMember("table-uuid", t.UUID)
	e.optionalStr("location", t.Location)
	e.intMember("last-sequence-number", t.LastSequenceNumber)
	e.intMember("last-updated-ms", t.LastUpdatedMillis)
	e.intMember("last-column-id", int64(t.LastColumnID))
	e.intMember("current-schema-id", int64(t.CurrentSchemaID))
	list(e, "schemas", t.Schemas, func(s *iceberg.Schema) { e.schema(s, t.texts) })
	e.intMember("default-spec-id", int64(t.DefaultSpecID))
	list(e, "partition-specs", t.Specs, func(s iceberg.PartitionSpec) { e.spec(s, t.texts) })
	e.intMember("last-partition-id", int64(t.LastPartitionID))
	e.intMember("default-sort-order-id", int64(t.DefaultSortOrderID))
	list(e, "sort-orders", t.SortOrders, e.sortOrder)
	e.strings("properties", t.Properties)
	optionalInt(e, "current-snapshot-id", t.CurrentSnapshotID)
	e.intMember("next-row-id", t.NextRowID)
	e.refs(t.Refs)
	list(e, "snapshots", t.Snapshots, e.snapshot)
	list(e, "snapshot-log", t.SnapshotLog, e.snapshotLogEntry)
	list(e, "metadata-log", t.MetadataLog, e.metadataLogEntry)
	e.unknown(t.Unknown, tableMembers)
	e.close('}')
	if e.err != nil {
		return nil, e.err
	}
	return e.dst, nil
}

func (e *encoder) schema(s *iceberg.Schema, texts texts) {
	if text, ok := texts.schemas[s]; ok {
		e.raw(text)
		return
	}
	e.marshal(s)
}

func (e *encoder) spec(s iceberg.PartitionSpec, texts texts) {
	if text, ok := texts.spec(s); ok {
		e.raw(text)
		return
	}
	e.marshal(s)
}

// marshal writes a schema or spec as iceberg-go does.
func (e *encoder) marshal(v json.Marshaler) {
	text, err := json.Marshal(v)
	if err != nil {
		e.fail(fmt.Errorf("metadata: %w", err))
	}
	e.raw(string(text))
}

func (e *encoder) sortOrder(o SortOrder) {
	if !json.Valid([]byte(o.JSON)) {
		e.fail(fmt.Errorf("metadata: sort order %d: its text is not JSON", o.ID))
	}
	e.raw(o.JSON)
}

func (e *encoder) refs(refs []Ref) {
	byName := slices.SortedFunc(slices.Values(refs), func(a, b Ref) int { return cmp.Compare(a.Name, b.Name) })
	e.name("refs")
	e.open('{')
	for i, r := range byName {
		if i > 0 && byName[i-1].Name == r.Name {
			e.fail(fmt.Errorf("metadata: ref %q stands twice", r.Name))
		}
		e.name(r.Name)
		e.open('{')
		e.intMember("snapshot-id", r.SnapshotID)
		e.strMember("type", r.Type)
		optionalInt(e, "min-snapshots-to-keep", r.MinSnapshotsToKeep)
		optionalInt(e, "max-snapshot-age-ms", r.MaxSnapshotAgeMillis)
		optionalInt(e, "max-ref-age-ms", r.MaxAgeMillis)
		e.unknown(r.Unknown, refMembers)
		e.close('}')
	}
	e.close('}')
}

func (e *encoder) snapshot(s Snapshot) {
	e.open('{')
	e.intMember("snapshot-id", s.ID)
	optionalInt(e, "parent-snapshot-id", s.ParentID)
	e.intMember("sequence-number", s.SequenceNumber)
	e.intMember("timestamp-ms", s.TimestampMillis)
	e.optionalStr("root-manifest", s.RootManifest)
	e.optionalStr("manifest-list", s.ManifestList)
	if s.Manifests != nil {
		list(e, "manifests", s.Manifests, e.str)
	}
	if s.Summary != nil {
		e.strings("summary", s.Summary, "operation")
	}
	optionalInt(e, "schema-id", s.SchemaID)
	optionalInt(e, "first-row-id", s.FirstRowID)
	optionalInt(e, "added-rows", s.AddedRows)
	e.optionalStr("key-id", s.KeyID)
	e.unknown(s.Unknown, snapshotMembers)
	e.close('}')
}

func (e *encoder) snapshotLogEntry(entry SnapshotLogEntry) {
	e.open('{')
	e.intMember("timestamp-ms", entry.TimestampMillis)
	e.intMember("snapshot-id", entry.SnapshotID)
	e.unknown(entry.Unknown, snapshotLogMembers)
	e.close('}')
}

func (e *encoder) metadataLogEntry(entry MetadataLogEntry) {
	e.open('{')
	e.intMember("timestamp-ms", entry.TimestampMillis)
	e.strMember("metadata-file", entry.File)
	e.unknown(entry.Unknown, metadataLogMembers)
	e.close('}')
}
