package mdv

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"slices"
)

// All returns the positions in ascending order.
func (b Bitmap) All() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i := range b.slots {
			key, c := b.container(i)
			base := key << containerBits
			if len(c) == denseBytes {
				if !yieldDense(c, base, yield) {
					return
				}
				continue
			}
			for _, low := range c {
				if !yield(base | uint32(low)) {
					return
				}
			}
		}
	}
}

// yieldDense yields the positions of a dense container and reports whether more are wanted.
func yieldDense(c []byte, base uint32, yield func(uint32) bool) bool {
	for ; len(c) >= 8; c = c[8:] {
		for word := bits.Reverse64(binary.BigEndian.Uint64(c)); word != 0; word &= word - 1 {
			if !yield(base + uint32(bits.TrailingZeros64(word))) {
				return false
			}
		}
		base += 64
	}
	return true
}

// AppendTo appends the positions to dst in ascending order and returns the extended slice. It is the fastest way to
// look at all of them.
func (b Bitmap) AppendTo(dst []uint32) []uint32 {
	n := len(dst)
	dst = slices.Grow(dst, b.cardinality)[:n+b.cardinality]
	for i := range b.slots {
		key, c := b.container(i)
		base := key << containerBits
		if len(c) == denseBytes {
			n += fillDense(dst[n:], c, base)
			continue
		}
		for k, low := range c {
			dst[n+k] = base | uint32(low)
		}
		n += len(c)
	}
	return dst
}

// fillDense writes the positions of a dense container to the head of dst and returns how many there are.
func fillDense(dst []uint32, c []byte, base uint32) int {
	n := 0
	for ; len(c) >= 8; c = c[8:] {
		for word := bits.Reverse64(binary.BigEndian.Uint64(c)); word != 0; word &= word - 1 {
			dst[n] = base + uint32(bits.TrailingZeros64(word))
			n++
		}
		base += 64
	}
	return n
}
