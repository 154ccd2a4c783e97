package manifestio

import (
	"math/bits"
	"sync"
)

// minBufferBits is the power of two of the smallest page buffer.
const minBufferBits = 10

// pageBuffers keeps buffers of decompressed pages, by the power of two of their size, for the next manifest:
// reading one needs as many of them as it has compressed columns, and nothing that a reader hands out points
// into one.
var pageBuffers [64]sync.Pool

// bufferSize returns the size of the buffer that holds n bytes.
func bufferSize(n int64) int64 {
	return 1 << max(minBufferBits, bits.Len64(uint64(n-1)))
}

// takeBuffer returns a buffer of a size that bufferSize returned; its content is arbitrary.
func takeBuffer(size int64) []byte {
	if b, ok := pageBuffers[bits.TrailingZeros64(uint64(size))].Get().(*[]byte); ok {
		return *b
	}
	return make([]byte, size)
}

// giveBuffer returns a buffer that nothing points to any more.
func giveBuffer(b []byte) {
	if b != nil {
		b = b[:cap(b)]
		pageBuffers[bits.TrailingZeros64(uint64(len(b)))].Put(&b)
	}
}

// close gives the buffers of a pass back. The pass cannot go on afterwards.
func (x *run) close() {
	for _, c := range x.flat {
		giveBuffer(c.buffer)
		c.buffer, c.source = nil, nil
	}
	for _, c := range x.nested {
		giveBuffer(c.buffer)
		c.buffer, c.source = nil, nil
	}
}
