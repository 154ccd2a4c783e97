package metadata_test

import (
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/metadata"
	"github.com/google/go-cmp/cmp"
)

// Version 1 may leave out all that came with later minor revisions.
const oldest = `{"format-version": 1, "location": "/w/t", "last-updated-ms": 5, "last-column-id": 2,
  "schema": {"type": "struct", "fields": [
    {"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "ts", "required": false, "type": "timestamp"}]},
  "partition-spec": [{"source-id": 2, "name": "ts_day", "transform": "day"}, {"source-id": 1, "name": "id_bucket", "transform": "bucket[4]"}],
  "properties": null, "current-snapshot-id": 3,
  "snapshots": [{"snapshot-id": 3, "parent-snapshot-id": -1, "timestamp-ms": 4, "manifests": ["/w/t/a.avro", "/w/t/b.avro"]}]}`

func TestOldestForm(t *testing.T) {
	m, err := metadata.Parse([]byte(oldest), metadata.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got := union(t, m); got != "1000 ts_day date, 1001 id_bucket int" {
		t.Errorf("union: %s", got)
	}
	if m.LastPartitionID != 1001 || m.Schema().NumFields() != 2 || m.SortOrders[0] != metadata.Unsorted {
		t.Errorf("table: %+v", m)
	}
	want := []metadata.Snapshot{{ID: 3, TimestampMillis: 4, Manifests: []string{"/w/t/a.avro", "/w/t/b.avro"}}}
	if diff := cmp.Diff(want, m.Snapshots); diff != "" {
		t.Errorf("snapshots (-want +got):\n%s", diff)
	}
	if ref, ok := m.Ref("main"); !ok || ref.SnapshotID != 3 {
		t.Errorf("main: %v", ref)
	}
	if problems := m.Problems(); len(problems) != 0 {
		t.Errorf("problems: %v", problems)
	}
	if with := m.WithProperties(map[string]string{"a": "b"}); with.Properties["a"] != "b" {
		t.Errorf("properties: %v", with.Properties)
	}
	for _, name := range []string{"schema", "location"} {
		_, err := metadata.Parse([]byte(strings.Replace(oldest, `"`+name+`"`, `"x"`, 1)), metadata.Limits{})
		if err == nil || !strings.Contains(err.Error(), name+" is missing") {
			t.Errorf("without %s: %v", name, err)
		}
	}
	none, err := metadata.Parse([]byte(strings.Replace(oldest, `"current-snapshot-id": 3`, `"current-snapshot-id": -1`, 1)), metadata.Limits{})
	if _, ok := none.Current(); err != nil || ok || len(none.Refs) != 0 {
		t.Errorf("-1: current %v, refs %v, %v", ok, none.Refs, err)
	}
}

func TestPartitionFieldForms(t *testing.T) {
	const field = `{"source-id": 1, "field-id": 1000, "name": "p", "transform": "bucket[8]"}`
	for _, test := range []struct{ name, fields, want string }{
		{"several sources", `{"source-ids": [1, 2], "field-id": 1000, "name": "p", "transform": "z-order"}`, "[\n\t1000: p: z-order([1 2])\n]"},
		{"void without source", `{"field-id": 1000, "name": "p", "transform": "void"}`, "[\n\t1000: p: void(0)\n]"},
		{"some ids", field + `, {"source-id": 1, "name": "q", "transform": "identity"}`, "some of the partition fields have a field-id"},
	} {
		m, err := metadata.Parse([]byte(edited(t, field, test.fields)), metadata.Limits{})
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = m.Spec().String()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// Defaults of any type are read as encoding/json would, but for integers, which stay exact.
func TestDefaults(t *testing.T) {
	for text, want := range map[string]any{
		`9007199254740993`:    int64(9007199254740993),
		`-1.5`:                -1.5,
		`1e3`:                 1e3,
		`true`:                true,
		`"a"`:                 "a",
		`[1, null]`:           []any{int64(1), nil},
		`{"a": {"b": false}}`: map[string]any{"a": map[string]any{"b": false}},
		`null`:                nil,
	} {
		m, err := metadata.Parse([]byte(edited(t, `"type": "long"`, `"initial-default": `+text+`, "type": "long"`)), metadata.Limits{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, m.Schema().Field(0).InitialDefault); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	_, err := metadata.Parse([]byte(edited(t, `"type": "long"`, `"initial-default": 1e999, "type": "long"`)), metadata.Limits{})
	if err == nil || !strings.Contains(err.Error(), "$.schemas[0].fields[0].initial-default: the number 1e999 is out of range") {
		t.Errorf("1e999: %v", err)
	}
}

func TestNestedChange(t *testing.T) {
	nested := func(element iceberg.Type) *iceberg.Schema {
		return iceberg.NewSchema(0,
			iceberg.NestedField{ID: 1, Name: "l", Type: &iceberg.ListType{ElementID: 2, Element: element}},
			iceberg.NestedField{ID: 3, Name: "m", Type: &iceberg.MapType{KeyID: 4, KeyType: iceberg.StringType{}, ValueID: 5, ValueType: element}})
	}
	m, err := metadata.New(metadata.NewTable{UUID: tableUUID, Schema: nested(iceberg.Int32Type{})})
	if err != nil {
		t.Fatal(err)
	}
	if wider, err := m.WithSchema(nested(iceberg.Int64Type{})); err != nil || wider.CurrentSchemaID != 1 {
		t.Errorf("int to long in a list and a map: %v", err)
	}
	if _, err := m.WithSchema(nested(iceberg.StringType{})); err == nil || !strings.Contains(err.Error(), `"l.element" of type int`) {
		t.Errorf("int to string in a list and a map: %v", err)
	}
}
