package testtable

import "github.com/firn-io/firn/policy"

// MergeAll is a policy that merges all leaves and all live files of the root into one leaf, or cuts them into several. What an earlier
// attempt wrote it keeps, and does no more then.
type MergeAll struct {
	// Leaves is how many leaves it writes; 0 counts as one.
	Leaves int
}

// Name implements [policy.Policy].
func (MergeAll) Name() string { return "merge-all" }

// Plan implements [policy.Policy].
func (m MergeAll) Plan(in policy.Input) (policy.Plan, error) {
	plan, rest := policy.Keep(in)
	if len(plan.Steps) > 0 {
		return plan, nil
	}
	var members []policy.Ref
	for i, p := range in.Pointers {
		if p.LiveEntries > 0 && !p.Legacy {
			members = append(members, policy.Ref{Source: policy.FromPointers, Index: i})
		}
	}
	if len(members) == 0 {
		return plan, nil
	}
	for _, ref := range rest {
		if ref.Source != policy.FromTombstones {
			members = append(members, ref)
		}
	}
	kind := policy.Merge
	if len(members) == 1 {
		kind = policy.Fold
	}
	plan.Steps = append(plan.Steps, policy.Step{Kind: kind, Members: members, Leaves: m.Leaves, Written: -1, Reason: "all together"})
	return plan, nil
}
