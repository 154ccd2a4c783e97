package policy_test

import (
	"strings"
	"testing"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/internal/policytest"
)

// TestLeavesOfAStep: a step may write several leaves of live rows, at most as many as it has rows, each within the limit, and reuses
// what was written as it was written.
func TestLeavesOfAStep(t *testing.T) {
	in := policy.Input{
		Mode: policy.Maintenance, Prices: policy.EstimatePrices(3), Limits: policy.Limits{LeafRows: 10}, Tombstones: policytest.Items("dead", 4),
		Pointers: []policy.Pointer{
			{Location: "a", LiveEntries: 10, Entries: 10}, {Location: "b", LiveEntries: 9, Entries: 10}, {Location: "c", LiveEntries: 2, Entries: 2},
		},
	}
	both := []policy.Ref{{Source: policy.FromPointers, Index: 0}, {Source: policy.FromPointers, Index: 1}}
	group := []policy.Group{{Members: []string{in.Pointers[0].Key(), in.Pointers[1].Key()}, Leaves: 2}}
	for _, c := range []struct {
		step    policy.Step
		written []policy.Group
		want    string
	}{
		{policy.Step{Kind: policy.Merge, Members: both, Leaves: 2, Written: -1}, nil, ""},
		{policy.Step{Kind: policy.Merge, Members: both, Leaves: 19, Written: -1}, nil, ""},
		{policy.Step{Kind: policy.Fold, Members: both[:1], Leaves: 2, Written: -1}, nil, ""},
		{policy.Step{Kind: policy.Merge, Members: both, Written: -1}, nil, "more than 10 rows"},
		{policy.Step{Kind: policy.Merge, Members: both, Leaves: 20, Written: -1}, nil, "writes 20 leaves of 19 rows"},
		{policy.Step{Kind: policy.Merge, Members: both, Leaves: -1, Written: -1}, nil, "writes -1 leaves"},
		{policy.Step{Kind: policy.Bury, Members: []policy.Ref{{Source: policy.FromTombstones}, {Source: policy.FromTombstones, Index: 1}}, Leaves: 2, Written: -1}, nil,
			"a bury, writes 2 leaves"},
		{policy.Step{Kind: policy.Merge, Members: both, Leaves: 2}, group, ""},
		{policy.Step{Kind: policy.Merge, Members: both, Leaves: 3}, group, "2 leaves are reused as 3"},
		{policy.Step{Kind: policy.Merge, Members: append(both, policy.Ref{Source: policy.FromPointers, Index: 2}), Leaves: 3, Written: -1}, group, "could be kept"},
	} {
		in.Written = c.written
		err := policy.Plan{Steps: []policy.Step{c.step}}.Validate(in)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.step, err, c.want)
		}
	}
	in.Written = group
	plan, _ := policy.Keep(in)
	if err := plan.Validate(in); err != nil || plan.Leaves() != 2 || plan.Steps[0].Written != 0 {
		t.Errorf("kept: %+v, %v", plan, err)
	}
}
