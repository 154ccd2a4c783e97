package policy

// Keep returns the plan that keeps every leaf of earlier attempts that can be kept, and nothing else, with the items
// that it leaves in the root. A policy begins with it: a plan that writes again what is written already is refused.
// rest lists loose files before new ones, and then tombstones.
func Keep(in Input) (plan Plan, rest []Ref) {
	d := newDraft(in)
	return d.plan, append(d.live, d.dead...)
}
