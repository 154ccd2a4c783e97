package policy_test

import (
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
		if diff := cmp.Diff(c.want, p.Learned(c.pointers)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
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
