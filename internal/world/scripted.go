package world

import (
	"slices"

	"github.com/firn-io/firn/policy"
)

// scripted is a policy that does what a script says and keeps everything else where it is. It passes over what cannot
// be done any more.
type scripted struct{ wishes []rewriteWish }

// rewriteWish says which leaves are to become one.
type rewriteWish struct {
	leaves []string // resolved
	// loose says that the loose files go into the new leaf too.
	loose bool
}

// scriptedName is the name of the policy in a script.
const scriptedName = "scripted"

// Name implements [policy.Policy].
func (*scripted) Name() string { return scriptedName }

// Plan implements [policy.Policy].
func (s *scripted) Plan(in policy.Input) (policy.Plan, error) {
	plan, rest := policy.Keep(in)
	placed := make(map[policy.Ref]bool)
	for _, step := range plan.Steps {
		for _, ref := range step.Members {
			placed[ref] = true
		}
	}
	for _, wish := range s.wishes {
		members := wish.members(in, rest, placed)
		if len(members) == 0 {
			continue
		}
		kind := policy.Merge
		if len(members) == 1 {
			kind = policy.Fold
		}
		for _, ref := range members {
			placed[ref] = true
		}
		plan.Steps = append(plan.Steps, policy.Step{Kind: kind, Members: members, Written: -1, Reason: "the script says so"})
	}
	return plan, nil
}

// members returns what the new leaf holds: nothing if one of its leaves cannot be rewritten.
func (r rewriteWish) members(in policy.Input, rest []policy.Ref, placed map[policy.Ref]bool) []policy.Ref {
	var members []policy.Ref
	for _, name := range r.leaves {
		i := slices.IndexFunc(in.Pointers, func(p policy.Pointer) bool { return p.Location == name })
		ref := policy.Ref{Source: policy.FromPointers, Index: i}
		if i < 0 || in.Pointers[i].LiveEntries == 0 || placed[ref] {
			return nil
		}
		members = append(members, ref)
	}
	for _, ref := range rest {
		if r.loose && ref.Source != policy.FromTombstones && !placed[ref] {
			members = append(members, ref)
		}
	}
	return members
}
