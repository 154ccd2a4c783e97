package mdv

import "bytes"

// Layout describes the bytes of a bitmap: what stands where. Offsets count from the first byte.
type Layout struct {
	// Version, Cardinality and ContainerCount are the three fields of the header.
	Version, Cardinality, ContainerCount int
	// Chunks are the chunks of the descriptors, of 256 each but for the last.
	Chunks []ChunkLayout
	// Containers are those that take room in the input; the others, up to ContainerCount, are empty.
	Containers []ContainerLayout
	// Canonical says whether [Bitmap.AppendBinary] gives the same bytes.
	Canonical bool
}

// ChunkLayout describes a chunk of descriptors (rules 18.3).
type ChunkLayout struct {
	Offset, SizeBytes int
	// Values is the number of descriptors.
	Values int
	// LowBits is the width of the part that is stored for each value, HighBits that of the rest, which is stored for
	// the Exceptions.
	LowBits, HighBits, Exceptions int
	// Base was subtracted from each value.
	Base int
}

// ContainerLayout describes a container (rules 18.2).
type ContainerLayout struct {
	// Number is k if the container covers the positions from 256k to 256k+255.
	Number int
	// Descriptor is the byte that gives its form and, if it is sparse, its length.
	Descriptor        byte
	Offset, SizeBytes int
	Cardinality       int
}

// IsDense reports whether the container is a bitset of 256 bits rather than a list of positions.
func (c ContainerLayout) IsDense() bool { return c.Descriptor >= denseDescriptor }

// Describe says how the bytes of a bitmap are laid out. It refuses what [Parse] refuses, with the same error.
func Describe(data []byte) (Layout, error) {
	h, err := readHeader(data)
	if err != nil {
		return Layout{}, err
	}
	b, err := Parse(data)
	if err != nil {
		return Layout{}, err
	}
	l := Layout{
		Version:        formatVersion,
		Cardinality:    h.cardinality,
		ContainerCount: h.containers,
		Canonical:      bytes.Equal(b.encode(nil), data),
	}
	end := h.bodyOffset
	var descriptors [chunkValues]byte
	for first, offset := 0, headerBytes; first < h.containers; first += chunkValues {
		c := chunk{data[offset:], min(chunkValues, h.containers-first)}
		if err := c.decode(&descriptors, offset); err != nil {
			return Layout{}, err
		}
		l.Chunks = append(l.Chunks, c.layout(offset))
		offset += c.size()
		for i, d := range descriptors[:c.values] {
			if size := min(int(d), denseBytes); size > 0 {
				l.Containers = append(l.Containers, ContainerLayout{
					Number:      first + i,
					Descriptor:  d,
					Offset:      end,
					SizeBytes:   size,
					Cardinality: cardinalityOf(data[end : end+size]),
				})
				end += size
			}
		}
	}
	return l, nil
}

func (c chunk) layout(offset int) ChunkLayout {
	return ChunkLayout{
		Offset:     offset,
		SizeBytes:  c.size(),
		Values:     c.values,
		LowBits:    c.low(),
		HighBits:   c.high(),
		Exceptions: c.exceptions(),
		Base:       int(c.base()),
	}
}
