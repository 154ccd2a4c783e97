package tree

import (
	"cmp"
	"slices"

	"github.com/apache/iceberg-go"
)

// Field returns what is known about a column, and false if nothing is.
func (s Stats) Field(id int) (FieldStats, bool) {
	i, found := slices.BinarySearchFunc(s, id, func(f FieldStats, id int) int { return cmp.Compare(f.FieldID, id) })
	if !found {
		return FieldStats{}, false
	}
	return s[i], true
}

// Project returns the statistics of the listed columns; nil if none of them has any.
func (s Stats) Project(ids []int) Stats {
	var kept Stats
	for _, f := range s {
		if slices.Contains(ids, f.FieldID) {
			kept = append(kept, f)
		}
	}
	return kept
}

// Loosen returns the statistics without the claim that any bound is tight. Rows that a manifest deletion vector
// masks may have held the bounds, so a masked pointer has no tight ones (rules 9.8).
func (s Stats) Loosen() Stats {
	tight := func(f FieldStats) bool { return f.Tight.Val }
	if !slices.ContainsFunc(s, tight) {
		return s
	}
	loose := slices.Clone(s)
	for i := range loose {
		if tight(loose[i]) {
			loose[i].Tight.Val = false
		}
	}
	return loose
}

// Truncate returns the statistics of the column with bounds of at most width code points or bytes, see
// [TruncateLower]. Bounds that were cut are not tight (rules 3.6).
func (f FieldStats) Truncate(width int) FieldStats {
	lower, upper := TruncateLower(f.Lower, width), TruncateUpper(f.Upper, width)
	if lower != f.Lower || upper != f.Upper {
		f.Lower, f.Upper = lower, upper
		f.Tight = iceberg.Optional[bool]{Val: false, Valid: true}
	}
	return f
}
