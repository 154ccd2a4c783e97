package sim

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// SoakReport is what the runs of a soak, or of one of its shards, found and did.
type SoakReport struct {
	Seed   uint64 `json:"seed"`
	Shard  int    `json:"shard"`
	Shards int    `json:"shards"`
	Runs   int64  `json:"runs"`
	Counts Counts `json:"counts"`
	// Actions counts the actions of the schedulers.
	Actions int64 `json:"actions"`
	// Profiles are the shares of the workloads, by name.
	Profiles map[string]Share `json:"profiles"`
	// TraceHash joins the hashes of all runs, in whatever order they were made.
	TraceHash string `json:"trace_hash"`
	// Failures are the runs that found something, in the order of their numbers. Their traces are files of their own.
	Failures []SoakFailure `json:"-"`
}

// Share is the part of one workload in a soak.
type Share struct {
	Runs     int64 `json:"runs"`
	Commits  int64 `json:"commits"`
	Attempts int64 `json:"attempts"`
}

// SoakFailure is a run of a soak that found something.
type SoakFailure struct {
	// Run is its number, which [SoakConfig.Config] takes.
	Run     int64
	Profile string
	Report  Report
}

// Soak makes many runs. It ends when its bound is reached, or when enough of them found something; when ctx ends it
// returns what was done, and the error of ctx.
func Soak(ctx context.Context, c SoakConfig) (SoakReport, error) {
	c, err := c.withDefaults()
	if err != nil {
		return SoakReport{}, err
	}
	s := &soak{config: c, report: SoakReport{
		Seed: c.Seed, Shard: c.Shard, Shards: c.Shards, Counts: newCounts(), Profiles: make(map[string]Share),
		TraceHash: noHash, Failures: []SoakFailure{},
	}}
	if c.Millis > 0 {
		s.endMillis = c.NowMillis() + c.Millis
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var workers sync.WaitGroup
	for range c.Workers {
		workers.Go(func() {
			if err := s.work(ctx); err != nil {
				stop(err)
			}
		})
	}
	workers.Wait()
	slices.SortFunc(s.report.Failures, func(a, b SoakFailure) int { return cmp.Compare(a.Run, b.Run) })
	return s.report, context.Cause(ctx)
}

// soak is a soak on its way.
type soak struct {
	config    SoakConfig
	endMillis int64

	mu     sync.Mutex
	taken  int64
	report SoakReport
}

// work makes runs until there is none left.
func (s *soak) work(ctx context.Context) error {
	for {
		number, ok := s.take()
		if !ok {
			return nil
		}
		c := s.config.Config(number)
		r, err := Run(ctx, c)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("run %d, firn sim run %s: %w", number, strings.Join(c.Flags(""), " "), err)
		}
		s.done(number, c, r)
	}
}

// take returns the number of the next run.
func (s *soak) take() (int64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.config
	number := s.taken*int64(c.Shards) + int64(c.Shard) - 1
	switch {
	case c.Runs > 0 && number >= c.Runs, c.Millis > 0 && c.NowMillis() >= s.endMillis, len(s.report.Failures) >= c.Failures:
		return 0, false
	}
	s.taken++
	return number, true
}

// done adds a run to the report.
func (s *soak) done(number int64, c Config, r Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := SoakReport{
		Runs: 1, Counts: r.Counts, Actions: int64(r.Actions), TraceHash: r.TraceHash,
		Profiles: map[string]Share{c.Profile.Name: {1, r.Counts.Commits, r.Counts.Attempts}},
	}
	if len(r.Violations) > 0 {
		one.Failures = []SoakFailure{{number, c.Profile.Name, r}}
	}
	s.report.Add(one)
	if s.config.Progress != nil {
		s.config.Progress(s.report)
	}
}

// Add adds what other runs found and did; which soak and shard it is stays as it was.
func (r *SoakReport) Add(o SoakReport) {
	if r.Profiles == nil {
		r.Counts, r.Profiles = newCounts(), make(map[string]Share)
	}
	r.Runs += o.Runs
	r.Actions += o.Actions
	r.Counts.Add(o.Counts)
	for name, share := range o.Profiles {
		sum := r.Profiles[name]
		r.Profiles[name] = Share{sum.Runs + share.Runs, sum.Commits + share.Commits, sum.Attempts + share.Attempts}
	}
	r.TraceHash = joinHashes(r.TraceHash, o.TraceHash)
	r.Failures = append(r.Failures, o.Failures...)
}

// noHash is the hash of no run at all.
var noHash = strings.Repeat("0", 32)

// joinHashes joins hashes so that their order does not matter: soaks that differ in their shards and workers have one hash.
func joinHashes(a, b string) string {
	x, _ := hex.DecodeString(cmp.Or(a, noHash))
	y, _ := hex.DecodeString(cmp.Or(b, noHash))
	for i := range min(len(x), len(y)) {
		x[i] ^= y[i]
	}
	return hex.EncodeToString(x)
}
