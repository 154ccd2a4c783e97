package mdv

import (
	"fmt"
	"strconv"

	"github.com/firn-io/firn/internal/spantext"
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
	items, err := spantext.Parse(text, MaxPosition, ErrOutOfRange)
	if err != nil {
		return Bitmap{}, fmt.Errorf("bitmap %w", err)
	}
	var spans []span
	for _, s := range items {
		spans = append(spans, span{uint32(s.First), uint32(s.Last)})
	}
	return fromSpans(spans), nil
}
