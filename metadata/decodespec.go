package metadata

import (
	"slices"

	"github.com/apache/iceberg-go"
)

var specMembers = members{{"spec-id", required}, {"fields", required}}

var partitionFieldMembers = members{
	{"source-id", optional},
	{"source-ids", optional},
	{"field-id", optional},
	{"name", required},
	{"transform", required},
}

// noSource is the source id, in iceberg-go, of a void field whose source is not recorded.
const noSource = 0

func (d *decoder) addSpec(t *Table) {
	mark := d.mark()
	id := 0
	var fields []iceberg.PartitionField
	d.object(specMembers, func(name string) {
		if name == "spec-id" {
			id = d.int32()
		} else {
			fields = d.partitionFields()
		}
	})
	if d.err != nil {
		return
	}
	spec := iceberg.NewPartitionSpecID(id, fields...)
	t.Specs = append(t.Specs, spec)
	t.texts.specs = append(t.texts.specs, specText{spec: spec, json: d.textSince(mark)})
}

// partitionFields reads the fields of a spec. Version 1 may leave out all field ids: then they count from
// 1000 in the order of the fields.
func (d *decoder) partitionFields() []iceberg.PartitionField {
	var fields []iceberg.PartitionField
	absent := 0
	d.array(func() {
		field, hasID := d.partitionField()
		if !hasID {
			field.FieldID = iceberg.PartitionDataIDStart + len(fields)
			absent++
		}
		fields = append(fields, field)
	})
	if absent != 0 && absent != len(fields) {
		d.fail("some of the partition fields have a field-id and some have none")
	}
	return fields
}

func (d *decoder) partitionField() (field iceberg.PartitionField, hasID bool) {
	f, _ := d.object(partitionFieldMembers, func(name string) {
		switch name {
		case "source-id":
			field.SourceIDs = []int{d.int32()}
		case "source-ids":
			field.SourceIDs = nil
			d.array(func() { field.SourceIDs = append(field.SourceIDs, d.int32()) })
		case "field-id":
			field.FieldID = d.int32()
		case "name":
			field.Name = d.str()
		case "transform":
			field.Transform = d.transform()
		}
	})
	_, void := field.Transform.(iceberg.VoidTransform)
	switch {
	case f.has("source-id") && f.has("source-ids"):
		d.fail("a partition field has source-id or source-ids, not both")
	case len(field.SourceIDs) == 0 && !void:
		d.fail("a partition field needs a source-id")
	case len(field.SourceIDs) == 0:
		field.SourceIDs = []int{noSource}
	}
	return field, f.has("field-id")
}

// transform reads a transform. An unknown name is no error: such a table can be read (its partitions prune
// nothing).
func (d *decoder) transform() iceberg.Transform {
	name := d.str()
	if d.err != nil {
		return iceberg.VoidTransform{}
	}
	transform, err := iceberg.ParseTransform(name)
	if err != nil {
		d.fail("the transform %q is invalid", shorten(name))
		return iceberg.VoidTransform{}
	}
	return transform
}

// highestPartitionFieldID returns the highest id of a partition field, or 999 if there is none.
func highestPartitionFieldID(specs []iceberg.PartitionSpec) int {
	highest := iceberg.PartitionDataIDStart - 1
	for _, spec := range specs {
		highest = max(highest, spec.LastAssignedFieldID())
	}
	return highest
}

// fieldsOf returns the fields of a spec.
func fieldsOf(spec iceberg.PartitionSpec) []iceberg.PartitionField {
	fields := make([]iceberg.PartitionField, 0, spec.NumFields())
	for _, field := range spec.Fields() {
		fields = append(fields, field)
	}
	return slices.Clip(fields)
}
