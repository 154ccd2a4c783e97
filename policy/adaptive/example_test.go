package adaptive_test

import (
	"fmt"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
)

// In a table that adds a hundred files with each commit, those of a few commits become a leaf.
func Example() {
	in := policy.Input{
		Mode: policy.Foreground, Prices: policy.EstimatePrices(5),
		Loose: []policy.Item{{Key: "loose", Count: 700}}, New: []policy.Item{{Key: "new", Count: 100}},
		History: []policy.Snapshot{{Summary: map[string]string{"firn.policy.files-per-commit": "100"}}},
	}
	plan, err := adaptive.Policy{}.Plan(in)
	if err != nil {
		fmt.Println(err)
	}
	for _, step := range plan.Steps {
		fmt.Printf("%s, decided by the %s: %s\n", step.Kind, step.Term, step.Reason)
	}
	// Output:
	// push, decided by the rent: the cheapest plan from here on: 800 loose files, 100 files a commit
}
