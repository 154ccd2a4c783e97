package sim_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/sysenv"
	"github.com/firn-io/firn/sim"
)

// soak makes a soak, which must find nothing. What does find something is printed as the one command that does it again.
func soak(t *testing.T, c sim.SoakConfig) sim.SoakReport {
	t.Helper()
	r, err := sim.Soak(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Failures {
		t.Errorf("%v\ndo it again: go run ./cmd/firn sim run %s", f.Report.Violations, strings.Join(f.Report.Trace.Config.Flags(""), " "))
	}
	return r
}

// TestFreshSeeds: runs that nobody made before find nothing. FIRN_SIM_SEEDS sets another number of runs.
func TestFreshSeeds(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("the seed of the soak is %d", seed)
	r := soak(t, sim.SoakConfig{Seed: seed, Runs: int64(seeds(t, 30)), Commits: 50, Failures: math.MaxInt32})
	t.Logf("%d runs, %d commits, %d attempts, faults %v", r.Runs, r.Counts.Commits, r.Counts.Attempts, r.Counts.Faults)
}

// TestSoakShards: whatever the shards and the workers are, the runs are the same.
func TestSoakShards(t *testing.T) {
	whole := sim.SoakConfig{Seed: 11, Runs: 6, Commits: 20}
	want := soak(t, whole)
	if want.Runs != 6 || want.Counts.Commits < 6*20 {
		t.Errorf("%d runs with %d commits, want 6 with 20 each", want.Runs, want.Counts.Commits)
	}
	var got sim.SoakReport
	for shard := range 3 {
		part := whole
		part.Shard, part.Shards, part.Workers = shard+1, 3, 1
		r := soak(t, part)
		if r.Runs != 2 || r.Shard != shard+1 || r.Shards != 3 {
			t.Errorf("shard %d of %d has %d runs", r.Shard, r.Shards, r.Runs)
		}
		got.Add(r)
	}
	got.Seed, got.Shard, got.Shards = want.Seed, want.Shard, want.Shards
	if got.Failures == nil {
		got.Failures = want.Failures
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("three shards are not the whole (-whole +shards):\n%s", diff)
	}
}

// TestSoakVaries: the runs of a soak have every kind of world.
func TestSoakVaries(t *testing.T) {
	seen := make(map[string]bool)
	for n := range int64(400) {
		c := sim.SoakConfig{Seed: 1}.Config(n)
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		for _, flag := range slices.Compact(c.Flags("")) {
			seen[flag] = true
		}
	}
	for _, word := range []string{"--parquet", "--data-files", "never", "when-full", "cap", "adaptive", "--row-bytes", "tiered", "leveled", "sqrt", "0.5", "0", "16", "2", "stream", "adversarial"} {
		if !seen[word] {
			t.Errorf("no run of 400 has %s", word)
		}
	}
}

// TestSoakEnds: a soak ends by the clock, and when its context does.
func TestSoakEnds(t *testing.T) {
	now := sysenv.NowMillis()
	clock := func() int64 { now += 100; return now } // a look at the clock takes a while here; one at a time
	r := soak(t, sim.SoakConfig{Seed: 1, Millis: 1000, NowMillis: clock, Commits: 5})
	if r.Runs < 5 || r.Runs > 10 {
		t.Errorf("%d runs in ten looks at the clock", r.Runs)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err := sim.Soak(ctx, sim.SoakConfig{Seed: 1, Runs: 1000, Commits: 5, Progress: func(r sim.SoakReport) {
		if r.Runs == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || r.Runs < 3 || r.Runs > 1000/2 {
		t.Errorf("after an interrupt: %d runs, %v", r.Runs, err)
	}
}

// TestSoakRefused: a soak that cannot be is an error.
func TestSoakRefused(t *testing.T) {
	for want, c := range map[string]sim.SoakConfig{
		"want a bound":    {},
		"needs a clock":   {Millis: 1},
		"shard 3 of 2":    {Runs: 1, Shard: 3, Shards: 2},
		"-1 workers":      {Runs: 1, Workers: -1},
		"1001 workers":    {Runs: 1, Workers: 1001},
		"no program has":  {Runs: 1, Profiles: []sim.Profile{{Name: "idle"}}},
		"-1 runs in 0 ms": {Runs: -1},
		"shard -1 of 1":   {Runs: 1, Shard: -1},
		"a weight of -1":  {Runs: 1, Profiles: []sim.Profile{{Name: "x", Remove: -1, Idle: 1}}},
		"-1 failures":     {Runs: 1, Failures: -1},
		"-1 commits":      {Runs: 1, Commits: -1},
	} {
		if _, err := sim.Soak(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
