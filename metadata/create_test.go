package metadata_test

import (
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/metadata"
	"github.com/google/uuid"
)

var tableUUID = uuid.MustParse("9c12d441-03fe-4693-9a96-a0705ddf69c1")

// eventSchema has a column for each kind of transform, and a nested one.
func eventSchema() *iceberg.Schema {
	return iceberg.NewSchema(7,
		iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.Int64Type{}, Required: true},
		iceberg.NestedField{ID: 2, Name: "ts", Type: iceberg.TimestampTzType{}},
		iceberg.NestedField{ID: 3, Name: "name", Type: iceberg.StringType{}},
		iceberg.NestedField{ID: 4, Name: "region", Type: iceberg.StringType{}},
		iceberg.NestedField{ID: 5, Name: "price", Type: iceberg.Float64Type{}},
		iceberg.NestedField{ID: 6, Name: "where", Type: &iceberg.StructType{FieldList: []iceberg.NestedField{
			{ID: 7, Name: "city", Type: iceberg.StringType{}},
		}}},
	)
}

func TestNew(t *testing.T) {
	schema := eventSchema()
	spec, err := metadata.ParsePartition("day(ts), bucket(8, id)", schema)
	if err != nil {
		t.Fatal(err)
	}
	properties := map[string]string{"a": "b"}
	m, err := metadata.New(metadata.NewTable{
		UUID: tableUUID, Location: "file:///w/t", Schema: schema, Spec: spec, Properties: properties, TimestampMillis: 42,
	})
	if err != nil {
		t.Fatal(err)
	}
	properties["a"] = "changed"
	out, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	const head = `{"format-version":4,"table-uuid":"9c12d441-03fe-4693-9a96-a0705ddf69c1","location":"file:///w/t",` +
		`"last-sequence-number":0,"last-updated-ms":42,"last-column-id":7,"current-schema-id":0,"schemas":[{"type":"struct",`
	const tail = `,"last-partition-id":1001,"default-sort-order-id":0,"sort-orders":[{"order-id":0,"fields":[]}],"properties":{"a":"b"},` +
		`"next-row-id":0,"refs":{},"snapshots":[],"snapshot-log":[],"metadata-log":[]}`
	if !strings.HasPrefix(string(out), head) || !strings.HasSuffix(string(out), tail) {
		t.Errorf("written: %s", out)
	}
	back, err := metadata.Parse(out, metadata.Limits{})
	if err != nil || !back.Equal(m) || len(back.Problems()) != 0 {
		t.Errorf("read back: %v, problems %v", err, back.Problems())
	}
	if m.Schema().ID != 0 || schema.ID != 7 {
		t.Errorf("schema ids: %d of the table, %d of the argument", m.Schema().ID, schema.ID)
	}
}

func TestNewRefuses(t *testing.T) {
	long := iceberg.Int64Type{}
	schemaOf := func(fields ...iceberg.NestedField) *iceberg.Schema { return iceberg.NewSchema(0, fields...) }
	good := schemaOf(iceberg.NestedField{ID: 1, Name: "a", Type: long})
	identifying := func(field iceberg.NestedField) *iceberg.Schema {
		return iceberg.NewSchemaWithIdentifiers(0, []int{1}, field)
	}
	unknownTransform, err := iceberg.ParseTransform("z")
	if err != nil {
		t.Fatal(err)
	}
	spec := func(field iceberg.PartitionField) iceberg.PartitionSpec { return iceberg.NewPartitionSpec(field) }
	for _, test := range []struct {
		name, want string
		table      metadata.NewTable
	}{
		{"no schema", "at least one column", metadata.NewTable{}},
		{"no columns", "at least one column", metadata.NewTable{Schema: schemaOf()}},
		{"no name", "field 1 has no name", metadata.NewTable{Schema: schemaOf(iceberg.NestedField{ID: 1, Type: long})}},
		{"no type", `"a" has no type`, metadata.NewTable{Schema: schemaOf(iceberg.NestedField{ID: 1, Name: "a"})}},
		{"name twice", `the name "a" stands twice`, metadata.NewTable{Schema: schemaOf(
			iceberg.NestedField{ID: 1, Name: "a", Type: long}, iceberg.NestedField{ID: 2, Name: "a", Type: long})}},
		{"dotted name twice", `the name "a.b" stands twice`, metadata.NewTable{Schema: schemaOf(
			iceberg.NestedField{ID: 1, Name: "a.b", Type: long},
			iceberg.NestedField{ID: 2, Name: "a", Type: &iceberg.StructType{FieldList: []iceberg.NestedField{{ID: 3, Name: "b", Type: long}}}})}},
		{"id 0", "has the id 0", metadata.NewTable{Schema: schemaOf(iceberg.NestedField{Name: "a", Type: long})}},
		{"id of a metadata column", "has the id 2147483540", metadata.NewTable{Schema: schemaOf(iceberg.NestedField{ID: 2147483540, Name: "a", Type: long})}},
		{"required unknown", "must be optional", metadata.NewTable{Schema: schemaOf(iceberg.NestedField{ID: 1, Name: "a", Type: iceberg.UnknownType{}, Required: true})}},
		{"optional identifier", "identifier field 1 is not", metadata.NewTable{Schema: identifying(iceberg.NestedField{ID: 1, Name: "a", Type: long})}},
		{"floating identifier", "identifier field 1 is not", metadata.NewTable{Schema: identifying(iceberg.NestedField{ID: 1, Name: "a", Type: iceberg.Float64Type{}, Required: true})}},
		{"source of a partition", `partition field "p": its source [9] is not one column`, metadata.NewTable{Schema: good,
			Spec: spec(iceberg.PartitionField{SourceIDs: []int{9}, FieldID: 1000, Name: "p", Transform: iceberg.IdentityTransform{}})}},
		{"partition field id", "the field id 999 is below 1000", metadata.NewTable{Schema: good,
			Spec: spec(iceberg.PartitionField{SourceIDs: []int{1}, FieldID: 999, Name: "p", Transform: iceberg.IdentityTransform{}})}},
		{"partition by the name of a column", "a column of the schema has this name", metadata.NewTable{Schema: good,
			Spec: spec(iceberg.PartitionField{SourceIDs: []int{1}, FieldID: 1000, Name: "a", Transform: iceberg.BucketTransform{NumBuckets: 2}})}},
		{"partition twice by one column", `partition field "q": "p" partitions by the same column`, metadata.NewTable{Schema: good,
			Spec: iceberg.NewPartitionSpec(
				iceberg.PartitionField{SourceIDs: []int{1}, FieldID: 1000, Name: "p", Transform: iceberg.IdentityTransform{}},
				iceberg.PartitionField{SourceIDs: []int{1}, FieldID: 1001, Name: "q", Transform: iceberg.IdentityTransform{}})}},
		{"unknown transform", "the transform z is unknown", metadata.NewTable{Schema: good,
			Spec: spec(iceberg.PartitionField{SourceIDs: []int{1}, FieldID: 1000, Name: "p", Transform: unknownTransform})}},
	} {
		test.table.UUID = tableUUID
		_, err := metadata.New(test.table)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", test.name, err, test.want)
		}
	}
}

func TestNewNeedsUUID(t *testing.T) {
	if _, err := metadata.New(metadata.NewTable{Schema: eventSchema()}); err == nil {
		t.Error("made a table without a uuid")
	}
}

// All that is wrong with a schema is in one message.
func TestNewNamesAllComplaints(t *testing.T) {
	_, err := metadata.New(metadata.NewTable{UUID: tableUUID, Schema: iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Type: iceberg.Int64Type{}}, iceberg.NestedField{ID: 2, Name: "b"})})
	const want = `metadata: the schema: field 1 has no name; "b" has no type`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// A required column in a required struct may identify a row.
func TestNestedIdentifier(t *testing.T) {
	nested := func(structRequired bool) *iceberg.Schema {
		return iceberg.NewSchemaWithIdentifiers(0, []int{2}, iceberg.NestedField{ID: 1, Name: "s", Required: structRequired,
			Type: &iceberg.StructType{FieldList: []iceberg.NestedField{{ID: 2, Name: "k", Type: iceberg.StringType{}, Required: true}}}})
	}
	for _, required := range []bool{true, false} {
		if _, err := metadata.New(metadata.NewTable{UUID: tableUUID, Schema: nested(required)}); (err == nil) != required {
			t.Errorf("required struct %v: %v", required, err)
		}
	}
}
