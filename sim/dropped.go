package sim

import (
	"slices"
	"strings"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// noteDropped notes who let go what a new state of the table does not reference any more: he was to delete it.
func (w *World) noteDropped(before, after metadata.Table, by *run) {
	for _, entry := range metadata.Trimmed(before, after) {
		w.noteDropper(tree.Resolve(tableLocation, entry.File), by)
	}
	var gone []int64
	for _, s := range before.Snapshots {
		if _, stays := after.Snapshot(s.ID); !stays {
			gone = append(gone, s.ID)
		}
	}
	if len(gone) == 0 {
		return
	}
	stay := make(map[shownLeaf]bool)
	for _, s := range after.Snapshots {
		for i := range w.trees[s.ID].Rows {
			if e := &w.trees[s.ID].Rows[i]; e.Content.IsManifest() {
				stay[shownIn(e)] = true
			}
		}
	}
	for _, id := range gone {
		w.dropTree(w.trees[id], by, stay)
	}
}

// shownLeaf is a leaf with what is masked in it, and what its snapshot masked: that snapshot tells of these files too.
type shownLeaf struct{ location, masked, deleted, replaced string }

func shownIn(e *tree.Entry) shownLeaf {
	return shownLeaf{e.Location, string(e.Manifest.Val.DV), string(e.Tracking.DeletedPositions), string(e.Tracking.ReplacedPositions)}
}

// dropTree notes who let a snapshot go. What other snapshots reference too is not left over, so it may be noted as well; leaves that
// stay as they are, with all that is in them, need not.
func (w *World) dropTree(t tree.Tree, by *run, stay map[shownLeaf]bool) {
	drop := func(location string) { w.noteDropper(tree.Resolve(tableLocation, location), by) }
	drop(t.Root)
	for i := range t.Rows {
		e := &t.Rows[i]
		if e.Content.IsManifest() && stay[shownIn(e)] {
			continue
		}
		drop(e.Location)
		if e.DeletionVector.Valid {
			drop(e.DeletionVector.Val.Location)
		}
		if view := w.leaves[tree.Resolve(tableLocation, e.Location)]; view != nil && (w.config.DataFiles || view.vectors) {
			for _, r := range view.rows {
				if w.config.DataFiles {
					drop(locationOf(r.number))
				}
				if r.vector != "" {
					drop(r.vector)
				}
			}
		}
	}
}

// noteDropper notes one of those who let an object go. Whether he is disturbed before he deletes it shows later; one who has ended
// and was not explains nothing, and one who was explains all.
func (w *World) noteDropper(name string, by *run) {
	known := slices.DeleteFunc(w.droppers[name], func(r *run) bool { return r == nil || r == by || r.next == nil && !r.disturbed })
	if !slices.ContainsFunc(known, func(r *run) bool { return r.next == nil }) {
		known = append(known, by)
	}
	w.droppers[name] = known
}

// explained reports whether it is known why an object is left over: a fault disturbed the run that wrote it, or the one
// that was to delete it; or it is a data file of a run that was not committed, which is its writer's to delete.
func (w *World) explained(name string) bool {
	if r := w.owners[name]; r != nil && r.err != nil && strings.HasPrefix(name, dataFolder) {
		return true
	}
	if r := w.owners[name]; r != nil && r.disturbed {
		return true
	}
	return slices.ContainsFunc(w.droppers[name], func(r *run) bool { return r != nil && r.disturbed })
}
