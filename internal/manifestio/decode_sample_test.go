package manifestio

import (
	"bytes"
	"math"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/tree"
)

// sameValues compares values of bounds and tuples.
var sameValues = cmp.Comparer(func(a, b tree.Value) bool { return a == b })

// sampleSchema has every sort of statistics column, a column in a struct and one with a box of its own.
func sampleSchema() Schema {
	types := iceberg.PrimitiveTypes
	s := Schema{SchemaID: 7, Partition: []iceberg.NestedField{
		{ID: 1000, Name: "region", Type: types.String}, {ID: 1001, Name: "day", Type: types.Date},
	}}
	for i, t := range []iceberg.Type{types.Int64, types.String, types.TimestampTz, iceberg.DecimalTypeOf(9, 2), types.Float64,
		types.Bool, types.Date, types.UUID, iceberg.DecimalTypeOf(38, 10), types.Binary, iceberg.FixedTypeOf(5), types.Float32,
		types.Time, types.TimestampNs, iceberg.GeometryType{}} {
		s.Stats = append(s.Stats, StatsColumn{FieldID: i + 1, Name: string(rune('a' + i)), Type: t})
	}
	return s
}

// sampleBounds are two values of each type of sampleSchema.
func sampleBounds(t iceberg.Type, i int) (lower, upper tree.Value) {
	n := int64(i)
	switch t := t.(type) {
	case iceberg.Int64Type:
		return tree.Long(n), tree.Long(math.MaxInt64 - n)
	case iceberg.StringType:
		return tree.String(""), tree.String("zürich\x00" + string(rune('a'+i%26)))
	case iceberg.TimestampTzType:
		return tree.Timestamp(-n), tree.Timestamp(n)
	case iceberg.TimestampNsType:
		return tree.TimestampNano(-n), tree.TimestampNano(n)
	case iceberg.TimeType:
		return tree.Time(0), tree.Time(n)
	case iceberg.DecimalType:
		if t.Precision() > 18 {
			return tree.DecimalBytes([]byte{0xf0, byte(i), 2, 3, 4, 5, 6, 7, 8, 9}, t.Scale()), tree.DecimalInt64(-n, t.Scale())
		}
		return tree.DecimalInt64(-n, t.Scale()), tree.DecimalInt64(n, t.Scale())
	case iceberg.Float64Type:
		return tree.Double(math.Copysign(0, -1)), tree.Double(float64(i) / 3)
	case iceberg.Float32Type:
		return tree.Float(float32(math.Inf(-1))), tree.Float(float32(i) / 3)
	case iceberg.BooleanType:
		return tree.Bool(false), tree.Bool(i%2 == 0)
	case iceberg.DateType:
		return tree.Date(int32(-i)), tree.Date(int32(i))
	case iceberg.UUIDType:
		return tree.BytesValue(tree.KindUUID, string(make([]byte, 16))), tree.BytesValue(tree.KindUUID, "0123456789abcde"+string(rune('a'+i%26)))
	case iceberg.BinaryType:
		return tree.Binary(nil), tree.Binary([]byte{0xff, byte(i)})
	case iceberg.FixedType:
		return tree.Fixed([]byte{0, 0, 0, 0, byte(i)}), tree.Fixed([]byte{255, 255, 255, 255, 255})
	}
	return tree.Geo(0, -1, math.NaN(), math.NaN()), tree.Geo(1, float64(i), 7, math.NaN())
}

// sampleEntries are rows that differ in what they leave out.
func sampleEntries(s Schema, rows int) []tree.Entry {
	es := FixedEntries(iceberg.NewSchema(0), rows-rows/3, rows/3)
	for i := range es {
		e := &es[i]
		e.Partition, e.Stats = nil, nil
		switch i % 4 {
		case 0:
			e.Partition = tree.Tuple{{FieldID: 1000, Value: tree.String("eu")}, {FieldID: 1001, Value: tree.Date(int32(i))}}
		case 1:
			e.Partition = tree.Tuple{{FieldID: 1001, Value: tree.Date(int32(-i))}}
		case 2:
			e.Partition = tree.Tuple{}
		}
		if e.Partition != nil {
			e.SpecID = integer(1)
		}
		if i%5 == 0 {
			e.KeyMetadata = []byte{byte(i), 0, 255}[:i%3]
			e.Tracking.SnapshotTimestampMicros = long(int64(i))
		}
		if i%3 == 0 && e.Content == tree.Data {
			e.Tracking.Status, e.Tracking.ModifiedSnapshotID = tree.Modified, e.Tracking.SnapshotID
			dv := tree.DeletionVector{Location: "data/dv.puffin", OffsetBytes: 4, SizeBytes: int64(40 + i), Cardinality: int64(i + 1)}
			if i%2 == 0 {
				dv.KeyMetadata = []byte("key")
			}
			e.DeletionVector = iceberg.Optional[tree.DeletionVector]{Val: dv, Valid: true}
			e.SplitOffsets = [][]int64{nil, {}, {4}, {4, 1 << 30, 1 << 40}}[i/3%4]
		}
		for j, c := range s.Stats {
			if (i+j)%6 == 5 {
				continue // the column has no struct in this row
			}
			st := tree.FieldStats{FieldID: c.FieldID, Tight: iceberg.Optional[bool]{Val: i%2 == 0, Valid: true}}
			if (i+j)%6 != 4 {
				st.Lower, st.Upper = sampleBounds(c.Type, i)
				st.ValueCount, st.NullCount, st.NaNCount = long(int64(i)), long(int64(j)), iceberg.Optional[int64]{}
			}
			if _, geo := c.Type.(iceberg.GeometryType); geo {
				st.Tight = iceberg.Optional[bool]{}
			}
			e.Stats = append(e.Stats, st)
		}
	}
	return es
}

// sampleFile is sampleEntries as a file.
func sampleFile(t testing.TB, rows int) ([]byte, []tree.Entry) {
	t.Helper()
	s := sampleSchema()
	es := append([]tree.Entry{}, sampleEntries(s, rows)...) // not nil for no rows
	var b bytes.Buffer
	if _, err := Encode(&b, s, es, EncodeOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), es
}

// TestRoundTrip writes and reads entries that have everything.
func TestRoundTrip(t *testing.T) {
	for _, rows := range []int{0, 1, 7, 400} {
		data, want := sampleFile(t, rows)
		if diff := cmp.Diff(want, mustDecode(t, data), sameValues); diff != "" {
			t.Errorf("%d rows: written -, read +:\n%s", rows, diff)
		}
	}
}

// TestFileSchema reads the schema back from the types of the file.
func TestFileSchema(t *testing.T) {
	data, _ := sampleFile(t, 40)
	r, err := Open(bytes.NewReader(data), int64(len(data)), "test.parquet", DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	same := cmp.Comparer(func(a, b iceberg.Type) bool { return a.Equals(b) })
	if diff := cmp.Diff(sampleSchema(), r.Schema(), same); diff != "" {
		t.Errorf("written -, read +:\n%s", diff)
	}
	if r.RowCount() != 40 {
		t.Errorf("%d rows", r.RowCount())
	}
	want := []KeyValue{{"schema-id", "7"}, {"format-version", "4"}}
	if diff := cmp.Diff(want, r.KeyValues()); diff != "" {
		t.Error(diff)
	}
}
