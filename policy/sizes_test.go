package policy_test

import (
	"testing"

	"github.com/firn-io/firn/policy"
)

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
