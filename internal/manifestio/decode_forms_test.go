package manifestio

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/google/go-cmp/cmp"
	pq "github.com/parquet-go/parquet-go"

	"github.com/firn-io/firn/tree"
)

// TestFileForms reads the same rows from files that differ in codec, page version, encoding and in how rows
// are cut into row groups and pages.
func TestFileForms(t *testing.T) {
	data, want := sampleFile(t, 40)
	codecs := []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip,
		compress.Codecs.Brotli, compress.Codecs.Zstd, compress.Codecs.Lz4Raw}
	versions := []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2}
	for i, codec := range codecs {
		for _, version := range versions {
			for _, dictionary := range []bool{false, true} {
				name := fmt.Sprintf("%v/v%d/dictionary=%t", codec, version+1, dictionary)
				t.Run(name, func(t *testing.T) {
					for _, shape := range []struct{ group, page int }{{40, 1 << 20}, {11, 64}} {
						file := takeApart(t, data).putTogether(t, shape.group, parquet.WithCompression(codec), parquet.WithCompressionLevel(1),
							parquet.WithDataPageVersion(version), parquet.WithDictionaryDefault(dictionary),
							parquet.WithDataPageSize(int64(shape.page)), parquet.WithBatchSize(int64(5+i)))
						if diff := cmp.Diff(want, mustDecode(t, file), sameValues); diff != "" {
							t.Fatalf("groups of %d: written -, read +:\n%s", shape.group, diff)
						}
					}
				})
			}
		}
	}
}

// TestEncodings reads columns in the encodings that manifests of other writers may have.
func TestEncodings(t *testing.T) {
	data, want := sampleFile(t, 100)
	for _, c := range []struct {
		name string
		enc  parquet.Encoding
		fits func(*sheet) bool
	}{
		{"delta numbers", parquet.Encodings.DeltaBinaryPacked, func(s *sheet) bool {
			return s.physical == parquet.Types.Int32 || s.physical == parquet.Types.Int64
		}},
		{"delta lengths", parquet.Encodings.DeltaLengthByteArray, func(s *sheet) bool { return s.physical == parquet.Types.ByteArray }},
		{"delta texts", parquet.Encodings.DeltaByteArray, func(s *sheet) bool { return s.physical == parquet.Types.ByteArray }},
		{"byte stream split", parquet.Encodings.ByteStreamSplit, func(s *sheet) bool {
			return s.physical != parquet.Types.ByteArray && s.physical != parquet.Types.Boolean
		}},
		{"run length booleans", parquet.Encodings.RLE, func(s *sheet) bool { return s.physical == parquet.Types.Boolean }},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := takeApart(t, data)
			props := []parquet.WriterProperty{parquet.WithDictionaryDefault(false), parquet.WithDataPageSize(300), parquet.WithBatchSize(50)}
			columns := 0
			file.columns(nil, func(path []string, s *sheet) {
				if c.fits(s) {
					props = append(props, parquet.WithEncodingPath(parquet.ColumnPath(path), c.enc))
					columns++
				}
			})
			if columns == 0 {
				t.Fatal("no column has the encoding")
			}
			if diff := cmp.Diff(want, mustDecode(t, file.putTogether(t, 60, props...)), sameValues); diff != "" {
				t.Errorf("written -, read +:\n%s", diff)
			}
		})
	}
}

// columns calls f for every column with its path.
func (s *sheet) columns(prefix []string, f func([]string, *sheet)) {
	for _, c := range s.children {
		path := append(prefix[:len(prefix):len(prefix)], c.name)
		if c.data != nil {
			f(path, c)
		}
		c.columns(path, f)
	}
}

// TestForeignWriter reads a file that parquet-go wrote anew: its page index, page checksums, dictionary
// and V2 pages are those of another library, and its lack of id 0 is the fault that B51 is about.
func TestForeignWriter(t *testing.T) {
	data, _ := sampleFile(t, 60)
	f, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := pq.NewWriter(&out, f.Schema(), pq.Compression(&pq.Zstd), pq.DataPageVersion(2), pq.PageBufferSize(200))
	if _, err := pq.CopyRows(w, pq.NewReader(f)); err != nil && err != io.EOF {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := decode(out.Bytes(), tree.Full); err == nil || !strings.Contains(err.Error(), "field id") {
		t.Fatalf("a file without id 0 was read: %v", err)
	}
}
