package dv

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
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
	if text == "" {
		return Vector{}, nil
	}
	var spans []span
	offset := 0
	for item := range strings.SplitSeq(text, ",") {
		s, err := parseSpan(item)
		if err != nil {
			return Vector{}, fmt.Errorf("deletion vector: positions at byte %d: %w", offset, err)
		}
		spans = append(spans, s)
		offset += len(item) + 1
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	return fromSpans(spans)
}

// errSpan describes what an item of the text form is.
var errSpan = errors.New("want a position, or a range such as 7-9")

func parseSpan(item string) (span, error) {
	first, last, isRange := strings.Cut(item, "-")
	lo, err := parsePosition(first)
	if err != nil || !isRange {
		return span{lo, lo}, err
	}
	hi, err := parsePosition(last)
	if err == nil && hi < lo {
		err = fmt.Errorf("range %d-%d ends before it begins", lo, hi)
	}
	return span{lo, hi}, err
}

func parsePosition(digits string) (uint64, error) {
	position, err := strconv.ParseUint(digits, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange), position > MaxPosition:
		return 0, fmt.Errorf("%w: %s is above %d", ErrOutOfRange, digits, MaxPosition)
	case err != nil:
		return 0, errSpan
	}
	return position, nil
}
