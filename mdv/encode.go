package mdv

import "slices"

// The head of the serialized form (rules 18.1).
const (
	formatVersion     = 1
	headerBytes       = 6
	cardinalityOffset = 1 // offset of the cardinality
	countOffset       = 4 // offset of the container count
)

// maxDescriptorBits is the width of the largest descriptor, denseBytes.
const maxDescriptorBits = 6

// AppendBinary appends the Mumbling bytes of the set to dst (rules 18.1 to 18.4) and returns the extended slice. The bytes
// are canonical: they depend on the set only, stop at the last container that is not empty, and are those that Apache's
// Java encoder writes. The error is always nil; it is there for [encoding.BinaryAppender]. An empty set gives its six
// bytes; a manifest stores a null instead.
func (b Bitmap) AppendBinary(dst []byte) ([]byte, error) { return b.encode(dst), nil }

func (b Bitmap) encode(dst []byte) []byte {
	count := 0
	if n := len(b.slots); n > 0 {
		count = int(b.slots[n-1].key()) + 1
	}
	chunks := (count + chunkValues - 1) / chunkValues
	dst = slices.Grow(dst, headerBytes+chunks*chunkHeadBytes+packedBytes(count, maxDescriptorBits)+packSlack+len(b.body))
	dst = append(dst, formatVersion,
		byte(b.cardinality), byte(b.cardinality>>8), byte(b.cardinality>>16),
		byte(count), byte(count>>8))

	next := 0
	for first := 0; first < count; first += chunkValues {
		var descriptors [chunkValues]byte
		for ; next < len(b.slots) && int(b.slots[next].key()) < first+chunkValues; next++ {
			key, c := b.container(next)
			descriptors[int(key)-first] = byte(len(c)) // also when dense: a descriptor of 32 (rules 18.2)
		}
		dst = appendChunk(dst, &descriptors, min(chunkValues, count-first))
	}
	return append(dst, b.body...)
}
