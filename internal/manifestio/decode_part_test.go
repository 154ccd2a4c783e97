package manifestio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/tree"
)

// readOnce counts how often each byte of a file is read.
type readOnce struct {
	data  []byte
	times []int
	calls int
}

func (r *readOnce) ReadAt(p []byte, offset int64) (int, error) {
	r.calls++
	n := copy(p, r.data[offset:])
	for i := range n {
		r.times[int(offset)+i]++
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// A row group that is too large to be read at once is read in parts, of any size, and no byte of a column twice.
func TestReadInParts(t *testing.T) {
	whole, _ := sampleFile(t, 600)
	files := map[string][]byte{
		"a page for each column": whole,
		"small pages":            takeApart(t, whole).putTogether(t, 600, pageRows(50)...),
		"two row groups":         takeApart(t, whole).putTogether(t, 250, pageRows(100)...),
	}
	for name, data := range files {
		want := mustDecode(t, data)
		for _, limit := range []int64{1, 100, 5000, 20_000} {
			src := &readOnce{data: data, times: make([]int, len(data))}
			r, err := Open(src, int64(len(data)), "test.parquet", DecodeOptions{MaxReadBytes: limit})
			if err != nil {
				t.Fatal(err)
			}
			clear(src.times)
			src.calls = 0
			var got []tree.Entry
			for row, err := range r.Rows(tree.Full) {
				if err != nil {
					t.Fatalf("%s, %d bytes at a time: %v", name, limit, err)
				}
				got = append(got, row.Entry)
			}
			if !reflect.DeepEqual(want, got) {
				t.Fatalf("%s, %d bytes at a time: whole -, in parts +:\n%s", name, limit, cmp.Diff(want, got, sameValues))
			}
			for at, n := range src.times {
				if n > 1 {
					t.Fatalf("%s, %d bytes at a time: byte %d is read %d times", name, limit, at, n)
				}
			}
			if groups := len(r.footer.groups); src.calls <= 2*groups {
				t.Errorf("%s, %d bytes at a time: read in %d pieces", name, limit, src.calls)
			}
		}
	}
}

// A file that ends or fails in the middle of a part is an error, not rows.
func TestPartsThatEnd(t *testing.T) {
	data, _ := sampleFile(t, 300)
	for cut := 4; cut < len(data); cut += 97 {
		src := &cutAfter{data: data, at: len(data)}
		r, err := Open(src, int64(len(data)), "test.parquet", DecodeOptions{MaxReadBytes: 2000})
		if err != nil {
			t.Fatal(err)
		}
		src.at = cut
		if _, err = r.ReadAll(tree.Full); cut < int(lastByte(r)) && !errors.Is(err, ErrTruncated) {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
}

// cutAfter is a file that ends early.
type cutAfter struct {
	data []byte
	at   int
}

func (c *cutAfter) ReadAt(p []byte, offset int64) (int, error) {
	return bytes.NewReader(c.data[:c.at]).ReadAt(p, offset)
}

// lastByte returns where the last column ends.
func lastByte(r *Reader) int64 {
	end := int64(0)
	for _, g := range r.footer.groups {
		for _, c := range g.chunks {
			end = max(end, c.start+c.size)
		}
	}
	return end
}

// Reading in parts needs little memory: less than the compressed columns take.
func TestPartsNeedLittleMemory(t *testing.T) {
	data, _ := sampleFile(t, 20_000)
	small := takeApart(t, data).putTogether(t, 20_000, pageRows(500)...)
	o := DecodeOptions{MaxReadBytes: int64(len(small)) / 10, MaxMemoryBytes: int64(len(small)) / 2}
	rows := func(o DecodeOptions) (n int, err error) {
		r, err := Open(bytes.NewReader(small), int64(len(small)), "test.parquet", o)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range r.Rows(tree.Full) {
			if err != nil {
				return n, err
			}
			n++
		}
		return n, nil
	}
	if n, err := rows(o); n != 20_000 || err != nil {
		t.Errorf("%d rows: %v", n, err)
	}
	o.MaxReadBytes = 0
	if n, err := rows(o); !errors.Is(err, ErrLimit) {
		t.Errorf("%d rows in one piece: %v", n, err)
	}
}

// The bounds of the column of locations are those of all its pages.
func TestLocationBoundsOfManyPages(t *testing.T) {
	_, rows := sampleFile(t, 3000)
	for i := range rows {
		rows[i].Location = fmt.Sprintf("data/%05d.parquet", i*7919%3001)
	}
	for _, pageBytes := range []int{1, 5000, 1 << 20} {
		var out bytes.Buffer
		if _, err := Encode(&out, sampleSchema(), rows, EncodeOptions{PageBytes: pageBytes}); err != nil {
			t.Fatal(err)
		}
		checkLocationBounds(t, out.Bytes(), rows)
	}
}
