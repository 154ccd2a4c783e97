package invariants_test

import (
	"math"

	"github.com/firn-io/firn/tree"
)

// goodFile is a plain loose file.
func goodFile() *sample {
	e := loose("data/a.parquet", tree.Added, 0)
	e.SplitOffsets = []int64{4, 500}
	return &sample{table: facts(), entry: &e}
}

func goodModified() *sample {
	e := withDV(modified(loose("data/a.parquet", tree.Added, 0)), 3)
	return &sample{table: facts(), entry: &e}
}

// goodPointer is a pointer with a manifest deletion vector.
func goodPointer() *sample {
	e := masked(point("metadata/l1.parquet", tree.Modified, 0, leafL1()), set(0, 1), set(0), set(1))
	return &sample{table: facts(), entry: &e}
}

var entryExamples = []example{
	{"E-STATUS", goodFile, func(s *sample) { s.entry.Tracking.Status = 9 }},
	{"E-CONTENT", goodFile, func(s *sample) { s.entry.Content = 7 }},
	{"E-DELETE-FILE", goodFile, func(s *sample) { s.entry.Content = tree.EqualityDeletes }},
	{"E-LOCATION", goodFile, func(s *sample) { s.entry.Location = "" }},
	{"E-DOTS", goodFile, func(s *sample) { s.entry.Location = "data/../a.parquet" }},
	{"E-DOTS", goodModified, func(s *sample) { s.entry.DeletionVector.Val.Location = "./dv.puffin" }},
	{"E-FORMAT", goodFile, func(s *sample) { s.entry.FileFormat = "csv" }},
	{"E-SIGN", goodFile, func(s *sample) { s.entry.RecordCount = -1 }},
	{"E-SIGN", goodFile, func(s *sample) { s.entry.FileSizeBytes = -1 }},
	{"E-SIGN", goodFile, func(s *sample) { s.entry.Tracking.FirstRowID = some(int64(-1)) }},
	{"E-EMPTY", goodFile, func(s *sample) { s.entry.RecordCount = 0 }},
	{"E-SHAPE", goodFile, func(s *sample) {
		s.entry.Tracking.DeletedPositions = set(0)
		s.entry.Tracking.ModifiedSnapshotID = some(childID)
		s.entry.Manifest.Val.DV = set(0)
	}},
	{"E-SHAPE", goodPointer, func(s *sample) { s.entry.SplitOffsets = []int64{4} }},
	{"E-SHAPE", goodPointer, func(s *sample) { s.entry.SortOrderID = some(int32(1)) }},
	{"E-SHAPE", goodPointer, func(s *sample) { s.entry.DeletionVector = withDV(tree.Entry{}, 1).DeletionVector }},
	{"E-SPLITS", goodFile, func(s *sample) { s.entry.SplitOffsets = []int64{500, 4} }},
	{"E-DV", goodModified, func(s *sample) { s.entry.DeletionVector.Val.Location = "" }},
	{"E-DV", goodModified, func(s *sample) { s.entry.DeletionVector.Val.OffsetBytes = 0 }},
	{"E-DV", goodModified, func(s *sample) { s.entry.DeletionVector.Val.SizeBytes = 8 }},
	{"E-DV", goodModified, func(s *sample) { s.entry.DeletionVector.Val.Cardinality = looseRows + 1 }},
	{"E-MODIFIED", goodModified, func(s *sample) { s.entry.Tracking.ModifiedSnapshotID = none[int64]() }},
}

// goodPartitioned is a file of spec 1.
func goodPartitioned() *sample {
	s := goodFile()
	s.entry.SpecID = some(int32(1))
	s.entry.Partition = tree.Tuple{{FieldID: 1000, Value: tree.String("eu")}}
	return s
}

var partitionExamples = []example{
	{"E-SPEC-PAIR", goodPartitioned, func(s *sample) { s.entry.Partition = nil }},
	{"E-SPEC-PAIR", goodFile, func(s *sample) { s.entry.Partition = tree.Tuple{} }},
	{"E-SPEC-PAIR", goodPointer, func(s *sample) { s.entry.SpecID = some(int32(1)) }},
	{"E-SPEC-KNOWN", goodPartitioned, func(s *sample) { s.entry.SpecID = some(int32(3)) }},
	{"E-SPEC-EMPTY", goodFile, func(s *sample) { s.entry.SpecID, s.entry.Partition = some(int32(0)), tree.Tuple{} }},
	{"E-SPEC-NULL", goodFile, func(s *sample) { s.table.Specs = s.table.Specs[1:] }},
	{"E-PARTITION-FIELD", goodPartitioned, func(s *sample) { s.entry.Partition[0] = tree.PartitionValue{FieldID: 1001, Value: tree.Date(9)} }},
	{"E-PARTITION-FIELD", goodPartitioned, func(s *sample) { s.entry.Partition[0].FieldID = 1009 }},
	{"E-PARTITION-KIND", goodPartitioned, func(s *sample) { s.entry.Partition[0].Value = tree.Int(3) }},
	{"E-PARTITION-BOUNDS", goodTruncated, func(s *sample) { s.entry.Partition[0].Value = tree.String("d") }},
	{"E-PARTITION-BOUNDS", goodTruncated, func(s *sample) { s.entry.Partition[0].Value = tree.String("us") }},
}

// goodTruncated is a partitioned file whose bounds are truncated.
func goodTruncated() *sample {
	s := goodPartitioned()
	s.entry.Stats = tree.Stats{{FieldID: 2, Lower: tree.String("e"), Upper: tree.String("f"), Tight: some(false)}}
	return s
}

// goodStats is a file of five rows with statistics of each kind that matters.
func goodStats() *sample {
	s := goodFile()
	s.entry.Stats = tree.Stats{
		{FieldID: 1, Lower: tree.Long(-5), Upper: tree.Long(9), Tight: some(true), ValueCount: some(looseRows), NullCount: some(int64(1))},
		{FieldID: 4, Lower: tree.Double(math.Copysign(0, -1)), Upper: tree.Double(0), Tight: some(false),
			ValueCount: some(looseRows), NullCount: some(int64(2)), NaNCount: some(int64(3))},
		{FieldID: 5, Lower: tree.TimestampNano(1), Upper: tree.TimestampNano(1), Tight: some(true)},
		{FieldID: 6, Lower: tree.Geo(170, -1, math.NaN(), math.NaN()), Upper: tree.Geo(-170, 1, math.NaN(), math.NaN())},
	}
	return s
}

var statsExamples = []example{
	{"E-BOUND-NAN", goodStats, func(s *sample) { s.entry.Stats[1].Upper = tree.Double(math.NaN()) }},
	{"E-BOUND-NAN", goodStats, func(s *sample) { s.entry.Stats[3].Lower = tree.Geo(math.NaN(), 0, 0, 0) }},
	{"E-BOUND-ORDER", goodStats, func(s *sample) { s.entry.Stats[0].Lower = tree.Long(10) }},
	{"E-BOUND-ORDER", goodStats, func(s *sample) {
		s.entry.Stats[1].Lower, s.entry.Stats[1].Upper = s.entry.Stats[1].Upper, s.entry.Stats[1].Lower
	}},
	{"E-BOUND-ORDER", goodStats, func(s *sample) { s.entry.Stats[3].Lower = tree.Geo(170, 2, math.NaN(), math.NaN()) }},
	{"E-BOUND-KIND", goodStats, func(s *sample) { s.entry.Stats[2].Lower, s.entry.Stats[2].Upper = tree.Timestamp(1), tree.Timestamp(1) }},
	{"E-BOUND-KIND", goodStats, func(s *sample) { s.table.Schemas = nil; s.entry.Stats[2].Lower = tree.Timestamp(1) }},
	{"E-TIGHT", goodStats, func(s *sample) { s.entry.Stats[0].Tight = none[bool]() }},
	{"E-VALUE-COUNT", goodStats, func(s *sample) { s.entry.Stats[0].ValueCount = some(looseRows - 1) }},
	{"E-NULL-COUNT", goodStats, func(s *sample) { s.entry.Stats[1].NaNCount = some(looseRows + 1) }},
	{"E-NULL-COUNT", goodStats, func(s *sample) { s.entry.Stats[0].NullCount = some(looseRows + 1) }},
	{"E-NULL-COUNT", goodStats, func(s *sample) { s.entry.Stats[0].NullCount = some(int64(-1)) }},
	{"E-NONE-COUNT", goodStats, func(s *sample) { s.entry.Stats[1].NaNCount = some(int64(4)) }},
	{"E-NULL-COUNT", goodStats, func(s *sample) { s.entry.Stats[0].AvgSizeBytes = some(int32(-1)) }},
}

var pointerExamples = []example{
	{"E-COUNTS", goodPointer, func(s *sample) { s.entry.Manifest.Val.DeletedRows = 5 }},
	{"E-COUNTS", goodPointer, func(s *sample) { s.entry.Manifest.Val.ModifiedFiles, s.entry.RecordCount = -1, 2 }},
	{"E-COUNTS", goodPointer, func(s *sample) { s.entry.Manifest.Val.MinSequenceNumber = -1 }},
	{"E-RECORD-SUM", goodPointer, func(s *sample) { s.entry.RecordCount++ }},
	{"E-ROW-LIMIT", goodPointer, func(s *sample) { s.entry.RecordCount, s.entry.Manifest.Val.AddedFiles = 2097153, 2097153 }},
	{"E-VERSION", goodPointer, func(s *sample) { s.entry.Manifest.Val.FormatVersion = 3 }},
	{"E-MDV-DECODE", goodPointer, func(s *sample) { s.entry.Manifest.Val.DV[1] = 3 }},
	{"E-MDV-DECODE", goodPointer, func(s *sample) { s.entry.Tracking.DeletedPositions = []byte{} }},
	{"E-MDV-CANONICAL", goodPointer, func(s *sample) { s.entry.Tracking.ReplacedPositions = []byte{1, 0, 0, 0, 0, 0} }},
	{"E-MDV-RANGE", goodPointer, func(s *sample) { s.entry.Manifest.Val.DV = set(0, 1, 3) }},
	{"E-MDV-DISJOINT", goodPointer, func(s *sample) { s.entry.Tracking.ReplacedPositions = set(0, 1) }},
	{"E-MDV-SUBSET", goodPointer, func(s *sample) { s.entry.Tracking.ReplacedPositions = set(1, 2) }},
	{"E-MDV-MODIFIED", goodPointer, func(s *sample) {
		s.entry.Tracking.Status, s.entry.Tracking.ModifiedSnapshotID = tree.Existing, none[int64]()
	}},
	{"E-MDV-UNMARKED", goodPointer, func(s *sample) { s.entry.Tracking = tree.Tracking{Status: tree.Existing} }},
	{"E-MDV-UNMARKED", goodPointer, func(s *sample) { s.entry.Tracking = tree.Tracking{Status: tree.Added} }},
}
