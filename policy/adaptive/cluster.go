package adaptive

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/firn-io/firn/policy"
)

// DefaultClusterLeaves is the default of [Policy.ClusterLeaves]: leaves stay as they are.
const DefaultClusterLeaves = 1

// A leaf that has less than one part in smallLeaf of a full one is not put into order: it will be merged soon.
const smallLeaf = 32

// overlapping is how many leaves of different commits must have rows of the same partitions until they are put into their order.
const overlapping = 4

// span is a leaf among the partitions, of more than one.
type span struct {
	laid
	// run is the commit that wrote it. The leaves of one commit are in order among themselves, as far as they can be.
	run int64
}

// beyond is how many partitions it has beyond the first one.
func (s span) beyond() int64 { return s.last - s.first }

// class puts leaves with similarly many partitions together: to order those with others would write the wide ones again and again.
func (s span) class() int { return bits.Len64(uint64(s.beyond())) }

// spans returns the leaves, the small ones apart, whose rows can be put into another order. A commit's leaves that lie in each other's
// partitions all the same cannot: these partitions are larger than a leaf.
func (a *adaptation) spans() []span {
	var all []span
	for _, ref := range a.leaves {
		l, known := a.lies(ref.Index)
		if known && l.width() > 1 && float64(l.files) > min(a.outlook.Target, a.outlook.Full)/smallLeaf {
			all = append(all, span{l, a.In.Pointers[ref.Index].SequenceNumber})
		}
	}
	slices.SortFunc(all, func(x, y span) int {
		return cmp.Or(cmp.Compare(x.run, y.run), cmp.Compare(x.first, y.first), x.ref.Index-y.ref.Index)
	})
	stuck := make([]bool, len(all))
	begun, reach := 0, int64(0) // the commit's first leaf, and how far its leaves go but for the last one: two neighbors may share a partition
	for i, s := range all {
		if s.run != all[begun].run {
			begun, reach = i, 0
		}
		if i-2 >= begun {
			stuck[i-2] = stuck[i-2] || all[i-2].last > s.first
			reach = max(reach, all[i-2].last)
		}
		stuck[i] = reach > s.first
	}
	n := 0
	for i, s := range all {
		if !stuck[i] {
			all[n] = s
			n++
		}
	}
	return all[:n]
}

// deepest returns the leaves of one class that all have rows of some partition, of as many commits as there are anywhere.
func deepest(class []span) (best []span) {
	slices.SortFunc(class, func(x, y span) int { return cmp.Or(cmp.Compare(x.first, y.first), x.ref.Index-y.ref.Index) })
	byEnd := slices.SortedFunc(slices.Values(class), func(x, y span) int { return cmp.Compare(x.last, y.last) })
	open := make(map[int64]int) // leaves that have rows of the partition in hand, by their commits
	most, end := 0, 0
	for i, s := range class {
		for ; byEnd[end].last <= s.first; end++ {
			if open[byEnd[end].run]--; open[byEnd[end].run] == 0 {
				delete(open, byEnd[end].run)
			}
		}
		if open[s.run]++; len(open) > most {
			most, best = len(open), class[:i+1]
		}
	}
	if most == 0 {
		return nil
	}
	first := best[len(best)-1].first
	return slices.DeleteFunc(slices.Clone(best), func(s span) bool { return s.last <= first })
}

// runs counts the commits that wrote leaves.
func runs(spans []span) int {
	seen := make(map[int64]bool)
	for _, s := range spans {
		seen[s.run] = true
	}
	return len(seen)
}

// disorder is a set of leaves that should be put into order together.
type disorder struct {
	refs []policy.Ref
	// runs are the commits that wrote them, leaves how many they become.
	runs, leaves int
	// paid is what that writes, and saved what plans of one partition read less in a commit's time, as bytes of a commit.
	paid, saved float64
}

// disordered returns the leaves whose order costs plans of one partition most, if it pays to put them into order: those with the
// most partitions come first.
func (a *adaptation) disordered() (disorder, bool) {
	if a.limits.ClusterLeaves < overlapping || a.orderly {
		return disorder{}, false
	}
	var last int64
	classes := make(map[int][]span)
	for _, s := range a.spans() {
		classes[s.class()] = append(classes[s.class()], s)
		last = max(last, s.last)
	}
	for class := bits.Len64(uint64(last)); class > 0; class-- {
		found := deepest(classes[class])
		if runs(found) < overlapping {
			continue
		}
		// One of each commit first, of the newest ones: those are in no order yet.
		slices.SortFunc(found, func(x, y span) int { return cmp.Or(cmp.Compare(y.run, x.run), x.ref.Index-y.ref.Index) })
		var chosen, more []span
		for i, s := range found {
			if i > 0 && found[i-1].run == s.run {
				more = append(more, s)
			} else {
				chosen = append(chosen, s)
			}
		}
		chosen = append(chosen, more...)
		if d := a.priceOrder(chosen[:min(len(chosen), int(min(a.limits.ClusterLeaves, 1<<10)))], last); a.outlook.Repays(d.paid, d.saved) {
			return d, true
		}
	}
	return disorder{}, false
}

// priceOrder works out what it costs to put leaves into order, and what it saves.
func (a *adaptation) priceOrder(spans []span, last int64) disorder {
	d := disorder{runs: runs(spans)}
	var rows, width float64
	for _, s := range spans {
		d.refs = append(d.refs, s.ref)
		rows += float64(s.files)
		width += float64(s.beyond()) / float64(max(1, last-1)) / float64(len(spans))
	}
	d.leaves = min(max(2, int(rows/a.outlook.Full)+1), int(rows)) // no leaf is empty
	d.paid = rows*a.outlook.Entry + float64(d.leaves)*a.outlook.Fixed
	d.saved = width * float64(d.runs-1) * rows / float64(len(spans)) * a.outlook.Entry / float64(a.limits.ReadDiscount)
	return d
}

// cluster writes the leaves that lie in each other's partitions again, so that each has few of them.
func (a *adaptation) cluster() {
	d, due := a.disordered()
	if !due || a.enough() {
		return
	}
	a.again(d.refs, d.leaves, "%d leaves of %d commits have rows of the same partitions: in their order they cost %.0f bytes once, and a plan of "+
		"one partition opens up to %d leaves less, worth %.0f bytes a commit", len(d.refs), d.runs, d.paid, d.runs-1, d.saved)
}
