package tree_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/firn-io/firn/tree"
	"github.com/google/go-cmp/cmp"
)

func goodFile() tree.File {
	return tree.File{
		Location: "s3://b/t/data/f.parquet", Format: "parquet", RecordCount: 10, FileSizeBytes: 100,
		SpecID: some[int32](1), Partition: tree.Tuple{{FieldID: 1000, Value: tree.String("eu")}, {FieldID: 1001}},
		Stats: tight(), SortOrderID: some[int32](0), SplitOffsets: []int64{4, 50}, KeyMetadata: []byte{1},
	}
}

func TestFileBecomesAnEntry(t *testing.T) {
	f := goodFile()
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	want := tree.Entry{
		Tracking: tree.Tracking{Status: tree.Added}, Content: tree.Data, Location: "data/f.parquet", FileFormat: "parquet",
		RecordCount: 10, FileSizeBytes: 100, SpecID: some[int32](1),
		Partition: tree.Tuple{{FieldID: 1000, Value: tree.String("eu")}},
		Stats:     tight(), SortOrderID: some[int32](0), SplitOffsets: []int64{4, 50}, KeyMetadata: []byte{1},
	}
	got := f.Entry("s3://b/t", 9)
	if diff := cmp.Diff(want, got, compareValues); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	f.Partition[0].Value, f.Stats[0].Lower, f.SplitOffsets[0], f.KeyMetadata[0] = tree.String("us"), tree.Long(0), 5, 2
	if diff := cmp.Diff(want, got, compareValues); diff != "" {
		t.Errorf("entry after the caller's change (-want +got):\n%s", diff)
	}

	f.DeletionVector = some(tree.DeletionVector{Location: "s3://b/t/d.puffin", OffsetBytes: 4, SizeBytes: 40, Cardinality: 10})
	f.DataSequenceNumber = some[int64](3)
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	born := f.Entry("s3://b/t", 9)
	if tr := born.Tracking; tr.ModifiedSnapshotID != some[int64](9) || tr.SequenceNumber != some[int64](3) ||
		tr.FileSequenceNumber.Valid || born.DeletionVector.Val.Location != "d.puffin" {
		t.Errorf("a file born with a deletion vector: %+v, %+v", tr, born.DeletionVector)
	}
	if plain := (tree.File{}).Entry("", 9); plain.Partition != nil || plain.SplitOffsets != nil || plain.KeyMetadata != nil {
		t.Errorf("nulls are not kept: %+v", plain)
	}
}

func TestFileReportsAllProblems(t *testing.T) {
	nan := tree.Double(math.NaN())
	f := tree.File{
		Location: "data/\xff", Format: "csv", RecordCount: 0, FileSizeBytes: -1, SpecID: some[int32](1),
		DataSequenceNumber: some[int64](-1),
		SplitOffsets:       []int64{4, 4},
		Stats: tree.Stats{
			{FieldID: 2, Lower: nan, ValueCount: some[int64](1), NullCount: some[int64](2), NaNCount: some[int64](-1)},
			{FieldID: 1, Lower: tree.Long(2), Upper: tree.Long(1), AvgSizeBytes: some[int32](-1)},
			{FieldID: 3, Lower: tree.Int(2), Upper: tree.Long(3)},
		},
		DeletionVector: some(tree.DeletionVector{OffsetBytes: -1, Cardinality: 1}),
	}
	err := f.Validate()
	var all *tree.FileError
	if !errors.As(err, &all) {
		t.Fatal(err)
	}
	want := []string{
		"location is not UTF-8",
		"location has no scheme",
		`format "csv" is none of parquet, avro, orc`,
		"record_count 0 is not positive (rules 2.6.4)",
		"file_size_in_bytes -1 is not positive",
		"spec_id and partition are not both null or both set (rules 2.7)",
		"data sequence number -1 is negative",
		"split offset 4 is beyond the file",
		"split offset 4 does not ascend",
		"split offset 4 is beyond the file",
		"column 2: nan_value_count -1 is negative",
		"column 2: null_value_count 2 exceeds value_count 1",
		"column 2: a bound is NaN (rules 3.6)",
		"statistics of column 1 are out of order",
		"column 1: avg_value_size_in_bytes -1 is negative",
		"column 1: lower bound 2 is above upper bound 1",
		"column 3: the bounds are of kinds int and long",
		"deletion_vector.location is empty",
		"deletion_vector.location has no scheme",
		"deletion_vector.offset -1 is negative",
		"deletion_vector.size_in_bytes 0 is not positive",
		"deletion_vector.cardinality 1 is not between 1 and record_count",
	}
	if diff := cmp.Diff(want, all.Problems[:]); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(err.Error(), `tree: file "data/\xff": location is not UTF-8; location has`) {
		t.Errorf("error is %s", err)
	}
	f = goodFile()
	f.Partition = tree.Tuple{{FieldID: 1001}, {FieldID: 1001}}
	wantError(t, f.Validate(), `tree: file "s3://b/t/data/f.parquet": partition field 1001 is out of order`)
}

func TestTuple(t *testing.T) {
	eu := tree.PartitionValue{FieldID: 1000, Value: tree.String("eu")}
	day := tree.PartitionValue{FieldID: 1001, Value: tree.Date(5)}
	null := tree.PartitionValue{FieldID: 1002}
	both, err := tree.NewTuple(day, null, eu)
	if diff := cmp.Diff(tree.Tuple{eu, day}, both, compareValues); err != nil || diff != "" {
		t.Errorf("tuple: %v (-want +got):\n%s", err, diff)
	}
	if both.Value(1001) != day.Value || !both.Value(1002).IsNull() {
		t.Errorf("values are %s and %s", both.Value(1001), both.Value(1002))
	}
	_, err = tree.NewTuple(eu, day, eu)
	wantError(t, err, "tree: partition field 1000 has two values")

	nulls, _ := tree.NewTuple()
	equal := [][2]tree.Tuple{{nil, nil}, {nulls, {null}}, {both, {eu, day, null}}, {{null}, {{FieldID: 1005}}}}
	for _, pair := range equal {
		if !pair[0].Equal(pair[1]) || !pair[1].Equal(pair[0]) {
			t.Errorf("%v and %v differ", pair[0], pair[1])
		}
	}
	different := [][2]tree.Tuple{{nil, nulls}, {both, {eu}}, {both, nulls}, {{eu}, {{FieldID: 1000, Value: tree.String("us")}}},
		{{eu}, {{FieldID: 1001, Value: tree.String("eu")}}}}
	for _, pair := range different {
		if pair[0].Equal(pair[1]) || pair[1].Equal(pair[0]) {
			t.Errorf("%v and %v are equal", pair[0], pair[1])
		}
	}
}

func TestIdentityAndRevision(t *testing.T) {
	located := func(change func(*tree.Located)) tree.Located {
		e := explicit(tree.Modified, "f", 3)
		e.Tracking.ModifiedSnapshotID = some[int64](5)
		e.DeletionVector = some(tree.DeletionVector{Location: "d.puffin", OffsetBytes: 4, SizeBytes: 40, Cardinality: 2})
		l := tree.Located{Entry: e, Location: "s3://b/t/f", Origin: origin}
		change(&l)
		return l
	}
	base := located(func(*tree.Located) {})
	moved := located(func(l *tree.Located) {
		l.Manifest, l.Position, l.Entry.Tracking.Status = "m", 7, tree.Existing
		l.Entry.DeletionVector.Val.Location = "s3://b/t/d.puffin"
	})
	if base.Identity() != moved.Identity() || base.Revision() != moved.Revision() {
		t.Errorf("a file that moved is another one: %+v", moved.Revision())
	}
	for name, l := range map[string]tree.Located{
		"vector":    located(func(l *tree.Located) { l.Entry.DeletionVector.Val.OffsetBytes = 44 }),
		"no vector": located(func(l *tree.Located) { l.Entry.DeletionVector.Valid = false }),
		"modified":  located(func(l *tree.Located) { l.Entry.Tracking.ModifiedSnapshotID = none }),
	} {
		if base.Identity() != l.Identity() || base.Revision() == l.Revision() || base.Revision().String() == l.Revision().String() {
			t.Errorf("%s: %+v", name, l.Revision())
		}
	}
	readded := located(func(l *tree.Located) { l.Entry.Tracking.FileSequenceNumber = some[int64](8) })
	if base.Identity() == readded.Identity() {
		t.Error("a file that was added again is the same one")
	}
}
