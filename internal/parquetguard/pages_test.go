package parquetguard_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/internal/parquetguard"
)

// page is one page as it stands in a file. Sizes that are zero are those of the body.
func page(t testing.TB, h format.PageHeader, body []byte) []byte {
	t.Helper()
	if h.CompressedPageSize == 0 {
		h.CompressedPageSize = int32(len(body))
	}
	if h.UncompressedPageSize == 0 {
		h.UncompressedPageSize = int32(len(body))
	}
	return append(marshal(t, &h), body...)
}

func dataPage(values int32) format.PageHeader {
	return format.PageHeader{Type: format.DataPage, DataPageHeader: thrift.New(format.DataPageHeader{NumValues: values,
		DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE})}
}

func dataPageV2(repBytes, defBytes int32, compressed bool) format.PageHeader {
	return format.PageHeader{Type: format.DataPageV2, DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{NumValues: 5,
		Encoding: format.DeltaBinaryPacked, RepetitionLevelsByteLength: repBytes, DefinitionLevelsByteLength: defBytes,
		IsCompressed: thrift.New(compressed)})}
}

func zstdOf(t testing.TB, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(data, nil)
}

// withLength puts the length of levels in front of them.
func withLength(levels string) string {
	return string(binary.LittleEndian.AppendUint32(nil, uint32(len(levels)))) + levels
}

// TestPages cuts every kind of page into its parts.
func TestPages(t *testing.T) {
	summed := dataPage(1)
	summed.CRC = int32(crc32.ChecksumIEEE([]byte("values")))
	stored := zstdOf(t, []byte("values"))
	v2 := dataPageV2(2, 3, true)
	v2.UncompressedPageSize = 11
	v1 := dataPage(1)
	plain := withLength("re") + withLength("def") + "values"
	v1.UncompressedPageSize = int32(len(plain))
	dictionary := format.PageHeader{Type: format.DictionaryPage, DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: 2})}
	for name, c := range map[string]struct {
		chunk              []byte
		codec              format.CompressionCodec
		nested             bool
		reps, defs, values string
	}{
		"flat":           {page(t, dataPage(1), []byte("values")), format.Uncompressed, false, "", "", "values"},
		"a checksum":     {page(t, summed, []byte("values")), format.Uncompressed, false, "", "", "values"},
		"levels":         {page(t, v1, zstdOf(t, []byte(plain))), format.Zstd, true, "re", "def", "values"},
		"version 2":      {page(t, v2, append([]byte("redef"), stored...)), format.Zstd, true, "re", "def", "values"},
		"plain values":   {page(t, dataPageV2(2, 3, false), []byte("redefvalues")), format.Zstd, true, "re", "def", "values"},
		"a dictionary":   {page(t, dictionary, []byte("values")), format.Uncompressed, true, "", "", "values"},
		"after an index": {append(page(t, format.PageHeader{Type: format.IndexPage}, nil), page(t, dataPage(1), []byte("values"))...), format.Uncompressed, false, "", "", "values"},
	} {
		pages := parquetguard.Pages{Chunk: c.chunk, Codec: c.codec, MaxPageBytes: 100}
		if c.nested {
			pages.MaxRepetition, pages.MaxDefinition = 1, 2
		}
		p, ok, err := pages.Next()
		if err != nil || !ok {
			t.Errorf("%s: %t, %v", name, ok, err)
			continue
		}
		if string(p.Repetitions) != c.reps || string(p.Definitions) != c.defs || string(p.Values) != c.values {
			t.Errorf("%s: %q, %q, %q", name, p.Repetitions, p.Definitions, p.Values)
		}
		if _, ok, err := pages.Next(); ok || err != nil || pages.Pos() != len(c.chunk) {
			t.Errorf("%s: another page: %t, %v", name, ok, err)
		}
	}
}

// TestHostilePages refuses pages whose headers say more than there is, and allocates no more than the limit for it.
func TestHostilePages(t *testing.T) {
	with := func(h format.PageHeader, edit func(*format.PageHeader)) format.PageHeader { edit(&h); return h }
	bomb := zstdOf(t, make([]byte, 64<<20))

	overflow := v2WithLevels(1<<62, 1<<62)
	cut := page(t, dataPage(1), []byte("xyz"))
	var limit *parquetguard.LimitError
	for name, c := range map[string]struct {
		chunk []byte
		codec format.CompressionCodec
		def   int
		kind  error
		want  string
	}{
		"a cut header":             {page(t, dataPage(1), []byte("x"))[:5], format.Uncompressed, 0, nil, "page header at byte 0"},
		"a cut page":               {cut[:len(cut)-1], format.Uncompressed, 0, parquetguard.ErrTruncated, "a page of 3 bytes"},
		"a negative size":          {page(t, with(dataPage(1), func(h *format.PageHeader) { h.CompressedPageSize = -1 }), nil), format.Uncompressed, 0, parquetguard.ErrTruncated, "a page of -1 bytes"},
		"negative values":          {page(t, dataPage(-1), []byte("x")), format.Uncompressed, 0, nil, "without its counts"},
		"no header of its type":    {page(t, format.PageHeader{Type: format.DataPage}, []byte("x")), format.Uncompressed, 0, nil, "without its counts"},
		"an unknown type":          {page(t, format.PageHeader{Type: 9}, []byte("x")), format.Uncompressed, 0, nil, "page type 9"},
		"a wrong checksum":         {page(t, with(dataPage(1), func(h *format.PageHeader) { h.CRC = 7 }), []byte("x")), format.Uncompressed, 0, nil, "checksum"},
		"a page above the limit":   {page(t, with(dataPage(1), func(h *format.PageHeader) { h.UncompressedPageSize = math.MaxInt32 }), bomb), format.Zstd, 0, limit, "2147483647 bytes of a page"},
		"a zstd bomb":              {page(t, with(dataPage(1), func(h *format.PageHeader) { h.UncompressedPageSize = 100 }), bomb), format.Zstd, 0, nil, "decompressing"},
		"a snappy claim of 4 GiB":  {page(t, with(dataPage(1), func(h *format.PageHeader) { h.UncompressedPageSize = 100 }), []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0}), format.Snappy, 0, nil, "4294967295 bytes instead of 100"},
		"an unknown codec":         {page(t, dataPage(1), []byte("x")), 99, 0, parquetguard.ErrUnsupported, "codec"},
		"another plain size":       {page(t, with(dataPage(1), func(h *format.PageHeader) { h.UncompressedPageSize = 2 }), []byte("x")), format.Uncompressed, 0, nil, "of 1 bytes that says 2"},
		"no room for levels":       {page(t, dataPage(1), []byte("x")), format.Uncompressed, 1, parquetguard.ErrTruncated, "ends in its levels"},
		"levels of 4 GiB":          {page(t, dataPage(1), []byte{255, 255, 255, 255}), format.Uncompressed, 1, parquetguard.ErrTruncated, "levels of 4294967295 bytes"},
		"levels in bits":           {page(t, with(dataPage(1), func(h *format.PageHeader) { h.DataPageHeader.V.DefinitionLevelEncoding = format.BitPacked }), []byte(withLength("x"))), format.Uncompressed, 1, parquetguard.ErrUnsupported, "levels in encoding"},
		"levels beyond version 2":  {page(t, dataPageV2(1, 2, false), []byte("xy")), format.Uncompressed, 1, parquetguard.ErrTruncated, "levels of 1 and 2 bytes in a page of 2"},
		"levels that overflow":     {overflow, format.Uncompressed, 1, parquetguard.ErrTruncated, "levels of"},
		"levels above the size":    {page(t, with(dataPageV2(1, 2, false), func(h *format.PageHeader) { h.UncompressedPageSize = 2 }), []byte("xyz")), format.Uncompressed, 1, nil, "with levels of 1 and 2"},
		"values behind the page 2": {page(t, with(dataPageV2(0, 0, false), func(h *format.PageHeader) { h.UncompressedPageSize = 9 }), []byte("xyz")), format.Zstd, 1, parquetguard.ErrTruncated, "3 bytes of values"},
	} {
		const max = 1 << 20
		pages := parquetguard.Pages{Chunk: c.chunk, Codec: c.codec, MaxDefinition: c.def, MaxPageBytes: max}
		var err error
		bytes := allocated(func() { _, _, err = pages.Next() })
		if err == nil || !strings.Contains(err.Error(), c.want) || c.kind != nil && c.kind != error(limit) && !errors.Is(err, c.kind) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
		// A decoder of zstd keeps tables for the next frame, whatever the size of this one.
		if most := uint64(4 * max); bytes > most {
			t.Errorf("%s: %d bytes allocated", name, bytes)
		}
	}
}

// v2WithLevels is a version 2 page of one byte whose levels claim any size, which the library's types cannot.
func v2WithLevels(repBytes, defBytes int64) []byte {
	out := []byte{0x15, 6, 0x15, 2, 0x15, 2, 0x5c, 0x15, 2, 0x35, 0, 0x16}
	out = binary.AppendVarint(out, defBytes)
	out = binary.AppendVarint(append(out, 0x16), repBytes)
	return append(out, 0, 0, 'x')
}

// TestFetchedPages reads a chunk in the pieces that the walk asks for, with a header that is longer than most, and gets what it
// gets from the whole chunk; a chunk that ends early and a store that fails end the walk.
func TestFetchedPages(t *testing.T) {
	long := dataPage(3)
	long.DataPageHeader.V.Statistics = format.Statistics{MaxValue: make([]byte, 30_000)}
	var chunk []byte
	for _, p := range [][]byte{
		page(t, dataPage(1), []byte("values")), page(t, long, []byte("long")), page(t, dataPageV2(2, 3, false), []byte("redefvalues")),
	} {
		chunk = append(chunk, p...)
	}
	walk := func(pages parquetguard.Pages) (found []string, err error) {
		pages.MaxRepetition, pages.MaxDefinition, pages.MaxPageBytes = 0, 0, 100
		for {
			p, ok, err := pages.Next()
			if !ok || err != nil {
				return found, err
			}
			found = append(found, string(p.Repetitions)+"|"+string(p.Definitions)+"|"+string(p.Values))
		}
	}
	fetch := func(offset, sizeBytes int64) ([]byte, error) { return chunk[offset : offset+sizeBytes], nil }
	want, err := walk(parquetguard.Pages{Chunk: chunk})
	if err != nil || len(want) != 3 {
		t.Fatal(want, err)
	}
	if got, err := walk(parquetguard.Pages{Fetch: fetch, SizeBytes: int64(len(chunk))}); err != nil || !slices.Equal(want, got) {
		t.Errorf("fetched %q, %v, of the whole chunk %q", got, err, want)
	}
	for size := range len(chunk) {
		got, err := walk(parquetguard.Pages{Fetch: fetch, SizeBytes: int64(size)})
		whole, wholeErr := walk(parquetguard.Pages{Chunk: chunk[:size]})
		if !slices.Equal(whole, got) || fmt.Sprint(err) != fmt.Sprint(wholeErr) {
			t.Fatalf("%d bytes: fetched %q, %v, of the whole %q, %v", size, got, err, whole, wholeErr)
		}
	}
	failed := errors.New("no answer")
	for fails := range 6 {
		calls := 0
		_, err := walk(parquetguard.Pages{SizeBytes: int64(len(chunk)), Fetch: func(offset, sizeBytes int64) ([]byte, error) {
			if calls++; calls > fails {
				return nil, failed
			}
			return fetch(offset, sizeBytes)
		}})
		if !errors.Is(err, failed) {
			t.Errorf("call %d fails: %v", fails+1, err)
		}
	}
}
