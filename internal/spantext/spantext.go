// Package spantext reads sets of positions as people write them: "0,7,9-12". It serves the bitmaps of manifests and the
// deletion vectors of rows alike.
package spantext

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Span is a run of positions, both ends included.
type Span struct{ First, Last uint64 }

// errItem describes what an item of the text form is.
var errItem = errors.New("want a position, or a range such as 9-12")

// Parse reads positions and ranges separated by commas, in any order, and returns them by their first positions. The empty
// text has none. Spaces are not allowed. A position above most is refused with tooLarge, and every error says at which
// byte its item begins.
func Parse(text string, most uint64, tooLarge error) ([]Span, error) {
	if text == "" {
		return nil, nil
	}
	p := parser{most, tooLarge}
	var spans []Span
	offset := 0
	for item := range strings.SplitSeq(text, ",") {
		s, err := p.span(item)
		if err != nil {
			return nil, fmt.Errorf("positions at byte %d: %w", offset, err)
		}
		spans = append(spans, s)
		offset += len(item) + 1
	}
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.First, b.First) })
	return spans, nil
}

type parser struct {
	most     uint64
	tooLarge error
}

func (p parser) span(item string) (Span, error) {
	first, last, isRange := strings.Cut(item, "-")
	begin, err := p.position(first)
	if err != nil || !isRange {
		return Span{begin, begin}, err
	}
	end, err := p.position(last)
	if err == nil && end < begin {
		err = fmt.Errorf("range %d-%d ends before it begins", begin, end)
	}
	return Span{begin, end}, err
}

func (p parser) position(digits string) (uint64, error) {
	n, err := strconv.ParseUint(digits, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && n > p.most:
		return 0, fmt.Errorf("%w: %s is above %d", p.tooLarge, digits, p.most)
	case err != nil:
		return 0, errItem
	}
	return n, nil
}
