package manifestio

import (
	"slices"

	"github.com/firn-io/firn/tree"
)

// blockRows is the number of rows that are shredded at a time: few enough that their entries stay in the
// processor's cache while one column after the other passes over them.
const blockRows = 64

// source finds the struct that columns stand in. The columns of one struct share one.
type source interface {
	// bind turns to a block of rows and reports whether the struct is there in any of them.
	bind(rows []tree.Entry) (some bool)
	// nulls are the definition levels of the rows where the struct is null in all of them.
	nulls() []int16
}

// strip is the struct that columns stand in, for a block of rows. Sources that are bound in turn may share one.
type strip[C any] struct {
	n      int
	cells  [blockRows]*C    // nil where the struct is null
	levels [blockRows]int16 // the definition level at which it is
}

// put sets row i to a struct, or to null at a level.
func (s *strip[C]) put(i int, c *C, level int16) { s.cells[i], s.levels[i] = c, level }

// cells is the source of the columns in one struct.
type cells[C any] struct {
	*strip[C]
	depth  int16 // the definition level of a struct that is there
	gather func(rows []tree.Entry, s *strip[C])
}

func newCells[C any](depth int16, gather func(rows []tree.Entry, s *strip[C])) *cells[C] {
	return &cells[C]{new(strip[C]), depth, gather}
}

func (c *cells[C]) bind(rows []tree.Entry) bool {
	c.n = len(rows)
	c.gather(rows, c.strip)
	return slices.ContainsFunc(c.strip.cells[:c.n], func(s *C) bool { return s != nil })
}

func (c *cells[C]) nulls() []int16 { return c.levels[:c.n] }

// shredder appends the levels and values of one column to its buffer, for the rows that its source is bound
// to. Its errors are cellErrors.
type shredder func(b *buffer) error

// cellError says in which row of the block a value was refused.
type cellError struct {
	row int
	err error
}

func (e *cellError) Error() string { return e.err.Error() }
func (e *cellError) Unwrap() error { return e.err }

// appender appends one field of a struct to dst in plain encoding; ok is false where it is null, and what was
// appended does not count.
type appender[C any] func(dst []byte, c *C) (out []byte, ok bool, err error)

// shred returns the shredder of a field, given the definition levels of its null and of its values. A run of
// values, which most blocks are, is one run of levels.
func shred[C any](s *strip[C], null, full int16, put appender[C]) shredder {
	return func(b *buffer) error {
		values, i := b.values, 0
		for ; i < s.n && s.cells[i] != nil; i++ {
			more, ok, err := put(values, s.cells[i])
			if err != nil {
				return &cellError{i, err}
			}
			if !ok {
				break
			}
			values = more
		}
		b.def.add(full, i)
		b.count += i
		for ; i < s.n; i++ {
			c, level := s.cells[i], s.levels[i]
			if c != nil {
				more, ok, err := put(values, c)
				if err != nil {
					return &cellError{i, err}
				}
				if level = null; ok {
					values, level = more, full
					b.count++
				}
			}
			b.def.add(level, 1)
		}
		b.values = values
		b.rows += s.n
		return nil
	}
}

// shredSplitOffsets shreds the one list of an entry: nil is null, an empty list is not.
func shredSplitOffsets(c *cells[tree.Entry]) shredder {
	return func(b *buffer) error {
		for _, e := range c.strip.cells[:c.n] {
			switch {
			case e.SplitOffsets == nil:
				b.def.add(0, 1)
				b.rep.add(0, 1)
			case len(e.SplitOffsets) == 0:
				b.def.add(1, 1)
				b.rep.add(0, 1)
			}
			for i, offset := range e.SplitOffsets {
				b.values, _, _ = putLong(b.values, offset)
				b.def.add(2, 1)
				b.rep.add(int16(min(i, 1)), 1)
			}
			b.count += len(e.SplitOffsets)
		}
		b.rows += c.n
		return nil
	}
}
