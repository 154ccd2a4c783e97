package invariants

import "slices"

// packedBytes reads n bytes in the patched frame-of-reference encoding of container descriptors (rules 18.3).
func (d *bitmapDecoder) packedBytes(n int) []byte {
	values := make([]byte, 0, n)
	for len(values) < n && d.err == nil {
		values = append(values, d.packedChunk(min(n-len(values), 256))...)
	}
	return values
}

// packedChunk reads one chunk of n values: the low bits of each, then the offsets and the high bits of those that
// do not fit, all relative to a minimum.
func (d *bitmapDecoder) packedChunk(n int) []byte {
	h := d.take(3)
	if d.err != nil {
		return nil
	}
	low, high, exceptions, minimum := int(h[0]&15), int(h[0]>>4), int(h[1]), int(h[2])
	switch {
	case low > 8 || low+high > 8:
		d.fail("widths %d and %d", low, high)
	case low == 8 && (exceptions > 0 || high > 0):
		d.fail("exceptions beside values of full width")
	case low == 8 && minimum != 0:
		d.odd("a minimum beside values of full width")
	case exceptions == 0 && high != 0:
		d.odd("a width for exceptions that are not there")
	}
	primary := d.take(packedLen(n, low))
	offsets := d.take(exceptions)
	patches := d.take(packedLen(exceptions, high))
	if d.err != nil {
		return nil
	}
	wide := make([]int, n)
	for i := range wide {
		wide[i] = bitsAt(primary, i*low, low)
	}
	for i, offset := range offsets {
		switch {
		case int(offset) >= n:
			d.fail("exception at %d in a chunk of %d values", offset, n)
			return nil
		case slices.Contains(offsets[:i], offset):
			d.fail("two exceptions at %d", offset)
			return nil
		}
		wide[offset] |= bitsAt(patches, i*high, high) << low
	}
	values := make([]byte, n)
	for i, v := range wide {
		if v+minimum > 255 {
			d.fail("value %d beyond a byte", v+minimum)
			return nil
		}
		values[i] = byte(v + minimum)
	}
	return values
}

// packedLen is the length in bytes of n values of a width in bits.
func packedLen(n, width int) int { return (n*width + 7) / 8 }

// bitsAt reads width bits from the bit offset on, most significant bit first.
func bitsAt(data []byte, offset, width int) int {
	v := 0
	for i := offset; i < offset+width; i++ {
		v = v<<1 | int(data[i/8]>>(7-i%8)&1)
	}
	return v
}
