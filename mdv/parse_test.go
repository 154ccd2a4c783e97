package mdv_test

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/mdv"
)

// malformed has input that is refused, the offset of the byte at fault and a part of the reason (rules 18.5 to 18.7).
var malformed = []struct {
	name, hex string
	offset    int
	reason    string
}{
	{"empty input", "", 0, "ends within the header"},
	{"short header", "0100000000", 5, "ends within the header"},
	{"version 0", "000000000000", 0, "version 0"},
	{"version 2", "020000000000", 0, "version 2"},
	{"8193 containers", "010000000120", 4, "8193 containers"},
	{"cardinality above the limit", "010100200000", 1, "cardinality 2097153"},
	{"M7 reserved descriptor", "010000000100000040", 6, "descriptor 0x40 of container 0 is reserved"},
	{"M7 reserved descriptor further on", "0100000003000800000020c0", 6, "descriptor 0xc0 of container 2 is reserved"},
	{"M8 trailing byte", "0101000001000000010000", 10, "1 bytes after the last container"},
	{"M8 trailing bytes of an empty bitmap", "0100000000000000", 6, "2 bytes after the last container"},
	{"M9 more bits than the header counts", "01010000010000000200ff", 1, "counts 1 positions, the containers have 2"},
	{"M9 fewer bits than the header counts", "01030000010000000200ff", 1, "counts 3 positions, the containers have 2"},
	{"M9 dense", "012100000100000020ffffffff" + zeros(28), 1, "counts 33 positions, the containers have 32"},
	{"M10 descending", "010200000100000002ff00", 10, "container 0 has position 0 after 255"},
	{"M10 duplicate", "0103000001000000030007" + "07", 11, "container 0 has position 7 after 7"},
	{"M10 in the second container", "01030000020001000140" + "09" + "0504", 12, "container 1 has position 4 after 5"},
	{"M12 nine low bits", "010000000100090000" + "0000", 6, "9 low and 0 high bits"},
	{"M12 low and high bits", "010000000100450000" + "0000", 6, "5 low and 4 high bits"},
	{"M12 full width with high bits", "01000000010018000000", 6, "8 low and 1 high bits"},
	{"M12 full width with exceptions", "0100000001000801000000", 7, "full-width values has 1 exceptions"},
	{"exception offset", "0100000001000101000005", 10, "exception offset 5 in a descriptor chunk of 1"},
	{"exception offset just behind the last value", "0100000001000101000001", 10, "exception offset 1 in a descriptor chunk of 1"},
	{"exception offset twice", "0102000002001002000000c0" + "0000", 10, "exception offset 0 stands twice"},
	{"base and value above 255", "0100000001000800ff01", 8, "255 + 1"},
	{"chunk head is cut", "0100000001000000", 8, "ends within the head of a descriptor chunk"},
	{"chunk is cut", "010000000100010000", 9, "ends within a descriptor chunk"},
	{"second chunk is missing", "010000000101000000", 9, "ends within the head of a descriptor chunk"},
	{"sparse container is cut", "01020000010000000200", 10, "ends within a container"},
	{"dense container is cut", "012000000100000020ffffffff" + zeros(27), 40, "ends within a container"},
	{"no containers at all", "010000200020" + strings.Repeat("000001", 32), 102, "ends within a container"},
}

func TestParseRefuses(t *testing.T) {
	for _, c := range malformed {
		t.Run(c.name, func(t *testing.T) {
			data := unhex(t, c.hex)
			b, err := mdv.Parse(data)
			wantParseError(t, b, err, c.offset, c.reason)
			_, describeErr := mdv.Describe(data)
			if describeErr == nil || describeErr.Error() != err.Error() {
				t.Errorf("Describe says %v, Parse says %v", describeErr, err)
			}
		})
	}
}

// accepted has input that no canonical writer makes, and what it holds (rules 18.5 to 18.7).
var accepted = []struct {
	name, hex, positions string
}{
	{"M1 empty bitmap", "010000000000", ""},
	{"M2 8192 empty containers", "010000000020" + strings.Repeat("000000", 32), ""},
	{"M2 one trailing empty container", "01010000020001000080" + "07", "7"},
	{"M4 high bits without exceptions", "01010000010030000107", "7"},
	{"M6 low bits on a dense descriptor", "012000000100000021ffffffff" + zeros(28), "0-31"},
	{"M6 all low bits on a dense descriptor", "01200000010000003fffffffff" + zeros(28), "0-31"},
	{"M11 dense with one bit", "01010000010000002080" + zeros(31), "0"},
	{"M11 dense with 31 bits", "011f00000100000020fffffffe" + zeros(28), "0-30"},
	{"M11 dense without a bit", "010000000100000020" + zeros(32), ""},
	{"M11 between sparse containers", "010400000300060000060040" + "05" + "80" + zeros(30) + "01" + "09", "5,256,511,521"},
	{"M13 full width with a base", "0101000001000800010000", "0"},
	{"widths that are not the shortest", "0103000001000300" + "0060" + "0022ff", "0,34,255"},
	{"exception without high bits", "01010000010001010080" + "00" + "07", "7"},
	{"exceptions out of order", "010200000200100200" + "0100" + "c0" + "0304", "3,260"},
	{"padding bits", "0101000002000100007f" + "00", "256"},
	{"B44 position 256 with a canonical descriptor", "0101000002000100004000", "256"},
	{"B44 position 256 with an exception", "010100000200100100018000", "256"},
}

func TestParseAcceptsAndCanonicalizes(t *testing.T) {
	for _, c := range accepted {
		t.Run(c.name, func(t *testing.T) {
			data := unhex(t, c.hex)
			b, err := mdv.Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			want := mustText(t, c.positions)
			if !b.Equal(want) {
				t.Fatalf("holds %v, want %v", b, want)
			}
			if got, want := encode(t, b), encode(t, want); !bytes.Equal(got, want) {
				t.Errorf("encodes to %x, canonical is %x", got, want)
			}
		})
	}
}

// TestParseRefusesEveryCut cuts bitmaps of all kinds at each byte.
func TestParseRefusesEveryCut(t *testing.T) {
	for _, text := range []string{"0", "0,34,255", "0-31", "0-255,300", "0-2,65535", "70000", "3,500-900,70000-70100,2097151"} {
		data := encode(t, mustText(t, text))
		for n := range data {
			b, err := mdv.Parse(data[:n])
			wantParseError(t, b, err, n, "ends within")
		}
		b, err := mdv.Parse(append(data, 0))
		wantParseError(t, b, err, len(data), "after the last container")
	}
}

func wantParseError(t *testing.T, b mdv.Bitmap, err error, offset int, reason string) {
	t.Helper()
	var parseErr *mdv.ParseError
	switch {
	case !errors.As(err, &parseErr):
		t.Errorf("got %v, %v, want a ParseError", b, err)
	case parseErr.Offset != offset || !strings.Contains(parseErr.Reason, reason):
		t.Errorf("got %v, want byte %d: … %s …", err, offset, reason)
	case !b.IsEmpty():
		t.Errorf("the bitmap beside the error holds %v", b)
	}
}

// TestCountDescents compares with the slow way to count.
func TestCountDescents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.OneOf(rapid.Byte(), rapid.ByteRange(126, 129)), 0, 50).Draw(t, "data")
		want := 0
		for i := range data {
			if i > 0 && data[i] <= data[i-1] {
				want++
			}
		}
		if got := mdv.CountDescents(data); got != want {
			t.Fatalf("%v has %d descents, want %d", data, got, want)
		}
	})
}

// TestParseKeepsNothing changes the input afterwards.
func TestParseKeepsNothing(t *testing.T) {
	want := mustText(t, "0,7,300-600")
	data := encode(t, want)
	b, err := mdv.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		data[i] ^= 0xff
	}
	if !b.Equal(want) {
		t.Errorf("the bitmap changed with the input to %v", b)
	}
}

// TestParseMemory bounds what is allocated by the length of the input, also where few bytes stand for many containers.
func TestParseMemory(t *testing.T) {
	all, err := mdv.Range(0, mdv.MaxCardinality)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"largest bitmap", encode(t, all)},
		{"8192 empty containers", unhex(t, "010000000020"+strings.Repeat("000000", 32))},
		{"largest position", encode(t, mustText(t, "2097151"))},
		{"one byte per container", unhex(t, "010020000020"+strings.Repeat("000001", 32)+zeros(8192))},
		{"8192 containers without a byte", unhex(t, "010000200020"+strings.Repeat("000001", 32))},
		{"8192 containers, half of them missing", unhex(t, "010000200020"+strings.Repeat("00001f", 32)+strings.Repeat(ascending(31), 4096))},
		{"dense containers of one bit", unhex(t, "010020000020"+strings.Repeat("000020", 32)+strings.Repeat("80"+zeros(31), 8192))},
		{"dense containers without a bit", unhex(t, "010000000020"+strings.Repeat("000020", 32)+zeros(32*8192))},
	} {
		t.Run(c.name, func(t *testing.T) {
			const perByte, fixed = 12, 512 // the fixed part is for the error
			got := allocatedBytes(func() { _, _ = mdv.Parse(c.data) })
			if limit := uint64(perByte*len(c.data) + fixed); got > limit {
				t.Errorf("Parse of %d bytes allocates %d, the limit is %d", len(c.data), got, limit)
			}
		})
	}
}

// allocatedBytes returns how much memory a call of f allocates.
func allocatedBytes(f func()) uint64 {
	const runs = 10
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / runs
}
