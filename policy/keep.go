package policy

import "slices"

// Keep returns the plan that keeps every leaf of earlier attempts that can be kept, and nothing else, with the items
// that it leaves in the root. A policy begins with it: a plan that writes again what is written already is refused.
// rest lists loose files before new ones, and then tombstones.
func Keep(in Input) (plan Plan, rest []Ref) {
	in = in.Plausible()
	placed := make(map[Ref]bool)
	var index index
	if len(in.Written) > 0 {
		index = in.index()
	}
	for i, group := range in.Written {
		members, ok := index.survivors(group)
		if !ok || !keepable(in, members, group.Leaves) || anyIn(members, placed) {
			continue
		}
		for _, ref := range members {
			placed[ref] = true
		}
		plan.Steps = append(plan.Steps, in.Priced(Step{
			Kind: KindOf(members), Members: members, Leaves: group.Leaves, Written: i, Term: ByEarlierAttempt, Reason: "an earlier attempt wrote this leaf",
		}))
	}
	rest = remaining(rest, FromLoose, len(in.Loose), placed)
	rest = remaining(rest, FromNew, len(in.New), placed)
	rest = remaining(rest, FromTombstones, len(in.Tombstones), placed)
	return plan, rest
}

// Count counts the files that refs stand for, which must all be of this input: of a leaf those that are live.
func (in *Input) Count(refs []Ref) int64 {
	var n int64
	for _, ref := range refs {
		switch ref.Source {
		case FromPointers:
			n += in.Pointers[ref.Index].LiveEntries
		case FromLoose:
			n += in.Loose[ref.Index].Count
		case FromNew:
			n += in.New[ref.Index].Count
		case FromTombstones:
			n += in.Tombstones[ref.Index].Count
		}
	}
	return n
}

// KindOf returns the kind of the step that writes these members.
func KindOf(members []Ref) StepKind {
	switch leaves := leavesIn(members); {
	case members[0].Source == FromTombstones:
		return Bury
	case leaves == 0:
		return Push
	case len(members) == 1:
		return Fold
	}
	return Merge
}

// leavesIn counts the leaves that members stand for.
func leavesIn(members []Ref) int {
	n := 0
	for _, ref := range members {
		if ref.Source == FromPointers {
			n++
		}
	}
	return n
}

func anyIn(refs []Ref, set map[Ref]bool) bool {
	return slices.ContainsFunc(refs, func(ref Ref) bool { return set[ref] })
}

func remaining(dst []Ref, source Source, n int, placed map[Ref]bool) []Ref {
	for i := range n {
		if ref := (Ref{source, i}); !placed[ref] {
			dst = append(dst, ref)
		}
	}
	return dst
}

// Priced returns a step with what it costs once and saves from then on, by the prices of the input: a row or pointer that leaves the
// root, with its bitmaps, against the pointer of the new leaf.
func (in Input) Priced(s Step) Step {
	p := in.Prices
	if s.Written < 0 {
		s.PaidBytes = leavesOf(s.Leaves) * p.LeafFixedBytes
	}
	s.SavedBytes = -leavesOf(s.Leaves) * p.PointerBytes
	for _, ref := range s.Members {
		if ref.Source == FromPointers {
			s.SavedBytes += p.Pointer(in.Pointers[ref.Index].Thin) + in.Pointers[ref.Index].DVBytes
			s.pays(p.RowBytes(in.Pointers[ref.Index], in.Pointers[ref.Index].LiveEntries))
			continue
		}
		item, _ := in.Item(ref) // like Count
		s.SavedBytes += item.Count * p.LooseBytes
		s.pays(item.Count * p.LeafEntryBytes)
	}
	return s
}
