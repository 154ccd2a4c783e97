package mdv

// Union returns the positions that are in b or in o.
func (b Bitmap) Union(o Bitmap) Bitmap {
	switch {
	case b.IsEmpty():
		return o
	case o.IsEmpty():
		return b
	}
	return combine(b, o, true, true, func(x, y uint64) uint64 { return x | y })
}

// Minus returns the positions that are in b and not in o.
func (b Bitmap) Minus(o Bitmap) Bitmap {
	if b.IsEmpty() || o.IsEmpty() {
		return b
	}
	return combine(b, o, true, false, func(x, y uint64) uint64 { return x &^ y })
}

// Intersect returns the positions that are in b and in o.
func (b Bitmap) Intersect(o Bitmap) Bitmap {
	return combine(b, o, false, false, func(x, y uint64) uint64 { return x & y })
}

// ContainsAll reports whether every position of o is in b.
func (b Bitmap) ContainsAll(o Bitmap) bool {
	return b.cardinality >= o.cardinality && visit(b, o, func(_ uint32, c, d []byte) bool {
		x, y := load(c), load(d)
		return (y[0]&^x[0])|(y[1]&^x[1])|(y[2]&^x[2])|(y[3]&^x[3]) == 0
	})
}

// Intersects reports whether some position is in both sets.
func (b Bitmap) Intersects(o Bitmap) bool {
	return !visit(b, o, func(_ uint32, c, d []byte) bool {
		x, y := load(c), load(d)
		return (x[0]&y[0])|(x[1]&y[1])|(x[2]&y[2])|(x[3]&y[3]) == 0
	})
}

// combine builds a bitmap container by container: one that both have by op, one that only b or only o has is kept
// as it is or left out.
func combine(b, o Bitmap, keepB, keepO bool, op func(x, y uint64) uint64) Bitmap {
	containers, bodyBytes := resultLimits(b, o, keepB, keepO)
	out := newBuilder(containers, bodyBytes)
	visit(b, o, func(key uint32, c, d []byte) bool {
		switch {
		case d == nil:
			if keepB {
				out.addBytes(key, c)
			}
		case c == nil:
			if keepO {
				out.addBytes(key, d)
			}
		default:
			x, y := load(c), load(d)
			out.addWords(key, words{op(x[0], y[0]), op(x[1], y[1]), op(x[2], y[2]), op(x[3], y[3])})
		}
		return true
	})
	return out.b
}

// resultLimits returns how many containers and bytes of them combine can yield at most.
func resultLimits(b, o Bitmap, keepB, keepO bool) (containers, bodyBytes int) {
	switch {
	case keepB && keepO:
		last := max(b.slots[len(b.slots)-1].key(), o.slots[len(o.slots)-1].key())
		containers = min(len(b.slots)+len(o.slots), int(last)+1)
		return containers, min(len(b.body)+len(o.body), containers*denseBytes)
	case keepB:
		return len(b.slots), len(b.body)
	default:
		return min(len(b.slots), len(o.slots)), min(len(b.body), len(o.body))
	}
}

// visit calls f in ascending order for each container number that b or o has, with the bytes of both, nil for the one
// that lacks it. It stops when f returns false, and reports whether f never did.
func visit(b, o Bitmap, f func(key uint32, c, d []byte) bool) bool {
	i, j := 0, 0
	for i < len(b.slots) || j < len(o.slots) {
		var c, d []byte
		key, other := uint32(maxContainers), uint32(maxContainers)
		if i < len(b.slots) {
			key, c = b.container(i)
		}
		if j < len(o.slots) {
			other, d = o.container(j)
		}
		if key < other {
			d = nil
		} else if other < key {
			key, c = other, nil
		}
		if c != nil {
			i++
		}
		if d != nil {
			j++
		}
		if !f(key, c, d) {
			return false
		}
	}
	return true
}
