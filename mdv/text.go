package mdv

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// String returns the positions as people write them, in ascending order, each run of neighbors as its two ends: "0,7,9-12".
// The empty set gives the empty string. [ParseText] reads this form (MB6).
func (b Bitmap) String() string {
	var text []byte
	var run span
	flush := func() {
		if len(text) > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendUint(text, uint64(run.lo), 10)
		if run.hi > run.lo {
			text = append(text, '-')
			text = strconv.AppendUint(text, uint64(run.hi), 10)
		}
	}
	started := false
	for p := range b.All() {
		switch {
		case !started:
			run, started = span{p, p}, true
		case p == run.hi+1:
			run.hi = p
		default:
			flush()
			run = span{p, p}
		}
	}
	if started {
		flush()
	}
	return string(text)
}

// ParseText reads positions and ranges separated by commas, both ends of a range included: "0,7,9-12". They may come in any
// order and overlap; the empty string is the empty set. Spaces are not allowed. A position beyond [MaxPosition] is refused
// with [ErrOutOfRange] (MB6).
func ParseText(text string) (Bitmap, error) {
	if text == "" {
		return Bitmap{}, nil
	}
	var spans []span
	offset := 0
	for item := range strings.SplitSeq(text, ",") {
		s, err := parseSpan(item)
		if err != nil {
			return Bitmap{}, fmt.Errorf("bitmap positions at byte %d: %w", offset, err)
		}
		spans = append(spans, s)
		offset += len(item) + 1
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	return fromSpans(spans), nil
}

// errSpan describes what an item of the text form is.
var errSpan = errors.New("want a position, or a range such as 9-12")

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

func parsePosition(digits string) (uint32, error) {
	position, err := strconv.ParseUint(digits, 10, 32)
	switch {
	case errors.Is(err, strconv.ErrRange), position > MaxPosition:
		return 0, fmt.Errorf("%w: %s is above %d", ErrOutOfRange, digits, MaxPosition)
	case err != nil:
		return 0, errSpan
	}
	return uint32(position), nil
}
