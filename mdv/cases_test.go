package mdv_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/mdv"
)

// TestB44EdgeSizes encodes and decodes the sizes at which containers change their form (B44).
func TestB44EdgeSizes(t *testing.T) {
	full := strings.Repeat("ff", 32)
	for _, c := range []struct {
		name, positions, hex string
	}{
		{"two", "0,255", "01" + "020000" + "0100" + "000002" + "00ff"},
		{"32 are dense, first position in the top bit", "0-31", "01" + "200000" + "0100" + "000020" + "ffffffff" + zeros(28)},
		{"31 are sparse", "0-30", "01" + "1f0000" + "0100" + "00001f" + ascending(31)},
		{"first of the second container", "256", "01" + "010000" + "0200" + "010000" + "40" + "00"},
		{"all of a container", "0-255", "01" + "000100" + "0100" + "000020" + full},
		{"none", "", "01" + "000000" + "0000"},
		{"257 full containers", "0-65791", "01" + "000101" + "0101" + "000020" + "000020" + strings.Repeat(full, 257)},
		{"all there are", "0-2097151", "01" + "000020" + "0020" + strings.Repeat("000020", 32) + strings.Repeat(full, 8192)},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := mustText(t, c.positions)
			data := unhex(t, c.hex)
			if got := encode(t, b); !bytes.Equal(got, data) {
				t.Errorf("encodes to %.100x, want %.100x", got, data)
			}
			parsed, err := mdv.Parse(data)
			if err != nil || !parsed.Equal(b) {
				t.Errorf("Parse gives %.100v, %v", parsed, err)
			}
			if got := parsed.String(); got != c.positions {
				t.Errorf("the text form is %.100q, want %q", got, c.positions)
			}
		})
	}
}

// TestB44Limit asks for one position more than a bitmap can hold (B44).
func TestB44Limit(t *testing.T) {
	_, ofErr := mdv.Of(5, mdv.MaxPosition+1, 3)
	_, ascendingErr := mdv.Of(mdv.MaxPosition + 1)
	_, rangeErr := mdv.Range(0, mdv.MaxCardinality+1)
	_, hugeRangeErr := mdv.Range(7, 1<<32-1)
	_, textErr := mdv.ParseText("7,2097152")
	_, hugeTextErr := mdv.ParseText("0-99999999999999999999")
	for _, err := range []error{ofErr, ascendingErr, rangeErr, hugeRangeErr, textErr, hugeTextErr} {
		if !errors.Is(err, mdv.ErrOutOfRange) {
			t.Errorf("got %v, want %v", err, mdv.ErrOutOfRange)
		}
	}
}

// TestB44LargestPosition finds the position that a manifest of so many rows must be above (B44).
func TestB44LargestPosition(t *testing.T) {
	for _, c := range []struct {
		positions string
		largest   uint32
	}{{"9", 9}, {"0-255", 255}, {"0-254", 254}, {"3,256-287", 287}, {"0-2097151", mdv.MaxPosition}} {
		if got, ok := mustText(t, c.positions).Max(); !ok || got != c.largest {
			t.Errorf("the largest position of %s is %d, %v, want %d", c.positions, got, ok, c.largest)
		}
	}
	if got, ok := (mdv.Bitmap{}).Max(); ok {
		t.Errorf("the largest position of the empty set is %d", got)
	}
}

// TestB19HeaderCardinality has bitmaps of two positions whose header counts 3, 1 and 0 (B19).
func TestB19HeaderCardinality(t *testing.T) {
	for _, body := range []string{"0100" + "000002" + "0307", "0200" + "0600" + "0080" + "0307"} {
		for _, count := range []string{"03", "01", "00"} {
			data := unhex(t, "01"+count+"0000"+body)
			if _, err := mdv.Parse(data); err == nil {
				t.Errorf("%x is accepted", data)
			}
		}
	}
}

func TestHeaderCardinality(t *testing.T) {
	for _, text := range []string{"", "7", "0-300,70000", "0-2097151"} {
		b := mustText(t, text)
		if got, err := mdv.HeaderCardinality(encode(t, b)); err != nil || got != b.Cardinality() {
			t.Errorf("the header of %s counts %d, %v, want %d", text, got, err, b.Cardinality())
		}
	}
	if got, err := mdv.HeaderCardinality([]byte{1, 7}); err == nil {
		t.Errorf("a header that is cut counts %d", got)
	}
}

func TestParseTextRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{",", "at byte 0: want a position"},
		{"1,", "at byte 2: want a position"},
		{"1, 2", "at byte 2: want a position"},
		{"-4", "at byte 0: want a position"},
		{"3-", "at byte 0: want a position"},
		{"0,3-4-5", "at byte 2: want a position"},
		{"+7", "at byte 0: want a position"},
		{"0x10", "at byte 0: want a position"},
		{"7,12-9", "at byte 2: range 12-9 ends before it begins"},
	} {
		b, err := mdv.ParseText(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || !b.IsEmpty() {
			t.Errorf("ParseText(%q) = %v, %v, want an error with %q", c.text, b, err, c.want)
		}
	}
}

func TestParseTextAnyOrder(t *testing.T) {
	if got, want := mustText(t, "9-12,7-7,11-20,0,7").String(), "0,7,9-20"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := mustText(t, "").String(); got != "" {
		t.Errorf("the empty set is written %q", got)
	}
}

func TestRangeEmpty(t *testing.T) {
	for _, ends := range [][2]uint32{{0, 0}, {7, 7}, {9, 3}, {1<<32 - 1, 0}} {
		if b, err := mdv.Range(ends[0], ends[1]); err != nil || !b.IsEmpty() {
			t.Errorf("Range(%d, %d) = %v, %v", ends[0], ends[1], b, err)
		}
	}
}

func TestDescribe(t *testing.T) {
	got, err := mdv.Describe(unhex(t, "010101000200050001f800"+strings.Repeat("ff", 32)+"2c"))
	if err != nil {
		t.Fatal(err)
	}
	want := mdv.Layout{
		Version: 1, Cardinality: 257, ContainerCount: 2, Canonical: true,
		Chunks: []mdv.ChunkLayout{{Offset: 6, SizeBytes: 5, Values: 2, LowBits: 5, Base: 1}},
		Containers: []mdv.ContainerLayout{
			{Number: 0, Descriptor: 0x20, Offset: 11, SizeBytes: 32, Cardinality: 256},
			{Number: 1, Descriptor: 1, Offset: 43, SizeBytes: 1, Cardinality: 1},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("layout (-want +got):\n%s", diff)
	}
	if !got.Containers[0].IsDense() || got.Containers[1].IsDense() {
		t.Errorf("the first container is dense, the second sparse; got %+v", got.Containers)
	}

	thin, err := mdv.Describe(unhex(t, "010100000300"+"060000800000"+"80"+zeros(31)))
	if err != nil {
		t.Fatal(err)
	}
	if thin.Canonical || len(thin.Containers) != 1 || thin.Containers[0].Cardinality != 1 {
		t.Errorf("got %+v, want one dense container of one position, not canonical", thin)
	}
}
