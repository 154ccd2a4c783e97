package dv_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/firn-io/firn/dv"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// mustOf returns the set of positions that are known to be legal.
func mustOf(t testing.TB, positions ...uint64) dv.Vector {
	t.Helper()
	v, err := dv.Of(positions...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// drawPositions draws positions that fill all three kinds of containers, in several 32-bit bitmaps.
func drawPositions(t *rapid.T, label string) []uint64 {
	base := rapid.SampledFrom([]uint64{0, 65_500, 1 << 31, 1<<32 - 3, 5 << 32, dv.MaxPosition - 70_000})
	var positions []uint64
	for range rapid.IntRange(0, 4).Draw(t, label) {
		start := base.Draw(t, "base") + rapid.Uint64Range(0, 3000).Draw(t, "start")
		step := rapid.SampledFrom([]uint64{1, 1, 2, 7}).Draw(t, "step")
		n := rapid.SampledFrom([]int{1, 2, 3, 5, 4096, 4097}).Draw(t, "n")
		for i := range uint64(n) {
			if p := start + i*step; p <= dv.MaxPosition {
				positions = append(positions, p)
			}
		}
	}
	return positions
}

func set(positions []uint64) map[uint64]bool {
	m := make(map[uint64]bool, len(positions))
	for _, p := range positions {
		m[p] = true
	}
	return m
}

// TestVectorIsASet holds every operation against sets of numbers.
func TestVectorIsASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		as, bs := drawPositions(t, "a"), drawPositions(t, "b")
		if rapid.Bool().Draw(t, "related") {
			bs = append(bs, as...)
		}
		given := slices.Clone(as)
		a, errA := dv.Of(as...)
		b, errB := dv.Of(bs...)
		if errA != nil || errB != nil || !slices.Equal(as, given) {
			t.Fatalf("Of: %v, %v, argument changed: %v", errA, errB, !slices.Equal(as, given))
		}
		setA, setB := set(as), set(bs)
		union, minus := map[uint64]bool{}, map[uint64]bool{}
		for p := range setA {
			union[p] = true
			if !setB[p] {
				minus[p] = true
			}
		}
		for p := range setB {
			union[p] = true
		}
		for _, c := range []struct {
			name string
			got  dv.Vector
			want map[uint64]bool
		}{{"a", a, setA}, {"b", b, setB}, {"union", a.Union(b), union}, {"minus", a.Minus(b), minus}, {"a again", a, setA}} {
			checkSet(t, c.name, c.got, c.want)
		}
		if got, want := a.ContainsAll(b), len(union) == len(setA); got != want {
			t.Fatalf("ContainsAll = %v, want %v", got, want)
		}
		if got, want := a.Equal(b), len(union) == len(setA) && len(setA) == len(setB); got != want {
			t.Fatalf("Equal = %v, want %v", got, want)
		}
		if !a.Union(b).Minus(a).Equal(b.Minus(a)) || !b.Union(a).Equal(a.Union(b)) {
			t.Fatal("the laws of sets do not hold")
		}
	})
}

func checkSet(t *rapid.T, name string, v dv.Vector, want map[uint64]bool) {
	positions := slices.Collect(v.All())
	if !slices.IsSorted(positions) || len(positions) != len(want) || v.Cardinality() != int64(len(want)) ||
		v.IsEmpty() != (len(want) == 0) {
		t.Fatalf("%s: %d positions, cardinality %d, want %d", name, len(positions), v.Cardinality(), len(want))
	}
	for i, p := range positions {
		if !want[p] || !v.Contains(p) || p < math.MaxUint64 && v.Contains(p+1) != want[p+1] ||
			i > 0 && p == positions[i-1] {
			t.Fatalf("%s: wrong at position %d", name, p)
		}
	}
	last, some := v.Max()
	if some != (len(want) > 0) || some && last != positions[len(positions)-1] {
		t.Fatalf("%s: Max = %d, %v", name, last, some)
	}
	again, err := dv.ParseText(v.String())
	if err != nil || !again.Equal(v) {
		t.Fatalf("%s: its text reads as another set, %v", name, err)
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"3,7-9", "3,7-9"},
		{"9,7-8,3,3", "3,7-9"},
		{"0-5,2-9,4", "0-9"},
		{"5-5", "5"},
		{"4294967295-4294967297", "4294967295-4294967297"},
		{"9223372030412324864", "9223372030412324864"},
	} {
		v, err := dv.ParseText(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if v.String() != c.want {
			t.Errorf("%q prints as %q, want %q", c.text, v, c.want)
		}
	}
}

// TestWidestRange takes as many positions as one text may cover.
func TestWidestRange(t *testing.T) {
	if v, err := dv.ParseText("8-4294967300,100-200,100-4294967303"); err != nil || v.Cardinality() != 1<<32 {
		t.Errorf("cardinality %d, %v", v.Cardinality(), err)
	}
}

func TestTextRefused(t *testing.T) {
	const item = "deletion vector: positions at byte 2: want a position, or a range such as 9-12"
	for _, c := range []struct {
		text, want string
		outOfRange bool
	}{
		{"3,", item, false},
		{"3,-4", item, false},
		{"3,+4", item, false},
		{"3, 4", item, false},
		{"3,4-", item, false},
		{"3,4-5-6", item, false},
		{"3,0x4", item, false},
		{"9-7", "deletion vector: positions at byte 0: range 9-7 ends before it begins", false},
		{"9223372030412324865", "deletion vector: positions at byte 0: position out of range: 9223372030412324865 is above " +
			"9223372030412324864", true},
		{"1,99999999999999999999", "deletion vector: positions at byte 2: position out of range: 99999999999999999999 is " +
			"above 9223372030412324864", true},
		{"0-9223372030412324864", "deletion vector: position out of range: the ranges cover more than 4294967296 positions", true},
		{"0-4294967294,5-9,4294967299-4294967300",
			"deletion vector: position out of range: the ranges cover more than 4294967296 positions", true},
	} {
		v, err := dv.ParseText(c.text)
		if err == nil || err.Error() != c.want || errors.Is(err, dv.ErrOutOfRange) != c.outOfRange || !v.IsEmpty() {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

func TestOutOfRange(t *testing.T) {
	if v, err := dv.Of(3, dv.MaxPosition+1, 2); !errors.Is(err, dv.ErrOutOfRange) || !v.IsEmpty() {
		t.Errorf("Of: %v, %v", v, err)
	}
	if v, err := dv.Range(dv.MaxPosition, dv.MaxPosition+2); !errors.Is(err, dv.ErrOutOfRange) || !v.IsEmpty() {
		t.Errorf("Range: %v, %v", v, err)
	}
	if v, err := dv.Range(4, 4); err != nil || !v.IsEmpty() {
		t.Errorf("an empty Range: %v, %v", v, err)
	}
	v, err := dv.Range(dv.MaxPosition-1, dv.MaxPosition+1)
	if err != nil || v.String() != "9223372030412324863-9223372030412324864" {
		t.Errorf("the last two positions: %v, %v", v, err)
	}
}

func TestMerge(t *testing.T) {
	old := mustOf(t, 1, 2)
	for _, c := range []struct {
		name         string
		old, deleted dv.Vector
		rows         int64
		want         string
		added        int64
		all          bool
	}{
		{"none before", dv.Vector{}, mustOf(t, 3), 100, "3", 1, false},
		{"union", old, mustOf(t, 2, 5), 100, "1-2,5", 1, false},
		{"nothing new", old, mustOf(t, 2), 100, "1-2", 0, false},
		{"all rows but one", old, mustOf(t, 0), 4, "0-2", 1, false},
		{"all rows", old, mustOf(t, 0, 3), 4, "0-3", 2, true},
		{"nothing at all", dv.Vector{}, dv.Vector{}, 4, "", 0, false},
	} {
		m, err := dv.Merge(c.old, c.deleted, c.rows)
		got := [3]any{m.Vector.String(), m.AddedRows, m.All}
		if diff := cmp.Diff([3]any{c.want, c.added, c.all}, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", c.name, err, diff)
		}
	}
	for _, rows := range []int64{2, 0, -1} {
		if _, err := dv.Merge(old, dv.Vector{}, rows); !errors.Is(err, dv.ErrOutOfRange) {
			t.Errorf("position 2 of %d rows: %v", rows, err)
		}
	}
}
