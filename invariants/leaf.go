package invariants

import (
	"iter"

	"github.com/firn-io/firn/tree"
)

var leafInvariants = []Invariant{
	{
		ID: "L-DATA-ONLY", Scope: ScopeLeaf, Severity: Error, Firmness: Firm, Rule: "rules 1.3, 1.5, Q17",
		Statement: "A leaf holds data files only.",
		Symptom:   "Readers refuse the leaf, or miss what the inner manifest lists: the tree has two levels.",
		Advice:    "Point to manifests from the root alone.",
		check:     checker{leafRow: checkDataOnly},
	},
	{
		ID: "L-SEQ-NULL", Scope: ScopeLeaf, Severity: Error, Firmness: Firm, Rule: "rules 7.3, 7.7, 20.2",
		Statement: "Only an ADDED row has null sequence numbers, apart from what L-SEQ-MODIFIED judges.",
		Symptom:   "The number is not inherited: readers fail or apply deletes to the wrong files.",
		Advice:    "Write the inherited numbers out when a row that is not new moves to another manifest.",
		check:     checker{leafRow: checkSeqNull},
	},
	{
		ID: "L-SEQ-MODIFIED", Scope: ScopeLeaf, Severity: Warning, Firmness: Open, Rule: "rules 7.5, Q15",
		Statement: "A MODIFIED row has a data sequence number of its own.",
		Symptom: "The file moves to the number of the leaf, so older deletes stop applying; only column files " +
			"ask for that.",
		Advice: "Write the number out; a changed deletion vector does not change it.",
		check:  checker{leafRow: checkSeqModified},
	},
	{
		ID: "L-ID-NULL", Scope: ScopeLeaf, Severity: Error, Firmness: Derived, Rule: "rules 6.6, 7.1, 20.2",
		Statement: "An EXISTING or MODIFIED row has a snapshot id of its own.",
		Symptom:   "The row inherits the snapshot that wrote the leaf, so an old file looks new.",
		Advice:    "Write the inherited id out when a row that is not new moves to another manifest.",
		check:     checker{leafRow: checkIDNull},
	},
	{
		ID: "L-ROW-ID-NULL", Scope: ScopeLeaf, Severity: Warning, Firmness: Firm, Rule: "rules 8.7, 8.9",
		Statement: "An EXISTING or MODIFIED row has a first_row_id of its own.",
		Symptom:   "The file's rows get new row ids, so they look like other rows than before.",
		Advice:    "Write the inherited row id out when a row that is not new moves to another manifest.",
		check:     checker{leafRow: checkRowIDNull},
	},
	{
		ID: "L-MIXED", Scope: ScopeLeaf, Severity: Warning, Firmness: Open, Rule: "rules 6.9, Q14",
		Statement: "A leaf holds either live rows or tombstones.",
		Symptom:   "The tombstones stay in the tree as long as the leaf does, and only their snapshot id hides them.",
		Advice:    "Write tombstones in the root or in a leaf of their own.",
		check:     checker{leaf: checkMixed},
	},
}

// CheckLeaf checks the rules of scopes entry and leaf on the raw rows of one v4 leaf manifest. An error of rows ends
// the sequence.
func CheckLeaf(t Table, place Place, rows iter.Seq2[tree.Row, error]) iter.Seq2[Violation, error] {
	return func(yield func(Violation, error) bool) {
		c := check{table: t.remembering(), sink: &sink{yield: func(v Violation) bool { return yield(v, nil) }}}
		if _, err := c.leaf(place, "", rows); err != nil && !c.sink.done {
			yield(Violation{}, err)
		}
	}
}

// leafFile is what is kept of a leaf: its rows without statistics, and what its statistics cover.
type leafFile struct {
	rows  packedFiles
	stats coverage
	// hasDeleted says that some row is DELETED.
	hasDeleted bool
}

// leaf checks a leaf while it is read and returns what is kept of it: part of it if the consumer has had enough, or with
// an error.
func (c check) leaf(place Place, tableLocation string, rows iter.Seq2[tree.Row, error]) (*leafFile, error) {
	l := &leafFile{rows: packedFiles{storage: c.sink.storage}}
	in, entry := &entryInput{table: c.table}, new(tree.Entry) // one for all rows
	for row, err := range rows {
		if err != nil {
			return l, err
		}
		if c.sink.over() {
			return l, nil
		}
		place.Row = row.Position
		*entry = row.Entry
		in.of(entry)
		c.entry(place, in)
		c.run(leafRowRules, place, func(f *checker, r reporter) {
			f.leafRow(entry, r)
		})
		l.rows.add(newFile(tableLocation, entry))
		if isLive(row.Entry.Tracking.Status) {
			l.stats.add(entry)
		}
		l.hasDeleted = l.hasDeleted || row.Entry.Tracking.Status == tree.Deleted
	}
	l.rows.end()
	place.Row = -1
	c.run(leafRules, place, func(f *checker, r reporter) {
		f.leaf(l, r)
	})
	return l, nil
}

func checkDataOnly(e *tree.Entry, r reporter) {
	if isManifest(e) {
		r.report("content_type", "0", int(e.Content)-1)
	}
}

func checkSeqNull(e *tree.Entry, r reporter) {
	t := e.Tracking
	if t.Status == tree.Added {
		return
	}
	if !t.SequenceNumber.Valid && t.Status != tree.Modified {
		r.report("tracking.sequence_number", "a value, for the row is "+statusName(t.Status), "null")
	}
	if !t.FileSequenceNumber.Valid {
		r.report("tracking.file_sequence_number", "a value, for the row is "+statusName(t.Status), "null")
	}
}

func checkSeqModified(e *tree.Entry, r reporter) {
	if t := e.Tracking; t.Status == tree.Modified && !t.SequenceNumber.Valid {
		r.report("tracking.sequence_number", "a value, for the row is MODIFIED", "null")
	}
}

func checkIDNull(e *tree.Entry, r reporter) {
	if t := e.Tracking; !t.SnapshotID.Valid && (t.Status == tree.Existing || t.Status == tree.Modified) {
		r.report("tracking.snapshot_id", "a value, for the row is "+statusName(t.Status), "null")
	}
}

func checkRowIDNull(e *tree.Entry, r reporter) {
	if t := e.Tracking; !t.FirstRowID.Valid && (t.Status == tree.Existing || t.Status == tree.Modified) {
		r.report("tracking.first_row_id", "a value, for the row is "+statusName(t.Status), "null")
	}
}

func checkMixed(l *leafFile, r reporter) {
	first := true
	var live bool
	for f := range l.rows.all() {
		if first {
			first, live = false, isLive(f.status)
		}
		if isLive(f.status) != live {
			r.row(f.row).report("tracking.status", "live or dead like the first row", statusName(f.status))
			return
		}
	}
}
