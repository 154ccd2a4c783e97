package metadata

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
)

// SpecChange is one step of [Table.EvolveSpec]. The steps are [AddPartitionField], [DropPartitionField] and
// [RenamePartitionField].
type SpecChange interface {
	// about says what is to be done to which field, for errors.
	about() string
	change(d *specDraft) error
}

// specDraft is a partition spec while it is changed.
type specDraft struct {
	// table is the table before the changes.
	table  Table
	fields []iceberg.PartitionField
	lastID int
}

// EvolveSpec returns the table with changes made to its default partition spec, one after the other: a later
// change sees what an earlier one did, and all of them make one new spec, which becomes the default one. Its
// id is the next one, or that of an equal spec that the table has. Files keep the spec that they were written
// under (B24). An error names the field (MD11, MD15).
func (t Table) EvolveSpec(changes ...SpecChange) (Table, error) {
	if t.FormatVersion < 2 {
		return Table{}, fmt.Errorf("metadata: format version %d does not tell partition fields of different specs apart", t.FormatVersion)
	}
	d := &specDraft{table: t, fields: fieldsOf(t.Spec()), lastID: t.lastPartitionID()}
	for _, c := range changes {
		if err := c.change(d); err != nil {
			return Table{}, fmt.Errorf("metadata: %s: %w", c.about(), err)
		}
	}
	return t.partitioned(d.fields)
}

// AddPartitionField partitions by one more value. A field that some spec has, with the same source and
// transform, gets that field's id. See [ParsePartitionField] for the form that people write.
type AddPartitionField struct {
	// Column is the dotted name of the source.
	Column    string
	Transform iceberg.Transform
	// Name is what the field is called; empty means as before if some spec has the field, else as
	// [ParsePartition] calls it.
	Name string
}

func (c AddPartitionField) about() string {
	return fmt.Sprintf("add partition field %v of column %q", c.Transform, c.Column)
}

func (c AddPartitionField) change(d *specDraft) error {
	if c.Transform == nil {
		return errors.New("it has no transform")
	}
	source, ok := d.table.Schema().FindFieldByName(c.Column)
	if !ok {
		return fmt.Errorf("the schema has no column %q", c.Column)
	}
	field := iceberg.PartitionField{SourceIDs: []int{source.ID}, Name: c.Name, Transform: c.Transform}
	known, ok := d.table.equivalent(field)
	if !ok {
		d.lastID++
		known = iceberg.PartitionField{FieldID: d.lastID, Name: partitionName(c.Column, c.Transform)}
	}
	field.FieldID, field.Name = known.FieldID, cmp.Or(c.Name, known.Name)
	if d.index(field.Name) >= 0 {
		return fmt.Errorf("the spec has a field %q already", field.Name)
	}
	d.fields = append(d.fields, field)
	return nil
}

// DropPartitionField leaves a field out of the new spec.
type DropPartitionField struct{ Name string }

func (c DropPartitionField) about() string { return fmt.Sprintf("drop partition field %q", c.Name) }

func (c DropPartitionField) change(d *specDraft) error {
	i, err := d.find(c.Name)
	if err == nil {
		d.fields = slices.Delete(d.fields, i, i+1)
	}
	return err
}

// RenamePartitionField gives a field another name; its id stays.
type RenamePartitionField struct{ Name, To string }

func (c RenamePartitionField) about() string {
	return fmt.Sprintf("rename partition field %q to %q", c.Name, c.To)
}

func (c RenamePartitionField) change(d *specDraft) error {
	i, err := d.find(c.Name)
	if err != nil || c.Name == c.To {
		return err
	}
	if c.To == "" || d.index(c.To) >= 0 {
		return errors.New("the new name is empty or stands already")
	}
	d.fields[i].Name = c.To
	return nil
}

func (d *specDraft) index(name string) int {
	return slices.IndexFunc(d.fields, func(f iceberg.PartitionField) bool { return f.Name == name })
}

func (d *specDraft) find(name string) (int, error) {
	i := d.index(name)
	if i < 0 {
		return 0, fmt.Errorf("the default spec %d has no such field", d.table.DefaultSpecID)
	}
	return i, nil
}

// partitionName returns what a field of this transform is called if nobody says otherwise.
func partitionName(column string, transform iceberg.Transform) string {
	name, _, _ := strings.Cut(transform.String(), "[")
	for _, known := range transformNames {
		if known.name == name {
			return column + known.ending
		}
	}
	return column
}
