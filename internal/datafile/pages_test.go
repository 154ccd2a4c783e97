package datafile_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/internal/datafile"
)

const (
	int64Type     = 2
	byteArrayType = 6
)

// page returns a stored page: the header as parquet-go writes it, then the body.
func page(t *testing.T, h format.PageHeader, body []byte) []byte {
	t.Helper()
	if h.CompressedPageSize == 0 {
		h.CompressedPageSize = int32(len(body))
	}
	if h.UncompressedPageSize == 0 {
		h.UncompressedPageSize = int32(len(body))
	}
	header, err := thrift.Marshal(&thrift.CompactProtocol{}, h)
	if err != nil {
		t.Fatal(err)
	}
	return append(header, body...)
}

func dataPage(values int32, encoding format.Encoding) format.PageHeader {
	h := format.PageHeader{Type: format.DataPage}
	h.DataPageHeader.Valid = true
	h.DataPageHeader.V = format.DataPageHeader{NumValues: values, Encoding: encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE}
	return h
}

func dataPageV2(values int32, encoding format.Encoding, levels int32) format.PageHeader {
	h := format.PageHeader{Type: format.DataPageV2}
	h.DataPageHeaderV2.Valid = true
	h.DataPageHeaderV2.V = format.DataPageHeaderV2{NumValues: values, Encoding: encoding, DefinitionLevelsByteLength: levels}
	return h
}

func dictionaryPage(values int32) format.PageHeader {
	h := format.PageHeader{Type: format.DictionaryPage}
	h.DictionaryPageHeader.Valid = true
	h.DictionaryPageHeader.V = format.DictionaryPageHeader{NumValues: values, Encoding: format.Plain}
	return h
}

// run returns levels, behind their length, of one run.
func run(n uint64, level byte) []byte {
	body := append(binary.AppendUvarint(nil, n<<1), level)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func uvarints(n ...uint64) []byte {
	var out []byte
	for _, v := range n {
		out = binary.AppendUvarint(out, v)
	}
	return out
}

// TestHostilePages reads pages whose headers promise more than their bytes hold. Each is refused without
// allocating for the promise.
func TestHostilePages(t *testing.T) {
	cat := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	present, eight := run(1, 1), make([]byte, 8)
	checked := dataPage(1, format.Plain)
	checked.CRC = int32(crc32.ChecksumIEEE([]byte("another page")))
	bomb := zeros(t, 1<<28)
	large := dataPage(1, format.Plain)
	large.UncompressedPageSize = 1 << 30
	few := dataPage(1, format.Plain)
	few.UncompressedPageSize = 100
	const none, snappyCodec, zstdCodec = 0, 1, 6
	cases := map[string]struct {
		typ, codec int
		values     int64
		data       []byte
		want       string
	}{
		"no page":                     {int64Type, none, 1, nil, "1 values are missing"},
		"a page cut short":            {int64Type, none, 1, page(t, dataPage(1, format.Plain), cat(present, eight))[:30], "page of"},
		"a wrong checksum":            {int64Type, none, 1, page(t, checked, cat(present, eight)), "checksum"},
		"more values than the chunk":  {int64Type, none, 1, page(t, dataPage(2, format.Plain), cat(run(2, 1), eight, eight)), "2 values where 1"},
		"a page above the limit":      {int64Type, zstdCodec, 1, page(t, large, []byte{1}), "limit exceeded"},
		"a zstd bomb":                 {int64Type, zstdCodec, 1, page(t, few, bomb), "decompress"},
		"a snappy block of 4 GiB":     {int64Type, snappyCodec, 1, page(t, few, uvarints(1<<32-1)), "4294967295 bytes instead of 100"},
		"a dictionary of 2^31 values": {byteArrayType, none, 1, page(t, dictionaryPage(1<<31-1), []byte("abcd")), "dictionary of 2147483647 values"},
		"an index beyond the dictionary": {int64Type, none, 1, cat(page(t, dictionaryPage(1), eight),
			page(t, dataPage(1, format.RLEDictionary), cat(present, []byte{8, 2, 77}))), "index 77 into a dictionary of 1"},
		"an index without a dictionary":          {int64Type, none, 1, page(t, dataPage(1, format.RLEDictionary), cat(present, []byte{1, 2, 0})), "without a dictionary"},
		"two dictionaries":                       {int64Type, none, 1, cat(page(t, dictionaryPage(1), eight), page(t, dictionaryPage(1), eight)), "second dictionary"},
		"a delta block of 2^32 values":           {int64Type, none, 1, page(t, dataPage(1, format.DeltaBinaryPacked), cat(present, uvarints(1<<32, 1, 1, 0))), "blocks of 4294967296 values"},
		"a delta of 65 bits":                     {int64Type, none, 2, page(t, dataPage(2, format.DeltaBinaryPacked), cat(run(2, 1), uvarints(128, 1, 2, 0, 0), []byte{65})), "a width of 65"},
		"fewer deltas than values":               {int64Type, none, 2, page(t, dataPage(2, format.DeltaBinaryPacked), cat(run(2, 1), uvarints(128, 1, 1, 0))), "delta encoding of 1 values where 2 should be"},
		"a negative length":                      {byteArrayType, none, 1, page(t, dataPage(1, format.DeltaLengthByteArray), cat(present, uvarints(128, 1, 1, 1))), "byte array of -1 bytes"},
		"a prefix of nothing":                    {byteArrayType, none, 1, page(t, dataPage(1, format.DeltaByteArray), cat(present, uvarints(128, 1, 1, 8), uvarints(128, 1, 1, 2), []byte("x"))), "prefix length 4 is larger than the last value of size 0"},
		"a byte array of 4 GiB":                  {byteArrayType, none, 1, page(t, dataPage(1, format.Plain), cat(present, []byte{255, 255, 255, 255})), "too short to contain a PLAIN encoded byte array"},
		"a byte array beyond the page":           {byteArrayType, none, 2, cat(page(t, dataPage(2, format.Plain), cat(run(2, 1), []byte{0, 0, 0, 0, 3, 0, 0, 0, 'x'})), eight), "out of range"},
		"more deltas than the limit":             {int64Type, none, 1 << 20, page(t, dataPage(1<<20, format.DeltaBinaryPacked), cat(run(1<<20, 1), uvarints(128, 1, 1<<20, 0))), "8388608 bytes when decoded: limit exceeded"},
		"more levels than the limit":             {int64Type, none, 1 << 30, page(t, dataPageV2(1<<30, format.Plain, 12), cat(uvarints(1<<30), []byte{1}, uvarints(1<<30), []byte{0})), "bytes of levels of a page: limit exceeded"},
		"byte arrays that grow without end":      {byteArrayType, none, 2, page(t, dataPage(2, format.DeltaByteArray), cat(run(2, 1), uvarints(128, 1, 2, 0, 1<<22, 0), uvarints(128, 1, 2, 1<<22, 0, 0))), "limit exceeded"},
		"a level of 7":                           {int64Type, none, 1, page(t, dataPage(1, format.Plain), cat(run(1, 7), eight)), "a level of 7 above 1"},
		"levels longer than the page":            {int64Type, none, 1, page(t, dataPage(1, format.Plain), []byte{255, 255, 255, 255}), "levels of 4294967295"},
		"levels longer than a page of version 2": {int64Type, none, 1, page(t, dataPageV2(1, format.Plain, 99), eight), "levels of 0 and 99 bytes"},
		"a packed run of 2^40 groups":            {int64Type, none, 1, page(t, dataPageV2(1, format.Plain, 6), uvarints(1<<41|1)), "a run of 1099511627776 values or groups where 1 values are left"},
		"an unknown encoding":                    {int64Type, none, 1, page(t, dataPage(1, 77), present), "encoding 77"},
		"split streams of odd length":            {int64Type, none, 1, page(t, dataPage(1, format.ByteStreamSplit), cat(present, []byte{1, 2, 3})), "input of size 3"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			const limit = 1 << 20
			bytes := allocated(func() {
				_, err := datafile.ReadChunk(c.typ, 0, c.codec, c.values, limit, c.data)
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want %q", err, c.want)
				}
			})
			// A page may take the limit four times: decompressed, its levels, its dictionary indices and its values,
			// which a decoder may allocate twice. Zstandard keeps tables of a few MiB.
			if bytes > 16*limit {
				t.Errorf("%d bytes allocated", bytes)
			}
		})
	}
}

// zeros returns n zero bytes, compressed.
func zeros(t *testing.T, n int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	chunk := make([]byte, 1<<20)
	for range n / len(chunk) {
		if _, err := w.Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestLongRuns checks that runs are taken whole: a page of two billion nulls, and one as long of a single value,
// cost no more than a few steps.
func TestLongRuns(t *testing.T) {
	const n = 1<<31 - 1
	nulls := page(t, dataPage(n, format.Plain), run(n, 0))
	got, err := datafile.ReadChunk(int64Type, 0, 0, n, 1<<20, nulls)
	if err != nil || got != 0 {
		t.Errorf("nulls: %d (%v)", got, err)
	}
	indices := append([]byte{1}, append(uvarints(n<<1), 0)...)
	same := append(page(t, dictionaryPage(1), make([]byte, 8)), page(t, dataPage(n, format.RLEDictionary), append(run(n, 1), indices...))...)
	got, err = datafile.ReadChunk(int64Type, 0, 0, n, 1<<20, same)
	if err != nil || got != n {
		t.Errorf("one value: %d (%v)", got, err)
	}
}
