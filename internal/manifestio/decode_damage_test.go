package manifestio

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/tree"
)

// readFixture returns a manifest that Java wrote.
func readFixture(t testing.TB, pattern string) []byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "java-v4", pattern))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%s: %v, %v", pattern, paths, err)
	}
	data, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestTruncated cuts a manifest at every length: each is refused as truncated or corrupt.
func TestTruncated(t *testing.T) {
	own, _ := sampleFile(t, 3)
	for _, data := range [][]byte{own, readFixture(t, "mdv/*root-2.parquet")} {
		for n := range data {
			if n > 4096 && n < len(data)-256 && n%61 != 0 {
				continue // the middle in steps
			}
			_, err := decode(data[:n], tree.Full)
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("%d of %d bytes: error %v", n, len(data), err)
			}
			checkNoPanic(t, err)
		}
	}
}

// TestShorterThanSaid opens an object that is shorter than its size says.
func TestShorterThanSaid(t *testing.T) {
	data, _ := sampleFile(t, 3)
	for _, missing := range []int{1, 100, len(data)} {
		_, err := Open(bytes.NewReader(data[:len(data)-missing]), int64(len(data)), "test.parquet", DecodeOptions{})
		if !errors.Is(err, ErrTruncated) {
			t.Errorf("%d bytes missing: error %v", missing, err)
		}
	}
}

// TestBitFlips flips a bit of every third byte of the pages of a manifest that Java wrote, whose pages have
// checksums: each is an error or changes nothing. In the footer, a flip may change what a column is; none
// panics.
func TestBitFlips(t *testing.T) {
	data := readFixture(t, "loose-only/*root-1.parquet")
	want := mustDecode(t, data)
	r, err := Open(bytes.NewReader(data), int64(len(data)), "test.parquet", DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var pages int64
	for _, c := range r.footer.groups[0].chunks {
		pages = max(pages, c.start+c.size)
	}
	refused := 0
	for i := 0; i < len(data); i += 3 {
		bit := i * 5 % 8
		damaged := slices.Clone(data)
		damaged[i] ^= 1 << bit
		got, err := decode(damaged, tree.Full)
		if err != nil {
			refused++
			checkNoPanic(t, err)
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrLimit) {
				t.Fatalf("bit %d of byte %d: error %v", bit, i, err)
			}
			continue
		}
		if int64(i) < pages {
			if diff := cmp.Diff(want, got, sameValues); diff != "" {
				t.Fatalf("bit %d of byte %d went unnoticed:\n%s", bit, i, diff)
			}
		}
	}
	if refused == 0 {
		t.Error("no flip was noticed")
	}
	t.Logf("%d flips refused", refused)
}

// failingReader fails once the given number of bytes was read.
type failingReader struct {
	r    io.ReaderAt
	left int
	err  error
}

// ReadAt implements io.ReaderAt.
func (f *failingReader) ReadAt(b []byte, off int64) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, f.err
	}
	return f.r.ReadAt(b, off)
}

// TestReadErrors passes the errors of the reader on, as they are.
func TestReadErrors(t *testing.T) {
	data, _ := sampleFile(t, 3)
	broken := errors.New("the store is down")
	for _, after := range []int{0, 8, len(data) / 2} {
		f := &failingReader{r: bytes.NewReader(data), left: after, err: broken}
		r, err := Open(f, int64(len(data)), "test.parquet", DecodeOptions{})
		if err == nil {
			_, err = r.ReadAll(tree.Full)
		}
		if !errors.Is(err, broken) || errors.Is(err, ErrCorrupt) {
			t.Errorf("after %d bytes: error %v", after, err)
		}
	}
}
