package policy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// summaryThin is the key in which [Adaptive] keeps what plans have read because pointers are thin, in bytes of a commit, and how many
// sequence numbers before that of the snapshot it last thinned any: "1000/3" (F37).
const summaryThin = summaryPrefix + "thin-spent"

// needStatistics is how many times fewer plans need the statistics that a thin pointer lacks than read dead rows: they filter by a
// column that the table is not partitioned by, and its bounds would have excluded the leaf.
const needStatistics = 4

// thinOut leaves statistics out of a root that is crowded without its loose files, which a leaf takes in one pointer: as many as it takes.
// The smallest leaves come first, since plans lose least by opening them, and the oldest of those, which are asked for least.
func (a *adaptation) thinOut() {
	saved := a.saved()
	over := a.rootBytes() - a.crowded()
	if a.saves(a.live) {
		over -= a.count(a.live)*a.in.Prices.LooseBytes - a.in.Prices.PointerBytes
	}
	if over <= 0 || saved <= 0 {
		return
	}
	for _, i := range a.smallest() {
		if over <= 0 {
			break
		}
		if !a.rewritten[i] && !a.thin[i] {
			a.thin[i] = true
			over -= saved
		}
	}
}

// smallest returns the pointers that can be thinned, those with the fewest files first.
func (a *adaptation) smallest() []int {
	if a.bySize != nil {
		return a.bySize
	}
	keys := make([]sortKey, 0, len(a.in.Pointers))
	for i, p := range a.in.Pointers {
		if p.movable() && !p.Thin {
			keys = append(keys, keyOf(p.LiveEntries, i))
		}
	}
	a.bySize = sorted(keys)
	return a.bySize
}

// Idle reports whether a plan leaves the root as it is: without a step, and without a pointer that loses statistics. A maintenance commit
// that changes no file need not be made then.
func (p Plan) Idle(in Input) bool {
	loses := func(i int) bool { return i >= 0 && i < len(in.Pointers) && !in.Pointers[i].Thin }
	return len(p.Steps) == 0 && !slices.ContainsFunc(p.Thinning.Pointers, loses)
}

// settleThin chooses anew which pointers lose statistics, in the root that the plan has become: those chosen on the way made room for steps
// that may have made their own. It notes them in the plan, and what thin pointers have cost in its summary.
func (a *adaptation) settleThin() {
	for i := range a.thin {
		a.thin[i] = a.in.Pointers[i].Thin
	}
	a.thinOut()
	var spent int64
	for i, p := range a.in.Pointers {
		if !a.thin[i] || a.rewritten[i] || !p.movable() {
			continue
		}
		cost := a.lost[i] + a.lose(i)
		if !p.Thin {
			a.plan.Thinning.Pointers = append(a.plan.Thinning.Pointers, i)
			cost = a.loss(i)
		}
		spent = min(spent+cost, mostManifestBytes)
	}
	if len(a.plan.Thinning.Pointers) > 0 {
		a.thinned = a.in.SequenceNumber
		a.explainThinning(&a.plan.Thinning)
	}
	if spent > 0 {
		a.plan.Summary[summaryThin] = fmt.Sprintf("%d/%d", spent, within(a.in.SequenceNumber-a.thinned, mostRowBytes))
	}
}

// explainThinning says what a root saves by the statistics that it leaves out, and what plans lose.
func (a *adaptation) explainThinning(t *Thinning) {
	var files int64
	for _, i := range t.Pointers {
		files += a.in.Pointers[i].LiveEntries
	}
	t.SavedBytes = int64(len(t.Pointers)) * a.saved()
	t.Reason = fmt.Sprintf("the root would take %d bytes, more than %d %% of its limit of %d: it leaves out statistics of %d of its pointers, but for "+
		"the columns that the table is partitioned by; plans that filter by others read up to %d bytes more, the leaves of %d files",
		a.rootBytes()+t.SavedBytes, crowdedShare, a.limits.RootBytes, len(t.Pointers), times(files, a.in.Prices.LeafEntryBytes), files)
}

// saved is what a root saves by one pointer without statistics.
func (a *adaptation) saved() int64 { return a.in.Prices.PointerBytes - a.in.Prices.Pointer(true) }

// loss is what plans read in a commit's time because a pointer is thin.
func (a *adaptation) loss(i int) int64 {
	return max(1, a.bytes([]Ref{{FromPointers, i}})/needStatistics/a.limits.ReadDiscount)
}

// lose is the loss of a pointer that was thinned before this commit. One that came later, or in a table of which nobody has thinned any, has
// no statistics because its files have none: to write its leaf again would not change that.
func (a *adaptation) lose(i int) int64 {
	if p := a.in.Pointers[i]; p.Thin && p.movable() && p.SequenceNumber < a.thinned && a.in.Prices.Pointer(true) < a.in.Prices.PointerBytes {
		return a.loss(i)
	}
	return 0
}

// countLost shares out what thin pointers have cost so far, for the account is of all together: as if all had become thin at one time, or
// when they came, if that was later.
func (a *adaptation) countLost() {
	a.lost = make([]int64, len(a.in.Pointers))
	var spent int64
	spent, a.thinned = a.thinAccount()
	var thin []int
	var all float64
	for i := range a.lost {
		if lose := a.lose(i); lose > 0 {
			thin = append(thin, i)
			all += float64(lose)
		}
	}
	slices.SortFunc(thin, func(i, j int) int {
		return cmp.Or(cmp.Compare(a.age(a.in.Pointers[i]), a.age(a.in.Pointers[j])), i-j)
	})
	left := float64(spent)
	for _, i := range thin { // the youngest first: what they cannot have cost the others have
		lose := float64(a.lose(i))
		cost := min(lose*left/all, lose*float64(a.age(a.in.Pointers[i])))
		a.lost[i] = int64(cost)
		left, all = left-cost, all-lose
	}
}

// isFull reports whether a root has no room for the statistics of even one pointer, were all others thin: those of a leaf that is written
// again would go at once.
func (a *adaptation) isFull() bool {
	saved := a.saved()
	least := a.parentBytes()
	for _, p := range a.in.Pointers {
		if p.movable() && !p.Thin {
			least -= saved
		}
	}
	return least+saved > a.crowded()
}

// thinAccount reads the account of thin pointers: what they have cost, and the sequence number of the commit that last thinned any, 0
// without an account.
func (a *adaptation) thinAccount() (spent, thinned int64) {
	last := a.last()
	bytes, since, _ := strings.Cut(last.Summary[summaryThin], "/")
	spent, err := strconv.ParseInt(bytes, 10, 64)
	commits, sinceErr := strconv.ParseInt(since, 10, 64)
	switch {
	case err != nil || sinceErr != nil || spent <= 0 || commits < 0:
		return 0, 0
	case last.SequenceNumber <= 0: // not known
		return min(spent, mostManifestBytes), math.MaxInt64
	}
	return min(spent, mostManifestBytes), last.SequenceNumber - commits
}
