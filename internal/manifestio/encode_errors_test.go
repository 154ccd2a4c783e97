package manifestio_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/tree"
)

func statsOf(id int, s tree.FieldStats) func(*tree.Entry) {
	s.FieldID = id
	return func(e *tree.Entry) { e.Stats = tree.Stats{s} }
}

// refusals are entries that no manifest can hold, with what the error must say after the row.
var refusals = []struct {
	name string
	edit func(e *tree.Entry)
	want string
}{
	{"no status", func(e *tree.Entry) { e.Tracking.Status = 0 }, "field 0 tracking.status: 0 is no status"},
	{"unknown status", func(e *tree.Entry) { e.Tracking.Status = tree.Modified + 1 }, "field 0 tracking.status: 6 is no status"},
	{"no content type", func(e *tree.Entry) { e.Content = 0 }, "field 134 content_type: 0 is no content type"},
	{"unknown content type", func(e *tree.Entry) { e.Content = 9 }, "field 134 content_type: 9 is no content type"},
	{"position deletes", func(e *tree.Entry) { e.Content = tree.PositionDeletes }, "field 134 content_type: no v4 manifest holds delete files"},
	{"equality deletes", func(e *tree.Entry) { e.Content = tree.EqualityDeletes }, "field 134 content_type: no v4 manifest holds delete files"},
	{"no location", func(e *tree.Entry) { e.Location = "" }, "field 100 location: it is required"},
	{"location not UTF-8", func(e *tree.Entry) { e.Location = "a\xff" }, "field 100 location: a string that is not UTF-8"},
	{"no file format", func(e *tree.Entry) { e.FileFormat = "" }, "field 101 file_format: it is required"},
	{"negative record count", func(e *tree.Entry) { e.RecordCount = -1 }, "field 103 record_count: -1 is negative"},
	{"negative size", func(e *tree.Entry) { e.FileSizeBytes = -2 }, "field 104 file_size_in_bytes: -2 is negative"},
	{"deletion vector nowhere", func(e *tree.Entry) { e.DeletionVector.Valid = true }, "field 155 deletion_vector.location: it is required"},
	{"deletion vector before its file", func(e *tree.Entry) {
		e.DeletionVector = iceberg.Optional[tree.DeletionVector]{Valid: true, Val: tree.DeletionVector{Location: "dv", OffsetBytes: -1}}
	}, "field 144 deletion_vector.offset: -1 is negative"},
	{"negative file count", func(e *tree.Entry) {
		e.Manifest = iceberg.Optional[tree.ManifestInfo]{Valid: true, Val: tree.ManifestInfo{ReplacedFiles: -1, FormatVersion: 4}}
	}, "field 523 manifest_info.replaced_files_count: -1 is negative"},
	{"negative row count", func(e *tree.Entry) {
		e.Manifest = iceberg.Optional[tree.ManifestInfo]{Valid: true, Val: tree.ManifestInfo{DeletedRows: -1}}
	}, "field 514 manifest_info.deleted_rows_count: -1 is negative"},
	{"manifest of version 3", func(e *tree.Entry) {
		e.Manifest = iceberg.Optional[tree.ManifestInfo]{Valid: true, Val: tree.ManifestInfo{FormatVersion: 3}}
	}, "field 521 manifest_info.format_version: 3 is neither 0 nor 4"},
	{"partition field unknown", func(e *tree.Entry) {
		e.Partition = tree.Tuple{{FieldID: 1009, Value: tree.Int(1)}}
	}, "field 1009 partition: the schema has no such field"},
	{"partition fields out of order", func(e *tree.Entry) {
		e.Partition = tree.Tuple{{FieldID: 1001, Value: tree.Int(1)}, {FieldID: 1000, Value: tree.Int(1)}}
	}, "field 1000 partition: the tuple is not in the order of field ids"},
	{"partition value of another kind", func(e *tree.Entry) {
		e.Partition = tree.Tuple{{FieldID: 1000, Value: tree.Int(1)}}
	}, "field 1000 partition.region: a value of kind int does not fit type string"},
	{"statistics out of order", func(e *tree.Entry) {
		e.Stats = tree.Stats{{FieldID: 2}, {FieldID: 1}}
	}, "field 146 content_stats: the columns are not in the order of their ids at column 1"},
	{"a column twice", func(e *tree.Entry) {
		e.Stats = tree.Stats{{FieldID: 2}, {FieldID: 2}}
	}, "field 146 content_stats: the columns are not in the order of their ids at column 2"},
	{"negative value count", statsOf(1, tree.FieldStats{ValueCount: long(-1)}), "field 146 content_stats: a count of column 1 is negative"},
	{"NaN bound", statsOf(3, tree.FieldStats{Upper: tree.Double(math.NaN())}), "field 10602 content_stats.score.upper_bound: NaN is no bound"},
	{"NaN bound of a float", statsOf(3, tree.FieldStats{Lower: tree.Float(float32(math.NaN()))}), "field 10601 content_stats.score.lower_bound: NaN is no bound"},
	{"NaN corner", statsOf(6, tree.FieldStats{Lower: tree.Geo(1, math.NaN(), 0, 0)}), "field 11211 content_stats.place.lower_bound.y: NaN is no bound"},
	{"point as a corner", statsOf(6, tree.FieldStats{Lower: tree.Double(1)}), "field 11210 content_stats.place.lower_bound.x: a value of kind double is no bound of type geometry"},
	{"corner as a bound", statsOf(1, tree.FieldStats{Lower: tree.Geo(1, 2, 3, 4)}), "field 10201 content_stats.id.lower_bound: a value of kind geo does not fit type long"},
	{"bound not UTF-8", statsOf(2, tree.FieldStats{Upper: tree.String("\xc3")}), "field 10402 content_stats.name.upper_bound: a string that is not UTF-8"},
}

// TestEncodeRefusals: what no manifest can hold is refused, by row and field, wherever it stands.
func TestEncodeRefusals(t *testing.T) {
	s := fullSchema(t)
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			for _, row := range []int{0, 77} {
				entries := make([]tree.Entry, row+2)
				for i := range entries {
					entries[i] = plainEntry()
				}
				c.edit(&entries[row])
				_, err := manifestio.Encode(io.Discard, s, entries, manifestio.EncodeOptions{})
				want := "manifestio: row " + map[int]string{0: "0", 77: "77"}[row] + ": " + c.want
				if err == nil || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("got  %v\nwant %s", err, want)
				}
			}
		})
	}
}

// TestEncodeKinds: a value goes into columns of its own type and of those that the format promotes it to, and into
// no others.
func TestEncodeKinds(t *testing.T) {
	promotions := map[string]bool{"int to long": true, "float to double": true, "date to timestamp": true, "date to timestamp_ns": true}
	for _, from := range valueCases {
		for _, to := range valueCases {
			v := from.values[0]
			s := newSchema(t, tableOf(to.typ))
			e := plainEntry()
			e.Stats = tree.Stats{{FieldID: 1, Lower: v}}
			_, err := manifestio.Encode(io.Discard, s, []tree.Entry{e}, manifestio.EncodeOptions{})
			fits := from.name == to.name || promotions[from.name+" to "+to.name] ||
				from.name == "timestamp" && to.name == "timestamptz" || from.name == "timestamptz" && to.name == "timestamp" ||
				from.name == "timestamp_ns" && to.name == "timestamptz_ns" || from.name == "timestamptz_ns" && to.name == "timestamp_ns"
			if (err == nil) != fits {
				t.Errorf("%s to %s: %v", from.name, to.name, err)
			}
		}
	}
}

// TestEncodeOutOfRange: values that are too large for a column are refused, not cut.
func TestEncodeOutOfRange(t *testing.T) {
	for _, c := range []struct {
		typ  iceberg.Type
		v    tree.Value
		fits bool
	}{
		{iceberg.DecimalTypeOf(3, 1), tree.DecimalInt64(999, 1), true},
		{iceberg.DecimalTypeOf(3, 1), tree.DecimalInt64(1000, 1), false},
		{iceberg.DecimalTypeOf(3, 1), tree.DecimalInt64(-1000, 1), false},
		{iceberg.DecimalTypeOf(3, 1), tree.DecimalInt64(1, 2), false},
		{iceberg.DecimalTypeOf(18, 1), tree.DecimalInt64(1_000_000_000_000_000_000, 1), false},
		{iceberg.DecimalTypeOf(20, 0), tree.DecimalBytes([]byte{0x05, 0x6b, 0xc7, 0x5e, 0x2d, 0x63, 0x10, 0, 0}, 0), false},
		{iceberg.DecimalTypeOf(20, 0), tree.DecimalBytes([]byte{0xfa, 0x94, 0x38, 0xa1, 0xd2, 0x9c, 0xf0, 0, 1}, 0), true},
		{iceberg.DecimalTypeOf(20, 0), tree.DecimalBytes([]byte{0xfa, 0x94, 0x38, 0xa1, 0xd2, 0x9c, 0xf0, 0, 0}, 0), false},
		{iceberg.DecimalTypeOf(20, 0), tree.DecimalBytes(bytes.Repeat([]byte{0x7f}, 10), 0), false},
		{iceberg.FixedTypeOf(3), tree.Fixed([]byte("ab")), false},
		{iceberg.PrimitiveTypes.Timestamp, tree.Date(106_751_991), true},
		{iceberg.PrimitiveTypes.Timestamp, tree.Date(106_751_992), false},
		{iceberg.PrimitiveTypes.TimestampNs, tree.Date(-106_752), false},
	} {
		e := plainEntry()
		e.Stats = tree.Stats{{FieldID: 1, Lower: c.v}}
		_, err := manifestio.Encode(io.Discard, newSchema(t, tableOf(c.typ)), []tree.Entry{e}, manifestio.EncodeOptions{})
		if (err == nil) != c.fits {
			t.Errorf("%s in %s: %v", c.v, c.typ, err)
		}
	}
}

// TestEncodePartitionNaN: NaN is a value of a partition, though never a bound.
func TestEncodePartitionNaN(t *testing.T) {
	s := newSchema(t, tableOf(), iceberg.NestedField{ID: 1000, Name: "x", Type: iceberg.PrimitiveTypes.Float64})
	e := plainEntry()
	e.Partition = tree.Tuple{{FieldID: 1000, Value: tree.Double(math.NaN())}}
	if got := openParquet(t, encode(t, s, e)).values("partition.x"); len(got) != 1 || !math.IsNaN(got[0].(float64)) {
		t.Errorf("got %v", got)
	}
}

var errFull = errors.New("disk full")

// fullWriter fails after some bytes.
type fullWriter struct{ room int }

func (w *fullWriter) Write(p []byte) (int, error) {
	if len(p) > w.room {
		return w.room, errFull
	}
	w.room -= len(p)
	return len(p), nil
}

// TestEncodeWriterFails: the error of the writer comes back wherever it happens.
func TestEncodeWriterFails(t *testing.T) {
	size := len(encode(t, fullSchema(t), fullEntries()...))
	for room := 0; room < size; room += 23 {
		_, err := manifestio.Encode(&fullWriter{room}, fullSchema(t), fullEntries(), manifestio.EncodeOptions{})
		if !errors.Is(err, errFull) {
			t.Fatalf("after %d of %d bytes: %v", room, size, err)
		}
	}
}
