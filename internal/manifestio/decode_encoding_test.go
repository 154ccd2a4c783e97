package manifestio

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
	"pgregory.net/rapid"

	"github.com/firn-io/firn/internal/parquetguard"
)

// typedColumn is a column's values in an encoding, made by parquet-go, and what should be read from it.
type typedColumn struct {
	physical format.Type
	length   int
	enc      format.Encoding
	body     []byte
	nums     []int64
	texts    []string
}

// drawColumn draws values of any type in any encoding that fits it.
func drawColumn(t *rapid.T) typedColumn {
	numbers := []encoding.Encoding{&parquet.Plain, &parquet.DeltaBinaryPacked, &parquet.ByteStreamSplit}
	floats := []encoding.Encoding{&parquet.Plain, &parquet.ByteStreamSplit}
	var c typedColumn
	var enc encoding.Encoding
	var err error
	n := rapid.IntRange(1, 400).Draw(t, "values")
	switch c.physical = rapid.SampledFrom([]format.Type{format.Boolean, format.Int32, format.Int64, format.Float,
		format.Double, format.ByteArray, format.FixedLenByteArray}).Draw(t, "type"); c.physical {
	case format.Boolean:
		enc = rapid.SampledFrom([]encoding.Encoding{&parquet.Plain, &parquet.RLE}).Draw(t, "encoding")
		bits := rapid.SliceOfN(rapid.Byte(), (n+7)/8, (n+7)/8).Draw(t, "bits")
		c.nums = make([]int64, n)
		(&plainBooleans{data: bits}).numbers(c.nums)
		c.body, err = enc.EncodeBoolean(nil, bits)
	case format.Int32:
		enc = rapid.SampledFrom(numbers).Draw(t, "encoding")
		values := rapid.SliceOfN(rapid.Int32(), n, n).Draw(t, "ints")
		c.nums = widened(values, func(v int32) int64 { return int64(v) })
		c.body, err = enc.EncodeInt32(nil, values)
	case format.Int64:
		enc = rapid.SampledFrom(numbers).Draw(t, "encoding")
		c.nums = rapid.SliceOfN(rapid.Int64(), n, n).Draw(t, "longs")
		c.body, err = enc.EncodeInt64(nil, c.nums)
	case format.Float:
		enc = rapid.SampledFrom(floats).Draw(t, "encoding")
		values := rapid.SliceOfN(rapid.Float32(), n, n).Draw(t, "floats")
		c.nums = widened(values, func(v float32) int64 { return int64(math.Float32bits(v)) })
		c.body, err = enc.EncodeFloat(nil, values)
	case format.Double:
		enc = rapid.SampledFrom(floats).Draw(t, "encoding")
		values := rapid.SliceOfN(rapid.Float64(), n, n).Draw(t, "doubles")
		c.nums = widened(values, func(v float64) int64 { return int64(math.Float64bits(v)) })
		c.body, err = enc.EncodeDouble(nil, values)
	case format.ByteArray:
		enc = rapid.SampledFrom([]encoding.Encoding{&parquet.Plain, &parquet.DeltaLengthByteArray, &parquet.DeltaByteArray}).Draw(t, "encoding")
		c.texts = rapid.SliceOfN(rapid.StringMatching("(abc|abd|x)*"), n, n).Draw(t, "texts")
		offsets := []uint32{0}
		for _, s := range c.texts {
			offsets = append(offsets, offsets[len(offsets)-1]+uint32(len(s)))
		}
		c.body, err = enc.EncodeByteArray(nil, []byte(strings.Join(c.texts, "")), offsets)
	case format.FixedLenByteArray:
		c.length = rapid.IntRange(1, 20).Draw(t, "length")
		enc = rapid.SampledFrom([]encoding.Encoding{&parquet.Plain, &parquet.DeltaByteArray, &parquet.ByteStreamSplit}).Draw(t, "encoding")
		all := rapid.SliceOfN(rapid.Byte(), n*c.length, n*c.length).Draw(t, "bytes")
		for v := range slices.Chunk(all, c.length) {
			c.texts = append(c.texts, string(v))
		}
		c.body, err = enc.EncodeFixedLenByteArray(nil, all, c.length)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.enc = enc.Encoding()
	return c
}

// widened maps values to 64 bits.
func widened[T any](values []T, f func(T) int64) []int64 {
	var out []int64
	for _, v := range values {
		out = append(out, f(v))
	}
	return out
}

// read reads the column.
func (c *typedColumn) read() (nums []int64, texts []string, err error) {
	cur := testCursor(c.physical, c.length, 0, 0, format.Uncompressed, nil)
	n := max(len(c.nums), len(c.texts))
	source, err := cur.values(c.enc, c.body, n)
	if err != nil {
		return nil, nil, err
	}
	// In two steps, as two batches of one page.
	if c.nums != nil {
		nums = make([]int64, n)
		source.numbers(nums[:n/2])
		source.numbers(nums[n/2:])
		return nums, nil, nil
	}
	texts = make([]string, n)
	if err := source.texts(texts[:n/2]); err != nil {
		return nil, nil, err
	}
	return nil, texts, source.texts(texts[n/2:])
}

// TestReadEncodings reads what parquet-go wrote in every encoding.
func TestReadEncodings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawColumn(t)
		nums, texts, err := c.read()
		if err != nil {
			t.Fatalf("%s of %s: %v", c.enc, c.physical, err)
		}
		if diff := cmp.Diff(c.nums, nums); diff != "" {
			t.Fatalf("%s of %s: written -, read +:\n%s", c.enc, c.physical, diff)
		}
		if diff := cmp.Diff(c.texts, texts); diff != "" {
			t.Fatalf("%s of %s: written -, read +:\n%s", c.enc, c.physical, diff)
		}
	})
}

// TestReadDamagedEncodings reads values some of whose bytes changed: any answer will do, but no panic and no
// text outside of its bounds.
func TestReadDamagedEncodings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawColumn(t)
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			at := rapid.IntRange(0, min(40, len(c.body)-1)).Draw(t, "at")
			c.body[at] = rapid.Byte().Draw(t, "byte")
		}
		c.body = c.body[:rapid.IntRange(0, len(c.body)).Draw(t, "length")]
		_, texts, err := c.read()
		if err == nil && len(texts) > 0 && len(strings.Join(texts, "")) > int(tightLimits.MaxPageBytes) {
			t.Fatal("more text than a page may hold")
		}
	})
}

// TestReadLevels reads levels that parquet-go wrote.
func TestReadLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		highest := rapid.IntRange(1, 9).Draw(t, "highest")
		levels := rapid.SliceOfN(rapid.ByteRange(0, byte(highest)), 1, 300).Draw(t, "levels")
		if rapid.Bool().Draw(t, "same") {
			levels = slices.Repeat(levels[:1], len(levels))
		}
		width := 1
		for 1<<width <= highest {
			width++
		}
		enc := parquet.RLE
		enc.BitWidth = width
		body, err := enc.EncodeLevels(nil, levels)
		if err != nil {
			t.Fatal(err)
		}
		got, same, err := parquetguard.Levels(nil, body, highest, len(levels), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if got == nil {
			got = slices.Repeat([]byte{same}, len(levels))
		}
		if diff := cmp.Diff(levels, got); diff != "" {
			t.Fatalf("written -, read +:\n%s", diff)
		}
	})
}

// TestRunBooleans reads booleans in runs, which are no multiple of eight values.
func TestRunBooleans(t *testing.T) {
	for name, c := range map[string]struct {
		runs []byte
		want []int64
	}{
		"one run":    {[]byte{3 << 1, 1}, []int64{1, 1, 1}},
		"two runs":   {[]byte{2 << 1, 1, 1 << 1, 0}, []int64{1, 1, 0}},
		"run of 255": {[]byte{3 << 1, 255}, []int64{1, 1, 1}},
		"all kinds":  {[]byte{1 << 1, 1, 1<<1 | 1, 0b0000_0010}, []int64{1, 0, 1}},
	} {
		body := append(binary.LittleEndian.AppendUint32(nil, uint32(len(c.runs))), c.runs...)
		cur := testCursor(format.Boolean, 0, 0, 0, format.Uncompressed, dataPage(t, 3, format.RLE, body))
		cur.left = 3
		var got []int64
		for range c.want {
			if err := cur.row(func(v cell) error { got = append(got, v.num); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: want -, got +:\n%s", name, diff)
		}
	}
}
