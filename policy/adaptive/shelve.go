package adaptive

import (
	"cmp"
	"slices"

	"github.com/firn-io/firn/policy"
)

// shelf is a leaf, or none, and the loose files that belong into it.
type shelf struct {
	leaf  laid
	items []policy.Ref
	files int64
	// paid is what these have cost in roots so far, for what it costs to write them into the leaf.
	paid float64
}

// shelve writes loose files into the leaves of their partitions, at most so many leaves: those that have paid for it by what they have cost
// in roots, or if the root is crowded those that have paid most of it, until there is room.
func (a *adaptation) shelve(most int) {
	shelves := a.shelves()
	for i := range shelves {
		s, rent := &shelves[i], 0.0
		for _, ref := range s.items {
			item := a.item(ref)
			rent += float64(item.Count) * a.outlook.Loose * float64(a.roots(item))
		}
		s.paid = rent / (a.outlook.Fixed + float64(s.files+s.leaf.files)*a.outlook.Entry)
	}
	slices.SortStableFunc(shelves, func(x, y shelf) int { return cmp.Compare(y.paid, x.paid) })
	roomy := a.most()
	if a.RootBytes() > a.crowded() {
		roomy = a.roomy()
	}
	for _, s := range shelves {
		due, parts := s.paid >= 1, a.parts(s.files+s.leaf.files)
		if parts > most || !due && a.RootBytes() <= roomy {
			continue
		}
		most -= parts
		reason := "have paid for it by what they cost in roots"
		if !due {
			a.Term, reason = policy.ByRootLimit, "make room in the root, and have paid some of it"
		}
		a.putAway(s, reason)
		a.Term = policy.ByScans
	}
}

// roots returns in how many roots a loose file has been, with that of this commit. Where nobody knows, it came as late as all loose files could
// have.
func (a *adaptation) roots(item *policy.Item) int64 {
	if item.SequenceNumber > 0 && a.In.SequenceNumber >= item.SequenceNumber {
		return a.In.SequenceNumber - item.SequenceNumber + 1
	}
	return 1 + int64(float64(a.Count(a.Live))/a.outlook.Files)
}

// putAway writes the files of a shelf and its leaf.
func (a *adaptation) putAway(s shelf, reason string) {
	members := s.items
	if s.leaf.files > 0 {
		members = append(members, s.leaf.ref)
	}
	step := policy.Step{Members: members, Leaves: a.parts(s.files + s.leaf.files)}
	a.put(step, "%d loose files go into the leaf of their partitions, which has %d: they %s (%.0f %% of the bytes that this writes)", s.files, s.leaf.files, reason, 100*s.paid)
}

// shelves returns the [adaptation.movable] leaves with the loose files that belong into each: into the smallest one around them, or if there is none into the
// smaller one of their neighbors. A full leaf of one partition takes none: what has no leaf but such goes into one of its own with others of
// the partition, and so do those of which no partition is known.
func (a *adaptation) shelves() []shelf {
	var all []shelf
	for _, l := range a.movable() {
		all = append(all, shelf{leaf: l})
	}
	slices.SortFunc(all, func(x, y shelf) int {
		return cmp.Or(cmp.Compare(x.leaf.first, y.leaf.first), cmp.Compare(x.leaf.files, y.leaf.files), x.leaf.ref.Index-y.leaf.ref.Index)
	})
	loose := slices.Clone(a.Live)
	slices.SortFunc(loose, func(x, y policy.Ref) int {
		return cmp.Or(cmp.Compare(a.item(x).First, a.item(y).First), int(x.Source)-int(y.Source), x.Index-y.Index)
	})
	begun, leaves := 0, len(all)
	var open []int // shelves that begin before the file in hand and end after those before it
	below := -1    // the one that ends last before it
	own := make(map[int64]int)
	for _, ref := range loose {
		item := a.item(ref)
		for ; begun < leaves && all[begun].leaf.first <= item.First; begun++ {
			open = append(open, begun)
		}
		at := -1
		open = slices.DeleteFunc(open, func(i int) bool {
			if all[i].leaf.last < item.First || all[i].leaf.last == item.First && item.Last > item.First {
				if below < 0 || all[i].leaf.last >= all[below].leaf.last {
					below = i
				}
				return all[i].leaf.last < item.First
			}
			if at < 0 || all[i].leaf.files < all[at].leaf.files {
				at = i
			}
			return false
		})
		if at < 0 && slices.ContainsFunc(a.inHand, func(s size) bool { return item.First <= s.last && s.first <= item.Last }) {
			continue // its leaf has just been written
		}
		if at < 0 && item.Last > 0 {
			at = a.neighbor(all[:leaves], below, begun)
		}
		if at < 0 {
			if _, there := own[item.First]; !there {
				own[item.First], all = len(all), append(all, shelf{})
			}
			at = own[item.First]
		}
		all[at].items = append(all[at].items, ref)
		all[at].files += item.Count
	}
	return slices.DeleteFunc(all, func(s shelf) bool { return s.files == 0 })
}

// neighbor returns the smaller one of the shelves below and above a file, or -1 if there is none or only such with a single partition: with a
// second one more plans would open that.
func (a *adaptation) neighbor(all []shelf, below, above int) int {
	at := -1
	for _, i := range []int{below, above} {
		if i >= 0 && i < len(all) && all[i].leaf.width() > 1 && (at < 0 || all[i].leaf.files < all[at].leaf.files) {
			at = i
		}
	}
	return at
}
