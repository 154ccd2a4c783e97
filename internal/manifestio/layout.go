package manifestio

import (
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// noID marks a field that has no field id: only the repeated group of a list, and what foreign fields hold.
const noID = -1

var (
	required = parquet.Repetitions.Required
	optional = parquet.Repetitions.Optional
	repeated = parquet.Repetitions.Repeated
)

// field is one node of the row type of a manifest: a group if it has children, else a leaf.
type field struct {
	name     string
	id       int
	rep      parquet.Repetition
	typ      leafType // a group has the logical type only
	children []*field
	column   *column // of a leaf
}

// column is a leaf of the row type: where it stands, how it gets its values, and those of the rows so far.
type column struct {
	id     int
	path   string // the names from the root, dotted
	typ    leafType
	source source
	shred  shredder
	// always keeps a column that has no value, as columns that are required on their whole path are kept.
	always bool
	buffer buffer
}

// keep reports whether the column is written: a column without a value is not (rules 4.8).
func (c *column) keep() bool { return c.buffer.count > 0 || c.always || c.buffer.def.max == 0 }

// group returns a field with children.
func group(name string, id int, rep parquet.Repetition, children ...*field) *field {
	return &field{name: name, id: id, rep: rep, children: children}
}

// leaf returns a field that shred fills from what s gathers.
func leaf(name string, id int, rep parquet.Repetition, typ leafType, s source, shred shredder) *field {
	return &field{name: name, id: id, rep: rep, typ: typ, column: &column{typ: typ, source: s, shred: shred}}
}

// list returns an optional list field; its middle group has no id (rules 4.2).
func list(name string, id int, element *field) *field {
	return &field{name: name, id: id, rep: optional, typ: leafType{logical: schema.NewListLogicalType()},
		children: []*field{group("list", noID, repeated, element)}}
}

// layout is the full row type of a manifest, before columns without a value are dropped.
type layout struct {
	root    *field
	columns []*column // the leaves, in file order
}

// newLayout finishes a row type: it makes the names of siblings differ, lists the leaves, and fails for an id
// that is there twice.
func newLayout(root *field) (*layout, error) {
	l := &layout{root: root}
	seen := make(map[int]string)
	if err := l.add(root, "", 0, 0, seen); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *layout) add(f *field, prefix string, maxDef, maxRep int16, seen map[int]string) error {
	taken := make(map[string]bool, len(f.children))
	for _, c := range f.children {
		c.name = freeName(c.name, c.id, taken)
		path := prefix + c.name
		if c.id != noID {
			if other, ok := seen[c.id]; ok {
				return fmt.Errorf("manifestio: field id %d is there twice, as %s and %s", c.id, other, path)
			}
			seen[c.id] = path
		}
		def := maxDef
		if c.rep != required {
			def++
		}
		rep := maxRep
		if c.rep == repeated {
			rep++
		}
		if c.column != nil {
			c.column.id, c.column.path = c.id, path
			c.column.buffer.def.max, c.column.buffer.rep.max = def, rep
			l.columns = append(l.columns, c.column)
			continue
		}
		if err := l.add(c, path+".", def, rep, seen); err != nil {
			return err
		}
	}
	return nil
}

// freeName returns a name that no sibling has. Partition fields of different specs and columns with dots in
// their names can meet; readers go by id (rules 3.2), but not all bear two fields of one name.
func freeName(name string, id int, taken map[string]bool) string {
	if taken[name] {
		name = fmt.Sprintf("%s_%d", name, id)
	}
	for taken[name] {
		name += "_"
	}
	taken[name] = true
	return name
}

// node returns the Parquet type of a field without the columns that are not kept, and nil if nothing is left.
func (f *field) node() (schema.Node, error) {
	if f.column != nil {
		if !f.column.keep() {
			return nil, nil
		}
		return schema.NewPrimitiveNodeLogical(f.name, f.rep, f.typ.logical, f.typ.physical, f.typ.length, int32(f.id))
	}
	var fields schema.FieldList
	for _, c := range f.children {
		n, err := c.node()
		if err != nil {
			return nil, err
		}
		if n != nil {
			fields = append(fields, n)
		}
	}
	if len(fields) == 0 {
		return nil, nil
	}
	return schema.NewGroupNodeLogical(f.name, f.rep, fields, f.typ.logical, int32(f.id))
}
