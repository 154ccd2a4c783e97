package bound

// hull is the lower convex hull of the points (i, value(i)), i = 0, 1, ..., of values that grow. For each i it keeps a whole
// number below the hull, less than 1 away, and the exact slope of the hull from i to i+1.
type hull struct {
	floor   []int64
	slopes  []slope
	corners []int32
}

// slope is the fraction whole + part/width, with 0 <= part < width.
type slope struct {
	whole       int64
	part, width int32
}

func slopeOf(rise int64, width int32) slope {
	return slope{rise / int64(width), int32(rise % int64(width)), width}
}

// compareShifted compares a + shift with b, and returns a number below, at or above zero.
func compareShifted(a slope, shift int64, b slope) int64 {
	if d := a.whole + shift - b.whole; d != 0 {
		return d
	}
	return int64(a.part)*int64(b.width) - int64(b.part)*int64(a.width)
}

// add appends a point. Corners that lie above the new line are corners no more; what they held is written again, which for
// values that are nearly convex is little.
func (h *hull) add(value int64) {
	n := int32(len(h.floor))
	h.floor = append(h.floor, value)
	if n > 0 {
		h.slopes = append(h.slopes, slope{})
	}
	last := len(h.corners) - 1
	for last > 0 {
		corner := h.corners[last]
		if compareShifted(h.slopeTo(corner, n, value), 0, h.slopes[corner-1]) >= 0 {
			break
		}
		last--
	}
	h.corners = append(h.corners[:last+1], n)
	if n == 0 {
		return
	}
	from := h.corners[last]
	start, s := h.floor[from], h.slopeTo(from, n, value)
	for i := from; i < n; i++ {
		steps := int64(i - from)
		h.floor[i] = start + steps*s.whole + steps*int64(s.part)/int64(s.width)
		h.slopes[i] = s
	}
}

// slopeTo returns the slope from a corner, at which the hull and the values meet, to a new point.
func (h *hull) slopeTo(corner, n int32, value int64) slope {
	return slopeOf(value-h.floor[corner], n-corner)
}
