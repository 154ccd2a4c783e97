package manifestio

import "github.com/apache/iceberg-go"

// Schema is what differs between the row types of two manifests: everything else of tracked_file is fixed
// (rules 2). Build one with [NewSchema], or get the one of a file from [Reader.Schema].
type Schema struct {
	// SchemaID is the id of the table schema behind Stats; it becomes the key schema-id (rules 4.5).
	SchemaID int
	// Partition is the union of the partition types of all specs, by field id, all optional; empty leaves the
	// column out (rules 2.7.1, 2.1.5).
	Partition []iceberg.NestedField
	// Stats lists the columns that have statistics, in schema order; empty leaves the column out.
	Stats []StatsColumn
}

// StatsColumn is one table column of the statistics struct (rules 3).
type StatsColumn struct {
	// FieldID is the id of the table column.
	FieldID int
	// Name is the column's full dotted name, used as the name of its struct (rules 3.2).
	Name string
	// Type is the column's type.
	Type iceberg.Type
}
