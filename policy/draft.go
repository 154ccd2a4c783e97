package policy

import (
	"fmt"
	"slices"
)

// draft is a plan being made: what the policies share. It begins with the written groups that survive, since
// a leaf that a lost attempt wrote is already paid for.
type draft struct {
	in   Input
	plan Plan
	// live and dead are the items that still stay in the root, in order: loose before new.
	live, dead []Ref
	// term is what decides the steps that are added next.
	term Term
	// rewritten says of each pointer whether its leaf is written anew, and rewrites counts those.
	rewritten []bool
	rewrites  int
	// told are the rows that tell of changes in leaves that are rewritten.
	told int64
	// thin says of each pointer whether it has few statistics in the new root.
	thin []bool
}

func newDraft(in Input) *draft {
	in = plausible(in)
	d := &draft{in: in, term: ByRule, rewritten: make([]bool, len(in.Pointers)), thin: make([]bool, len(in.Pointers))}
	for i := range in.Pointers {
		d.thin[i] = in.Pointers[i].Thin
	}
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
			if ref.Source == FromPointers {
				d.rewrite(ref)
			}
		}
		d.plan.Steps = append(d.plan.Steps, d.priced(Step{
			Kind: kindOf(members), Members: members, Leaves: group.Leaves, Written: i, Term: ByEarlierAttempt, Reason: "an earlier attempt wrote this leaf",
		}))
	}
	d.live = remaining(d.live, FromLoose, len(in.Loose), placed)
	d.live = remaining(d.live, FromNew, len(in.New), placed)
	d.dead = remaining(d.dead, FromTombstones, len(in.Tombstones), placed)
	return d
}

// kindOf returns the kind of the step that writes these members.
func kindOf(members []Ref) StepKind {
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

// rewrite notes that a step writes a leaf anew.
func (d *draft) rewrite(ref Ref) {
	d.rewritten[ref.Index] = true
	d.rewrites++
	d.told += d.in.Pointers[ref.Index].Changed
}

// pointers counts the pointers that the root will have.
func (d *draft) pointers() int64 {
	return int64(len(d.in.Pointers)-d.rewrites) + d.plan.Leaves()
}

// rootRows counts the rows that the root will have.
func (d *draft) rootRows() int64 { return d.pointers() + d.count(d.live) + d.count(d.dead) + d.told }

// rootBytes estimates the size of the root.
func (d *draft) rootBytes() int64 {
	p := d.in.Prices
	bytes := p.RootFixedBytes + d.plan.Leaves()*p.PointerBytes + (d.count(d.live)+d.count(d.dead)+d.told)*p.LooseBytes
	for i := range d.in.Pointers {
		if !d.rewritten[i] {
			bytes += p.Pointer(d.thin[i]) + d.in.Pointers[i].DVBytes
		}
	}
	return bytes
}

func (d *draft) count(refs []Ref) int64 {
	var n int64
	for _, ref := range refs { // which all come from the draft's own input
		switch ref.Source {
		case FromPointers:
			n += d.in.Pointers[ref.Index].LiveEntries
		case FromLoose:
			n += d.in.Loose[ref.Index].Count
		case FromNew:
			n += d.in.New[ref.Index].Count
		case FromTombstones:
			n += d.in.Tombstones[ref.Index].Count
		}
	}
	return n
}

// push moves the first items that still stay in the root, at most rows of them, into one new leaf.
func (d *draft) push(rows int64, reason string, args ...any) {
	var members []Ref
	members, d.live = d.take(d.live, rows)
	d.add(Push, members, reason, args...)
}

// bury moves the first tombstones, at most rows of them, into one new leaf.
func (d *draft) bury(rows int64, reason string, args ...any) {
	var members []Ref
	members, d.dead = d.take(d.dead, rows)
	d.add(Bury, members, reason, args...)
}

func (d *draft) add(kind StepKind, members []Ref, reason string, args ...any) {
	d.plan.Steps = append(d.plan.Steps, d.priced(Step{
		Kind: kind, Members: members, Written: -1, Term: d.term, Reason: fmt.Sprintf(reason, args...),
	}))
}

// cut writes leaves into several new ones, by the partitions of their rows.
func (d *draft) cut(members []Ref, leaves int, reason string, args ...any) {
	d.add(kindOf(members), members, reason, args...)
	step := &d.plan.Steps[len(d.plan.Steps)-1]
	step.Leaves = leaves
	*step = d.priced(*step)
}

// take splits refs after as many items as have at most rows rows, but after one at least.
func (d *draft) take(refs []Ref, rows int64) (taken, rest []Ref) {
	n, sum := 0, int64(0)
	for _, ref := range refs {
		item, _ := d.in.Item(ref)
		if sum += item.Count; n > 0 && sum > rows {
			break
		}
		n++
	}
	return refs[:n:n], refs[n:]
}
