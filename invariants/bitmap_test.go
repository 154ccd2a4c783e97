package invariants_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/mdv"
)

// unhex decodes hex in which "NN*k" stands for a byte repeated k times and blanks separate.
func unhex(t testing.TB, text string) []byte {
	t.Helper()
	var out []byte
	for part := range strings.FieldsSeq(text) {
		unit, times, repeated := strings.Cut(part, "*")
		b, err := hex.DecodeString(unit)
		n := 1
		if repeated && err == nil {
			n, err = strconv.Atoi(times)
		}
		if err != nil {
			t.Fatalf("%q: %v", part, err)
		}
		out = append(out, bytes.Repeat(b, n)...)
	}
	return out
}

func span(lo, hi uint32) []uint32 {
	var all []uint32
	for p := lo; p < hi; p++ {
		all = append(all, p)
	}
	return all
}

func evens() []uint32 {
	return slices.DeleteFunc(span(0, 256), func(p uint32) bool { return p%2 == 1 })
}

// The vectors of rules 18.7 (B44): what decodes, and whether it is canonical.
var bitmapVectors = []struct {
	hex       string
	positions []uint32
	odd       bool
}{
	{"010000000000", nil, true},
	{"01010000010000000100", []uint32{0}, false},
	{"010100000100000001ff", []uint32{255}, false},
	{"0101000002000100004000", []uint32{256}, false},
	{"010100000200 1001000180 00", []uint32{256}, false},
	{"0103000001000000030022ff", []uint32{0, 34, 255}, false},
	{"010200000300010000a0050a", []uint32{5, 522}, false},
	{"012000000100000020 ffffffff 00*28", span(0, 32), false},
	{"012100000100000020 ffffffff80 00*27", span(0, 33), false},
	{"018000000100000020 aa*32", evens(), false},
	{"010001000100000020 ff*32", span(0, 256), false},
	{"010101000200050001f800 ff*32 2c", append(span(0, 256), 300), false},
	{"01040000000120020000ffd0000102ff", []uint32{0, 1, 2, 65535}, false},
	{"010100001201000000100100118070", []uint32{70000}, false},
	{"010100000020 000000*31 100100ff80 ff", []uint32{2097151}, false},
	{"010000000020 000000*32", nil, true},
	{"012000000100000021 ffffffff 00*28", span(0, 32), true},
	{"010100000100000020 80 00*31", []uint32{0}, true},
	{"0101000001000800010000", []uint32{0}, true},
}

func TestBitmapVectors(t *testing.T) {
	for _, v := range bitmapVectors {
		positions, oddity, err := invariants.DecodeBitmap(unhex(t, v.hex))
		if err != nil || !slices.Equal(positions, v.positions) || v.odd != (oddity != "") {
			t.Errorf("%s: %d positions, %q, %v; want %d, odd %t", v.hex, len(positions), oddity, err, len(v.positions), v.odd)
		}
	}
}

// What rules 18.6 and 18.7 refuse, with a word of the reason.
var refusedBitmaps = []struct{ hex, why string }{
	{"020000000000", "version 2"},
	{"0100000000", "6 bytes needed"},
	{"010000000120", "8193 containers"},
	{"010100200000", "cardinality 2097153"},
	{"010000000100000040", "reserved descriptor 0x40"},
	{"0100000001000101000005", "exception at 5"},
	{"0100000001000101000001", "exception at 1"},
	{"0100000001000800ff01", "value 256"},
	{"01030000020001000040 0000", "bytes after the last container"},
	{"0102000001000000020100", "not ascending: 0 after 1"},
	{"0102000001000000020000", "not ascending: 0 after 0"},
	{"0103000001000000020001", "2 bits set, the header says 3"},
	{"01010000010000000200 01", "2 bits set, the header says 1"},
	{"0101000001000900000000", "widths 9 and 0"},
	{"010100000100180000 00", "widths 8 and 1"},
	{"010100000100810000 00", "widths 1 and 8"},
	{"0101000001000801000000", "exceptions beside"},
	{"01000000020010020000000000", "two exceptions at 0"},
}

func TestBitmapRefused(t *testing.T) {
	for _, v := range refusedBitmaps {
		if _, _, err := invariants.DecodeBitmap(unhex(t, v.hex)); err == nil || !strings.Contains(err.Error(), v.why) {
			t.Errorf("%s: %v, want %q", v.hex, err, v.why)
		}
	}
	for _, v := range bitmapVectors {
		data := unhex(t, v.hex)
		for n := range data {
			if _, _, err := invariants.DecodeBitmap(data[:n]); err == nil {
				t.Errorf("%s: cut after %d bytes it decodes", v.hex, n)
			}
		}
	}
}

// Bitmaps and descriptor encodings that the Java encoder made.
func TestBitmapJavaVectors(t *testing.T) {
	for _, row := range tsv(t, "bitmap-java.tsv") {
		positions, oddity, err := invariants.DecodeBitmap(unhex(t, row[0]))
		if got := joined(positions); err != nil || oddity != "" || got != row[1] {
			t.Errorf("%s: %s, %q, %v", row[0], got, oddity, err)
		}
	}
	for _, row := range tsv(t, "pfor-java.tsv") {
		values, left, err := invariants.DecodePFOR(unhex(t, row[1]), strings.Count(row[0], ",")+1)
		if got := joined(values); err != nil || left != 0 || got != row[0] {
			t.Errorf("%s: %s, %d bytes left, %v", row[1], got, left, err)
		}
	}
}

func tsv(t testing.TB, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Split(strings.TrimSpace(line), "\t"))
		}
	}
	if len(rows) < 6 {
		t.Fatalf("%s: %d rows", name, len(rows))
	}
	return rows
}

func joined[T byte | uint32](values []T) string {
	text := make([]string, len(values))
	for i, v := range values {
		text[i] = strconv.Itoa(int(v))
	}
	return strings.Join(text, ",")
}

// The largest bitmap takes memory in proportion to its bytes.
func TestBitmapMemory(t *testing.T) {
	full, err := mdv.Range(0, 2097152)
	if err != nil {
		t.Fatal(err)
	}
	data, err := full.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	positions, _, err := invariants.DecodeBitmap(data)
	runtime.ReadMemStats(&after)
	if err != nil || len(positions) != 2097152 {
		t.Fatalf("%d positions, %v", len(positions), err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 256*uint64(len(data)) {
		t.Errorf("%d bytes allocated for %d bytes of input", used, len(data))
	}
}

// FuzzBitmap holds the checker's decoder against the writer's: both take the same bytes for the same set, and what the
// writer would write again in the same bytes has no oddity.
func FuzzBitmap(f *testing.F) {
	for _, v := range bitmapVectors {
		f.Add(unhex(f, v.hex))
	}
	for _, v := range refusedBitmaps {
		f.Add(unhex(f, v.hex))
	}
	for _, row := range tsv(f, "bitmap-java.tsv") {
		f.Add(unhex(f, row[0]))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		positions, oddity, err := invariants.DecodeBitmap(data)
		other, otherErr := mdv.Parse(data)
		if (err == nil) != (otherErr == nil) {
			t.Fatalf("checker: %v, writer: %v", err, otherErr)
		}
		if err != nil {
			return
		}
		if !slices.Equal(positions, slices.Collect(other.All())) {
			t.Fatalf("checker and writer read different sets")
		}
		again, err := other.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(again, data) && oddity != "" && len(positions) > 0 {
			t.Fatalf("canonical bytes called odd: %s", oddity)
		}
	})
}
