package sim

import (
	"context"
	"maps"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// A run of a million commits takes no more memory than one of ten thousand: a world forgets what no check asks for any more.

// forget forgets what belongs to snapshots that the table does not retain, unless a program that is under way began there.
func (w *World) forget(m metadata.Table) {
	if len(w.trees) <= 2*len(m.Snapshots)+2*len(w.writers) {
		return
	}
	needed := make(map[int64]bool)
	for _, s := range m.Snapshots {
		needed[s.ID] = true
	}
	for _, x := range w.writers {
		if x.run == nil {
			continue
		}
		if x.run.intent.base == 0 && x.run.program.transaction() {
			return // it may be reading what it is to begin on
		}
		needed[x.run.intent.base] = true
	}
	pointed := make(map[string]bool)
	for id, t := range w.trees {
		if !needed[id] {
			delete(w.trees, id)
			delete(w.models, id)
			continue
		}
		for i := range t.Rows {
			if t.Rows[i].Content.IsManifest() {
				pointed[tree.Resolve(tableLocation, t.Rows[i].Location)] = true
			}
		}
	}
	for name := range w.leaves {
		if !pointed[name] {
			delete(w.leaves, name)
		}
	}
	if c, own := w.codec.(*Codec); own {
		c.keep(w.there, w.comes())
	}
	if len(w.writers) == 0 { // the state of an exploration, which shares the rest with others
		return
	}
	w.forgetLines(needed)
	w.kept.vectors = grown(len(w.vectors), w.kept.vectors, func() int {
		maps.DeleteFunc(w.vectors, func(b tree.BlobID, _ deletedRows) bool { return !w.there(b.Location) })
		return len(w.vectors)
	})
	if len(w.transit.Pending())+len(w.catalog.landed) == 0 {
		w.forgetRuns(needed)
	}
}

// there reports whether an object is in the store.
func (w *World) there(name string) bool {
	_, err := w.objects.Stat(context.Background(), name)
	return err == nil
}

// comes tells of an object that is not in the store whether it may still come: its writer stands before the put, or some call has yet
// to land.
func (w *World) comes() func(name string) bool {
	if len(w.transit.Pending()) > 0 {
		return func(string) bool { return true }
	}
	under := w.underWay()
	return func(name string) bool { return under[w.owners[name]] }
}

// underWay are the programs that have not ended.
func (w *World) underWay() map[*run]bool {
	under := make(map[*run]bool)
	for _, x := range w.writers {
		if x.run != nil {
			under[x.run] = true
		}
	}
	return under
}

// kept is how much a world kept when it last looked at what may be forgotten.
type kept struct{ vectors, lines, objects int }

// fewKept is how many entries are too few to look through.
const fewKept = 200

// grown looks through entries again once they are twice as many as were kept the last time, so that each is looked at only
// a few times. It returns how many were kept.
func grown(now, kept int, look func() int) int {
	if now < 2*kept+fewKept {
		return kept
	}
	return look()
}

// forgetLines forgets the snapshots that were before all that are needed and all that somebody may still ask for.
func (w *World) forgetLines(needed map[int64]bool) {
	asked := make(map[int64]bool)
	oldest := w.metadata.LastSequenceNumber
	for id := range needed {
		if sequence, known := w.lineage.sequences[id]; known {
			oldest = min(oldest, sequence)
		}
	}
	for _, x := range w.writers {
		for _, q := range x.open {
			for _, id := range q.run.snapshots {
				asked[id] = true
			}
		}
	}
	w.kept.lines = grown(len(w.lineage.sequences), w.kept.lines, func() int {
		maps.DeleteFunc(w.lineage.sequences, func(id, sequence int64) bool {
			if sequence >= oldest || asked[id] {
				return false
			}
			delete(w.lineage.parents, id)
			delete(w.lineage.totals, id)
			delete(w.committed, id)
			return true
		})
		return len(w.lineage.sequences)
	})
}

// forgetRuns forgets the programs that have ended, in a world where no call is left that may land: what they were to do, what they
// were told, and which objects they wrote and let go that are not there any more.
func (w *World) forgetRuns(needed map[int64]bool) {
	under, drawn := w.underWay(), make(map[int64]bool)
	for r := range under {
		for _, id := range r.snapshots {
			drawn[id] = true
		}
	}
	maps.DeleteFunc(w.intents, func(id int64, _ intent) bool { return !drawn[id] && !needed[id] })
	w.checkTold()
	clear(w.denied)
	w.kept.objects = grown(len(w.owners)+len(w.droppers), w.kept.objects, func() int {
		maps.DeleteFunc(w.owners, func(name string, by *run) bool { return !under[by] && !w.there(name) })
		maps.DeleteFunc(w.droppers, func(name string, _ []*run) bool { return !w.there(name) })
		return len(w.owners) + len(w.droppers)
	})
}
