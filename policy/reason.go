package policy

import (
	"fmt"
	"slices"
)

// Term is what decided a step: a term of the cost, a limit, or a rule that asks for no cost. The zero Term is that of a policy that does
// not say.
type Term uint8

// The terms.
const (
	// ByRule is the rule of the policy: so many loose files are there, or so many leaves of a size.
	ByRule Term = iota + 1
	// ByRent is what rows and pointers cost in every root: to write them once into a leaf is cheaper in time.
	ByRent
	// ByMasks is what the bitmaps of masked leaves cost in every root, and what plans read of their dead rows.
	ByMasks
	// ByScans is what plans of one partition read because its rows are in many leaves.
	ByScans
	// ByRootLimit is the limit of the root, or of its rows.
	ByRootLimit
	// ByEarlierAttempt is a leaf that is written already, so that it costs nothing more.
	ByEarlierAttempt
)

// String returns the term's name.
func (t Term) String() string {
	switch t {
	case 0:
		return "unsaid"
	case ByRule:
		return "rule"
	case ByRent:
		return "rent"
	case ByMasks:
		return "masks"
	case ByScans:
		return "scans"
	case ByRootLimit:
		return "root-limit"
	case ByEarlierAttempt:
		return "earlier-attempt"
	}
	return fmt.Sprintf("term %d", uint8(t))
}

// PaysAfter returns how many roots, that of the step's own commit counted, have saved what the step writes. Where roots do not get
// smaller by it, it never pays; tombstones are in one root only, wherever they stand.
func (s Step) PaysAfter() (commits int64, pays bool) {
	if s.SavedBytes <= 0 || s.Kind == Bury {
		return 0, false
	}
	return (s.PaidBytes + s.SavedBytes - 1) / s.SavedBytes, true
}

// pays adds to what a step writes, unless an earlier attempt has written it.
func (s *Step) pays(bytes int64) {
	if s.Written < 0 {
		s.PaidBytes += bytes
	}
}

// priced returns a step with what it costs once and saves from then on, by the prices of the input: a row or pointer that leaves the
// root, with its bitmaps, against the pointer of the new leaf.
func (d *draft) priced(s Step) Step {
	p := d.in.Prices
	if s.Written < 0 {
		s.PaidBytes = leavesOf(s.Leaves) * p.LeafFixedBytes
	}
	s.SavedBytes = -leavesOf(s.Leaves) * p.PointerBytes
	for _, ref := range s.Members {
		if ref.Source == FromPointers {
			s.SavedBytes += p.Pointer(d.in.Pointers[ref.Index].Thin) + d.in.Pointers[ref.Index].DVBytes
			s.pays(d.in.rewrittenBytes(ref))
			continue
		}
		item, _ := d.in.Item(ref) // every ref of a draft comes from its own input
		s.SavedBytes += item.Count * p.LooseBytes
		s.pays(item.Count * p.LeafEntryBytes)
	}
	return s
}

// Shape is what a root has in it.
type Shape struct {
	// Pointers are those to leaves, Loose the data files, and Tombstones the files that the commit removes or replaces.
	Pointers, Loose, Tombstones int64
	// Bytes is the estimated size of the root, with the bitmaps of the pointers.
	Bytes int64
}

// Shape estimates the root of a commit that takes these steps and thins these pointers, by the prices of the input. Without steps everything
// stays in the root.
func (in Input) Shape(steps []Step, thinned []int) (Shape, error) {
	in.Written = nil
	d := newDraft(in)
	gone := make(map[Ref]bool)
	for _, step := range steps {
		for _, ref := range step.Members {
			if _, err := in.Item(ref); err != nil {
				return Shape{}, err
			}
			gone[ref] = true
			if ref.Source == FromPointers && !d.rewritten[ref.Index] {
				d.rewrite(ref)
			}
		}
	}
	for _, i := range thinned {
		if i < 0 || i >= len(d.thin) {
			return Shape{}, fmt.Errorf("policy: no pointer %d in the input", i)
		}
		d.thin[i] = true
	}
	left := func(ref Ref) bool { return gone[ref] }
	d.plan.Steps, d.live, d.dead = steps, slices.DeleteFunc(d.live, left), slices.DeleteFunc(d.dead, left)
	return Shape{Pointers: d.pointers(), Loose: d.count(d.live), Tombstones: d.count(d.dead), Bytes: d.rootBytes()}, nil
}
