package mdv

import "slices"

// EncodePFOR encodes values as the descriptors of a bitmap are encoded.
func EncodePFOR(values []byte) []byte {
	var dst []byte
	for chunk := range slices.Chunk(values, chunkValues) {
		var scratch [chunkValues]byte
		dst = appendChunk(dst, &scratch, copy(scratch[:], chunk))
	}
	return dst
}

// DecodePFOR decodes n values, which must be all of data.
func DecodePFOR(data []byte, n int) ([]byte, error) {
	var values []byte
	offset := 0
	for len(values) < n {
		c, err := checkChunk(data, offset, min(chunkValues, n-len(values)))
		if err != nil {
			return nil, err
		}
		var scratch [chunkValues]byte
		if err := c.decode(&scratch, offset); err != nil {
			return nil, err
		}
		values = append(values, scratch[:c.values]...)
		offset += c.size()
	}
	if offset < len(data) {
		return nil, malformed(offset, "%d bytes after the last chunk", len(data)-offset)
	}
	return values, nil
}

// Pack packs values of a width, as many as there are.
func Pack(values []byte, width int) []byte {
	var scratch [chunkValues]byte
	n := copy(scratch[:], values)
	return appendPacked(nil, scratch[:(n+7)&^7], n, width)
}

// CountDescents counts the bytes that are not larger than the one before.
func CountDescents(data []byte) int { return countDescents(data) }
