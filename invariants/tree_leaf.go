package invariants

import (
	"fmt"

	"github.com/firn-io/firn/tree"
)

var treeLeafInvariants = []Invariant{
	{
		ID: "T-RECORD-COUNT", Scope: ScopeTree, Depth: AllLeaves, Severity: Error, Firmness: Firm, Rule: "rules 2.6.1",
		Statement: "The record count of a pointer is the number of rows in its leaf, all statuses.",
		Symptom:   "Positions are held valid that the leaf does not have, or valid ones refused.",
		Advice:    "The leaf or its pointer belongs to something else; compare with the snapshot that added it.",
		Implies:   []string{"T-COUNTS"},
		check:     checker{openLeaf: checkLeafRecords},
	},
	{
		ID: "T-COUNTS", Scope: ScopeTree, Depth: AllLeaves, Severity: Error, Firmness: Firm,
		Rule:      "rules 2.4, 8.4, 9.7, 11.4, Q5",
		Statement: "The counts of manifest_info are those of the rows in the leaf by their status, masked or not.",
		Symptom:   "Readers skip the leaf, totals are wrong, row ids of the next leaf overlap.",
		Advice:    "Count the rows when the leaf is written and copy the counts from then on.",
		check:     checker{openLeaf: checkLeafCounts},
	},
	{
		ID: "T-MIN-SEQ", Scope: ScopeTree, Depth: AllLeaves, Severity: Error, Firmness: Firm, Rule: "rules 7.8, Q5",
		Statement: "The min_sequence_number of a v4 leaf is the lowest data sequence number of its live entries, " +
			"masked or not.",
		Symptom: "Readers match deletes with too many leaves, or with too few.",
		Advice:  "Take the minimum when the leaf is written, the commit's own number for entries without one.",
		check:   checker{openLeaf: checkLeafMinSeq},
	},
	{
		ID: "T-STATS-COVER", Scope: ScopeTree, Depth: AllLeaves, Severity: Error, Firmness: Derived,
		Rule:      "rules 3.8, Q9, B32",
		Statement: "The statistics of a pointer cover those of every live entry of its leaf; what one entry lacks is null.",
		Symptom:   "Scans skip the leaf although files in it match.",
		Advice:    "Aggregate over all live entries, or leave the pointer's statistics null.",
		check:     checker{openLeaf: checkLeafStats},
	},
	{
		ID: "T-PARTITION", Scope: ScopeTree, Depth: AllLeaves, Severity: Error, Firmness: Derived, Rule: "rules 1.7, 2.4.5, Q7",
		Statement: "Where a pointer to a v4 leaf has a spec id and a partition, every live entry of its leaf has the same.",
		Symptom:   "Scans skip the leaf although files in it match.",
		Advice:    "Leave spec_id and partition of a pointer null, unless all entries share them.",
		check:     checker{openRow: checkLeafPartition},
	},
	{
		ID: "T-ADDED", Scope: ScopeTree, Depth: AllLeaves, Severity: Error, Firmness: Firm, Rule: "rules 6.6, 7.1, 7.2, 11.4",
		Statement: "An ADDED row of a leaf has, itself or inherited, the snapshot id and as file sequence number the number " +
			"of its pointer, and was modified by no other snapshot.",
		Symptom: "Change feeds miss the file or report it in another snapshot.",
		Advice:  "Leave the ids of new rows null, so that they are inherited; write rows that are not new as EXISTING.",
		check:   checker{openRow: checkLeafAdded},
	},
	{
		ID: "T-OLDER", Scope: ScopeTree, Depth: AllLeaves, Severity: Error, Firmness: Firm, Rule: "rules 6.1, 6.6",
		Statement: "A row of a leaf that is not ADDED was there before: its file sequence number is below the pointer's, and a " +
			"live one carries the id of an earlier snapshot.",
		Symptom: "Change feeds miss a file that is new.",
		Advice:  "Write ADDED for what first appears, and keep the snapshot id of what moves.",
		check:   checker{openRow: checkLeafOlder},
	},
	{
		ID: "T-MODIFIED", Scope: ScopeTree, Depth: AllLeaves, Severity: Error, Firmness: Firm, Rule: "rules 6.5, 6.6",
		Statement: "A row of a leaf is MODIFIED exactly if its modified_snapshot_id is the snapshot that wrote the " +
			"leaf, unless it was added there.",
		Symptom: "Change feeds miss a change or report it again.",
		Advice:  "Write MODIFIED when a deletion vector changes, EXISTING when the row only moves.",
		check:   checker{openRow: checkLeafModified},
	},
	{
		ID: "T-TOMBSTONE", Scope: ScopeTree, Depth: AllLeaves, Severity: Error, Firmness: Firm, Rule: "rules 6.4, 6.6, 20.8",
		Statement: "A DELETED or REPLACED row of a leaf belongs to the snapshot that wrote the leaf.",
		Symptom:   "A tombstone that was carried; change feeds that go by the leaf report the removal again.",
		Advice:    "Leave dead rows out when entries move to another leaf.",
		check:     checker{openRow: checkLeafTombstone},
	},
	{
		ID: "T-SEQ-RANGE", Scope: ScopeTree, Depth: AllLeaves, Severity: Error, Firmness: Derived, Rule: "rules 7.2, 7.8",
		Statement: "No sequence number of a row in a leaf is above that of its pointer.",
		Symptom:   "A number of a failed attempt; deletes apply to the wrong files.",
		Advice:    "Leave the numbers of new rows null, so that they are inherited.",
		check:     checker{openRow: checkLeafSeqRange},
	},
}

func checkLeafRecords(o *openLeaf, r reporter) {
	if n := int64(o.leaf.rows.count); n != o.pointer.entry.RecordCount {
		r.report("record_count", fmt.Sprintf("%d, the rows of %s", n, o.pointer.location), o.pointer.entry.RecordCount)
	}
}

func checkLeafCounts(o *openLeaf, r reporter) {
	var m tree.ManifestInfo
	for f := range o.leaf.rows.all() {
		switch f.status {
		case tree.Added:
			m.AddedFiles, m.AddedRows = m.AddedFiles+1, sum(m.AddedRows, f.recordCount)
		case tree.Existing:
			m.ExistingFiles, m.ExistingRows = m.ExistingFiles+1, sum(m.ExistingRows, f.recordCount)
		case tree.Deleted:
			m.DeletedFiles, m.DeletedRows = m.DeletedFiles+1, sum(m.DeletedRows, f.recordCount)
		case tree.Replaced:
			m.ReplacedFiles, m.ReplacedRows = m.ReplacedFiles+1, sum(m.ReplacedRows, f.recordCount)
		case tree.Modified:
			m.ModifiedFiles, m.ModifiedRows = m.ModifiedFiles+1, sum(m.ModifiedRows, f.recordCount)
		}
	}
	stated := countsOf(o.pointer.entry.Manifest.Val)
	for i, c := range countsOf(m) {
		if c.files != stated[i].files {
			r.report(c.filesField(), c.files, stated[i].files)
		}
		if c.rows != stated[i].rows {
			r.report(c.rowsField(), c.rows, stated[i].rows)
		}
	}
}

func checkLeafMinSeq(o *openLeaf, r reporter) {
	if o.pointer.legacy() {
		return
	}
	lowest := int64(-1)
	for f := range o.all() {
		if isLive(f.status) && f.sequence.Valid && (lowest < 0 || f.sequence.Val < lowest) {
			lowest = f.sequence.Val
		}
	}
	if stated := o.pointer.entry.Manifest.Val.MinSequenceNumber; lowest >= 0 && stated != lowest {
		r.report("manifest_info.min_sequence_number", lowest, stated)
	}
}

func checkLeafStats(o *openLeaf, r reporter) {
	if o.pointer.legacy() {
		return
	}
	for _, f := range o.pointer.entry.Stats {
		o.leaf.stats.check(f, func(member string, expected, found any) {
			r.report(statsField(f.FieldID, member), expected, found)
		})
	}
}

func checkLeafPartition(o *openLeaf, f *file, r reporter) {
	e := o.pointer.entry
	if !e.SpecID.Valid || !isLive(f.status) {
		return
	}
	if f.spec != e.SpecID {
		r.report("spec_id", show(e.SpecID)+", as the pointer says", f.spec)
	}
	if said := printPartition(e.Partition); said != "" && f.partition != said {
		r.report("partition", said+", as the pointer says", f.partition)
	}
}

// writer is what the pointer tells of the snapshot that wrote the leaf: no carry changes it (rules 7.11).
func (o *openLeaf) writer() *tree.Tracking { return &o.pointer.entry.Tracking }

func checkLeafAdded(o *openLeaf, f *file, r reporter) {
	w := o.writer()
	if f.status != tree.Added {
		return
	}
	if differ(f.snapshotID, w.SnapshotID) {
		r.report("tracking.snapshot_id", w.SnapshotID, f.snapshotID)
	}
	if differ(f.fileSequence, w.SequenceNumber) && f.fileSequence.Val < w.SequenceNumber.Val {
		r.report("tracking.file_sequence_number", w.SequenceNumber, f.fileSequence)
	}
	if differ(f.modifiedID, w.SnapshotID) {
		r.report("tracking.modified_snapshot_id", "null or "+show(w.SnapshotID), f.modifiedID)
	}
}

func checkLeafOlder(o *openLeaf, f *file, r reporter) {
	w := o.writer()
	if f.status == tree.Added {
		return
	}
	if isLive(f.status) && same(f.snapshotID, w.SnapshotID) && !f.lentID { // else L-ID-NULL
		r.report("tracking.snapshot_id", "an earlier snapshot", f.snapshotID)
	}
	if same(f.fileSequence, w.SequenceNumber) && f.fileSequence.Val != 0 {
		r.report("tracking.file_sequence_number", "below "+show(w.SequenceNumber), f.fileSequence)
	}
}

func checkLeafModified(o *openLeaf, f *file, r reporter) {
	w := o.writer()
	if f.status == tree.Modified && differ(f.modifiedID, w.SnapshotID) {
		r.report("tracking.modified_snapshot_id", w.SnapshotID, f.modifiedID)
	}
	if f.status != tree.Modified && f.status != tree.Added && same(f.modifiedID, w.SnapshotID) {
		r.report("tracking.status", "MODIFIED", statusName(f.status))
	}
}

func checkLeafTombstone(o *openLeaf, f *file, r reporter) {
	if w := o.writer(); !isLive(f.status) && differ(f.snapshotID, w.SnapshotID) {
		r.report("tracking.snapshot_id", w.SnapshotID, f.snapshotID)
	}
}

func checkLeafSeqRange(o *openLeaf, f *file, r reporter) {
	limit := o.writer().SequenceNumber
	if limit.Valid && f.sequence.Valid && f.sequence.Val > limit.Val {
		r.report("tracking.sequence_number", "at most "+show(limit), f.sequence)
	}
	if limit.Valid && f.fileSequence.Valid && f.fileSequence.Val > limit.Val {
		r.report("tracking.file_sequence_number", "at most "+show(limit), f.fileSequence)
	}
}
