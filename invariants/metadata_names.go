package invariants

import (
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/metadata"
)

var metadataNameInvariants = []Invariant{
	{
		ID: "M-REF", Scope: ScopeMetadata, Severity: Error, Firmness: Firm, Rule: "rules 14.6",
		Statement: "A ref is a branch or a tag and names a snapshot of the table.",
		Symptom:   "Readers and writers of the ref fail.",
		Advice:    "Drop the ref, or go back to the metadata file before its snapshot expired.",
		check:     checker{metadata: checkRefs},
	},
	{
		ID: "M-CURRENT", Scope: ScopeMetadata, Severity: Error, Firmness: Firm, Rule: "rules 14.6",
		Statement: "The current snapshot is the one that the branch main names; without the one there is not the other.",
		Symptom:   "Readers that go by the id and readers that go by the branch see two tables.",
		Advice:    "Commit once more to main.",
		check:     checker{metadata: checkCurrent},
	},
	{
		ID: "M-SCHEMA", Scope: ScopeMetadata, Severity: Error, Firmness: Firm, Rule: "rules 14.1, 14.6",
		Statement: "Schema ids are unique, and the current schema and the schema of each snapshot are among them.",
		Symptom:   "Readers cannot read the table, or not that snapshot.",
		Advice:    "Keep every schema that a snapshot uses.",
		check:     checker{metadata: checkSchemas},
	},
	{
		ID: "M-SPEC", Scope: ScopeMetadata, Severity: Error, Firmness: Firm, Rule: "rules 14.6",
		Statement: "Partition spec ids are unique, and the default spec is among them.",
		Symptom:   "Files of the spec cannot be planned, or writers fail.",
		Advice:    "Keep every spec that a live file uses.",
		check:     checker{metadata: checkSpecs},
	},
	{
		ID: "M-SORT-ORDER", Scope: ScopeMetadata, Severity: Error, Firmness: Firm, Rule: "rules 14.6",
		Statement: "Sort order ids are unique, and the default sort order is among them.",
		Symptom:   "Writers that sort by the table's order fail, or sort by another one.",
		Advice:    "Keep every sort order that a live file names; order 0 is the unsorted one.",
		check:     checker{metadata: checkSortOrders},
	},
	{
		ID: "M-PARTITION-SOURCE", Scope: ScopeMetadata, Severity: Error, Firmness: Derived, Rule: "rules 2.7.1, B47",
		Statement: "Some schema of the table has the source column of each partition field that is not void.",
		Symptom:   "The type of the partition value is unknown; manifests of the table cannot be written.",
		Advice:    "Keep the schema that still has the column.",
		check:     checker{metadata: checkPartitionSources},
	},
	{
		ID: "M-LAST-IDS", Scope: ScopeMetadata, Severity: Error, Firmness: Firm, Rule: "rules 14.6",
		Statement: "No column id is above last-column-id, no partition field id above last-partition-id.",
		Symptom:   "The next new column or partition field gets an id that is taken.",
		Advice:    "Raise the counters in a new metadata file.",
		check:     checker{metadata: checkLastIDs},
	},
	{
		ID: "M-LOCATION", Scope: ScopeMetadata, Severity: Error, Firmness: Firm, Rule: "rules 12.7",
		Statement: "The table location, where there is one, is absolute from v4 on.",
		Symptom:   "Relative locations lead nowhere.",
		Advice:    "Write the location with its scheme, or leave it to the catalog.",
		check:     checker{metadata: checkTableLocation},
	},
	{
		ID: "M-LOG", Scope: ScopeMetadata, Severity: Error, Firmness: Derived, Rule: "rules 14.3, B50",
		Statement: "snapshot-log and metadata-log do not step back in time, before v4 by more than a minute.",
		Symptom:   "Time travel finds the wrong snapshot.",
		Advice:    "Append at the clock's time or the last entry's, whichever is later.",
		check:     checker{metadata: checkLogs},
	},
	{
		ID: "M-UPDATED", Scope: ScopeMetadata, Severity: Error, Firmness: Derived, Rule: "rules 14.6, IV3",
		Statement: "last-updated-ms is at most a minute before the last entry of snapshot-log and of metadata-log.",
		Symptom:   "Java refuses the metadata.",
		Advice:    "Write the clock's time, or that of the last entry if it is later.",
		check:     checker{metadata: checkUpdated},
	},
}

func hasSnapshot(m *metadata.Table, id int64) bool {
	return slices.ContainsFunc(m.Snapshots, func(s metadata.Snapshot) bool { return s.ID == id })
}

func checkRefs(m *metadata.Table, r reporter) {
	for _, ref := range m.Refs {
		field := "refs." + ref.Name
		if !hasSnapshot(m, ref.SnapshotID) {
			r.report(field+".snapshot-id", "a snapshot of the table", ref.SnapshotID)
		}
		if ref.Type != metadata.Branch && ref.Type != metadata.Tag {
			r.report(field+".type", "branch or tag", ref.Type)
		}
	}
}

func checkCurrent(m *metadata.Table, r reporter) {
	var main iceberg.Optional[int64]
	for _, ref := range m.Refs {
		if ref.Name == metadata.MainBranch {
			main = some(ref.SnapshotID)
		}
	}
	if m.CurrentSnapshotID != main {
		r.report("current-snapshot-id", main, m.CurrentSnapshotID)
	}
}

func checkSchemas(m *metadata.Table, r reporter) {
	known := make(map[int]bool)
	for _, s := range m.Schemas {
		if known[s.ID] {
			r.report("schemas.schema-id", "an id of its own", s.ID)
		}
		known[s.ID] = true
	}
	if !known[m.CurrentSchemaID] {
		r.report("current-schema-id", "a schema of the table", m.CurrentSchemaID)
	}
	for i := range m.Snapshots {
		if s := &m.Snapshots[i]; s.SchemaID.Valid && !known[s.SchemaID.Val] {
			r.of(s).report("snapshots.schema-id", "a schema of the table", s.SchemaID.Val)
		}
	}
}

func checkSpecs(m *metadata.Table, r reporter) {
	known := make(map[int]bool)
	for _, s := range m.Specs {
		if known[s.ID()] {
			r.report("partition-specs.spec-id", "an id of its own", s.ID())
		}
		known[s.ID()] = true
	}
	if !known[m.DefaultSpecID] {
		r.report("default-spec-id", "a spec of the table", m.DefaultSpecID)
	}
}

func checkSortOrders(m *metadata.Table, r reporter) {
	known := make(map[int]bool)
	for _, s := range m.SortOrders {
		if known[s.ID] {
			r.report("sort-orders.order-id", "an id of its own", s.ID)
		}
		known[s.ID] = true
	}
	if !known[m.DefaultSortOrderID] && !(m.DefaultSortOrderID == 0 && len(m.SortOrders) == 0) { // v1 may lack them
		r.report("default-sort-order-id", "a sort order of the table", m.DefaultSortOrderID)
	}
}

func checkUpdated(m *metadata.Table, r reporter) {
	last := int64(0)
	if n := len(m.SnapshotLog); n > 0 {
		last = m.SnapshotLog[n-1].TimestampMillis
	}
	if n := len(m.MetadataLog); n > 0 {
		last = max(last, m.MetadataLog[n-1].TimestampMillis)
	}
	if m.LastUpdatedMillis < last-maxStepBack {
		r.report("last-updated-ms", fmt.Sprintf("%d or later", last-maxStepBack), m.LastUpdatedMillis)
	}
}

func checkPartitionSources(m *metadata.Table, r reporter) {
	t := TableOf(*m)
	for _, spec := range m.Specs {
		for _, f := range spec.Fields() {
			if _, void := f.Transform.(iceberg.VoidTransform); !void && len(t.columnTypes(f.SourceID())) == 0 {
				r.report("partition-specs.fields.source-id",
					fmt.Sprintf("a column of some schema, for field %d of spec %d", f.FieldID, spec.ID()), f.SourceID())
			}
		}
	}
}

func checkLastIDs(m *metadata.Table, r reporter) {
	for _, s := range m.Schemas {
		if id := s.HighestFieldID(); id > m.LastColumnID {
			r.report("last-column-id", fmt.Sprintf("%d or more, for schema %d", id, s.ID), m.LastColumnID)
		}
	}
	for _, spec := range m.Specs {
		for _, f := range spec.Fields() {
			if f.FieldID > m.LastPartitionID {
				r.report("last-partition-id", fmt.Sprintf("%d or more, for spec %d", f.FieldID, spec.ID()), m.LastPartitionID)
			}
		}
	}
}

func checkTableLocation(m *metadata.Table, r reporter) {
	if m.FormatVersion >= 4 && m.Location.Valid && !hasScheme(m.Location.Val) {
		r.report("location", "a location with a scheme", m.Location.Val)
	}
}

func checkLogs(m *metadata.Table, r reporter) {
	slack := int64(maxStepBack)
	if m.FormatVersion >= 4 {
		slack = 0
	}
	step := func(field string, before, now int64) {
		if now < before-slack {
			r.report(field, fmt.Sprintf("%d or later", before-slack), now)
		}
	}
	for i := 1; i < len(m.SnapshotLog); i++ {
		step("snapshot-log.timestamp-ms", m.SnapshotLog[i-1].TimestampMillis, m.SnapshotLog[i].TimestampMillis)
	}
	for i := 1; i < len(m.MetadataLog); i++ {
		step("metadata-log.timestamp-ms", m.MetadataLog[i-1].TimestampMillis, m.MetadataLog[i].TimestampMillis)
	}
}
