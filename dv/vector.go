package dv

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
)

// The largest position in its two halves: the last key that readers with an array of 32-bit bitmaps can hold, and
// the last position that they allow under it.
const (
	maxKey = 1<<31 - 2
	maxLow = 1 << 31
)

// MaxPosition is the largest row position that a vector can hold. The format has room up to 2^63-1; the most used
// reader stops here, so that nothing above may be written, and nothing above is read (DV1).
const MaxPosition uint64 = maxKey<<32 | maxLow

// ErrOutOfRange says that a position is larger than [MaxPosition] or not a row of the file, or that a range is wider
// than can be held.
var ErrOutOfRange = errors.New("position out of range")

// Vector is an immutable set of row positions from 0 to [MaxPosition]. The zero value is the empty set, which a table
// stores as a null instead. Copies share memory that nobody writes to, so a Vector may be used by several goroutines.
type Vector struct {
	// set is nil for the empty set, and not changed once it is here.
	set *roaring64.Bitmap
}

// newVector takes ownership of a set.
func newVector(set *roaring64.Bitmap) Vector {
	if set.IsEmpty() {
		return Vector{}
	}
	return Vector{set: set}
}

// bitmap returns the set for reading.
func (v Vector) bitmap() *roaring64.Bitmap {
	if v.set == nil {
		return roaring64.New()
	}
	return v.set
}

// Of returns the set of the given positions, which may come in any order and more than once; the slice is neither kept
// nor changed. A position beyond [MaxPosition] is refused with [ErrOutOfRange].
func Of(positions ...uint64) (Vector, error) {
	if len(positions) == 0 {
		return Vector{}, nil
	}
	if !slices.IsSorted(positions) {
		positions = slices.Clone(positions)
		slices.Sort(positions)
	}
	if last := positions[len(positions)-1]; last > MaxPosition {
		return Vector{}, outOfRange(last)
	}
	set := roaring64.New()
	set.AddMany(positions)
	return newVector(set), nil
}

// maxSpan is how many positions the ranges of one vector may cover. It bounds the memory that a few digits can ask
// for to some tens of megabytes, and no data file has as many rows.
const maxSpan = 1 << 32

// Range returns the set of the positions from lo up to, but not including, hi: Range(0, n) deletes every row of a file of
// n rows. It is empty if hi is not above lo. A position beyond [MaxPosition] and a range of more than 2^32 positions are
// refused with [ErrOutOfRange] (DV2).
func Range(lo, hi uint64) (Vector, error) {
	if hi <= lo {
		return Vector{}, nil
	}
	return fromSpans([]span{{lo, hi - 1}})
}

// span is a run of positions, both ends included.
type span struct{ lo, hi uint64 }

// fromSpans returns the set of spans, which are ordered by their first position and may touch and overlap.
func fromSpans(spans []span) (Vector, error) {
	set := roaring64.New()
	total, next := uint64(0), uint64(0) // positions below next are in the set if a span has them
	for _, s := range spans {
		if s.hi > MaxPosition {
			return Vector{}, outOfRange(s.hi)
		}
		if s.hi < next {
			continue
		}
		lo := max(s.lo, next)
		if total += s.hi - lo + 1; total > maxSpan {
			return Vector{}, fmt.Errorf("deletion vector: %w: the ranges cover more than %d positions", ErrOutOfRange,
				uint64(maxSpan))
		}
		next = s.hi + 1
		set.AddRange(lo, next)
	}
	return newVector(set), nil
}

func outOfRange(position uint64) error {
	return fmt.Errorf("deletion vector: %w: %d is above %d", ErrOutOfRange, position, MaxPosition)
}

// Cardinality returns the number of positions in the set.
func (v Vector) Cardinality() int64 { return int64(v.bitmap().GetCardinality()) }

// IsEmpty reports whether the set has no position.
func (v Vector) IsEmpty() bool { return v.set == nil }

// Max returns the largest position; false if the set is empty. A vector fits a file of n rows if it is empty or its
// largest position is below n.
func (v Vector) Max() (uint64, bool) {
	if v.IsEmpty() {
		return 0, false
	}
	return v.set.Maximum(), true
}

// Contains reports whether the position is in the set. A position beyond [MaxPosition] never is.
func (v Vector) Contains(position uint64) bool { return v.bitmap().Contains(position) }

// Equal reports whether both sets have the same positions.
func (v Vector) Equal(o Vector) bool { return v.bitmap().Equals(o.bitmap()) }

// ContainsAll reports whether every position of o is in v too.
func (v Vector) ContainsAll(o Vector) bool {
	return v.bitmap().AndCardinality(o.bitmap()) == o.bitmap().GetCardinality()
}

// Union returns the positions that are in v or in o.
func (v Vector) Union(o Vector) Vector {
	switch {
	case o.IsEmpty():
		return v
	case v.IsEmpty():
		return o
	}
	return newVector(roaring64.Or(v.set, o.set))
}

// Minus returns the positions of v that are not in o.
func (v Vector) Minus(o Vector) Vector {
	if v.IsEmpty() || o.IsEmpty() {
		return v
	}
	return newVector(roaring64.AndNot(v.set, o.set))
}

// All yields the positions in ascending order.
func (v Vector) All() iter.Seq[uint64] { return roaring64.Values(v.bitmap()) }

// spans yields the runs of neighboring positions in ascending order, each as long as it can be.
func (v Vector) spans() iter.Seq[span] {
	return func(yield func(span) bool) {
		var run span
		started := false
		positions := make([]uint64, 256)
		for it := v.bitmap().ManyIterator(); ; {
			n := it.NextMany(positions)
			if n == 0 {
				break
			}
			for _, p := range positions[:n] {
				switch {
				case !started:
					run, started = span{p, p}, true
				case p == run.hi+1:
					run.hi = p
				default:
					if !yield(run) {
						return
					}
					run = span{p, p}
				}
			}
		}
		if started {
			yield(run)
		}
	}
}
