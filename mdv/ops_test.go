package mdv_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/firn-io/firn/mdv"
)

// positionSets draws sets with empty, sparse, dense and full containers, near and far from each other.
func positionSets() *rapid.Generator[[]uint32] {
	return rapid.Custom(func(t *rapid.T) []uint32 {
		var positions []uint32
		for range rapid.IntRange(0, 6).Draw(t, "pieces") {
			start := rapid.OneOf(
				rapid.Uint32Range(0, 2000),
				rapid.Uint32Range(65_000, 67_000),
				rapid.Uint32Range(0, mdv.MaxPosition),
				rapid.Just(uint32(mdv.MaxPosition)),
			).Draw(t, "start")
			step := rapid.SampledFrom([]uint32{1, 1, 2, 7, 8, 9, 256, 3000}).Draw(t, "step")
			count := rapid.SampledFrom([]uint32{1, 3, 31, 32, 33, 300}).Draw(t, "count")
			for i := range count {
				positions = append(positions, min(start+i*step, mdv.MaxPosition))
			}
		}
		return rapid.Permutation(positions).Draw(t, "positions")
	})
}

// checkSame compares a bitmap with the reference by every way to look at it.
func checkSame(t *rapid.T, what string, got mdv.Bitmap, want *roaring.Bitmap) {
	positions := want.ToArray()
	if diff := cmp.Diff(positions, got.AppendTo([]uint32{}), cmp.Comparer(slices.Equal[[]uint32])); diff != "" {
		t.Fatalf("%s: AppendTo (-want +got):\n%s", what, diff)
	}
	if all := slices.Collect(got.All()); !slices.Equal(all, positions) {
		t.Fatalf("%s: All yields %v, want %v", what, all, positions)
	}
	if got.Cardinality() != len(positions) || got.IsEmpty() != (len(positions) == 0) {
		t.Fatalf("%s: cardinality %d, empty %v, want %d", what, got.Cardinality(), got.IsEmpty(), len(positions))
	}
	if largest, ok := got.Max(); ok != (len(positions) > 0) || ok && largest != want.Maximum() {
		t.Fatalf("%s: largest position %d, %v in %v", what, largest, ok, got)
	}
	direct, err := mdv.Of(positions...)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Equal(direct) {
		t.Fatalf("%s: %v is not equal to %v", what, got, direct)
	}
	data, err := got.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if canonical, _ := direct.AppendBinary(nil); !bytes.Equal(data, canonical) {
		t.Fatalf("%s: %v encodes to %x, want %x", what, got, data, canonical)
	}
	parsed, err := mdv.Parse(data)
	if err != nil || !parsed.Equal(direct) {
		t.Fatalf("%s: %x parses to %v, %v, want %v", what, data, parsed, err, direct)
	}
}

func drawSet(t *rapid.T, label string) (mdv.Bitmap, *roaring.Bitmap) {
	positions := positionSets().Draw(t, label)
	before := slices.Clone(positions)
	b, err := mdv.Of(positions...)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(positions, before) {
		t.Fatalf("Of changed its argument")
	}
	return b, roaring.BitmapOf(positions...)
}

func TestOfMatchesRoaring(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, reference := drawSet(t, "set")
		checkSame(t, "Of", b, reference)
	})
}

func TestSetOperationsMatchRoaring(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, ra := drawSet(t, "a")
		b, rb := drawSet(t, "b")
		if rapid.Bool().Draw(t, "related") {
			b, rb = a.Union(b), roaring.Or(ra, rb)
		}
		checkSame(t, "Union", a.Union(b), roaring.Or(ra, rb))
		checkSame(t, "Minus", a.Minus(b), roaring.AndNot(ra, rb))
		checkSame(t, "Minus, reversed", b.Minus(a), roaring.AndNot(rb, ra))
		checkSame(t, "Intersect", a.Intersect(b), roaring.And(ra, rb))
		checkSame(t, "a, afterwards", a, ra)
		checkSame(t, "b, afterwards", b, rb)

		if got, want := a.Intersects(b), ra.Intersects(rb); got != want {
			t.Fatalf("Intersects is %v, want %v", got, want)
		}
		if got, want := a.ContainsAll(b), roaring.AndNot(rb, ra).IsEmpty(); got != want {
			t.Fatalf("ContainsAll is %v, want %v", got, want)
		}
		if got, want := b.ContainsAll(a), roaring.AndNot(ra, rb).IsEmpty(); got != want {
			t.Fatalf("ContainsAll, reversed, is %v, want %v", got, want)
		}
		if got, want := a.Equal(b), ra.Equals(rb); got != want {
			t.Fatalf("Equal is %v, want %v", got, want)
		}
	})
}

func TestQueriesMatchRoaring(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, reference := drawSet(t, "set")
		probes := []uint32{0, mdv.MaxPosition, mdv.MaxPosition + 1, 1<<32 - 1, rapid.Uint32().Draw(t, "probe")}
		for p := range b.All() {
			probes = append(probes, p, p+1, p-1)
		}
		for _, p := range probes {
			if got, want := b.Contains(p), reference.Contains(p); got != want {
				t.Fatalf("Contains(%d) is %v, want %v", p, got, want)
			}
			want := int(reference.Rank(p)) // roaring counts p itself
			if reference.Contains(p) {
				want--
			}
			if got := b.Rank(p); got != want {
				t.Fatalf("Rank(%d) is %d, want %d", p, got, want)
			}
		}
	})
}

func TestRangeMatchesRoaring(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.OneOf(rapid.Uint32Range(0, 1000), rapid.Uint32Range(0, mdv.MaxPosition)).Draw(t, "lo")
		hi := min(lo+rapid.OneOf(rapid.Uint32Range(0, 70), rapid.Uint32Range(0, 3000)).Draw(t, "length"), mdv.MaxCardinality)
		b, err := mdv.Range(lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		reference := roaring.New()
		reference.AddRange(uint64(lo), uint64(hi))
		checkSame(t, "Range", b, reference)
	})
}

func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, _ := drawSet(t, "set")
		parsed, err := mdv.ParseText(b.String())
		if err != nil || !parsed.Equal(b) {
			t.Fatalf("%q parses to %v, %v", b.String(), parsed, err)
		}
	})
}

// TestPairsOfPositions compares single positions in each quarter of a container.
func TestPairsOfPositions(t *testing.T) {
	quarters := []uint32{10, 70, 140, 210, 256 + 10}
	for _, p := range quarters {
		for _, q := range quarters {
			a, err := mdv.Of(p)
			if err != nil {
				t.Fatal(err)
			}
			b, err := mdv.Of(q)
			if err != nil {
				t.Fatal(err)
			}
			if a.Intersects(b) != (p == q) || a.ContainsAll(b) != (p == q) || a.Equal(b) != (p == q) {
				t.Errorf("{%d} and {%d}: Intersects %v, ContainsAll %v, Equal %v", p, q, a.Intersects(b), a.ContainsAll(b), a.Equal(b))
			}
		}
	}
}

// TestAllStops ends the iteration early, in a sparse and in a dense container.
func TestAllStops(t *testing.T) {
	for _, text := range []string{"3,5,7", "0-200"} {
		seen := 0
		for range mustText(t, text).All() {
			seen++
			if seen == 2 {
				break
			}
		}
		if seen != 2 {
			t.Errorf("%s: saw %d positions after a break at 2", text, seen)
		}
	}
}

// TestAppendKeepsPrefix appends to what is there.
func TestAppendKeepsPrefix(t *testing.T) {
	b := mustText(t, "1,300-400")
	data, err := b.AppendBinary([]byte("before"))
	if rest, found := bytes.CutPrefix(data, []byte("before")); err != nil || !found || !bytes.Equal(rest, encode(t, b)) {
		t.Errorf("AppendBinary gives %x, %v", data, err)
	}
	positions := b.AppendTo([]uint32{9})
	if positions[0] != 9 || !slices.Equal(positions[1:], b.AppendTo(nil)) {
		t.Errorf("AppendTo gives %v", positions)
	}
}
