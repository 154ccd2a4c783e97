package sim

import (
	"fmt"
	"maps"

	"github.com/firn-io/firn/metadata"
)

// lineage is what a world remembers of the snapshots that became the table's, retained or not, by their ids: of all that are not before
// every one that somebody still asks for.
type lineage struct {
	parents, sequences map[int64]int64
	totals             map[int64]totals
	// turned are the sequence numbers that the table had when a branch was last pointed at a snapshot that does not come from
	// its head, by the branch.
	turned map[string]int64
}

func newLineage() lineage {
	return lineage{make(map[int64]int64), make(map[int64]int64), make(map[int64]totals), make(map[string]int64)}
}

func (l lineage) clone() lineage {
	return lineage{maps.Clone(l.parents), maps.Clone(l.sequences), maps.Clone(l.totals), maps.Clone(l.turned)}
}

// enter takes a snapshot in, once. The same id with another sequence number is another snapshot.
func (w *World) enter(s metadata.Snapshot) {
	if known, again := w.lineage.sequences[s.ID]; again && known != s.SequenceNumber {
		w.violate(Violation{Check: checkTold, Snapshot: s.ID, Message: fmt.Sprintf(
			"it was committed with the sequence number %d, and once more with %d", known, s.SequenceNumber)})
	}
	w.lineage.sequences[s.ID] = s.SequenceNumber
	w.lineage.parents[s.ID] = s.ParentID.Val
}

// turn remembers which branches a new state points elsewhere. Its snapshots must have been entered.
func (l lineage) turn(before, after metadata.Table) {
	for ref := range before.AllRefs() {
		if now, there := after.Ref(ref.Name); !there || !l.descends(now.SnapshotID, ref.SnapshotID) {
			l.turned[ref.Name] = after.LastSequenceNumber
		}
	}
}

// descends reports whether a snapshot is another one or comes from it, by all that was ever committed. Sequence numbers only grow from
// parent to child, so that what lies before the other one need not be looked at.
func (l lineage) descends(id, from int64) bool {
	for ; id != 0 && l.sequences[id] >= l.sequences[from]; id = l.parents[id] {
		if id == from {
			return true
		}
	}
	return from == 0
}

// totals are those of all live files.
type totals struct{ files, records, bytes, vectors, deleted int64 }

func (t totals) plus(f *file, sign int64) totals {
	if f == nil {
		return t
	}
	t.files += sign
	t.records += sign * f.records
	t.bytes += sign * f.size
	if n := f.deleted.Cardinality(); n > 0 {
		t.vectors += sign
		t.deleted += sign * n
	}
	return t
}

// compareTotals holds the totals of a summary against those of the parent and the changes since. A total that is left out
// is not wrong.
func (w *World) compareTotals(s metadata.Snapshot, changes []change) {
	t := w.lineage.totals[s.ParentID.Val]
	for _, c := range changes {
		t = t.plus(c.before, -1).plus(c.after, 1)
	}
	w.lineage.totals[s.ID] = t
	for _, total := range []struct {
		key  string
		want int64
	}{
		{"total-data-files", t.files}, {"total-records", t.records}, {"total-files-size", t.bytes},
		{"total-delete-files", t.vectors}, {"total-position-deletes", t.deleted},
	} {
		if text, said := s.Summary[total.key]; said && text != fmt.Sprint(total.want) {
			w.violate(Violation{Check: checkMetrics, Snapshot: s.ID, Message: fmt.Sprintf(
				"%s is %s and should be %d", total.key, text, total.want)})
		}
	}
}
