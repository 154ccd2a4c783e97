package invariants

import (
	"fmt"
	"slices"
	"strings"
)

// positions is a set of row ordinals of one manifest, ascending and without repetition.
type positions []uint32

func (p positions) contains(position uint32) bool {
	_, found := slices.BinarySearch(p, position)
	return found
}

// minus returns the positions that are not in q.
func (p positions) minus(q positions) positions {
	return p.filter(func(x uint32) bool { return !q.contains(x) })
}

// and returns the positions that are in q too.
func (p positions) and(q positions) positions { return p.filter(q.contains) }

// from returns the positions that are not below a limit.
func (p positions) from(limit int64) positions {
	return p.filter(func(x uint32) bool { return int64(x) >= limit })
}

func (p positions) filter(keep func(uint32) bool) positions {
	var out positions
	for _, x := range p {
		if keep(x) {
			out = append(out, x)
		}
	}
	return out
}

// String prints the positions for messages, long sets shortened.
func (p positions) String() string {
	const most = 8
	var b strings.Builder
	for i, x := range p {
		if i == most {
			return fmt.Sprintf("{%s, … %d in all}", b.String(), len(p))
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, x)
	}
	return "{" + b.String() + "}"
}
