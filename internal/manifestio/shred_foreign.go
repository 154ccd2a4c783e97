package manifestio

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"

	"github.com/firn-io/firn/tree"
)

// foreignField is one column, or tree of columns, that the rows of a manifest carry together (S45).
type foreignField struct {
	parent int
	typ    *tree.ForeignType
	rep    parquet.Repetition // as written
	rows   int                // rows that carry it
	loose  bool               // some row has it as optional
	set    bool               // some row has a value
	root   *field             // the field in the row type
}

// collectForeign returns the union of the foreign fields of all rows, by parent and id. Fields that are null
// in every row are left out.
func collectForeign(rows []tree.Entry) ([]*foreignField, error) {
	var fields []*foreignField
	manifests := 0
	for i := range rows {
		if rows[i].Manifest.Valid {
			manifests++
		}
		for j := range rows[i].Foreign {
			f := &rows[i].Foreign[j]
			var err error
			if fields, err = addForeign(fields, &rows[i], f, j); err != nil {
				id := noID
				if f.Type != nil {
					id = f.Type.ID
				}
				return nil, fmt.Errorf("manifestio: row %d: foreign field %d: %w", i, id, err)
			}
		}
	}
	fields = slices.DeleteFunc(fields, func(f *foreignField) bool {
		return !f.set || f.parent == tree.InEntry && f.typ.ID == idEqualityIDs // Q1
	})
	slices.SortFunc(fields, func(a, b *foreignField) int {
		return cmp.Or(cmp.Compare(a.parent, b.parent), cmp.Compare(a.typ.ID, b.typ.ID))
	})
	for _, f := range fields {
		holders := len(rows)
		if f.parent == tree.InManifestInfo {
			holders = manifests
		}
		f.rep, _ = parquetRepetition(f.typ.Repetition)
		if f.rep == required && (f.loose || f.rows < holders) {
			f.rep = optional
		}
		if err := f.build(); err != nil {
			return nil, fmt.Errorf("manifestio: foreign field %d: %w", f.typ.ID, err)
		}
	}
	return fields, nil
}

// addForeign adds the field f of a row, of whose foreign fields it is number j.
func addForeign(fields []*foreignField, e *tree.Entry, f *tree.ForeignField, j int) ([]*foreignField, error) {
	switch {
	case f.Type == nil:
		return nil, errors.New("it has no type")
	case f.Type.ID < 0 || f.Type.ID > math.MaxInt32:
		return nil, errors.New("it has no field id")
	case f.Parent != tree.InEntry && f.Parent != tree.InTracking && f.Parent != tree.InManifestInfo:
		return nil, fmt.Errorf("%d is no struct that can hold it", f.Parent)
	}
	same := func(g tree.ForeignField) bool {
		return g.Parent == f.Parent && g.Type != nil && g.Type.ID == f.Type.ID
	}
	if slices.ContainsFunc(e.Foreign[:j], same) {
		return nil, errors.New("the row has it twice")
	}
	set := f.Type.Repetition == tree.Required || slices.ContainsFunc(f.Cells, func(c tree.ForeignCell) bool { return c.Def > 0 })
	if f.Parent == tree.InManifestInfo && !e.Manifest.Valid {
		if set {
			return nil, errors.New("manifest_info is null, which should hold it")
		}
		return fields, nil
	}
	at := slices.IndexFunc(fields, func(g *foreignField) bool { return g.parent == f.Parent && g.typ.ID == f.Type.ID })
	if at < 0 {
		at, fields = len(fields), append(fields, &foreignField{parent: f.Parent, typ: f.Type})
	}
	known := fields[at]
	if !sameForeignType(known.typ, f.Type, true) {
		return nil, errors.New("other rows have it with another type")
	}
	known.rows++
	known.set = known.set || set
	known.loose = known.loose || f.Type.Repetition != tree.Required
	return fields, nil
}

// sameForeignType reports whether values of two types can share a column. Names do not count, nor does it
// matter whether the field itself, at the top, is optional or required.
func sameForeignType(a, b *tree.ForeignType, top bool) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil {
		return false
	}
	same := a.ID == b.ID && a.Physical == b.Physical && a.TypeLength == b.TypeLength && a.Logical == b.Logical &&
		a.Precision == b.Precision && a.Scale == b.Scale && (a.Repetition == b.Repetition ||
		top && a.Repetition != tree.Repeated && b.Repetition != tree.Repeated)
	return same && slices.EqualFunc(a.Children, b.Children, func(x, y *tree.ForeignType) bool { return sameForeignType(x, y, false) })
}

// cells is the source of the field's columns.
func (f *foreignField) cells() *cells[tree.ForeignField] {
	depth := int16(0)
	if f.parent == tree.InManifestInfo {
		depth = 1
	}
	return newCells(depth, func(rows []tree.Entry, s *strip[tree.ForeignField]) {
		for i := range rows {
			absent := depth
			if depth > 0 && !rows[i].Manifest.Valid {
				absent = 0
			}
			at := slices.IndexFunc(rows[i].Foreign, func(g tree.ForeignField) bool { return g.Parent == f.parent && g.Type.ID == f.typ.ID })
			if at < 0 || absent != depth {
				s.put(i, nil, absent)
			} else {
				s.put(i, &rows[i].Foreign[at], absent)
			}
		}
	})
}

// foreignLeaf is a leaf column of a foreign field.
type foreignLeaf struct {
	field          *foreignField
	index          int // of the leaf in the field
	typ            leafType
	maxDef, maxRep int16
}

// shred writes the cells of the leaf again, their definition levels moved below the parent.
func (l foreignLeaf) shred(c *cells[tree.ForeignField]) shredder {
	return func(b *buffer) error {
		for i, f := range c.strip.cells[:c.n] {
			if f == nil {
				b.def.add(c.levels[i], 1)
				b.rep.add(0, 1)
				continue
			}
			shift := int(c.depth)
			if l.field.rep == optional && f.Type.Repetition == tree.Required {
				shift++
			}
			if err := l.row(b, f.Cells, shift); err != nil {
				return &cellError{i, err}
			}
		}
		b.rows += c.n
		return nil
	}
}

// row writes the cells of one row.
func (l foreignLeaf) row(b *buffer, cells []tree.ForeignCell, shift int) error {
	first := true
	for _, cell := range cells {
		if cell.Leaf != l.index {
			continue
		}
		def := cell.Def + shift
		if cell.Def < 0 || def > int(l.maxDef) || cell.Rep < 0 || cell.Rep > int(l.maxRep) || first != (cell.Rep == 0) {
			return fmt.Errorf("leaf %d: levels %d and %d are out of place", l.index, cell.Rep, cell.Def)
		}
		first = false
		b.def.add(int16(def), 1)
		b.rep.add(int16(cell.Rep), 1)
		if def < int(l.maxDef) {
			continue
		}
		b.count++
		if size := plainSize(l.typ); size < 0 {
			b.values, _, _ = putString(b.values, cell.Value)
		} else if size == len(cell.Value) {
			b.values = append(b.values, cell.Value...)
		} else {
			return fmt.Errorf("leaf %d: %d bytes are no %s", l.index, len(cell.Value), l.typ.physical)
		}
	}
	if first {
		return fmt.Errorf("leaf %d has no cell", l.index)
	}
	return nil
}

// plainSize is the length of a value in plain encoding, -1 if it varies.
func plainSize(typ leafType) int {
	switch typ.physical {
	case parquet.Types.Boolean:
		return 1
	case parquet.Types.Int32, parquet.Types.Float:
		return 4
	case parquet.Types.Int64, parquet.Types.Double:
		return 8
	case parquet.Types.Int96:
		return 12
	case parquet.Types.FixedLenByteArray:
		return typ.length
	}
	return -1
}
