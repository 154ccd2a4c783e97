package sim

import (
	"github.com/firn-io/firn/policy"
)

// Tidy is the policy of maintenance in the simulator: it merges all leaves of which half or more is masked, and, where there
// are more than four small ones, the small ones; four leaves become two, by partition. It is not meant to be good but to fold and merge
// often.
type Tidy struct{}

// Name implements [policy.Policy].
func (Tidy) Name() string { return "tidy" }

// Plan implements [policy.Policy].
func (Tidy) Plan(in policy.Input) (policy.Plan, error) {
	plan, _ := policy.Keep(in)
	if len(plan.Steps) > 0 {
		return plan, nil
	}
	const smallRows, most = 64, 4
	var worn, small []policy.Ref
	for i, p := range in.Pointers {
		ref := policy.Ref{Source: policy.FromPointers, Index: i}
		switch {
		case p.Legacy || p.LiveEntries == 0:
		case 2*p.LiveEntries <= p.Entries:
			worn = append(worn, ref)
		case p.Entries <= smallRows:
			small = append(small, ref)
		}
	}
	if len(small) > most {
		worn = append(worn, small...)
	}
	for len(worn) > 0 {
		n := min(len(worn), most)
		kind := policy.Merge
		if n == 1 {
			kind = policy.Fold
		}
		plan.Steps = append(plan.Steps, policy.Step{Kind: kind, Members: worn[:n], Leaves: (n + 1) / 2, Written: -1, Reason: "worn or small"})
		worn = worn[n:]
	}
	return plan, nil
}
