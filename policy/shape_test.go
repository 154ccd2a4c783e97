package policy_test

import (
	"math"
	"slices"
	"testing"

	"github.com/firn-io/firn/policy"
)

// TestShapeOfAbsurdInput: whatever a table says of itself, the estimate of a root with thousands of rows is no number below zero.
func TestShapeOfAbsurdInput(t *testing.T) {
	const most = math.MaxInt64
	prices := policy.Prices{
		RootFixedBytes: most, LeafFixedBytes: most, LooseBytes: most, PointerBytes: most, ThinPointerBytes: most, LeafEntryBytes: most,
	}
	in := policy.Input{
		Prices: prices, Loose: slices.Repeat([]policy.Item{{Count: most}}, 10_000),
		Pointers: slices.Repeat([]policy.Pointer{{LiveEntries: most, Entries: most, DVBytes: most, Changed: most, FileSizeBytes: most}}, 10_000),
	}
	all := policy.Step{Kind: policy.Merge, Written: -1}
	for i := range in.Pointers {
		all.Members = append(all.Members, policy.Ref{Source: policy.FromPointers, Index: i})
	}
	for _, steps := range [][]policy.Step{nil, {all}} {
		if s, err := in.Shape(steps, nil); err != nil || s.Bytes <= 0 || s.Loose <= 0 {
			t.Errorf("%d steps: %+v, %v", len(steps), s, err)
		}
	}
}
