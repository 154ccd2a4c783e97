//go:build mutate

package commit

import (
	"slices"

	"github.com/firn-io/firn/internal/tamper"
)

// insteadOf names the fault that undoes a rule which does more than to refuse: one that drops or translates.
var insteadOf = map[Rule]string{
	RuleTargetMoved:    "mask-of-lost-attempt",
	RuleDVFull:         "full-vector-stays",
	RuleDVRefreshed:    "vector-on-old-entry",
	RuleRefreshDropped: "refresh-after-deletes",
	RuleRewriteMasked:  "winners-masks-lost",
	RuleRewriteLost:    "leaf-of-lost-attempt",
}

// SwitchOff lets commits go on as if a rule of the rebase table were not there, until the next call of
// [tamper.SwitchOn]. It reports false for a rule that cannot be switched off: one that lets a change go on as it is, and
// the one on a dropped table, which says that nothing is known.
func SwitchOff(r Rule) bool {
	if slices.Contains([]Rule{RuleAddReplan, RuleRemoveDVKept, RuleTableDropped}, r) {
		return false
	}
	instead := branchKept // does nothing for any other rule: it is the only one of its seam
	for _, f := range tamper.Faults() {
		if f.Name == insteadOf[r] {
			instead = f
		}
	}
	tamper.SwitchOff(string(r), instead)
	return true
}

// branchKept makes the branch again that another writer dropped.
var branchKept = tamper.At(seamBranchGone, "branch-kept", "The branch that was dropped is made again.", func(s seen, from *Head) *Head {
	kept := *from
	kept.MetadataLocation, kept.Metadata = s.location, s.metadata
	return &kept
})
