package mdv

import (
	"encoding/binary"
	"math/bits"
)

// topBit is position 0 of a word: on the wire a dense container has its first position in the top bit (rules 18.2).
const topBit = uint64(1) << 63

// words is a container of either form as a bitset in wire order.
type words [4]uint64

// loadDense reads a dense container.
func loadDense(c []byte) words {
	_ = c[denseBytes-1]
	return words{
		binary.BigEndian.Uint64(c[0:]), binary.BigEndian.Uint64(c[8:]),
		binary.BigEndian.Uint64(c[16:]), binary.BigEndian.Uint64(c[24:]),
	}
}

// load reads a container of either form, or none (no bytes).
func load(c []byte) words {
	if len(c) == denseBytes {
		return loadDense(c)
	}
	var w words
	for _, low := range c {
		w[low>>6] |= topBit >> (low & 63)
	}
	return w
}

func (w words) cardinality() int {
	return bits.OnesCount64(w[0]) + bits.OnesCount64(w[1]) + bits.OnesCount64(w[2]) + bits.OnesCount64(w[3])
}

// setRange adds the positions from lo to hi, both included.
func (w *words) setRange(lo, hi uint32) {
	for i := lo >> 6; i <= hi>>6; i++ {
		mask := ^uint64(0)
		if i == lo>>6 {
			mask >>= lo & 63
		}
		if i == hi>>6 {
			mask &= ^uint64(0) << (63 - hi&63)
		}
		w[i] |= mask
	}
}

// appendDense appends the container as 32 bytes.
func (w words) appendDense(dst []byte) []byte {
	for _, word := range w {
		dst = binary.BigEndian.AppendUint64(dst, word)
	}
	return dst
}

// appendSparse appends the container as ascending bytes.
func (w words) appendSparse(dst []byte) []byte {
	for i, word := range w {
		for word != 0 {
			low := bits.LeadingZeros64(word)
			dst = append(dst, byte(i<<6|low))
			word &^= topBit >> low
		}
	}
	return dst
}

// builder collects the containers of a bitmap in ascending order.
type builder struct{ b Bitmap }

func newBuilder(containers, bodyBytes int) builder {
	return builder{Bitmap{slots: make([]slot, 0, containers), body: make([]byte, 0, bodyBytes)}}
}

// addBytes adds a container that is not empty and in canonical form.
func (x *builder) addBytes(key uint32, c []byte) {
	x.b.slots = append(x.b.slots, newSlot(key, len(x.b.body)))
	x.b.body = append(x.b.body, c...)
	x.b.cardinality += cardinalityOf(c)
}

// addWords adds a container in its canonical form, or nothing if it is empty.
func (x *builder) addWords(key uint32, w words) {
	n := w.cardinality()
	if n == 0 {
		return
	}
	x.b.slots = append(x.b.slots, newSlot(key, len(x.b.body)))
	x.b.cardinality += n
	if n < minDense {
		x.b.body = w.appendSparse(x.b.body)
	} else {
		x.b.body = w.appendDense(x.b.body)
	}
}
