package policy_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/policy"
)

// TestLearnedPrices: rows cost what the table's own leaves say, within bounds, and a root may take as much more as the parent's does, or
// where that has too few rows, as what is estimated.
func TestLearnedPrices(t *testing.T) {
	p := policy.Prices{RootFixedBytes: 10_000, LeafFixedBytes: 1000, LooseBytes: 100, PointerBytes: 120, ThinPointerBytes: 20, LeafEntryBytes: 80}
	half := policy.Prices{RootFixedBytes: 10_000, LeafFixedBytes: 1000, LooseBytes: 50, PointerBytes: 60, ThinPointerBytes: 10, LeafEntryBytes: 40}
	twice := policy.Prices{RootFixedBytes: 10_000, LeafFixedBytes: 1000, LooseBytes: 200, PointerBytes: 240, ThinPointerBytes: 40, LeafEntryBytes: 160}
	most := policy.Prices{RootFixedBytes: 10_000, LeafFixedBytes: 1000, LooseBytes: 800, PointerBytes: 960, ThinPointerBytes: 160, LeafEntryBytes: 640}
	leaf := func(entries, entryBytes int64) policy.Pointer {
		return policy.Pointer{Entries: entries, FileSizeBytes: 1000 + entries*entryBytes}
	}
	legacy, thin, masked := leaf(1000, 1<<20), policy.Pointer{Thin: true}, leaf(300, 80)
	legacy.Legacy, masked.DVBytes = true, 50_000
	for name, c := range map[string]struct {
		pointers    []policy.Pointer
		bytes, rows int64
		want        policy.Prices
		overrun     float64
	}{
		"nothing known":                    {nil, 0, 0, p, 1},
		"leaves of few entries":            {slices.Repeat([]policy.Pointer{leaf(49, 160)}, 100), 0, 0, p, 1},
		"few entries together":             {[]policy.Pointer{leaf(199, 160)}, 0, 0, p, 1},
		"leaves as estimated":              {[]policy.Pointer{leaf(300, 80)}, 0, 0, p, 1},
		"wide leaves":                      {[]policy.Pointer{leaf(300, 160), leaf(700, 160)}, 0, 0, twice, 1},
		"legacy ones":                      {[]policy.Pointer{legacy}, 0, 0, p, 1},
		"leaves of no length":              {[]policy.Pointer{{Entries: 300}}, 0, 0, p, 1},
		"absurd leaves":                    {[]policy.Pointer{leaf(1000, 1<<30)}, 0, 0, most, 1},
		"wide root":                        {nil, 10_000 + 300*200, 300, twice, 1},
		"cheap root":                       {nil, 10_000 + 300*50, 300, p, 1},
		"absurd root":                      {nil, math.MaxInt64, 300, most, 1},
		"root without length":              {nil, 0, 300, p, 1},
		"wide root, few entries in leaves": {[]policy.Pointer{leaf(100, 80)}, 10_000 + 300*202, 300, twice, 1},
		"wide root, leaves as estimated":   {[]policy.Pointer{leaf(300, 80)}, 10_000 + 300*202, 300, p, 2.02},
		"root as estimated, wide leaves":   {[]policy.Pointer{leaf(300, 160)}, 10_000 + 300*102, 300, twice, 1},
		"root a little above":              {[]policy.Pointer{leaf(300, 80)}, 10_000 + 300*109, 300, p, 1},
		"cheap leaves, no root":            {[]policy.Pointer{leaf(300, 40)}, 0, 0, half, 2},
		"cheap leaves, a root of few rows": {[]policy.Pointer{leaf(300, 40)}, 10_000 + 10*100, 10, half, 2},
		"cheap leaves and root":            {[]policy.Pointer{leaf(300, 40)}, 10_000 + 300*52, 300, half, 1},
		"cheap leaves, root as estimated":  {[]policy.Pointer{leaf(300, 40)}, 10_000 + 300*105, 300, half, 2.1},
		"rows of less than a root":         {nil, 10_000 + 9_999, 20, p, 1},
		"rows of a root":                   {nil, 10_000 + 10_000, 50, twice, 1},
		"few rows":                         {nil, 10_000 + 9*20_000, 9, p, 1},
		"thin pointers apart":              {slices.Repeat([]policy.Pointer{thin}, 100), 10_000 + 650 + 200*200 + 100*40, 300, twice, 1},
		"all thin":                         {slices.Repeat([]policy.Pointer{thin}, 300), 10_000 - 1300 + 300*40, 300, twice, 1},
		"more thin ones than rows":         {slices.Repeat([]policy.Pointer{thin}, 300), 10_000 - 1300 + 250*40, 250, twice, 1},
		"masks apart":                      {[]policy.Pointer{masked}, 10_000 + 1390 + 50_450 + 300*100, 300, p, 1},
	} {
		in := policy.Input{Prices: p, Pointers: c.pointers, RootBytes: c.bytes, RootRows: c.rows}
		got, overrun := in.Learned()
		if math.Abs(overrun-c.overrun) > 0.1 || overrun < 1 {
			t.Errorf("%s: a root may take %v times as much, want %v", name, overrun, c.overrun)
		}
		for _, pair := range [][2]int64{ // a hundredth is for what pointers take beside the rows that they are
			{got.LooseBytes, c.want.LooseBytes}, {got.PointerBytes, c.want.PointerBytes}, {got.ThinPointerBytes, c.want.ThinPointerBytes},
			{got.LeafEntryBytes, c.want.LeafEntryBytes},
		} {
			if off := math.Abs(float64(pair[0]) - float64(pair[1])); off > 1+float64(pair[1])/50 {
				t.Errorf("%s: %s", name, cmp.Diff(c.want, got))
				break
			}
		}
	}
}

// TestRewrittenBytes: rows of a leaf take what they take in it, whatever others do, and in one of few rows what is estimated.
func TestRewrittenBytes(t *testing.T) {
	p := policy.Prices{LeafFixedBytes: 1000, LeafEntryBytes: 80}
	for _, c := range []struct {
		leaf       policy.Pointer
		rows, want int64
	}{
		{policy.Pointer{Entries: 300, FileSizeBytes: 1000 + 300*500}, 100, 100 * 500},
		{policy.Pointer{Entries: 300, FileSizeBytes: 1000 + 300*20}, 300, 300 * 20},
		{policy.Pointer{Entries: 10, FileSizeBytes: 1000 + 10*20}, 10, 10 * 80},
		{policy.Pointer{Entries: 300, FileSizeBytes: 500}, 10, 10 * 80},
		{policy.Pointer{Entries: 300}, 10, 10 * 80},
		{policy.Pointer{Entries: 300, FileSizeBytes: 1 << 30, Legacy: true}, 10, 10 * 80},
		{policy.Pointer{Entries: 1<<32 - 1, FileSizeBytes: 1<<44 - 1}, 1<<32 - 1, 1<<44 - 1 - 1000},
	} {
		if got, most := p.RowBytes(c.leaf, c.rows), p.RewrittenBytes(c.leaf, c.rows); got != c.want || most != c.want {
			t.Errorf("%d rows of %+v: %d bytes, at most %d, want %d", c.rows, c.leaf, got, most, c.want)
		}
	}
}

// TestDearRows: where the table has taught that rows are cheap, rows that are left of a leaf, or in leaves of few, are not taken for cheaper
// than estimated.
func TestDearRows(t *testing.T) {
	cheap := policy.Pointer{Entries: 9000, LiveEntries: 9000, FileSizeBytes: 1000 + 9000*20}
	few := policy.Pointer{Entries: 20, LiveEntries: 20, FileSizeBytes: 1000 + 20*80}
	in := policy.Input{Prices: policy.Prices{RootFixedBytes: 10_000, LeafFixedBytes: 1000, LooseBytes: 100, LeafEntryBytes: 80}, Pointers: []policy.Pointer{cheap, few}}
	p := in.LearnedPrices()
	for _, c := range []struct {
		leaf              policy.Pointer
		rows, about, most int64
	}{
		{cheap, 9000, 9000 * 20, 9000 * 20}, {cheap, 300, 300 * 20, 300 * 80}, {cheap, 8000, 8000 * 20, 9000 * 20}, {few, 20, 20 * 80, 20 * 80},
	} {
		if about, most := p.RowBytes(c.leaf, c.rows), p.RewrittenBytes(c.leaf, c.rows); about != c.about || most != c.most {
			t.Errorf("%d rows of %+v: %d bytes, at most %d, want %d, at most %d", c.rows, c.leaf, about, most, c.about, c.most)
		}
	}
}
