package invariants

import (
	"fmt"

	"github.com/firn-io/firn/tree"
)

var pointerInvariants = []Invariant{
	{
		ID: "E-COUNTS", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 2.4.3, 20.1",
		Statement: "The counts of manifest_info are not negative, and rows of a status need files of it.",
		Symptom:   "Readers skip the leaf, or assign row ids that overlap.",
		Advice:    "Count the leaf's rows by status when it is written and copy the counts from then on.",
		check:     checker{entry: checkCounts},
	},
	{
		ID: "E-RECORD-SUM", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 2.6.1, 2.6.2",
		Statement: "The record count of a pointer is the sum of the file counts of its manifest_info.",
		Symptom:   "Positions are held valid that the leaf does not have, or valid ones refused.",
		Advice:    "Set record_count to the number of entries in the leaf, all statuses.",
		check:     checker{entry: checkRecordSum},
	},
	{
		ID: "E-ROW-LIMIT", Scope: ScopeEntry, Severity: Error, Firmness: Derived, Rule: "rules 9.10, 18.1",
		Statement: "A v4 leaf has at most 2097152 rows.",
		Symptom:   "Rows beyond cannot be masked.",
		Advice:    "Split the leaf.",
		check:     checker{entry: checkRowLimit},
	},
	{
		ID: "E-VERSION", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 2.4.4",
		Statement: "The format version of a manifest is 4, or 0 for one of v1 to v3.",
		Symptom:   "Java refuses the row.",
		Advice:    "Write 4, or 0 for any manifest from before v4.",
		check:     checker{entry: checkVersion},
	},
	{
		ID: "E-MDV-DECODE", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 9.1, 9.2, 18, B19, B44",
		Statement: "The manifest deletion vector and both delta bitmaps decode, and their cardinality is the " +
			"number of their bits.",
		Symptom: "Readers fail on the leaf, or take dead files for live ones.",
		Advice:  "Restore the root from the snapshot before; the bitmap is lost.",
		check:   checker{entry: checkMDVDecode},
	},
	{
		ID: "E-MDV-CANONICAL", Scope: ScopeEntry, Severity: Warning, Firmness: Open, Rule: "rules 18.6",
		Statement: "Bitmaps are encoded canonically, and an empty one is null.",
		Symptom:   "Stricter readers refuse the bitmap.",
		Advice:    "Encode the set again with the present encoder.",
		check:     checker{entry: checkMDVCanonical},
	},
	{
		ID: "E-MDV-RANGE", Scope: ScopeEntry, Severity: Error, Firmness: Derived, Rule: "rules 9.10, 20.5, Q27, B44",
		Statement: "The positions of the manifest deletion vector and of both delta bitmaps are below the record count.",
		Symptom:   "The bitmap belongs to another leaf: readers mask the wrong files.",
		Advice:    "Resolve the removed files again and rebuild the bitmap.",
		check:     checker{entry: checkMDVRange},
	},
	{
		ID: "E-MDV-DISJOINT", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 9.3, 20.5",
		Statement: "No position is both deleted and replaced.",
		Symptom:   "Change feeds report the file as removed and as changed.",
		Advice:    "Set each position in the bitmap of what happened to it.",
		check:     checker{entry: checkMDVDisjoint},
	},
	{
		ID: "E-MDV-SUBSET", Scope: ScopeEntry, Severity: Error, Firmness: Derived, Rule: "rules 9.2, 9.3, 9.4, 20.5",
		Statement: "Each deleted or replaced position is set in the manifest deletion vector.",
		Symptom:   "The file is reported as removed or changed and is read nevertheless.",
		Advice:    "Set the position in dv too; dv alone decides what is live.",
		check:     checker{entry: checkMDVSubset},
	},
	{
		ID: "E-MDV-MODIFIED", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 9.4, 9.5, 9.6",
		Statement: "A pointer with delta bitmaps has a modified_snapshot_id.",
		Symptom:   "Readers cannot tell to which snapshot the bitmaps belong and must ignore the changes.",
		Advice:    "Set modified_snapshot_id to the snapshot that changed the bitmap, and keep it.",
		check:     checker{entry: checkMDVModified},
	},
	{
		ID: "E-MDV-UNMARKED", Scope: ScopeEntry, Severity: Warning, Firmness: Open, Rule: "rules 9.4, 9.5, 9.6, 9.13",
		Statement: "A pointer with a manifest deletion vector has a modified_snapshot_id, one that is ADDED with it too.",
		Symptom:   "Nothing tells which snapshot changed the bitmap last.",
		Advice:    "Set modified_snapshot_id whenever the bitmap is written, and keep it.",
		check:     checker{entry: checkMDVUnmarked},
	},
}

// count is one pair of counts of manifest_info.
type count struct {
	status string
	files  int64
	rows   int64
}

// countsOf lists the counts of manifest_info in the order of the format (rules 2.4).
func countsOf(m tree.ManifestInfo) [5]count {
	return [...]count{
		{"added", int64(m.AddedFiles), m.AddedRows},
		{"existing", int64(m.ExistingFiles), m.ExistingRows},
		{"deleted", int64(m.DeletedFiles), m.DeletedRows},
		{"replaced", int64(m.ReplacedFiles), m.ReplacedRows},
		{"modified", int64(m.ModifiedFiles), m.ModifiedRows},
	}
}

func (c count) filesField() string { return "manifest_info." + c.status + "_files_count" }
func (c count) rowsField() string  { return "manifest_info." + c.status + "_rows_count" }

func checkCounts(in *entryInput, r reporter) {
	if !in.entry.Manifest.Valid {
		return
	}
	for _, c := range countsOf(in.entry.Manifest.Val) {
		if c.files < 0 {
			r.report(c.filesField(), "0 or more", c.files)
		}
		if c.rows < 0 {
			r.report(c.rowsField(), "0 or more", c.rows)
		}
		if c.rows > 0 && c.files == 0 {
			r.report(c.rowsField(), "0 where no file has the status", c.rows)
		}
	}
	if m := in.entry.Manifest.Val.MinSequenceNumber; m < 0 {
		r.report("manifest_info.min_sequence_number", "0 or more", m)
	}
}

func checkRecordSum(in *entryInput, r reporter) {
	if !in.entry.Manifest.Valid {
		return
	}
	files := int64(0)
	for _, c := range countsOf(in.entry.Manifest.Val) {
		files += c.files
	}
	if files != in.entry.RecordCount {
		r.report("record_count", fmt.Sprintf("%d, the sum of the file counts", files), in.entry.RecordCount)
	}
}

func checkRowLimit(in *entryInput, r reporter) {
	if e := in.entry; isManifest(e) && !isLegacy(e) && e.RecordCount > maxCardinality {
		r.report("record_count", fmt.Sprintf("at most %d", maxCardinality), e.RecordCount)
	}
}

func checkVersion(in *entryInput, r reporter) {
	if v := in.entry.Manifest.Val.FormatVersion; in.entry.Manifest.Valid && v != 0 && v != 4 {
		r.report("manifest_info.format_version", "0 or 4", v)
	}
}

// namedBitmap is a bitmap with the name of its field.
type namedBitmap struct {
	field string
	bitmap
}

func (in *entryInput) bitmaps() [3]namedBitmap {
	return [...]namedBitmap{
		{"manifest_info.dv", in.dv},
		{"tracking.deleted_positions", in.deleted},
		{"tracking.replaced_positions", in.replaced},
	}
}

func checkMDVDecode(in *entryInput, r reporter) {
	for _, b := range in.bitmaps() {
		if b.err != nil {
			r.report(b.field, "a Mumbling bitmap", b.err)
		}
	}
}

func checkMDVCanonical(in *entryInput, r reporter) {
	for _, b := range in.bitmaps() {
		if b.oddity != "" {
			r.report(b.field, "the canonical encoding", b.oddity)
		}
	}
}

func checkMDVRange(in *entryInput, r reporter) {
	for _, b := range in.bitmaps() {
		if beyond := b.set.from(in.entry.RecordCount); len(beyond) > 0 {
			r.report(b.field, fmt.Sprintf("positions below record_count %d", in.entry.RecordCount), beyond)
		}
	}
}

func checkMDVDisjoint(in *entryInput, r reporter) {
	if both := in.deleted.set.and(in.replaced.set); len(both) > 0 {
		r.report("tracking.replaced_positions", "none of the deleted positions", both)
	}
}

func checkMDVSubset(in *entryInput, r reporter) {
	if !in.dv.usable() {
		return
	}
	for i, b := range in.bitmaps() {
		if i == 0 {
			continue
		}
		if missing := b.set.minus(in.dv.set); len(missing) > 0 {
			r.report(b.field, "only positions that are set in manifest_info.dv", missing)
		}
	}
}

func checkMDVModified(in *entryInput, r reporter) {
	if in.hasDelta() && in.unmarked() {
		r.report("tracking.modified_snapshot_id", "a snapshot id beside the bitmaps", none)
	}
}

func checkMDVUnmarked(in *entryInput, r reporter) {
	if in.dv.present && !in.hasDelta() && in.unmarked() {
		r.report("tracking.modified_snapshot_id", "a snapshot id beside the bitmap", none)
	}
}

func (in *entryInput) hasDelta() bool { return in.deleted.present || in.replaced.present }

// unmarked reports whether nothing says who modified the entry; of a MODIFIED one E-MODIFIED judges that.
func (in *entryInput) unmarked() bool {
	t := in.entry.Tracking
	return t.Status != tree.Modified && !t.ModifiedSnapshotID.Valid
}
