package mdv

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// Descriptors of containers that are not sparse (rules 18.2).
const (
	denseDescriptor    = 0x20 // its low five bits are ignored (M6)
	reservedDescriptor = 0x40 // and all above
)

// Parse reads the Mumbling bytes of a bitmap, which must be all of data (rules 18). An error is a [*ParseError]. Accepted
// although no canonical writer makes them are trailing empty containers, low bits in a dense descriptor, a dense container
// of fewer than 32 positions, a base beside full-width descriptors (M2, M6, M11, M13), descriptor widths other than the
// shortest, and padding bits that are not zero; [Bitmap.AppendBinary] writes the set in canonical form.
//
// The Bitmap has memory of its own: data is not kept, and what is allocated, but for an error, is at most twelve times
// its length (MB1, MB2, MB3, MB4, MB5).
func Parse(data []byte) (Bitmap, error) {
	h, err := readHeader(data)
	if err != nil {
		return Bitmap{}, err
	}
	slots, allSparse, err := readSlots(data, h)
	if err != nil {
		return Bitmap{}, err
	}
	b := Bitmap{slots: slots, body: append([]byte(nil), data[h.bodyOffset:]...), cardinality: h.cardinality}
	if allSparse && h.cardinality == len(b.body) && b.ascends() {
		return b, nil
	}
	thin, err := b.check(h)
	if err != nil {
		return Bitmap{}, err
	}
	if thin {
		return b.canonical(), nil
	}
	return b, nil
}

// header is the fixed part of the serialized form, and what the heads of the descriptor chunks tell.
type header struct {
	cardinality, containers int
	bodyOffset              int // where the containers begin
}

// readHeader reads the header and checks the heads of the descriptor chunks.
func readHeader(data []byte) (header, error) {
	if len(data) < headerBytes {
		return header{}, cut(data, "the header")
	}
	h := header{
		cardinality: int(data[cardinalityOffset]) | int(binary.LittleEndian.Uint16(data[cardinalityOffset+1:]))<<8,
		containers:  int(binary.LittleEndian.Uint16(data[countOffset:])),
		bodyOffset:  headerBytes,
	}
	switch {
	case data[0] != formatVersion:
		return header{}, malformed(0, "version %d, only %d is known", data[0], formatVersion)
	case h.cardinality > MaxCardinality:
		return header{}, malformed(cardinalityOffset, "cardinality %d, the limit is %d", h.cardinality, MaxCardinality)
	case h.containers > maxContainers:
		return header{}, malformed(countOffset, "%d containers, the limit is %d", h.containers, maxContainers)
	}
	for first := 0; first < h.containers; first += chunkValues {
		c, err := checkChunk(data, h.bodyOffset, min(chunkValues, h.containers-first))
		if err != nil {
			return header{}, err
		}
		h.bodyOffset += c.size()
	}
	return h, nil
}

// readSlots reads the descriptors and returns where in the body the containers are, which fill it exactly, and whether all
// are sparse.
func readSlots(data []byte, h header) (slots []slot, allSparse bool, err error) {
	size := len(data) - h.bodyOffset
	slots = make([]slot, min(h.containers, size)) // a container that has a slot has a byte
	used, end, all := 0, 0, byte(0)
	var descriptors [chunkValues]byte
	for first, offset := 0, headerBytes; first < h.containers; first += chunkValues {
		c := chunk{data[offset:], min(chunkValues, h.containers-first)}
		if err := c.decode(&descriptors, offset); err != nil {
			return nil, false, err
		}
		groups := descriptors[:(c.values+7)&^7]
		if all |= bitsIn(groups); all >= reservedDescriptor {
			return nil, false, reserved(groups, first, offset)
		}
		n, newEnd := fillSlots(slots[used:], groups, first, end)
		if newEnd > size {
			return nil, false, cut(data, "a container")
		}
		used, end = used+n, newEnd
		offset += c.size()
	}
	if end < size {
		return nil, false, malformed(h.bodyOffset+end, "%d bytes after the last container", size-end)
	}
	return slots[:used], all < denseDescriptor, nil
}

// fillSlots makes a slot for each container that is not empty and returns how many there are and where the last one ends.
// The first descriptor is that of the container with the number first, which begins at end. If there are not enough slots
// the containers are longer than the input, which the new end tells.
func fillSlots(slots []slot, descriptors []byte, first, end int) (n, newEnd int) {
	for i := 0; i <= len(descriptors)-8; i += 8 {
		group := binary.LittleEndian.Uint64(descriptors[i:])
		for used := nonzero(group); used != 0; used &= used - 1 {
			bit := bits.TrailingZeros64(used)
			if n < len(slots) {
				slots[n] = newSlot(uint32(first+i+bit>>3), end)
				n++
			}
			end += int(min(group>>(bit&^7)&0xff, denseDescriptor))
		}
	}
	return n, end
}

// reserved is the error for the first reserved descriptor of a chunk.
func reserved(descriptors []byte, first, offset int) error {
	i := slices.IndexFunc(descriptors, func(d byte) bool { return d >= reservedDescriptor })
	return malformed(offset, "descriptor 0x%02x of container %d is reserved", descriptors[i], first+i)
}

// ascends reports whether the positions ascend within each container, all of which must be sparse. Where they do, the body
// descends at most between two containers, so it is enough to count where it does: cheaper than to walk the containers.
func (b *Bitmap) ascends() bool {
	descents := countDescents(b.body)
	for i := 1; i < len(b.slots); i++ {
		if at := b.slots[i].offset(); b.body[at] <= b.body[at-1] {
			descents--
		}
	}
	return descents == 0
}

// check checks the containers one by one and reports whether a dense container has so few positions that the
// canonical form has a sparse one in its place.
func (b *Bitmap) check(h header) (thin bool, err error) {
	cardinality := 0
	for i := range b.slots {
		_, c := b.container(i)
		n := len(c)
		if n == denseBytes {
			n = loadDense(c).cardinality()
			thin = thin || n < minDense
		} else if k := firstDescent(c); k > 0 {
			return false, malformed(h.bodyOffset+b.slots[i].offset()+k, "container %d has position %d after %d",
				b.slots[i].key(), c[k], c[k-1])
		}
		cardinality += n
	}
	if cardinality != h.cardinality {
		return false, malformed(cardinalityOffset, "the header counts %d positions, the containers have %d",
			h.cardinality, cardinality)
	}
	return thin, nil
}

// firstDescent returns the index of the first byte that is not larger than the one before, or 0 if there is none.
func firstDescent(c []byte) int {
	for k := 1; k < len(c); k++ {
		if c[k] <= c[k-1] {
			return k
		}
	}
	return 0
}

// canonical returns the same set with its containers in canonical form.
func (b *Bitmap) canonical() Bitmap {
	out := newBuilder(len(b.slots), len(b.body))
	for i := range b.slots {
		key, c := b.container(i)
		out.addWords(key, load(c))
	}
	return out.b
}

// ParseError says what is wrong with the bytes of a bitmap (MB7).
type ParseError struct {
	// Offset is that of the byte at fault. Input that ends too early is at fault at its end.
	Offset int
	// Reason says what was found.
	Reason string
}

// Error says what is wrong and at which byte.
func (e *ParseError) Error() string {
	return fmt.Sprintf("bitmap is malformed at byte %d: %s", e.Offset, e.Reason)
}

func malformed(offset int, format string, args ...any) error {
	return &ParseError{Offset: offset, Reason: fmt.Sprintf(format, args...)}
}

// cut is the error for input that ends within the part that is named.
func cut(data []byte, part string) error {
	return malformed(len(data), "the input ends within %s", part)
}
