package metadata_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/metadata"
)

// partitionOf parses a term of a partition expression.
func partitionOf(t testing.TB, text, name string) metadata.AddPartitionField {
	t.Helper()
	field, err := metadata.ParsePartitionField(text)
	if err != nil {
		t.Fatal(err)
	}
	field.Name = name
	return field
}

// specText writes a spec in one line.
func specText(spec iceberg.PartitionSpec) string {
	var parts []string
	for _, f := range spec.Fields() {
		parts = append(parts, fmt.Sprintf("%d %s=%s(%d)", f.FieldID, f.Name, f.Transform, f.SourceIDs[0]))
	}
	return strings.Join(parts, ", ")
}

func TestEvolveSpec(t *testing.T) {
	m := partitioned(t, "day(ts), region")
	for _, step := range []struct {
		changes []metadata.SpecChange
		want    string
		id      int
		last    int
	}{
		{[]metadata.SpecChange{metadata.DropPartitionField{Name: "ts_day"}, partitionOf(t, "hour(ts)", "")},
			"1001 region=identity(4), 1002 ts_hour=hour(2)", 1, 1002},
		{[]metadata.SpecChange{metadata.RenamePartitionField{Name: "ts_hour", To: "hours"}, partitionOf(t, "bucket(8, id)", "b")},
			"1001 region=identity(4), 1002 hours=hour(2), 1003 b=bucket[8](1)", 2, 1003},
		{[]metadata.SpecChange{metadata.DropPartitionField{Name: "region"}, metadata.DropPartitionField{Name: "hours"}, metadata.DropPartitionField{Name: "b"}},
			"", 3, 1003},
		{[]metadata.SpecChange{partitionOf(t, "day(ts)", ""), partitionOf(t, "region", "")}, "1000 ts_day=day(2), 1001 region=identity(4)", 0, 1003},
		{[]metadata.SpecChange{metadata.DropPartitionField{Name: "ts_day"}, partitionOf(t, "hour(ts)", "")},
			"1001 region=identity(4), 1002 hours=hour(2)", 4, 1003},
		{[]metadata.SpecChange{metadata.DropPartitionField{Name: "hours"}, partitionOf(t, "hour(ts)", "other")},
			"1001 region=identity(4), 1002 other=hour(2)", 5, 1003},
		{[]metadata.SpecChange{partitionOf(t, "bucket(16, id)", ""), partitionOf(t, "where.city", "")},
			"1001 region=identity(4), 1002 other=hour(2), 1004 id_bucket=bucket[16](1), 1005 where.city=identity(7)", 6, 1005},
	} {
		after, err := m.EvolveSpec(step.changes...)
		if err != nil {
			t.Fatal(err)
		}
		spec := after.Spec()
		if got := specText(spec); got != step.want || spec.ID() != step.id || after.LastPartitionID != step.last || len(after.Problems()) != 0 {
			t.Errorf("spec %d, last %d, problems %v\ngot  %s\nwant %s", spec.ID(), after.LastPartitionID, after.Problems(), got, step.want)
		}
		checkWritten(t, after)
		m = after
	}
}

func TestEvolveSpecRefuses(t *testing.T) {
	nested := wideTable(t)
	for _, test := range []struct {
		want   string
		change metadata.SpecChange
	}{
		{`add partition field day of column "none": the schema has no column`, metadata.AddPartitionField{Column: "none", Transform: iceberg.DayTransform{}}},
		{`it has no transform`, metadata.AddPartitionField{Column: "id"}},
		{`"ts_day" partitions by the same column`, partitionOf(t, "hour(ts)", "")},
		{`the spec has a field "ts_day" already`, partitionOf(t, "bucket(2, id)", "ts_day")},
		{`the spec has a field "ts_day" already`, partitionOf(t, "day(ts)", "")},
		{`day does not apply to column "id" of type long`, partitionOf(t, "day(id)", "")},
		{`partition field "x": its source "element" is part of a list or map`, partitionOf(t, "tags.element", "x")},
		{`partition field "x": its source "n" is part of a list or map`, partitionOf(t, "marks.value.n", "x")},
		{`partition field "name": a column of the schema has this name`, partitionOf(t, "bucket(2, id)", "name")},
		{`drop partition field "none": the default spec 0 has no such field`, metadata.DropPartitionField{Name: "none"}},
		{`rename partition field "none" to "x": the default spec 0 has no such field`, metadata.RenamePartitionField{Name: "none", To: "x"}},
		{`rename partition field "ts_day" to "": the new name is empty`, metadata.RenamePartitionField{Name: "ts_day", To: ""}},
		{`a column of the schema has this name`, metadata.RenamePartitionField{Name: "ts_day", To: "name"}},
	} {
		_, err := nested.EvolveSpec(test.change)
		if err == nil || !strings.HasPrefix(err.Error(), "metadata: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
	nested.FormatVersion = 1
	if _, err := nested.EvolveSpec(metadata.DropPartitionField{Name: "ts_day"}); err == nil {
		t.Error("version 1: no error")
	}
	for _, text := range []string{"", "day(ts), id", "day(", "soundex(name)"} {
		if field, err := metadata.ParsePartitionField(text); err == nil {
			t.Errorf("%q is %v", text, field)
		}
	}
}

// B24: the old field and the new one of one column are two members of the union.
func TestB24SpecsKeepTheirFields(t *testing.T) {
	m := partitioned(t, "day(ts)")
	m, err := m.EvolveSpec(metadata.DropPartitionField{Name: "ts_day"}, partitionOf(t, "hour(ts)", ""))
	if err != nil {
		t.Fatal(err)
	}
	old, _ := m.SpecByID(0)
	union, err := m.UnionPartitionFields()
	if err != nil || specText(old) != "1000 ts_day=day(2)" || specText(m.Spec()) != "1001 ts_hour=hour(2)" {
		t.Fatalf("old %s, new %s, %v", specText(old), specText(m.Spec()), err)
	}
	if fmt.Sprint(union) != "[1000: ts_day: optional date 1001: ts_hour: optional int]" {
		t.Errorf("union %v", union)
	}
}

// B47: a column that only older specs use may be dropped; the union takes its type from the schema that has it.
func TestB47DroppedSource(t *testing.T) {
	schema := withField(eventSchema(), iceberg.NestedField{ID: 8, Name: "day", Type: iceberg.DateType{}})
	spec, err := metadata.ParsePartition("day", schema)
	if err != nil {
		t.Fatal(err)
	}
	m, err := metadata.New(metadata.NewTable{UUID: tableUUID, Schema: schema, Spec: spec})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.EvolveSchema(metadata.DropColumn{Column: "day"}); err == nil {
		t.Error("dropped while the default spec uses it")
	}
	m, err = m.EvolveSpec(metadata.DropPartitionField{Name: "day"}, partitionOf(t, "day(ts)", ""))
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.EvolveSchema(metadata.DropColumn{Column: "day"}); err != nil {
		t.Fatal(err)
	}
	m = commit(t, commit(t, m, 1, "main", 200), 2, "main", 300)
	if m, err = m.WithoutSnapshots(1); err != nil {
		t.Fatal(err)
	}
	union, err := m.UnionPartitionFields()
	if err != nil || fmt.Sprint(union) != "[1000: day: optional date 1001: ts_day: optional date]" {
		t.Errorf("union %v, %v", union, err)
	}
	if len(m.Schemas) != 2 || len(m.Specs) != 2 || len(m.Problems()) != 0 {
		t.Errorf("%d schemas, %d specs, problems %v", len(m.Schemas), len(m.Specs), m.Problems())
	}
}

// A date that is partitioned by its value or a hash of it stays a date, whatever spec does so.
func TestPromotePartitionedDate(t *testing.T) {
	for _, test := range []struct {
		partition string
		ok        bool
	}{{"year(day)", true}, {"month(day)", true}, {"day(day)", true}, {"void(day)", true}, {"day", false}, {"bucket(4, day)", false}} {
		m, err := wideTable(t).EvolveSpec(partitionOf(t, test.partition, ""))
		if err != nil {
			t.Fatal(err)
		}
		if m, err = m.EvolveSpec(metadata.DropPartitionField{Name: lastField(m)}); err != nil {
			t.Fatal(err)
		}
		_, err = m.EvolveSchema(metadata.PromoteColumn{Column: "day", Type: iceberg.TimestampType{}})
		if (err == nil) != test.ok || err != nil && !strings.Contains(err.Error(), `column "day" of type date cannot become a timestamp`) {
			t.Errorf("%s: %v", test.partition, err)
		}
	}
	m, err := wideTable(t).EvolveSchema(metadata.SetDefault{Column: "day", Default: "2026-01-01"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = m.EvolveSchema(metadata.PromoteColumn{Column: "day", Type: iceberg.TimestampType{}}); err == nil {
		t.Error("a default of a date became one of a timestamp")
	}
}

func lastField(m metadata.Table) string {
	spec := m.Spec()
	return spec.Field(spec.NumFields() - 1).Name
}
