package metadata_test

import (
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/metadata"
	"pgregory.net/rapid"
)

// wideTable has nested columns of all kinds, an identifier, a partition and a sort order:
//
//	1 id (identifier), 2 ts (day), 3 name (sorted by), 4 place {5 city, 6 zip}, 7 tags [8], 9 marks {10: 11 {12 n, 13 m}},
//	14 count int, 15 day date, 16 price decimal(9,2), 17 void unknown, 18 box {19 only}
func wideTable(t testing.TB) metadata.Table {
	t.Helper()
	text := iceberg.StringType{}
	schema := iceberg.NewSchemaWithIdentifiers(0, []int{1},
		iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.Int64Type{}, Required: true},
		iceberg.NestedField{ID: 2, Name: "ts", Type: iceberg.TimestampType{}},
		iceberg.NestedField{ID: 3, Name: "name", Type: text},
		iceberg.NestedField{ID: 4, Name: "place", Type: &iceberg.StructType{FieldList: []iceberg.NestedField{
			{ID: 5, Name: "city", Type: text, Required: true}, {ID: 6, Name: "zip", Type: iceberg.Int32Type{}}}}},
		iceberg.NestedField{ID: 7, Name: "tags", Type: &iceberg.ListType{ElementID: 8, Element: iceberg.Float32Type{}, ElementRequired: true}},
		iceberg.NestedField{ID: 9, Name: "marks", Type: &iceberg.MapType{
			KeyID: 10, KeyType: text, ValueID: 11, ValueType: &iceberg.StructType{FieldList: []iceberg.NestedField{
				{ID: 12, Name: "n", Type: text}, {ID: 13, Name: "m", Type: text}}}}},
		iceberg.NestedField{ID: 14, Name: "count", Type: iceberg.Int32Type{}, Required: true},
		iceberg.NestedField{ID: 15, Name: "day", Type: iceberg.DateType{}},
		iceberg.NestedField{ID: 16, Name: "price", Type: iceberg.DecimalTypeOf(9, 2)},
		iceberg.NestedField{ID: 17, Name: "void", Type: iceberg.UnknownType{}},
		iceberg.NestedField{ID: 18, Name: "box", Type: &iceberg.StructType{FieldList: []iceberg.NestedField{{ID: 19, Name: "only", Type: text}}}},
	)
	spec, err := metadata.ParsePartition("day(ts)", schema)
	if err != nil {
		t.Fatal(err)
	}
	m, err := metadata.New(metadata.NewTable{UUID: tableUUID, Schema: schema, Spec: spec})
	if err != nil {
		t.Fatal(err)
	}
	m.SortOrders = append(m.SortOrders, metadata.SortOrder{ID: 1, JSON: `{"order-id":1,"fields":[` +
		`{"source-id":3,"transform":"identity","direction":"asc","null-order":"nulls-first"}]}`})
	m.DefaultSortOrderID = 1
	return m
}

// column writes a column of the current schema as iceberg-go does, with its place in the schema.
func column(m metadata.Table, name string) string {
	field, ok := m.Schema().FindFieldByName(name)
	if !ok {
		return "none"
	}
	return field.String()
}

func TestEvolveSchema(t *testing.T) {
	for _, test := range []struct {
		name    string
		changes []metadata.SchemaChange
		// want are columns by their names.
		want map[string]string
		last int
	}{
		{"add", []metadata.SchemaChange{metadata.AddColumn{Name: "note", Type: iceberg.StringType{}, Doc: "said"}},
			map[string]string{"note": "20: note: optional string (said)"}, 20},
		{"add below", []metadata.SchemaChange{metadata.AddColumn{Parent: "place", Name: "land", Type: iceberg.StringType{}}},
			map[string]string{"place.land": "20: land: optional string"}, 20},
		{"add to the values of a map", []metadata.SchemaChange{metadata.AddColumn{Parent: "marks", Name: "o", Type: iceberg.StringType{}}},
			map[string]string{"marks.value.o": "20: o: optional string"}, 20},
		{"add required", []metadata.SchemaChange{metadata.AddColumn{Name: "n", Type: iceberg.Int32Type{}, Required: true, Default: 5}},
			map[string]string{"n": "20: n: required int"}, 20},
		{"add a struct, and to it", []metadata.SchemaChange{
			metadata.AddColumn{Name: "s", Type: &iceberg.StructType{FieldList: []iceberg.NestedField{
				{Name: "a", Type: &iceberg.ListType{Element: iceberg.StringType{}}}, {Name: "b", Type: iceberg.StringType{}, Required: true}}}},
			metadata.AddColumn{Parent: "s", Name: "c", Type: iceberg.StringType{}}},
			map[string]string{"s.a": "21: a: optional list<string>", "s.a.element": "23: element: optional string",
				"s.b": "22: b: required string", "s.c": "24: c: optional string"}, 24},
		{"drop", []metadata.SchemaChange{metadata.DropColumn{Column: "place.zip"}, metadata.DropColumn{Column: "box"}},
			map[string]string{"place.zip": "none", "box": "none", "box.only": "none", "place.city": "5: city: required string"}, 19},
		{"rename", []metadata.SchemaChange{metadata.RenameColumn{Column: "ts", To: "at"}, metadata.RenameColumn{Column: "place", To: "site"},
			metadata.RenameColumn{Column: "site.city", To: "town"}, metadata.RenameColumn{Column: "name", To: "ts"}},
			map[string]string{"at": "2: at: optional timestamp", "site.town": "5: town: required string", "ts": "3: ts: optional string"}, 19},
		{"drop and add under one name", []metadata.SchemaChange{metadata.DropColumn{Column: "count"},
			metadata.AddColumn{Name: "count", Type: iceberg.StringType{}}},
			map[string]string{"count": "20: count: optional string"}, 20},
		{"promote", []metadata.SchemaChange{
			metadata.PromoteColumn{Column: "count", Type: iceberg.Int64Type{}}, metadata.PromoteColumn{Column: "tags.element", Type: iceberg.Float64Type{}},
			metadata.PromoteColumn{Column: "day", Type: iceberg.TimestampNsType{}}, metadata.PromoteColumn{Column: "price", Type: iceberg.DecimalTypeOf(12, 2)},
			metadata.PromoteColumn{Column: "void", Type: iceberg.VariantType{}}},
			map[string]string{"count": "14: count: required long", "tags.element": "8: element: required double",
				"day": "15: day: optional timestamp_ns", "price": "16: price: optional decimal(12, 2)", "void": "17: void: optional variant"}, 19},
		{"optional", []metadata.SchemaChange{metadata.MakeOptional{Column: "count"}, metadata.MakeOptional{Column: "place.city"}, metadata.MakeOptional{Column: "tags.element"}},
			map[string]string{"count": "14: count: optional int", "place.city": "5: city: optional string", "tags.element": "8: element: optional float"}, 19},
		{"doc", []metadata.SchemaChange{metadata.SetDoc{Column: "id", Doc: "who"}}, map[string]string{"id": "1: id: required long (who)"}, 19},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := wideTable(t)
			untouched, _ := before.Marshal()
			m, err := before.EvolveSchema(test.changes...)
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range test.want {
				if got := column(m, name); got != want {
					t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
				}
			}
			if m.CurrentSchemaID != 1 || len(m.Schemas) != 2 || m.LastColumnID != test.last {
				t.Errorf("schema %d of %d, last column %d", m.CurrentSchemaID, len(m.Schemas), m.LastColumnID)
			}
			if problems := m.Problems(); len(problems) != 0 {
				t.Errorf("problems: %v", problems)
			}
			checkWritten(t, m)
			if now, _ := before.Marshal(); string(now) != string(untouched) {
				t.Error("the table before changed")
			}
		})
	}
}

func TestEvolveSchemaRefuses(t *testing.T) {
	text := iceberg.StringType{}
	for _, test := range []struct {
		want   string
		change metadata.SchemaChange
	}{
		{`add column "name": another column has this name`, metadata.AddColumn{Name: "name", Type: text}},
		{`add column "place.city": another column has this name`, metadata.AddColumn{Parent: "place", Name: "city", Type: text}},
		{`add column "place.city": another column has this name`, metadata.AddColumn{Name: "place.city", Type: text}},
		{`add column "": it has no name`, metadata.AddColumn{Type: text}},
		{`add column "_row_id": the name belongs to a metadata column`, metadata.AddColumn{Name: "_row_id", Type: text}},
		{`add column "x": it has no type`, metadata.AddColumn{Name: "x"}},
		{`add column "none.x": the schema has no column "none"`, metadata.AddColumn{Parent: "none", Name: "x", Type: text}},
		{`add column "name.x": "name" of type string holds no columns`, metadata.AddColumn{Parent: "name", Name: "x", Type: text}},
		{`add column "tags.x": "tags.element" of type float holds no columns`, metadata.AddColumn{Parent: "tags", Name: "x", Type: text}},
		{`add column "marks.key.x": the key of a map cannot change`, metadata.AddColumn{Parent: "marks.key", Name: "x", Type: text}},
		{`column "x" is new and must be optional`, metadata.AddColumn{Name: "x", Type: text, Required: true}},
		{`drop column "none": the schema has no column "none"`, metadata.DropColumn{Column: "none"}},
		{`drop column "ts": field "ts_day" of the default partition spec 0 is made from it`, metadata.DropColumn{Column: "ts"}},
		{`drop column "name": the default sort order 1 sorts by it`, metadata.DropColumn{Column: "name"}},
		{`drop column "id": identifier field 1 is it`, metadata.DropColumn{Column: "id"}},
		{`drop column "box.only": it is the only column of its struct`, metadata.DropColumn{Column: "box.only"}},
		{`drop column "tags.element": it is part of a list or map`, metadata.DropColumn{Column: "tags.element"}},
		{`drop column "marks.key": the key of a map cannot change`, metadata.DropColumn{Column: "marks.key"}},
		{`rename column "id" to "name": another column has this name`, metadata.RenameColumn{Column: "id", To: "name"}},
		{`rename column "place.city" to "zip": another column has this name`, metadata.RenameColumn{Column: "place.city", To: "zip"}},
		{`rename column "id" to "": it has no name`, metadata.RenameColumn{Column: "id", To: ""}},
		{`rename column "id" to "_pos": the name belongs`, metadata.RenameColumn{Column: "id", To: "_pos"}},
		{`partition field "ts_day": a column of the schema has this name`, metadata.RenameColumn{Column: "count", To: "ts_day"}},
		{`column "count" of type int cannot become double`, metadata.PromoteColumn{Column: "count", Type: iceberg.Float64Type{}}},
		{`column "price" of type decimal(9, 2) cannot become decimal(12, 3)`, metadata.PromoteColumn{Column: "price", Type: iceberg.DecimalTypeOf(12, 3)}},
		{`column "day" of type date cannot become timestamptz`, metadata.PromoteColumn{Column: "day", Type: iceberg.TimestampTzType{}}},
		{`promote column "void": its type unknown cannot become struct`, metadata.PromoteColumn{Column: "void", Type: &iceberg.StructType{}}},
		{`promote column "void": its type unknown cannot become <nil>`, metadata.PromoteColumn{Column: "void", Type: nil}},
		{`make column "id" optional: identifier field 1 is it`, metadata.MakeOptional{Column: "id"}},
		{`make column "marks.key" optional: the key of a map cannot change`, metadata.MakeOptional{Column: "marks.key"}},
		{`document column "marks.value": it is part of a list or map`, metadata.SetDoc{Column: "marks.value", Doc: "x"}},
		{`set the default of column "void": "x" is no default of type unknown`, metadata.SetDefault{Column: "void", Default: "x"}},
	} {
		_, err := wideTable(t).EvolveSchema(test.change)
		if err == nil || !strings.HasPrefix(err.Error(), "metadata: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
}

// A change that leads back to a schema that the table has takes that schema's id, and gives no id out again.
func TestEvolveSchemaAndBack(t *testing.T) {
	m, err := wideTable(t).EvolveSchema(metadata.AddColumn{Name: "x", Type: iceberg.DateType{}, Default: "2026-01-02"})
	if err != nil {
		t.Fatal(err)
	}
	added := m
	if m, err = m.EvolveSchema(metadata.DropColumn{Column: "x"}); err != nil || m.CurrentSchemaID != 0 || len(m.Schemas) != 2 {
		t.Errorf("back: schema %d of %d, %v", m.CurrentSchemaID, len(m.Schemas), err)
	}
	if m, err = m.EvolveSchema(metadata.AddColumn{Name: "x", Type: iceberg.DateType{}}); err != nil || column(m, "x") != "21: x: optional date" {
		t.Errorf("again: %s, %v", column(m, "x"), err)
	}
	if m, err = added.EvolveSchema(metadata.SetDoc{Column: "x", Doc: ""}); err != nil || m.CurrentSchemaID != 1 {
		t.Errorf("no change: schema %d, %v", m.CurrentSchemaID, err)
	}
}

// New ids are above last-column-id, which may count columns of schemas that are gone, and above all columns, which
// last-column-id may have missed.
func TestAddColumnTakesNewID(t *testing.T) {
	for last, want := range map[int]string{50: "51: x: optional string", 3: "20: x: optional string"} {
		m := wideTable(t)
		m.LastColumnID = last
		m, err := m.EvolveSchema(metadata.AddColumn{Name: "x", Type: iceberg.StringType{}})
		if err != nil || column(m, "x") != want {
			t.Errorf("after %d: %s, %v", last, column(m, "x"), err)
		}
	}
}

// checkWritten reads the table back, with this package and, its current schema and spec, with iceberg-go.
func checkWritten(t rapid.TB, m metadata.Table) {
	t.Helper()
	text, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	back, err := metadata.Parse(text, metadata.Limits{})
	if err != nil || !back.Equal(m) || !back.Schema().Equals(m.Schema()) || !back.Spec().Equals(m.Spec()) {
		t.Fatalf("%v\nwritten %s", err, text)
	}
	schemaText, err := m.Schema().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var schema iceberg.Schema
	if err := schema.UnmarshalJSON(schemaText); err != nil || schema.NumFields() != m.Schema().NumFields() ||
		schema.HighestFieldID() != m.Schema().HighestFieldID() {
		t.Fatalf("%v\nread by iceberg-go %s\nfrom %s", err, schema.String(), schemaText)
	}
	specText, err := m.Spec().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var spec iceberg.PartitionSpec
	if err := spec.UnmarshalJSON(specText); err != nil || !spec.Equals(m.Spec()) {
		t.Fatalf("%v\nread by iceberg-go %s\nfrom %s", err, spec.String(), specText)
	}
}
