package metadata_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/metadata"
)

// union prints the union type of a table, one field after the other.
func union(t testing.TB, m metadata.Table) string {
	t.Helper()
	fields, err := m.UnionPartitionFields()
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, f := range fields {
		if f.Required {
			t.Errorf("%s is required", f.Name)
		}
		parts = append(parts, fmt.Sprintf("%d %s %s", f.ID, f.Name, f.Type))
	}
	return strings.Join(parts, ", ")
}

func partitionField(id, source int, name string, transform iceberg.Transform) iceberg.PartitionField {
	return iceberg.PartitionField{SourceIDs: []int{source}, FieldID: id, Name: name, Transform: transform}
}

func TestUnionPartitionFields(t *testing.T) {
	identity, void := iceberg.IdentityTransform{}, iceberg.VoidTransform{}
	old := iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.Int32Type{}},
		iceberg.NestedField{ID: 6, Name: "day", Type: iceberg.DateType{}})
	current := iceberg.NewSchema(1,
		iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.Int64Type{}},
		iceberg.NestedField{ID: 2, Name: "ts", Type: iceberg.TimestampType{}})
	newer := iceberg.NewSchema(2, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.Int32Type{}})
	spec := iceberg.NewPartitionSpecID
	for _, test := range []struct {
		name, want string
		schemas    []*iceberg.Schema
		specs      []iceberg.PartitionSpec
	}{
		{"no fields", "", []*iceberg.Schema{current}, []iceberg.PartitionSpec{spec(0)}},
		{"dropped source column", "1000 day date, 1001 ts_day date", []*iceberg.Schema{old, current}, []iceberg.PartitionSpec{
			spec(0, partitionField(1000, 6, "day", identity)), spec(1, partitionField(1001, 2, "ts_day", iceberg.DayTransform{}))}},
		{"source in no schema", "1000 day unknown, 1001 day_bucket int", []*iceberg.Schema{current}, []iceberg.PartitionSpec{
			spec(0, partitionField(1000, 6, "day", identity), partitionField(1001, 6, "day_bucket", iceberg.BucketTransform{NumBuckets: 2}))}},
		{"promoted source", "1000 id long", []*iceberg.Schema{current, old}, []iceberg.PartitionSpec{spec(0, partitionField(1000, 1, "id", identity))}},
		{"newest name", "1000 new int", []*iceberg.Schema{old, current}, []iceberg.PartitionSpec{
			spec(5, partitionField(1000, 1, "new", iceberg.BucketTransform{NumBuckets: 2})),
			spec(0, partitionField(1000, 1, "old", iceberg.BucketTransform{NumBuckets: 2}))}},
		{"voided later", "1000 gone date", []*iceberg.Schema{old, current}, []iceberg.PartitionSpec{
			spec(0, partitionField(1000, 6, "day", identity)), spec(1, partitionField(1000, 6, "gone", void))}},
		{"voided later, by another type", "1000 gone date", []*iceberg.Schema{current}, []iceberg.PartitionSpec{
			spec(0, partitionField(1000, 2, "ts_day", iceberg.DayTransform{})), spec(1, partitionField(1000, 2, "gone", void))}},
		{"current schema before a newer one", "1000 id long", []*iceberg.Schema{newer, current}, []iceberg.PartitionSpec{spec(0, partitionField(1000, 1, "id", identity))}},
		{"voided earlier", "1000 day date", []*iceberg.Schema{old, current}, []iceberg.PartitionSpec{
			spec(1, partitionField(1000, 6, "day", identity)), spec(0, partitionField(1000, 6, "gone", void))}},
		{"void only, without source", "1000 gone unknown", []*iceberg.Schema{current}, []iceberg.PartitionSpec{spec(0, partitionField(1000, 0, "gone", void))}},
		{"out of order", "1000 a int, 1001 b int", []*iceberg.Schema{current}, []iceberg.PartitionSpec{
			spec(0, partitionField(1001, 1, "b", iceberg.BucketTransform{NumBuckets: 2})),
			spec(1, partitionField(1000, 1, "a", iceberg.BucketTransform{NumBuckets: 3}))}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := metadata.Table{FormatVersion: 4, Schemas: test.schemas, CurrentSchemaID: 1, Specs: test.specs}
			if got := union(t, m); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestPartitionColumns: the sources of all specs count, those of voided fields do not.
func TestPartitionColumns(t *testing.T) {
	spec, identity := iceberg.NewPartitionSpecID, iceberg.IdentityTransform{}
	m := metadata.Table{FormatVersion: 4, Specs: []iceberg.PartitionSpec{
		spec(0, partitionField(1000, 6, "day", identity), partitionField(1001, 9, "gone", iceberg.VoidTransform{})),
		spec(1, partitionField(1002, 2, "id", iceberg.BucketTransform{NumBuckets: 4}), partitionField(1003, 6, "d", iceberg.DayTransform{})),
		spec(2),
	}}
	if got := m.PartitionColumns(); !slices.Equal(got, []int{2, 6}) {
		t.Errorf("columns %v", got)
	}
	if got := (metadata.Table{}).PartitionColumns(); len(got) != 0 {
		t.Errorf("columns %v of no table", got)
	}
}

func TestUnionOfConflictingFields(t *testing.T) {
	m := metadata.Table{Schemas: []*iceberg.Schema{eventSchema()}, Specs: []iceberg.PartitionSpec{
		iceberg.NewPartitionSpecID(0, partitionField(1000, 2, "a", iceberg.DayTransform{})),
		iceberg.NewPartitionSpecID(1, partitionField(1000, 4, "b", iceberg.IdentityTransform{})),
	}}
	_, err := m.UnionPartitionFields()
	const want = "metadata: partition field 1000 is day of column [2] in spec 0 and identity of column [4] in a newer spec"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestUnionOfFixtures(t *testing.T) {
	for pattern, want := range map[string]string{
		"java-v4/two-specs/*":  "1000 region string, 1001 ts_day date",
		"java-v4/mdv/*":        "1000 region string, 1001 id_bucket int",
		"java-v4/loose-only/*": "",
		"legacy/v2-mixed/*":    "1000 region string, 1001 id_bucket_4 int",
	} {
		if got := union(t, fixture(t, pattern)); got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
	}
}
