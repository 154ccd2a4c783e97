package mdv

// chunk is an encoded chunk of descriptors whose length was checked.
type chunk struct {
	bytes  []byte // from its head to the end of the input
	values int
}

func (c chunk) low() int        { return int(c.bytes[0] & 0x0f) } // width of the low bits
func (c chunk) high() int       { return int(c.bytes[0] >> 4) }   // width of the exceptions' high bits
func (c chunk) exceptions() int { return int(c.bytes[1]) }
func (c chunk) base() byte      { return c.bytes[2] } // added to every value

// exceptionOffset, highOffset and size return where the second and the third array and the next chunk begin, counted from
// the head; the first array begins behind it.
func (c chunk) exceptionOffset() int { return chunkHeadBytes + packedBytes(c.values, c.low()) }
func (c chunk) highOffset() int      { return c.exceptionOffset() + c.exceptions() }
func (c chunk) size() int            { return c.highOffset() + packedBytes(c.exceptions(), c.high()) }

// checkChunk checks the head of the chunk at the offset, and that the input has all of its bytes.
func checkChunk(data []byte, offset, values int) (chunk, error) {
	c := chunk{data[offset:], values}
	if len(c.bytes) < chunkHeadBytes {
		return chunk{}, cut(data, "the head of a descriptor chunk")
	}
	switch low, high := c.low(), c.high(); {
	case low+high > maxValueBits:
		return chunk{}, malformed(offset, "a descriptor chunk has %d low and %d high bits, together more than %d",
			low, high, maxValueBits)
	case low == maxValueBits && c.exceptions() > 0:
		return chunk{}, malformed(offset+1, "a descriptor chunk of full-width values has %d exceptions", c.exceptions())
	case c.size() > len(c.bytes):
		return chunk{}, cut(data, "a descriptor chunk")
	}
	return c, nil
}

// decode writes the chunk's values to the head of dst and zeros to the rest. The offset is that of the chunk.
func (c chunk) decode(dst *[chunkValues]byte, offset int) error {
	unpack(dst, c.bytes[chunkHeadBytes:], c.values, c.low())
	if c.exceptions() > 0 {
		if err := c.patch(dst, offset); err != nil {
			return err
		}
	}
	base := c.base()
	if base == 0 {
		return nil
	}
	for i, v := range dst[:c.values] {
		sum := v + base
		if sum < v {
			return malformed(offset+2, "descriptor %d of the chunk is %d + %d, more than a byte holds", i, base, v)
		}
		dst[i] = sum
	}
	return nil
}

// patch adds the high bits of the exceptions. An exception that is named twice is refused: readers would not agree on
// its value.
func (c chunk) patch(dst *[chunkValues]byte, offset int) error {
	p := &packings[c.high()]
	group := uint64(0)
	var seen words
	for i, at := range c.bytes[c.exceptionOffset():c.highOffset()] {
		if i&7 == 0 {
			group = p.spread(loadGroup(c.bytes, c.highOffset()+i>>3*c.high()))
		}
		bit := topBit >> (at & 63)
		if int(at) >= c.values {
			return malformed(offset+c.exceptionOffset()+i, "exception offset %d in a descriptor chunk of %d values", at, c.values)
		}
		if seen[at>>6]&bit != 0 {
			return malformed(offset+c.exceptionOffset()+i, "exception offset %d stands twice in a descriptor chunk", at)
		}
		seen[at>>6] |= bit
		dst[at] |= byte(group>>56) << c.low()
		group <<= 8
	}
	return nil
}
