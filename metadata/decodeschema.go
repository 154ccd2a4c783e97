package metadata

import (
	"encoding/json"
	"fmt"

	"github.com/apache/iceberg-go"
)

var schemaMembers = members{
	{"type", recorded},
	{"schema-id", optional},
	{"identifier-field-ids", optional},
	{"fields", required},
}

var fieldMembers = members{
	{"id", recorded},
	{"name", required},
	{"required", recorded},
	{"type", required},
	{"doc", optional},
	{"initial-default", optional},
	{"write-default", optional},
}

// typeMembers are the members of all nested types; each kind of type needs its own of them.
var typeMembers = members{
	{"type", required},
	{"fields", optional},
	{"element-id", optional},
	{"element", optional},
	{"element-required", optional},
	{"key-id", optional},
	{"key", optional},
	{"value-id", optional},
	{"value", optional},
	{"value-required", optional},
}

// fieldIDs are the ids of one schema, and how many fields of a draft have none.
type fieldIDs struct {
	given  map[int]struct{}
	absent int
}

// typeNames are the primitive types by the name in the file.
type typeNames map[string]iceberg.Type

func (d *decoder) addSchema(t *Table) {
	schema, text := d.textedSchema()
	if d.err != nil {
		return
	}
	t.Schemas = append(t.Schemas, schema)
	t.texts.schemas[schema] = text
}

func (d *decoder) textedSchema() (*iceberg.Schema, string) {
	mark := d.mark()
	schema := d.schema()
	return schema, d.textSince(mark)
}

// schema reads a schema; nil after an error. Ids are unique afterwards, names need not be.
func (d *decoder) schema() *iceberg.Schema {
	d.fieldIDs = fieldIDs{given: map[int]struct{}{}}
	id := 0
	identifiers := []int{}
	var fields []iceberg.NestedField
	d.object(schemaMembers, func(name string) {
		switch name {
		case "type":
			if kind := d.str(); kind != "struct" {
				d.fail("a schema has the type struct, not %q", shorten(kind))
			}
		case "schema-id":
			id = d.int32()
		case "identifier-field-ids":
			d.array(func() { identifiers = append(identifiers, d.int32()) })
		case "fields":
			fields = d.fields()
		}
	})
	if d.err != nil {
		return nil
	}
	return iceberg.NewSchemaWithIdentifiers(id, identifiers, fields...)
}

func (d *decoder) fields() []iceberg.NestedField {
	fields := []iceberg.NestedField{}
	d.array(func() { fields = append(fields, d.field()) })
	return fields
}

func (d *decoder) field() iceberg.NestedField {
	var field iceberg.NestedField
	f, _ := d.object(fieldMembers, func(name string) {
		switch name {
		case "id":
			field.ID = d.fieldID()
		case "name":
			field.Name = d.str()
		case "required":
			field.Required = d.boolean()
		case "type":
			field.Type = d.fieldType()
		case "doc":
			field.Doc = d.str()
		case "initial-default":
			field.InitialDefault = d.any()
		case "write-default":
			field.WriteDefault = d.any()
		}
	})
	d.countAbsent(f, "id")
	return field
}

// fieldID reads the id of a field, an element, a key or a value.
func (d *decoder) fieldID() int {
	id := d.int32()
	if _, twice := d.fieldIDs.given[id]; twice {
		d.fail("the field id %d stands twice in one schema", id)
	}
	d.fieldIDs.given[id] = struct{}{}
	return id
}

// countAbsent counts the id that a draft left out.
func (d *decoder) countAbsent(f found, name string) {
	if !f.has(name) {
		d.fieldIDs.absent++
	}
}

func (d *decoder) fieldType() iceberg.Type {
	if d.peek() == '"' {
		return d.primitiveType()
	}
	var (
		kind    string
		st      iceberg.StructType
		list    iceberg.ListType
		mapping iceberg.MapType
	)
	f, _ := d.object(typeMembers, func(name string) {
		switch name {
		case "type":
			kind = d.str()
		case "fields":
			st.FieldList = d.fields()
		case "element-id":
			list.ElementID = d.fieldID()
		case "element":
			list.Element = d.fieldType()
		case "element-required":
			list.ElementRequired = d.boolean()
		case "key-id":
			mapping.KeyID = d.fieldID()
		case "key":
			mapping.KeyType = d.fieldType()
		case "value-id":
			mapping.ValueID = d.fieldID()
		case "value":
			mapping.ValueType = d.fieldType()
		case "value-required":
			mapping.ValueRequired = d.boolean()
		}
	})
	if d.err != nil {
		return nil
	}
	switch kind {
	case "struct":
		d.need(f, "fields")
		return &st
	case "list":
		d.need(f, "element")
		d.needID(f, "element-id")
		d.needUnlessDraft(f, "element-required")
		return &list
	case "map":
		d.need(f, "key", "value")
		d.needID(f, "key-id")
		d.needID(f, "value-id")
		d.needUnlessDraft(f, "value-required")
		return &mapping
	}
	d.fail("unknown nested type %q", shorten(kind))
	return nil
}

func (d *decoder) needID(f found, name string) {
	d.needUnlessDraft(f, name)
	d.countAbsent(f, name)
}

func (d *decoder) needUnlessDraft(f found, name string) {
	if !d.draft {
		d.need(f, name)
	}
}

func (d *decoder) primitiveType() iceberg.Type {
	name := d.str()
	if d.err != nil {
		return nil
	}
	if t, ok := d.types[name]; ok {
		return t
	}
	t, err := primitiveType(name)
	if err != nil {
		d.fail("unknown type %q", shorten(name))
		return nil
	}
	if d.types == nil {
		d.types = typeNames{}
	}
	d.types[name] = t
	return t
}

// primitiveType returns the type of a name. The only place in iceberg-go that knows all names is its reader
// of fields, so the name is wrapped into one.
func primitiveType(name string) (iceberg.Type, error) {
	quoted, err := json.Marshal(name)
	if err != nil {
		return nil, err
	}
	var field iceberg.NestedField
	err = json.Unmarshal(fmt.Appendf(nil, `{"id":1,"name":"c","required":false,"type":%s}`, quoted), &field)
	return field.Type, err
}
