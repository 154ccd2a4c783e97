package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/sysenv"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/sim/compare"
)

// compareFlags are the flags of firn sim compare.
type compareFlags struct {
	workloads, policies                                              []string
	files, commits, columns, pace, window, partitions, request, seed wholeNumber
	model                                                            string
	forms                                                            compareForms
}

// simCompareCommand puts policies side by side.
func (a *app) simCompareCommand() *cobra.Command {
	number := func(name string, least, value int64) wholeNumber {
		return wholeNumber{name: name, least: least, text: strconv.FormatInt(value, 10)}
	}
	f := compareFlags{
		files: number("files-per-commit", 1, 10), commits: number("commits", 1, 10_000), columns: number("columns", 0, 20),
		pace: number("pace", 0, 1), window: number("retain", 1, 1000), partitions: number("partitions", 1, 100),
		request: number("request-bytes", 1, compare.DefaultRequestBytes), seed: number("seed", 0, 1), model: string(compare.Counting),
	}
	var models []string
	for _, m := range compare.Models() {
		models = append(models, string(m))
	}
	c := a.command(cobra.Command{
		Use:   "compare [--workload W,...] [--policy P,...] [--files-per-commit K] [--commits T] [--columns C] [--pace N]",
		Short: "Put policies side by side: what commits write, and what scans read",
		Long: `Put policies side by side: run each over the same workloads, and measure bytes, objects and requests of commits, the root, the bytes
that snapshots retain, the leaves that scans open, retries, and how all of that grows with the table. docs/compare.md says how.

A workload is one of ` + strings.Join(compare.WorkloadNames(), ", ") + `, or a file with the commits of a real table: a list in JSON of
{"added": 10, "removed": 0, "modified": 3}, or such columns as .csv; added, removed and modified are numbers of data files.

A policy is one of ` + strings.Join(choose.Names(), ", ") + `, with settings after colons: tiered:batch=40:ratio=10. Where
files are only appended, also ` + strings.Join(compare.PeerNames(), " and ") + `: what format version 3 writes.
Without --policy all are compared, and adaptive once more that is told what a PUT counts: by itself it goes by bytes.

The counting model keeps numbers alone, for up to a hundred million files. The simulator commits to a table in memory and estimates
the length of its manifests, for up to a million; with parquet the manifests are real, for up to a hundred thousand.

The exit code is 1 if a policy could not go on.`,
		Example: "  firn sim compare\n  firn sim compare --workload cdc --policy adaptive,tiered --commits 100000 --output json\n" +
			"  firn sim compare --workload ./orders.json --policy adaptive,tiered:batch=40:ratio=10",
		Args: words(0, 0),
	}, func(ctx context.Context, _ []string) error { return a.simCompare(ctx, &f) })
	flags := c.Flags()
	flags.StringSliceVar(&f.workloads, "workload", []string{"stream", "cdc", "mixed"}, "workloads, by name or as files of commits")
	flags.StringSliceVar(&f.policies, "policy", nil, "policies, by name, with settings after colons (default: all, and adaptive told what a PUT counts)")
	flags.Var(choice[string]{&f.model, models}, "model", "how tables are kept")
	for _, flag := range []struct {
		n     *wholeNumber
		usage string
	}{
		{&f.files, "data files that a commit adds"}, {&f.commits, "commits of writers"}, {&f.columns, "columns with statistics"},
		{&f.pace, "commits of writers before each chance of maintenance; 0 is never"}, {&f.window, "snapshots that are retained"},
		{&f.partitions, "partitions of the table"}, {&f.request, "bytes that a PUT counts as, where one figure is made of bytes and requests"},
		{&f.seed, "decides which files are removed and modified"},
	} {
		flags.Var(flag.n, flag.n.name, flag.usage)
	}
	f.forms.add(c)
	a.complete(c, "workload", compare.WorkloadNames())
	a.complete(c, "model", models)
	a.complete(c, "policy", append(choose.Names(), compare.PeerNames()...))
	return c
}

// config returns what the flags ask for, or all that is wrong with them.
func (f *compareFlags) config() (compare.Config, error) {
	var c compare.Config
	var wrong problems
	var columns, window, seed, files int64
	for _, flag := range []struct {
		n  *wholeNumber
		to *int64
	}{
		{&f.files, &files}, {&f.commits, &c.Commits}, {&f.columns, &columns}, {&f.pace, &c.Pace}, {&f.window, &window},
		{&f.partitions, &c.Partitions}, {&f.request, &c.RequestBytes}, {&f.seed, &seed},
	} {
		v, err := flag.n.value()
		*flag.to = v
		if err != nil {
			wrong = append(wrong, usagef("%w", err))
		}
	}
	for _, name := range f.workloads {
		w, err := workloadNamed(name, max(1, files))
		c.Workloads = append(c.Workloads, w)
		if err != nil {
			wrong = append(wrong, err)
		}
	}
	policies := f.policies
	if len(policies) == 0 {
		policies = choose.Names()
		if told := fmt.Sprintf("%s:request-bytes=%d", choose.Default, c.RequestBytes); c.RequestBytes > 1 {
			policies = append(policies, told)
		}
	}
	for _, text := range policies {
		p, err := compare.Choose(text)
		c.Policies = append(c.Policies, p)
		if err != nil {
			wrong = append(wrong, usagef("%w", err))
		}
	}
	c.Model, c.Columns, c.Window, c.Seed = compare.Model(f.model), int(columns), int(window), uint64(seed)
	if len(wrong) == 0 {
		if err := c.Validate(); err != nil {
			wrong = append(wrong, usagef("%w", err))
		}
	}
	if err := f.forms.check(); err != nil {
		wrong = append(wrong, err)
	}
	if len(wrong) > 0 {
		return c, wrong
	}
	return c, nil
}

// workloadNamed returns a workload by its name, or by the path of a file of commits.
func workloadNamed(name string, files int64) (compare.Workload, error) {
	if !strings.ContainsAny(name, "./\\") {
		w, err := compare.WorkloadByName(name, files)
		if err != nil {
			err = usagef("%w", err)
		}
		return w, err
	}
	base := filepath.Base(name)
	none := compare.Workload{Name: cmp.Or(strings.TrimSuffix(base, filepath.Ext(base)), base)}
	file, err := os.Open(name)
	if err != nil {
		return none, err
	}
	defer file.Close()
	trace, err := compare.ReadTrace(file)
	if isAny[*fs.PathError](err) { // the file could not be read, whatever it holds
		return none, err
	} else if err != nil {
		return none, fmt.Errorf("%s: %w: %w", name, errMalformed, err)
	}
	return compare.OfTrace(none.Name, trace), nil
}

func (a *app) simCompare(ctx context.Context, f *compareFlags) error {
	c, err := f.config()
	if err != nil {
		return err
	}
	if c.Model == compare.Counting {
		spendMemory()
	}
	start, line, mu := sysenv.NowMillis(), a.newProgress(), sync.Mutex{}
	c.Progress = func(done, all int) {
		mu.Lock()
		defer mu.Unlock()
		line.show(func() string { return fmt.Sprintf("%d s, %d of %d runs", (sysenv.NowMillis()-start)/1000, done, all) })
	}
	comparison, err := compare.Run(ctx, c)
	line.clear()
	if err != nil {
		return err
	}
	saved := f.forms.save(comparison)
	if err := a.printComparison(comparison); err != nil {
		return err
	}
	var failed error
	for _, w := range comparison.Workloads {
		for _, r := range w.Policies {
			if r.Problem != "" {
				failed = errFindings
				a.notice("%s, %s: %s", w.Name, r.Policy, r.Problem)
			}
		}
	}
	if saved != nil {
		return errors.Join(failed, fmt.Errorf("the report could not be saved: %w", saved))
	}
	return failed
}
