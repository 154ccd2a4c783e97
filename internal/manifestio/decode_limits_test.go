package manifestio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/internal/parquetguard"
	"github.com/firn-io/firn/tree"
)

// TestLimits reads a file under limits that it just exceeds, and under the same limits one higher.
func TestLimits(t *testing.T) {
	data, _ := sampleFile(t, 50)
	footerBytes := int64(binary.LittleEndian.Uint32(data[len(data)-8:]))
	nodes := int64(1)
	takeApart(t, data).each(func(*sheet) { nodes++ })
	for _, c := range []struct {
		name  string
		limit func(*DecodeOptions) *int64
		need  int64
	}{
		{"MaxRows", func(o *DecodeOptions) *int64 { return &o.MaxRows }, 50},
		{"MaxColumns", func(o *DecodeOptions) *int64 { return &o.MaxColumns }, nodes - 1},
		{"MaxFooterBytes", func(o *DecodeOptions) *int64 { return &o.MaxFooterBytes }, footerBytes},
		{"MaxPageBytes", func(o *DecodeOptions) *int64 { return &o.MaxPageBytes }, largestPage(t, data)},
		{"MaxStringBytes", func(o *DecodeOptions) *int64 { return &o.MaxStringBytes }, longestText(t, data)},
	} {
		var o DecodeOptions
		*c.limit(&o) = c.need
		if err := readWith(data, o); err != nil {
			t.Errorf("%s %d: %v", c.name, c.need, err)
		}
		*c.limit(&o) = c.need - 1
		err := readWith(data, o)
		var limit *LimitError
		if !errors.As(err, &limit) || !errors.Is(err, ErrLimit) || errors.Is(err, ErrCorrupt) {
			t.Fatalf("%s %d: error %v", c.name, c.need-1, err)
		}
		if limit.Limit != c.name || limit.Max != c.need-1 || limit.Object != "test.parquet" {
			t.Errorf("%s %d: %+v", c.name, c.need-1, limit)
		}
	}
	if err := readWith(data, DecodeOptions{MaxMemoryBytes: 1000}); !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), "MaxMemoryBytes") {
		t.Errorf("MaxMemoryBytes: %v", err)
	}
	if _, err := Open(bytes.NewReader(data), int64(len(data)), "x", DecodeOptions{MaxPageBytes: -1}); err == nil || !strings.Contains(err.Error(), "MaxPageBytes") {
		t.Errorf("negative limit: %v", err)
	}
}

// readWith reads all rows under the given limits.
func readWith(data []byte, o DecodeOptions) error {
	r, err := Open(bytes.NewReader(data), int64(len(data)), "test.parquet", o)
	if err != nil {
		return err
	}
	_, err = r.ReadAll(tree.Full)
	return err
}

// largestPage returns the size of the largest page of a file.
func largestPage(t *testing.T, data []byte) int64 {
	r, err := Open(bytes.NewReader(data), int64(len(data)), "test.parquet", DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	largest := int64(0)
	for _, c := range r.footer.groups[0].chunks {
		h, _, err := parquetguard.ReadPageHeader(data[c.start:])
		if err != nil {
			t.Fatal(err)
		}
		largest = max(largest, h.PlainBytes)
	}
	return largest
}

// longestText returns the length of the longest string of a file.
func longestText(t *testing.T, data []byte) int64 {
	longest := 0
	takeApart(t, data).each(func(s *sheet) {
		if s.data == nil {
			return
		}
		if texts, ok := s.data.values.([]parquet.ByteArray); ok {
			for _, v := range texts {
				longest = max(longest, len(v))
			}
		}
	})
	return int64(longest)
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// bombs are column chunks of a few bytes that ask for gigabytes.
func bombs(t *testing.T) map[string]*nestedCursor {
	flat := func(physical format.Type, enc format.Encoding, values int32, body ...byte) *nestedCursor {
		return testCursor(physical, 1000, 0, 0, format.Uncompressed, dataPage(t, values, enc, body))
	}
	compressed := func(codec format.CompressionCodec, claimed int32, body []byte) *nestedCursor {
		h := format.PageHeader{Type: format.DataPage, UncompressedPageSize: claimed}
		h.DataPageHeader.V = format.DataPageHeader{NumValues: 1, Encoding: format.Plain}
		h.DataPageHeader.Valid = true
		return testCursor(format.Int32, 0, 0, 0, codec, onePage(t, h, body))
	}
	zeros := make([]byte, 100<<20)
	var gz bytes.Buffer
	z := gzip.NewWriter(&gz)
	z.Write(zeros)
	z.Close()
	encoder, err := zstd.NewWriter(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	huge := binary.AppendUvarint(nil, 1<<31-2)
	delta := append(append([]byte{0x80, 1, 4}, binary.AppendUvarint(nil, 1<<31-1)...), 0, 0, 0, 0, 0, 0) // a block of width 0
	levels := append(append([]byte{byte(len(huge)) + 1, 0, 0, 0}, huge...), 1)
	dictionary := format.PageHeader{Type: format.DictionaryPage, UncompressedPageSize: 4}
	dictionary.DictionaryPageHeader.V = format.DictionaryPageHeader{NumValues: 1<<31 - 1, Encoding: format.Plain}
	dictionary.DictionaryPageHeader.Valid = true
	return map[string]*nestedCursor{
		"values in a page header":   flat(format.Int64, format.Plain, 1<<31-1, 1, 2, 3, 4, 5, 6, 7, 8),
		"a run of levels":           testCursor(format.Int32, 0, 1, 0, format.Uncompressed, dataPage(t, 5, format.Plain, levels)),
		"all levels":                testCursor(format.Int32, 0, 1, 0, format.Uncompressed, dataPage(t, 1<<31-1, format.Plain, levels)),
		"a run of booleans":         flat(format.Boolean, format.RLE, 5, levels...),
		"delta encoded numbers":     flat(format.Int64, format.DeltaBinaryPacked, 5, delta...),
		"delta encoded lengths":     flat(format.ByteArray, format.DeltaLengthByteArray, 5, delta...),
		"delta encoded prefixes":    flat(format.ByteArray, format.DeltaByteArray, 5, delta...),
		"dictionary entries":        testCursor(format.ByteArray, 0, 0, 0, format.Uncompressed, onePage(t, dictionary, []byte{0, 0, 0, 0})),
		"a gzip page, honest":       compressed(format.Gzip, int32(len(zeros)), gz.Bytes()),
		"a gzip page, lying":        compressed(format.Gzip, 4, gz.Bytes()),
		"a zstd page, lying":        compressed(format.Zstd, 4, encoder.EncodeAll(zeros, nil)),
		"a snappy page, lying":      compressed(format.Snappy, 4, append(binary.AppendUvarint(nil, 1<<31), 0, 0)),
		"an LZ4 page of nonsense":   compressed(format.Lz4Raw, 4, []byte{0xff, 0xff, 0xff, 0xff, 0xff}),
		"a brotli page of nonsense": compressed(format.Brotli, 4, []byte{0x1b, 0xff, 0xff, 0xff, 0xff, 0xff}),
		"a string":                  flat(format.ByteArray, format.Plain, 1, 0xff, 0xff, 0xff, 0x7f, 0),
	}
}

// TestBombs refuses pages that ask for more memory than the limits, before it is allocated.
func TestBombs(t *testing.T) {
	for name, c := range bombs(t) {
		t.Run(name, func(t *testing.T) {
			c.left = 1<<31 - 1
			var err error
			bytes := allocated(func() {
				err = c.row(func(cell) error { return nil })
			})
			if err == nil {
				t.Error("the page was read")
			}
			if most := uint64(4 << 20); bytes > most {
				t.Errorf("%d bytes allocated, more than %d", bytes, most)
			}
		})
	}
}

// TestFooterBombs refuses footers that claim more than they hold.
func TestFooterBombs(t *testing.T) {
	listOf := func(field byte, n uint64) []byte { // a list of structs, in field number field
		return append([]byte{field<<4 | parquetguard.WireList, 0xf0 | parquetguard.WireStruct}, binary.AppendUvarint(nil, n)...)
	}
	element := func(children int64) []byte { // a required schema element named x
		return append(append([]byte{0x35, 0, 0x18, 1, 'x', 0x15}, binary.AppendVarint(nil, children)...), parquetguard.WireStop)
	}
	nested := bytes.Repeat([]byte{0x1c}, 1<<20)
	deep := listOf(2, 60_000)
	for range 60_000 {
		deep = append(deep, element(1)...)
	}
	for name, footer := range map[string][]byte{
		"schema elements":        listOf(2, 1<<62),
		"row groups":             listOf(4, 1<<31),
		"empty schema elements":  append(listOf(2, 60_000), make([]byte, 60_000)...),
		"empty row groups":       append(listOf(4, 60_000), make([]byte, 60_000)...),
		"children of the root":   slices.Concat(listOf(2, 1), element(1<<31-1), []byte{parquetguard.WireStop}),
		"columns within columns": append(deep, parquetguard.WireStop),
		"nested structs":         nested,
		"a string":               append([]byte{0x68}, binary.AppendUvarint(nil, 1<<31-1)...),
	} {
		t.Run(name, func(t *testing.T) {
			file := append([]byte(parquetguard.Magic), footer...)
			file = binary.LittleEndian.AppendUint32(file, uint32(len(footer)))
			file = append(file, parquetguard.Magic...)
			var err error
			bytes := allocated(func() {
				err = readWith(file, DecodeOptions{})
			})
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("error %v", err)
			}
			if most := uint64(250*len(file) + 1<<20); bytes > most {
				t.Errorf("%d bytes allocated for a file of %d", bytes, len(file))
			}
		})
	}
}
