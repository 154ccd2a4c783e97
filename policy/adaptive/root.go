package adaptive

import (
	"fmt"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/internal/bounded"
)

// A root of crowdedShare of its limit waits for maintenance, which makes it as small as roomyShare, in percent.
const (
	crowdedShare = 90
	roomyShare   = 80
)

// unsurePart is what part of a root estimates may be off by: as much of the limit stays free, so that roots keep it in what is really written.
const unsurePart = 20

// PlannedRootBytes returns the most that a plan lets a root take by its estimate: a twentieth less than the limit, by which estimates
// may be off (docs/policy.md).
func (p Policy) PlannedRootBytes() int64 {
	limit := bounded.OrDefault(p.RootBytes, DefaultRootBytes)
	return limit - limit/unsurePart
}

// crowded is the size of a root from which on maintenance makes it smaller.
func (a *adaptation) crowded() int64 { return a.estimated(a.limits.RootBytes / 100 * crowdedShare) }

// roomy is the size that maintenance brings such a root to.
func (a *adaptation) roomy() int64 { return a.estimated(a.limits.RootBytes / 100 * roomyShare) }

// most is what a plan lets a root take.
func (a *adaptation) most() int64 { return a.estimated(a.limits.PlannedRootBytes()) }

// RootBytes is what the root will take by its estimate, were rows of new files as dear as they may be: they are not taken to be cheaper than
// estimated, whatever those that are there are.
func (a *adaptation) RootBytes() int64 {
	return a.Draft.RootBytes() + a.liveBytes() - a.Count(a.Live)*a.In.Prices.LooseBytes
}

// liveBytes is what the files that stay in the root take of that.
func (a *adaptation) liveBytes() int64 {
	bytes := a.Count(a.Live) * a.In.Prices.LooseBytes
	if a.dearer <= 0 {
		return bytes
	}
	for _, ref := range a.Live {
		if ref.Source == policy.FromNew {
			bytes += a.In.New[ref.Index].Count * a.dearer
		}
	}
	return bytes
}

// estimated returns what a root of this length is by its estimate, and real the other way round: its rows may take more than estimated.
func (a *adaptation) estimated(bytes int64) int64 {
	fixed := min(bytes, a.In.Prices.RootFixedBytes)
	return fixed + int64(float64(bytes-fixed)/a.overrun)
}

func (a *adaptation) real(bytes int64) int64 {
	fixed := min(bytes, a.In.Prices.RootFixedBytes)
	return fixed + int64(float64(bytes-fixed)*a.overrun)
}

// makeRoom is what a maintenance commit does for a crowded root: pointers lose statistics, loose files go into a leaf, and then, if it is the
// pointers that fill it, leaves become fewer.
func (a *adaptation) makeRoom() {
	a.Term = policy.ByRootLimit
	a.thinOut()
	if a.RootBytes() > a.crowded() && a.keepsOrder(nil) {
		a.arrange(0, "the root fills up")
	}
	if a.RootBytes()-a.liveBytes() > a.crowded() {
		a.merged(a.roomy(), "the root fills up")
	}
}

// shrink brings the root below its limit, whatever the plan was: pointers lose statistics, loose files go into a leaf, then the leaves that pay
// soonest into one, and at last tombstones into a leaf of their own. A root that was too large before comes nearer to it, see
// [adaptation.approach].
func (a *adaptation) shrink() {
	limit, inherited := a.most(), a.inherited()
	a.Term = policy.ByRootLimit
	if inherited {
		defer a.remember()
	}
	a.thinOut()
	if a.RootBytes() <= limit {
		return
	}
	if !inherited || a.saves(a.Live) {
		a.write(0, "the root would be too large")
		a.thinOut()
	}
	if inherited {
		a.approach()
	} else {
		a.merged(limit, "the root would be too large")
	}
	for len(a.Dead) > 0 && a.RootBytes() > limit && (!inherited || a.saves(a.Dead)) {
		a.Bury(a.In.Limits.MostRows(), "the root is over its limit of %d bytes without live rows", a.limits.RootBytes)
	}
}

// waitForRoom leaves a root that is crowded all the same to maintenance, unless that is waited for already.
func (a *adaptation) waitForRoom() {
	if size := a.RootBytes(); size > a.crowded() && len(a.leaves) > 1 && !a.waited() && a.Plan.Summary[summaryWaiting] == "" {
		a.wait(fmt.Sprintf("the root takes %d bytes, more than %d %% of its limit of %d", a.real(size), crowdedShare, a.limits.RootBytes))
	}
}

// saves reports whether a root is smaller by a leaf of some of its rows. Where it is beyond its limit for many commits, each of them would
// write a leaf of few rows for nothing.
func (a *adaptation) saves(rows []policy.Ref) bool {
	return a.Count(rows)*a.In.Prices.LooseBytes > a.In.Prices.PointerBytes
}

// roomyLeaf is how many full leaves' files one leaf of a maintenance commit may have that makes room in the root. To write few leaves
// into one frees few pointers for the bytes. A writer, who waits for it, writes one full leaf.
const roomyLeaf = 8

// merged writes the first leaves into larger ones until the root has so many bytes. Leaves whose pointers take no more together than a new
// one does stay: those of thin pointers, if they are few.
func (a *adaptation) merged(bytes int64, reason string) {
	for over := a.RootBytes() - bytes; over > 0 && len(a.leaves) > 1 && !a.enough(); over = a.RootBytes() - bytes {
		switch n := a.together(over); {
		case n < 2:
			return
		case a.room(n) > 0:
			a.write(n, reason)
		default:
			a.leaves = a.leaves[n:]
		}
	}
}

// room returns by how much the root is smaller if the loose files and the first n leaves become one.
func (a *adaptation) room(n int) int64 {
	room := a.liveBytes() - a.In.Prices.PointerBytes
	for _, ref := range a.leaves[:n] {
		room += a.frees(ref)
	}
	return room
}

// frees returns what leaves the root with the pointer of a leaf that is written again, less what then tells of the changes of this commit.
func (a *adaptation) frees(ref policy.Ref) int64 {
	p := a.In.Pointers[ref.Index]
	return a.In.Prices.Pointer(a.Thin[ref.Index]) + p.DVBytes - p.Changed*a.In.Prices.LooseBytes
}

// together returns how many of the first leaves should become one, to make so much room: those that it takes, and further ones while
// they are not much larger. No leaf becomes larger than a full one, unless it would make too little room.
func (a *adaptation) together(room int64) int {
	most := a.outlook.Full
	if a.In.Mode == policy.Maintenance {
		most *= roomyLeaf
	}
	rows, made, n := a.Count(a.Live), a.room(0), 0
	for least := a.leastRoom(room); n < len(a.leaves) && (n < 2 || float64(rows) < most || made < least); {
		files := a.In.Pointers[a.leaves[n].Index].LiveEntries
		if n >= 2 && made >= room && files*int64(n) > 2*rows || rows+files > a.In.Limits.MostRows() {
			break
		}
		rows += files
		made += a.frees(a.leaves[n])
		n++
	}
	return n
}

// leastRoom is how much room each leaf should make, so that all of them make so much: as much as its pointer takes, and more where that is
// what most pointers leave, thin ones. Where all leaves together do not make so much, it is as if there were no limit.
func (a *adaptation) leastRoom(room int64) int64 {
	pointer := max(1, a.In.Prices.PointerBytes)
	all := a.room(len(a.leaves)) + pointer
	if most := (all - room) / pointer; most > 0 { // so many new leaves leave enough
		return min(room, max(pointer, all/most-pointer))
	}
	return min(room, pointer)
}
