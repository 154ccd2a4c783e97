package dv

import (
	"fmt"
	"strconv"

	"github.com/firn-io/firn/internal/spantext"
)

// String returns the positions as people write them, in ascending order, each run of neighbors as its two ends: "3,7-9".
// The empty set gives the empty string. [ParseText] reads this form (DV2).
func (v Vector) String() string {
	var text []byte
	for s := range v.spans() {
		if len(text) > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendUint(text, s.lo, 10)
		if s.hi > s.lo {
			text = append(text, '-')
			text = strconv.AppendUint(text, s.hi, 10)
		}
	}
	return string(text)
}

// ParseText reads positions and ranges separated by commas, both ends of a range included: "3,7-9". They may come in any
// order and overlap; the empty string is the empty set. Spaces are not allowed. A position beyond [MaxPosition], and
// items that cover more than 2^32 positions together, are refused with [ErrOutOfRange] (DV2).
func ParseText(text string) (Vector, error) {
	items, err := spantext.Parse(text, MaxPosition, ErrOutOfRange)
	if err != nil {
		return Vector{}, fmt.Errorf("deletion vector: %w", err)
	}
	var spans []span
	for _, s := range items {
		spans = append(spans, span{s.First, s.Last})
	}
	return fromSpans(spans)
}
