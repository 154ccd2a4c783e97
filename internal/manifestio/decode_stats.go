package manifestio

import (
	"math"
	"unsafe"

	"github.com/firn-io/firn/tree"
)

// fillStats decodes the statistics of the projected columns. Those of all rows of the batch share a slab, in
// which a row's part holds one element for each column whose struct is not null, by column id.
func (x *run) fillStats(es []tree.Entry) error {
	if len(x.stats) == 0 {
		return nil
	}
	starts, v := x.scratch.starts[:len(es)], &x.vec
	clear(starts)
	for i := range x.stats {
		s := &x.stats[i]
		s.marker.peek(len(es), v)
		countPresent(starts, v, byte(s.node.def))
	}
	total := x.assign(starts)
	if err := x.charge(int64(total) * int64(unsafe.Sizeof(tree.FieldStats{}))); err != nil {
		return x.fault(x.stats[0].node, err)
	}
	slab := make(tree.Stats, total)
	for i, end := range x.ends(starts, len(slab)) {
		if starts[i] < end {
			es[i].Stats = slab[starts[i]:end:end]
		}
	}
	for i := range x.stats {
		if err := x.fillColumnStats(slab, starts, &x.stats[i]); err != nil {
			return err
		}
	}
	return nil
}

// nowhere is the slot of a row whose statistics struct is null.
const nowhere = -1

// fillColumnStats decodes the statistics of one column. next holds the place of each row's next element.
func (x *run) fillColumnStats(slab tree.Stats, next []int32, s *statsCursor) error {
	v, slots := &x.vec, x.scratch.slots[:len(next)]
	s.marker.peek(len(next), v)
	for i := range slots {
		slots[i] = nowhere
		if int(v.at(i)) >= s.node.def {
			slots[i] = next[i]
			slab[next[i]].FieldID = s.column.FieldID
			next[i]++
		}
	}
	for i, c := range s.members {
		if err := x.readMember(c, slots); err != nil {
			return x.fault(c.leaf, err)
		}
		s.boundStats.members[i].set(slab, slots, v)
	}
	for i, corner := range s.bounds {
		b := &s.boundStats.bounds[i]
		if err := x.fillBound(slab, slots, b, corner); err != nil {
			return x.fault(corner[0].leaf, err)
		}
	}
	return nil
}

// readMember reads a column of a statistics struct and checks that it has no value where the struct is null:
// levels that contradict each other are a sign of damage, and would be written to a slot that is none.
func (x *run) readMember(c *cursor, slots []int32) error {
	v := &x.vec
	if err := c.read(len(slots), v); err != nil {
		return err
	}
	for i, slot := range slots {
		if slot == nowhere && v.has(i) {
			return faultf(i, "a value in a statistics struct that is null")
		}
	}
	return nil
}

// fillBound decodes the lower or upper bound of one column.
func (x *run) fillBound(slab tree.Stats, slots []int32, b *boundBound, corner []*cursor) error {
	v, values := &x.vec, x.scratch.values[:0]
	if b.form.kind == tree.KindGeo {
		var err error
		if values, err = x.readCorner(values, slots, b, corner); err != nil {
			return err
		}
	} else {
		if err := x.readMember(corner[0], slots); err != nil {
			return err
		}
		values = b.form.appendValues(values, v)
	}
	for i, slot := range slots {
		switch {
		case slot == nowhere:
		case b.upper:
			slab[slot].Upper = values[i]
		default:
			slab[slot].Lower = values[i]
		}
	}
	return nil
}

// readCorner appends the corners of the bounding boxes of a batch, null where a row has none.
func (x *run) readCorner(dst []tree.Value, slots []int32, b *boundBound, corner []*cursor) ([]tree.Value, error) {
	var axes [rowsAtOnce][4]float64
	next := 0
	for axis, leaf := range b.leaves {
		for i := range slots {
			axes[i][axis] = math.NaN()
		}
		if leaf == nil {
			continue
		}
		if err := x.readMember(corner[next], slots); err != nil {
			return nil, err
		}
		next++
		for i := range slots {
			if x.vec.has(i) {
				axes[i][axis] = math.Float64frombits(uint64(x.vec.nums[i]))
			} else if axis < 2 && int(x.vec.at(i)) >= b.node.def {
				return nil, faultf(i, "a corner without x or y")
			}
		}
	}
	for i := range slots {
		if math.IsNaN(axes[i][0]) || math.IsNaN(axes[i][1]) {
			dst = append(dst, tree.Value{})
			continue
		}
		dst = append(dst, tree.Geo(axes[i][0], axes[i][1], axes[i][2], axes[i][3]))
	}
	return dst, nil
}
