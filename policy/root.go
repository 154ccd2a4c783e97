package policy

import "fmt"

// A root of crowdedShare of its limit waits for maintenance, which makes it as small as roomyShare, in percent.
const (
	crowdedShare = 90
	roomyShare   = 80
)

// unsure is what part of a root estimates may be off by: as much of the limit stays free, so that roots keep it in what is really written.
const unsure = 20

// PlannedRootBytes returns the most that a plan lets a root take by its estimate: a twentieth less than the limit, by which estimates
// may be off (docs/policy.md).
func (p Adaptive) PlannedRootBytes() int64 {
	limit := orDefault(p.RootBytes, DefaultSmallRootBytes)
	return limit - limit/unsure
}

// crowded is the size of a root from which on maintenance makes it smaller.
func (a *adaptation) crowded() int64 { return a.limits.RootBytes / 100 * crowdedShare }

// shrink brings the root below its limit, whatever the plan was: pointers lose statistics, loose files go into a leaf, then the leaves that pay
// soonest into one, and at last tombstones into a leaf of their own. A root that was too large before comes nearer to it, see
// [adaptation.approach].
func (a *adaptation) shrink() {
	limit, inherited := a.limits.PlannedRootBytes(), a.inherited()
	a.term = ByRootLimit
	if inherited {
		defer a.remember()
	}
	a.thinOut()
	if a.rootBytes() <= limit {
		return
	}
	if !inherited || a.saves(a.live) {
		a.write(0, "the root would be too large")
	}
	if inherited {
		a.approach()
	} else {
		a.merged(limit, "the root would be too large")
	}
	for len(a.dead) > 0 && a.rootBytes() > limit && (!inherited || a.saves(a.dead)) {
		a.bury(a.in.Limits.MostRows(), "the root is over its limit of %d bytes without live rows", a.limits.RootBytes)
	}
}

// waitForRoom leaves a root that is crowded all the same to maintenance, unless that is waited for already.
func (a *adaptation) waitForRoom() {
	if size := a.rootBytes(); size > a.crowded() && len(a.leaves) > 1 && !a.waited() && a.plan.Summary[summaryWaiting] == "" {
		a.wait(fmt.Sprintf("the root takes %d bytes, more than %d %% of its limit of %d", size, crowdedShare, a.limits.RootBytes))
	}
}

// saves reports whether a root is smaller by a leaf of some of its rows. Where it is beyond its limit for many commits, each of them would
// write a leaf of few rows for nothing.
func (a *adaptation) saves(rows []Ref) bool {
	return a.count(rows)*a.in.Prices.LooseBytes > a.in.Prices.PointerBytes
}

// roomyLeaf is how many full leaves' files one leaf of a maintenance commit may have that makes room in the root. To write few leaves
// into one frees few pointers for the bytes. A writer, who waits for it, writes one full leaf.
const roomyLeaf = 8

// merged writes the first leaves into larger ones until the root has so many bytes.
func (a *adaptation) merged(bytes int64, reason string) {
	for over := a.rootBytes() - bytes; over > 0 && len(a.leaves) > 1 && !a.full(); over = a.rootBytes() - bytes {
		n := a.together(int(over/max(1, a.in.Prices.PointerBytes)) + 2)
		if n < 2 {
			return
		}
		a.write(n, reason)
	}
}

// together returns how many of the first leaves should become one, to free the pointers of at least some: those that it takes, and
// further ones while they are not much larger.
func (a *adaptation) together(least int) int {
	most := a.outlook.full
	if a.in.Mode == Maintenance {
		most *= roomyLeaf
	}
	rows, n := a.count(a.live), 0
	for n < len(a.leaves) && (n < 2 || float64(rows) < most) {
		files := a.in.Pointers[a.leaves[n].Index].LiveEntries
		if n >= least && files*int64(n) > 2*rows || rows+files > a.in.Limits.MostRows() {
			break
		}
		rows += files
		n++
	}
	return n
}
