package manifestio

import (
	"fmt"
	"unsafe"

	"github.com/firn-io/firn/tree"
)

// fill decodes one batch, column by column, into entries that are all zero.
func (x *run) fill(es []tree.Entry) error {
	for i := range x.fields {
		f := &x.fields[i]
		if err := x.fillField(es, f); err != nil {
			return x.fault(f.leaf, err)
		}
	}
	if err := x.fillOffsets(es); err != nil {
		return x.fault(x.offsets.leaf, err)
	}
	if err := x.fillPartition(es); err != nil {
		return err
	}
	if err := x.fillStats(es); err != nil {
		return err
	}
	if err := x.fillForeign(es); err != nil {
		return err
	}
	return x.chargeTexts(es)
}

// fillField decodes a scalar field and checks where it may be null.
func (x *run) fillField(es []tree.Entry, f *fieldCursor) error {
	v := &x.vec
	if err := f.cur.read(len(es), v); err != nil {
		return err
	}
	if f.required && !(v.defs == nil && v.level == v.highest) {
		for i := range es {
			if !v.has(i) && v.at(i) >= f.floor {
				return faultf(i, "null in a required field")
			}
		}
	}
	if err := f.set(es, v); err != nil {
		return err
	}
	for i := range es {
		if f.floor > 0 && (v.at(i) >= f.floor) != f.hasStruct(&es[i]) {
			return faultf(i, "the rest of the struct says otherwise on whether it is null")
		}
	}
	return nil
}

// fillOffsets decodes split_offsets.
func (x *run) fillOffsets(es []tree.Entry) error {
	if x.offsets == nil {
		return nil
	}
	list, element := x.r.binding.splitOffsets, x.offsets.leaf
	all := make([]int64, 0, x.offsetsHint)
	for i := range es {
		start, null := len(all), false
		err := x.offsets.row(func(c cell) error {
			switch {
			case c.has:
				all = append(all, c.num)
				return x.charge(int64(unsafe.Sizeof(c.num)))
			case int(c.def) < list.def:
				null = true
			case int(c.def) > list.def:
				return fmt.Errorf("a null in the list (%d)", element.id)
			}
			return nil
		})
		if err != nil {
			return faultf(i, "%w", err)
		}
		if !null {
			es[i].SplitOffsets = all[start:len(all):len(all)] // growing leaves it where it was
		}
	}
	x.offsetsHint = len(all)
	return nil
}

// fillPartition decodes the partition tuples: the values that are not null, by field id. They share a slab.
func (x *run) fillPartition(es []tree.Entry) error {
	if len(x.values) == 0 {
		return nil
	}
	starts, v := x.scratch.starts[:len(es)], &x.vec
	clear(starts)
	for i := range x.values {
		c := x.values[i].cur
		c.peek(len(es), v)
		countPresent(starts, v, v.highest)
	}
	total := x.assign(starts)
	if err := x.charge(int64(total) * int64(unsafe.Sizeof(tree.PartitionValue{}))); err != nil {
		return x.fault(x.partition.leaf, err)
	}
	slab := make(tree.Tuple, total)
	x.partition.peek(len(es), v)
	for i, end := range x.ends(starts, len(slab)) {
		if int(v.at(i)) >= x.r.binding.partition.def {
			es[i].Partition = slab[starts[i]:end:end]
		} else if starts[i] < end {
			return x.fault(x.partition.leaf, faultf(i, "a value in a tuple that is null"))
		}
	}
	for i := range x.values {
		f := &x.values[i]
		if err := f.cur.read(len(es), v); err != nil {
			return x.fault(f.leaf, err)
		}
		for j, value := range f.form.appendValues(x.scratch.values[:0], v) {
			if v.has(j) {
				slab[starts[j]] = tree.PartitionValue{FieldID: f.field.ID, Value: value}
				starts[j]++
			}
		}
	}
	return nil
}

// countPresent adds one to the count of each row whose level is at least the given one.
func countPresent(counts []int32, v *vector, level byte) {
	if v.defs == nil && v.level < level {
		return
	}
	for i := range counts {
		if v.at(i) >= level {
			counts[i]++
		}
	}
}

// assign turns counts into the places where each row's part of a slab begins, and returns the slab's length.
func (x *run) assign(counts []int32) int {
	total := int32(0)
	for i, n := range counts {
		counts[i] = total
		total += n
	}
	return int(total)
}

// ends returns where each row's part of a slab ends. It lives in the scratch of the batch.
func (x *run) ends(starts []int32, total int) []int32 {
	ends := x.scratch.slots[:len(starts)]
	copy(ends, starts[1:])
	ends[len(ends)-1] = int32(total)
	return ends
}

// chargeTexts counts the texts of entries that are retained; those of other batches are no more than the pages
// that they were copied from.
func (x *run) chargeTexts(es []tree.Entry) error {
	if !x.retain {
		return nil
	}
	bytes := 0
	for i := range es {
		e := &es[i]
		bytes += len(e.Location) + len(e.FileFormat) + len(e.KeyMetadata) + len(e.Tracking.DeletedPositions) +
			len(e.Tracking.ReplacedPositions) + len(e.Manifest.Val.DV) + len(e.DeletionVector.Val.Location)
		for j := range e.Stats {
			bytes += len(e.Stats[j].Lower.Bytes()) + len(e.Stats[j].Upper.Bytes())
		}
	}
	if err := x.charge(int64(bytes)); err != nil {
		return x.fault(nil, err)
	}
	return nil
}
