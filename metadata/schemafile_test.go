package metadata_test

import (
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/metadata"
)

func TestParseSchema(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []iceberg.NestedField
	}{
		{"ids left out", `{"fields": [
			{"name": "id", "type": "long", "required": true},
			{"name": "tags", "type": {"type": "list", "element": "string"}},
			{"name": "attributes", "type": {"type": "map", "key": "string", "value": "int", "value-required": true}, "doc": "free"}]}`,
			[]iceberg.NestedField{
				{ID: 1, Name: "id", Type: iceberg.Int64Type{}, Required: true},
				{ID: 2, Name: "tags", Type: &iceberg.ListType{ElementID: 3, Element: iceberg.StringType{}}},
				{ID: 4, Name: "attributes", Doc: "free", Type: &iceberg.MapType{
					KeyID: 5, KeyType: iceberg.StringType{}, ValueID: 6, ValueType: iceberg.Int32Type{}, ValueRequired: true}},
			}},
		{"ids given", `{"type": "struct", "schema-id": 3, "identifier-field-ids": [5],
			"fields": [{"id": 5, "name": "id", "required": true, "type": "decimal(9,2)"}]}`,
			[]iceberg.NestedField{{ID: 5, Name: "id", Type: iceberg.DecimalTypeOf(9, 2), Required: true}}},
		{"default", `{"fields": [{"name": "n", "type": "long", "initial-default": 9007199254740993, "write-default": -1}]}`,
			[]iceberg.NestedField{{ID: 1, Name: "n", Type: iceberg.Int64Type{}, InitialDefault: int64(9007199254740993), WriteDefault: int64(-1)}}},
	} {
		schema, err := metadata.ParseSchema([]byte(test.text), metadata.Limits{})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		want := iceberg.NewSchema(0, test.want...)
		if got := schema.AsStruct(); !got.Equals(structOf(want)) {
			t.Errorf("%s: got %s, want %s", test.name, schema, want)
		}
	}
}

func structOf(s *iceberg.Schema) *iceberg.StructType {
	st := s.AsStruct()
	return &st
}

func TestParseSchemaRefuses(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"misspelled", `{"fields": [{"name": "a", "type": "int", "requird": true}]}`, "$.fields[0].requird: unknown member"},
		{"no type", `{"fields": [{"name": "a"}]}`, "$.fields[0]: type is missing"},
		{"no fields", `{}`, "$: fields is missing"},
		{"a table", `{"schema": {"fields": []}}`, "$.schema: unknown member"},
		{"some ids", `{"fields": [{"name": "a", "type": "int", "id": 1}, {"name": "b", "type": "int"}]}`, "1 fields have no id and others have one"},
		{"identifiers without ids", `{"identifier-field-ids": [1], "fields": [{"name": "a", "type": "int"}]}`, "identifier-field-ids need fields with ids"},
		{"name twice", `{"fields": [{"name": "a", "type": "int"}, {"name": "a", "type": "int"}]}`, `the name "a" stands twice`},
		{"two documents", `{"fields": []} x`, "invalid character 'x' after top-level value"},
		{"nothing", ``, "unexpected end of JSON input"},
	} {
		_, err := metadata.ParseSchema([]byte(test.text), metadata.Limits{})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", test.name, err, test.want)
		}
	}
}
