package invariants

import (
	"bytes"
	"fmt"

	"github.com/firn-io/firn/tree"
)

// changeInvariants are about files that left their place or came in at one. Their checkers are called for each share of
// the files, and may not see plain new files (see [changes]): a rule that adds up files, or finds something of plain ones,
// is none of these. The examples of each rule are checked in shares of one file, so that such a rule does not go unseen.
var changeInvariants = []Invariant{
	{
		ID: "X-MDV-DELTA", Scope: ScopeTransition, Depth: AllLeaves, Severity: Error, Firmness: Derived,
		Rule:      "rules 9.2, 20.5, S26",
		Statement: "Deleted and replaced positions of a snapshot were live in its parent.",
		Symptom:   "Change feeds report a removal twice, or of a file that was dead already.",
		Advice:    "Resolve removed files against the parent; clear both bitmaps before new positions are set.",
		check:     checker{transition: checkDelta},
	},
	{
		ID: "X-LOST", Scope: ScopeTransition, Depth: AllLeaves, Severity: Error, Firmness: Firm,
		Rule: "rules 6.4, 9.2, 9.4, 9.9, 20.5, B09",
		Statement: "A file that is live in the parent is live in the child, or the child says that it was deleted: by a DELETED " +
			"row or a deleted position.",
		Symptom: "Data is gone that nobody removed, or change feeds miss a removal.",
		Advice:  "Restore the file from the parent snapshot if it was not meant to go.",
		check:   checker{transition: checkLost},
	},
	{
		ID: "X-INVENTED", Scope: ScopeTransition, Depth: AllLeaves, Severity: Error, Firmness: Derived,
		Rule:      "rules 6.1, 6.5, 6.6, B10",
		Statement: "A live file that the child did not add was live in the parent.",
		Symptom:   "Removed files come back, or files appear that no snapshot added.",
		Advice:    "Write ADDED for what comes in, and build rows from the live entries of the parent alone.",
		check:     checker{transition: checkInvented},
	},
	{
		ID: "X-READDED", Scope: ScopeTransition, Depth: AllLeaves, Severity: Warning, Firmness: Firm,
		Rule:      "rules 6.10, 13.2, S22",
		Statement: "A file that is live in the parent is not added by the child, unless a DELETED row says that it went.",
		Symptom:   "The file's rows get new row ids and look new; deletes before it no longer apply.",
		Advice:    "Keep the entry, or write changed contents under a new location.",
		check:     checker{transition: checkReadded},
	},
	{
		ID: "X-KEPT", Scope: ScopeTransition, Depth: AllLeaves, Severity: Error, Firmness: Derived, Rule: "rules 9.2, 9.13, 20.7",
		Statement: "A file that a deleted position names is not live elsewhere in the child as the same file.",
		Symptom:   "Change feeds report a removal of a file that is still read.",
		Advice:    "Mask the old position of an entry that only moves in dv alone.",
		check:     checker{transition: checkKept},
	},
	{
		ID: "X-TOLD-ONCE", Scope: ScopeTransition, Depth: AllLeaves, Severity: Error, Firmness: Derived,
		Rule:      "rules 6.3, 9.3, 20.6",
		Statement: "The child says at most once that a file of the parent was deleted, and not that it was replaced too.",
		Symptom:   "Change feeds report the change twice.",
		Advice:    "Write a row or a position, not both.",
		check:     checker{transition: checkToldOnce},
	},
	{
		ID: "X-REPLACED", Scope: ScopeTransition, Depth: AllLeaves, Severity: Error, Firmness: Firm,
		Rule: "rules 6.3, 20.6, B15",
		Statement: "Each MODIFIED data file of the child has one old state replaced, by a REPLACED row or a replaced position, and " +
			"each old state that was replaced has a MODIFIED file.",
		Symptom: "Change feeds cannot tell what the file was before, or what became of it.",
		Advice:  "Write both halves of the change in one commit.",
		check:   checker{transition: checkReplaced},
	},
	{
		ID: "X-TOMBSTONE", Scope: ScopeTransition, Depth: AllLeaves, Severity: Error, Firmness: Derived,
		Rule:      "rules 6.1, 6.4, S18",
		Statement: "A DELETED row names a file that is live in the parent.",
		Symptom:   "Change feeds report the removal of a file that was not there.",
		Advice:    "Leave no trace of a file that came and went within one commit.",
		check:     checker{transition: checkTombstoneKnown},
	},
	{
		ID: "X-TOMBSTONE-STATE", Scope: ScopeTransition, Depth: AllLeaves, Severity: Error, Firmness: Firm,
		Rule:      "rules 6.3, 6.6, S10",
		Statement: "A DELETED or REPLACED row is the file's state in the parent, but for status and snapshot id.",
		Symptom:   "Change feeds and expiry take the wrong state for the old one.",
		Advice:    "Write the tombstone from the parent's entry after inheritance.",
		check:     checker{transition: checkTombstoneState},
	},
	{
		ID: "X-SAME-FILE", Scope: ScopeTransition, Depth: AllLeaves, Severity: Error, Firmness: Firm,
		Rule: "rules 6.6, 7.2, 8.2, 8.7, 20.4",
		Statement: "A file that is live in the parent and not added by the child keeps its ids, sequence numbers, row ids, size, " +
			"format, partition and keys, wherever its entry moves; one that is EXISTING keeps modified_snapshot_id and unknown columns too.",
		Symptom: "The file moves in time, its rows change their row ids, or it cannot be read any more.",
		Advice:  "Write the inherited values out when an entry moves.",
		check:   checker{transition: checkSameFile},
	},
	{
		ID: "X-FILE-STATS", Scope: ScopeTransition, Severity: Error, Firmness: Derived, Rule: "rules 3.1, 3.6, S22, S23",
		Statement: "The statistics of a file that stays in the root may be refreshed, but do not contradict those of the parent: no count " +
			"differs, no tight bound of one state is outside the bounds of the other, and the bounds of both overlap.",
		Symptom: "One of the two is wrong: in one of the snapshots scans skip the file although rows in it match.",
		Advice: "Compare both with the file. Copy statistics where nothing refreshes them; a changed deletion vector never narrows " +
			"them. To mend wrong ones, drop them in one snapshot and write the right ones in the next.",
		check: checker{transition: checkFileStats},
	},
	{
		ID: "X-DV-STATUS", Scope: ScopeTransition, Depth: AllLeaves, Severity: Error, Firmness: Firm, Rule: "rules 6.3, 6.5",
		Statement: "A file whose deletion vector changed is MODIFIED.",
		Symptom:   "Change feeds miss the deleted rows.",
		Advice:    "Write MODIFIED and replace the old state.",
		check:     checker{transition: checkDVStatus},
	},
	{
		ID: "X-MODIFIED-SAME", Scope: ScopeTransition, Depth: AllLeaves, Severity: Error, Firmness: Firm, Rule: "rules 6.1, 6.3",
		Statement: "A file that is MODIFIED has another deletion vector than in the parent, or other unknown columns, as column files are.",
		Symptom:   "Change feeds report a change where there is none.",
		Advice:    "Carry the file as EXISTING; statistics are refreshed without a change.",
		check:     checker{transition: checkModifiedSame},
	},
	{
		ID: "X-DV-SHRINKS", Scope: ScopeTransition, Depth: AllLeaves, Severity: Error, Firmness: Firm, Rule: "rules 10.1",
		Statement: "The deletion vector of a file does not go and does not delete fewer rows than before.",
		Symptom:   "Deleted rows come back.",
		Advice:    "Merge earlier deletes into each new deletion vector.",
		check:     checker{transition: checkDVShrinks},
	},
	{
		ID: "X-ROW-ID-REUSED", Scope: ScopeTransition, Depth: AddedLeaves, Severity: Error, Firmness: Derived,
		Rule: "rules 8.3, 20.9, S24",
		Statement: "A file that the child adds in a leaf takes row ids at or above the child's first-row-id; one with an older data " +
			"sequence number may keep ids that all lie below, those that it has in the parent if the same rows are live there.",
		Symptom: "The file takes ids that other rows have or had.",
		Advice:  "Leave first_row_id of new rows null, so that it is inherited; restore a file with the ids that it had.",
		check:   checker{transition: checkRowIDReused},
	},
}

func checkDelta(t *transition, r reporter) {
	if !t.changes.share.first() { // the rule is about pointers
		return
	}
	for _, p := range t.carried {
		deleted, replaced := p.delta()
		for _, again := range []positions{deleted.and(p.old.dv.set), replaced.and(p.old.dv.set)} {
			if len(again) > 0 {
				r.row(p.now.row).report("tracking.deleted_positions", "positions that the parent does not mask", again)
			}
		}
	}
	for _, p := range t.fresh {
		if t.child.changedHere(p) && len(p.deleted.set)+len(p.replaced.set) > 0 {
			r.row(p.row).report("tracking.deleted_positions", "null for a leaf that the parent does not have", p.deleted.set)
		}
	}
	for _, dead := range t.changes.dead {
		r.row(dead.pointer.row).report("tracking.deleted_positions", "positions of live rows", dead.positions)
	}
}

func checkLost(t *transition, r reporter) {
	if !t.changes.afterKnown {
		return
	}
	for _, d := range t.changes.before.order {
		a, live := d.now, d.now != nil
		told := d.deletedBits+d.deletedRows+d.replaced > 0
		if !told && !(live && !t.isNew(a)) && !t.changes.stays(d.location) {
			r.report("location", d.described()+", live or deleted", "no trace")
		}
	}
	if t.changes.share.last() {
		checkLostCount(t, r)
	}
}

func checkInvented(t *transition, r reporter) {
	c := t.changes
	if !c.beforeKnown || !c.stayingKnown {
		if c.share.last() {
			checkInventedCount(t, r)
		}
		return
	}
	for _, a := range c.after.order {
		if a.was == nil && !t.isNew(a) && !c.stays(a.location) {
			r.at(a.object, a.row).report("tracking.status", "ADDED, for the parent does not have "+a.location, statusName(a.status))
		}
	}
}

func checkReadded(t *transition, r reporter) {
	for _, a := range t.changes.after.order {
		if d := a.was; d != nil && d.deletedRows == 0 && t.isNew(a) {
			r.at(a.object, a.row).report("tracking.status", "EXISTING or MODIFIED, for the parent has "+a.location, "ADDED")
		}
	}
}

func checkKept(t *transition, r reporter) {
	for d, a := range t.moved() {
		if d.deletedBits > 0 {
			r.at(a.object, a.row).report("location",
				fmt.Sprintf("not live, for it was deleted from %s row %d", d.object, d.row), a.location)
		}
	}
}

func checkToldOnce(t *transition, r reporter) {
	for _, d := range t.changes.before.order {
		deleted := d.deletedBits + d.deletedRows
		if deleted > 1 || deleted > 0 && d.replaced > 0 {
			r.report("location", d.described()+", deleted or replaced once", fmt.Sprintf("%d times", deleted+d.replaced))
		}
	}
}

func checkReplaced(t *transition, r reporter) {
	c := t.changes
	if !c.afterKnown {
		return
	}
	for _, d := range c.before.order {
		a, live := d.now, d.now != nil
		switch modified := live && a.status == tree.Modified; {
		case modified && d.replaced != 1:
			r.at(a.object, a.row).report("tracking.status", "one REPLACED row or replaced position of "+a.location, d.replaced)
		case !modified && d.replaced > 0 && d.deletedBits+d.deletedRows == 0: // else X-TOLD-ONCE
			r.report("location", d.described()+", MODIFIED, for its old state was replaced", "no such row")
		}
	}
	if !c.beforeKnown || !c.stayingKnown {
		if c.share.last() {
			checkReplacedCount(t, r)
		}
		return
	}
	for _, dead := range c.tombstones {
		_, known := c.before.by[dead.location]
		a, live := c.after.by[dead.location]
		if dead.status == tree.Replaced && !known && !(live && a.status == tree.Modified) {
			r.at(dead.object, dead.row).report("tracking.status", "a MODIFIED row of "+dead.location, "none")
		}
	}
}

func checkTombstoneKnown(t *transition, r reporter) {
	c := t.changes
	if !c.beforeKnown || !c.stayingKnown {
		return
	}
	for _, dead := range c.tombstones {
		_, known := c.before.by[dead.location]
		a, live := c.after.by[dead.location]
		invented := live && !t.isNew(a) // X-INVENTED; a file that stays is for T-DELETED-LIVE
		if dead.status == tree.Deleted && !known && !invented && !c.stays(dead.location) {
			r.at(dead.object, dead.row).report("location", "a file that was live in the parent", dead.location)
		}
	}
}

func checkTombstoneState(t *transition, r reporter) {
	for _, dead := range t.changes.tombstones {
		if d, known := t.changes.before.by[dead.location]; known {
			row := r.at(dead.object, dead.row)
			keepsIdentity(row, &d.file, &dead.file)
			keepsState(row, &d.file, &dead.file)
			if !sameDV(d.dv, dead.dv) {
				row.report("deletion_vector", printDV(d.dv), printDV(dead.dv))
			}
		}
	}
}

func checkSameFile(t *transition, r reporter) {
	for d, a := range t.moved() {
		row := r.at(a.object, a.row)
		keepsIdentity(row, &d.file, &a.file)
		keeps(row, "tracking.snapshot_id", d.snapshotID, a.snapshotID)
		if a.status == tree.Existing {
			keepsState(row, &d.file, &a.file)
		}
	}
}

func checkFileStats(t *transition, r reporter) {
	for d, a := range t.moved() {
		if d.object == t.parent.tree.Root && a.object == t.child.tree.Root {
			reportContradictions(t.parent.tree.Rows[d.row].Stats, t.child.tree.Rows[a.row].Stats, r.at(a.object, a.row))
		}
	}
}

func checkDVStatus(t *transition, r reporter) {
	for d, a := range t.moved() {
		if !sameDV(d.dv, a.dv) && a.status != tree.Modified {
			r.at(a.object, a.row).report("tracking.status", "MODIFIED, for the deletion vector was "+printDV(d.dv), statusName(a.status))
		}
	}
}

func checkModifiedSame(t *transition, r reporter) {
	for d, a := range t.moved() {
		if a.status == tree.Modified && sameDV(d.dv, a.dv) && d.foreign == a.foreign {
			r.at(a.object, a.row).report("tracking.status", "EXISTING, for the file is as it was", "MODIFIED")
		}
	}
}

func checkDVShrinks(t *transition, r reporter) {
	for d, a := range t.moved() {
		if d.dv != nil && (a.dv == nil || a.dv.Cardinality < d.dv.Cardinality) {
			r.at(a.object, a.row).report("deletion_vector", fmt.Sprintf("at least %d deleted rows", d.dv.Cardinality), printDV(a.dv))
		}
	}
}

func checkRowIDReused(t *transition, r reporter) {
	first := t.child.tree.FirstRowID
	for _, a := range t.changes.after.order {
		if !t.isNew(a) || !a.firstRowID.Valid || a.firstRowID.Val >= first {
			continue
		}
		d, known := a.was, a.was != nil
		switch {
		case !t.child.mayKeepIDs(&a.file):
			if a.object != t.child.tree.Root { // else R-ROW-ID-START
				r.at(a.object, a.row).report("tracking.first_row_id", fmt.Sprintf("%d or more", first), a.firstRowID)
			}
		case known && d.sequence == a.sequence && differ(d.firstRowID, a.firstRowID): // else another file of that location
			r.at(a.object, a.row).report("tracking.first_row_id",
				fmt.Sprintf("%s, as in the parent, or %d or more", show(d.firstRowID), first), a.firstRowID)
		}
	}
}

// keepsIdentity reports what changed of a file that never does.
func keepsIdentity(r reporter, old, now *file) {
	keeps(r, "tracking.file_sequence_number", old.fileSequence, now.fileSequence)
	keeps(r, "record_count", old.recordCount, now.recordCount)
	keeps(r, "file_size_in_bytes", old.sizeBytes, now.sizeBytes)
	keeps(r, "spec_id", old.spec, now.spec)
	keeps(r, "partition", old.partition, now.partition)
	keeps(r, "file_format", old.format, now.format)
	keeps(r, "key_metadata", old.keyMetadata, now.keyMetadata)
	if old.firstRowID.Valid { // else it may be assigned now (rules 8.2, 8.8)
		keeps(r, "tracking.first_row_id", old.firstRowID, now.firstRowID)
	}
	if now.status != tree.Modified || old.foreign == now.foreign { // else perhaps a column file (rules 7.5, 15.2)
		keeps(r, "tracking.sequence_number", old.sequence, now.sequence)
	}
}

// keepsState reports what changed of a file that only a modification changes, its deletion vector apart.
func keepsState(r reporter, old, now *file) {
	keeps(r, "tracking.modified_snapshot_id", old.modifiedID, now.modifiedID)
	keeps(r, "unknown columns", old.foreign, now.foreign)
}

// sameDV reports whether two deletion vectors are one, or both null.
func sameDV(a, b *tree.DeletionVector) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Location == b.Location && a.OffsetBytes == b.OffsetBytes && a.SizeBytes == b.SizeBytes && a.Cardinality == b.Cardinality &&
		bytes.Equal(a.KeyMetadata, b.KeyMetadata) && (a.KeyMetadata == nil) == (b.KeyMetadata == nil)
}
