package invariants_test

import (
	"math"
	"testing"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/tree"
)

var dataExamples = []example{
	{"D-RECORDS", goodData, func(s *sample) { s.data.RecordCount = 4 }},
	{"D-COUNTS", goodData, func(s *sample) { s.data.Columns[0].Values = 4 }},
	{"D-COUNTS", goodData, func(s *sample) { s.entry.Stats[0].NullCount = some(int64(1)) }},
	{"D-COUNTS", goodData, func(s *sample) { s.entry.Stats[1].NaNCount = some(int64(0)) }},
	{"D-BOUNDS", goodData, func(s *sample) { s.entry.Stats[1].Lower = tree.Double(1) }},
	{"D-BOUNDS", goodData, func(s *sample) { s.entry.Stats[1].Upper = tree.Double(7) }},
	{"D-BOUNDS", goodData, func(s *sample) { s.data.Columns[1].Lower = tree.Double(math.Copysign(0, -1)) }},
	{"D-TIGHT", goodData, func(s *sample) { s.data.Columns[1].Lower = tree.Double(1) }},
	{"D-TIGHT", goodData, func(s *sample) { s.entry.Stats[1].Upper = tree.Double(9) }},
	{"D-PARTITION", goodData, func(s *sample) { s.data.Partitions[0].Value = tree.String("us") }},
	{"D-PARTITION", goodData, func(s *sample) { s.data.Partitions[0].Value = tree.Value{} }},
	{"D-PARTITION", goodData, func(s *sample) { s.data.Partitions[0].Several = true }},
}

// goodData is a file of one region and five rows, whose region bounds are truncated and one of whose prices is NaN.
func goodData() *sample {
	e := loose("data/a.parquet", tree.Added, 0)
	e.SpecID, e.Partition = some(int32(1)), tree.Tuple{{FieldID: 1000, Value: tree.String("eu")}}
	e.Stats = tree.Stats{
		{FieldID: 2, Lower: tree.String("e"), Upper: tree.String("f"), Tight: some(false), ValueCount: some(looseRows), NullCount: some(int64(0))},
		{FieldID: 4, Lower: tree.Double(0), Upper: tree.Double(8), Tight: some(true), NaNCount: some(int64(1))},
	}
	return &sample{table: facts(), entry: &e, data: &invariants.DataFile{
		RecordCount: looseRows,
		Columns: []invariants.DataColumn{
			{ColumnID: 2, Values: looseRows, Lower: tree.String("eu"), Upper: tree.String("eu")},
			{ColumnID: 4, Values: looseRows, NaNs: 1, Lower: tree.Double(0), Upper: tree.Double(8)},
		},
		Partitions: []invariants.DataPartition{{FieldID: 1000, Value: tree.String("eu")}},
	}}
}

// What was not read, what the entry does not say, and what differs by a promotion alone is not judged.
func TestCleanData(t *testing.T) {
	for name, change := range map[string]func(*sample){
		"nothing was read":    func(s *sample) { *s.data = invariants.DataFile{RecordCount: looseRows} },
		"nothing is said":     func(s *sample) { s.entry.Stats = nil },
		"all values are null": func(s *sample) { s.data.Columns[1].Lower, s.data.Columns[1].Upper = tree.Value{}, tree.Value{} },
		"a zero of a footer":  func(s *sample) { s.entry.Stats[1].Lower = tree.Double(math.Copysign(0, -1)) },
		"promoted": func(s *sample) {
			s.entry.Stats = tree.Stats{{FieldID: 1, Lower: tree.Int(1), Upper: tree.Int(2), Tight: some(true)}}
			s.data.Columns = []invariants.DataColumn{{ColumnID: 1, Values: looseRows, Lower: tree.Long(1), Upper: tree.Long(2)}}
		},
		"a partition of NaN": func(s *sample) {
			s.entry.Partition[0].Value = tree.Double(math.NaN())
			s.data.Partitions[0].Value = tree.Double(math.Float64frombits(math.Float64bits(math.NaN()) ^ 1))
		},
	} {
		s := goodData()
		change(s)
		for v := range invariants.CheckData(s.table, invariants.Place{}, *s.entry, *s.data) {
			t.Errorf("%s: %s", name, v.Message())
		}
	}
}
