package invariants

import (
	"fmt"
	"iter"
	"strings"

	"github.com/firn-io/firn/tree"
)

var treeInvariants = []Invariant{
	{
		ID: "T-LIVE-ONCE", Scope: ScopeTree, Depth: AllLeaves, Severity: Error, Firmness: Firm,
		Rule:      "rules 13.1, 13.4, 20.7, B15",
		Statement: "No location is live twice in a snapshot, in leaves or in a leaf and the root.",
		Symptom:   "Scans read the file twice.",
		Advice:    "Mask one of the entries or remove it in a new snapshot.",
		check:     checker{tree: checkLiveOnce},
	},
	{
		ID: "T-DELETED-LIVE", Scope: ScopeTree, Depth: AllLeaves, Severity: Error, Firmness: Draft,
		Rule: "rules 13.2, 13.3, 20.7, Q21",
		Statement: "A location that a DELETED row of the snapshot names is not live in a leaf, nor live at all if " +
			"the row stands in a leaf, unless T-READDED judges it.",
		Symptom: "Change feeds report a removal of a file that is still read.",
		Advice:  "Write no DELETED row for a file that stays; add changed contents under a new location.",
		check:   checker{tree: checkDeletedLive},
	},
	{
		ID: "T-READDED", Scope: ScopeTree, Depth: AllLeaves, Severity: Warning, Firmness: Firm, Rule: "rules 6.10, 13.2, S24",
		Statement: "A location that a DELETED row of the snapshot names is not added again, as a file with another file sequence " +
			"number, where one of the two stands in a leaf.",
		Symptom: "Readers that go by location alone report a removal of a file that is still read, or clean it up.",
		Advice:  "Add changed contents under a new location; only a restore has no other way to take deleted rows back.",
		check:   checker{tree: checkTreeReadded},
	},
	{
		ID: "T-ROW-ID-OVERLAP", Scope: ScopeTree, Depth: AllLeaves, Severity: Error, Firmness: Firm,
		Rule:      "rules 8.5, 20.9, B08, B27",
		Statement: "The row ids of live files, after inheritance, are disjoint.",
		Symptom:   "Two rows of the table share a row id.",
		Advice:    "Assign fresh ids to one of the files in a new snapshot; its rows count as new then.",
		check:     checker{tree: checkRowIDOverlap},
	},
	{
		ID: "T-ROW-ID-END", Scope: ScopeTree, Depth: AllLeaves, Severity: Error, Firmness: Firm, Rule: "rules 8.1, 20.9",
		Statement: "The row ids of each live file in a leaf end within the snapshot's first-row-id plus added-rows.",
		Symptom:   "A later commit hands out the same ids again.",
		Advice:    "Advance the table's next-row-id beyond every id in use.",
		check:     checker{tree: checkTreeRowIDEnd},
	},
}

// checkLiveOnce compares the locations of files whose hashes are live twice: to remember the location of every file
// would take much memory.
func checkLiveOnce(in *treeInput, r reporter) {
	for spots := range in.suspects() {
		first := make(map[string]place)
		for s, f := range in.at(spots) {
			object := in.object(s)
			other, known := first[f.location]
			switch {
			case !known:
				location := strings.Clone(f.location)
				first[location] = place{location, object, f.row}
			case other.object != in.tree.Root || object != in.tree.Root: // else R-LIVE-ONCE
				r.at(object, f.row).report("location", "live once", fmt.Sprintf("%s, live in %s too", f.location, other))
			}
		}
	}
}

func checkDeletedLive(in *treeInput, r reporter) { in.reportDeletedLive(false, r) }

func checkTreeReadded(in *treeInput, r reporter) { in.reportDeletedLive(true, r) }

// reportDeletedLive is for a DELETED row or a live one in a leaf what the function of the same name is for roots.
func (in *treeInput) reportDeletedLive(comesBack bool, r reporter) {
	if in.noneDeleted {
		return // as the rule before this one saw
	}
	in.noneDeleted = true
	for tombstones := range in.tombstones() {
		for object, f := range in.live() {
			for _, dead := range tombstones[f.location] {
				in.noneDeleted = false
				inRoot := dead.object == in.tree.Root && object == in.tree.Root // for R-DELETED-LIVE and R-READDED
				if !inRoot && in.comesBack(&dead.file, f) == comesBack {
					r.at(dead.object, dead.row).report("tracking.status", "no DELETED row for a live file",
						fmt.Sprintf("%s, live in %s", f.location, place{f.location, object, f.row}))
				}
			}
		}
	}
}

// tombstones yields the DELETED rows of the snapshot by location, if there are any, and if there are more than a check
// may hold in several parts.
func (in *treeInput) tombstones() iter.Seq[map[string][]arrival] {
	return func(yield func(map[string][]arrival) bool) {
		dead, n := make(map[string][]arrival), 0
		add := func(a arrival) bool {
			dead[a.location] = append(dead[a.location], a)
			if n++; !in.storage.exceeded(n + 1) {
				return true
			}
			whole := dead
			dead, n = make(map[string][]arrival), 0
			return yield(whole)
		}
		for i := range in.files {
			if f := in.files[i]; f.status == tree.Deleted && !in.byOther(f.snapshotID) && !add(arrival{file: f, object: in.tree.Root}) {
				return
			}
		}
		for _, o := range in.leaves {
			if !o.leaf.hasDeleted {
				continue
			}
			for f := range o.all() {
				if f.status == tree.Deleted && in.byThis(f.snapshotID) && !add(arrival{file: f.kept(), object: o.pointer.location}) {
					return
				}
			}
		}
		if n > 0 {
			yield(dead)
		}
	}
}

func checkRowIDOverlap(in *treeInput, r reporter) {
	reportOverlaps(in.idRanges(), r)
}

func checkTreeRowIDEnd(in *treeInput, r reporter) {
	if in.id() == 0 || !in.walk().endsBeyond {
		return
	}
	for object, f := range in.live() {
		if object != in.tree.Root && f.firstRowID.Valid && f.end() > in.nextRowID() {
			r.at(object, f.row).report("tracking.first_row_id",
				fmt.Sprintf("%d rows that end at or below %d", f.recordCount, in.nextRowID()), f.end())
		}
	}
}
