package datafile_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/datafile"
)

// smallFile has a column of each kind of trouble: doubles and strings that are read, one of them in a dictionary.
func smallFile(t testing.TB, props ...parquet.WriterProperty) []byte {
	return writeFile(t, []schema.Node{
		leaf(t, "d", true, parquet.Types.Double, nil, 0, 1),
		leaf(t, "s", true, parquet.Types.ByteArray, schema.StringLogicalType{}, 0, 2),
		leaf(t, "n", false, parquet.Types.Int64, nil, 0, 3),
	}, [][]cells{
		{{values: []float64{1, 2}, def: []int16{1, 0, 1}}, {values: []string{"eu", "eu", "eu"}, def: []int16{1, 1, 1}}, {values: []int64{4, 5, 6}}},
		{{values: []float64{3}, def: []int16{1}}, {values: []string{"eu"}, def: []int16{1}}, {values: []int64{7}}},
	}, props...)
}

var smallTable = iceberg.NewSchema(0, field(1, "d", prims.Float64, false), field(2, "s", prims.String, false), field(3, "n", prims.Int64, true))

func smallSpec() iceberg.PartitionSpec { return specOf(2, iceberg.IdentityTransform{}) }

// fileErrors reports whether an error is one of those that Inspect documents.
func documented(err error) bool {
	var file *datafile.FileError
	var mismatch *datafile.SchemaMismatchError
	var partition *datafile.PartitionError
	known := errors.As(err, &file) || errors.As(err, &mismatch) || errors.As(err, &partition) || errors.Is(err, datafile.ErrNoRows)
	return known && strings.Contains(err.Error(), location)
}

func TestTruncated(t *testing.T) {
	data := smallFile(t)
	for n := range data {
		_, err := inspect(data[:n], smallTable, smallSpec(), datafile.Options{})
		if !errors.Is(err, datafile.ErrCorrupt) || !documented(err) {
			t.Fatalf("%d of %d bytes: %v", n, len(data), err)
		}
	}
	// A file whose size is overstated is cut short too.
	_, err := datafile.Inspect(bytes.NewReader(data), int64(len(data))+1, location, smallTable, smallSpec(), datafile.Options{})
	if !errors.Is(err, datafile.ErrCorrupt) {
		t.Errorf("got %v", err)
	}
}

// TestFlippedBits changes every bit of a file in turn. What it then says may be wrong, but an error is one of the
// documented ones, and an accepted file is still valid.
func TestFlippedBits(t *testing.T) {
	data := smallFile(t, parquet.WithCompression(compress.Codecs.Snappy))
	refused := 0
	for i := range 8 * len(data) {
		flipped := bytes.Clone(data)
		flipped[i/8] ^= 1 << (i % 8)
		f, err := inspect(flipped, smallTable, smallSpec(), datafile.Options{})
		switch {
		case err != nil && !documented(err):
			t.Fatalf("bit %d: %v", i, err)
		case err != nil:
			refused++
		case f.Validate() != nil:
			t.Fatalf("bit %d: %v", i, f.Validate())
		}
	}
	if refused < len(data) {
		t.Errorf("only %d of %d flips were noticed", refused, 8*len(data))
	}
}

// thrift bytes of hostile footers. A struct ends with 0; 0x19 is field 1 more, a list.
func footerFile(footer ...byte) []byte {
	return withFooter(append([]byte("PAR1"), "\x00\x00\x00\x00PAR1"...), footer)
}

// TestHostile feeds files that ask for far more memory than they have bytes. Each is refused, at the price of
// little more than itself: a schema element costs the guard no more than its bytes, and the library, whose structs are
// larger by a constant, gets no footer that the guard refused.
func TestHostile(t *testing.T) {
	huge := []byte{0xff, 0xff, 0xff, 0xff, 0x07} // 2^31 - 1 as a varint
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	var deep []byte
	for range 100000 {
		deep = append(deep, 0x48, 1, 'x', 0x15, 2, 0) // name "x", one child
	}
	cases := map[string]struct {
		data []byte
		want string
	}{
		"a list of 2^31 schema elements":        {footerFile(join([]byte{0x29, 0xfc}, huge)...), "list of"},
		"a list of row groups that are numbers": {footerFile(join([]byte{0x49, 0xf5}, []byte{3, 0, 0, 0})...), "list elements of type 5, not 12"},
		"schema elements nested without end":    {footerFile(join([]byte{0x29, 0xfc, 0xa0, 0x8d, 0x06}, deep, []byte{0})...), "schema elements: limit"},
		"structs nested without end":            {footerFile(bytes.Repeat([]byte{0x0c, 0x02}, 100000)...), "nested deeper"},
		"an encrypted file":                     {append(append([]byte("PARE"), make([]byte, 8)...), "\x04\x00\x00\x00PARE"...), "encrypted"},
		"no Parquet":                            {[]byte("this is a text file, not a Parquet file"), "malformed"},
		"nothing":                               {nil, "no Parquet file"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bytes := allocated(func() {
				_, err := inspect(c.data, smallTable, smallSpec(), datafile.Options{})
				if err == nil || !strings.Contains(err.Error(), c.want) || !documented(err) {
					t.Errorf("got %v, want %q", err, c.want)
				}
			})
			if limit := uint64(128*len(c.data) + 1<<16); bytes > limit {
				t.Errorf("%d bytes allocated for a file of %d", bytes, len(c.data))
			}
		})
	}
}

// allocated returns the bytes that a call allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestHostileFooters edits a good footer into one that contradicts the file or itself.
func TestHostileFooters(t *testing.T) {
	negative := int64(-1)
	many := int64(1 << 40)
	cases := map[string]struct {
		edit func(m *fileMetaData)
		want string
	}{
		"rows that do not add up":   {func(m *fileMetaData) { m.NumRows = 5 }, "5 rows in all, 4 in the row groups"},
		"negative rows":             {func(m *fileMetaData) { m.RowGroups[1].NumRows = -1 }, "row group 1"},
		"a column missing":          {func(m *fileMetaData) { m.RowGroups[0].Columns = m.RowGroups[0].Columns[:2] }, "2 columns where the schema has 3"},
		"another type":              {func(m *fileMetaData) { m.RowGroups[0].Columns[1].MetaData.Type = 1 }, "column s: malformed Parquet: INT32 where the schema has BYTE_ARRAY"},
		"values unlike rows":        {func(m *fileMetaData) { m.RowGroups[1].Columns[0].MetaData.NumValues = 9 }, "row group 1: column d"},
		"more nulls than values":    {func(m *fileMetaData) { m.RowGroups[0].Columns[0].MetaData.Statistics.NullCount = &many }, "nulls in 3 values"},
		"negative nulls":            {func(m *fileMetaData) { m.RowGroups[0].Columns[0].MetaData.Statistics.NullCount = &negative }, "-1 nulls"},
		"a chunk beyond the file":   {func(m *fileMetaData) { m.RowGroups[0].Columns[0].MetaData.TotalCompressedSize = many }, "in a file of"},
		"a chunk before the file":   {func(m *fileMetaData) { m.RowGroups[0].Columns[0].MetaData.DataPageOffset = -4 }, "in a file of"},
		"a chunk that is no page":   {func(m *fileMetaData) { m.RowGroups[0].Columns[0].MetaData.DataPageOffset++ }, "column d"},
		"a chunk in another file":   {func(m *fileMetaData) { p := "x"; m.RowGroups[0].Columns[0].FilePath = &p }, "not supported"},
		"an unknown codec":          {func(m *fileMetaData) { m.RowGroups[0].Columns[0].MetaData.Codec = 3 }, "codec LZO"},
		"a root without children":   {func(m *fileMetaData) { m.FileMetaData.Schema[0].NumChildren = nil }, "schema has 4 elements"},
		"more children than exist":  {func(m *fileMetaData) { n := int32(1 << 30); m.FileMetaData.Schema[0].NumChildren = &n }, "more nodes than elements"},
		"a fixed type without size": {func(m *fileMetaData) { m.FileMetaData.Schema[1].Type.UnmarshalText([]byte("FIXED_LEN_BYTE_ARRAY")) }, "length 0"},
	}
	good := smallFile(t, parquet.WithDictionaryDefault(false))
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := inspect(editFooter(t, good, c.edit), smallTable, smallSpec(), datafile.Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) || !documented(err) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// failingReader fails like a store that is gone.
type failingReader struct {
	io.ReaderAt
	after int64
}

var errGone = errors.New("the store is gone")

func (r failingReader) ReadAt(p []byte, offset int64) (int, error) {
	if offset < r.after {
		return 0, errGone
	}
	return r.ReaderAt.ReadAt(p, offset)
}

// TestReadErrors checks that errors of the store come through and are not taken for corruption.
func TestReadErrors(t *testing.T) {
	data := smallFile(t)
	for _, after := range []int64{1, int64(len(data))} {
		_, err := datafile.Inspect(failingReader{bytes.NewReader(data), after}, int64(len(data)), location, smallTable, smallSpec(), datafile.Options{})
		if !errors.Is(err, errGone) || errors.Is(err, datafile.ErrCorrupt) || !documented(err) {
			t.Errorf("after %d: %v", after, err)
		}
	}
}

func TestLimits(t *testing.T) {
	data := smallFile(t)
	for name, limits := range map[string]datafile.Limits{
		"footer": {FooterBytes: 10}, "schema elements": {Columns: 2}, "row groups": {RowGroups: 1},
		"chunk": {ChunkBytes: 10}, "page": {PageBytes: 4},
	} {
		_, err := inspect(data, smallTable, smallSpec(), datafile.Options{Limits: limits})
		if !errors.Is(err, datafile.ErrLimit) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	nested := readFile(t, "testdata/written/arrow-nested.parquet")
	_, err := datafile.SchemaOf(bytes.NewReader(nested), int64(len(nested)), location, datafile.Limits{Depth: 2})
	if !errors.Is(err, datafile.ErrLimit) {
		t.Errorf("nesting: got %v", err)
	}
}
