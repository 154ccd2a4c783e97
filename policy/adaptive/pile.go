package adaptive

import (
	"cmp"
	"slices"

	"github.com/firn-io/firn/policy"
)

const (
	// mostDeepest is how many places are looked at where many leaves lie in each other's partitions, and mostSeeds how many leaves of each.
	mostDeepest, mostSeeds = 8, 4
	// mostWorse is how many leaves a pile gets in a row that make it no better, in the hope that one more does.
	mostWorse = 8
)

// pile is some leaves that lie in each other's partitions.
type pile struct {
	refs []policy.Ref
	size
}

// size is what of a pile is counted.
type size struct {
	// first and last are its partitions, taken counts those of each leaf, and files those of all.
	first, last, taken, files int64
	parts                     int
	// gain is how much fewer leaves plans of its partitions open at least once it is in order, one plan of each, and ratio the same for each byte
	// that this writes.
	gain, ratio float64
}

// with returns the size of a pile with one more leaf. Neighbors may have a partition in common even in order.
func (a *adaptation) with(s size, l laid) size {
	if s.files == 0 {
		s.first, s.last = l.first, l.last
	}
	s.first, s.last, s.taken, s.files = min(s.first, l.first), max(s.last, l.last), s.taken+l.width(), s.files+l.files
	s.parts = a.parts(s.files)
	s.gain = float64(s.taken - (s.last - s.first + 1) - int64(s.parts-1))
	s.ratio = s.gain / (float64(s.files)*a.outlook.Entry + float64(s.parts)*a.outlook.Fixed)
	return s
}

// worst returns the leaves that gain most for each byte if they are put into order, at most so many; more are not looked for once they gain
// enough leaves for each partition. Leaves that will be merged anyway, since there are loose files of their partitions, are left alone, unless
// the order is lost.
func (a *adaptation) worst(most int, enough float64, lost bool) (best pile, found bool) {
	all := a.movable()
	stuck := a.stuck(all)
	first, last, loose := a.around(a.Live)
	all = slices.DeleteFunc(all, func(l laid) bool {
		grows := loose && l.first <= last && first <= l.last
		return stuck[l.ref] || !lost && grows && a.outlook.Pays(a.leaf(l.ref))
	})
	slices.SortFunc(all, func(x, y laid) int {
		return cmp.Or(cmp.Compare(x.first, y.first), cmp.Compare(x.last, y.last), cmp.Compare(x.files, y.files), x.ref.Index-y.ref.Index)
	})
	if len(all) == 0 {
		return pile{}, false
	}
	enough *= float64(all[len(all)-1].last)
	for _, at := range deepestPlaces(all) {
		var here []laid
		for _, l := range all {
			if l.first <= at && at <= l.last {
				here = append(here, l)
			}
		}
		slices.SortStableFunc(here, func(x, y laid) int { return cmp.Compare(y.width(), x.width()) })
		for _, seed := range here[:min(len(here), mostSeeds)] {
			if p := a.grown(seed, all, most, enough, lost); better(p.size, best.size, enough, lost) {
				best, found = p, true
			}
		}
	}
	return best, found
}

// movable returns the leaves that may get other files: not full ones of a single partition, nor those with partitions that this commit has put
// into order.
func (a *adaptation) movable() (all []laid) {
	for _, ref := range a.leaves {
		l, known := a.lies(ref.Index)
		inHand := slices.ContainsFunc(a.inHand, func(s size) bool { return l.first <= s.last && s.first <= l.last })
		if known && !inHand && (l.width() > 1 || !a.outlook.IsFull(a.leaf(ref))) {
			all = append(all, l)
		}
	}
	return all
}

// stuck returns the leaves that gain nothing from another order: those of one commit with equally many rows that lie in each other's partitions
// by more than one at their ends. It has cut them where no partition begins, since it knew none of their rows.
func (a *adaptation) stuck(all []laid) map[policy.Ref]bool {
	of := func(l laid) policy.Pointer { return a.In.Pointers[l.ref.Index] }
	all = slices.SortedFunc(slices.Values(all), func(x, y laid) int {
		return cmp.Or(cmp.Compare(of(x).SequenceNumber, of(y).SequenceNumber), cmp.Compare(of(x).Entries, of(y).Entries), cmp.Compare(x.first, y.first),
			x.ref.Index-y.ref.Index)
	})
	stuck := make(map[policy.Ref]bool)
	for i := 1; i < len(all); i++ {
		x, y := all[i-1], all[i]
		known := of(x).SequenceNumber > 0 && of(x).SequenceNumber == of(y).SequenceNumber
		if known && of(y).Entries-of(x).Entries <= 1 && min(x.last, y.last) > max(x.first, y.first) {
			stuck[x.ref], stuck[y.ref] = true, true
		}
	}
	return stuck
}

// better reports whether a pile is better than another: each byte gains more, or where the order is lost it gains more of what is enough.
func better(p, other size, enough float64, lost bool) bool {
	if all, others := min(p.gain, enough), min(other.gain, enough); lost && all != others {
		return all > others
	}
	return p.gain > 0 && p.ratio > other.ratio
}

// grown begins with a leaf and adds leaves that lie in the same partitions, as long as that makes it better.
func (a *adaptation) grown(seed laid, all []laid, most int, enough float64, lost bool) (best pile) {
	p, in := pile{[]policy.Ref{seed.ref}, a.with(size{}, seed)}, map[policy.Ref]bool{seed.ref: true}
	for worse := 0; worse < mostWorse && len(p.refs) < mostOrdered && best.gain < enough; worse++ {
		at, next := -1, size{}
		for i, l := range all {
			if l.first > p.last || l.last < p.first || in[l.ref] {
				continue
			}
			if s := a.with(p.size, l); s.parts <= most && (at < 0 || s.ratio > next.ratio) {
				at, next = i, s
			}
		}
		if at < 0 {
			break
		}
		p = pile{append(p.refs[:len(p.refs):len(p.refs)], all[at].ref), next}
		in[all[at].ref] = true
		if better(p.size, best.size, enough, lost) {
			best, worse = p, -1
		}
	}
	return best
}

// deepestPlaces returns partitions that most leaves have, of leaves in the order of their first one.
func deepestPlaces(all []laid) (places []int64) {
	ends := make([]int64, len(all))
	for i, l := range all {
		ends[i] = l.last
	}
	slices.Sort(ends)
	type depth struct {
		at     int64
		leaves int
	}
	var deep []depth
	over := 0
	for i, l := range all {
		for ends[over] < l.first {
			over++
		}
		if i+1 == len(all) || all[i+1].first > l.first {
			deep = append(deep, depth{l.first, i + 1 - over})
		}
	}
	slices.SortStableFunc(deep, func(x, y depth) int { return y.leaves - x.leaves })
	for _, p := range deep[:min(len(deep), mostDeepest)] {
		if p.leaves > 1 {
			places = append(places, p.at)
		}
	}
	return places
}
