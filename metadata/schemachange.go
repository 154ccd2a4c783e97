package metadata

import (
	"errors"
	"fmt"
	"strings"

	"github.com/apache/iceberg-go"
)

// SchemaChange is one step of [Table.EvolveSchema]. The steps are [AddColumn], [DropColumn], [RenameColumn],
// [PromoteColumn], [MakeOptional], [SetDoc] and [SetDefault].
//
// They name columns by their dotted names, as in where.city; a list's elements are called element, a map's
// keys and values key and value.
type SchemaChange interface {
	// about says what is to be done to which column, for errors.
	about() string
	change(d *schemaDraft) error
}

// EvolveSchema returns the table with changes made to its current schema, one after the other: a later change
// sees what an earlier one did, and all of them make one new schema, which becomes the current one. Its id is
// the next one, or that of an equal schema that the table has. An error names the column (MD12).
//
// The rules of [Table.WithSchema] hold for the result. Older schemas stay as they are, so specs that are not
// the default one may still partition by a column that is dropped (B47).
func (t Table) EvolveSchema(changes ...SchemaChange) (Table, error) {
	current := t.Schema()
	d := &schemaDraft{table: t, fields: current.Fields(), identifiers: current.IdentifierFieldIDs, lastID: t.LastColumnID}
	for _, known := range t.Schemas {
		d.lastID = max(d.lastID, known.HighestFieldID())
	}
	for _, c := range changes {
		if err := c.change(d); err != nil {
			return Table{}, fmt.Errorf("metadata: %s: %w", c.about(), err)
		}
	}
	return t.WithSchema(iceberg.NewSchemaWithIdentifiers(0, d.identifiers, d.fields...))
}

// AddColumn adds a column behind the others of its struct, with the next field ids for it and for all that its
// type holds.
type AddColumn struct {
	// Parent is the struct that gets the column; empty means the table. The name of a list or map stands for
	// its elements or values.
	Parent string
	Name   string
	// Type is the column's type; the ids in it do not count.
	Type iceberg.Type
	// Required needs a Default, unless the column is added to one that is new itself.
	Required bool
	Doc      string
	// Default becomes initial-default and write-default, in the form of the JSON that stands for a value of
	// the type: a text for decimals, dates, times and UUIDs, hexadecimal digits or a []byte for binary values,
	// an empty map for a struct. Nil means none (MD13).
	Default any
}

func (c AddColumn) about() string {
	if c.Parent == "" {
		return fmt.Sprintf("add column %q", c.Name)
	}
	return fmt.Sprintf("add column %q", c.Parent+"."+c.Name)
}

func (c AddColumn) change(d *schemaDraft) error {
	siblings, prefix := &d.fields, ""
	if c.Parent != "" {
		parent, err := d.find(c.Parent)
		if err != nil {
			return err
		}
		if siblings, prefix, err = parent.members(); err != nil {
			return err
		}
	}
	if c.Type == nil {
		return errors.New("it has no type")
	}
	if err := d.free(prefix, c.Name); err != nil {
		return err
	}
	added := []iceberg.NestedField{{
		ID: d.next(), Name: c.Name, Type: renumbered(c.Type, d.next), Required: c.Required, Doc: c.Doc,
		InitialDefault: c.Default, WriteDefault: c.Default,
	}}
	if err := d.settleDefaults(prefix, &added); err != nil {
		return err
	}
	*siblings = append(*siblings, added...)
	return nil
}

// DropColumn drops a column with all that its type holds. The columns that the default partition spec, the
// default sort order or the identifier fields use cannot go, nor the last one of a struct.
type DropColumn struct{ Column string }

func (c DropColumn) about() string { return fmt.Sprintf("drop column %q", c.Column) }

func (c DropColumn) change(d *schemaDraft) error {
	p, err := d.findMember(c.Column)
	if err != nil {
		return err
	}
	if len(*p.siblings) == 1 {
		return errors.New("it is the only column of its struct")
	}
	if err := d.unused(p.ids()); err != nil {
		return err
	}
	p.remove()
	return nil
}

// RenameColumn gives a column another name; To is its last part alone.
type RenameColumn struct{ Column, To string }

func (c RenameColumn) about() string { return fmt.Sprintf("rename column %q to %q", c.Column, c.To) }

func (c RenameColumn) change(d *schemaDraft) error {
	p, err := d.findMember(c.Column)
	if err != nil || p.field.Name == c.To {
		return err
	}
	if err := d.free(strings.TrimSuffix(p.name, p.field.Name), c.To); err != nil {
		return err
	}
	p.field.Name = c.To
	return nil
}

// PromoteColumn widens the type of a column, an element or a value: int to long, float to double, a decimal to
// one of more digits and the same scale, and from format version 3 on unknown to any type that holds no
// columns, and date to timestamp or timestamp_ns.
type PromoteColumn struct {
	Column string
	Type   iceberg.Type
}

func (c PromoteColumn) about() string { return fmt.Sprintf("promote column %q", c.Column) }

func (c PromoteColumn) change(d *schemaDraft) error {
	p, err := d.find(c.Column)
	if err != nil {
		return err
	}
	if _, nested := c.Type.(iceberg.NestedType); nested || c.Type == nil {
		return fmt.Errorf("its type %s cannot become %v", *p.typ, c.Type)
	}
	*p.typ = c.Type
	return nil
}

// MakeOptional allows nulls in a column, an element or a value.
type MakeOptional struct{ Column string }

func (c MakeOptional) about() string { return fmt.Sprintf("make column %q optional", c.Column) }

func (c MakeOptional) change(d *schemaDraft) error {
	p, err := d.find(c.Column)
	if err != nil {
		return err
	}
	if err := d.unidentifying(p.ids()); err != nil {
		return err
	}
	*p.required = false
	return nil
}

// SetDoc changes what is said about a column; an empty Doc says nothing.
type SetDoc struct{ Column, Doc string }

func (c SetDoc) about() string { return fmt.Sprintf("document column %q", c.Column) }

func (c SetDoc) change(d *schemaDraft) error {
	p, err := d.findMember(c.Column)
	if err != nil {
		return err
	}
	p.field.Doc = c.Doc
	return nil
}

// SetDefault changes the write-default of a column; a nil Default leaves it without one. Its form is that of
// [AddColumn].
type SetDefault struct {
	Column  string
	Default any
}

func (c SetDefault) about() string { return fmt.Sprintf("set the default of column %q", c.Column) }

func (c SetDefault) change(d *schemaDraft) error {
	p, err := d.findMember(c.Column)
	if err != nil {
		return err
	}
	p.field.WriteDefault, err = d.defaultValue(*p.typ, c.Default)
	return err
}
