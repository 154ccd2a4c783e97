package metadata

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"
)

// reservedColumns are the names of the metadata columns, which readers add to the columns of a table.
var reservedColumns = []string{
	"_file", "_pos", "_deleted", "_spec_id", "_partition", "_row_id", "_last_updated_sequence_number",
	"_change_type", "_change_ordinal", "_commit_snapshot_id",
}

// schemaDraft is a schema while it is changed. It owns its fields.
type schemaDraft struct {
	// table is the table before the changes.
	table       Table
	fields      []iceberg.NestedField
	identifiers []int
	lastID      int
}

// place is where something with a field id stands in a draft: a column, an element, a key or a value.
type place struct {
	id int
	// name is the dotted name.
	name string
	// field and siblings are set for the members of structs alone.
	field    *iceberg.NestedField
	siblings *[]iceberg.NestedField
	typ      *iceberg.Type
	required *bool
	// inKey says that it is a map's key, or part of one.
	inKey bool
}

// walk visits what stands in a struct, each before what it holds.
func walk(prefix string, siblings *[]iceberg.NestedField, inKey bool, visit func(place)) {
	for i := range *siblings {
		field := &(*siblings)[i]
		place{
			id: field.ID, name: prefix + field.Name, field: field, siblings: siblings,
			typ: &field.Type, required: &field.Required, inKey: inKey,
		}.walk(visit)
	}
}

func (p place) walk(visit func(place)) {
	visit(p)
	switch t := (*p.typ).(type) {
	case *iceberg.StructType:
		walk(p.name+".", &t.FieldList, p.inKey, visit)
	case *iceberg.ListType:
		place{id: t.ElementID, name: p.name + ".element", typ: &t.Element, required: &t.ElementRequired, inKey: p.inKey}.walk(visit)
	case *iceberg.MapType:
		place{id: t.KeyID, name: p.name + ".key", typ: &t.KeyType, inKey: true}.walk(visit)
		place{id: t.ValueID, name: p.name + ".value", typ: &t.ValueType, required: &t.ValueRequired, inKey: p.inKey}.walk(visit)
	}
}

// ids returns the ids of the place and of all that it holds.
func (p place) ids() []int {
	var ids []int
	p.walk(func(below place) { ids = append(ids, below.id) })
	return ids
}

// members returns the columns of a struct, or of the structs in a list or in the values of a map.
func (p place) members() (siblings *[]iceberg.NestedField, prefix string, err error) {
	switch t := (*p.typ).(type) {
	case *iceberg.StructType:
		return &t.FieldList, p.name + ".", nil
	case *iceberg.ListType:
		return place{name: p.name + ".element", typ: &t.Element}.members()
	case *iceberg.MapType:
		return place{name: p.name + ".value", typ: &t.ValueType}.members()
	}
	return nil, "", fmt.Errorf("%q of type %s holds no columns", p.name, *p.typ)
}

// remove takes a member out of its struct.
func (p place) remove() {
	*p.siblings = slices.DeleteFunc(*p.siblings, func(f iceberg.NestedField) bool { return f.ID == p.id })
}

// find returns the place of a name. What is part of a map's key cannot be found, for a change of it would
// change which keys are equal.
func (d *schemaDraft) find(name string) (place, error) {
	var found []place
	walk("", &d.fields, false, func(p place) {
		if p.name == name {
			found = append(found, p)
		}
	})
	switch {
	case len(found) == 0:
		return place{}, fmt.Errorf("the schema has no column %q", name)
	case len(found) > 1:
		return place{}, fmt.Errorf("the name %q stands twice", name)
	case found[0].inKey:
		return place{}, errors.New("the key of a map cannot change")
	}
	return found[0], nil
}

// findMember returns the place of a column that is a member of a struct.
func (d *schemaDraft) findMember(name string) (place, error) {
	p, err := d.find(name)
	if err == nil && p.field == nil {
		err = errors.New("it is part of a list or map and no column of its own")
	}
	return p, err
}

// free reports why a new column cannot have a name.
func (d *schemaDraft) free(prefix, name string) error {
	if name == "" {
		return errors.New("it has no name")
	}
	if prefix == "" && slices.Contains(reservedColumns, name) {
		return errors.New("the name belongs to a metadata column")
	}
	var err error
	walk("", &d.fields, false, func(p place) {
		if p.name == prefix+name {
			err = errors.New("another column has this name")
		}
	})
	return err
}

func (d *schemaDraft) next() int {
	d.lastID++
	return d.lastID
}

// unused reports who uses one of the columns, so that they cannot be dropped.
func (d *schemaDraft) unused(ids []int) error {
	spec := d.table.Spec()
	for _, field := range spec.Fields() {
		if !isVoid(field) && slices.ContainsFunc(field.SourceIDs, func(id int) bool { return slices.Contains(ids, id) }) {
			return fmt.Errorf("field %q of the default partition spec %d is made from it", field.Name, spec.ID())
		}
	}
	sources, err := d.table.defaultSortSources()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(sources, func(id int) bool { return slices.Contains(ids, id) }) {
		return fmt.Errorf("the default sort order %d sorts by it", d.table.DefaultSortOrderID)
	}
	return d.unidentifying(ids)
}

// unidentifying reports that one of the columns identifies rows.
func (d *schemaDraft) unidentifying(ids []int) error {
	for _, id := range d.identifiers {
		if slices.Contains(ids, id) {
			return fmt.Errorf("identifier field %d is it, or part of it", id)
		}
	}
	return nil
}

// renumbered returns a copy of a type in which all ids come from next: those of a struct's members before
// those of what the members hold.
func renumbered(t iceberg.Type, next func() int) iceberg.Type {
	switch t := t.(type) {
	case *iceberg.StructType:
		fields := slices.Clone(t.FieldList)
		for i := range fields {
			fields[i].ID = next()
		}
		for i := range fields {
			fields[i].Type = renumbered(fields[i].Type, next)
		}
		return &iceberg.StructType{FieldList: fields}
	case *iceberg.ListType:
		list := *t
		list.ElementID = next()
		list.Element = renumbered(t.Element, next)
		return &list
	case *iceberg.MapType:
		m := *t
		m.KeyID, m.ValueID = next(), next()
		m.KeyType, m.ValueType = renumbered(t.KeyType, next), renumbered(t.ValueType, next)
		return &m
	}
	return t
}
