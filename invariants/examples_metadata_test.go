package invariants_test

import (
	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/metadata"
)

// goodMetadata is a table of two snapshots on the branch main and a tag on the first.
func goodMetadata() *sample {
	t := facts()
	m := metadata.Table{
		FormatVersion: 4, UUID: "00000000-0000-4000-8000-000000000001", Location: some(tableLocation),
		LastSequenceNumber: 2, LastUpdatedMillis: 2000, LastColumnID: 6, LastPartitionID: 1001, NextRowID: 55,
		Schemas: t.Schemas, Specs: t.Specs, DefaultSpecID: 2,
		SortOrders:        []metadata.SortOrder{metadata.Unsorted},
		CurrentSnapshotID: some(childID),
		Refs: []metadata.Ref{
			{Name: "first", SnapshotID: parentID, Type: metadata.Tag},
			{Name: metadata.MainBranch, SnapshotID: childID, Type: metadata.Branch},
		},
		Snapshots: []metadata.Snapshot{
			{ID: parentID, SequenceNumber: 1, TimestampMillis: 1000, RootManifest: some("metadata/root-1.parquet"),
				Summary: map[string]string{"operation": "append"}, SchemaID: some(0), FirstRowID: some(int64(0)), AddedRows: some(int64(50))},
			{ID: childID, ParentID: some(parentID), SequenceNumber: 2, TimestampMillis: 2000, RootManifest: some("metadata/root-2.parquet"),
				Summary: map[string]string{"operation": "append"}, SchemaID: some(0), FirstRowID: some(int64(50)), AddedRows: some(int64(5))},
		},
		SnapshotLog: []metadata.SnapshotLogEntry{{SnapshotID: parentID, TimestampMillis: 1000}, {SnapshotID: childID, TimestampMillis: 2000}},
		MetadataLog: []metadata.MetadataLogEntry{{File: "metadata/v0.json", TimestampMillis: 500}, {File: "metadata/v1.json", TimestampMillis: 1000}},
	}
	return &sample{metadata: &m}
}

// snapshot returns the second snapshot.
func (s *sample) snapshot() *metadata.Snapshot { return &s.metadata.Snapshots[1] }

var metadataExamples = []example{
	{"M-LOG", goodOldMetadata, func(s *sample) { s.metadata.MetadataLog[0].TimestampMillis = 61001 }},
	{"M-SNAPSHOT-ID", goodMetadata, func(s *sample) {
		again := s.metadata.Snapshots[0]
		again.SequenceNumber, again.ParentID, again.AddedRows = 2, none[int64](), some(int64(0))
		s.snapshot().SequenceNumber, s.metadata.LastSequenceNumber = 3, 3
		s.metadata.Snapshots = append(s.metadata.Snapshots, again)
	}},
	{"M-ROOT", goodMetadata, func(s *sample) { s.snapshot().RootManifest = none[string]() }},
	{"M-ROOT", goodMetadata, func(s *sample) { s.snapshot().ManifestList = some("metadata/snap.avro") }},
	{"M-ROOT-VERSION", goodMetadata, func(s *sample) { s.metadata.FormatVersion = 3 }},
	{"M-OPERATION", goodMetadata, func(s *sample) { s.snapshot().Summary = nil }},
	{"M-ROW-IDS", goodMetadata, func(s *sample) { s.snapshot().FirstRowID = none[int64]() }},
	{"M-ROW-IDS", goodMetadata, func(s *sample) { s.snapshot().AddedRows = some(int64(-1)) }},
	{"M-NEXT-ROW-ID", goodMetadata, func(s *sample) { s.metadata.NextRowID = 54 }},
	{"M-ROW-ID-RANGES", goodMetadata, func(s *sample) { s.snapshot().FirstRowID = some(int64(49)) }},
	{"M-SEQUENCE", goodMetadata, func(s *sample) { s.metadata.LastSequenceNumber = 1 }},
	{"M-SEQUENCE", goodMetadata, func(s *sample) { s.snapshot().ParentID = none[int64](); s.snapshot().SequenceNumber = 1 }},
	{"M-SEQUENCE", goodMetadata, func(s *sample) { s.metadata.Snapshots[0].SequenceNumber = 0 }},
	{"M-SEQUENCE", goodMetadata, func(s *sample) { s.metadata.Snapshots[0].SequenceNumber = -1 }},
	{"M-SEQUENCE-ORDER", goodMetadata, func(s *sample) { s.snapshot().SequenceNumber, s.metadata.Snapshots[0].SequenceNumber = 1, 2 }},
	{"M-TIME", goodMetadata, func(s *sample) { s.snapshot().TimestampMillis = 1000 }},
	{"M-TIME", goodOldMetadata, func(s *sample) { s.snapshot().TimestampMillis-- }},
	{"M-REF", goodMetadata, func(s *sample) { s.metadata.Refs[0].SnapshotID = 7 }},
	{"M-REF", goodMetadata, func(s *sample) { s.metadata.Refs[0].Type = "twig" }},
	{"M-CURRENT", goodMetadata, func(s *sample) { s.metadata.CurrentSnapshotID = some(parentID) }},
	{"M-CURRENT", goodMetadata, func(s *sample) { s.metadata.Refs = s.metadata.Refs[:1] }},
	{"M-SCHEMA", goodMetadata, func(s *sample) { s.metadata.CurrentSchemaID = 4 }},
	{"M-SCHEMA", goodMetadata, func(s *sample) { s.snapshot().SchemaID = some(4) }},
	{"M-SCHEMA", goodMetadata, func(s *sample) { s.metadata.Schemas = append(s.metadata.Schemas, s.metadata.Schemas[0]) }},
	{"M-SPEC", goodMetadata, func(s *sample) { s.metadata.DefaultSpecID = 4 }},
	{"M-SPEC", goodMetadata, func(s *sample) { s.metadata.Specs = append(s.metadata.Specs, s.metadata.Specs[0]) }},
	{"M-PARTITION-SOURCE", goodMetadata, func(s *sample) {
		s.metadata.Schemas = []*iceberg.Schema{iceberg.NewSchema(0, facts().Schemas[0].Fields()[:2]...)}
	}},
	{"M-LAST-IDS", goodMetadata, func(s *sample) { s.metadata.LastColumnID = 5 }},
	{"M-LAST-IDS", goodMetadata, func(s *sample) { s.metadata.LastPartitionID = 1000 }},
	{"M-LOCATION", goodMetadata, func(s *sample) { s.metadata.Location = some("/wh/t") }},
	{"M-LOG", goodMetadata, func(s *sample) { s.metadata.SnapshotLog[0].TimestampMillis = 2001 }},
	{"M-LOG", goodMetadata, func(s *sample) { s.metadata.MetadataLog[0].TimestampMillis = 1001 }},
	{"M-SORT-ORDER", goodMetadata, func(s *sample) { s.metadata.DefaultSortOrderID = 1 }},
	{"M-SORT-ORDER", goodMetadata, func(s *sample) { s.metadata.SortOrders = append(s.metadata.SortOrders, metadata.Unsorted) }},
	{"M-UPDATED", goodMetadata, func(s *sample) { s.metadata.LastUpdatedMillis = 2000 - 60_001 }},
	{"M-UPDATED", goodMetadata, func(s *sample) {
		s.metadata.SnapshotLog, s.metadata.LastUpdatedMillis = nil, 1000-60_001
	}},
	{"M-LOG-SNAPSHOT", goodMetadata, func(s *sample) { s.metadata.SnapshotLog[0].SnapshotID = 100 }},
	{"M-STATISTICS", goodStatistics, func(s *sample) { s.metadata.Unknown[0].JSON = `[{"snapshot-id":100}]` }},
	{"M-STATISTICS", goodStatistics, func(s *sample) { s.metadata.Unknown[1].JSON = `[{"snapshot-id":100}]` }},
	{"M-STATISTICS", goodStatistics, func(s *sample) { s.metadata.Unknown[0].JSON = `[{}]` }},
	{"M-STATISTICS", goodStatistics, func(s *sample) { s.metadata.Unknown[1].JSON = `{"snapshot-id":101}` }},
}

// goodStatistics is the same table with files of statistics of both snapshots, after one that has expired: the parent id of
// the first is all that is left of it.
func goodStatistics() *sample {
	s := goodMetadata()
	s.metadata.Snapshots[0].ParentID = some(int64(100))
	s.metadata.Unknown = metadata.Unknown{
		{Name: "statistics", JSON: `[{"snapshot-id":101,"statistics-path":"metadata/1.stats"}]`},
		{Name: "partition-statistics", JSON: `[{"snapshot-id":101},{"snapshot-id":102}]`},
	}
	return s
}

// goodOldMetadata is the same table before its upgrade, written by machines whose clocks differ.
func goodOldMetadata() *sample {
	s := goodMetadata()
	s.metadata.FormatVersion = 3
	for i := range s.metadata.Snapshots {
		s.metadata.Snapshots[i].RootManifest = none[string]()
		s.metadata.Snapshots[i].ManifestList = some("s3://b/t/metadata/snap.avro")
	}
	s.snapshot().TimestampMillis = 1000 - 60_000
	s.metadata.MetadataLog[0].TimestampMillis = 1000 + 60_000
	for i := range s.metadata.Snapshots {
		s.metadata.Snapshots[i].SequenceNumber = 0 // version 1 has none
	}
	return s
}
