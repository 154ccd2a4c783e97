package invariants

import (
	"iter"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/metadata"
)

// TableOf returns what the rules need to know of a table from its metadata.
func TableOf(m metadata.Table) Table {
	return Table{Schemas: m.Schemas, Specs: m.Specs}
}

// CheckMetadata checks the rules of scope metadata on a metadata file; object is its location (IV3).
func CheckMetadata(object string, m metadata.Table) iter.Seq[Violation] {
	return func(yield func(Violation) bool) {
		c := check{sink: &sink{yield: yield}}
		c.run(metadataRules, Place{Object: object, Row: -1}, func(f *checker, r reporter) {
			f.metadata(&m, r)
		})
	}
}

// of returns a reporter for a snapshot.
func (r reporter) of(s *metadata.Snapshot) reporter {
	r.place.Snapshot = s.ID
	return r
}

var metadataInvariants = []Invariant{
	{
		ID: "M-SNAPSHOT-ID", Scope: ScopeMetadata, Severity: Error, Firmness: Firm, Rule: "rules 14.1",
		Statement: "No two snapshots have the same id.",
		Symptom:   "Refs, parents and rows name more than one snapshot.",
		Advice:    "Go back to the metadata file before; draw ids at random from 63 bits.",
		check:     checker{metadata: checkSnapshotIDs},
	},
	{
		ID: "M-ROOT", Scope: ScopeMetadata, Severity: Error, Firmness: Firm, Rule: "rules 14.1, 14.2",
		Statement: "A snapshot has a root-manifest, a manifest-list or, from v1, manifests, and no more than one of them.",
		Symptom:   "Readers do not know which files the snapshot has.",
		Advice:    "Write root-manifest alone from v4 on; keep what older snapshots have.",
		check:     checker{metadata: checkSnapshotRoot},
	},
	{
		ID: "M-ROOT-VERSION", Scope: ScopeMetadata, Severity: Error, Firmness: Firm, Rule: "rules 1.1, 1.2, 14.2",
		Statement: "Only a table of format version 4 has root manifests.",
		Symptom:   "Readers of the stated version fail on the snapshot.",
		Advice:    "Upgrade the format version before the first root is committed.",
		check:     checker{metadata: checkRootVersion},
	},
	{
		ID: "M-OPERATION", Scope: ScopeMetadata, Severity: Error, Firmness: Firm, Rule: "rules 14.1",
		Statement: "The summary of a snapshot with a root manifest names its operation.",
		Symptom:   "Readers refuse the metadata; incremental readers cannot tell what the snapshot did.",
		Advice:    "Write append, replace, overwrite or delete.",
		check:     checker{metadata: checkOperation},
	},
	{
		ID: "M-ROW-IDS", Scope: ScopeMetadata, Severity: Error, Firmness: Firm, Rule: "rules 8.1, 14.1",
		Statement: "A snapshot with a root manifest has first-row-id and added-rows, and neither is negative.",
		Symptom:   "Row ids of its files cannot be told from those of other snapshots.",
		Advice:    "Write both, also when nothing is assigned.",
		check:     checker{metadata: checkRowIDFields},
	},
	{
		ID: "M-NEXT-ROW-ID", Scope: ScopeMetadata, Severity: Error, Firmness: Firm, Rule: "rules 8.1, 20.9",
		Statement: "The table's next-row-id is at or above each snapshot's first-row-id plus added-rows.",
		Symptom:   "The next commit hands out ids that are taken.",
		Advice:    "Raise next-row-id in a new metadata file before the next commit.",
		check:     checker{metadata: checkNextRowID},
	},
	{
		ID: "M-ROW-ID-RANGES", Scope: ScopeMetadata, Severity: Error, Firmness: Derived, Rule: "rules 8.1, 20.9",
		Statement: "The ranges of row ids that snapshots took are disjoint.",
		Symptom:   "Rows of two snapshots share row ids.",
		Advice:    "Take next-row-id of the metadata that the commit replaces, on each attempt anew.",
		check:     checker{metadata: checkRowIDRanges},
	},
	{
		ID: "M-SEQUENCE", Scope: ScopeMetadata, Severity: Error, Firmness: Firm, Rule: "rules 7.2, 14.1, 14.6",
		Statement: "Sequence numbers of snapshots are unique, at least 1 beside a root manifest, and at most " +
			"last-sequence-number.",
		Symptom: "Deletes apply to the wrong files after the next commit.",
		Advice:  "Take last-sequence-number plus one, on each attempt anew.",
		check:   checker{metadata: checkSequences},
	},
	{
		ID: "M-SEQUENCE-ORDER", Scope: ScopeMetadata, Severity: Error, Firmness: Firm, Rule: "rules 7.2",
		Statement: "The sequence number of a snapshot is above its parent's.",
		Symptom:   "Deletes apply to files that are newer than they are, or a history runs in a circle.",
		Advice:    "Take last-sequence-number plus one, on each attempt anew.",
		check:     checker{metadata: checkSequenceOrder},
	},
	{
		ID: "M-TIME", Scope: ScopeMetadata, Severity: Error, Firmness: Firm, Rule: "rules 14.3, 20.10, B50",
		Statement: "The timestamp of a snapshot with a root manifest is above its parent's; that of an older one " +
			"is at most a minute below.",
		Symptom: "Time travel finds the wrong snapshot.",
		Advice:  "Commit at the clock's time or one millisecond after the parent, whichever is later.",
		check:   checker{metadata: checkTimes},
	},
}

// parents yields each snapshot whose parent is retained, with the parent.
func parents(m *metadata.Table) iter.Seq2[*metadata.Snapshot, *metadata.Snapshot] {
	return func(yield func(child, parent *metadata.Snapshot) bool) {
		byID := make(map[int64]*metadata.Snapshot)
		for i := range m.Snapshots {
			byID[m.Snapshots[i].ID] = &m.Snapshots[i]
		}
		for i := range m.Snapshots {
			s := &m.Snapshots[i]
			if p, ok := byID[s.ParentID.Val]; s.ParentID.Valid && ok && !yield(s, p) {
				return
			}
		}
	}
}

// rooted yields the snapshots that have a root manifest.
func rooted(m *metadata.Table) iter.Seq[*metadata.Snapshot] {
	return func(yield func(*metadata.Snapshot) bool) {
		for i := range m.Snapshots {
			if m.Snapshots[i].RootManifest.Valid && !yield(&m.Snapshots[i]) {
				return
			}
		}
	}
}

func checkSnapshotIDs(m *metadata.Table, r reporter) {
	seen := make(map[int64]bool)
	for i := range m.Snapshots {
		s := &m.Snapshots[i]
		if seen[s.ID] {
			r.of(s).report("snapshots.snapshot-id", "an id of its own", s.ID)
		}
		seen[s.ID] = true
	}
}

func checkSnapshotRoot(m *metadata.Table, r reporter) {
	for i := range m.Snapshots {
		s := &m.Snapshots[i]
		n := 0
		for _, has := range []bool{s.RootManifest.Valid, s.ManifestList.Valid, s.Manifests != nil} {
			if has {
				n++
			}
		}
		if n != 1 {
			r.of(s).report("snapshots.root-manifest", "one of root-manifest, manifest-list and manifests", n)
		}
	}
}

func checkRootVersion(m *metadata.Table, r reporter) {
	for s := range rooted(m) {
		if m.FormatVersion < 4 {
			r.of(s).report("format-version", "4, for a snapshot has a root manifest", m.FormatVersion)
		}
	}
}

func checkOperation(m *metadata.Table, r reporter) {
	for s := range rooted(m) {
		if s.Summary["operation"] == "" {
			r.of(s).report("snapshots.summary.operation", "an operation", "none")
		}
	}
}

func checkRowIDFields(m *metadata.Table, r reporter) {
	for s := range rooted(m) {
		for _, f := range []struct {
			field string
			value iceberg.Optional[int64]
		}{{"snapshots.first-row-id", s.FirstRowID}, {"snapshots.added-rows", s.AddedRows}} {
			if !f.value.Valid || f.value.Val < 0 {
				r.of(s).report(f.field, "0 or more", f.value)
			}
		}
	}
}
