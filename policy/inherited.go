package policy

import "fmt"

// waitsForRoot is what a plan notes as waiting that leaves a large root which another engine made.
const waitsForRoot = "root"

// inherited reports whether this commit was handed a root beyond its limit, and there has been no room in it since: another engine made it,
// or the limit was larger then. A root that is a little too large by prices which the table has taught since is not meant.
func (a *adaptation) inherited() bool {
	if a.lastSummary()[summaryWaiting] == waitsForRoot {
		return true
	}
	n := len(a.in.History)
	limit, size := a.limits.RootBytes, a.parentBytes()
	if size <= limit {
		return false
	}
	return n == 0 || size-limit > limit/4 || a.in.History[n-1].Summary[summaryRate] == ""
}

// parentBytes estimates the root that the commit begins with.
func (a *adaptation) parentBytes() int64 {
	p := a.in.Prices
	bytes := p.RootFixedBytes
	for i := range a.in.Pointers {
		bytes += p.Pointer(a.in.Pointers[i].Thin) + a.in.Pointers[i].DVBytes
	}
	for i := range a.in.Loose {
		bytes += a.in.Loose[i].Count * p.LooseBytes
	}
	return bytes
}

// approach brings an inherited root nearer to its limit, by what the commit of a writer may write again: no writer pays at once for what
// others have left behind. Maintenance has done what one commit does already.
func (a *adaptation) approach() {
	if a.in.Mode == Maintenance {
		return
	}
	most := min(a.in.Limits.MostRows(), max(1, int64(a.outlook.full)))
	n, rows := 0, a.count(a.live)
	for _, ref := range a.leaves[:a.within(len(a.leaves))] {
		if rows += a.in.Pointers[ref.Index].LiveEntries; rows > most {
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
	if size := a.rootBytes(); size > a.crowded() {
		a.wait(fmt.Sprintf("the root takes %d bytes, before this commit %d, and is large since another engine made it or its limit of %d was set",
			size, a.parentBytes(), a.limits.RootBytes))
		a.plan.Summary[summaryWaiting] = waitsForRoot
	}
}

// full reports whether a maintenance commit writes as many leaves as it may. Others have no such limit.
func (a *adaptation) full() bool {
	fresh := 0
	for _, step := range a.plan.Steps {
		if step.Written < 0 {
			fresh++
		}
	}
	return a.in.Mode == Maintenance && fresh >= mostMaintained
}
