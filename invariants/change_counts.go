package invariants

import (
	"fmt"

	"github.com/firn-io/firn/tree"
)

// The rules of this file compare numbers where the leaves that held the old states were not opened: what leaves say
// that left them with what stands outside of them (IV17). They are asked once all shares were looked at.

// changeCounts are numbers of files that were not looked at before they moved: of the shares looked at so far.
type changeCounts struct {
	// modified counts MODIFIED rows, replaced the REPLACED rows.
	modified, replaced int
	// movedIn counts the live rows of the child, outside of leaves that it carries, that are neither new nor modified.
	movedIn int
}

// add counts those of a share.
func (n *changeCounts) add(t *transition) {
	c := t.changes
	if c.beforeKnown && c.stayingKnown {
		return // all were looked at
	}
	for _, a := range c.after.order {
		switch {
		case a.was != nil:
		case a.status == tree.Modified:
			n.modified++
		case !t.isNew(a):
			n.movedIn++
		}
	}
	for _, dead := range c.tombstones {
		if _, known := c.before.by[dead.location]; !known && dead.status == tree.Replaced {
			n.replaced++
		}
	}
}

// checkReplacedCount compares the new states with the old ones.
func checkReplacedCount(t *transition, r reporter) {
	if modified, replaced, known := t.replacedNumbers(); known && modified != replaced {
		r.report("tracking.status", fmt.Sprintf("a MODIFIED row for each of %d old states from leaves", replaced), modified)
	}
}

// replacedNumbers counts the MODIFIED rows, and the old states that were replaced, of files that were not looked at.
func (t *transition) replacedNumbers() (modified, replaced int, known bool) {
	modified, replaced = t.counts.modified, t.counts.replaced
	for _, p := range t.changes.unopened {
		if !p.usable() || !p.now.replaced.usable() {
			return 0, 0, false
		}
		_, positions := p.delta()
		replaced += len(positions)
	}
	return modified, replaced, true
}

// checkLostCount reports that fewer files stand outside of leaves than moved out of them. A MODIFIED one that nobody
// says was replaced is for X-REPLACED.
func checkLostCount(t *transition, r reporter) {
	least, _, known := t.movedOut()
	modified, replaced, _ := t.replacedNumbers()
	if found := t.counts.movedIn + max(0, modified-replaced); known && found < least {
		r.report("location", fmt.Sprintf("a live row for each of %d files that moved out of leaves", least), found)
	}
}

// checkInventedCount reports that more files stand outside of leaves than moved out of them.
func checkInventedCount(t *transition, r reporter) {
	if _, most, known := t.movedOut(); known && t.counts.movedIn > most {
		r.report("tracking.status", fmt.Sprintf("ADDED, for %d files moved out of leaves", most),
			fmt.Sprintf("%d rows of files that are not new", t.counts.movedIn))
	}
}

// movedOut counts the files that left leaves which the child carries, were not looked at, and were not deleted or
// replaced: at least so many, for rows that were dead already may be masked too, and at most. Not known where every
// leaf was opened, or where not even the bitmaps tell.
func (t *transition) movedOut() (least, most int, known bool) {
	c := t.changes
	if !c.afterKnown || !c.droppedKnown || c.beforeKnown && c.stayingKnown {
		return 0, 0, false
	}
	for _, p := range c.unopened {
		if !p.usable() || !p.now.deleted.usable() || !p.now.replaced.usable() {
			return 0, 0, false
		}
		if !p.now.live() && int64(len(p.now.dv.set)) < p.now.liveFiles() { // X-DELETED-POINTER
			return 0, 0, false
		}
		deleted, replaced := p.delta()
		moved := len(p.newlyMasked().minus(deleted).minus(replaced))
		most += moved
		if dead := p.now.entry.RecordCount - p.now.liveFiles(); !p.now.legacy() && dead < int64(moved) {
			least += moved - int(max(0, dead))
		}
	}
	return least, most, true
}
