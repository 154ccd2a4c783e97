// Package compare puts policies side by side: it runs each over the same workloads and measures what commits write and what scans read
// ([report.Comparison]). docs/compare.md says what is measured, and how.
package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/sim/report"
)

// Model says how a table is kept.
type Model string

// The models.
const (
	// Counting keeps numbers alone (see [count.Table]): for up to a hundred million files.
	Counting Model = "counting"
	// Simulator commits to a table in memory, whose manifests are kept as values and sized by formulas: for up to a million files.
	Simulator Model = "simulator"
	// Parquet commits to a table in memory whose manifests are real: for up to a hundred thousand files.
	Parquet Model = "parquet"
)

// Models lists the models.
func Models() []Model { return []Model{Counting, Simulator, Parquet} }

// DefaultRequestBytes is how many bytes a PUT counts: what it costs to keep them for five days, which is how long Iceberg keeps a
// snapshot, at the prices of S3 Standard of 0.005 dollars for a thousand PUTs and 0.023 dollars for a gigabyte and month. That is
// 1.3 MB. A GET is a twelfth of a PUT.
const DefaultRequestBytes = 1_300_000

// getShare is how many GETs cost what a PUT does.
const getShare = 12.5

// Config says what to compare. Zero fields are the defaults that their comments give, but for Workloads and Policies, which must be
// there.
type Config struct {
	Model     Model // counting
	Workloads []Workload
	Policies  []Choice
	// Columns are the table's columns with statistics; none is 0.
	Columns int
	// Pace is how many commits of writers come before each chance of maintenance; 0 is never.
	Pace int64
	// Commits are those of writers, 10,000; a trace may end sooner.
	Commits int64
	Seed    uint64
	// Window is how many snapshots are retained; 1,000.
	Window int
	// Partitions are those of the table; 100.
	Partitions int64
	// RequestBytes is how many bytes a PUT counts; [DefaultRequestBytes].
	RequestBytes int64
	// Workers is how many runs are made at a time; one for each processor.
	Workers int
	// Progress, if it is not nil, is told how many of how many runs are done. It may be called by several goroutines.
	Progress func(done, all int)
}

// The limits of a Config.
const (
	mostCommits    = 100_000_000
	mostColumns    = 100
	mostWindow     = 1_000_000
	mostPartitions = 1_000_000
)

func (c Config) withDefaults() Config {
	if c.Model == "" {
		c.Model = Counting
	}
	for _, n := range []struct {
		value     *int64
		otherwise int64
	}{{&c.Commits, 10_000}, {&c.Partitions, 100}, {&c.RequestBytes, DefaultRequestBytes}} {
		if *n.value == 0 {
			*n.value = n.otherwise
		}
	}
	if c.Window == 0 {
		c.Window = 1000
	}
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	return c
}

// Validate returns all that is wrong with a Config.
func (c Config) Validate() error {
	c = c.withDefaults()
	var problems []error
	wrong := func(is bool, format string, args ...any) {
		if is {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	wrong(!slices.Contains(Models(), c.Model), "there is no model %q", c.Model)
	wrong(len(c.Workloads) == 0, "no workload is chosen")
	wrong(len(c.Policies) == 0, "no policy is chosen")
	wrong(c.Columns < 0 || c.Columns > mostColumns, "%d columns: want 0 to %d", c.Columns, mostColumns)
	wrong(c.Pace < 0, "a pace of %d: want 0 or more commits", c.Pace)
	wrong(c.Commits < 1 || c.Commits > mostCommits, "%d commits: want 1 to %d", c.Commits, mostCommits)
	wrong(c.Window < 1 || c.Window > mostWindow, "%d retained snapshots: want 1 to %d", c.Window, mostWindow)
	wrong(c.Partitions < 1 || c.Partitions > mostPartitions, "%d partitions: want 1 to %d", c.Partitions, mostPartitions)
	wrong(c.RequestBytes < 0, "a request of %d bytes", c.RequestBytes)
	seen := make(map[string]bool)
	for _, w := range c.Workloads {
		wrong(seen[w.Name], "the workload %q is chosen twice", w.Name)
		seen[w.Name] = true
	}
	clear(seen)
	for _, p := range c.Policies {
		wrong(seen[p.Name], "the policy %q is chosen twice", p.Name)
		wrong(p.Peer != nil && c.Model != Counting, "%s is known to the model %s alone", p.Name, Counting)
		seen[p.Name] = true
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	for _, w := range c.Workloads {
		wrong(len(w.policies(c.Policies)) == 0, "no policy can be run on the workload %q: what version 3 writes is known of appends alone", w.Name)
		most := mostModelled[c.Model]
		wrong(c.grows(w, most), "the workload %q has more than %d files, the most of the model %s", w.Name, most, c.Model)
	}
	return errors.Join(problems...)
}

// mostModelled is how many live files a table has at most.
var mostModelled = map[Model]int64{Counting: 100_000_000, Simulator: 1_000_000, Parquet: 100_000}

// grows reports whether a table comes to have more files than that.
func (c Config) grows(w Workload, most int64) bool {
	next, live := w.Start(c.Seed, c.Commits), int64(0)
	for change, more := next(); more; change, more = next() {
		if live = max(0, live-change.Removed) + change.Added; live > most {
			return true
		}
	}
	return false
}

// Run makes a comparison. The same Config gives the same one, whatever its workers.
func Run(ctx context.Context, c Config) (report.Comparison, error) {
	if err := c.Validate(); err != nil {
		return report.Comparison{}, fmt.Errorf("compare: %w", err)
	}
	c = c.withDefaults()
	out := report.Comparison{
		Model: string(c.Model), Columns: c.Columns, Pace: c.Pace, Seed: c.Seed, RequestBytes: c.RequestBytes,
		RootFixedBytes: policy.EstimatePrices(c.Columns).RootFixedBytes,
	}
	var jobs []func() error
	for _, w := range c.Workloads {
		bounds, err := c.bounds(w)
		if err != nil {
			return report.Comparison{}, err
		}
		out.Workloads = append(out.Workloads, report.Workload{
			Name: w.Name, About: w.About, Bound: bounds.points,
		})
		policies := w.policies(c.Policies)
		results := make([]report.Result, len(policies))
		out.Workloads[len(out.Workloads)-1].Policies = results
		for i, p := range policies {
			own := bounds
			if p.Peer != nil {
				own.beyond = 0 // its list is no root
			}
			jobs = append(jobs, func() (err error) {
				results[i], err = c.measure(ctx, w, p, own)
				return err
			})
		}
	}
	return out, c.each(ctx, jobs)
}

// each does all jobs, some at a time.
func (c Config) each(ctx context.Context, jobs []func() error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	var next, done atomic.Int64
	for range min(c.Workers, len(jobs)) {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(jobs)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if err := jobs[i](); err != nil {
					cancel(err)
					return
				}
				if n := done.Add(1); c.Progress != nil {
					c.Progress(int(n), len(jobs))
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// Choice is a policy with its settings, or a peer.
type Choice struct {
	Name   string
	Policy policy.Policy
	// Settings are those that were given, as properties of a table.
	Settings map[string]string
	// Peer, if it is not nil, stands for the policy: another way to keep a table, of which only what appends write is known. It is left
	// out of workloads that do more.
	Peer func(columns int) Peer
}

// settingsOf are the properties that a policy reads, without the prefix of all.
func settingsOf(name string) []string {
	var keys []string
	d, _ := choose.Describe(name)
	for _, s := range d.Settings {
		keys = append(keys, strings.TrimPrefix(s.Property, choose.PropertyPolicy+"."))
	}
	return keys
}

// Choose reads a choice: the name of a policy, and settings without their prefix, as in "tiered:batch=14:ratio=2".
func Choose(text string) (Choice, error) {
	name, rest, more := strings.Cut(text, ":")
	if peer, ok := peers[name]; ok {
		if more {
			return Choice{}, fmt.Errorf("%s has no settings", name)
		}
		return Choice{Name: text, Peer: peer}, nil
	}
	c := Choice{Name: text}
	properties := map[string]string{choose.PropertyPolicy: name}
	var problems []error
	if !slices.Contains(choose.Names(), name) {
		problems = append(problems, fmt.Errorf("there is no policy %q: want one of %s", name, strings.Join(append(choose.Names(), PeerNames()...), ", ")))
	}
	for setting := range strings.SplitSeq(rest, ":") {
		if !more {
			break
		}
		key, value, found := strings.Cut(setting, "=")
		if !found || !slices.Contains(settingsOf(name), key) {
			problems = append(problems, fmt.Errorf("policy %s: %q is no setting: want KEY=VALUE, of %s", name, setting,
				cmp.Or(strings.Join(settingsOf(name), ", "), "which it has none")))
			continue
		}
		if c.Settings == nil {
			c.Settings = make(map[string]string)
		}
		key = choose.PropertyPolicy + "." + key
		if _, twice := c.Settings[key]; twice {
			problems = append(problems, fmt.Errorf("policy %s: the setting %q comes twice", name, setting))
		}
		c.Settings[key], properties[key] = value, value
	}
	if len(problems) > 0 {
		return Choice{}, errors.Join(problems...)
	}
	var err error
	c.Policy, err = choose.ForTable(properties)
	return c, err
}
