// Package draft is what the policies of this module make plans with: one that keeps what earlier attempts wrote, and grows step by step.
package draft

import (
	"fmt"

	"github.com/firn-io/firn/policy"
)

// Draft is a plan being made: what the policies share. It begins with the written groups that survive, since
// a leaf that a lost attempt wrote is already paid for.
type Draft struct {
	// In is the input, within what tables have, and Plan what is decided so far.
	In   policy.Input
	Plan policy.Plan
	// Live and Dead are the items that still stay in the root, in order: loose before new.
	Live, Dead []policy.Ref
	// Term is what decides the steps that are added next.
	Term policy.Term
	// Rewritten says of each pointer whether its leaf is written anew, and rewrites counts those.
	Rewritten []bool
	rewrites  int
	// told are the rows that tell of changes in leaves that are rewritten.
	told int64
	// Thin says of each pointer whether it has few statistics in the new root.
	Thin []bool
}

// New returns the draft of a plan that keeps what earlier attempts wrote, as [policy.Keep] does, and no more yet.
func New(in policy.Input) *Draft {
	in = in.Plausible()
	d := &Draft{In: in, Term: policy.ByRule, Rewritten: make([]bool, len(in.Pointers)), Thin: make([]bool, len(in.Pointers))}
	for i := range in.Pointers {
		d.Thin[i] = in.Pointers[i].Thin
	}
	var rest []policy.Ref
	d.Plan, rest = policy.Keep(in)
	for _, step := range d.Plan.Steps {
		for _, ref := range step.Members {
			if ref.Source == policy.FromPointers {
				d.Rewrite(ref)
			}
		}
	}
	n := len(rest)
	for n > 0 && rest[n-1].Source == policy.FromTombstones {
		n--
	}
	d.Live, d.Dead = rest[:n:n], rest[n:]
	return d
}

// Rewrite notes that a step writes a leaf anew.
func (d *Draft) Rewrite(ref policy.Ref) {
	d.Rewritten[ref.Index] = true
	d.rewrites++
	d.told += d.In.Pointers[ref.Index].Changed
}

// pointers counts the pointers that the root will have.
func (d *Draft) pointers() int64 {
	return int64(len(d.In.Pointers)-d.rewrites) + d.Plan.Leaves()
}

// RootRows counts the rows that the root will have.
func (d *Draft) RootRows() int64 { return d.pointers() + d.Count(d.Live) + d.Count(d.Dead) + d.told }

// RootBytes estimates the size of the root.
func (d *Draft) RootBytes() int64 {
	p := d.In.Prices
	bytes := p.RootFixedBytes + d.Plan.Leaves()*p.PointerBytes + (d.Count(d.Live)+d.Count(d.Dead)+d.told)*p.LooseBytes
	for i := range d.In.Pointers {
		if !d.Rewritten[i] {
			bytes += p.Pointer(d.Thin[i]) + d.In.Pointers[i].DVBytes
		}
	}
	return bytes
}

// Files counts the live files of the table.
func (d *Draft) Files() int64 {
	n := d.Count(d.Live)
	for i, pointer := range d.In.Pointers {
		if !d.Rewritten[i] {
			n += pointer.LiveEntries
		}
	}
	for _, step := range d.Plan.Steps {
		if step.Kind != policy.Bury {
			n += d.Count(step.Members)
		}
	}
	return n
}

// Count is [policy.Input.Count] of the draft's input.
func (d *Draft) Count(refs []policy.Ref) int64 { return d.In.Count(refs) }

// Push moves the first items that still stay in the root, at most rows of them, into one new leaf.
func (d *Draft) Push(rows int64, reason string, args ...any) {
	var members []policy.Ref
	members, d.Live = d.take(d.Live, rows)
	d.add(policy.Push, members, reason, args...)
}

// Bury moves the first tombstones, at most rows of them, into one new leaf.
func (d *Draft) Bury(rows int64, reason string, args ...any) {
	var members []policy.Ref
	members, d.Dead = d.take(d.Dead, rows)
	d.add(policy.Bury, members, reason, args...)
}

func (d *Draft) add(kind policy.StepKind, members []policy.Ref, reason string, args ...any) {
	d.Plan.Steps = append(d.Plan.Steps, d.In.Priced(policy.Step{
		Kind: kind, Members: members, Written: -1, Term: d.Term, Reason: fmt.Sprintf(reason, args...),
	}))
}

// Merge writes leaves and all live items that still stay in the root into one new leaf.
func (d *Draft) Merge(leaves []policy.Ref, reason string, args ...any) {
	members := append(leaves, d.Live...)
	d.Live = nil
	for _, ref := range leaves {
		d.Rewrite(ref)
	}
	d.add(policy.KindOf(members), members, reason, args...)
}

// Cut writes leaves into several new ones, by the partitions of their rows.
func (d *Draft) Cut(members []policy.Ref, leaves int, reason string, args ...any) {
	d.add(policy.KindOf(members), members, reason, args...)
	step := &d.Plan.Steps[len(d.Plan.Steps)-1]
	step.Leaves = leaves
	*step = d.In.Priced(*step)
}

// take splits refs after as many items as have at most rows rows, but after one at least.
func (d *Draft) take(refs []policy.Ref, rows int64) (taken, rest []policy.Ref) {
	n, sum := 0, int64(0)
	for _, ref := range refs {
		item, _ := d.In.Item(ref)
		if sum += item.Count; n > 0 && sum > rows {
			break
		}
		n++
	}
	return refs[:n:n], refs[n:]
}
