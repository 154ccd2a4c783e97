package manifestio_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/tree"
)

// TestEncodeKeys: the file has the two keys of rules 4.5 and no other.
func TestEncodeKeys(t *testing.T) {
	for _, entries := range [][]tree.Entry{nil, fullEntries()} {
		meta := openParquet(t, encode(t, fullSchema(t), entries...)).MetaData()
		if diff := cmp.Diff([]string{"schema-id", "format-version"}, meta.KeyValueMetadata().Keys()); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"7", "4"}, meta.KeyValueMetadata().Values()); diff != "" {
			t.Error(diff)
		}
		if got := meta.GetCreatedBy(); got != "firn" {
			t.Errorf("created_by %q", got)
		}
	}
}

// TestEncodeLeanFooter: the footer has no parts that no reader needs, and bounds for location alone.
func TestEncodeLeanFooter(t *testing.T) {
	a, b, c := plainEntry(), plainEntry(), plainEntry()
	a.Location, b.Location, c.Location = "data/b", "data/ü", "data/a"
	meta := openParquet(t, encode(t, fullSchema(t), append(fullEntries(), a, b, c)...)).MetaData()
	if meta.ColumnOrders != nil || len(meta.RowGroups) != 1 {
		t.Errorf("column orders %v, %d row groups", meta.ColumnOrders, len(meta.RowGroups))
	}
	group := meta.RowGroups[0]
	if group.FileOffset != nil || group.TotalCompressedSize != nil || group.Ordinal != nil {
		t.Errorf("row group %v", group)
	}
	for i, c := range group.Columns {
		path := meta.Schema.Column(i).Path()
		if c.FileOffset != 0 || c.MetaData.EncodingStats != nil || c.OffsetIndexOffset != nil || c.ColumnIndexOffset != nil {
			t.Errorf("%s: %v", path, c)
		}
		if (c.MetaData.Statistics != nil) != (path == "location") {
			t.Errorf("%s: statistics %v", path, c.MetaData.Statistics)
		}
		if s := c.MetaData.Statistics; s != nil && (string(s.MinValue) != "data/a" || string(s.MaxValue) != "metadata/m0.parquet") {
			t.Errorf("%s: bounds %q and %q", path, s.MinValue, s.MaxValue)
		}
	}
}

// TestEncodeLongLocation: a location that is too long is no bound.
func TestEncodeLongLocation(t *testing.T) {
	e := plainEntry()
	for length, want := range map[int]bool{4096: true, 4097: false} {
		e.Location = strings.Repeat("x", length)
		meta := openParquet(t, encode(t, fullSchema(t), plainEntry(), e)).MetaData()
		if got := meta.RowGroups[0].Columns[2].MetaData.Statistics != nil; got != want {
			t.Errorf("length %d: statistics %v, want %v", length, got, want)
		}
	}
}

// TestEncodeCodecs: a column is compressed from 96 bytes of values on, in one page.
func TestEncodeCodecs(t *testing.T) {
	for _, c := range []struct {
		from, rows int
		path       string
		want       compress.Compression
	}{
		{0, 11, "record_count", compress.Codecs.Uncompressed}, // 88 bytes
		{0, 12, "record_count", compress.Codecs.Zstd},         // 96 bytes
		{0, 23, "content_type", compress.Codecs.Uncompressed},
		{0, 24, "content_type", compress.Codecs.Zstd},
		{-1, 24, "content_type", compress.Codecs.Uncompressed},
		{8, 1, "record_count", compress.Codecs.Zstd},
	} {
		var out bytes.Buffer
		entries := make([]tree.Entry, c.rows)
		for i := range entries {
			entries[i] = plainEntry()
		}
		if _, err := manifestio.Encode(&out, fullSchema(t), entries, manifestio.EncodeOptions{CompressFromBytes: c.from}); err != nil {
			t.Fatal(err)
		}
		f := openParquet(t, out.Bytes())
		chunk, err := f.MetaData().RowGroup(0).ColumnChunk(f.MetaData().Schema.ColumnIndexByName(c.path))
		if err != nil {
			t.Fatal(err)
		}
		if got := chunk.Compression(); got != c.want {
			t.Errorf("%d rows from %d bytes: %s is %s, want %s", c.rows, c.from, c.path, got, c.want)
		}
	}
}

// TestEncodePages: columns are one plain V1 page each, unless they are too large for one.
func TestEncodePages(t *testing.T) {
	table, partition := manifestio.FixedTable(8)
	s := newSchema(t, table, partition...)
	for pageBytes, want := range map[int]int{0: 1, 64 * 8: 16, 20_000: 1} {
		var out bytes.Buffer
		if _, err := manifestio.Encode(&out, s, manifestio.LeafEntries(table, 1000), manifestio.EncodeOptions{PageBytes: pageBytes}); err != nil {
			t.Fatal(err)
		}
		f := openParquet(t, out.Bytes())
		pages, err := f.RowGroup(0).GetColumnPageReader(f.MetaData().Schema.ColumnIndexByName("record_count"))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for pages.Next() {
			n++
			if p := pages.Page(); p.Encoding() != 0 || p.Type() != 0 {
				t.Errorf("page of type %v, encoding %v", p.Type(), parquet.Encoding(p.Encoding()))
			}
		}
		if n != want {
			t.Errorf("%d pages with at most %d bytes, want %d", n, pageBytes, want)
		}
	}
}

// TestEncodeDeterministic: the same entries give the same bytes, whatever was encoded before.
func TestEncodeDeterministic(t *testing.T) {
	table, partition := manifestio.FixedTable(20)
	s := newSchema(t, table, partition...)
	entries := manifestio.FixedEntries(table, 90, 10)
	first := encode(t, s, entries...)
	encode(t, fullSchema(t), fullEntries()...)
	if !bytes.Equal(first, encode(t, s, entries...)) {
		t.Error("the same entries gave other bytes")
	}
}

// TestEncodeKeepsEntries: what Encode wrote does not change with the entries, nor the entries with it.
func TestEncodeKeepsEntries(t *testing.T) {
	entries, untouched := fullEntries(), fullEntries()
	encode(t, fullSchema(t), entries...)
	if diff := cmp.Diff(untouched, entries, cmp.Comparer(func(a, b tree.Value) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
}
