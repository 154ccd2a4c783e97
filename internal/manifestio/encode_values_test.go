package manifestio_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/tree"
)

func nan() float64 { return math.NaN() }

// valueCases are values of every type that a bound can have, as the file holds them, and the promotions that
// the format allows.
var valueCases = []struct {
	name   string
	typ    iceberg.Type
	values []tree.Value
	want   []any
}{
	{"boolean", iceberg.PrimitiveTypes.Bool, []tree.Value{tree.Bool(true), tree.Bool(false)}, []any{true, false}},
	{"int", iceberg.PrimitiveTypes.Int32, []tree.Value{tree.Int(math.MinInt32), tree.Int(math.MaxInt32)}, []any{int32(math.MinInt32), int32(math.MaxInt32)}},
	{"long", iceberg.PrimitiveTypes.Int64, []tree.Value{tree.Long(math.MinInt64), tree.Int(-7)}, []any{int64(math.MinInt64), int64(-7)}},
	{"float", iceberg.PrimitiveTypes.Float32, []tree.Value{tree.Float(1.5), tree.Float(float32(math.Copysign(0, -1)))}, []any{float32(1.5), float32(math.Copysign(0, -1))}},
	{"double", iceberg.PrimitiveTypes.Float64, []tree.Value{tree.Double(math.Inf(-1)), tree.Float(0.5)}, []any{math.Inf(-1), 0.5}},
	{"date", iceberg.PrimitiveTypes.Date, []tree.Value{tree.Date(-1)}, []any{int32(-1)}},
	{"time", iceberg.PrimitiveTypes.Time, []tree.Value{tree.Time(86_399_999_999)}, []any{int64(86_399_999_999)}},
	{"timestamp", iceberg.PrimitiveTypes.Timestamp, []tree.Value{tree.Timestamp(-1), tree.Date(-1)}, []any{int64(-1), int64(-86_400_000_000)}},
	{"timestamptz", iceberg.PrimitiveTypes.TimestampTz, []tree.Value{tree.Timestamp(1)}, []any{int64(1)}},
	// Nanoseconds stay nanoseconds (B46).
	{"timestamp_ns", iceberg.PrimitiveTypes.TimestampNs, []tree.Value{tree.TimestampNano(-1001), tree.Date(2)}, []any{int64(-1001), int64(172_800_000_000_000)}},
	{"timestamptz_ns", iceberg.PrimitiveTypes.TimestampTzNs, []tree.Value{tree.TimestampNano(-1)}, []any{int64(-1)}},
	{"string", iceberg.PrimitiveTypes.String, []tree.Value{tree.String(""), tree.String("grün")}, []any{"", "grün"}},
	{"binary", iceberg.PrimitiveTypes.Binary, []tree.Value{tree.Binary(nil), tree.Binary([]byte{0xff, 0})}, []any{"", "\xff\x00"}},
	{"fixed", iceberg.FixedTypeOf(3), []tree.Value{tree.Fixed([]byte("abc"))}, []any{"abc"}},
	{"uuid", iceberg.PrimitiveTypes.UUID, []tree.Value{tree.UUID(uuid.UUID{15: 1})}, []any{strings.Repeat("\x00", 15) + "\x01"}},
	{"decimal of 9 digits", iceberg.DecimalTypeOf(9, 2), []tree.Value{tree.DecimalInt64(999_999_999, 2), tree.DecimalInt64(-999_999_999, 2)}, []any{int32(999_999_999), int32(-999_999_999)}},
	{"decimal of 18 digits", iceberg.DecimalTypeOf(18, 4), []tree.Value{tree.DecimalInt64(-1, 4), tree.DecimalInt64(999_999_999_999_999_999, 4)}, []any{int64(-1), int64(999_999_999_999_999_999)}},
	{"decimal of 20 digits", iceberg.DecimalTypeOf(20, 0),
		[]tree.Value{tree.DecimalInt64(-2, 0), tree.DecimalBytes([]byte{0x05, 0x6b, 0xc7, 0x5e, 0x2d, 0x63, 0x0f, 0xff, 0xff}, 0)},
		[]any{strings.Repeat("\xff", 8) + "\xfe", "\x05\x6b\xc7\x5e\x2d\x63\x0f\xff\xff"}},
	{"decimal of 38 digits", iceberg.DecimalTypeOf(38, 10),
		[]tree.Value{tree.DecimalInt64(258, 10), tree.DecimalBytes([]byte{0x80, 1, 2, 3, 4, 5, 6, 7, 8}, 10)},
		[]any{strings.Repeat("\x00", 14) + "\x01\x02", strings.Repeat("\xff", 7) + "\x80\x01\x02\x03\x04\x05\x06\x07\x08"}},
}

// TestEncodeValues: bounds and partition values of all types, narrower kinds promoted (rules 3.5, 4.1).
func TestEncodeValues(t *testing.T) {
	for _, c := range valueCases {
		t.Run(c.name, func(t *testing.T) {
			s := newSchema(t, tableOf(c.typ), iceberg.NestedField{ID: 1000, Name: "part", Type: c.typ})
			entries := []tree.Entry{plainEntry()}
			want := []any{nil}
			for i, v := range c.values {
				e := plainEntry()
				e.Stats = tree.Stats{{FieldID: 1, Lower: v, Upper: v}}
				e.Partition = tree.Tuple{{FieldID: 1000, Value: v}}
				entries, want = append(entries, e), append(want, c.want[i])
			}
			f := openParquet(t, encode(t, s, entries...))
			for _, path := range []string{"content_stats.ca.lower_bound", "content_stats.ca.upper_bound", "partition.part"} {
				if diff := cmp.Diff(want, f.values(path)); diff != "" {
					t.Errorf("%s: %s", path, diff)
				}
			}
		})
	}
}

// TestEncodeGeo: a corner is null, or has x and y and maybe z and m (rules 3.1).
func TestEncodeGeo(t *testing.T) {
	s := newSchema(t, tableOf(iceberg.GeometryType{}))
	var entries []tree.Entry
	for _, v := range []tree.Value{{}, tree.Geo(1, 2, nan(), 4), tree.Geo(5, 6, 7, nan())} {
		e := plainEntry()
		e.Stats = tree.Stats{{FieldID: 1, Upper: v}}
		entries = append(entries, e)
	}
	f := openParquet(t, encode(t, s, entries...))
	for path, want := range map[string][]level{
		"content_stats.ca.upper_bound.y": {{Def: 2}, {Def: 3, Value: 2.0}, {Def: 3, Value: 6.0}},
		"content_stats.ca.upper_bound.z": {{Def: 2}, {Def: 3}, {Def: 4, Value: 7.0}},
		"content_stats.ca.upper_bound.m": {{Def: 2}, {Def: 4, Value: 4.0}, {Def: 3}},
	} {
		if diff := cmp.Diff(want, f.levels(path)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

// TestEncodeFields: the fields of an entry stand in the columns of their ids, with the numbers of the format.
func TestEncodeFields(t *testing.T) {
	f := openParquet(t, encode(t, fullSchema(t), fullEntries()...))
	id := int64(8271093846510000001)
	for path, want := range map[string][]any{
		"tracking.status": {int32(4), int32(1)}, "tracking.snapshot_id": {id, nil}, "tracking.modified_snapshot_id": {id, nil},
		"tracking.sequence_number": {int64(3), nil}, "tracking.file_sequence_number": {int64(2), nil},
		"tracking.first_row_id": {int64(100), nil}, "tracking.deleted_positions": {nil, "\x01"},
		"tracking.replaced_positions": {nil, "\x02"}, "tracking.snapshot_timestamp": {int64(1_795_000_000_000_000), nil},
		"content_type": {int32(0), int32(3)}, "location": {"data/a.parquet", "metadata/m0.parquet"},
		"file_format": {"parquet", "parquet"}, "record_count": {int64(10), int64(10)}, "file_size_in_bytes": {int64(1000), int64(1000)},
		"spec_id": {int32(1), nil}, "sort_order_id": {int32(2), nil}, "key_metadata": {"key", nil},
		"partition.region": {"eu", nil}, "partition.id_bucket": {int32(5), nil},
		"deletion_vector.location": {"data/dv.puffin", nil}, "deletion_vector.offset": {int64(4), nil},
		"deletion_vector.size_in_bytes": {int64(50), nil}, "deletion_vector.cardinality": {int64(2), nil},
		"deletion_vector.key_metadata":    {"\x09", nil},
		"manifest_info.added_files_count": {nil, int32(1)}, "manifest_info.existing_files_count": {nil, int32(2)},
		"manifest_info.deleted_files_count": {nil, int32(3)}, "manifest_info.replaced_files_count": {nil, int32(4)},
		"manifest_info.modified_files_count": {nil, int32(5)}, "manifest_info.added_rows_count": {nil, int64(6)},
		"manifest_info.existing_rows_count": {nil, int64(7)}, "manifest_info.deleted_rows_count": {nil, int64(8)},
		"manifest_info.replaced_rows_count": {nil, int64(9)}, "manifest_info.modified_rows_count": {nil, int64(10)},
		"manifest_info.min_sequence_number": {nil, int64(11)}, "manifest_info.dv": {nil, "\x03"},
		"manifest_info.format_version":                {nil, int32(4)},
		"content_stats.name.value_count":              {int64(10), nil},
		"content_stats.name.null_value_count":         {int64(1), nil},
		"content_stats.score.nan_value_count":         {int64(2), nil},
		"content_stats.place.avg_value_size_in_bytes": {int32(21), nil},
	} {
		if diff := cmp.Diff(want, f.values(path)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

// TestEncodeBinaryNulls: binary fields are null only where they are nil (B19).
func TestEncodeBinaryNulls(t *testing.T) {
	var entries []tree.Entry
	for _, v := range [][]byte{nil, {}, []byte("0123456789abcdef"), nil} {
		e := plainEntry()
		e.KeyMetadata, e.Tracking.DeletedPositions = v, v
		e.Content = tree.DataManifest
		e.Manifest = iceberg.Optional[tree.ManifestInfo]{Valid: true, Val: tree.ManifestInfo{DV: v, FormatVersion: 4}}
		entries = append(entries, e)
	}
	f := openParquet(t, encode(t, fullSchema(t), entries...))
	for _, path := range []string{"key_metadata", "tracking.deleted_positions", "manifest_info.dv"} {
		if diff := cmp.Diff([]any{nil, "", "0123456789abcdef", nil}, f.values(path)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

// TestEncodePatterns: whatever rows are null, lists empty or long, every row comes back as it was; rows of several
// blocks, and pages small enough that a column has many.
func TestEncodePatterns(t *testing.T) {
	s := newSchema(t, tableOf(iceberg.PrimitiveTypes.String, iceberg.PrimitiveTypes.Bool))
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.IntRange(0, 5), 0, 200).Draw(t, "rows")
		stretch := rapid.SampledFrom([]int{1, 1, 3, 70}).Draw(t, "stretch")
		var entries []tree.Entry
		var names, flags, orders []any
		var offsets []level
		for i := range min(len(rows)*stretch, 1000) {
			e, name, flag, order := plainEntry(), any(nil), any(nil), any(nil)
			switch kind := rows[i/stretch]; kind {
			case 0:
				offsets = append(offsets, level{})
			case 1:
				e.Stats, e.SplitOffsets = tree.Stats{}, []int64{}
				offsets = append(offsets, level{Def: 1})
			default:
				name, flag, order = strings.Repeat("x", i%7), i%3 == 0, int32(i)
				e.Stats = tree.Stats{{FieldID: 1, Lower: tree.String(name.(string))}, {FieldID: 2, Upper: tree.Bool(flag.(bool))}}
				e.SortOrderID = integer(order.(int32))
				for j := range kind {
					e.SplitOffsets = append(e.SplitOffsets, int64(i+j))
					offsets = append(offsets, level{Def: 2, Rep: int16(min(j, 1)), Value: int64(i + j)})
				}
			}
			entries, names, flags, orders = append(entries, e), append(names, name), append(flags, flag), append(orders, order)
		}
		checkPattern(t, s, entries, map[string][]any{"content_stats.ca.lower_bound": names, "content_stats.cb.upper_bound": flags, "sort_order_id": orders}, offsets)
	})
}

func checkPattern(t *rapid.T, s manifestio.Schema, entries []tree.Entry, want map[string][]any, offsets []level) {
	o := manifestio.EncodeOptions{
		PageBytes:         rapid.SampledFrom([]int{0, 1, 100}).Draw(t, "page bytes"),
		CompressFromBytes: rapid.SampledFrom([]int{0, -1, 1}).Draw(t, "compress from"),
	}
	var out bytes.Buffer
	if _, err := manifestio.Encode(&out, s, entries, o); err != nil {
		t.Fatal(err)
	}
	f := openParquet(t, out.Bytes())
	for path, values := range want {
		if f.MetaData().Schema.ColumnIndexByName(path) < 0 {
			if slices.ContainsFunc(values, func(v any) bool { return v != nil }) {
				t.Errorf("no column %s", path)
			}
			continue
		}
		if diff := cmp.Diff(values, f.values(path)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	if path := "split_offsets.list.element"; f.MetaData().Schema.ColumnIndexByName(path) >= 0 {
		if diff := cmp.Diff(offsets, f.levels(path)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}
