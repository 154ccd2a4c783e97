package parquetguard_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"pgregory.net/rapid"

	"github.com/firn-io/firn/internal/parquetguard"
)

// TestLevels reads back levels as parquet-go writes them.
func TestLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		highest := rapid.IntRange(1, 9).Draw(t, "highest")
		runs := rapid.SliceOfN(rapid.SliceOfN(rapid.ByteRange(0, byte(highest)), 1, 30), 1, 10).Draw(t, "runs")
		var levels []byte
		for _, r := range runs {
			levels = append(levels, slices.Repeat(r, rapid.IntRange(1, 20).Draw(t, "times"))...)
		}
		width := 1
		for 1<<width <= highest {
			width++
		}
		data, err := (&rle.Encoding{BitWidth: width}).EncodeLevels(nil, levels)
		if err != nil {
			t.Fatal(err)
		}
		got, same, err := parquetguard.Levels(nil, data, highest, len(levels), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if got == nil {
			got = slices.Repeat([]byte{same}, len(levels))
		}
		if diff := cmp.Diff(levels, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestIndexes reads back dictionary indexes as parquet-go writes them.
func TestIndexes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 31).Draw(t, "width")
		indexes := rapid.SliceOfN(rapid.Int32Range(0, 1<<width-1), 1, 300).Draw(t, "indexes")
		data, err := (&rle.Encoding{BitWidth: width}).EncodeInt32(nil, indexes)
		if err != nil {
			t.Fatal(err)
		}
		got, same, err := parquetguard.Indexes(nil, append([]byte{byte(width)}, data...), len(indexes), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if got == nil {
			got = slices.Repeat([]int32{int32(same)}, len(indexes))
		}
		if diff := cmp.Diff(indexes, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestBooleans reads runs that parquet-go's own decoder gets wrong, and one that its encoder writes like no other.
func TestBooleans(t *testing.T) {
	for name, c := range map[string]struct {
		runs []byte
		want []byte
	}{
		"one run":    {[]byte{3 << 1, 1}, []byte{1, 1, 1}},
		"two runs":   {[]byte{2 << 1, 1, 1 << 1, 0}, []byte{1, 1, 0}},
		"a run, 255": {[]byte{2 << 1, 255, 1 << 1, 0}, []byte{1, 1, 0}},
		"only 255":   {[]byte{3 << 1, 255}, []byte{1, 1, 1}},
		"all kinds":  {[]byte{1 << 1, 1, 1<<1 | 1, 0b10}, []byte{1, 0, 1}},
	} {
		data := append(binary.LittleEndian.AppendUint32(nil, uint32(len(c.runs))), c.runs...)
		got, same, err := parquetguard.Booleans(data, len(c.want), 100)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got == nil {
			got = slices.Repeat([]byte{same}, len(c.want))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: want -, got +:\n%s", name, diff)
		}
	}
}

// TestHostileRuns refuses runs that are not the values that the page has, before room is made for them.
func TestHostileRuns(t *testing.T) {
	many := binary.AppendUvarint(nil, 1<<40|1)
	long := append(append(binary.AppendUvarint(nil, 1<<31), 1), append(binary.AppendUvarint(nil, 1<<31), 0)...)
	for name, c := range map[string]struct {
		data []byte
		n    int
		want string
	}{
		"no runs":               {nil, 1, "runs of 0 values where 1"},
		"a run of none":         {[]byte{0, 1}, 1, "a run of 0 values"},
		"a run without a value": {[]byte{2}, 1, "a run of 1 bytes"},
		"too few":               {[]byte{4, 1}, 3, "runs of 2 values where 3"},
		"far too many":          {[]byte{0xff, 0xff, 0x7e, 1}, 3, "values or groups where 3 values"},
		"many packed":           {many, 3, "values or groups where 3 values"},
		"packed, cut":           {[]byte{3}, 3, "a run of 1 bytes where 0 are left"},
		"a level too high":      {[]byte{4, 9}, 2, "a level of 9 above 1"},
		"two long runs":         {long, 1 << 31, "bytes of levels of a page where 1048576 are allowed"},
	} {
		var err error
		bytes := allocated(func() { _, _, err = parquetguard.Levels(nil, c.data, 1, c.n, 1<<20) })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
		if bytes > 1<<13 {
			t.Errorf("%s: %d bytes allocated", name, bytes)
		}
	}
	var limit *parquetguard.LimitError
	if _, _, err := parquetguard.Indexes(nil, append([]byte{1}, long...), 1<<31, 1<<20); !errors.As(err, &limit) {
		t.Errorf("indexes: error %v", err)
	}
	if _, _, err := parquetguard.Booleans(append(make([]byte, 4), long...), 1<<31, 1<<20); !errors.As(err, &limit) {
		t.Errorf("booleans: error %v", err)
	}
}

// TestDelta finds the end of what parquet-go writes, and refuses what claims to be more.
func TestDelta(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nums := rapid.SliceOfN(rapid.Int64(), 1, 400).Draw(t, "nums")
		data, err := parquet.DeltaBinaryPacked.EncodeInt64(nil, nums)
		if err != nil {
			t.Fatal(err)
		}
		packed, rest, err := parquetguard.Delta(append(data, "rest"...), 64, len(nums))
		if err != nil || string(rest) != "rest" || len(packed) != len(data) {
			t.Fatalf("%d of %d bytes, then %q: %v", len(packed), len(data), rest, err)
		}
		if _, _, err := parquetguard.Delta(data, 64, len(nums)+1); err == nil {
			t.Fatal("one value more was found")
		}
		if _, _, err := parquetguard.Delta(data[:len(data)-1], 64, len(nums)); err == nil {
			t.Fatal("a cut block was taken")
		}
	})
	uvarints := func(n ...uint64) (out []byte) {
		for _, v := range n {
			out = binary.AppendUvarint(out, v)
		}
		return out
	}
	for name, data := range map[string][]byte{
		"a block of 2^32": uvarints(1<<32, 1, 2, 0), "no parts": uvarints(128, 0, 2, 0), "odd parts": uvarints(128, 3, 2, 0),
		"wide deltas": append(uvarints(128, 4, 2, 0, 0), 65, 0, 0, 0),
	} {
		if _, _, err := parquetguard.Delta(data, 64, 2); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
