package invariants

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/firn-io/firn/tree"
)

var rootRowIDInvariants = []Invariant{
	{
		ID: "R-ROW-ID", Scope: ScopeRoot, Severity: Error, Firmness: Firm, Rule: "rules 8.2, 20.2",
		Statement: "Each live data file and data manifest of a root has a first_row_id, a delete manifest never has one.",
		Symptom:   "The rows of the file, or of all files of the leaf, have no row ids.",
		Advice:    "Keep ids that are there and assign the others from the snapshot's first-row-id on.",
		check:     checker{rootRow: checkRootRowID},
	},
	{
		ID: "R-ROW-ID-START", Scope: ScopeRoot, Severity: Error, Firmness: Firm, Rule: "rules 8.3, 20.9, B07, S24",
		Statement: "The row ids of an ADDED row begin at or above its snapshot's first-row-id, those of other live rows below it, " +
			"legacy manifests aside; a file that is added with an older data sequence number may keep ids that all lie below.",
		Symptom: "Two rows of the table share a row id.",
		Advice:  "Assign row ids in the root, on each attempt anew, from the table's next-row-id on.",
		check:   checker{rootRow: checkRowIDStart},
	},
	{
		ID: "R-ROW-ID-END", Scope: ScopeRoot, Severity: Error, Firmness: Firm, Rule: "rules 8.1, 8.4, 20.9",
		Statement: "The row ids of each live row end within the snapshot's first-row-id plus added-rows.",
		Symptom:   "The next commit hands out the same ids again.",
		Advice:    "Count added, existing and modified rows of new leaves and the rows of new loose files into added-rows.",
		check:     checker{rootRow: checkRowIDEnd},
	},
	{
		ID: "R-ROW-ID-DISJOINT", Scope: ScopeRoot, Severity: Error, Firmness: Firm, Rule: "rules 8.3, 20.9, B08, B27",
		Statement: "The ranges of row ids that a snapshot assigns, or that rows which it adds keep, are disjoint.",
		Symptom:   "Two rows of the table share a row id.",
		Advice:    "Advance by the rows of each leaf and file before the next one is assigned.",
		check:     checker{root: checkRowIDDisjoint},
	},
}

func checkRootRowID(in *rootRow, r reporter) {
	id := in.tracking().FirstRowID
	switch {
	case in.entry.Content == tree.DeleteManifest:
		if id.Valid {
			r.report("tracking.first_row_id", "null for a delete manifest", id)
		}
	case isLive(in.tracking().Status) && (isData(in.entry) || isManifest(in.entry)) && !id.Valid:
		r.report("tracking.first_row_id", "a value", id)
	}
}

// takesIDs reports whether a row of a root holds row ids, and how many.
func takesIDs(e *tree.Entry) (int64, bool) {
	if !isLive(e.Tracking.Status) || !e.Tracking.FirstRowID.Valid {
		return 0, false
	}
	switch {
	case isData(e):
		return e.RecordCount, true
	case e.Content == tree.DataManifest && e.Manifest.Valid:
		m := e.Manifest.Val
		return sum(m.AddedRows, m.ExistingRows, m.ModifiedRows), true
	}
	return 0, false
}

func checkRowIDStart(in *rootRow, r reporter) {
	if _, takes := takesIDs(in.entry); !takes || in.snapshot.id() == 0 {
		return
	}
	id, first := in.tracking().FirstRowID.Val, in.snapshot.tree.FirstRowID
	added := in.tracking().Status == tree.Added
	switch {
	case added && id < first && !in.keepsIDs():
		r.report("tracking.first_row_id", fmt.Sprintf("%d or more", first), id)
	case !added && id >= first && !isLegacy(in.entry):
		r.report("tracking.first_row_id", fmt.Sprintf("below %d", first), id)
	}
}

// keepsIDs reports whether an ADDED row is that of a file that may have row ids from before (IV14).
func (in *rootRow) keepsIDs() bool {
	f := newFile("", in.entry)
	return isData(in.entry) && in.snapshot.mayKeepIDs(&f)
}

func checkRowIDEnd(in *rootRow, r reporter) {
	rows, takes := takesIDs(in.entry)
	if !takes || in.snapshot.id() == 0 {
		return
	}
	if end := sum(in.tracking().FirstRowID.Val, rows); end > in.snapshot.nextRowID() {
		r.report("tracking.first_row_id", fmt.Sprintf("%d rows that end at or below %d", rows, in.snapshot.nextRowID()), end)
	}
}

func checkRowIDDisjoint(s *snapshot, r reporter) {
	var ranges []idRange
	for i := range s.tree.Rows {
		e := &s.tree.Rows[i]
		rows, takes := takesIDs(e)
		assigned := e.Tracking.Status == tree.Added || e.Tracking.FirstRowID.Val >= s.tree.FirstRowID
		if takes && assigned && s.id() != 0 {
			first := e.Tracking.FirstRowID.Val
			ranges = append(ranges, idRange{first, sum(first, rows), s.tree.Root, int64(i)})
		}
	}
	ranges = slices.DeleteFunc(ranges, func(x idRange) bool { return x.start >= x.end })
	slices.SortStableFunc(ranges, func(a, b idRange) int { return cmp.Compare(a.start, b.start) })
	reportOverlaps(slices.Values(ranges), r)
}

// idRange is a range of row ids, its end excluded, and the row that holds it.
type idRange struct {
	start, end int64
	object     string
	row        int64
}

// reportOverlaps reports each range that begins before an earlier one has ended. The ranges are in order of their
// starts, and none is empty.
func reportOverlaps(ranges iter.Seq[idRange], r reporter) {
	var last idRange // the one that ends last
	first := true
	for this := range ranges {
		if !first && this.start < last.end {
			r.at(this.object, this.row).report("tracking.first_row_id",
				fmt.Sprintf("other row ids than %d to %d of %s row %d", last.start, last.end-1, last.object, last.row),
				fmt.Sprintf("%d to %d", this.start, this.end-1))
		}
		if first || this.end > last.end {
			last, first = this, false
		}
	}
}
