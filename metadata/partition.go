package metadata

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/apache/iceberg-go"
)

// PartitionColumns returns the ids of the columns by which the table is partitioned, or was by an earlier spec, ascending.
func (t Table) PartitionColumns() []int {
	var ids []int
	for _, spec := range t.specsNewestFirst() {
		for _, field := range spec.Fields() {
			if !isVoid(field) {
				ids = append(ids, field.SourceIDs...)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// UnionPartitionFields returns the members of the partition struct of v4 manifests: the partition fields of
// all specs by field id, ascending, all optional (rules 2.7.1). A field is called as in the newest spec that
// has it.
//
// The type of a field's source comes from the current schema or else from the newest schema that has the
// column (B47); where no schema has it, a transform that keeps its source's type gives iceberg.UnknownType.
// A field that some spec has voided keeps the type that the others give it. Two specs that use one field id
// for different fields, which version 1 allowed, are an error (MD5).
func (t Table) UnionPartitionFields() ([]iceberg.NestedField, error) {
	newestFirst := t.schemasNewestFirst()
	defined := map[int]iceberg.PartitionField{}
	union := map[int]iceberg.NestedField{}
	for _, spec := range t.specsNewestFirst() {
		for _, field := range spec.Fields() {
			known, ok := defined[field.FieldID]
			if ok && !sameField(known, field) {
				return nil, fmt.Errorf("metadata: partition field %d is %s in spec %d and %s in a newer spec",
					field.FieldID, describe(field), spec.ID(), describe(known))
			}
			if ok && (isVoid(field) || !isVoid(known)) {
				continue
			}
			name := field.Name
			if ok {
				name = union[field.FieldID].Name
			}
			defined[field.FieldID] = field
			union[field.FieldID] = iceberg.NestedField{
				ID:   field.FieldID,
				Name: name,
				Type: field.Transform.ResultType(columnType(newestFirst, field.SourceID())),
			}
		}
	}
	return slices.SortedFunc(maps.Values(union), func(a, b iceberg.NestedField) int {
		return cmp.Compare(a.ID, b.ID)
	}), nil
}

// schemasNewestFirst returns the current schema and then the others by falling id.
func (t Table) schemasNewestFirst() []*iceberg.Schema {
	rank := func(s *iceberg.Schema) int {
		if s.ID == t.CurrentSchemaID {
			return -1
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(t.Schemas), func(a, b *iceberg.Schema) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.ID, a.ID))
	})
}

// findColumn returns a column as it stands in the first schema that has it.
func findColumn(schemas []*iceberg.Schema, id int) (iceberg.NestedField, bool) {
	for _, schema := range schemas {
		if field, ok := schema.FindFieldByID(id); ok {
			return field, true
		}
	}
	return iceberg.NestedField{}, false
}

// columnType returns the type of a column in the first schema that has it.
func columnType(schemas []*iceberg.Schema, id int) iceberg.Type {
	if field, ok := findColumn(schemas, id); ok {
		return field.Type
	}
	return iceberg.UnknownType{}
}

// sameField reports whether two fields of one id can hold the same values: the name does not count, and a
// dropped field of version 1 is void.
func sameField(a, b iceberg.PartitionField) bool {
	return isVoid(a) || isVoid(b) || slices.Equal(a.SourceIDs, b.SourceIDs) && a.Transform.Equals(b.Transform)
}

func isVoid(field iceberg.PartitionField) bool {
	_, void := field.Transform.(iceberg.VoidTransform)
	return void
}

func describe(field iceberg.PartitionField) string {
	return fmt.Sprintf("%s of column %v", field.Transform, field.SourceIDs)
}
