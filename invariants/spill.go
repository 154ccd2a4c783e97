package invariants

import "fmt"

// Spill keeps, outside of the memory of a check, what it would grow by with each file of a table. The checker does no
// I/O itself: whoever asks for the check says where to. An error of a spill ends the check. A Spill belongs to one check
// at a time and is for one goroutine.
type Spill interface {
	// Put keeps a copy of data and returns its place.
	Put(data []byte) (at int64, err error)
	// Get fills data with what Put kept at a place; its length is that of what was kept.
	Get(data []byte, at int64) error
	// Drop says that nobody reads any more what Put kept at a place, that many bytes.
	Drop(at, sizeBytes int64)
}

const (
	// defaultFilesInMemory is the default of [LeafOptions].FilesInMemory.
	defaultFilesInMemory = 1 << 17
	// filesInPiece is how many files are spilled in one piece: enough that it is worth a call, and little to hold.
	filesInPiece = 512
)

// storage is the memory of a check and the spill behind it. Its first error ends the check: [sink.over].
type storage struct {
	spill Spill
	// limit is how many files each part of the check may hold; 0 without a spill, and then it holds all.
	limit int
	// held counts the rows of leaves that are in memory.
	held int
	// buffer is for a piece that is put together.
	buffer []byte
	err    error
}

func newStorage(o LeafOptions) *storage {
	s := &storage{spill: o.Spill}
	switch {
	case o.Spill == nil:
	case o.FilesInMemory > 0:
		s.limit = o.FilesInMemory
	default:
		s.limit = defaultFilesInMemory
	}
	return s
}

// exceeded reports whether so many files are more than a part of the check may hold.
func (s *storage) exceeded(files int) bool { return s != nil && s.limit > 0 && files > s.limit }

// failed reports whether the spill failed.
func (s *storage) failed() bool { return s != nil && s.err != nil }

func (s *storage) fail(err error) {
	if s.err == nil {
		s.err = fmt.Errorf("invariants: %w", err)
	}
}

// piece is a run of bytes in the spill.
type piece struct{ at, sizeBytes int64 }

func (s *storage) put(data []byte) piece {
	if s.err != nil {
		return piece{}
	}
	at, err := s.spill.Put(data)
	if err != nil {
		s.fail(err)
	}
	return piece{at, int64(len(data))}
}

// get returns a piece, in buffer if it is large enough; nil if the spill failed.
func (s *storage) get(p piece, buffer []byte) []byte {
	if s.err != nil {
		return nil
	}
	if int64(cap(buffer)) < p.sizeBytes {
		buffer = make([]byte, p.sizeBytes)
	}
	buffer = buffer[:p.sizeBytes]
	if err := s.spill.Get(buffer, p.at); err != nil {
		s.fail(err)
		return nil
	}
	return buffer
}

func (s *storage) drop(pieces []piece) {
	for _, p := range pieces {
		if s.err == nil {
			s.spill.Drop(p.at, p.sizeBytes)
		}
	}
}
