//go:build mutate

package commit

import (
	"maps"
	"slices"
	"strconv"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/rootmanifest"
	"github.com/firn-io/firn/tree"
)

func init() {
	tamper.Register(slices.Concat(snapshotFaults, summaryFaults, tableFaults, updateFaults)...)
}

// snapshot is a fault of the new snapshot's entry in the table metadata.
func snapshot(name, says string, change func(p *placement, s *metadata.Snapshot)) tamper.Fault {
	return tamper.At(seamSummary, name, says, func(p *placement, s metadata.Snapshot) metadata.Snapshot {
		s.Summary = maps.Clone(s.Summary)
		change(p, &s)
		return s
	})
}

// snapshotFaults are faults of the numbers and names of a snapshot.
var snapshotFaults = []tamper.Fault{
	tamper.At(seamSnapshot, "sequence-of-lost-attempt",
		"After a lost race root and snapshot keep the sequence number of the attempt that lost.",
		func(x *Txn, s rootmanifest.Snapshot) rootmanifest.Snapshot {
			s.SequenceNumber = tamper.First(x, "sequence", s.SequenceNumber)
			return s
		}),
	tamper.At(seamSnapshot, "row-ids-of-lost-attempt",
		"After a lost race root and snapshot keep the row ids of the attempt that lost.",
		func(x *Txn, s rootmanifest.Snapshot) rootmanifest.Snapshot {
			s.FirstRowID = tamper.First(x, "row ids", s.FirstRowID)
			return s
		}),
	tamper.At(seamSnapshot, "sequence-not-advanced", "Every snapshot gets the table's last sequence number.",
		func(_ *Txn, s rootmanifest.Snapshot) rootmanifest.Snapshot {
			s.SequenceNumber = max(1, s.SequenceNumber-1)
			return s
		}),
	tamper.At(seamSnapshot, "row-ids-not-advanced", "Every snapshot hands out row ids from zero on.",
		func(_ *Txn, s rootmanifest.Snapshot) rootmanifest.Snapshot {
			s.FirstRowID = 0
			return s
		}),
	snapshot("time-equals-parent", "A snapshot has the timestamp of its parent.", func(p *placement, s *metadata.Snapshot) {
		if parent, ok := p.base.Snapshot(); ok {
			s.TimestampMillis = parent.TimestampMillis
		}
	}),
	snapshot("time-of-slow-clock", "A snapshot has the time of a clock that is slow, whatever its parent's is.",
		func(p *placement, s *metadata.Snapshot) {
			if parent, ok := p.base.Snapshot(); ok {
				s.TimestampMillis = parent.TimestampMillis - 500
			}
		}),
	snapshot("time-of-lost-attempt", "After a lost race the snapshot keeps the time of the attempt that lost.",
		func(p *placement, s *metadata.Snapshot) {
			s.TimestampMillis = tamper.First(p.Txn, "time", s.TimestampMillis)
		}),
	snapshot("parent-of-lost-attempt", "After a lost race the snapshot keeps the parent of the attempt that lost.",
		func(p *placement, s *metadata.Snapshot) {
			s.ParentID = tamper.First(p.Txn, "parent", s.ParentID)
		}),
	snapshot("parent-forgotten", "A snapshot does not name its parent.",
		func(_ *placement, s *metadata.Snapshot) { s.ParentID = null }),
	snapshot("parent-is-itself", "A snapshot names itself as its parent.",
		func(_ *placement, s *metadata.Snapshot) { s.ParentID = some(s.ID) }),
	snapshot("parent-of-main", "A snapshot of another branch names the head of main as its parent.",
		func(p *placement, s *metadata.Snapshot) {
			s.ParentID = p.base.Metadata.CurrentSnapshotID
		}),
	snapshot("snapshot-id-taken", "A snapshot takes the id of its parent.", func(p *placement, s *metadata.Snapshot) {
		if p.base.Tree.Origin.SnapshotID != 0 {
			s.ID = p.base.Tree.Origin.SnapshotID
		}
	}),
	snapshot("root-of-lost-attempt", "After a lost race the snapshot names the root of the attempt that lost.",
		func(p *placement, s *metadata.Snapshot) {
			s.RootManifest = tamper.First(p.Txn, "root", s.RootManifest)
		}),
	snapshot("root-of-base", "A snapshot names the root of its parent.", func(p *placement, s *metadata.Snapshot) {
		if parent, ok := p.base.Snapshot(); ok {
			s.RootManifest = parent.RootManifest
		}
	}),
	snapshot("root-relative-to-folder", "The location of the root is made relative to the folder of the metadata.",
		func(_ *placement, s *metadata.Snapshot) {
			s.RootManifest.Val = s.RootManifest.Val[len("metadata/"):]
		}),
	snapshot("root-beside-list", "A snapshot has a manifest list beside its root.", func(_ *placement, s *metadata.Snapshot) {
		s.ManifestList = iceberg.Optional[string]{Val: "metadata/snap.avro", Valid: true}
	}),
	snapshot("schema-unknown", "A snapshot names a schema that the table does not have.",
		func(p *placement, s *metadata.Snapshot) {
			s.SchemaID = some(len(p.base.Metadata.Schemas) + 3)
		}),
	snapshot("first-row-id-left-out", "A snapshot that adds nothing has no first-row-id.",
		func(_ *placement, s *metadata.Snapshot) {
			if s.AddedRows.Val == 0 {
				s.FirstRowID = null
			}
		}),
	snapshot("first-row-id-of-lost-attempt", "After a lost race the snapshot alone keeps the first-row-id of the attempt that lost.",
		func(p *placement, s *metadata.Snapshot) {
			s.FirstRowID = tamper.First(p.Txn, "first-row-id", s.FirstRowID)
		}),
	snapshot("first-row-id-after", "first-row-id is the row id behind those that the snapshot hands out.",
		func(_ *placement, s *metadata.Snapshot) {
			s.FirstRowID.Val += s.AddedRows.Val
		}),
	snapshot("added-rows-negative", "added-rows is what the live rows have changed by.",
		func(_ *placement, s *metadata.Snapshot) {
			removed, _ := strconv.ParseInt(s.Summary[recordTotal.removed], 10, 64)
			s.AddedRows.Val -= removed
		}),
	snapshot("operation-missing", "The summary does not name the operation.",
		func(_ *placement, s *metadata.Snapshot) { delete(s.Summary, "operation") }),
}

// totalOf is a fault of a total of the summary.
func totalOf(t total, name, says string, change func(p *placement, parent, now int64, s map[string]string) int64) tamper.Fault {
	return snapshot(name, says, func(p *placement, s *metadata.Snapshot) {
		now, err := strconv.ParseInt(s.Summary[t.name], 10, 64)
		parent, _ := strconv.ParseInt(p.parentSummary(p.base)[t.name], 10, 64)
		if err == nil {
			count(s.Summary, t.name, max(0, change(p, parent, now, s.Summary)))
		}
	})
}

// summaryFaults are faults of the totals of a summary.
var summaryFaults = []tamper.Fault{
	totalOf(recordTotal, "total-ignores-removals", "total-records does not go down when files are removed.",
		func(_ *placement, _, now int64, s map[string]string) int64 {
			removed, _ := strconv.ParseInt(s[recordTotal.removed], 10, 64)
			return now + removed
		}),
	totalOf(fileTotal, "total-of-lost-attempt", "After a lost race total-data-files goes on from the base of the attempt that lost.",
		func(p *placement, parent, now int64, _ map[string]string) int64 {
			return now - parent + tamper.First(p.Txn, "total", parent)
		}),
	totalOf(fileTotal, "total-not-carried", "total-data-files is that of the files that were added.",
		func(_ *placement, parent, now int64, _ map[string]string) int64 {
			return now - parent
		}),
	totalOf(byteTotal, "total-size-of-records", "total-files-size goes up by records in place of bytes.",
		func(_ *placement, parent, _ int64, s map[string]string) int64 {
			added, _ := strconv.ParseInt(s[recordTotal.added], 10, 64)
			return parent + added
		}),
	totalOf(vectorTotal, "total-vectors-not-replaced",
		"total-delete-files goes up with each deletion vector that takes another's place.",
		func(_ *placement, _, now int64, s map[string]string) int64 {
			removed, _ := strconv.ParseInt(s[vectorTotal.removed], 10, 64)
			return now + removed
		}),
	totalOf(deletedTotal, "total-deletes-of-removed-files", "total-position-deletes keeps the rows of files that are removed.",
		func(_ *placement, _, now int64, s map[string]string) int64 {
			removed, _ := strconv.ParseInt(s[deletedTotal.removed], 10, 64)
			return now + removed
		}),
}

// table is a fault of the table metadata of a commit.
func table(name, says string, change func(p *placement, m *metadata.Table)) tamper.Fault {
	return tamper.At(seamMetadata, name, says, func(p *placement, m metadata.Table) metadata.Table {
		m.Refs, m.Snapshots = slices.Clone(m.Refs), slices.Clone(m.Snapshots)
		m.SnapshotLog, m.MetadataLog = slices.Clone(m.SnapshotLog), slices.Clone(m.MetadataLog)
		change(p, &m)
		return m
	})
}

// tableFaults are faults of the table metadata of a commit.
var tableFaults = []tamper.Fault{
	table("next-row-id-not-advanced", "next-row-id stays as it was.",
		func(p *placement, m *metadata.Table) { m.NextRowID = p.base.Metadata.NextRowID }),
	table("next-row-id-one-short", "next-row-id is the last row id that was handed out.",
		func(p *placement, m *metadata.Table) {
			m.NextRowID = max(p.base.Metadata.NextRowID, m.NextRowID-1)
		}),
	table("last-sequence-not-advanced", "last-sequence-number stays as it was.", func(p *placement, m *metadata.Table) {
		m.LastSequenceNumber = p.base.Metadata.LastSequenceNumber
	}),
	table("current-not-moved", "The branch main moves, and current-snapshot-id does not.",
		func(p *placement, m *metadata.Table) {
			m.CurrentSnapshotID = p.base.Metadata.CurrentSnapshotID
		}),
	table("main-not-moved", "current-snapshot-id moves, and the branch main does not.",
		func(p *placement, m *metadata.Table) { m.Refs = p.base.Metadata.Refs }),
	table("nothing-moved", "The snapshot is listed, and no branch points to it.", func(p *placement, m *metadata.Table) {
		m.Refs, m.CurrentSnapshotID, m.SnapshotLog = p.base.Metadata.Refs, p.base.Metadata.CurrentSnapshotID, p.base.Metadata.SnapshotLog
	}),
	table("all-branches-moved", "A commit to one branch moves the others too.", func(p *placement, m *metadata.Table) {
		for i := range m.Refs {
			m.Refs[i].SnapshotID = p.work.snapshotID
		}
		m.CurrentSnapshotID = some(p.work.snapshotID)
	}),
	table("branch-commit-moves-current", "A commit to another branch moves current-snapshot-id.",
		func(p *placement, m *metadata.Table) {
			m.CurrentSnapshotID = some(p.work.snapshotID)
		}),
	table("refs-lost", "A commit loses all refs but main.", func(_ *placement, m *metadata.Table) {
		m.Refs = slices.DeleteFunc(m.Refs, func(r metadata.Ref) bool { return r.Name != metadata.MainBranch })
	}),
	table("ref-of-no-snapshot", "The branch points to a snapshot that is not listed.", func(p *placement, m *metadata.Table) {
		m.Snapshots = slices.DeleteFunc(m.Snapshots, func(s metadata.Snapshot) bool { return s.ID == p.work.snapshotID })
	}),
	table("parent-snapshot-lost", "A commit lists its own snapshot in place of its parent.",
		func(p *placement, m *metadata.Table) {
			m.Snapshots = slices.DeleteFunc(m.Snapshots, func(s metadata.Snapshot) bool { return s.ID == p.base.Tree.Origin.SnapshotID })
		}),
	table("metadata-of-lost-attempt",
		"After a lost race the snapshot list of the attempt that lost is published, and the winner's snapshot is gone.",
		func(p *placement, m *metadata.Table) {
			first := tamper.First(p.Txn, "snapshots", p.base.Metadata.Snapshots)
			m.Snapshots = append(slices.Clone(first), m.Snapshots[len(m.Snapshots)-1])
		}),
	table("snapshot-log-not-written", "The snapshot log does not tell that the current snapshot changed.",
		func(p *placement, m *metadata.Table) {
			m.SnapshotLog = p.base.Metadata.SnapshotLog
		}),
	table("snapshot-log-time", "The snapshot log has the time of the snapshot's parent less a minute.",
		func(_ *placement, m *metadata.Table) {
			if n := len(m.SnapshotLog); n > 1 {
				m.SnapshotLog[n-1].TimestampMillis = m.SnapshotLog[n-2].TimestampMillis - 60_000
			}
		}),
	table("metadata-log-not-written", "The metadata log does not name the file before.", func(p *placement, m *metadata.Table) {
		m.MetadataLog = p.base.Metadata.MetadataLog
	}),
	table("metadata-log-names-lost-attempt", "After a lost race the metadata log names the base of the attempt that lost.",
		func(p *placement, m *metadata.Table) {
			if n := len(m.MetadataLog); n > 0 {
				m.MetadataLog[n-1] = tamper.First(p.Txn, "log", m.MetadataLog[n-1])
			}
		}),
	table("metadata-log-time", "The metadata log has the times of its files in the wrong order.",
		func(_ *placement, m *metadata.Table) {
			if n := len(m.MetadataLog); n > 1 {
				m.MetadataLog[n-1].TimestampMillis = m.MetadataLog[n-2].TimestampMillis - 60_000
			}
		}),
	table("schema-of-lost-attempt", "After a lost race the schemas of the attempt that lost are published.",
		func(p *placement, m *metadata.Table) {
			m.Schemas = tamper.First(p.Txn, "schemas", m.Schemas)
			m.CurrentSchemaID = tamper.First(p.Txn, "schema", m.CurrentSchemaID)
		}),
	table("specs-of-lost-attempt", "After a lost race the partition specs of the attempt that lost are published.",
		func(p *placement, m *metadata.Table) {
			m.Specs = tamper.First(p.Txn, "specs", m.Specs)
			m.DefaultSpecID = tamper.First(p.Txn, "spec", m.DefaultSpecID)
		}),
	table("properties-of-lost-attempt", "After a lost race the properties of the attempt that lost are published.",
		func(p *placement, m *metadata.Table) {
			m.Properties = tamper.First(p.Txn, "properties", m.Properties)
		}),
	table("older-specs-lost", "A commit keeps the default partition spec alone.", func(_ *placement, m *metadata.Table) {
		m.Specs = slices.DeleteFunc(slices.Clone(m.Specs), func(s iceberg.PartitionSpec) bool { return s.ID() != m.DefaultSpecID })
	}),
	table("older-schemas-lost", "A commit keeps the current schema alone.", func(_ *placement, m *metadata.Table) {
		m.Schemas = slices.DeleteFunc(slices.Clone(m.Schemas), func(s *iceberg.Schema) bool { return s.ID != m.CurrentSchemaID })
	}),
	table("last-column-id-lost", "last-column-id is that of the number of columns before the last one.",
		func(_ *placement, m *metadata.Table) { m.LastColumnID-- }),
}

// updated is a fault of a change of the metadata alone.
func updated(name, says string, change func(x *update, m *metadata.Table)) tamper.Fault {
	return tamper.At(seamUpdate, name, says, func(x *update, m metadata.Table) metadata.Table {
		m.Refs, m.Snapshots = slices.Clone(m.Refs), slices.Clone(m.Snapshots)
		change(x, &m)
		return m
	})
}

// updateFaults are faults of changes of the metadata alone.
var updateFaults = []tamper.Fault{
	updated("new-column-reuses-id", "A new column does not move last-column-id.",
		func(x *update, m *metadata.Table) { m.LastColumnID = x.base.Metadata.LastColumnID }),
	updated("new-spec-reuses-id", "A new partition field does not move last-partition-id.", func(x *update, m *metadata.Table) {
		m.LastPartitionID = x.base.Metadata.LastPartitionID
	}),
	updated("schema-change-drops-old", "A change of the schema drops the schema before.", func(x *update, m *metadata.Table) {
		if m.CurrentSchemaID != x.base.Metadata.CurrentSchemaID {
			m.Schemas = slices.DeleteFunc(slices.Clone(m.Schemas), func(s *iceberg.Schema) bool { return s.ID == x.base.Metadata.CurrentSchemaID })
		}
	}),
	updated("spec-change-drops-old", "A change of the partition spec drops the spec before.",
		func(x *update, m *metadata.Table) {
			if m.DefaultSpecID != x.base.Metadata.DefaultSpecID {
				m.Specs = slices.DeleteFunc(slices.Clone(m.Specs), func(s iceberg.PartitionSpec) bool { return s.ID() == x.base.Metadata.DefaultSpecID })
			}
		}),
	updated("expiry-takes-tagged", "An expiry lets go a snapshot that a tag or branch names.",
		func(_ *update, m *metadata.Table) {
			for _, ref := range m.Refs {
				if ref.Name != metadata.MainBranch {
					m.Snapshots = slices.DeleteFunc(m.Snapshots, func(s metadata.Snapshot) bool { return s.ID == ref.SnapshotID })
				}
			}
		}),
	updated("branch-of-no-snapshot", "A new branch points to a snapshot that does not exist.",
		func(_ *update, m *metadata.Table) {
			for i := range m.Refs {
				if m.Refs[i].Name != metadata.MainBranch {
					m.Refs[i].SnapshotID += 1000
				}
			}
		}),
	updated("update-undoes-winner", "After a lost race an update publishes the snapshots of the base that lost.",
		func(x *update, m *metadata.Table) {
			m.Snapshots, m.Refs = x.base.Metadata.Snapshots, x.base.Metadata.Refs
			m.CurrentSnapshotID = x.base.Metadata.CurrentSnapshotID
		}),
	updated("update-turns-row-ids-back", "After a lost race an update publishes next-row-id of the base that lost.",
		func(x *update, m *metadata.Table) {
			m.NextRowID = x.base.Metadata.NextRowID
		}),
	updated("location-relative", "An update writes the location of the table without its scheme.",
		func(_ *update, m *metadata.Table) {
			m.Location.Val = tree.Relativize("mem:/", m.Location.Val)
		}),
}
