package metadata_test

import (
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/metadata"
	"github.com/google/go-cmp/cmp"
)

func TestWithProperties(t *testing.T) {
	before := empty(t).WithProperties(map[string]string{"a": "1", "b": "2"})
	after := before.WithProperties(map[string]string{"a": "3", "c": "4"}, "b", "c")
	if diff := cmp.Diff(map[string]string{"a": "3", "c": "4"}, after.Properties); diff != "" {
		t.Errorf("after (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"a": "1", "b": "2"}, before.Properties); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
}

func TestWithRef(t *testing.T) {
	m := commit(t, commit(t, empty(t), 1, "main", 200), 2, "main", 300)
	m, err := m.WithRef(metadata.Ref{Name: "v1", SnapshotID: 1, Type: metadata.Tag})
	if err != nil {
		t.Fatal(err)
	}
	m, err = m.Successor("x", 900).WithRef(metadata.Ref{Name: "main", SnapshotID: 1, Type: metadata.Branch})
	if err != nil || m.CurrentSnapshotID != optional[int64](1) {
		t.Errorf("current is %v, %v", m.CurrentSnapshotID, err)
	}
	last := m.SnapshotLog[len(m.SnapshotLog)-1]
	if last.SnapshotID != 1 || last.TimestampMillis != 900 || len(m.Problems()) != 0 {
		t.Errorf("log ends with %v; problems %v", last, m.Problems())
	}
	for _, ref := range []metadata.Ref{
		{Name: "", SnapshotID: 1, Type: metadata.Tag},
		{Name: "a", SnapshotID: 9, Type: metadata.Tag},
		{Name: "a", SnapshotID: 1, Type: "label"},
		{Name: "main", SnapshotID: 1, Type: metadata.Tag},
		{Name: "v1", SnapshotID: 1, Type: metadata.Branch},
	} {
		if _, err := m.WithRef(ref); err == nil {
			t.Errorf("set %v", ref)
		}
	}
	without, err := m.WithoutRef("v1")
	if _, ok := without.Ref("v1"); err != nil || ok {
		t.Errorf("v1 is there: %v, %v", ok, err)
	}
	if _, ok := m.Ref("v1"); !ok {
		t.Error("v1 went from the table before, too")
	}
	for _, name := range []string{"main", "none"} {
		if _, err := m.WithoutRef(name); err == nil {
			t.Errorf("dropped %s", name)
		}
	}
}

func withField(s *iceberg.Schema, fields ...iceberg.NestedField) *iceberg.Schema {
	return iceberg.NewSchema(0, append(s.Fields(), fields...)...)
}

func TestWithSchema(t *testing.T) {
	before := empty(t)
	after, err := before.WithSchema(withField(eventSchema(), iceberg.NestedField{ID: 9, Name: "note", Type: iceberg.StringType{}}))
	if err != nil {
		t.Fatal(err)
	}
	if after.CurrentSchemaID != 1 || after.LastColumnID != 9 || len(after.Schemas) != 2 || before.Schema().NumFields() != 6 {
		t.Errorf("current %d, last column %d, %d schemas", after.CurrentSchemaID, after.LastColumnID, len(after.Schemas))
	}
	back, err := after.WithSchema(eventSchema())
	if err != nil || back.CurrentSchemaID != 0 || len(back.Schemas) != 2 {
		t.Errorf("back: current %d, %d schemas, %v", back.CurrentSchemaID, len(back.Schemas), err)
	}
	if problems := after.Problems(); len(problems) != 0 {
		t.Errorf("problems: %v", problems)
	}
}

func TestWithSchemaRefuses(t *testing.T) {
	m := partitioned(t, "day(ts)")
	changed := func(name string, change func(*iceberg.NestedField)) *iceberg.Schema {
		fields := eventSchema().Fields()
		for i := range fields {
			if fields[i].Name == name {
				change(&fields[i])
			}
		}
		return iceberg.NewSchema(0, fields...)
	}
	structOf := func(required bool) iceberg.NestedField {
		return iceberg.NestedField{ID: 9, Name: "new", Required: required, Type: &iceberg.StructType{
			FieldList: []iceberg.NestedField{{ID: 10, Name: "a", Type: iceberg.StringType{}, Required: true}}}}
	}
	for _, test := range []struct {
		name, want string
		schema     *iceberg.Schema
	}{
		{"id used before", "", withField(eventSchema(), iceberg.NestedField{ID: 8, Name: "a", Type: iceberg.StringType{}})},
		{"name of a column", `the name "id" stands twice`, withField(eventSchema(), iceberg.NestedField{ID: 8, Name: "id", Type: iceberg.StringType{}})},
		{"other type", `column "id" of type long cannot become string`, changed("id", func(f *iceberg.NestedField) { f.Type = iceberg.StringType{} })},
		{"narrower type", `column "id" of type long cannot become int`, changed("id", func(f *iceberg.NestedField) { f.Type = iceberg.Int32Type{} })},
		{"struct to list", "cannot become list<string>", changed("where", func(f *iceberg.NestedField) {
			f.Type = &iceberg.ListType{ElementID: 9, Element: iceberg.StringType{}}
		})},
		{"optional to required", `column "name" is optional and cannot become required`, changed("name", func(f *iceberg.NestedField) { f.Required = true })},
		{"new and required", `column "a" is new and must be optional`, withField(eventSchema(), iceberg.NestedField{ID: 8, Name: "a", Type: iceberg.StringType{}, Required: true})},
		{"new and required with a default", "", withField(eventSchema(), iceberg.NestedField{ID: 8, Name: "a", Type: iceberg.StringType{}, Required: true, InitialDefault: "x"})},
		{"required in a new struct", "", withField(eventSchema(), structOf(false))},
		{"new required struct", `column "new" is new and must be optional`, withField(eventSchema(), structOf(true))},
		{"required in an old struct", `column "where.zip" is new`, changed("where", func(f *iceberg.NestedField) {
			f.Type = &iceberg.StructType{FieldList: []iceberg.NestedField{{ID: 8, Name: "zip", Type: iceberg.StringType{}, Required: true}}}
		})},
		{"source of the default spec", `partition field "ts_day"`, iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.Int64Type{}, Required: true})},
	} {
		_, err := m.WithSchema(test.schema)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", test.name, err, test.want)
		}
	}
	dropped, err := m.WithSchema(withField(eventSchema(), iceberg.NestedField{ID: 9, Name: "a", Type: iceberg.StringType{}}))
	if err != nil {
		t.Fatal(err)
	}
	_, err = dropped.WithSchema(withField(eventSchema(), iceberg.NestedField{ID: 8, Name: "b", Type: iceberg.StringType{}}))
	if err == nil || !strings.Contains(err.Error(), `column "b" is new and needs an id above 9, not 8`) {
		t.Errorf("id below the last one: %v", err)
	}
}

func TestWidening(t *testing.T) {
	of := func(id int, typ iceberg.Type) iceberg.NestedField {
		return iceberg.NestedField{ID: id, Name: "c", Type: typ}
	}
	for _, test := range []struct {
		old, now iceberg.Type
		ok       bool
	}{
		{iceberg.Int32Type{}, iceberg.Int64Type{}, true},
		{iceberg.Int32Type{}, iceberg.Float64Type{}, false},
		{iceberg.Float32Type{}, iceberg.Float64Type{}, true},
		{iceberg.DecimalTypeOf(9, 2), iceberg.DecimalTypeOf(12, 2), true},
		{iceberg.DecimalTypeOf(9, 2), iceberg.DecimalTypeOf(8, 2), false},
		{iceberg.DecimalTypeOf(9, 2), iceberg.DecimalTypeOf(12, 3), false},
		{iceberg.UnknownType{}, iceberg.StringType{}, true},
		{iceberg.StringType{}, iceberg.BinaryType{}, false},
	} {
		m, err := metadata.New(metadata.NewTable{UUID: tableUUID, Schema: iceberg.NewSchema(0, of(1, test.old))})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.WithSchema(iceberg.NewSchema(0, of(1, test.now))); (err == nil) != test.ok {
			t.Errorf("%s to %s: %v", test.old, test.now, err)
		}
	}
}

func TestWithSpec(t *testing.T) {
	m := partitioned(t, "day(ts), region")
	set := func(m metadata.Table, text string) metadata.Table {
		t.Helper()
		spec, err := metadata.ParsePartition(text, m.Schema())
		if err != nil {
			t.Fatal(err)
		}
		if m, err = m.WithSpec(spec); err != nil {
			t.Fatal(err)
		}
		return m
	}
	m = set(m, "bucket(8, id), region")
	spec := m.Spec()
	if got := spec.String(); got != "[\n\t1002: id_bucket: bucket[8](1)\n\t1001: region: identity(4)\n]" || spec.ID() != 1 || m.LastPartitionID != 1002 {
		t.Errorf("spec %d: %s, last %d", spec.ID(), got, m.LastPartitionID)
	}
	if m = set(m, "day(ts), region"); m.DefaultSpecID != 0 || len(m.Specs) != 2 {
		t.Errorf("back: spec %d of %d", m.DefaultSpecID, len(m.Specs))
	}
	if m = set(m, ""); m.DefaultSpecID != 2 || m.LastPartitionID != 1002 || len(m.Problems()) != 0 {
		t.Errorf("unpartitioned: spec %d, last %d", m.DefaultSpecID, m.LastPartitionID)
	}
	renamed, err := m.WithSpec(iceberg.NewPartitionSpec(partitionField(0, 2, "when", iceberg.DayTransform{})))
	if spec = renamed.Spec(); err != nil || renamed.LastPartitionID != 1002 || len(renamed.Specs) != 4 || spec.Field(0).FieldID != 1000 {
		t.Errorf("under another name: last %d, %d specs, %v, %v", renamed.LastPartitionID, len(renamed.Specs), spec, err)
	}
	_, err = m.WithSpec(iceberg.NewPartitionSpec(iceberg.PartitionField{SourceIDs: []int{99}, Name: "p", Transform: iceberg.IdentityTransform{}}))
	if err == nil {
		t.Error("a spec over an unknown column was taken")
	}
}

// partitioned returns an empty table of the event schema.
func partitioned(t testing.TB, partition string) metadata.Table {
	t.Helper()
	spec, err := metadata.ParsePartition(partition, eventSchema())
	if err != nil {
		t.Fatal(err)
	}
	m, err := metadata.New(metadata.NewTable{UUID: tableUUID, Schema: eventSchema(), Spec: spec})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
