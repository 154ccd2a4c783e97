//go:build mutate

package mutate_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/sim"
)

// Each fault is given so many runs of the simulator, of so many commits each.
const (
	simRuns    = 12
	simCommits = 60
)

// simulatedAlways are the faults with which the simulator runs without FIRN_MUTATE=sim.
var simulatedAlways = []string{
	"mask-forgotten", "sequence-of-lost-attempt", "fold-drops-row", "row-id-reused", "tombstones-carried",
	"failed-told-as-committed", "time-equals-parent", "clean-up-takes-parents-root",
}

// TestSimulated switches on some faults of the writer, one at a time, in runs of the simulator, which must find them. With
// FIRN_MUTATE=sim, or a fault that FIRN_FAULT names, it only reports, on every fault: what the simulator does not see yet, for
// its files have no partitions for instance, the scripts do. That takes many minutes.
func TestSimulated(t *testing.T) {
	only, whole := os.Getenv("FIRN_FAULT"), os.Getenv("FIRN_MUTATE") == "sim"
	for _, f := range tamper.Faults() {
		always := slices.Contains(simulatedAlways, f.Name)
		if only != "" && f.Name != only || only == "" && !whole && !always {
			continue
		}
		by, commits, n := simulate(t, f)
		if by == "" {
			by = "nobody"
			if always {
				t.Errorf("%s: %s The simulator does not find it in %d commits.", f.Name, f.Says, commits)
			}
		}
		t.Logf("%-32s found by %-24s after %3d commits, runs %d: %s", f.Name, by, commits, n, f.Says)
	}
}

// simulate runs the simulator with a fault until a run finds something, and returns the check that did, after how many
// commits and runs.
func simulate(t *testing.T, f tamper.Fault) (by string, commits int64, n int) {
	t.Helper()
	defer tamper.SwitchOn(tamper.Fault{})
	profiles := []string{"adversarial", "mixed", "cdc", "batch"}
	for seed := range uint64(simRuns) {
		tamper.SwitchOn(f)
		profile, err := sim.ProfileByName(profiles[seed%uint64(len(profiles))])
		if err != nil {
			t.Fatal(err)
		}
		report, err := simulateOnce(sim.Config{Seed: seed, Profile: profile, Commits: simCommits, Faults: 0.2, DataFiles: true})
		commits += report.Counts.Commits
		switch {
		case len(report.Violations) > 0:
			return report.Violations[0].Check, commits, int(seed) + 1
		case err != nil: // the simulator, too, trusts in what a faulty writer does not keep
			t.Logf("%s: seed %d: %v", f.Name, seed, err)
		}
	}
	return "", commits, simRuns
}

// simulateOnce makes a run. A panic is an error.
func simulateOnce(c sim.Config) (r sim.Report, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return sim.Run(context.Background(), c)
}
