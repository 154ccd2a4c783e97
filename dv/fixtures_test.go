package dv_test

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

// javaBlob is one line of testdata/expected.tsv.
type javaBlob struct {
	file        string
	entry       tree.DeletionVector
	recordCount int64
	dataFile    string
	positions   string // empty if Java was not asked
}

func javaBlobs(t testing.TB) []javaBlob {
	t.Helper()
	var blobs []javaBlob
	for line := range strings.Lines(string(testdata(t, "expected.tsv"))) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		b := javaBlob{file: f[0], dataFile: f[5], recordCount: number(t, f[3])}
		b.entry = tree.DeletionVector{
			Location: location(f[0]), OffsetBytes: number(t, f[1]), SizeBytes: number(t, f[2]), Cardinality: number(t, f[4]),
		}
		if f[6] != "-" {
			v, err := dv.ParseText(f[6])
			if err != nil {
				t.Fatal(err)
			}
			b.positions = v.String()
		}
		blobs = append(blobs, b)
	}
	if len(blobs) == 0 {
		t.Fatal("no blobs in expected.tsv")
	}
	return blobs
}

func number(t testing.TB, digits string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func location(file string) string { return "s3://b/" + file }

func testdata(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// puffins returns the names of all Puffin files below a folder of testdata.
func puffins(t testing.TB, folder string) []string {
	t.Helper()
	names, err := fs.Glob(os.DirFS("testdata"), path.Join(folder, "*.puffin"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%d Puffin files in %s, %v", len(names), folder, err)
	}
	return names
}

// put stores an object in a new store.
func put(t testing.TB, name string, data []byte) *mem.Objects {
	t.Helper()
	objects := new(mem.Objects)
	if err := objects.Put(t.Context(), name, data); err != nil {
		t.Fatal(err)
	}
	return objects
}

// TestJavaBlobs reads what Java wrote: the positions that Java's reader found, the same bytes when it is written again, and
// a footer that agrees.
func TestJavaBlobs(t *testing.T) {
	for _, b := range javaBlobs(t) {
		data := testdata(t, b.file)
		objects := put(t, b.entry.Location, data)
		v, err := dv.Read(t.Context(), objects, b.entry, b.entry.Location, b.recordCount, dv.Limits{})
		if err != nil || b.positions != "" && v.String() != b.positions {
			t.Errorf("%s@%d: %v, %v, want %s", b.file, b.entry.OffsetBytes, v, err, b.positions)
			continue
		}
		if blob := data[b.entry.OffsetBytes:][:b.entry.SizeBytes]; !bytes.Equal(encode(t, v), blob) {
			t.Errorf("%s@%d: we write %x, Java wrote %x", b.file, b.entry.OffsetBytes, encode(t, v), blob)
		}
		footer, err := dv.Inspect(t.Context(), objects, b.entry.Location, dv.Limits{})
		if err != nil {
			t.Errorf("%s: %v", b.file, err)
			continue
		}
		if faults := dv.CheckFooter(footer, b.entry, b.dataFile); len(faults) > 0 {
			t.Errorf("%s@%d: %v", b.file, b.entry.OffsetBytes, faults)
		}
	}
}

// TestJavaFiles writes each of Java's files again: byte for byte, with Java's name in it.
func TestJavaFiles(t *testing.T) {
	for _, name := range slices.Concat(puffins(t, "legacy"), puffins(t, "java-v4")) {
		data := testdata(t, name)
		footer, err := dv.ParseFooter(bytes.NewReader(data), int64(len(data)), name, dv.Limits{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var vectors []dv.Named
		for _, b := range footer.Blobs {
			v, err := dv.ParseBlob(data[b.OffsetBytes:][:b.LengthBytes])
			if err != nil {
				t.Fatalf("%s@%d: %v", name, b.OffsetBytes, err)
			}
			vectors = append(vectors, dv.Named{DataFile: b.Properties["referenced-data-file"], Vector: v})
		}
		p, err := dv.Build(location(name), vectors, dv.BuildOptions{CreatedBy: footer.Properties["created-by"]})
		if err != nil || !bytes.Equal(p.Data, data) {
			t.Errorf("%s: %v\nours   %q\nJava's %q", name, err, p.Data, data)
		}
	}
}

// TestCorruptFiles has a fault in each of the files, and no other.
func TestCorruptFiles(t *testing.T) {
	want := map[string]string{
		"dv-bad-crc":              "checksum",
		"dv-bad-length":           "size",
		"dv-bad-magic":            "magic",
		"dv-cardinality-property": "footer-cardinality",
		"dv-flipped-bit":          "checksum",
		"puffin-bad-footer-magic": "not-puffin",
		"puffin-truncated":        "not-puffin",
	}
	files := puffins(t, "corrupt")
	if len(files) != len(want) {
		t.Errorf("%d files, %d faults", len(files), len(want))
	}
	for _, name := range files {
		objects := put(t, location(name), testdata(t, name))
		found := map[string]bool{}
		for _, b := range javaBlobs(t) {
			if b.file == "legacy/v3-dv-dv1.puffin" {
				for _, fault := range checkAll(t, objects, b.entry, location(name), b.dataFile, b.recordCount) {
					found[fault] = true
				}
			}
		}
		if kind := want[strings.TrimSuffix(path.Base(name), ".puffin")]; len(found) != 1 || !found[kind] {
			t.Errorf("%s: %v, want %q", name, found, kind)
		}
	}
}
