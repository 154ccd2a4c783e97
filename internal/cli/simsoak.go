package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/sysenv"
	"github.com/firn-io/firn/sim"
)

// soakFlags are the flags of firn sim soak.
type soakFlags struct {
	seed                       uint64
	time                       optionalMillis
	runs                       int64
	profiles                   []string
	commits, workers, failures int
	shard, out                 string
	trace                      traceFlags
	// named is how a profile is named on the command line, by its name.
	named map[string]string
}

// simSoakCommand makes many runs.
func (a *app) simSoakCommand() *cobra.Command {
	var f soakFlags
	var given func(string) bool
	c := a.command(cobra.Command{
		Use:   "soak (--for DURATION | --runs N) [--seed S] [--profile P]... [--shard I/N] [--out DIR]",
		Short: "Make many runs of all workloads",
		Long: `Make many runs, with profile, writers, faults, policy and stores drawn from the seed and the number of the run, until the time
is over, or so many runs were made, or --failures of them found something. Without --seed a new one is taken.

For a batch system, --shard I/N makes only every N-th run, from the I-th on, so that N shards make the runs of one soak with
--runs. With --out DIR the result and the traces go into that folder; firn sim report puts the results of several together.`,
		Example: "  firn sim soak --for 1h\n  firn sim soak --seed 7 --runs 10000 --shard 2/8 --out results",
		Args:    words(0, 0),
	}, func(ctx context.Context, _ []string) error { return a.simSoak(ctx, f, given) })
	given = c.Flags().Changed
	flags := c.Flags()
	flags.Uint64Var(&f.seed, "seed", 0, "decides all runs (default: a new one)")
	flags.Var(duration{&f.time}, "for", "how long runs are started, such as 1h")
	flags.Int64Var(&f.runs, "runs", 0, "number of runs, of all shards together")
	flags.StringArrayVar(&f.profiles, "profile", nil, "workload, by name or as a FILE.json (repeatable; default: all named ones)")
	flags.IntVar(&f.commits, "commits", 100, "snapshots after which each run ends")
	flags.IntVar(&f.workers, "workers", 0, "runs at the same time (default: one for each processor)")
	flags.StringVar(&f.shard, "shard", "", "I/N: make every N-th run from the I-th on")
	flags.StringVar(&f.out, "out", "", "folder for the result, and for traces")
	flags.IntVar(&f.failures, "failures", 1, "end when so many runs found something")
	f.trace.add(c)
	a.complete(c, "profile", profileNames())
	return c
}

// config returns what the flags ask for.
func (f *soakFlags) config(given func(string) bool) (sim.SoakConfig, error) {
	switch {
	case !f.time.given && !given("runs"):
		return sim.SoakConfig{}, usagef("firn sim soak takes --for DURATION or --runs N: see firn help sim soak")
	case given("runs") && f.runs < 1, f.commits < 1, f.failures < 1, given("workers") && f.workers < 1:
		return sim.SoakConfig{}, usagef("--runs, --commits, --workers and --failures take numbers from 1")
	case f.time.given && f.time.millis < 1:
		return sim.SoakConfig{}, usagef("--for takes a length of time above 0")
	case f.shard != "" && !given("seed"):
		return sim.SoakConfig{}, usagef("--shard takes --seed too: all shards of a soak have one")
	}
	c := sim.SoakConfig{
		Seed: f.seed, Runs: f.runs, Millis: f.time.millis, NowMillis: sysenv.NowMillis, Commits: f.commits, Workers: f.workers,
		Shard: 1, Shards: 1, Failures: f.failures,
	}
	if !given("seed") {
		c.Seed = uint64(sysenv.NewSnapshotID())
	}
	if f.shard != "" {
		var err error
		if c.Shard, c.Shards, err = parseShard(f.shard); err != nil {
			return c, err
		}
	}
	f.named = make(map[string]string)
	for _, name := range f.profiles {
		p, err := (workloadFlags{profile: name}).workload()
		if err != nil {
			return c, err
		}
		if f.named[p.Name] != "" {
			return c, usagef("two profiles have the name %s", p.Name)
		}
		f.named[p.Name] = name
		c.Profiles = append(c.Profiles, p)
	}
	if err := c.Validate(); err != nil {
		return c, usagef("%w", err)
	}
	return c, nil
}

// parseShard reads I/N.
func parseShard(text string) (shard, shards int, err error) {
	first, second, _ := strings.Cut(text, "/")
	shard, err1 := strconv.Atoi(first)
	shards, err2 := strconv.Atoi(second)
	if err1 != nil || err2 != nil || shard < 1 || shard > shards {
		return 0, 0, usagef("--shard %s: I/N is needed, with I from 1 to N", text)
	}
	return shard, shards, nil
}

func (a *app) simSoak(ctx context.Context, f soakFlags, given func(string) bool) error {
	c, err := f.config(given)
	if err != nil {
		return err
	}
	if f.out != "" && !given("save") {
		f.trace.folder = f.out
	}
	for _, folder := range []traceFlags{f.trace, {folder: f.out}} {
		if folder.folder == "" {
			continue
		}
		if err := folder.prepare(); err != nil {
			return err
		}
	}
	spendMemory()
	start := sysenv.NowMillis()
	line := a.newProgress()
	c.Progress = func(r sim.SoakReport) {
		line.show(func() string { return soakLine(r, sysenv.NowMillis()-start) })
	}
	r, err := sim.Soak(ctx, c)
	line.clear()
	result := soakResult{
		Version: soakVersion, Asked: soakAsked{c.Commits, c.Runs, c.Profiles}, SoakReport: r, DurationMillis: sysenv.NowMillis() - start,
		PeakMemoryBytes: peakMemory(),
	}
	if err != nil && len(r.Failures) == 0 {
		if ctx.Err() != nil && r.Runs > 0 { // what was done until somebody stopped it
			if err := a.printSoak([]soakResult{result}); err != nil {
				return err
			}
		}
		return fmt.Errorf("the soak of seed %d: %w", c.Seed, err)
	}
	for _, failure := range r.Failures {
		run := failure.Report.Trace.Config
		again := workloadFlags{}.again(run, f.named[failure.Profile])
		kept := f.trace.keep(ctx, a, failure.Report, again)
		result.Found = append(result.Found, foundRun{failure.Run, run.Seed, failure.Profile, again, kept.path, failure.Report.Violations})
	}
	if f.out != "" && err == nil {
		if err := result.save(f.out); err != nil {
			return a.unsaved(result, err)
		}
	}
	return a.printSoak([]soakResult{result})
}

// unsaved ends a soak the result of which has no place: what was found still counts, and is printed.
func (a *app) unsaved(result soakResult, err error) error {
	if len(result.Found) == 0 {
		return fmt.Errorf("the result could not be saved: %w", err)
	}
	a.notice("the result could not be saved: %v", err)
	return a.printSoak([]soakResult{result})
}

// soakLine tells how far a soak is.
func soakLine(r sim.SoakReport, millis int64) string {
	return fmt.Sprintf("%d s, %d runs, %d commits, %d attempts, %d failed runs", millis/1000, r.Runs, r.Counts.Commits,
		r.Counts.Attempts, len(r.Failures))
}
