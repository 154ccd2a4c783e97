package manifestio

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/tree"
)

// tightLimits keep a fuzzer's memory small.
var tightLimits = DecodeOptions{MaxRows: 10_000, MaxColumns: 2000, MaxPageBytes: 1 << 20, MaxStringBytes: 1 << 16, MaxMemoryBytes: 16 << 20}

// FuzzDecode reads arbitrary bytes as a manifest. What is read must be the same after it was written again.
func FuzzDecode(f *testing.F) {
	seeds, err := filepath.Glob("testdata/java-v4/*/*.parquet")
	if err != nil || len(seeds) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, path := range seeds {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 1<<16 {
			f.Add(data)
		}
	}
	sample, _ := sampleFile(f, 5)
	f.Add(sample)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Open(bytes.NewReader(data), int64(len(data)), "fuzz", tightLimits)
		if err != nil {
			return
		}
		read, err := r.ReadAll(tree.Full)
		checkNoPanic(t, err)
		if err != nil {
			return
		}
		s := r.Schema()
		for i := range s.Stats {
			if s.Stats[i].Type == nil {
				s.Stats[i].Type = iceberg.PrimitiveTypes.Int64 // no bound needs it
			}
		}
		var out bytes.Buffer
		if _, err := Encode(&out, s, read, EncodeOptions{}); err != nil {
			return // the writer is stricter
		}
		again, err := decode(out.Bytes(), tree.Full)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		for i := range read {
			for j := range read[i].Stats {
				tight := &read[i].Stats[j].Tight
				tight.Valid = tight.Valid || again[i].Stats[j].Tight.Valid // null is written as false (rules 0.5-1)
			}
		}
		if diff := cmp.Diff(read, again, sameValues); diff != "" {
			t.Fatalf("read -, written and read again +:\n%s", diff)
		}
	})
}

// checkNoPanic fails if an error is a panic that was caught.
func checkNoPanic(t testing.TB, err error) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), "panicked") {
		t.Fatal(err)
	}
}

// onePage is one page as it stands in a file.
func onePage(t testing.TB, h format.PageHeader, body []byte) []byte {
	t.Helper()
	h.CompressedPageSize = int32(len(body))
	header, err := thrift.Marshal(new(thrift.CompactProtocol), &h)
	if err != nil {
		t.Fatal(err)
	}
	return append(header, body...)
}

// dataPage is a version 1 data page with uncompressed content.
func dataPage(t testing.TB, values int32, enc format.Encoding, body []byte) []byte {
	h := format.PageHeader{Type: format.DataPage, UncompressedPageSize: int32(len(body))}
	h.DataPageHeader.V = format.DataPageHeader{
		NumValues: values, Encoding: enc, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
	}
	h.DataPageHeader.Valid = true
	return onePage(t, h, body)
}

// testCursor is a cursor over one column chunk.
func testCursor(physical format.Type, length, def, rep int, codec format.CompressionCodec, chunk []byte) *nestedCursor {
	limits, _ := tightLimits.resolve()
	leaf := &fileNode{name: "column", physical: physical, typeLength: length, def: def, rep: rep}
	c := &nestedCursor{cursor: cursor{leaf: leaf, limits: &limits, budget: &memoryBudget{limit: limits.MaxMemoryBytes}}}
	c.open(codec, chunk)
	return c
}

// FuzzColumn reads arbitrary bytes as a column chunk, without the net that turns panics into errors: what
// the guards let through must not make a decoder panic.
func FuzzColumn(f *testing.F) {
	longs := []int64{1, -5, 1 << 40, 7, 7, 7, 7, 7, 9}
	for _, enc := range []encoding.Encoding{&parquet.Plain, &parquet.DeltaBinaryPacked, &parquet.ByteStreamSplit} {
		body, err := enc.EncodeInt64(nil, longs)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(dataPage(f, int32(len(longs)), enc.Encoding(), body), byte(format.Int64), byte(0), byte(0), byte(0))
	}
	texts, offsets := []byte("abcabdxyz"), []uint32{0, 3, 6, 9}
	for _, enc := range []encoding.Encoding{&parquet.Plain, &parquet.DeltaByteArray, &parquet.DeltaLengthByteArray} {
		body, err := enc.EncodeByteArray(nil, texts, offsets)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(dataPage(f, 3, enc.Encoding(), body), byte(format.ByteArray), byte(0), byte(0), byte(0))
	}
	levels := binary.LittleEndian.AppendUint32(nil, 2)
	levels = append(append(levels, 3, 0b10110101), 9, 0, 0, 0)
	f.Add(dataPage(f, 8, format.Plain, levels), byte(format.Int32), byte(1), byte(0), byte(0))
	f.Fuzz(func(t *testing.T, chunk []byte, physical, def, rep, codec byte) {
		if physical > byte(format.FixedLenByteArray) || rep > def || def > 3 || codec > byte(format.Lz4Raw) {
			return
		}
		c := testCursor(format.Type(physical), 5, int(def), int(rep), format.CompressionCodec(codec), chunk)
		c.left = math.MaxInt32
		for range 100_000 {
			if err := c.row(func(cell) error { return nil }); err != nil {
				return
			}
		}
	})
}
