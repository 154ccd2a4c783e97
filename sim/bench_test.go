package sim_test

import (
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/firn-io/firn/sim"
)

// BenchmarkAttempts reports the attempts a second of one world for each core, each with ten writers: every root built and
// checked by the writer, every snapshot held to the four checks. What fills the tables before and what is checked at the end
// is not timed.
func BenchmarkAttempts(b *testing.B) {
	for _, files := range []int64{10_000, 1_000_000} {
		for _, profile := range []string{"stream", "cdc", "mixed"} {
			b.Run(fmt.Sprintf("%s/%d", profile, files), func(b *testing.B) {
				c := sim.Config{Files: files, Writers: 10, Faults: 0.05, FullEvery: 1 << 30, Policy: "when-full"}
				c.Profile, _ = sim.ProfileByName(profile)
				c.Properties = map[string]string{
					"firn.policy.root-bytes": "4600", "firn.policy.leaf-bytes": strconv.FormatInt(40*files, 10),
				}
				benchmarkWorlds(b, c)
			})
		}
	}
}

// benchmarkWorlds runs a world on each core until b.N commits were made.
func benchmarkWorlds(b *testing.B, c sim.Config) {
	worlds := runtime.GOMAXPROCS(0)
	var mu sync.Mutex
	var rate, perCommit float64
	var group sync.WaitGroup
	for n := range worlds {
		group.Go(func() {
			own := c
			own.Seed = uint64(n)
			attempts, commits, elapsed := loop(b, own, int64(b.N/worlds+1))
			mu.Lock()
			defer mu.Unlock()
			rate += float64(attempts) / elapsed.Seconds()
			perCommit += float64(attempts) / float64(commits) / float64(worlds)
		})
	}
	group.Wait()
	b.ReportMetric(rate, "attempts/s")
	b.ReportMetric(perCommit, "attempts/commit")
	b.ReportMetric(0, "ns/op") // it is of the whole run
}

// loop makes so many commits in a full table and returns how many attempts they took, and how long.
func loop(b *testing.B, c sim.Config, commits int64) (attempts, made int64, elapsed time.Duration) {
	c.Commits = int(commits)
	var from, to sim.Counts
	var start time.Time
	r, err := sim.Watch(b.Context(), c, func(w *sim.World, _ sim.Action) error {
		if start.IsZero() {
			from, start = w.Counts(), time.Now()
		}
		to, elapsed = w.Counts(), time.Since(start)
		return nil
	})
	if err != nil {
		b.Error(err)
	}
	for _, v := range r.Violations {
		b.Error(v)
	}
	return to.Attempts - from.Attempts, to.Commits - from.Commits, elapsed
}
