package metadata

import (
	"cmp"
	"slices"

	"github.com/apache/iceberg-go"
)

// tableMembers are the members of table metadata that this package interprets, in the order in which it
// writes them. What else a version requires is in tableRequires.
var tableMembers = members{
	{"format-version", required},
	{"table-uuid", optional},
	{"location", optional},
	{"last-sequence-number", optional},
	{"last-updated-ms", required},
	{"last-column-id", required},
	{"current-schema-id", optional},
	{"schemas", optional},
	{"default-spec-id", optional},
	{"partition-specs", optional},
	{"last-partition-id", optional},
	{"default-sort-order-id", optional},
	{"sort-orders", optional},
	{"properties", optional},
	{"current-snapshot-id", optional},
	{"next-row-id", optional},
	{"refs", optional},
	{"snapshots", optional},
	{"snapshot-log", optional},
	{"metadata-log", optional},
	{"schema", optional},         // version 1
	{"partition-spec", optional}, // version 1
}

// tableRequires lists the members that some versions require, from the first to the last of these versions
// (rules 14.6).
var tableRequires = []struct {
	name        string
	first, last int
}{
	{"table-uuid", 2, 4},
	{"location", 1, 3},
	{"last-sequence-number", 2, 4},
	{"current-schema-id", 2, 4},
	{"schemas", 2, 4},
	{"default-spec-id", 2, 4},
	{"partition-specs", 2, 4},
	{"last-partition-id", 2, 4},
	{"default-sort-order-id", 2, 4},
	{"sort-orders", 2, 4},
	{"next-row-id", 3, 4},
}

// legacy is what only version 1 has.
type legacy struct {
	schema     *iceberg.Schema
	schemaText string
	spec       iceberg.PartitionSpec
}

func (d *decoder) table() Table {
	t := Table{
		Properties: map[string]string{},
		texts:      texts{schemas: map[*iceberg.Schema]string{}},
	}
	var v1 legacy
	var f found
	f, t.Unknown = d.object(tableMembers, func(name string) { d.tableMember(name, &t, &v1) })
	if d.err != nil {
		return Table{}
	}
	for _, r := range tableRequires {
		if t.FormatVersion >= r.first && t.FormatVersion <= r.last {
			d.need(f, r.name)
		}
	}
	if t.FormatVersion == 1 {
		d.completeV1(&t, f, v1)
	}
	if !f.has("refs") && t.CurrentSnapshotID.Valid {
		t.Refs = []Ref{{Name: MainBranch, SnapshotID: t.CurrentSnapshotID.Val, Type: Branch}}
	}
	if _, ok := t.SchemaByID(t.CurrentSchemaID); !ok {
		d.fail("current-schema-id %d is not among the schemas", t.CurrentSchemaID)
	}
	if _, ok := t.SpecByID(t.DefaultSpecID); !ok {
		d.fail("default-spec-id %d is not among the partition-specs", t.DefaultSpecID)
	}
	if _, ok := t.Current(); t.CurrentSnapshotID.Valid && !ok {
		d.fail("current-snapshot-id %d is not among the snapshots", t.CurrentSnapshotID.Val)
	}
	return t
}

func (d *decoder) tableMember(name string, t *Table, v1 *legacy) {
	switch name {
	case "format-version":
		t.FormatVersion = d.formatVersion()
	case "table-uuid":
		t.UUID = d.str()
	case "location":
		t.Location = some(d.str())
	case "last-sequence-number":
		t.LastSequenceNumber = d.int64()
	case "last-updated-ms":
		t.LastUpdatedMillis = d.int64()
	case "last-column-id":
		t.LastColumnID = d.int32()
	case "current-schema-id":
		t.CurrentSchemaID = d.int32()
	case "schemas":
		d.array(func() { d.addSchema(t) })
	case "default-spec-id":
		t.DefaultSpecID = d.int32()
	case "partition-specs":
		d.array(func() { d.addSpec(t) })
	case "last-partition-id":
		t.LastPartitionID = d.int32()
	case "default-sort-order-id":
		t.DefaultSortOrderID = d.int32()
	case "sort-orders":
		d.array(func() { t.SortOrders = append(t.SortOrders, d.sortOrder()) })
	case "properties":
		t.Properties = d.strings()
	case "current-snapshot-id":
		t.CurrentSnapshotID = snapshotIDOrNone(d.int64())
	case "next-row-id":
		t.NextRowID = d.int64()
	case "refs":
		d.each(func(name string) { t.Refs = append(t.Refs, d.ref(name)) })
		slices.SortFunc(t.Refs, func(a, b Ref) int { return cmp.Compare(a.Name, b.Name) })
	case "snapshots":
		d.array(func() { t.Snapshots = append(t.Snapshots, d.snapshot()) })
	case "snapshot-log":
		d.array(func() { t.SnapshotLog = append(t.SnapshotLog, d.snapshotLogEntry()) })
	case "metadata-log":
		d.array(func() { t.MetadataLog = append(t.MetadataLog, d.metadataLogEntry()) })
	case "schema":
		v1.schema, v1.schemaText = d.textedSchema()
	case "partition-spec":
		v1.spec = iceberg.NewPartitionSpecID(0, d.partitionFields()...)
	}
}

func (d *decoder) formatVersion() int {
	version := d.int32()
	if version < 1 || version > FormatVersion {
		d.fail("format version %d is not supported", version)
	}
	return version
}

// completeV1 fills in what version 1 may leave out or say in another way.
func (d *decoder) completeV1(t *Table, f found, v1 legacy) {
	if !f.has("schemas") {
		d.need(f, "schema")
		if d.err != nil {
			return
		}
		t.Schemas = []*iceberg.Schema{v1.schema}
		t.texts.schemas[v1.schema] = v1.schemaText
		t.CurrentSchemaID = v1.schema.ID
	}
	if !f.has("partition-specs") {
		d.need(f, "partition-spec")
		t.Specs = []iceberg.PartitionSpec{v1.spec}
		t.DefaultSpecID = v1.spec.ID()
	}
	if !f.has("last-partition-id") {
		t.LastPartitionID = highestPartitionFieldID(t.Specs)
	}
	if !f.has("sort-orders") {
		t.SortOrders = []SortOrder{Unsorted}
		t.DefaultSortOrderID = Unsorted.ID
	}
}

// snapshotIDOrNone reads the -1 that older writers put for no snapshot.
func snapshotIDOrNone(id int64) iceberg.Optional[int64] {
	if id == -1 {
		return iceberg.Optional[int64]{}
	}
	return some(id)
}

func some[T any](value T) iceberg.Optional[T] {
	return iceberg.Optional[T]{Val: value, Valid: true}
}
