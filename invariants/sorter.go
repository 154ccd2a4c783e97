package invariants

import (
	"cmp"
	"encoding/binary"
	"iter"
	"slices"
)

// record is what is sorted of a file: by key, and among equal keys by spot.
type record struct {
	key, value uint64
	spot       spot
}

func (a record) compare(b record) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.spot, b.spot))
}

const (
	// recordsPerFile is how many records a sorter may hold for each file that a part of the check may hold: they are small.
	recordsPerFile = 4
	// recordsInPiece is how many of them are spilled in one piece, and read at a time of each run.
	recordsInPiece  = 2048
	recordSizeBytes = 24
)

// sorter sorts records, beyond the limit of the storage in runs that it spills and merges.
type sorter struct {
	storage *storage
	open    []record
	runs    [][]piece
}

// newSorter returns a sorter for so many records at most.
func newSorter(s *storage, most int) *sorter {
	if s.exceeded(most / recordsPerFile) {
		most = s.limit*recordsPerFile + recordsPerFile
	}
	return &sorter{storage: s, open: make([]record, 0, most)}
}

func (s *sorter) add(r record) {
	s.open = append(s.open, r)
	if s.storage.exceeded(len(s.open) / recordsPerFile) {
		s.flush()
	}
}

// flush spills the open records as a run.
func (s *sorter) flush() {
	slices.SortFunc(s.open, record.compare)
	var run []piece
	for part := range slices.Chunk(s.open, recordsInPiece) {
		data := s.storage.buffer[:0]
		for _, r := range part {
			data = binary.LittleEndian.AppendUint64(data, r.key)
			data = binary.LittleEndian.AppendUint64(data, r.value)
			data = binary.LittleEndian.AppendUint64(data, uint64(r.spot))
		}
		run = append(run, s.storage.put(data))
		s.storage.buffer = data
	}
	s.runs = append(s.runs, run)
	s.open = s.open[:0]
}

// sorted yields the records in order, once: they are given back then. If the spill fails they end early.
func (s *sorter) sorted() iter.Seq[record] {
	return func(yield func(record) bool) {
		if len(s.runs) == 0 {
			slices.SortFunc(s.open, record.compare)
			for _, r := range s.open {
				if !yield(r) {
					break
				}
			}
			s.open = nil
			return
		}
		s.flush()
		s.open = nil
		defer s.release()
		m := newMerge(s.storage, s.runs)
		for len(m.heap) > 0 {
			if r := m.next(); s.storage.failed() || !yield(r) {
				return
			}
		}
	}
}

func (s *sorter) release() {
	for _, run := range s.runs {
		s.storage.drop(run)
	}
	s.runs = nil
}

// merge yields the records of several runs in order. The heap is ordered by the first record of each run.
type merge struct {
	storage *storage
	heap    []*run
}

// run is what is left of a run: the pieces not read yet, and the rest of the one that is.
type run struct {
	first   record
	pieces  []piece
	buffer  []byte
	records []byte
}

func newMerge(s *storage, runs [][]piece) *merge {
	m := &merge{storage: s}
	for _, pieces := range runs {
		if r := (&run{pieces: pieces}); r.advance(s) {
			m.heap = append(m.heap, r)
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.sink(i)
	}
	return m
}

// next takes the lowest record out.
func (m *merge) next() record {
	lowest := m.heap[0]
	r := lowest.first
	if !lowest.advance(m.storage) {
		m.heap[0] = m.heap[len(m.heap)-1]
		m.heap = m.heap[:len(m.heap)-1]
	}
	m.sink(0)
	return r
}

// sink moves a run down to its place.
func (m *merge) sink(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(m.heap); child++ {
			if m.heap[child].first.compare(m.heap[least].first) < 0 {
				least = child
			}
		}
		if least == i {
			return
		}
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
		i = least
	}
}

// advance moves on to the next record, if there is one.
func (r *run) advance(s *storage) bool {
	if len(r.records) == 0 {
		if len(r.pieces) == 0 {
			return false
		}
		r.buffer = s.get(r.pieces[0], r.buffer)
		r.records, r.pieces = r.buffer, r.pieces[1:]
	}
	if len(r.records) < recordSizeBytes { // the spill failed
		return false
	}
	r.first = record{
		key:   binary.LittleEndian.Uint64(r.records),
		value: binary.LittleEndian.Uint64(r.records[8:]),
		spot:  spot(binary.LittleEndian.Uint64(r.records[16:])),
	}
	r.records = r.records[recordSizeBytes:]
	return true
}
