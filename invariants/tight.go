package invariants

import (
	"slices"

	"github.com/firn-io/firn/tree"
)

var tightInvariants = []Invariant{
	{
		ID: "T-TIGHT", Scope: ScopeTree, Depth: AllLeaves, Severity: Error, Firmness: Derived, Rule: "rules 3.6, 3.8, Q9",
		Statement: "Where the bounds of a pointer are said to be tight, entries of its leaf have the same bounds and say the same.",
		Symptom:   "Readers that answer for the least or greatest value from the statistics give one that is not there.",
		Advice:    "Say that aggregated bounds are tight only if those of all entries are.",
		check:     checker{openLeaf: checkLeafTight},
	},
}

func checkLeafTight(o *openLeaf, r reporter) {
	if o.pointer.legacy() {
		return
	}
	for _, f := range o.pointer.entry.Stats {
		if f.Tight.Val {
			o.leaf.stats.checkTight(f, r)
		}
	}
}

// checkTight looks for entries that have the bounds of a pointer as tight ones. Bounds that leave something out are
// judged by T-STATS-COVER.
func (c *coverage) checkTight(f tree.FieldStats, r reporter) {
	var x column
	if i := slices.IndexFunc(c.columns, func(x column) bool { return x.id == f.FieldID }); i >= 0 {
		x = c.columns[i]
	}
	for _, b := range []struct {
		bound, extreme, tight tree.Value
		sign                  int
	}{{f.Lower, x.lower, x.tightLower, -1}, {f.Upper, x.upper, x.tightUpper, 1}} {
		outside, known := compareBounds(b.bound, b.extreme)
		same, held := compareBounds(b.bound, b.tight)
		if known && outside*b.sign >= 0 && (!held || same != 0) {
			r.report(statsField(f.FieldID, "tight_bounds"), "false, for no entry has "+b.bound.String()+" as a tight bound", true)
			return
		}
	}
}
