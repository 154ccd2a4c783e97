package invariants

import (
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// reportContradictions reports what the statistics of one file say in two states and cannot both be true, for the
// rows of a file never change (rules 3.1, 3.6): a count that differs; a bound that leaves out what the other state has as
// a tight bound, which is a value of the file, or all that the other state allows.
func reportContradictions(was, is tree.Stats, r reporter) {
	if slices.Equal(was, is) {
		return
	}
	before := make(map[int]tree.FieldStats)
	for _, f := range was {
		before[f.FieldID] = f
	}
	for _, now := range is {
		old, known := before[now.FieldID]
		if !known {
			continue
		}
		for _, n := range []struct {
			member   string
			old, now iceberg.Optional[int64]
		}{
			{"value_count", old.ValueCount, now.ValueCount},
			{"null_value_count", old.NullCount, now.NullCount},
			{"nan_value_count", old.NaNCount, now.NaNCount},
		} {
			if differ(n.old, n.now) {
				r.report(statsField(now.FieldID, n.member), n.old, n.now)
			}
		}
		if hasValues(old) && hasValues(now) {
			reportBoundContradictions(old, now, r)
		}
	}
}

func reportBoundContradictions(old, now tree.FieldStats, r reporter) {
	oldTight, nowTight := old.Tight.Val, now.Tight.Val
	if oldTight && below(old.Lower, now.Lower) || nowTight && below(now.Lower, old.Lower) || below(old.Upper, now.Lower) {
		r.report(statsField(now.FieldID, "lower_bound"), "one that agrees with "+showBounds(old), now.Lower)
	}
	if oldTight && below(now.Upper, old.Upper) || nowTight && below(old.Upper, now.Upper) || below(now.Upper, old.Lower) {
		r.report(statsField(now.FieldID, "upper_bound"), "one that agrees with "+showBounds(old), now.Upper)
	}
}

// hasValues reports whether a column may have values that bounds bound.
func hasValues(f tree.FieldStats) bool {
	return !f.ValueCount.Valid || sum(f.NullCount.Val, f.NaNCount.Val) < f.ValueCount.Val
}

// below reports whether two bounds have an order and the first is lower.
func below(a, b tree.Value) bool {
	order, ok := compareBounds(a, b)
	return ok && order < 0
}

func showBounds(f tree.FieldStats) string {
	text := f.Lower.String() + " to " + f.Upper.String()
	if f.Tight.Val {
		text += ", tight"
	}
	return text
}
