package invariants

import (
	"fmt"

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

// checkLiveOnce looks for locations that are live twice and only then for where they are: to remember that of every
// file would take much memory.
func checkLiveOnce(in *treeInput, r reporter) {
	seen, twice := make(map[string]bool, in.size()), make(map[string]bool)
	for _, f := range in.live() {
		if seen[f.location] {
			twice[f.location] = true
		}
		seen[f.location] = true
	}
	if len(twice) == 0 {
		return
	}
	first := make(map[string]place)
	for object, f := range in.live() {
		other, known := first[f.location]
		switch {
		case !twice[f.location]:
		case !known:
			first[f.location] = place{f.location, object, f.row}
		case other.object != in.tree.Root || object != in.tree.Root: // else R-LIVE-ONCE
			r.at(object, f.row).report("location", "live once", fmt.Sprintf("%s, live in %s too", f.location, other))
		}
	}
}

func checkDeletedLive(in *treeInput, r reporter) { in.reportDeletedLive(false, r) }

func checkTreeReadded(in *treeInput, r reporter) { in.reportDeletedLive(true, r) }

// reportDeletedLive is for a DELETED row or a live one in a leaf what the function of the same name is for roots.
func (in *treeInput) reportDeletedLive(comesBack bool, r reporter) {
	tombstones := in.tombstones()
	for object, f := range in.live() {
		for _, dead := range tombstones[f.location] {
			inRoot := dead.object == in.tree.Root && object == in.tree.Root // for R-DELETED-LIVE and R-READDED
			if !inRoot && in.comesBack(&dead.file, f) == comesBack {
				r.at(dead.object, dead.row).report("tracking.status", "no DELETED row for a live file",
					fmt.Sprintf("%s, live in %s", f.location, place{f.location, object, f.row}))
			}
		}
	}
}

// tombstones returns the DELETED rows of the snapshot by location.
func (in *treeInput) tombstones() map[string][]arrival {
	dead := make(map[string][]arrival)
	for i := range in.files {
		if f := in.files[i]; f.status == tree.Deleted && !in.byOther(f.snapshotID) {
			dead[f.location] = append(dead[f.location], arrival{f, in.tree.Root})
		}
	}
	for _, o := range in.leaves {
		for f := range o.all() {
			if f.status == tree.Deleted && in.byThis(f.snapshotID) {
				dead[f.location] = append(dead[f.location], arrival{*f, o.pointer.location})
			}
		}
	}
	return dead
}

func checkRowIDOverlap(in *treeInput, r reporter) {
	ranges := make([]idRange, 0, in.size())
	for object, f := range in.live() {
		if f.firstRowID.Valid {
			ranges = append(ranges, idRange{f.firstRowID.Val, f.end(), object, f.row})
		}
	}
	reportOverlaps(ranges, r)
}

func checkTreeRowIDEnd(in *treeInput, r reporter) {
	if in.id() == 0 {
		return
	}
	for object, f := range in.live() {
		if object != in.tree.Root && f.firstRowID.Valid && f.end() > in.nextRowID() {
			r.at(object, f.row).report("tracking.first_row_id",
				fmt.Sprintf("%d rows that end at or below %d", f.recordCount, in.nextRowID()), f.end())
		}
	}
}
