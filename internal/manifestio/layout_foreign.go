package manifestio

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"

	"github.com/firn-io/firn/tree"
)

// foreignFieldsIn returns the foreign fields of one known struct.
func foreignFieldsIn(parent int, foreign []*foreignField) []*field {
	var fields []*field
	for _, f := range foreign {
		if f.parent == parent {
			fields = append(fields, f.root)
		}
	}
	return fields
}

// build makes the field's part of the row type.
func (f *foreignField) build() error {
	b := foreignBuilder{field: f, cells: f.cells()}
	var err error
	f.root, err = b.build(f.typ, f.rep, foreignLevels{def: b.cells.depth, depth: 1})
	return err
}

// foreignBuilder turns a foreign type into fields: the reverse of what the reader describes.
type foreignBuilder struct {
	field  *foreignField
	cells  *cells[tree.ForeignField]
	leaves int // made so far
}

// foreignLevels are the greatest levels above a node, and how deep it is nested.
type foreignLevels struct {
	def, rep int16
	depth    int
}

func (b *foreignBuilder) build(t *tree.ForeignType, rep parquet.Repetition, at foreignLevels) (*field, error) {
	if at.depth > maxForeignDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxForeignDepth)
	}
	if rep != required {
		at.def++
	}
	if rep == repeated {
		at.rep++
	}
	at.depth++
	logical, err := annotationOf(t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	if t.Physical == "" {
		return b.group(t, rep, leafType{logical: logical}, at)
	}
	physical, ok := physicalTypes[t.Physical]
	if !ok {
		return nil, fmt.Errorf("%s: %q is no physical type", t.Name, t.Physical)
	}
	l := foreignLeaf{b.field, b.leaves, leafType{physical, t.TypeLength, logical}, at.def, at.rep}
	b.leaves++
	f := leaf(t.Name, t.ID, rep, l.typ, b.cells, l.shred(b.cells))
	f.column.always = true // a part of a field that is carried opaquely
	return f, nil
}

func (b *foreignBuilder) group(t *tree.ForeignType, rep parquet.Repetition, typ leafType, at foreignLevels) (*field, error) {
	if len(t.Children) == 0 {
		return nil, fmt.Errorf("%s: a group without fields", t.Name)
	}
	g := &field{name: t.Name, id: t.ID, rep: rep, typ: typ}
	for _, c := range t.Children {
		if c == nil {
			return nil, errors.New(t.Name + ": a field without a type")
		}
		childRep, ok := parquetRepetition(c.Repetition)
		if !ok {
			return nil, fmt.Errorf("%s: repetition %d is none", c.Name, c.Repetition)
		}
		f, err := b.build(c, childRep, at)
		if err != nil {
			return nil, err
		}
		g.children = append(g.children, f)
	}
	return g, nil
}
