package manifestio

import (
	"encoding/binary"
	"unsafe"

	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/tree"
)

// fillForeign reads the foreign fields. A field that is null, or whose struct is, is left out of the entry.
func (x *run) fillForeign(es []tree.Entry) error {
	var fields []tree.ForeignField
	var cells []tree.ForeignCell
	for i := range es {
		first := len(fields)
		for j := range x.foreign {
			f := &x.foreign[j]
			start := len(cells)
			var present bool
			var err error
			if cells, present, err = f.row(cells, x); err != nil {
				return x.fault(f.node, faultf(i, "%w", err))
			}
			if !present {
				cells = cells[:start]
				continue
			}
			fields = append(fields, tree.ForeignField{
				Parent: f.parent, Type: f.typ, Cells: cells[start:len(cells):len(cells)],
			})
		}
		if len(fields) > first {
			es[i].Foreign = fields[first:len(fields):len(fields)]
		}
	}
	return nil
}

// row appends the cells of the next row, leaf by leaf, and reports whether the field is there.
func (f *foreignCursor) row(dst []tree.ForeignCell, x *run) ([]tree.ForeignCell, bool, error) {
	present := false
	for i, leaf := range f.leaves {
		physical := leaf.leaf.physical
		err := leaf.row(func(c cell) error {
			if c.def < f.base {
				return nil // the struct is null
			}
			present = present || c.def > f.base || f.typ.Repetition == tree.Required
			out := tree.ForeignCell{Leaf: i, Rep: int(c.rep), Def: int(c.def - f.base)}
			if c.has {
				out.Value = c.plain(physical)
			}
			dst = append(dst, out)
			return x.charge(int64(unsafe.Sizeof(out)) + int64(len(out.Value)))
		})
		if err != nil {
			return dst, false, err
		}
	}
	return dst, present, nil
}

// plain returns a value in Parquet's plain encoding without a length in front; a boolean takes a byte.
func (c *cell) plain(t format.Type) string {
	switch {
	case isText(t):
		return c.text
	case t == format.Boolean:
		return string([]byte{byte(c.num)})
	case physicalSize(t) == 4:
		return string(binary.LittleEndian.AppendUint32(nil, uint32(c.num)))
	}
	return string(binary.LittleEndian.AppendUint64(nil, uint64(c.num)))
}
