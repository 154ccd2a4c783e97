package manifestio

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firn-io/firn/tree"
)

// FixedTable is a table of n columns of mixed types, ids 1 to n, partitioned by day.
func FixedTable(n int) (*iceberg.Schema, []iceberg.NestedField) {
	types := []iceberg.Type{iceberg.PrimitiveTypes.Int64, iceberg.PrimitiveTypes.String, iceberg.PrimitiveTypes.TimestampTz,
		iceberg.DecimalTypeOf(9, 2), iceberg.PrimitiveTypes.Float64, iceberg.PrimitiveTypes.Bool, iceberg.PrimitiveTypes.Date,
		iceberg.PrimitiveTypes.UUID}
	var fields []iceberg.NestedField
	for i := range n {
		fields = append(fields, iceberg.NestedField{ID: i + 1, Name: columnNames[i%len(columnNames)], Type: types[i%len(types)]})
	}
	partition := []iceberg.NestedField{{ID: 1000, Name: "event_day", Type: iceberg.PrimitiveTypes.Date}}
	return iceberg.NewSchema(3, fields...), partition
}

var columnNames = []string{"id", "user", "created", "price", "score", "active", "day", "session", "parent", "country", "updated",
	"tax", "weight", "deleted", "due", "device", "order", "city", "shipped", "total"}

// noise is a fixed sequence of numbers without a pattern.
type noise uint64

func (s *noise) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (s *noise) below(n int64) int64 { return int64(s.next() % uint64(n)) }

func (s *noise) uuid() uuid.UUID {
	var u uuid.UUID
	binary.BigEndian.PutUint64(u[:8], s.next())
	binary.BigEndian.PutUint64(u[8:], s.next())
	return u
}

// FixedEntries returns loose data files and then manifest pointers, half of which have a deletion vector.
// All their ids are explicit, as in a root.
func FixedEntries(table *iceberg.Schema, loose, pointers int) []tree.Entry {
	s := noise(1)
	var entries []tree.Entry
	for i := range loose + pointers {
		rows := 1000 + s.below(100_000)
		e := tree.Entry{
			Tracking: tree.Tracking{Status: tree.Existing, SnapshotID: long(8271093846510000000 + int64(i/10)),
				SequenceNumber: long(int64(i / 10)), FileSequenceNumber: long(int64(i / 10)), FirstRowID: long(int64(i) * 101_000)},
			Content: tree.Data, FileFormat: "parquet", RecordCount: rows, FileSizeBytes: rows * (20 + s.below(5)),
			Location: "data/event_day=2026-11-2" + fmt.Sprint(i%10) + "/" + s.uuid().String() + ".parquet",
			Stats:    fixedStats(&s, table, rows),
		}
		if i < loose {
			e.SpecID, e.SortOrderID = integer(0), integer(1)
			e.Partition = tree.Tuple{{FieldID: 1000, Value: tree.Date(int32(20780 + i%10))}}
			e.SplitOffsets = []int64{4, 4 + 128<<20}
		} else {
			pointTo(&e, &s, i%2 == 0)
		}
		entries = append(entries, e)
	}
	return entries
}

// LeafEntries returns n data files as a leaf has them: what can be inherited is null.
func LeafEntries(table *iceberg.Schema, n int) []tree.Entry {
	entries := FixedEntries(table, n, 0)
	for i := range entries {
		entries[i].Tracking = tree.Tracking{Status: tree.Added}
	}
	return entries
}

func pointTo(e *tree.Entry, s *noise, masked bool) {
	e.Content, e.RecordCount = tree.DataManifest, 1000
	e.Location = "metadata/" + s.uuid().String() + "-m0.parquet"
	info := tree.ManifestInfo{AddedFiles: 1000, AddedRows: 50_000_000, MinSequenceNumber: s.below(90), FormatVersion: 4}
	if masked {
		e.Tracking.Status, e.Tracking.ModifiedSnapshotID = tree.Modified, e.Tracking.SnapshotID
		info.DV = []byte{1, 2, 0, 0, 1, 0, 2, byte(s.below(100)), 200}
		e.Tracking.DeletedPositions = info.DV
	}
	e.Manifest = iceberg.Optional[tree.ManifestInfo]{Val: info, Valid: true}
}

func fixedStats(s *noise, table *iceberg.Schema, rows int64) tree.Stats {
	var stats tree.Stats
	for _, f := range table.Fields() {
		st := tree.FieldStats{FieldID: f.ID, Tight: iceberg.Optional[bool]{Val: true, Valid: true},
			ValueCount: long(rows), NullCount: long(0)}
		if f.ID%4 == 0 {
			st.NullCount = long(s.below(rows / 10))
		}
		a, b := fixedValue(s, f.Type), fixedValue(s, f.Type)
		if tree.Compare(a, b) > 0 {
			a, b = b, a
		}
		st.Lower, st.Upper = a, b
		switch f.Type.(type) {
		case iceberg.Float64Type:
			st.NaNCount = long(0)
		case iceberg.StringType:
			st.AvgSizeBytes, st.Tight.Val = integer(int32(10+s.below(20))), false
		}
		stats = append(stats, st)
	}
	return stats
}

func fixedValue(s *noise, t iceberg.Type) tree.Value {
	switch t.(type) {
	case iceberg.Int64Type:
		return tree.Long(s.below(1 << 32))
	case iceberg.StringType:
		return tree.String(fmt.Sprintf("user-%07d", s.below(10_000_000)))
	case iceberg.TimestampTzType:
		return tree.Timestamp(1_795_000_000_000_000 + 1000*s.below(864_000_000))
	case iceberg.DecimalType:
		return tree.DecimalInt64(s.below(100_000_000), 2)
	case iceberg.Float64Type:
		return tree.Double(float64(s.below(1_000_000)) / 100)
	case iceberg.BooleanType:
		return tree.Bool(s.below(2) == 1)
	case iceberg.DateType:
		return tree.Date(int32(20_000 + s.below(1000)))
	}
	return tree.UUID(s.uuid())
}

func long(n int64) iceberg.Optional[int64]    { return iceberg.Optional[int64]{Val: n, Valid: true} }
func integer(n int32) iceberg.Optional[int32] { return iceberg.Optional[int32]{Val: n, Valid: true} }

// fixedSchema is the schema of a manifest of the table with statistics of all its columns.
func fixedSchema(n int) (Schema, *iceberg.Schema) {
	table, partition := FixedTable(n)
	s, err := NewSchema(table, slices.Clone(partition), nil)
	if err != nil {
		panic(err)
	}
	return s, table
}
