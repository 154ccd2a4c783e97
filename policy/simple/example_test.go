package simple_test

import (
	"fmt"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/simple"
)

func Example() {
	in := policy.Input{
		Mode: policy.Foreground, Prices: policy.EstimatePrices(5),
		Pointers: make([]policy.Pointer, 3),
		New:      make([]policy.Item, 12),
	}
	for i := range in.New {
		in.New[i] = policy.Item{Key: fmt.Sprint(i), Count: 1}
	}
	plan, err := simple.Cap{Rows: 8}.Plan(in)
	if err != nil {
		fmt.Println(err)
	}
	for _, step := range plan.Steps {
		fmt.Printf("%s %d entries: %s\n", step.Kind, len(step.Members), step.Reason)
	}
	// Output:
	// push 8 entries: the root would have 15 rows, its cap is 8: a full leaf
}
