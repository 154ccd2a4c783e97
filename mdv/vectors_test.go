package mdv_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/mdv"
)

// TestJavaVectors encodes what Apache's Java encoder encoded, and decodes what it wrote (rules 18.4).
func TestJavaVectors(t *testing.T) {
	equal, total := 0, 0
	for _, row := range readTSV(t, "testdata/bitmap-java.tsv") {
		total++
		if checkVector(t, unhex(t, row[0]), numbers[uint32](t, row[1])) {
			equal++
		}
	}
	for _, row := range readTSV(t, "testdata/pfor-java.tsv") {
		total++
		if checkPFOR(t, numbers[byte](t, row[0]), unhex(t, row[1])) {
			equal++
		}
	}
	if total != 136 {
		t.Errorf("read %d vectors, want 136", total)
	}
	t.Logf("%d of %d Java vectors byte-equal", equal, total)
}

// TestBitmapVectors has the bitmaps of rules 18.7.
func TestBitmapVectors(t *testing.T) {
	for _, v := range []struct {
		name, hex, positions string
	}{
		{"none", "010000000000", ""},
		{"0", "01010000010000000100", "0"},
		{"255", "010100000100000001ff", "255"},
		{"second container", "0101000002000100004000", "256"},
		{"three", "0103000001000000030022ff", "0,34,255"},
		{"gap", "010200000300010000a0050a", "5,522"},
		{"largest sparse", "011f0000010000001f" + ascending(31), "0-30"},
		{"smallest dense", "012000000100000020" + "ffffffff" + zeros(28), "0-31"},
		{"33", "012100000100000020" + "ffffffff80" + zeros(27), "0-32"},
		{"every other", "018000000100000020" + strings.Repeat("aa", 32), everyOther(256)},
		{"full container", "010001000100000020" + strings.Repeat("ff", 32), "0-255"},
		{"dense and sparse", "010101000200050001f800" + strings.Repeat("ff", 32) + "2c", "0-255,300"},
		{"last of 256 containers", "01040000000120020000ffd0000102ff", "0-2,65535"},
		{"two chunks", "010100001201000000100100118070", "70000"},
		{"largest position", "010100000020" + strings.Repeat("000000", 31) + "100100ff80" + "ff", "2097151"},
	} {
		t.Run(v.name, func(t *testing.T) {
			checkVector(t, unhex(t, v.hex), slices.Collect(mustText(t, v.positions).All()))
		})
	}
}

// TestPFORVectors has the descriptor vectors of rules 18.8.
func TestPFORVectors(t *testing.T) {
	for _, v := range []struct {
		values, hex string
	}{
		{strings.Repeat("0,", 255) + "0", "000000"},
		{strings.Repeat("5,", 50) + "5", "000005"},
		{"1,0,1", "010000a0"},
		{"6,7,8", "02000618"},
		{"6,34,8,7", "050006070410"},
		{"247,2,3,1", "6201019800f4"},
		{"255,96,35,30,246,138,111", "080000ff60231ef68a6f"},
		{"0,0,0,0,255,0,0,254", "8002000407fffe"},
		{"13,3,2,2,2,22,145,2", "35010258400051e00680"},
		{"2,2,3,3,2,0,2,1,225", "620100af894008e0"},
		{"39,3,3,3,118,3,2,0,0", "430200edbcd00000044e"},
	} {
		checkPFOR(t, numbers[byte](t, v.values), unhex(t, v.hex))
	}

	// The specification's own example prefers fewer low bits in a tie: readable, but not what we write.
	got, err := mdv.DecodePFOR(unhex(t, "3201060901e0"), 4)
	if want := []byte{6, 34, 8, 7}; err != nil || !bytes.Equal(got, want) {
		t.Errorf("the smaller tie decodes to %v, %v, want %v", got, err, want)
	}
	if got, want := mdv.Pack([]byte{3, 2, 1, 2, 3}, 2), unhex(t, "e6c0"); !bytes.Equal(got, want) {
		t.Errorf("packed %x, want %x", got, want)
	}
}

// checkVector checks a bitmap's bytes both ways and reports whether they are as expected.
func checkVector(t *testing.T, data []byte, positions []uint32) bool {
	t.Helper()
	b, err := mdv.Of(positions...)
	if err != nil {
		t.Errorf("Of(%v): %v", positions, err)
		return false
	}
	got := encode(t, b)
	if !bytes.Equal(got, data) {
		t.Errorf("%v encodes to\n%x, want\n%x", b, got, data)
	}
	parsed, err := mdv.Parse(data)
	if err != nil {
		t.Errorf("Parse(%x): %v", data, err)
		return false
	}
	if diff := cmp.Diff(positions, parsed.AppendTo(nil)); diff != "" {
		t.Errorf("Parse(%x): positions (-want +got):\n%s", data, diff)
		return false
	}
	if !parsed.Equal(b) {
		t.Errorf("Parse(%x) = %v is not equal to %v", data, parsed, b)
	}
	return bytes.Equal(got, data)
}

func checkPFOR(t *testing.T, values, data []byte) bool {
	t.Helper()
	got := mdv.EncodePFOR(values)
	if !bytes.Equal(got, data) {
		t.Errorf("%v encodes to %x, want %x", values, got, data)
	}
	decoded, err := mdv.DecodePFOR(data, len(values))
	if err != nil || !bytes.Equal(decoded, values) {
		t.Errorf("%x decodes to %v, %v, want %v", data, decoded, err, values)
		return false
	}
	return bytes.Equal(got, data)
}

// readTSV returns the two columns of each row of a file, comments left out.
func readTSV(t testing.TB, name string) [][2]string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][2]string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		first, second, found := strings.Cut(line, "\t")
		if !found {
			t.Fatalf("%s: no tab in %q", name, line)
		}
		rows = append(rows, [2]string{first, second})
	}
	return rows
}

func numbers[N byte | uint32](t testing.TB, list string) []N {
	t.Helper()
	var all []N
	for item := range strings.SplitSeq(list, ",") {
		n, err := strconv.ParseUint(item, 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, N(n))
	}
	return all
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	data, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func mustText(t testing.TB, text string) mdv.Bitmap {
	t.Helper()
	b, err := mdv.ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func encode(t testing.TB, b mdv.Bitmap) []byte {
	t.Helper()
	data, err := b.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// zeros is the hex of n zero bytes.
func zeros(n int) string { return strings.Repeat("00", n) }

// ascending is the hex of the bytes from 0 to n-1.
func ascending(n int) string {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i)
	}
	return hex.EncodeToString(data)
}

// everyOther is the text form of the even positions below n.
func everyOther(n int) string {
	var items []string
	for i := 0; i < n; i += 2 {
		items = append(items, strconv.Itoa(i))
	}
	return strings.Join(items, ",")
}
