package policy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/firn-io/firn/policy/internal/bounded"
)

// SummaryPrefix begins every key that a plan may set in a snapshot's summary.
const SummaryPrefix = "firn.policy."

// SummaryBytes is how much a plan may set there, keys and values together: every later metadata file has it too.
const SummaryBytes = 1024

// MaxProblems is how many problems of one plan are told. A plan with more has more of the same kind.
const MaxProblems = 50

// Validate checks a plan against the input it was made for: every item is placed at most once and in a step
// of its kind, no leaf is empty or beyond the limits, a reused leaf holds exactly its members, every
// written group that can be kept is kept, pointers that lose statistics stay, and the summary keeps to its prefix and its size. It
// reports all problems at once, up to [MaxProblems], and names the items by their keys (F20).
func (p Plan) Validate(in Input) error {
	v := validation{in: in}
	placed := make(map[Ref]int)
	reused := make(map[Ref]bool)
	for i, step := range p.Steps {
		if v.full() {
			break
		}
		v.step(i, step)
		for _, ref := range step.Members {
			if _, err := in.Item(ref); err != nil {
				continue // reported
			}
			if first, twice := placed[ref]; twice {
				v.addf("step %d places an item that step %d placed: %s", i, first, in.name(ref))
			} else {
				placed[ref] = i
			}
			reused[ref] = reused[ref] || step.Written >= 0
		}
	}
	v.thinning(p.Thinning, placed)
	v.kept(p, reused)
	v.summary(p.Summary)
	if len(v.problems) > 0 {
		return fmt.Errorf("policy: invalid plan: %w", errors.Join(v.problems...))
	}
	return nil
}

// validation is the check of a plan.
type validation struct {
	in       Input
	problems []error
}

func (v *validation) full() bool { return len(v.problems) >= MaxProblems }

func (v *validation) addf(format string, args ...any) {
	if !v.full() {
		v.problems = append(v.problems, fmt.Errorf(format, args...))
	}
}

// step checks one step.
func (v *validation) step(i int, step Step) {
	in, leaves := v.in, leavesIn(step.Members)
	switch {
	case len(step.Members) == 0:
		v.addf("step %d writes an empty leaf", i)
	case step.Kind < Push || step.Kind > Merge:
		v.addf("step %d: %s", i, step.Kind)
	case (leaves > 0) != (step.Kind == Fold || step.Kind == Merge), step.Kind == Fold && len(step.Members) > 1:
		v.addf("step %d is a %s of the wrong members: it rewrites %d leaves and places %d others, the first is %s",
			i, step.Kind, leaves, len(step.Members)-leaves, in.name(step.Members[0]))
	}
	if ref, over := firstOver(in, step.Members, step.Leaves); over {
		v.addf("step %d writes more than %d rows: there is no room for %s", i, in.Limits.MostRows(), in.name(ref))
	}
	v.parts(i, step)
	for _, ref := range step.Members {
		if v.full() {
			return
		}
		if _, err := in.Item(ref); err != nil {
			v.addf("step %d: %w", i, err)
		} else if ref.Source == FromPointers && !in.Pointers[ref.Index].Movable() {
			v.addf("step %d rewrites %s, which is not a v4 leaf with live entries", i, in.name(ref))
		}
		if (ref.Source == FromTombstones) != (step.Kind == Bury) {
			v.addf("step %d, a %s, mixes live rows and tombstones in one leaf: %s", i, step.Kind, in.name(ref))
		}
	}
	switch {
	case step.Written >= len(in.Written) || step.Written < -1:
		v.addf("step %d reuses leaf %d, which nobody wrote", i, step.Written)
	case step.Written >= 0:
		if difference := in.otherMembers(step); difference != "" {
			v.addf("step %d reuses a leaf with other members: %s", i, difference)
		}
	}
}

// parts checks how many leaves a step writes.
func (v *validation) parts(i int, step Step) {
	if step.Leaves < 0 || step.Leaves > 1 && step.Kind == Bury {
		v.addf("step %d, a %s, writes %d leaves", i, step.Kind, step.Leaves)
	}
	if rows, few := fewer(v.in, step.Members, step.Leaves); few {
		v.addf("step %d writes %d leaves of %d rows", i, step.Leaves, rows)
	}
}

// fewer reports whether members have fewer rows than they would have leaves.
func fewer(in Input, members []Ref, leaves int) (rows int64, few bool) {
	if leaves <= 1 {
		return 0, false
	}
	for _, ref := range members {
		item, _ := in.Item(ref)
		if rows += max(0, item.Count); rows < 0 || rows >= int64(leaves) {
			return rows, false
		}
	}
	return rows, true
}

// keepable reports whether a step may reuse so many leaves of these members.
func keepable(in Input, members []Ref, leaves int) bool {
	_, few := fewer(in, members, leaves)
	return leaves >= 0 && !few && fits(in, members, leaves) && (leaves <= 1 || members[0].Source != FromTombstones)
}

// kept checks that every written leaf that can be kept is kept, unless another one is with a member of it.
func (v *validation) kept(p Plan, reused map[Ref]bool) {
	kept := make(map[int]bool)
	for _, step := range p.Steps {
		kept[step.Written] = true
	}
	var index index
	for i, group := range v.in.Written {
		if kept[i] || v.full() {
			continue
		}
		if index == nil {
			index = v.in.index()
		}
		if members, ok := index.survivors(group); ok && keepable(v.in, members, group.Leaves) && !anyIn(members, reused) {
			v.addf("written leaf %d could be kept and is not: %d members, the first is %s", i, len(members), v.in.name(members[0]))
		}
	}
}

// thinning checks that pointers which lose statistics are there, once, and stay.
func (v *validation) thinning(t Thinning, placed map[Ref]int) {
	seen := make(map[int]bool)
	for _, i := range t.Pointers {
		ref := Ref{FromPointers, i}
		step, rewritten := placed[ref]
		switch {
		case i < 0 || i >= len(v.in.Pointers):
			v.addf("the plan thins pointer %d, which the input does not have", i)
		case seen[i]:
			v.addf("the plan thins a pointer twice: %s", v.in.name(ref))
		case rewritten:
			v.addf("the plan thins a pointer whose leaf step %d rewrites: %s", step, v.in.name(ref))
		}
		seen[i] = true
	}
}

// summary checks what a plan adds to the snapshot's summary.
func (v *validation) summary(summary map[string]string) {
	size := 0
	for _, key := range slices.Sorted(maps.Keys(summary)) {
		value := summary[key]
		size += len(key) + len(value)
		if !strings.HasPrefix(key, SummaryPrefix) {
			v.addf("the summary key %s has not the prefix %s", short(key), SummaryPrefix)
		}
		if !utf8.ValidString(key) || !utf8.ValidString(value) {
			v.addf("the summary key %s, or its value, is no text", short(key))
		}
	}
	if size > SummaryBytes {
		v.addf("the summary takes %d bytes, at most %d are allowed", size, SummaryBytes)
	}
}

// short quotes a text, cut if it is long.
func short(text string) string {
	const most = 100
	if len(text) > most {
		return strconv.Quote(text[:most]) + "…"
	}
	return strconv.Quote(text)
}

// name returns what people know an item by: its key, in which its location stands.
func (in Input) name(ref Ref) string {
	item, err := in.Item(ref)
	switch {
	case err != nil:
		return err.Error()
	case item.Key == "":
		return fmt.Sprintf("item %d of list %d, which has no key", ref.Index, ref.Source)
	case strings.ContainsFunc(item.Key, unicode.IsControl) || !utf8.ValidString(item.Key):
		return strconv.Quote(item.Key)
	}
	return item.Key
}

// otherMembers says how a step's members differ from those of the leaf that it reuses, if they do.
func (in Input) otherMembers(step Step) string {
	want := in.Written[step.Written].Members
	if leavesOf(step.Leaves) != leavesOf(in.Written[step.Written].Leaves) {
		return fmt.Sprintf("%d leaves are reused as %d", leavesOf(in.Written[step.Written].Leaves), leavesOf(step.Leaves))
	}
	for i, ref := range step.Members {
		switch item, err := in.Item(ref); {
		case i >= len(want):
			return "the step has " + in.name(ref) + ", the leaf has not"
		case err != nil || item.Key != want[i]:
			return fmt.Sprintf("the step has %s where the leaf has %s", in.name(ref), want[i])
		}
	}
	if len(want) > len(step.Members) {
		return fmt.Sprintf("the leaf has %s, the step has not", want[len(step.Members)])
	}
	return ""
}

func fits(in Input, members []Ref, leaves int) bool {
	_, over := firstOver(in, members, leaves)
	return !over
}

// firstOver returns the first member for which so many leaves have no room. Members that the input does not have are reported where they
// are looked up.
func firstOver(in Input, members []Ref, leaves int) (Ref, bool) {
	limit := bounded.Times(in.Limits.MostRows(), leavesOf(leaves))
	for _, ref := range members {
		item, _ := in.Item(ref)
		if item.Count > limit {
			return ref, true
		}
		limit -= max(0, item.Count)
	}
	return Ref{}, false
}

// index finds the items of an input by their keys.
type index map[string]Ref

func (in Input) index() index {
	found := make(index, len(in.Loose)+len(in.New)+len(in.Tombstones)+len(in.Pointers))
	for i, pointer := range in.Pointers {
		if pointer.Movable() {
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

// survivors returns the members of a written group if every one is still there, once, in the same state and all of
// them live or all of them tombstones.
func (x index) survivors(group Group) ([]Ref, bool) {
	var refs []Ref
	seen := make(map[Ref]bool, len(group.Members))
	for _, key := range group.Members {
		ref, ok := x[key]
		if !ok || seen[ref] || len(refs) > 0 && (ref.Source == FromTombstones) != (refs[0].Source == FromTombstones) {
			return nil, false
		}
		seen[ref] = true
		refs = append(refs, ref)
	}
	return refs, len(refs) > 0
}
