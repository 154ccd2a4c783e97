package mdv

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Of returns the set of the given positions, which may come in any order and more than once; the slice is neither kept
// nor changed. Strictly ascending positions are the fast path, others are copied and sorted first. A position beyond
// [MaxPosition] is refused with [ErrOutOfRange].
func Of(positions ...uint32) (Bitmap, error) {
	if len(positions) == 0 {
		return Bitmap{}, nil
	}
	if !isAscending(positions) {
		positions = slices.Clone(positions)
		slices.Sort(positions)
		positions = slices.Compact(positions)
	}
	if last := positions[len(positions)-1]; last > MaxPosition {
		return Bitmap{}, outOfRange(last)
	}
	return fromAscending(positions), nil
}

// isAscending reports whether each position is larger than the one before.
func isAscending(positions []uint32) bool {
	for i := 1; i < len(positions); i++ {
		if positions[i] <= positions[i-1] {
			return false
		}
	}
	return true
}

// fromAscending builds a bitmap of strictly ascending positions, of which there is at least one. In such a list a
// container is dense exactly if the position minDense-1 further on is still within it.
func fromAscending(positions []uint32) Bitmap {
	n := len(positions)
	span := int(positions[n-1]>>containerBits-positions[0]>>containerBits) + 1
	containers := min(n, span)
	slots := make([]slot, 0, containers)
	body := make([]byte, 0, min(n, containers*denseBytes))
	for i := 0; i < n; {
		key := positions[i] >> containerBits
		slots = append(slots, newSlot(key, len(body)))
		if i+minDense-1 < n && positions[i+minDense-1]>>containerBits == key {
			body, i = appendDenseRun(body, positions, i)
			continue
		}
		for i < n && positions[i]>>containerBits == key {
			body = append(body, byte(positions[i]))
			i++
		}
	}
	return Bitmap{slots: slots, body: body, cardinality: n}
}

// appendDenseRun appends the dense container that begins with positions[i], and returns the index after its last one.
func appendDenseRun(body []byte, positions []uint32, i int) ([]byte, int) {
	firstWord := positions[i] >> containerBits << 2
	for number := firstWord; number < firstWord+4; number++ {
		word := uint64(0)
		for i < len(positions) && positions[i]>>6 == number {
			word |= topBit >> (positions[i] & 63)
			i++
		}
		body = binary.BigEndian.AppendUint64(body, word)
	}
	return body, i
}

// Range returns the set of the positions from lo up to, but not including, hi: Range(0, n) masks every row of a manifest
// of n rows. It is empty if hi is not above lo. A position beyond [MaxPosition] is refused with [ErrOutOfRange].
func Range(lo, hi uint32) (Bitmap, error) {
	switch {
	case hi <= lo:
		return Bitmap{}, nil
	case hi-1 > MaxPosition:
		return Bitmap{}, outOfRange(hi - 1)
	}
	return fromSpans([]span{{lo, hi - 1}}), nil
}

// span is a run of positions, both ends included.
type span struct{ lo, hi uint32 }

// fromSpans builds a bitmap of spans that are ordered by their first position; they may touch and overlap.
func fromSpans(spans []span) Bitmap {
	var out builder
	var current words
	key := uint32(0)
	for _, s := range spans {
		for s.lo <= s.hi {
			if k := s.lo >> containerBits; k != key {
				out.addWords(key, current)
				key, current = k, words{}
			}
			end := min(s.hi, s.lo|containerMask)
			current.setRange(s.lo&containerMask, end&containerMask)
			s.lo = end + 1
		}
	}
	out.addWords(key, current)
	return out.b
}

func outOfRange(position uint32) error {
	return fmt.Errorf("%w: %d is above %d", ErrOutOfRange, position, MaxPosition)
}
