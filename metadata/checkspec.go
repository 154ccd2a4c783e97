package metadata

import (
	"fmt"

	"github.com/apache/iceberg-go"
)

// checkSpec returns what is wrong with a partition spec over a schema.
func checkSpec(spec iceberg.PartitionSpec, schema *iceberg.Schema) []string {
	var complaints []string
	complain := func(field iceberg.PartitionField, format string, args ...any) {
		complaints = append(complaints, fmt.Sprintf("partition field %q: ", field.Name)+fmt.Sprintf(format, args...))
	}
	names := map[string]struct{}{}
	ids := map[int]struct{}{}
	for _, field := range spec.Fields() {
		if _, twice := names[field.Name]; twice || field.Name == "" {
			complain(field, "the name is empty or stands twice")
		}
		if _, twice := ids[field.FieldID]; twice || field.FieldID < iceberg.PartitionDataIDStart {
			complain(field, "the field id %d is below %d or stands twice", field.FieldID, iceberg.PartitionDataIDStart)
		}
		names[field.Name] = struct{}{}
		ids[field.FieldID] = struct{}{}
		if isVoid(field) {
			continue
		}
		if complaint := checkSource(field, schema); complaint != "" {
			complain(field, "%s", complaint)
		}
		if complaint := checkRedundant(field, spec); complaint != "" {
			complain(field, "%s", complaint)
		}
	}
	return complaints
}

func checkSource(field iceberg.PartitionField, schema *iceberg.Schema) string {
	source, ok := schema.FindFieldByID(field.SourceID())
	if !ok || len(field.SourceIDs) != 1 {
		return fmt.Sprintf("its source %v is not one column of the schema", field.SourceIDs)
	}
	if inCollection(schema, source.ID) {
		return fmt.Sprintf("its source %q is part of a list or map", source.Name)
	}
	if _, unknown := field.Transform.(iceberg.UnknownTransform); unknown {
		return fmt.Sprintf("the transform %s is unknown", field.Transform)
	}
	if !field.Transform.CanTransform(source.Type) {
		return fmt.Sprintf("%s does not apply to column %q of type %s", field.Transform, source.Name, source.Type)
	}
	_, identity := field.Transform.(iceberg.IdentityTransform)
	if column, taken := schema.FindFieldByName(field.Name); taken && !(identity && column.ID == source.ID) {
		return "a column of the schema has this name"
	}
	return ""
}

// inCollection reports whether a row may have several values of a column, or none.
func inCollection(schema *iceberg.Schema, id int) bool {
	parents, err := iceberg.IndexParents(schema)
	for err == nil {
		parent, nested := parents[id]
		if !nested {
			return false
		}
		holder, _ := schema.FindFieldByID(parent)
		if _, isStruct := holder.Type.(*iceberg.StructType); !isStruct {
			return true
		}
		id = parent
	}
	return false
}

// checkRedundant looks for an earlier field that says as much about the same column: time transforms nest,
// so one of them is enough.
func checkRedundant(field iceberg.PartitionField, spec iceberg.PartitionSpec) string {
	for _, earlier := range spec.Fields() {
		if earlier.FieldID == field.FieldID {
			return ""
		}
		if earlier.SourceID() != field.SourceID() || isVoid(earlier) {
			continue
		}
		if earlier.Transform.Equals(field.Transform) || isTime(earlier) && isTime(field) {
			return fmt.Sprintf("%q partitions by the same column", earlier.Name)
		}
	}
	return ""
}

func isTime(field iceberg.PartitionField) bool {
	_, ok := field.Transform.(iceberg.TimeTransform)
	return ok
}
