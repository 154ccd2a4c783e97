package manifestio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/internal/parquetguard"
)

// TestFooterCheck refuses footers whose counts and places contradict each other or the file.
func TestFooterCheck(t *testing.T) {
	data, _ := sampleFile(t, 20)
	data = takeApart(t, data).putTogether(t, 10)
	end := int64(len(data)) - parquetguard.TailBytes - int64(footerLength(data))
	for _, c := range []struct {
		name   string
		damage func(*footer)
		kind   error
		text   string
	}{
		{"fewer rows than the groups", func(f *footer) { f.rows = 19 }, ErrCorrupt, "the row groups have 20 rows, the file says 19"},
		{"a negative group", func(f *footer) { f.groups[1].rows = -10 }, ErrCorrupt, "row group 1 has -10 rows"},
		{"a missing column", func(f *footer) { f.groups[0].chunks = f.groups[0].chunks[1:] }, ErrCorrupt, "row group 0 has"},
		{"values of other rows", func(f *footer) { f.groups[0].chunks[0].values = 9 }, ErrCorrupt, "9 values for 10 rows"},
		{"another type", func(f *footer) { f.groups[0].chunks[0].physical = format.Double }, ErrCorrupt, "the chunk is DOUBLE"},
		{"behind the file", func(f *footer) { f.groups[0].chunks[0].start = end }, ErrTruncated, "lie outside"},
		{"before the file", func(f *footer) { f.groups[0].chunks[0].start = 3 }, ErrTruncated, "lie outside"},
		{"a negative size", func(f *footer) { f.groups[0].chunks[0].size = -1 }, ErrTruncated, "lie outside"},
		{"overlapping columns", func(f *footer) {
			for i := range f.groups[0].chunks {
				f.groups[0].chunks[i].start, f.groups[0].chunks[i].size = 4, end-4
			}
		}, ErrCorrupt, "the columns of row group 0 overlap"},
		{"encrypted", func(f *footer) { f.groups[1].chunks[2].encrypted = true }, ErrUnsupported, "encrypted"},
		{"in another file", func(f *footer) { f.groups[1].chunks[2].otherFile = "b" }, ErrUnsupported, "in another file"},
	} {
		f, err := readFooter(bytes.NewReader(data), int64(len(data)), mustResolve(t))
		if err != nil {
			t.Fatal(err)
		}
		c.damage(f)
		err = named("test.parquet", "", noRow, f.check(end, mustResolve(t)))
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want %v: %s", c.name, err, c.kind, c.text)
		}
	}
}

// TestNoParquet names what is wrong with objects that are something else.
func TestNoParquet(t *testing.T) {
	data, _ := sampleFile(t, 2)
	encrypted := append(data[:len(data)-4:len(data)-4], "PARE"...)
	for _, c := range []struct {
		name string
		data []byte
		kind error
		text string
	}{
		{"nothing", nil, ErrTruncated, "0 bytes are no Parquet file"},
		{"text", []byte("this is no manifest, it is text"), ErrTruncated, `the file ends in "text"`},
		{"an encrypted footer", encrypted, ErrUnsupported, "the footer is encrypted"},
		{"a footer longer than the file", []byte("PAR1\xff\xff\xff\x7fPAR1"), ErrTruncated, "a footer of 2147483647 bytes"},
	} {
		_, err := Open(bytes.NewReader(c.data), int64(len(c.data)), "test.parquet", DecodeOptions{})
		if !errors.Is(err, c.kind) || !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want %v: %s", c.name, err, c.kind, c.text)
		}
	}
}

// TestPageChecks refuses pages that contradict their header or their column chunk.
func TestPageChecks(t *testing.T) {
	three := dataPage(t, 3, format.Plain, make([]byte, 12))
	summed := func(crc int32) []byte {
		h := format.PageHeader{Type: format.DataPage, UncompressedPageSize: 4, CRC: crc}
		h.DataPageHeader.V = format.DataPageHeader{NumValues: 1, Encoding: format.Plain}
		h.DataPageHeader.Valid = true
		return onePage(t, h, []byte{1, 2, 3, 4})
	}
	for _, c := range []struct {
		name  string
		chunk []byte
		rows  int64
		kind  error
		text  string
	}{
		{"a right checksum", summed(-1237517363), 1, nil, ""},
		{"a wrong checksum", summed(7), 1, ErrCorrupt, "checksum"},
		{"more values than bytes", dataPage(t, 4, format.Plain, make([]byte, 12)), 4, ErrCorrupt, "4 values in 12 bytes"},
		{"fewer values than bytes", dataPage(t, 2, format.Plain, make([]byte, 12)), 2, ErrCorrupt, "2 values in 12 bytes"},
		{"more rows than are missing", three, 2, ErrCorrupt, "a page of 3 values where 2 are missing"},
		{"fewer rows than are missing", three, 4, ErrTruncated, "ends 1 values early"},
		{"a page too many", append(three[:len(three):len(three)], three...), 3, ErrCorrupt, "3 values more"},
		{"bytes behind the last page", append(three[:len(three):len(three)], 0xff), 3, ErrCorrupt, "behind the last value"},
		{"a cut page", three[:len(three)-1], 3, ErrTruncated, "a page of 12 bytes in a column with 11 left"},
		{"an index without a dictionary", dataPage(t, 3, format.RLEDictionary, []byte{1, 6, 0}), 3, ErrCorrupt, "without a dictionary"},
		{"an unknown encoding", dataPage(t, 3, 77, make([]byte, 12)), 3, ErrUnsupported, "encoding"},
	} {
		cur := testCursor(format.Int32, 0, 0, 0, format.Uncompressed, c.chunk)
		var err error
		for left := c.rows; left > 0 && err == nil; left -= int64(cur.size) {
			err = cur.cursor.load(left)
			cur.advance(cur.size)
		}
		if err == nil {
			err = cur.drained()
		}
		if c.kind == nil {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err == nil {
			t.Errorf("%s: no error", c.name)
		} else if err = named("x", "", noRow, err); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want %v: %s", c.name, err, c.kind, c.text)
		}
	}
	unknown := testCursor(format.Int32, 0, 0, 0, format.CompressionCodec(3), dataPage(t, 3, format.Plain, make([]byte, 12)))
	if err := named("x", "", noRow, unknown.cursor.load(3)); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "LZO") {
		t.Errorf("an unknown codec: error %v", err)
	}
}

// TestDictionaryIndexes refuses indexes that no entry has.
func TestDictionaryIndexes(t *testing.T) {
	h := format.PageHeader{Type: format.DictionaryPage, UncompressedPageSize: 8}
	h.DictionaryPageHeader.V = format.DictionaryPageHeader{NumValues: 2, Encoding: format.Plain}
	h.DictionaryPageHeader.Valid = true
	dictionary := onePage(t, h, binary.LittleEndian.AppendUint32([]byte{10, 0, 0, 0}, 20))
	for index, want := range []string{"", "", "dictionary index 2 of 2", "dictionary index 3 of 2"} {
		chunk := append(dictionary[:len(dictionary):len(dictionary)], dataPage(t, 3, format.RLEDictionary, []byte{2, 6, byte(index)})...)
		cur := testCursor(format.Int32, 0, 0, 0, format.Uncompressed, chunk)
		err := cur.cursor.load(3)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("index %d: error %v, want %q", index, err, want)
		}
	}
	twice := append(dictionary[:len(dictionary):len(dictionary)], dictionary...)
	if err := testCursor(format.Int32, 0, 0, 0, format.Uncompressed, twice).cursor.load(3); err == nil || !strings.Contains(err.Error(), "a second one") {
		t.Errorf("two dictionaries: error %v", err)
	}
}
