package invariants

import (
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

var carryInvariants = []Invariant{
	{
		ID: "X-CARRY", Scope: ScopeTransition, Severity: Error, Firmness: Derived,
		Rule: "rules 7.11, 8.2, 9.5, 9.7, 20.4, S8, S45",
		Statement: "A carried pointer keeps all that the parent says of it but status, bitmaps, statistics, a wider " +
			"partition type and, if it changed, modified_snapshot_id; a DELETED one may change snapshot_id too.",
		Symptom: "Rows that inherit from the pointer move in time or change their row ids.",
		Advice:  "Copy the parent's row; recompute nothing.",
		check:   checker{carried: checkCarry},
	},
	{
		ID: "X-CARRY-STATS", Scope: ScopeTransition, Severity: Error, Firmness: Derived, Rule: "rules 3.5, 9.8, 20.4",
		Statement: "Statistics of a carried pointer are dropped, promoted to a wider type or made less tight, nothing else.",
		Symptom:   "Scans skip the leaf although files in it match.",
		Advice:    "Copy the parent's statistics; masking entries never narrows them.",
		check:     checker{carried: checkCarryStats},
	},
	{
		ID: "X-MDV-MONOTONE", Scope: ScopeTransition, Severity: Error, Firmness: Firm, Rule: "rules 9.2, 20.5",
		Statement: "No position of a leaf that the parent masks is live again.",
		Symptom:   "Removed files come back.",
		Advice:    "Start from the parent's bitmap; restore files as new rows.",
		check:     checker{carried: checkMDVMonotone},
	},
	{
		ID: "X-MDV-STATUS", Scope: ScopeTransition, Severity: Error, Firmness: Firm, Rule: "rules 6.7, 9.5, S7",
		Statement: "A carried pointer is MODIFIED or DELETED exactly if its manifest deletion vector changed.",
		Symptom:   "Change feeds miss removals or look for some that are not there.",
		Advice:    "Compare with the parent's bitmap when the row is written.",
		check:     checker{carried: checkMDVStatus},
	},
	{
		ID: "X-DELETED-POINTER", Scope: ScopeTransition, Severity: Warning, Firmness: Open, Rule: "rules 9.9, Q13, S5, S9",
		Statement: "A pointer becomes DELETED only if the commit removed or replaced each of its files that was live.",
		Symptom:   "Change feeds do not know of all files that went.",
		Advice:    "Set the last live positions in the delta bitmaps; drop the row of a leaf that was rewritten.",
		check:     checker{carried: checkDeletedWhole},
	},
}

func checkCarry(p *carriedPointer, r reporter) {
	checkKeptFields(p.old.entry, p.now.entry, r)
	old, now := p.old.entry.Tracking, p.now.entry.Tracking
	if old.SnapshotID != now.SnapshotID && now.Status != tree.Deleted {
		r.report("tracking.snapshot_id", old.SnapshotID, now.SnapshotID)
	}
	if old.FirstRowID != now.FirstRowID && (old.FirstRowID.Valid || !p.now.legacy()) { // rules 8.8
		r.report("tracking.first_row_id", old.FirstRowID, now.FirstRowID)
	}
	if old.ModifiedSnapshotID != now.ModifiedSnapshotID && !p.transition.child.byThis(now.ModifiedSnapshotID) {
		r.report("tracking.modified_snapshot_id", old.ModifiedSnapshotID, now.ModifiedSnapshotID)
	}
	if want := p.timestamp(); want.Valid && now.SnapshotTimestampMicros != want {
		r.report("tracking.snapshot_timestamp", want, now.SnapshotTimestampMicros)
	}
}

// keeps reports a field that changed. What does not change is not printed, for most fields of most rows do not.
func keeps[T comparable](r reporter, field string, old, now T) {
	if old != now && show(old) != show(now) {
		r.report(field, old, now)
	}
}

// checkKeptFields reports changes of the fields that no carry changes. It is asked for each pointer of each commit, so that
// nothing is printed that did not change.
func checkKeptFields(old, now *tree.Entry, r reporter) {
	keeps(r, "tracking.sequence_number", old.Tracking.SequenceNumber, now.Tracking.SequenceNumber)
	keeps(r, "tracking.file_sequence_number", old.Tracking.FileSequenceNumber, now.Tracking.FileSequenceNumber)
	keeps(r, "content_type", int(old.Content)-1, int(now.Content)-1)
	keeps(r, "location", old.Location, now.Location)
	keeps(r, "file_format", old.FileFormat, now.FileFormat)
	keeps(r, "record_count", old.RecordCount, now.RecordCount)
	keeps(r, "file_size_in_bytes", old.FileSizeBytes, now.FileSizeBytes)
	keeps(r, "spec_id", old.SpecID, now.SpecID)
	if !slices.Equal(old.Partition, now.Partition) || (old.Partition == nil) != (now.Partition == nil) {
		keeps(r, "partition", printPartition(old.Partition), printPartition(now.Partition))
	}
	keeps(r, "key_metadata", printBytes(old.KeyMetadata), printBytes(now.KeyMetadata))
	if len(old.Foreign)+len(now.Foreign) > 0 {
		keeps(r, "unknown columns", printForeign(old.Foreign), printForeign(now.Foreign))
	}
	was, is := old.Manifest.Val, now.Manifest.Val
	keeps(r, "manifest_info.min_sequence_number", was.MinSequenceNumber, is.MinSequenceNumber)
	keeps(r, "manifest_info.format_version", was.FormatVersion, is.FormatVersion)
	before, after := countsOf(was), countsOf(is)
	if before == after {
		return
	}
	for i, c := range before {
		keeps(r, c.filesField(), c.files, after[i].files)
		keeps(r, c.rowsField(), c.rows, after[i].rows)
	}
}

// timestamp is the snapshot timestamp that a carry writes: the parent's own, or what its null stood for (rules 16.3).
// Null if the parent's root says nothing of it.
func (p *carriedPointer) timestamp() iceberg.Optional[int64] {
	old, t := p.old.entry.Tracking.SnapshotTimestampMicros, p.transition.parent.tree
	if !old.Valid && t.HasSnapshotTimestamps {
		return some(t.TimestampMillis * 1000)
	}
	return old
}

func checkCarryStats(p *carriedPointer, r reporter) {
	if slices.Equal(p.old.entry.Stats, p.now.entry.Stats) {
		return
	}
	reportNarrowed(p.old.entry.Stats, p.now.entry.Stats, r)
}

// reportNarrowed reports statistics that say more than those that they were carried from.
func reportNarrowed(was, is tree.Stats, r reporter) {
	before := make(map[int]tree.FieldStats)
	for _, f := range was {
		before[f.FieldID] = f
	}
	for _, now := range is {
		old := before[now.FieldID]
		for _, b := range []struct {
			member   string
			old, now tree.Value
		}{{"lower_bound", old.Lower, now.Lower}, {"upper_bound", old.Upper, now.Upper}} {
			if !b.now.IsNull() && !sameValue(b.now, b.old) {
				r.report(statsField(now.FieldID, b.member), b.old, b.now)
			}
		}
		for _, n := range []struct {
			member   string
			old, now iceberg.Optional[int64]
		}{
			{"value_count", old.ValueCount, now.ValueCount},
			{"null_value_count", old.NullCount, now.NullCount},
			{"nan_value_count", old.NaNCount, now.NaNCount},
		} {
			if n.now.Valid && n.now != n.old {
				r.report(statsField(now.FieldID, n.member), n.old, n.now)
			}
		}
		if now.Tight.Val && !old.Tight.Val {
			r.report(statsField(now.FieldID, "tight_bounds"), false, now.Tight)
		}
	}
}

// usable reports whether the bitmaps of both pointers are known.
func (p *carriedPointer) usable() bool { return p.old.dv.usable() && p.now.dv.usable() }

// newlyMasked returns the positions that the child masks and the parent does not.
func (p *carriedPointer) newlyMasked() positions { return p.now.dv.set.minus(p.old.dv.set) }

// changed reports whether something is said of positions that the parent does not say.
func (p *carriedPointer) changed() bool {
	deleted, replaced := p.delta()
	return len(p.newlyMasked()) > 0 || len(deleted)+len(replaced) > 0
}

// delta returns the deleted and the replaced positions of the child, if they are facts of the child (rules 9.6).
func (p *carriedPointer) delta() (deleted, replaced positions) {
	if !p.transition.child.changedHere(p.now) {
		return nil, nil
	}
	return p.now.deleted.set, p.now.replaced.set
}

func checkMDVMonotone(p *carriedPointer, r reporter) {
	if back := p.old.dv.set.minus(p.now.dv.set); p.usable() && len(back) > 0 {
		r.report("manifest_info.dv", "every position that the parent masks", back.String()+" missing")
	}
}

func checkMDVStatus(p *carriedPointer, r reporter) {
	if !p.usable() {
		return
	}
	changed := len(p.newlyMasked()) > 0 || len(p.old.dv.set) != len(p.now.dv.set)
	switch status := p.now.entry.Tracking.Status; {
	case changed && status == tree.Existing:
		r.report("tracking.status", "MODIFIED, for the bitmap changed", "EXISTING")
	case !changed && (status == tree.Modified || status == tree.Deleted):
		r.report("tracking.status", "EXISTING, for the bitmap did not change", statusName(status))
	}
}

func checkDeletedWhole(p *carriedPointer, r reporter) {
	if p.now.entry.Tracking.Status != tree.Deleted || !p.usable() {
		return
	}
	if masked, live := int64(len(p.now.dv.set)), p.now.liveFiles(); masked < live {
		r.report("manifest_info.dv", fmt.Sprintf("at least %d positions", live), masked)
	}
	deleted, replaced := p.delta()
	dead := p.now.entry.RecordCount - p.now.liveFiles() // their rows may be masked, and there is nothing to tell of them
	if untold := p.newlyMasked().minus(deleted).minus(replaced); int64(len(untold)) > dead {
		r.report("tracking.deleted_positions", "every position that was live, or in replaced_positions", untold.String()+" missing")
	}
}
