package compare_test

import (
	"context"
	"fmt"

	"github.com/firn-io/firn/sim/compare"
)

// Which of two policies writes less, and which opens fewer leaves.
func Example() {
	w, err := compare.WorkloadByName("stream", 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := compare.Config{Workloads: []compare.Workload{w}, Columns: 20, Pace: 1, Commits: 1000}
	for _, text := range []string{"sqrt", "tiered:batch=40:ratio=10"} {
		choice, err := compare.Choose(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		c.Policies = append(c.Policies, choice)
	}
	comparison, err := compare.Run(context.Background(), c)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range comparison.Workloads[0].Policies {
		fmt.Printf("%s: %.0f KB a commit, %.0f leaves\n", r.Policy, r.CommitBytes.Mean/1000, r.Everything.LeavesOpened)
	}
	// Output:
	// sqrt: 60 KB a commit, 87 leaves
	// tiered:batch=40:ratio=10: 39 KB a commit, 10 leaves
}
