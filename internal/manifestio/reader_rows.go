package manifestio

import (
	"fmt"
	"iter"
	"unsafe"

	"github.com/firn-io/firn/tree"
)

// Rows returns the rows of the file in file order, with the columns of the projection; fields outside of it
// are left zero, which for them means unknown. The pages of other columns are not read. Each call of the
// returned function makes a pass of its own, so that any number may go on at the same time.
//
// An error ends the sequence; rows before it are sound. Entries own their memory, but share it in batches: the
// texts and statistics of one entry may keep those of a hundred neighbors alive.
func (r *Reader) Rows(p tree.Projection) iter.Seq2[tree.Row, error] {
	return func(yield func(tree.Row, error) bool) {
		x := r.newRun(p)
		defer x.close()
		es := make([]tree.Entry, rowsAtOnce)
		for {
			n, err := x.nextSafely(es)
			if err != nil {
				yield(tree.Row{}, err)
				return
			}
			if n == 0 {
				return
			}
			first := x.position - int64(n)
			for i := range es[:n] {
				if !yield(tree.Row{Position: first + int64(i), Entry: es[i]}, nil) {
					return
				}
			}
			clear(es[:n])
		}
	}
}

// ReadAll returns all rows with the columns of the projection. It counts what it returns against
// [DecodeOptions.MaxMemoryBytes].
func (r *Reader) ReadAll(p tree.Projection) ([]tree.Entry, error) {
	x := r.newRun(p)
	defer x.close()
	x.retain = true
	if err := x.budget.charge(r.footer.rows * int64(unsafe.Sizeof(tree.Entry{}))); err != nil {
		return nil, x.fault(nil, err)
	}
	es := make([]tree.Entry, r.footer.rows)
	for rest := es; ; {
		n, err := x.nextSafely(rest)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return es, nil
		}
		rest = rest[n:]
	}
}

// nextSafely is next with panics turned into errors. The pages of a manifest go through decompressors and
// vectorised decoders of other modules; what is known to make them panic or allocate without bound is checked
// before, by internal/parquetguard, and this is for what is not known: damaged bytes must never end the process.
func (x *run) nextSafely(es []tree.Entry) (n int, err error) {
	defer func() {
		if p := recover(); p != nil {
			n, err = 0, x.fault(nil, fmt.Errorf("a decoder panicked: %v", p))
		}
	}()
	return x.next(es)
}
