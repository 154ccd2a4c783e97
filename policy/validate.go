package policy

import (
	"errors"
	"fmt"
	"strings"
)

// summaryPrefix begins every key that a plan may set in a snapshot's summary.
const summaryPrefix = "firn.policy."

// Validate checks a plan against the input it was made for: every item is placed at most once and in a step
// of its kind, no leaf is empty or beyond the limits, a reused leaf holds exactly its members, every
// written group that can be kept is kept, and the summary keeps to its prefix. It reports all problems at once (F20).
func (p Plan) Validate(in Input) error {
	var problems []error
	placed := make(map[Ref]int)
	reused := make(map[Ref]bool)
	for i, step := range p.Steps {
		problems = append(problems, validateStep(in, i, step)...)
		for _, ref := range step.Members {
			if first, twice := placed[ref]; twice {
				problems = append(problems, fmt.Errorf("step %d places an item that step %d placed", i, first))
			}
			placed[ref] = i
			reused[ref] = reused[ref] || step.Written >= 0
		}
	}
	index := in.index()
	for i, group := range in.Written {
		if members, ok := index.survivors(group); ok && !p.keeps(i) && fits(in, members) && !anyIn(members, reused) {
			problems = append(problems, fmt.Errorf("written leaf %d could be kept and is not", i))
		}
	}
	for key := range p.Summary {
		if !strings.HasPrefix(key, summaryPrefix) {
			problems = append(problems, fmt.Errorf("a summary key has not the prefix %s", summaryPrefix))
			break // which one it is depends on the map's order
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("policy: invalid plan: %w", errors.Join(problems...))
	}
	return nil
}

func (p Plan) keeps(written int) bool {
	for _, step := range p.Steps {
		if step.Written == written {
			return true
		}
	}
	return false
}

func validateStep(in Input, i int, step Step) []error {
	var problems []error
	switch {
	case len(step.Members) == 0:
		problems = append(problems, fmt.Errorf("step %d writes an empty leaf", i))
	case step.Kind < Push || step.Kind > Merge:
		problems = append(problems, fmt.Errorf("step %d: %s", i, step.Kind))
	case (leavesIn(step.Members) > 0) != (step.Kind == Fold || step.Kind == Merge), step.Kind == Fold && len(step.Members) > 1:
		problems = append(problems, fmt.Errorf("step %d is a %s of the wrong members: it rewrites %d leaves and places %d others",
			i, step.Kind, leavesIn(step.Members), len(step.Members)-leavesIn(step.Members)))
	}
	if !fits(in, step.Members) {
		problems = append(problems, fmt.Errorf("step %d writes more than %d rows", i, in.Limits.leafRows()))
	}
	for _, ref := range step.Members {
		if _, err := in.Item(ref); err != nil {
			problems = append(problems, fmt.Errorf("step %d: %w", i, err))
		} else if ref.Source == FromPointers && !in.Pointers[ref.Index].movable() {
			problems = append(problems, fmt.Errorf("step %d rewrites %s, which is not a v4 leaf with live entries",
				i, in.Pointers[ref.Index].Location))
		}
		if (ref.Source == FromTombstones) != (step.Kind == Bury) {
			problems = append(problems, fmt.Errorf("step %d mixes live rows and tombstones in one leaf", i))
		}
	}
	if step.Written >= len(in.Written) {
		return append(problems, fmt.Errorf("step %d reuses leaf %d, which nobody wrote", i, step.Written))
	}
	if step.Written >= 0 && !in.sameMembers(step) {
		problems = append(problems, fmt.Errorf("step %d reuses a leaf with other members", i))
	}
	return problems
}

func (in Input) sameMembers(step Step) bool {
	want := in.Written[step.Written].Members
	if len(want) != len(step.Members) {
		return false
	}
	for i, ref := range step.Members {
		if item, err := in.Item(ref); err != nil || item.Key != want[i] {
			return false
		}
	}
	return true
}

func fits(in Input, members []Ref) bool {
	var rows int64
	for _, ref := range members {
		item, err := in.Item(ref)
		if err != nil {
			return true // reported where the member is looked up
		}
		rows += item.Count
	}
	return rows <= in.Limits.leafRows()
}

// index finds the items of an input by their keys.
type index map[string]Ref

func (in Input) index() index {
	found := make(index, len(in.Loose)+len(in.New)+len(in.Tombstones)+len(in.Pointers))
	for i, pointer := range in.Pointers {
		if pointer.movable() {
			found[pointer.Key()] = Ref{FromPointers, i}
		}
	}
	for source, list := range [...][]Item{FromLoose: in.Loose, FromNew: in.New, FromTombstones: in.Tombstones} {
		for i, item := range list {
			found[item.Key] = Ref{Source(source), i}
		}
	}
	return found
}

// survivors returns the members of a written group if every one is still there, in the same state and all of
// them live or all of them tombstones.
func (x index) survivors(group Group) ([]Ref, bool) {
	var refs []Ref
	for _, key := range group.Members {
		ref, ok := x[key]
		if !ok || len(refs) > 0 && (ref.Source == FromTombstones) != (refs[0].Source == FromTombstones) {
			return nil, false
		}
		refs = append(refs, ref)
	}
	return refs, len(refs) > 0
}
