package sim_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/firn-io/firn/sim"
)

// seeds is how many seeds of each kind a test runs; FIRN_SIM_SEEDS sets another number.
func seeds(t *testing.T, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv("FIRN_SIM_SEEDS")
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestProfiles: no profile finds anything, with faults and without, with data files and without.
func TestProfiles(t *testing.T) {
	for _, p := range sim.Profiles() {
		for seed := range seeds(t, 6) {
			c := sim.Config{Seed: seed, Profile: p, Commits: 100, DataFiles: seed%2 == 0}
			if seed%3 != 0 {
				c.Faults = 0.2
			}
			t.Run(fmt.Sprintf("%s/%d", p.Name, seed), func(t *testing.T) { run(t, c) })
		}
	}
}

// TestFilledTable: the files that a table has before do not take the place of the workload, however many there are.
func TestFilledTable(t *testing.T) {
	c := sim.Config{Seed: 1, Commits: 3, Files: 12_000}
	r := run(t, c)
	const filling = 3 // commits of five thousand files at most
	if want := int64(filling + c.Commits); r.Counts.Commits < want {
		t.Errorf("%d commits, want %d: %d fill the table", r.Counts.Commits, want, filling)
	}
	if replayed, err := sim.Replay(t.Context(), r.Trace, false, nil); err != nil || replayed.TraceHash != r.TraceHash {
		t.Errorf("the replay ends at %s, %v; the run ended at %s", replayed.TraceHash, err, r.TraceHash)
	}
}

// run makes a run, which must find nothing.
func run(t *testing.T, c sim.Config) sim.Report {
	t.Helper()
	r, err := sim.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Violations {
		t.Error(v)
	}
	return r
}

// TestSameSeedSameTrace: a seed decides the whole run, to the sizes of all objects, and another seed another run.
func TestSameSeedSameTrace(t *testing.T) {
	for _, p := range sim.Profiles() {
		for _, parquet := range []bool{false, true} {
			c := sim.Config{Seed: 3, Profile: p, Commits: 30, Faults: 0.2, Parquet: parquet}
			first, second := run(t, c), run(t, c)
			if first.TraceHash != second.TraceHash {
				t.Errorf("%s, Parquet %t: two runs of one seed differ: %s, %s", p.Name, parquet, first.TraceHash, second.TraceHash)
			}
			c.Seed++
			if third := run(t, c); third.TraceHash == first.TraceHash {
				t.Errorf("%s, Parquet %t: two seeds have one trace", p.Name, parquet)
			}
		}
	}
}
