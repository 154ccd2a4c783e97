package metadata

import (
	"fmt"
	"unicode/utf8"

	"github.com/apache/iceberg-go"
)

// maxFieldID is the highest id of a table column; the ids above belong to metadata columns.
const maxFieldID = 2147483447

// schemaCheck collects what is wrong with a schema, and what a reader of it wants to know.
type schemaCheck struct {
	complaints []string
	names      map[string]struct{}
	// ids are the columns' names by id; iceberg-go lets no id stand twice.
	ids       map[int]string
	highestID int
	// identifiers are the columns that may identify a row.
	identifiers map[int]struct{}
}

// checkSchema returns what is wrong with a schema.
func checkSchema(s *iceberg.Schema) schemaCheck {
	c := schemaCheck{names: map[string]struct{}{}, ids: map[int]string{}, identifiers: map[int]struct{}{}}
	c.fields("", s.Fields(), true)
	for _, id := range s.IdentifierFieldIDs {
		if _, ok := c.identifiers[id]; !ok {
			c.complain("identifier field %d is not a required column of a type with exact equality", id)
		}
	}
	return c
}

func (c *schemaCheck) complain(format string, args ...any) {
	c.complaints = append(c.complaints, fmt.Sprintf(format, args...))
}

// fields checks the fields of one struct. There is one value of each of them in every row if always is true.
func (c *schemaCheck) fields(prefix string, fields []iceberg.NestedField, always bool) {
	for _, field := range fields {
		name := prefix + field.Name
		_, twice := c.names[name]
		switch {
		case field.Name == "":
			c.complain("field %d has no name", field.ID)
		case !utf8.ValidString(field.Name):
			c.complain("the name of field %d is not valid UTF-8", field.ID)
		case twice:
			c.complain("the name %q stands twice", name)
		}
		c.names[name] = struct{}{}
		c.field(name, field, always)
	}
}

func (c *schemaCheck) field(name string, field iceberg.NestedField, always bool) {
	c.id(name, field.ID)
	always = always && field.Required
	switch t := field.Type.(type) {
	case nil:
		c.complain("%q has no type", name)
	case *iceberg.StructType:
		c.fields(name+".", t.FieldList, always)
	case *iceberg.ListType:
		c.field(name+".element", t.ElementField(), false)
	case *iceberg.MapType:
		c.field(name+".key", t.KeyField(), false)
		c.field(name+".value", t.ValueField(), false)
	case iceberg.UnknownType:
		if field.Required || field.InitialDefault != nil || field.WriteDefault != nil {
			c.complain("%q of type unknown must be optional and without a default", name)
		}
	case iceberg.Float32Type, iceberg.Float64Type, iceberg.VariantType, iceberg.GeometryType, iceberg.GeographyType:
	default:
		if always {
			c.identifiers[field.ID] = struct{}{}
		}
	}
}

func (c *schemaCheck) id(name string, id int) {
	if id < 1 || id > maxFieldID {
		c.complain("%q has the id %d, which is not from 1 to %d", name, id, maxFieldID)
	}
	c.ids[id] = name
	c.highestID = max(c.highestID, id)
}
