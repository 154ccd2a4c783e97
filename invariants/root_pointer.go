package invariants

import (
	"fmt"
	"strings"

	"github.com/firn-io/firn/tree"
)

var rootPointerInvariants = []Invariant{
	{
		ID: "R-DELETES-LEGACY", Scope: ScopeRoot, Severity: Error, Firmness: Firm, Rule: "rules 1.3, 5, 5.2, 20.12",
		Statement: "A delete manifest is one of v1 to v3.",
		Symptom:   "Readers refuse the root: v4 has no manifests of delete files.",
		Advice:    "Colocate deletes with their data files.",
		check:     checker{rootRow: checkDeletesLegacy},
	},
	{
		ID: "R-POINTER-FORMAT", Scope: ScopeRoot, Severity: Error, Firmness: Firm, Rule: "rules 4.3, 11.1",
		Statement: "A v4 leaf is a parquet file whose name ends in .parquet, a legacy manifest an avro file.",
		Symptom:   "Readers open the manifest with the wrong decoder; Java goes by the name.",
		Advice:    "Name leaves *.parquet.",
		check:     checker{rootRow: checkPointerFormat},
	},
	{
		ID: "R-LEGACY-SHAPE", Scope: ScopeRoot, Severity: Error, Firmness: Firm, Rule: "rules 2.7.5, 11.1, 11.3, 20.1",
		Statement: "A legacy manifest carries its spec id, no partition, no statistics, and no replaced or modified counts.",
		Symptom:   "Readers cannot plan the manifest, or believe counts that it cannot have.",
		Advice:    "Copy what the manifest list said of it and nothing else.",
		check:     checker{rootRow: checkLegacyShape},
	},
	{
		ID: "R-LEGACY-STATUS", Scope: ScopeRoot, Severity: Error, Firmness: Firm, Rule: "rules 11.2, 11.5, 20.12",
		Statement: "A legacy manifest is EXISTING, MODIFIED or DELETED, never ADDED.",
		Symptom:   "Change feeds report old files as new.",
		Advice:    "A v4 commit cannot add a legacy manifest; rewrite it as a leaf.",
		check:     checker{rootRow: checkLegacyStatus},
	},
	{
		ID: "R-MIN-SEQ", Scope: ScopeRoot, Severity: Error, Firmness: Derived, Rule: "rules 7.8, Q5",
		Statement: "The min_sequence_number of a pointer is not above its sequence number.",
		Symptom:   "Readers take deletes for older than every file of the leaf and skip them.",
		Advice:    "Write the lowest data sequence number of the leaf's live entries and copy it from then on.",
		check:     checker{rootRow: checkMinSeq},
	},
	{
		ID: "R-REPLACED-POINTER", Scope: ScopeRoot, Severity: Warning, Firmness: Open, Rule: "rules 6.7, Q12",
		Statement: "No pointer is REPLACED.",
		Symptom:   "Readers may not know what a replaced manifest means.",
		Advice:    "Change the row in place, MODIFIED, or drop it.",
		check:     checker{rootRow: checkReplacedPointer},
	},
	{
		ID: "R-POINTER-ONCE", Scope: ScopeRoot, Severity: Error, Firmness: Derived, Rule: "rules 9.9, 13.2, 20.7, Q13",
		Statement: "A manifest of which a root has a row that is not live has no other row there.",
		Symptom:   "Change feeds report the removal of all its files twice, or of files that are still read.",
		Advice:    "Write one row: DELETED if no file of the manifest is left, else MODIFIED with the positions that went.",
		check:     checker{root: checkPointerOnce},
	},
	{
		ID: "R-DELETED-POINTER", Scope: ScopeRoot, Severity: Warning, Firmness: Open, Rule: "rules 9.9, Q13",
		Statement: "A DELETED pointer names its snapshot in modified_snapshot_id and carries the bitmaps of that change.",
		Symptom:   "Change feeds cannot tell which files of the leaf went.",
		Advice:    "Set dv and the delta bitmaps on the row, or drop the row of a leaf that was rewritten.",
		check:     checker{rootRow: checkDeletedPointer},
	},
	{
		ID: "R-STALE-DELTA", Scope: ScopeRoot, Severity: Warning, Firmness: Open, Rule: "rules 9.6, Q18",
		Statement: "Delta bitmaps stand only in the root of the snapshot that modified_snapshot_id names.",
		Symptom:   "A reader that trusts them reports the removals again.",
		Advice:    "Clear both bitmaps when the pointer is carried.",
		check:     checker{rootRow: checkStaleDelta},
	},
	{
		ID: "R-TIGHT-MDV", Scope: ScopeRoot, Severity: Warning, Firmness: Open, Rule: "rules 3.6, 9.8, Q9",
		Statement: "No bounds of a pointer with a manifest deletion vector are tight.",
		Symptom:   "Readers that answer from tight bounds return values of removed files.",
		Advice:    "Turn tight_bounds to false when entries are masked.",
		check:     checker{rootRow: checkTightMDV},
	},
}

func checkDeletesLegacy(in *rootRow, r reporter) {
	if in.entry.Content == tree.DeleteManifest && in.entry.Manifest.Valid && !isLegacy(in.entry) {
		r.report("manifest_info.format_version", "0 for a delete manifest", in.entry.Manifest.Val.FormatVersion)
	}
}

func checkPointerFormat(in *rootRow, r reporter) {
	e := in.entry
	if !isManifest(e) || !e.Manifest.Valid {
		return
	}
	want := "parquet"
	if isLegacy(e) {
		want = "avro"
	}
	if strings.ToLower(e.FileFormat) != want {
		r.report("file_format", want, fmt.Sprintf("%q", e.FileFormat))
	}
	if !isLegacy(e) && !strings.HasSuffix(e.Location, ".parquet") {
		r.report("location", "a name that ends in .parquet", e.Location)
	}
}

func checkLegacyShape(in *rootRow, r reporter) {
	e := in.entry
	if !isLegacy(e) {
		return
	}
	if !e.SpecID.Valid {
		r.report("spec_id", "the manifest's spec", e.SpecID)
	}
	if e.Partition != nil {
		r.report("partition", "null", "a value")
	}
	if e.Stats != nil {
		r.report("content_stats", "null", "a value")
	}
	for i, c := range countsOf(e.Manifest.Val) {
		if i >= 3 && c.files > 0 {
			r.report(c.filesField(), 0, c.files)
		}
	}
}

func checkLegacyStatus(in *rootRow, r reporter) {
	if isLegacy(in.entry) && in.tracking().Status == tree.Added {
		r.report("tracking.status", "EXISTING, MODIFIED or DELETED", "ADDED")
	}
}

func checkMinSeq(in *rootRow, r reporter) {
	seq, m := in.tracking().SequenceNumber, in.entry.Manifest
	if m.Valid && seq.Valid && m.Val.MinSequenceNumber > seq.Val {
		r.report("manifest_info.min_sequence_number", fmt.Sprintf("at most %d", seq.Val), m.Val.MinSequenceNumber)
	}
}

func checkReplacedPointer(in *rootRow, r reporter) {
	if isManifest(in.entry) && in.tracking().Status == tree.Replaced {
		r.report("tracking.status", "EXISTING, ADDED, DELETED or MODIFIED", "REPLACED")
	}
}

func checkDeletedPointer(in *rootRow, r reporter) {
	t, s := in.tracking(), in.snapshot
	if !isManifest(in.entry) || t.Status != tree.Deleted {
		return
	}
	if id := t.ModifiedSnapshotID; !id.Valid || s.byOther(id) {
		r.report("tracking.modified_snapshot_id", "the deleting snapshot", id)
	}
	if t.DeletedPositions == nil && t.ReplacedPositions == nil {
		r.report("tracking.deleted_positions", "the positions that went", "null")
	}
}

func checkStaleDelta(in *rootRow, r reporter) {
	t, s := in.tracking(), in.snapshot
	if t.ModifiedSnapshotID.Valid && !s.byOther(t.ModifiedSnapshotID) {
		return
	}
	if t.DeletedPositions != nil {
		r.report("tracking.deleted_positions", "null outside the snapshot of the change", "a value")
	}
	if t.ReplacedPositions != nil {
		r.report("tracking.replaced_positions", "null outside the snapshot of the change", "a value")
	}
}

func checkTightMDV(in *rootRow, r reporter) {
	if in.entry.Manifest.Val.DV == nil {
		return
	}
	for _, f := range in.entry.Stats {
		if f.Tight.Valid && f.Tight.Val {
			r.report(statsField(f.FieldID, "tight_bounds"), false, f.Tight)
		}
	}
}

func checkPointerOnce(s *snapshot, r reporter) {
	first := make(map[string]*pointer)
	for _, p := range s.pointers {
		other, twice := first[p.location]
		switch {
		case !twice:
			first[p.location] = p
		case !p.live() || !other.live(): // else R-LIVE-ONCE
			r.row(p.row).report("location", fmt.Sprintf("one row for %s, which has row %d", p.location, other.row), statusName(p.entry.Tracking.Status))
		}
	}
}
