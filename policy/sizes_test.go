package policy_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/policy"
)

// TestLearnedPrices: rows cost what the table's own leaves say, within bounds, once there are enough of them.
func TestLearnedPrices(t *testing.T) {
	p := policy.Prices{RootFixedBytes: 10, LeafFixedBytes: 1000, LooseBytes: 100, PointerBytes: 120, LeafEntryBytes: 80}
	twice := policy.Prices{RootFixedBytes: 10, LeafFixedBytes: 1000, LooseBytes: 200, PointerBytes: 240, LeafEntryBytes: 160}
	leaf := func(entries, size int64) policy.Pointer { return policy.Pointer{Entries: entries, FileSizeBytes: size} }
	legacy := leaf(1000, 1<<30)
	legacy.Legacy = true
	for name, c := range map[string]struct {
		pointers []policy.Pointer
		want     policy.Prices
	}{
		"no leaves":          {nil, p},
		"too few entries":    {[]policy.Pointer{leaf(10, 1000+10*160)}, p},
		"as estimated":       {[]policy.Pointer{leaf(300, 1000+300*80)}, p},
		"twice as wide":      {[]policy.Pointer{leaf(300, 1000+300*160), leaf(700, 1000+700*160)}, twice},
		"legacy ones do not": {[]policy.Pointer{legacy}, p},
		"no length":          {[]policy.Pointer{leaf(300, 0)}, p},
		"absurd": {[]policy.Pointer{leaf(1000, 1<<40)}, policy.Prices{
			RootFixedBytes: 10, LeafFixedBytes: 1000, LooseBytes: 800, PointerBytes: 960, LeafEntryBytes: 640}},
	} {
		if diff := cmp.Diff(c.want, p.Learned(c.pointers, nil)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestPricesOfTheRoot: where leaves have too few rows to teach anything, the parent's root does, if it has enough that are not thin.
func TestPricesOfTheRoot(t *testing.T) {
	p := policy.Prices{RootFixedBytes: 10_000, LeafFixedBytes: 1000, LooseBytes: 100, PointerBytes: 100, ThinPointerBytes: 20, LeafEntryBytes: 80}
	twice := policy.Prices{RootFixedBytes: 10_000, LeafFixedBytes: 1000, LooseBytes: 200, PointerBytes: 200, ThinPointerBytes: 40, LeafEntryBytes: 160}
	few, many := []policy.Pointer{{Entries: 100, FileSizeBytes: 1000 + 100*80}}, []policy.Pointer{{Entries: 300, FileSizeBytes: 1000 + 300*80}}
	for name, c := range map[string]struct {
		pointers    []policy.Pointer
		rows, bytes string
		want        policy.Prices
	}{
		"loose files":          {nil, "300", "70000", twice},
		"few rows in leaves":   {few, "300", "70000", twice},
		"leaves teach":         {many, "300", "70000", p},
		"few rows":             {nil, "99", "29800", p},
		"thin ones apart":      {slices.Repeat([]policy.Pointer{{Thin: true}}, 100), "200", "32000", twice},
		"few but thin ones":    {slices.Repeat([]policy.Pointer{{Thin: true}}, 150), "200", "70000", p},
		"nothing said":         {nil, "", "", p},
		"no numbers":           {nil, "x", "70000", p},
		"below zero":           {nil, "-300", "-70000", p},
		"less than nothing":    {nil, "300", "1000", p},
		"more than the format": {nil, "9223372036854775807", "9223372036854775807", p},
	} {
		in := policy.Input{Prices: p, Pointers: c.pointers, History: []policy.Snapshot{
			{Summary: map[string]string{"firn.root-rows": "1000", "firn.root-bytes": "9000000"}},
			{Summary: map[string]string{"firn.root-rows": c.rows, "firn.root-bytes": c.bytes}},
		}}
		got := in.LearnedPrices()
		if name == "more than the format" { // whatever it is
			got = p
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if got := (policy.Input{Prices: p}).LearnedPrices(); got != p {
		t.Errorf("without snapshots: %+v", got)
	}
}

// TestSizesGrow: estimates have no step down and no panic, from nothing to more than a format allows.
func TestSizesGrow(t *testing.T) {
	for _, columns := range []int{0, 1, 100, 1000} {
		leaf, root := int64(0), int64(0)
		for rows := int64(0); rows < 1<<40; rows = rows*5/4 + 1 {
			l, r := policy.LeafBytes(columns, rows), policy.RootBytes(columns, rows, 0, 0)
			if l < leaf || r < root {
				t.Errorf("%d columns: %d rows take %d and %d bytes, fewer rows %d and %d", columns, rows, l, r, leaf, root)
			}
			leaf, root = l, r
		}
	}
	if policy.RootBytes(20, 0, 0, 0) != policy.LeafBytes(20, -1) {
		t.Error("an empty root and an empty leaf differ")
	}
}
