package manifestio

import (
	"io"

	"github.com/firn-io/firn/internal/parquetguard"
)

// chunkPart is the part of a column chunk that is in memory. The buffer is used again for the next part.
type chunkPart struct {
	src    io.ReaderAt
	chunk  *chunk
	budget *memoryBudget
	// sizeBytes is how much is read at a time, if not more is asked for.
	sizeBytes int64
	// at is where in the chunk data begins.
	at   int64
	data []byte
	held int64
}

// fetch returns n bytes of the chunk from an offset on; there are so many. They are valid until the next call.
func (p *chunkPart) fetch(offset, n int64) ([]byte, error) {
	end := p.at + int64(len(p.data))
	if offset < p.at || offset > end {
		p.at, p.data, end = offset, p.data[:0], offset
	}
	if offset+n > end {
		if err := p.move(offset, max(n, p.sizeBytes)); err != nil {
			return nil, err
		}
	}
	from := offset - p.at
	return p.data[from : from+n : from+n], nil
}

// move makes the part begin at an offset in it and reads on until it has so many bytes, or all that are left.
func (p *chunkPart) move(offset, sizeBytes int64) error {
	rest := p.data[offset-p.at:]
	sizeBytes = min(sizeBytes, p.chunk.size-offset)
	buffer := p.data[:0]
	if int64(cap(buffer)) < sizeBytes {
		if err := p.budget.grow(&p.held, sizeBytes); err != nil {
			return err
		}
		buffer = make([]byte, 0, sizeBytes)
	}
	kept := copy(buffer[:sizeBytes], rest)
	p.at, p.data = offset, buffer[:sizeBytes]
	return parquetguard.ReadAt(p.src, p.data[kept:], p.chunk.start+offset+int64(kept))
}
