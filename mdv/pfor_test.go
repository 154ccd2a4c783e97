package mdv_test

import (
	"bytes"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/mdv"
)

// descriptorValues draws values of which most are small, so that exceptions pay.
func descriptorValues() *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		base := rapid.ByteRange(0, 200).Draw(t, "base")
		small := rapid.ByteRange(0, rapid.SampledFrom([]byte{0, 1, 3, 31}).Draw(t, "small"))
		value := rapid.Custom(func(t *rapid.T) byte {
			if rapid.IntRange(0, 9).Draw(t, "exceptional") == 0 {
				return rapid.Byte().Draw(t, "any")
			}
			return base + small.Draw(t, "value")
		})
		return rapid.SliceOfN(value, 1, 600).Draw(t, "values")
	})
}

// TestPFORIsShortest compares the encoding with the formula of rules 18.4, tried for all widths the slow way.
func TestPFORIsShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := descriptorValues().Draw(t, "values")
		data := mdv.EncodePFOR(values)
		decoded, err := mdv.DecodePFOR(data, len(values))
		if err != nil || !bytes.Equal(decoded, values) {
			t.Fatalf("%x decodes to %v, %v", data, decoded, err)
		}
		want := 0
		for chunk := range slices.Chunk(values, 256) {
			want += shortestChunk(chunk)
		}
		if len(data) != want {
			t.Fatalf("%v takes %d bytes, want %d", values, len(data), want)
		}
	})
}

func shortestChunk(values []byte) int {
	base := slices.Min(values)
	widest := bits.Len8(slices.Max(values) - base)
	shortest := 1 << 20
	for low := range widest + 1 {
		exceptions := 0
		for _, v := range values {
			if (v-base)>>low > 0 {
				exceptions++
			}
		}
		size := 3 + (len(values)*low+7)/8 + exceptions + (exceptions*(widest-low)+7)/8
		shortest = min(shortest, size)
	}
	return shortest
}

// TestParseAcceptsAnyWidths encodes sets as no canonical writer does: any width that holds the descriptors, dense containers
// of few positions, low bits in dense descriptors, empty containers at the end.
func TestParseAcceptsAnyWidths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, _ := drawSet(t, "set")
		data := encodeLoosely(t, b)
		parsed, err := mdv.Parse(data)
		if err != nil || !parsed.Equal(b) {
			t.Fatalf("%x parses to %v, %v, want %v", data, parsed, err, b)
		}
		layout, err := mdv.Describe(data)
		if err != nil || layout.Cardinality != b.Cardinality() {
			t.Fatalf("Describe(%x) = %+v, %v", data, layout, err)
		}
	})
}

func encodeLoosely(t *rapid.T, b mdv.Bitmap) []byte {
	var containers [][]byte
	for p := range b.All() {
		for len(containers) <= int(p>>8) {
			containers = append(containers, nil)
		}
		containers[p>>8] = append(containers[p>>8], byte(p))
	}
	containers = append(containers, make([][]byte, min(rapid.IntRange(0, 300).Draw(t, "trailing"), 8192-len(containers)))...)

	var descriptors, body []byte
	for _, c := range containers {
		if len(c) >= 32 || len(c) > 0 && rapid.IntRange(0, 3).Draw(t, "dense") == 0 {
			descriptors = append(descriptors, 0x20|rapid.ByteRange(0, 31).Draw(t, "ignored"))
			bitset := make([]byte, 32)
			for _, low := range c {
				bitset[low/8] |= 0x80 >> (low % 8)
			}
			body = append(body, bitset...)
		} else {
			descriptors = append(descriptors, byte(len(c)))
			body = append(body, c...)
		}
	}
	n, count := b.Cardinality(), len(containers)
	data := []byte{1, byte(n), byte(n >> 8), byte(n >> 16), byte(count), byte(count >> 8)}
	for chunk := range slices.Chunk(descriptors, 256) {
		data = appendLooseChunk(t, data, chunk)
	}
	return append(data, body...)
}

func appendLooseChunk(t *rapid.T, dst, values []byte) []byte {
	base := rapid.ByteRange(0, slices.Min(values)).Draw(t, "base")
	low := rapid.IntRange(0, 8).Draw(t, "low")
	high := 0
	var offsets, highs []byte
	lows := slices.Clone(values)
	for i := range lows {
		lows[i] -= base
		if h := lows[i] >> low; h > 0 {
			high = max(high, bits.Len8(h))
			offsets, highs = append(offsets, byte(i)), append(highs, h)
		}
	}
	if len(offsets) > 255 {
		return appendLooseChunk(t, dst, values)
	}
	dst = append(dst, byte(high<<4|low), byte(len(offsets)), base)
	dst = appendBits(dst, lows, low)
	dst = append(dst, offsets...)
	return appendBits(dst, highs, high)
}

// appendBits packs the low bits of the values one bit at a time.
func appendBits(dst, values []byte, width int) []byte {
	packed := make([]byte, (len(values)*width+7)/8)
	for i := range len(values) * width {
		bit := values[i/width] >> (width - 1 - i%width) & 1
		packed[i/8] |= bit << (7 - i%8)
	}
	return append(dst, packed...)
}
