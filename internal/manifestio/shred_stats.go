package manifestio

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// gatherPartition finds the value of one partition field. A field that the tuple does not list is null.
func gatherPartition(id int) func([]tree.Entry, *strip[tree.Value]) {
	return func(rows []tree.Entry, s *strip[tree.Value]) {
		for i := range rows {
			tuple := rows[i].Partition
			at, ok := slices.BinarySearchFunc(tuple, id, func(v tree.PartitionValue, id int) int { return cmp.Compare(v.FieldID, id) })
			switch {
			case tuple == nil:
				s.put(i, nil, 0)
			case ok:
				putValue(s, i, &tuple[at].Value, tupleDepth)
			default:
				s.put(i, nil, tupleDepth)
			}
		}
	}
}

// The definition levels of the structs that values stand in.
const (
	tupleDepth = 1 // a partition tuple
	statsDepth = 2 // the statistics of a column
)

// putValue sets row i to a value in a struct of the given depth. A null value is no cell of its own.
func putValue(s *strip[tree.Value], i int, v *tree.Value, depth int16) {
	if v.IsNull() {
		v = nil
	}
	s.put(i, v, depth)
}

// statsStrip is the statistics of one column for a block of rows, and the two bounds in them.
type statsStrip struct {
	stats        strip[tree.FieldStats]
	lower, upper strip[tree.Value]
}

// gather finds the statistics of one column. Rows of one manifest mostly list the same columns, so it looks
// first where the row before had it.
func (b *statsStrip) gather(id int) func([]tree.Entry, *strip[tree.FieldStats]) {
	return func(rows []tree.Entry, s *strip[tree.FieldStats]) {
		b.lower.n, b.upper.n = len(rows), len(rows)
		at := 0
		for i := range rows {
			stats, level := rows[i].Stats, int16(statsDepth-1)
			if stats == nil {
				level = 0
			}
			ok := at < len(stats) && stats[at].FieldID == id
			if !ok {
				at, ok = slices.BinarySearchFunc(stats, id, func(s tree.FieldStats, id int) int { return cmp.Compare(s.FieldID, id) })
			}
			if ok {
				s.put(i, &stats[at], level)
				putValue(&b.lower, i, &stats[at].Lower, statsDepth)
				putValue(&b.upper, i, &stats[at].Upper, statsDepth)
			} else {
				s.put(i, nil, level)
				b.lower.put(i, nil, level)
				b.upper.put(i, nil, level)
			}
		}
	}
}

// appendTight appends tight_bounds, which is never null where the struct is not: Java fails over a null there
// (rules 0.5-1). So a struct that is there in any row keeps the column.
func appendTight(dst []byte, s *tree.FieldStats) ([]byte, bool, error) {
	return putBool(dst, s.Tight.Valid && s.Tight.Val)
}

// optionalAxis is the first of the coordinates x, y, z, m that a corner may lack (rules 3.1).
const optionalAxis = 2

// appendCoordinate appends one of the coordinates of a corner of a bounding box.
func appendCoordinate(t iceberg.Type, axis int) appender[tree.Value] {
	return func(dst []byte, v *tree.Value) ([]byte, bool, error) {
		if v.Kind() != tree.KindGeo {
			return nil, false, fmt.Errorf("a value of kind %s is no bound of type %s", v.Kind(), t)
		}
		var xyzm [4]float64
		xyzm[0], xyzm[1], xyzm[2], xyzm[3] = v.GeoCorner()
		if math.IsNaN(xyzm[axis]) {
			if axis < optionalAxis {
				return nil, false, errNaNBound
			}
			return nil, false, nil
		}
		return putLong(dst, int64(math.Float64bits(xyzm[axis])))
	}
}
