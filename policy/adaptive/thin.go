package adaptive

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/internal/bounded"
)

// summaryThin is the key in which [Policy] keeps what plans have read because pointers are thin, in bytes of a commit, and how many
// sequence numbers before that of the snapshot it last thinned any: "1000/3" (F37).
const summaryThin = policy.SummaryPrefix + "thin-spent"

// mostCommits is the most that a summary says of how many commits ago pointers were thinned.
const mostCommits = 1<<20 - 1

// needStatistics is how many times fewer plans need the statistics that a thin pointer lacks than read dead rows: they filter by a
// column that the table is not partitioned by, and its bounds would have excluded the leaf.
const needStatistics = 4

// thinOut leaves statistics out of a root that is crowded without its loose files, which a leaf takes in one pointer: as many as it takes.
// The smallest leaves come first, since plans lose least by opening them, and the oldest of those, which are asked for least.
func (a *adaptation) thinOut() {
	saved := a.saved()
	over := a.RootBytes() - a.crowded()
	if a.saves(a.Live) {
		over -= a.liveBytes() - a.In.Prices.PointerBytes
	}
	if over <= 0 || saved <= 0 {
		return
	}
	for _, i := range a.smallest() {
		if over <= 0 {
			break
		}
		if !a.Rewritten[i] && !a.Thin[i] {
			a.Thin[i] = true
			over -= saved
		}
	}
}

// smallest returns the pointers that can be thinned, those with the fewest files first.
func (a *adaptation) smallest() []int {
	if a.bySize != nil {
		return a.bySize
	}
	keys := make([]sortKey, 0, len(a.In.Pointers))
	for i, p := range a.In.Pointers {
		if p.Movable() && !p.Thin {
			keys = append(keys, keyOf(p.LiveEntries, i))
		}
	}
	a.bySize = sorted(keys)
	return a.bySize
}

// settleThin chooses anew which pointers lose statistics, in the root that the plan has become: those chosen on the way made room for steps
// that may have made their own. It notes them in the plan, and what thin pointers have cost in its summary.
func (a *adaptation) settleThin() {
	for i := range a.Thin {
		a.Thin[i] = a.In.Pointers[i].Thin
	}
	a.thinOut()
	var spent int64
	for i, p := range a.In.Pointers {
		if !a.Thin[i] || a.Rewritten[i] || !p.Movable() {
			continue
		}
		cost := a.thinSpent[i] + a.owedThinRent(i)
		if !p.Thin {
			a.Plan.Thinning.Pointers = append(a.Plan.Thinning.Pointers, i)
			cost = a.thinRent(i)
		}
		spent = min(spent+cost, bounded.MostManifestBytes)
	}
	if len(a.Plan.Thinning.Pointers) > 0 {
		a.lastThinning = a.In.SequenceNumber
		a.explainThinning(&a.Plan.Thinning)
	}
	if spent > 0 {
		a.Plan.Summary[summaryThin] = fmt.Sprintf("%d/%d", spent, bounded.Within(a.In.SequenceNumber-a.lastThinning, mostCommits))
	}
}

// explainThinning says what a root saves by the statistics that it leaves out, and what plans lose.
func (a *adaptation) explainThinning(t *policy.Thinning) {
	var files int64
	for _, i := range t.Pointers {
		files += a.In.Pointers[i].LiveEntries
	}
	t.SavedBytes = int64(len(t.Pointers)) * a.saved()
	t.Reason = fmt.Sprintf("the root would take %d bytes, more than %d %% of its limit of %d: it leaves out statistics of %d of its pointers, but for "+
		"the columns that the table is partitioned by; plans that filter by others read up to %d bytes more, the leaves of %d files",
		a.real(a.RootBytes()+t.SavedBytes), crowdedShare, a.limits.RootBytes, len(t.Pointers), bounded.Times(files, a.In.Prices.LeafEntryBytes), files)
}

// saved is what a root saves by one pointer without statistics.
func (a *adaptation) saved() int64 { return a.In.Prices.PointerBytes - a.In.Prices.Pointer(true) }

// thinRent is what plans read in a commit's time because a pointer is thin.
func (a *adaptation) thinRent(i int) int64 {
	return max(1, a.bytes([]policy.Ref{{Source: policy.FromPointers, Index: i}})/needStatistics/a.limits.ReadDiscount)
}

// owedThinRent is the thinRent of a pointer that was thinned before this commit. One that came later, or in a table of which nobody has thinned any, has
// no statistics because its files have none: to write its leaf again would not change that.
func (a *adaptation) owedThinRent(i int) int64 {
	if p := a.In.Pointers[i]; p.Thin && p.Movable() && p.SequenceNumber < a.lastThinning && a.In.Prices.Pointer(true) < a.In.Prices.PointerBytes {
		return a.thinRent(i)
	}
	return 0
}

// readThinSpent shares out what thin pointers have cost so far, for the account is of all together: as if all had become thin at one time, or
// when they came, if that was later.
func (a *adaptation) readThinSpent() {
	a.thinSpent = make([]int64, len(a.In.Pointers))
	var spent int64
	spent, a.lastThinning = a.thinAccount()
	var thin []int
	var all float64
	for i := range a.thinSpent {
		if lose := a.owedThinRent(i); lose > 0 {
			thin = append(thin, i)
			all += float64(lose)
		}
	}
	slices.SortFunc(thin, func(i, j int) int {
		return cmp.Or(cmp.Compare(a.age(a.In.Pointers[i]), a.age(a.In.Pointers[j])), i-j)
	})
	left := float64(spent)
	for _, i := range thin { // the youngest first: what they cannot have cost the others have
		lose := float64(a.owedThinRent(i))
		cost := min(lose*left/all, lose*float64(a.age(a.In.Pointers[i])))
		a.thinSpent[i] = int64(cost)
		left, all = left-cost, all-lose
	}
}

// noStatisticsFit reports whether a root has no room for the statistics of even one pointer, were all others thin: those of a leaf that is written
// again would go at once.
func (a *adaptation) noStatisticsFit() bool {
	saved := a.saved()
	least := a.parentBytes()
	for _, p := range a.In.Pointers {
		if p.Movable() && !p.Thin {
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
		return min(spent, bounded.MostManifestBytes), math.MaxInt64
	}
	return min(spent, bounded.MostManifestBytes), last.SequenceNumber - commits
}
