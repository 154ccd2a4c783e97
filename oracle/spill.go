package oracle

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/firn-io/firn/invariants"
)

// defaultMaxSpillBytes bounds the temporary file of a check.
const defaultMaxSpillBytes = 64 << 30

// spillPage is what the space of a piece in the temporary file is rounded up to, so that pieces of about one size can
// take the place of each other.
const spillPage = 4096

// spillFile is an [invariants.Spill] in one temporary file, which it makes when the first piece comes. The file has no
// name any more from then on, so that nothing of it is left whatever becomes of the process; where a system refuses that,
// close removes it.
type spillFile struct {
	folder   string
	maxBytes int64
	create   func(folder string) (file, string, error)

	file file
	name string
	// end is where the file ends; free are the places below it that nobody uses, by their size in pages.
	end  int64
	free map[int64][]int64
	// named says that the file still has its name.
	named bool
}

var _ invariants.Spill = (*spillFile)(nil)

// file is an open file.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

func newSpillFile(o Options) *spillFile {
	s := &spillFile{folder: o.SpillFolder, maxBytes: o.MaxSpillBytes, create: createTemporary, free: make(map[int64][]int64)}
	if s.maxBytes == 0 {
		s.maxBytes = defaultMaxSpillBytes
	}
	return s
}

func createTemporary(folder string) (file, string, error) {
	f, err := os.CreateTemp(folder, "firn-check-*")
	if err != nil {
		return nil, "", err
	}
	return f, f.Name(), nil
}

// Put implements [invariants.Spill].
func (s *spillFile) Put(data []byte) (int64, error) {
	if s.file == nil {
		var err error
		if s.file, s.name, err = s.create(s.folder); err != nil {
			return 0, fmt.Errorf("a temporary file for what does not fit in memory: %w", err)
		}
		s.named = os.Remove(s.name) != nil
	}
	at, err := s.place(int64(len(data)))
	if err == nil {
		_, err = s.file.WriteAt(data, at)
	}
	return at, s.failed(err)
}

// place returns where so many bytes can go.
func (s *spillFile) place(sizeBytes int64) (int64, error) {
	n := pages(sizeBytes)
	if free := s.free[n]; len(free) > 0 {
		s.free[n] = free[:len(free)-1]
		return free[len(free)-1], nil
	}
	at := s.end
	if at+n*spillPage > s.maxBytes {
		return 0, fmt.Errorf("more than %d bytes do not fit in memory", s.maxBytes)
	}
	s.end += n * spillPage
	return at, nil
}

func pages(sizeBytes int64) int64 { return (sizeBytes + spillPage - 1) / spillPage }

// Get implements [invariants.Spill].
func (s *spillFile) Get(data []byte, at int64) error {
	n, err := s.file.ReadAt(data, at)
	if n == len(data) {
		return nil
	}
	return s.failed(err)
}

// Drop implements [invariants.Spill].
func (s *spillFile) Drop(at, sizeBytes int64) {
	n := pages(sizeBytes)
	s.free[n] = append(s.free[n], at)
}

// failed names the file in an error.
func (s *spillFile) failed(err error) error {
	if err == nil {
		return nil
	}
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("temporary file %s: %w", s.name, err)
}

// close gives the file's space back.
func (s *spillFile) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.name))
	}
	s.file = nil
	return s.failed(err)
}
