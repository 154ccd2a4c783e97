package mdv_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/firn-io/firn/mdv"
)

// TestFormatDocument checks the test vectors that docs/format.md prints (rules 18.7, 18.8).
func TestFormatDocument(t *testing.T) {
	text, err := os.ReadFile("../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	bitmaps, rest := between(t, string(text), "### 18.7 ", "\nRefused:\n")
	for _, row := range vectorRows(t, bitmaps) {
		if got := encode(t, mustText(t, row[1])); !bytes.Equal(got, notation(t, row[0])) {
			t.Errorf("%s encodes to %x, the document says %s", row[1], got, row[0])
		}
	}
	refused, rest := between(t, rest, "|", "\nAccepted and written in another form:\n")
	for _, row := range vectorRows(t, refused) {
		if b, err := mdv.Parse(notation(t, row[0])); err == nil {
			t.Errorf("%s is accepted as %s, the document says: refused, %s", row[0], b, row[1])
		}
	}
	accepted, chunks := between(t, rest, "|", "### 18.8 ")
	for _, row := range vectorRows(t, accepted) {
		data := notation(t, row[0])
		b, err := mdv.Parse(data)
		if err != nil || b.String() != row[1] || bytes.Equal(encode(t, b), data) {
			t.Errorf("%s reads as %s, %v, the document says %q in another form", row[0], b, err, row[1])
		}
	}
	chunks, _ = between(t, chunks, "|", "\n## 19 ")
	for _, row := range vectorRows(t, chunks) {
		if got := mdv.EncodePFOR(notation(t, row[0])); !bytes.Equal(got, notation(t, strings.Trim(row[1], "`"))) {
			t.Errorf("%s encodes to %x, the document says %s", row[0], got, row[1])
		}
	}
}

// between returns what stands from one text up to another one, and what follows.
func between(t *testing.T, text, from, to string) (part, rest string) {
	t.Helper()
	_, text, found := strings.Cut(text, from)
	part, rest, ends := strings.Cut(text, to)
	if !found || !ends {
		t.Fatalf("the document has no part from %q to %q", from, to)
	}
	return part, rest
}

// vectorRows returns the first two cells of each table row whose first cell is code.
func vectorRows(t *testing.T, text string) (rows [][2]string) {
	t.Helper()
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		first := strings.TrimSpace(cells[1])
		if code := strings.Trim(first, "`"); code != first {
			rows = append(rows, [2]string{code, strings.TrimSpace(cells[2])})
		}
	}
	if len(rows) == 0 {
		t.Fatal("a table of the document has no rows")
	}
	return rows
}

// notation reads the document's hexadecimal: aa*32 is a byte that repeats, 00..1e counts up.
func notation(t *testing.T, text string) []byte {
	t.Helper()
	var data []byte
	for _, word := range strings.Fields(text) {
		first, last, counts := strings.Cut(word, "..")
		digits, times, repeats := strings.Cut(first, "*")
		b, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		n := 1
		if repeats {
			n, err = strconv.Atoi(times)
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		data = append(data, bytes.Repeat(b, n)...)
		if counts {
			end, err := hex.DecodeString(last)
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			for c := b[0]; c < end[0]; c++ {
				data = append(data, c+1)
			}
		}
	}
	return data
}
