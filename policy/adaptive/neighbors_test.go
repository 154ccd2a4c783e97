package adaptive_test

import (
	"strings"
	"testing"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
)

// TestNeighborsWaitForEachOther: old leaves with full ones between them and the newest files become one leaf by themselves, as soon as to write
// them again costs less than all their pointers but one do, and no part of one with the newest. Where loose files belong among
// them they are as near as any.
func TestNeighborsWaitForEachOther(t *testing.T) {
	for name, c := range map[string]struct {
		files int64 // of each old leaf
		loose int64 // where the loose files lie
		want  bool
	}{
		"together they pay":              {3000, 60, true},
		"alone they pay, together not":   {4500, 60, false},
		"loose files are theirs":         {3000, 1, false},
		"loose files of no known places": {3000, 0, true},
	} {
		in := policy.Input{
			Prices: policy.EstimatePrices(20), SequenceNumber: 10_000, History: []policy.Snapshot{{Summary: map[string]string{"firn.policy.files-per-commit": "10"}}},
			Loose: []policy.Item{{Key: "loose", Count: 10, First: c.loose, Last: c.loose}},
		}
		add := func(files, first, last int64) {
			in.Pointers = append(in.Pointers, policy.Pointer{Location: "leaf", LiveEntries: files, Entries: files, First: first, Last: last})
		}
		add(c.files, 1, 1)
		add(c.files, 2, 2)
		for i := range int64(3) {
			add(30_000, 3+i, 3+i)
		}
		add(1000, 60, 60)
		for _, mode := range []policy.Mode{policy.Foreground, policy.Maintenance} {
			in.Mode = mode
			plan, err := adaptive.Policy{}.Plan(in)
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Contains(strings.Join(plan.Deferred, "; "), "2 old leaves of neighboring partitions should become one")
			merged, across := false, false
			for _, step := range plan.Steps {
				old := 0
				for _, ref := range step.Members {
					if ref.Source == policy.FromPointers && ref.Index < 2 {
						old++
					}
				}
				merged = merged || old == 2 && len(step.Members) == 2
				across = across || old > 0 && len(step.Members) > old
			}
			if said != (c.want && mode == policy.Foreground) || merged != (c.want && mode == policy.Maintenance) || across && c.loose != 1 {
				t.Errorf("%s, mode %d: deferred %q, steps %+v", name, mode, plan.Deferred, plan.Steps)
			}
		}
	}
}
