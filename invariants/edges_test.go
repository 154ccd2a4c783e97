package invariants_test

import (
	"math"
	"slices"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/tree"
)

// Where a rule begins and ends to hold: an entry just inside and just outside.
func TestEdges(t *testing.T) {
	box := func(lowY, lowZ, lowM, highY, highZ, highM float64) func(*sample) {
		return func(s *sample) {
			s.entry.Stats[3].Lower, s.entry.Stats[3].Upper = tree.Geo(0, lowY, lowZ, lowM), tree.Geo(1, highY, highZ, highM)
		}
	}
	for _, c := range []struct {
		name  string
		good  func() *sample
		spoil func(*sample)
		want  []string
	}{
		{"one split offset twice", goodFile, func(s *sample) { s.entry.SplitOffsets = []int64{4, 4} }, []string{"E-SPLITS"}},
		{"smallest blob", goodModified, func(s *sample) { s.entry.DeletionVector.Val.SizeBytes = 12 }, nil},
		{"all rows deleted", goodModified, func(s *sample) { s.entry.DeletionVector.Val.Cardinality = looseRows }, nil},
		{"fewer than none deleted", goodModified, func(s *sample) { s.entry.DeletionVector.Val.Cardinality = -1 }, []string{"E-DV"}},
		{"spec id of a table without known specs", goodPartitioned, func(s *sample) { s.table.Specs = nil }, nil},
		{"null spec id of a table without known specs", goodFile, func(s *sample) { s.table.Specs = nil }, nil},
		{"null spec id of a pointer", goodPointer, func(s *sample) { s.table.Specs = s.table.Specs[1:] }, nil},
		{"largest leaf", goodPointer, func(s *sample) { s.entry.RecordCount, s.entry.Manifest.Val.AddedFiles = 2097152, 2097152 }, nil},
		{"largest legacy manifest", goodPointer, func(s *sample) {
			s.entry.RecordCount, s.entry.Manifest.Val.AddedFiles, s.entry.Manifest.Val.FormatVersion = 2097153, 2097153, 0
		}, nil},
		{"only a mask, unmarked", goodPointer, func(s *sample) {
			s.entry.Tracking = tree.Tracking{Status: tree.Existing}
		}, []string{"E-MDV-UNMARKED"}},
		{"only replaced positions, unmarked", goodPointer, func(s *sample) {
			s.entry.Tracking = tree.Tracking{Status: tree.Added, ReplacedPositions: set(1)}
		}, []string{"E-MDV-MODIFIED"}},
		{"only deleted positions, unmarked", goodPointer, func(s *sample) {
			s.entry.Tracking = tree.Tracking{Status: tree.Added, DeletedPositions: set(1)}
		}, []string{"E-MDV-MODIFIED"}},
		{"born with a mask", goodPointer, func(s *sample) { s.entry.Tracking = tree.Tracking{Status: tree.Added} }, []string{"E-MDV-UNMARKED"}},
		{"born with a mask, marked", goodPointer, func(s *sample) {
			s.entry.Tracking = tree.Tracking{Status: tree.Added, ModifiedSnapshotID: some(childID)}
		}, nil},
		{"equal bounds", goodStats, func(s *sample) { s.entry.Stats[0].Lower = s.entry.Stats[0].Upper }, nil},
		{"box of one point", goodStats, box(1, 2, 3, 1, 2, 3), nil},
		{"box upside down in y", goodStats, box(2, 2, 3, 1, 2, 3), []string{"E-BOUND-ORDER"}},
		{"box upside down in z", goodStats, box(1, 3, 3, 1, 2, 3), []string{"E-BOUND-ORDER"}},
		{"box upside down in m", goodStats, box(1, 2, 4, 1, 2, 3), []string{"E-BOUND-ORDER"}},
		{"half a box", goodStats, func(s *sample) { s.entry.Stats[3].Upper = tree.Value{} }, nil},
		{"all values null", goodStats, func(s *sample) { s.entry.Stats[0].NullCount = some(looseRows) }, nil},
		{"all values NaN", goodStats, func(s *sample) {
			s.entry.Stats[1].NaNCount, s.entry.Stats[1].NullCount = some(looseRows), some(int64(0))
		}, nil},
		{"all values null and all NaN", goodStats, func(s *sample) {
			s.entry.Stats[1].NaNCount, s.entry.Stats[1].NullCount = some(looseRows), some(looseRows)
		}, []string{"E-NONE-COUNT"}},
		{"no value", goodPointer, func(s *sample) {
			s.entry.Stats = tree.Stats{{FieldID: 1, ValueCount: some(int64(0)), NullCount: some(int64(1)), Tight: some(false)}}
		}, []string{"E-NULL-COUNT"}},
		{"a sum beyond 64 bits", goodPointer, func(s *sample) {
			s.entry.Stats = tree.Stats{{FieldID: 1, ValueCount: some(int64(math.MaxInt64)), NullCount: some(int64(math.MaxInt64)),
				NaNCount: some(int64(math.MaxInt64)), Tight: some(false)}}
		}, nil},
		{"schema id with a sign", goodKeys, func(s *sample) { s.keys.SchemaID = some("+0") }, []string{"K-SCHEMA-ID"}},
		{"schema id of a lone manifest", goodKeys, func(s *sample) { s.table, s.keys.SchemaID = invariants.Table{}, some("7") }, nil},
	} {
		s := c.good()
		c.spoil(s)
		if found := s.violations(invariants.RootOnly); !slices.Equal(ids(found), c.want) {
			t.Errorf("%s: %v, want %v:%s", c.name, ids(found), c.want, messages(found))
		}
	}
}

// Long sets are shortened in messages.
func TestMessage(t *testing.T) {
	for _, c := range []struct {
		positions []byte
		found     string
	}{
		{[]byte{3}, "{3}"}, {[]byte{3, 4}, "{3, 4}"}, {[]byte{3, 4, 5, 6, 7, 8, 9, 10, 11}, "{3, 4, 5, 6, 7, 8, 9, 10, … 9 in all}"},
	} {
		s := goodPointer()
		s.entry.Manifest.Val.DV = set(append([]byte{0, 1}, c.positions...)...)
		want := "E-MDV-RANGE: s3://b/t/metadata/object row 0: manifest_info.dv: expected positions below record_count 3, found " + c.found
		if found := s.violations(invariants.RootOnly); len(found) != 1 || found[0].Message() != want {
			t.Errorf("messages%s\nwant %s", messages(found), want)
		}
	}
	lone := invariants.Violation{ID: "M-CURRENT", Row: -1, Field: "current-snapshot-id", Expected: "1", Found: "null"}
	if want := "M-CURRENT: the table: current-snapshot-id: expected 1, found null"; lone.Message() != want {
		t.Errorf("message %q, want %q", lone.Message(), want)
	}
}

// The checker and the writer inherit alike, each by its own code (rules 7.4, 8.5, S28).
func TestInheritance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		maybe := func(name string, v int64) iceberg.Optional[int64] {
			if rapid.Bool().Draw(t, name) {
				return some(v)
			}
			return none[int64]()
		}
		rows := make([]tree.Entry, rapid.IntRange(1, 5).Draw(t, "rows"))
		for i := range rows {
			rows[i] = inLeaf("data/x.parquet")
			rows[i].Tracking = tree.Tracking{
				Status:     tree.Status(rapid.IntRange(int(tree.Existing), int(tree.Modified)).Draw(t, "status")),
				SnapshotID: maybe("id", 7), SequenceNumber: maybe("sequence number", 3),
				FileSequenceNumber: maybe("file sequence number", 4), FirstRowID: maybe("row id", 500),
			}
		}
		p := point(l1, tree.Added, 1000, rows)
		p.Tracking.FirstRowID = maybe("row id of the pointer", 1000)
		number := rapid.SampledFrom([]int64{0, 9}).Draw(t, "number")
		p.Tracking.SequenceNumber, p.Tracking.FileSequenceNumber = some(number), some(number)

		mine := invariants.Inherit(p, rows)
		i := 0
		for row, err := range tree.Inherit(p, rowsOf(rows)) {
			if err != nil {
				return // the writer refuses what the checker reports
			}
			if diff := cmp.Diff(row.Entry.Tracking, mine[i]); diff != "" {
				t.Fatalf("row %d (-writer +checker):\n%s", i, diff)
			}
			i++
		}
	})
}
