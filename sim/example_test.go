package sim_test

import (
	"context"
	"fmt"

	"github.com/firn-io/firn/sim"
)

// A run is decided by its seed; what it found can be done again from its trace.
func Example() {
	ctx := context.Background()
	mixed, err := sim.ProfileByName("mixed")
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := sim.Run(ctx, sim.Config{Seed: 7, Profile: mixed, Commits: 20, Faults: 0.1})
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := sim.Replay(ctx, report.Trace, false, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Counts.Commits >= 20, len(report.Violations), report.TraceHash == again.TraceHash)
	// Output: true 0 true
}
