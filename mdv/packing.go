package mdv

import (
	"encoding/binary"
	"math/bits"
)

// lanes has 1 in each byte: times a byte, that byte in each.
const lanes = 0x0101_0101_0101_0101

// nonzero returns x with the top bit set in each byte that is not zero, and nothing else.
func nonzero(x uint64) uint64 {
	const low7 = lanes * 0x7f
	return (x&low7 + low7 | x) &^ low7
}

// bitsIn returns the bits that any of the values has; their number is a multiple of eight.
func bitsIn(values []byte) byte {
	all := uint64(0)
	for i := 0; i <= len(values)-8; i += 8 {
		all |= binary.LittleEndian.Uint64(values[i:])
	}
	all |= all >> 32
	all |= all >> 16
	return byte(all | all>>8)
}

// countDescents returns how many bytes are not larger than the one before.
func countDescents(data []byte) int {
	const high = lanes * 0x80
	n, i := 0, 1
	for ; i <= len(data)-8; i += 8 {
		x, y := binary.LittleEndian.Uint64(data[i:]), binary.LittleEndian.Uint64(data[i-1:])
		// Eight differences of the low seven bits at once; where the top bits differ, they alone decide.
		notLess := (y | high) - x&^high
		n += bits.OnesCount64((y&^x | ^(x^y)&notLess) & high)
	}
	for ; i < len(data); i++ {
		if data[i] <= data[i-1] {
			n++
		}
	}
	return n
}

// packedBytes returns the length of a packed array.
func packedBytes(values, width int) int { return (values*width + 7) / 8 }

// packing moves eight values of one width between the low bits of eight bytes and one run of bits, which fills whole
// bytes whatever the width. Its three steps join neighbors, pairs of them, and halves, or part them again.
type packing struct {
	pad   uint // bits that the run leaves free in 64
	steps [3]packingStep
}

// packingStep joins a near and a far field into one, or parts them.
type packingStep struct {
	near, far uint64 // where the two fields of each pair are when they are apart
	shift     uint   // how far apart
}

var packings = newPackings()

func newPackings() (all [maxValueBits + 1]packing) {
	for width := range all {
		p := &all[width]
		p.pad = uint(64 - 8*width)
		for i := range p.steps {
			size, room := width<<i, 8<<i // bits of a field, and of the place that it has
			near := uint64(1)<<size - 1
			for at := 2 * room; at < 64; at *= 2 {
				near |= near << at
			}
			p.steps[i] = packingStep{near: near, far: near << room, shift: uint(room - size)}
		}
	}
	return all
}

func (s *packingStep) join(x uint64) uint64 { return x&s.near | x&s.far>>(s.shift&63) }

func (s *packingStep) part(x uint64) uint64 { return x&s.near | x<<(s.shift&63)&s.far }

// gather packs the low bits of the eight bytes of x, most significant byte first, into the high bits of the result.
func (p *packing) gather(x uint64) uint64 {
	return p.steps[2].join(p.steps[1].join(p.steps[0].join(x))) << (p.pad & 63)
}

// spread is the inverse of gather; it ignores the bits that gather leaves zero.
func (p *packing) spread(x uint64) uint64 {
	return p.steps[0].part(p.steps[1].part(p.steps[2].part(x >> (p.pad & 63))))
}

// packSlack is how many bytes appendPacked may write behind the array before it cuts them off.
const packSlack = 8

// appendPacked appends the low bits of each of the first n values, most significant bit first, padded with zeros to a
// byte. There are values up to a multiple of eight; those after the first n are zero.
func appendPacked(dst, values []byte, n, width int) []byte {
	if width == 0 {
		return dst
	}
	p := &packings[width]
	end := len(dst) + packedBytes(n, width)
	for i := 0; i <= len(values)-8; i += 8 {
		group := p.gather(binary.BigEndian.Uint64(values[i:]))
		dst = binary.BigEndian.AppendUint64(dst, group)[:len(dst)+width]
	}
	return dst[:end]
}

// unpack reads n values of a packed array at the head of src, which may go on after it, and sets the rest of dst to zero.
func unpack(dst *[chunkValues]byte, src []byte, n, width int) {
	clear(dst[:])
	if width == 0 {
		return
	}
	p := &packings[width]
	at := 0
	for i := 0; i < n && i <= len(dst)-8; i += 8 {
		binary.BigEndian.PutUint64(dst[i:], p.spread(loadGroup(src, at)))
		at += width
	}
	clear(dst[n : (n+7)&^7])
}

// loadGroup reads eight bytes at the offset, or as many as there are.
func loadGroup(src []byte, offset int) uint64 {
	if offset+8 <= len(src) {
		return binary.BigEndian.Uint64(src[offset:])
	}
	var last [8]byte
	copy(last[:], src[offset:])
	return binary.BigEndian.Uint64(last[:])
}
