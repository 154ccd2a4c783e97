package mdv

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// The descriptors of a bitmap's containers are unsigned bytes in patched frame-of-reference form (rules 18.3): chunks
// of up to chunkValues values, the smallest of which is subtracted from all; each is then cut into its low bits, stored
// for all, and its high bits, stored for the exceptions that have some.
const (
	chunkValues    = 256
	chunkHeadBytes = 3
	maxValueBits   = 8
)

// appendChunk appends the encoding of the first n values, at least one; the others must be zero. It uses up values.
func appendChunk(dst []byte, values *[chunkValues]byte, n int) []byte {
	base := byte(0)
	if bytes.IndexByte(values[:n], 0) < 0 {
		base = slices.Min(values[:n])
		for i := range values[:n] {
			values[i] -= base
		}
	}
	groups := values[:(n+7)&^7]
	low, high, exceptions := chooseWidths(groups, n)
	if low == maxValueBits {
		for i := range values[:n] {
			values[i] += base
		}
		base = 0 // full-width values need no base; writers agree on zero (rules 18.4)
	}
	dst = append(dst, byte(high<<4|low), byte(exceptions), base)
	dst = appendPacked(dst, groups, n, low)
	if exceptions == 0 {
		return dst
	}
	var highs [chunkValues]byte
	found := 0
	for i := 0; i <= len(groups)-8; i += 8 {
		group := binary.LittleEndian.Uint64(groups[i:]) >> low & (lanes * (math.MaxUint8 >> low))
		for group != 0 {
			k := bits.TrailingZeros64(group) &^ 7
			dst = append(dst, byte(i+k>>3))
			highs[found] = byte(group >> k)
			group &^= math.MaxUint8 << k
			found++
		}
	}
	return appendPacked(dst, highs[:(found+7)&^7], found, high)
}

// chooseWidths returns the widths of low and high bits that make a chunk of the first n values shortest, and how many
// exceptions there are then. Among equally short encodings the one with the most low bits wins, as in the other writers
// (rules 18.4).
func chooseWidths(values []byte, n int) (low, high, exceptions int) {
	widest := bits.Len8(bitsIn(values))
	low = widest
	shortest := packedBytes(n, widest)
	for width := widest - 1; width >= 0; width-- {
		above := countAbove(values, width)
		size := packedBytes(n, width) + above + packedBytes(above, widest-width)
		if size < shortest {
			shortest, low, exceptions = size, width, above
		}
	}
	return low, widest - low, exceptions
}

// countAbove returns how many of the values have more bits than width. One of 256 must have none, so that the count fits a
// byte.
func countAbove(values []byte, width int) int {
	mask := lanes * uint64(math.MaxUint8>>width<<width)
	sums := uint64(0) // one per byte
	for i := 0; i <= len(values)-8; i += 8 {
		sums += nonzero(binary.LittleEndian.Uint64(values[i:])&mask) >> 7
	}
	return int(sums * lanes >> 56) // the sum of the eight bytes
}
