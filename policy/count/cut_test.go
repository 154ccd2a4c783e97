package count_test

import (
	"testing"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/count"
)

// inOrder pushes what is loose, and puts all leaves into the order of their partitions once there are enough of them.
type inOrder struct{ most, leaves int }

func (inOrder) Name() string { return "in-order" }

func (p inOrder) Plan(in policy.Input) (policy.Plan, error) {
	step := policy.Step{Kind: policy.Push, Written: -1}
	for i := range in.Loose {
		step.Members = append(step.Members, policy.Ref{Source: policy.FromLoose, Index: i})
	}
	for i := range in.New {
		step.Members = append(step.Members, policy.Ref{Source: policy.FromNew, Index: i})
	}
	if len(in.Pointers) >= p.most {
		step.Kind, step.Leaves = policy.Merge, p.leaves
		for i, pointer := range in.Pointers {
			if pointer.LiveEntries > 0 {
				step.Members = append(step.Members, policy.Ref{Source: policy.FromPointers, Index: i})
			}
		}
	}
	if len(step.Members) == 0 {
		return policy.Plan{}, nil
	}
	return policy.Plan{Steps: []policy.Step{step}}, nil
}

// TestCut: leaves that are cut have nearly equally many rows, and each its own partitions; nothing is lost, and policies are told where the
// partitions stand.
func TestCut(t *testing.T) {
	for _, pattern := range []count.Pattern{{Seed: 1, Partitions: 64}, {Seed: 1, CommitsPerPartition: 2}} {
		told := int64(0)
		look := looking{inOrder{30, 8}, func(in policy.Input) {
			for _, p := range in.Pointers {
				if p.First < 1 || p.Last < p.First {
					t.Fatalf("%+v: partitions %d to %d", pattern, p.First, p.Last)
				}
				told = max(told, p.Last)
			}
		}}
		table := count.Table{Prices: policy.EstimatePrices(3), Pattern: pattern}
		for i := range 30 * 5 {
			cost, err := table.Apply(look, count.Change{Added: 100, Removed: 7})
			if err != nil {
				t.Fatal(err)
			}
			if table.Placed() != table.Files || cost.Leaves != 1 && cost.Merged != 8 {
				t.Fatalf("%d of %d files are placed; %+v", table.Placed(), table.Files, cost)
			}
			if cost.Merged == 0 {
				continue
			}
			var width int64
			for j := range table.Leaves {
				l := table.Leaf(j)
				width += l.High - l.Low + 1
				near := table.Files / 8 / policy.CutPart
				if l.Low > l.High || l.First > l.Last || l.Live < table.Files/8-2*near || l.Live > table.Files/8+2*near {
					t.Errorf("commit %d: %+v of %d files", i, l, table.Files)
				}
			}
			if width > table.Partitions() {
				t.Errorf("%+v: eight leaves have %d partitions together, of %d", pattern, width, table.Partitions())
			}
		}
		if told < 9 {
			t.Errorf("%+v: there are only %d bounds", pattern, told)
		}
	}
}

// looking shows what a policy is asked.
type looking struct {
	policy.Policy
	see func(policy.Input)
}

func (p looking) Plan(in policy.Input) (policy.Plan, error) {
	p.see(in)
	return p.Policy.Plan(in)
}
