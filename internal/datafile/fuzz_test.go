package datafile_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/datafile"
)

// FuzzInspect checks that no pages and no footer make the package panic or take more than its limits, that every
// error is a documented one, and that what it accepts is a valid file, twice the same. Pages and footer come apart,
// so that every input gets past the ends of the file.
func FuzzInspect(f *testing.F) {
	files, err := filepath.Glob("testdata/java/*.parquet")
	if err != nil {
		f.Fatal(err)
	}
	seeds := [][]byte{
		smallFile(f, parquet.WithCompression(compress.Codecs.Zstd), parquet.WithDataPageVersion(parquet.DataPageV2)),
		smallFile(f, parquet.WithDictionaryDefault(false), parquet.WithEncodingFor("s", parquet.Encodings.DeltaByteArray),
			parquet.WithEncodingFor("n", parquet.Encodings.DeltaBinaryPacked)),
	}
	for _, name := range append(files, "testdata/written/arrow-nested.parquet", "testdata/written/duckdb-v2.parquet", "testdata/written/arrow-int96.parquet") {
		seeds = append(seeds, readFile(f, name))
	}
	for _, data := range seeds {
		start := footerStart(data)
		f.Add(data[4:start], data[start:len(data)-8])
	}
	limits := datafile.Limits{FooterBytes: 1 << 20, PageBytes: 1 << 20}
	f.Fuzz(func(t *testing.T, pages, footer []byte) {
		data := withFooter(append([]byte("PAR1"), append(pages, "\x00\x00\x00\x00PAR1"...)...), footer)
		inspectAs(t, data, smallTable, smallSpec(), limits)
		table, err := datafile.SchemaOf(bytes.NewReader(data), int64(len(data)), location, limits)
		if err != nil {
			if !documented(err) {
				t.Fatal(err)
			}
			return
		}
		for _, c := range table.Fields() {
			inspectAs(t, data, table, specOf(c.ID, iceberg.IdentityTransform{}), limits)
			break
		}
	})
}

func inspectAs(t *testing.T, data []byte, table *iceberg.Schema, spec iceberg.PartitionSpec, limits datafile.Limits) {
	if _, err := datafile.Read(bytes.NewReader(data), int64(len(data)), location, table, spec, datafile.Options{Limits: limits}); err != nil && !documented(err) {
		t.Fatal(err)
	}
	first, err := inspect(data, table, spec, datafile.Options{Limits: limits})
	if err != nil {
		if !documented(err) {
			t.Fatal(err)
		}
		return
	}
	if err := first.Validate(); err != nil {
		t.Fatal(err)
	}
	again, err := inspect(data, table, spec, datafile.Options{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, again, byValue); diff != "" {
		t.Fatal(diff)
	}
}

// FuzzPages checks that no stored pages of a column make the reader panic or take more than its limit.
func FuzzPages(f *testing.F) {
	for _, name := range []string{"testdata/java/a1.parquet", "testdata/written/duckdb-v2.parquet"} {
		data := readFile(f, name)
		f.Add(data[4:footerStart(data)], 2, 6)
	}
	f.Add([]byte{0x15, 0, 0x15, 0x1c, 0x15, 0x1c, 0x2c, 0x15, 2, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0, 2, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0}, 2, 0)
	f.Fuzz(func(t *testing.T, data []byte, physical, codec int) {
		if physical < 0 || physical > 7 {
			return
		}
		_, _ = datafile.ReadChunk(physical, 3, codec, 1000, 1<<16, data)
	})
}
