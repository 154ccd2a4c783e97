package adaptive

import (
	"fmt"

	"github.com/firn-io/firn/policy"
)

// waitsForRoot is what a plan notes as waiting that leaves a large root which another engine made.
const waitsForRoot = "root"

// inherited reports whether this commit was handed a root beyond its limit, and there has been no room in it since: another engine made it,
// or the limit was larger then. A root that is a little too large by prices which the table has taught since is not meant.
func (a *adaptation) inherited() bool {
	if a.lastSummary()[summaryWaiting] == waitsForRoot {
		return true
	}
	n := len(a.In.History)
	limit, size := a.estimated(a.limits.RootBytes), a.parentBytes()
	if size <= limit {
		return false
	}
	return n == 0 || size-limit > limit/4 || a.In.History[n-1].Summary[summaryRate] == ""
}

// parentBytes estimates the root that the commit begins with.
func (a *adaptation) parentBytes() int64 {
	p := a.In.Prices
	bytes := p.RootFixedBytes
	for i := range a.In.Pointers {
		bytes += p.Pointer(a.In.Pointers[i].Thin) + a.In.Pointers[i].DVBytes
	}
	for i := range a.In.Loose {
		bytes += a.In.Loose[i].Count * p.LooseBytes
	}
	return bytes
}

// approach brings an inherited root nearer to its limit, by what the commit of a writer may write again: no writer pays at once for what
// others have left behind. Maintenance has done what one commit does already.
func (a *adaptation) approach() {
	if a.In.Mode == policy.Maintenance {
		return
	}
	most := min(a.In.Limits.MostRows(), max(1, int64(a.outlook.Full)))
	n, rows := 0, a.Count(a.Live)
	for _, ref := range a.leaves[:a.within(len(a.leaves))] {
		if rows += a.In.Pointers[ref.Index].LiveEntries; rows > most {
			break
		}
		n++
	}
	if n > 1 && a.room(n) > 0 {
		a.write(n, "the root is too large since before this commit")
	}
}

// remember says that an inherited root waits for further commits and for maintenance, until there is room in it.
func (a *adaptation) remember() {
	if size := a.RootBytes(); size > a.crowded() {
		a.wait(fmt.Sprintf("the root takes %d bytes, before this commit %d, and is large since another engine made it or its limit of %d was set",
			a.real(size), a.real(a.parentBytes()), a.limits.RootBytes))
		a.Plan.Summary[summaryWaiting] = waitsForRoot
	}
}
