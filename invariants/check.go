package invariants

import (
	"iter"
	"slices"

	"github.com/firn-io/firn/tree"
)

// check runs the registry's checkers.
type check struct {
	table Table
	sink  *sink
	// mute leaves out all rules: of a file that is read for its content alone.
	mute bool
	// line is what [History] remembers, nil in any other check.
	line *line
}

// The registry by what a rule is called for, in its order.
var (
	entryRules      = rules(func(c checker) bool { return c.entry != nil })
	keysRules       = rules(func(c checker) bool { return c.keys != nil })
	rootRowRules    = rules(func(c checker) bool { return c.rootRow != nil })
	rootRules       = rules(func(c checker) bool { return c.root != nil })
	leafRowRules    = rules(func(c checker) bool { return c.leafRow != nil })
	leafRules       = rules(func(c checker) bool { return c.leaf != nil })
	openLeafRules   = rules(func(c checker) bool { return c.openLeaf != nil })
	openRowRules    = rules(func(c checker) bool { return c.openRow != nil })
	treeRules       = rules(func(c checker) bool { return c.tree != nil })
	totalsRules     = rules(func(c checker) bool { return c.totals != nil })
	carriedRules    = rules(func(c checker) bool { return c.carried != nil })
	pairRules       = slices.DeleteFunc(rules(func(c checker) bool { return c.transition != nil }), isOfChanges)
	changeRules     = slices.Concat(changeInvariants, layoutInvariants) // called for each share of the files
	bornRules       = rules(func(c checker) bool { return c.born != nil })
	lineRules       = rules(func(c checker) bool { return c.line != nil })
	reusedRules     = rules(func(c checker) bool { return c.reused != nil })
	commitRules     = rules(func(c checker) bool { return c.commit != nil })
	unpromisedRules = slices.DeleteFunc(slices.Clone(commitRules), func(inv Invariant) bool { return inv.NeedsPromise })
	metadataRules   = rules(func(c checker) bool { return c.metadata != nil })
	dataRules       = rules(func(c checker) bool { return c.data != nil })
)

func rules(has func(checker) bool) []Invariant {
	return slices.DeleteFunc(All(), func(inv Invariant) bool { return !has(inv.check) })
}

func isOfChanges(inv Invariant) bool {
	return slices.ContainsFunc(changeRules, func(c Invariant) bool { return c.ID == inv.ID })
}

// run calls visit for each rule with its checker and a reporter for place, until the consumer has had enough.
func (c check) run(rules []Invariant, place Place, visit func(*checker, reporter)) {
	for i := range rules {
		if c.sink.over() || c.mute {
			return
		}
		visit(&rules[i].check, reporter{invariant: &rules[i], place: place, sink: c.sink})
	}
}

// CheckEntry checks the rules of scope entry on one raw row (IV2, IV4, IV11).
func CheckEntry(t Table, place Place, e tree.Entry) iter.Seq[Violation] {
	return func(yield func(Violation) bool) {
		c := check{table: t, sink: &sink{yield: yield}}
		c.entry(place, newEntryInput(t, &e))
	}
}

func (c check) entry(place Place, in *entryInput) {
	c.run(entryRules, place, func(f *checker, r reporter) {
		f.entry(in, r)
	})
}

// CheckRoot checks the rules of scopes entry and root on the rows of a root manifest. It opens no leaf.
func CheckRoot(t Table, root tree.Tree) iter.Seq[Violation] {
	return func(yield func(Violation) bool) {
		check{table: t.remembering(), sink: &sink{yield: yield}}.root(newSnapshot(root))
	}
}

func (c check) root(s *snapshot) {
	in, row := &entryInput{table: c.table}, &rootRow{snapshot: s} // one for all rows
	pointers := s.pointers
	for i := range s.tree.Rows {
		place := s.place(int64(i))
		if len(pointers) > 0 && pointers[0].row == int64(i) {
			in.ofPointer(pointers[0])
			pointers = pointers[1:]
		} else {
			in.of(&s.tree.Rows[i])
		}
		c.entry(place, in)
		row.entry = in.entry
		c.run(rootRowRules, place, func(f *checker, r reporter) {
			f.rootRow(row, r)
		})
	}
	c.run(rootRules, s.place(-1), func(f *checker, r reporter) {
		f.root(s, r)
	})
}
