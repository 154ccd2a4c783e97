package invariants

import (
	"fmt"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// rootRow is one row of a root and the snapshot that wrote it.
type rootRow struct {
	snapshot *snapshot
	entry    *tree.Entry
}

func (in *rootRow) tracking() *tree.Tracking { return &in.entry.Tracking }

var rootInvariants = []Invariant{
	{
		ID: "R-EXPLICIT", Scope: ScopeRoot, Severity: Error, Firmness: Firm, Rule: "rules 7.6, Q23, 20.2",
		Statement: "Each row of a root carries its snapshot id and both sequence numbers.",
		Symptom:   "There is nothing to inherit from: deletes and change feeds place the file wrongly, or readers fail.",
		Advice:    "Write the commit's values into the root, on each attempt anew.",
		check:     checker{rootRow: checkExplicit},
	},
	{
		ID: "R-SEQ-EQUAL", Scope: ScopeRoot, Severity: Error, Firmness: Firm, Rule: "rules 2.2.3, 20.3",
		Statement: "Both sequence numbers of a pointer are equal.",
		Symptom:   "Readers refuse the root.",
		Advice:    "Give a pointer the sequence number of the snapshot that wrote the leaf, twice, and keep it.",
		check:     checker{rootRow: checkSeqEqual},
	},
	{
		ID: "R-SEQ-RANGE", Scope: ScopeRoot, Severity: Error, Firmness: Derived, Rule: "rules 7.2, 7.8",
		Statement: "No sequence number of a row is above that of its snapshot.",
		Symptom:   "A number of a failed attempt or of another table; deletes apply to the wrong files.",
		Advice:    "Assign sequence numbers in the root, on each attempt anew.",
		check:     checker{rootRow: checkSeqRange},
	},
	{
		ID: "R-ADDED", Scope: ScopeRoot, Severity: Error, Firmness: Firm, Rule: "rules 6.6, 6.7, 7.2",
		Statement: "An ADDED row carries the id and, as file sequence number, the number of its snapshot, and was " +
			"modified by no other.",
		Symptom: "Change feeds miss the file or report it in another snapshot.",
		Advice:  "Turn rows of earlier snapshots into EXISTING when they are carried.",
		check:   checker{rootRow: checkAdded},
	},
	{
		ID: "R-BORN-DV", Scope: ScopeRoot, Severity: Warning, Firmness: Draft, Rule: "rules 6.6, 10.4",
		Statement: "A data file that is added together with a deletion vector names its snapshot in modified_snapshot_id.",
		Symptom:   "Change feeds cannot tell that the file's first state has deletes.",
		Advice:    "Set modified_snapshot_id to the committing snapshot.",
		check:     checker{rootRow: checkBornDV},
	},
	{
		ID: "R-OLDER", Scope: ScopeRoot, Severity: Error, Firmness: Firm, Rule: "rules 6.1, 6.6",
		Statement: "A row that is not ADDED was there before: its file sequence number is below its snapshot's, and a live " +
			"one carries the id of an earlier snapshot.",
		Symptom: "Change feeds miss a file that is new.",
		Advice:  "Write ADDED for what first appears, and keep the snapshot id of what is carried or modified.",
		check:   checker{rootRow: checkOlder},
	},
	{
		ID: "R-MODIFIED", Scope: ScopeRoot, Severity: Error, Firmness: Firm, Rule: "rules 6.6, 9.5",
		Statement: "A row is MODIFIED exactly in the snapshot that its modified_snapshot_id names, unless it was added or, " +
			"as a pointer, deleted there.",
		Symptom: "Change feeds miss a change or report it again.",
		Advice:  "Write MODIFIED when a deletion vector changes, EXISTING when the row is carried.",
		check:   checker{rootRow: checkModifiedHere},
	},
	{
		ID: "R-TOMBSTONE", Scope: ScopeRoot, Severity: Error, Firmness: Firm, Rule: "rules 6.4, 6.6, 20.8, Q11",
		Statement: "A DELETED or REPLACED row of a root belongs to its snapshot.",
		Symptom:   "A tombstone that was carried: change feeds report the removal again, the root grows without end.",
		Advice:    "Leave the dead rows of the parent out; give new ones the id of the committing snapshot.",
		check:     checker{rootRow: checkTombstone},
	},
	{
		ID: "R-LIVE-ONCE", Scope: ScopeRoot, Severity: Error, Firmness: Firm, Rule: "rules 13.1, 13.4, 20.7, B15",
		Statement: "No location is live in two rows of a root.",
		Symptom:   "Scans read the file, or the whole leaf, twice.",
		Advice:    "Remove one of the rows in a new snapshot.",
		check:     checker{root: checkRootLiveOnce},
	},
	{
		ID: "R-DELETED-LIVE", Scope: ScopeRoot, Severity: Error, Firmness: Draft, Rule: "rules 13.2, 13.3, 20.7, Q21",
		Statement: "A location that a DELETED row of the snapshot names is not live in another row of the root, unless R-READDED " +
			"judges it.",
		Symptom: "Change feeds report a removal of a file that is still read.",
		Advice:  "Write no DELETED row for a file that stays; add changed contents under a new location.",
		check:   checker{root: checkRootDeletedLive},
	},
	{
		ID: "R-READDED", Scope: ScopeRoot, Severity: Warning, Firmness: Firm, Rule: "rules 6.10, 13.2, S24",
		Statement: "A location that a DELETED row of the snapshot names is not added to the root again, as a file with another " +
			"file sequence number.",
		Symptom: "Readers that go by location alone report a removal of a file that is still read, or clean it up.",
		Advice:  "Add changed contents under a new location; only a restore has no other way to take deleted rows back.",
		check:   checker{root: checkRootReadded},
	},
}

func checkExplicit(in *rootRow, r reporter) {
	t := in.tracking()
	for _, f := range []struct {
		field string
		value iceberg.Optional[int64]
	}{
		{"tracking.snapshot_id", t.SnapshotID},
		{"tracking.sequence_number", t.SequenceNumber},
		{"tracking.file_sequence_number", t.FileSequenceNumber},
	} {
		if !f.value.Valid {
			r.report(f.field, "a value", f.value)
		}
	}
}

func checkSeqEqual(in *rootRow, r reporter) {
	t := in.tracking()
	if isManifest(in.entry) && t.SequenceNumber.Valid && t.FileSequenceNumber.Valid &&
		t.SequenceNumber.Val != t.FileSequenceNumber.Val {
		r.report("tracking.file_sequence_number", t.SequenceNumber, t.FileSequenceNumber)
	}
}

func checkSeqRange(in *rootRow, r reporter) {
	limit := in.snapshot.tree.SequenceNumber
	t := in.tracking()
	for _, f := range []struct {
		field string
		value iceberg.Optional[int64]
	}{
		{"tracking.sequence_number", t.SequenceNumber},
		{"tracking.file_sequence_number", t.FileSequenceNumber},
	} {
		if limit != 0 && f.value.Valid && f.value.Val > limit {
			r.report(f.field, fmt.Sprintf("at most %d", limit), f.value)
		}
	}
}

func checkAdded(in *rootRow, r reporter) {
	t, s := in.tracking(), in.snapshot
	if t.Status != tree.Added {
		return
	}
	if s.byOther(t.SnapshotID) {
		r.report("tracking.snapshot_id", s.id(), t.SnapshotID)
	}
	if n := t.FileSequenceNumber; n.Valid && n.Val < s.tree.SequenceNumber {
		r.report("tracking.file_sequence_number", s.tree.SequenceNumber, n)
	}
	if s.byOther(t.ModifiedSnapshotID) {
		r.report("tracking.modified_snapshot_id", fmt.Sprintf("null or %d", s.id()), t.ModifiedSnapshotID)
	}
}

func checkBornDV(in *rootRow, r reporter) {
	t := in.tracking()
	if t.Status == tree.Added && in.entry.DeletionVector.Valid && !t.ModifiedSnapshotID.Valid {
		r.report("tracking.modified_snapshot_id", "the committing snapshot", t.ModifiedSnapshotID)
	}
}

func checkOlder(in *rootRow, r reporter) {
	t, s := in.tracking(), in.snapshot
	if t.Status == tree.Added {
		return
	}
	if isLive(t.Status) && s.byThis(t.SnapshotID) {
		r.report("tracking.snapshot_id", "an earlier snapshot", t.SnapshotID)
	}
	if n := t.FileSequenceNumber; n.Valid && n.Val == s.tree.SequenceNumber && n.Val != 0 {
		r.report("tracking.file_sequence_number", fmt.Sprintf("below %d", s.tree.SequenceNumber), n)
	}
}

func checkModifiedHere(in *rootRow, r reporter) {
	t, s := in.tracking(), in.snapshot
	if t.Status == tree.Modified && s.byOther(t.ModifiedSnapshotID) {
		r.report("tracking.modified_snapshot_id", s.id(), t.ModifiedSnapshotID)
	}
	may := t.Status == tree.Modified || t.Status == tree.Added || t.Status == tree.Deleted && isManifest(in.entry)
	if !may && s.byThis(t.ModifiedSnapshotID) {
		r.report("tracking.status", "MODIFIED", statusName(t.Status))
	}
}

func checkTombstone(in *rootRow, r reporter) {
	t, s := in.tracking(), in.snapshot
	if !isLive(t.Status) && s.byOther(t.SnapshotID) {
		r.report("tracking.snapshot_id", s.id(), t.SnapshotID)
	}
}

// liveLocations are the live rows of a root by resolved location, data files and pointers alike.
type liveLocations struct {
	// first are the rows by location; of several at one location, the first.
	first map[string]int64
	// again are the others, in row order.
	again []int64
}

// liveRows returns the live rows of the root by location.
func (s *snapshot) liveRows() *liveLocations {
	if s.liveAt != nil {
		return s.liveAt
	}
	live := &liveLocations{first: make(map[string]int64, len(s.tree.Rows))}
	for i := range s.tree.Rows {
		if e := &s.tree.Rows[i]; !isLive(e.Tracking.Status) || e.RecordCount == 0 {
			continue
		}
		if _, twice := live.first[s.locations[i]]; twice {
			live.again = append(live.again, int64(i))
		} else {
			live.first[s.locations[i]] = int64(i)
		}
	}
	s.liveAt = live
	return live
}

func checkRootLiveOnce(s *snapshot, r reporter) {
	for _, row := range s.liveRows().again {
		location := s.locations[row]
		other := place{location, s.tree.Root, s.liveRows().first[location]}
		r.row(row).report("location", "live once", fmt.Sprintf("%s, live in %s too", location, other))
	}
}

func checkRootDeletedLive(s *snapshot, r reporter) { reportDeletedLive(s, false, r) }

func checkRootReadded(s *snapshot, r reporter) { reportDeletedLive(s, true, r) }

// reportDeletedLive reports the DELETED rows of the snapshot whose location is live in the root: of a file that comes
// back, or of one that does not.
func reportDeletedLive(s *snapshot, comesBack bool, r reporter) {
	for i := range s.files {
		f := &s.files[i]
		if f.status != tree.Deleted || s.byOther(f.snapshotID) {
			continue
		}
		row, isLive := s.liveRows().first[f.location]
		if !isLive {
			continue
		}
		now := newFile(s.tree.Origin.TableLocation, &s.tree.Rows[row])
		if s.comesBack(f, &now) == comesBack {
			r.row(f.row).report("tracking.status", "no DELETED row for a live file",
				fmt.Sprintf("%s, live in %s", f.location, place{f.location, s.tree.Root, row}))
		}
	}
}

// place is where a location stands.
type place struct {
	location, object string
	row              int64
}

// String names the row.
func (p place) String() string { return fmt.Sprintf("%s row %d", p.object, p.row) }

func statusName(s tree.Status) string {
	names := [...]string{"EXISTING", "ADDED", "DELETED", "REPLACED", "MODIFIED"}
	if s < tree.Existing || s > tree.Modified {
		return fmt.Sprintf("unknown (%d)", s)
	}
	return names[s-tree.Existing]
}
