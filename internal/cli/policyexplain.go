package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/advise"
	"github.com/firn-io/firn/policy/choose"
	counting "github.com/firn-io/firn/policy/count"
)

// explainFlags are the flags of firn policy explain.
type explainFlags struct {
	files, commits, columns, every wholeNumber
	properties                     []string
	branch                         string
}

// The table that firn policy explain counts if nobody says another.
const (
	explainedFiles   = 10
	explainedCommits = 10_000
	explainedColumns = 20
)

// mostNewFiles bounds the files of the commit of which a plan is made.
const mostNewFiles = 1_000_000

// policyExplainCommand tells what a policy does.
func (a *app) policyExplainCommand() *cobra.Command {
	f := explainFlags{
		files: wholeNumber{name: "files-per-commit", least: 1}, commits: wholeNumber{name: "commits", least: 1},
		columns: wholeNumber{name: "columns"}, every: wholeNumber{name: "maintenance-every"},
	}
	c := a.command(cobra.Command{
		Use:   "explain POLICY [TABLE] [--files-per-commit K] [--commits T] [--columns C] [--maintenance-every N] [--property K=V]...",
		Short: "Tell what a policy does and costs, or what it would do with a table now",
		Long: `Tell what a policy does, its settings, and what it costs a table that grows from nothing: T commits of K files with statistics
of C columns, with a chance of maintenance after every N commits (0 for never), counted by what manifests take. Bytes are
those of roots and leaves; beyond_fixed_bytes leaves out the fixed price of the roots, and lower_bound_bytes is what no policy
goes below then. plan_bytes is what a plan reads at the end that needs every file.

With a TABLE tell what the policy would do with it: in the next commit, of K files, and in a maintenance commit, a line for
each step. term is what decided: rent is what rows and pointers cost in every root, masks what masked rows do, in roots and in
plans, scans what plans of one partition read of leaves with many; root-limit and rule explain themselves. paid_bytes is
written once, saved_bytes is what every root from then on is smaller, and pays_after_commits the number of roots after which
the one has paid for the other. A line thin is for pointers that lose statistics, so that the root stays below its limit.
Where nothing is done, a line stays has these figures for a leaf of all loose files. Sizes of roots are estimates, in
proportion to the root as it is. Nothing is written.

Without --files-per-commit a table is taken to go on as its snapshots say, else K is 10, T 10000, C 20 and N 1.`,
		Example: "  firn policy explain adaptive --files-per-commit 100 --columns 50\n  firn policy explain tiered demo.events --property firn.policy.batch=5",
		Args:    words(1, 2), ValidArgsFunction: policyWords,
	}, func(ctx context.Context, args []string) error { return a.policyExplain(ctx, args, f) })
	for _, flag := range []struct {
		n     *wholeNumber
		usage string
	}{
		{&f.files, "files that each commit adds"}, {&f.commits, "commits of a table that grows from nothing"},
		{&f.columns, "columns with statistics"}, {&f.every, "commits from one chance of maintenance to the next, 0 for never"},
	} {
		c.Flags().Var(flag.n, flag.n.name, flag.usage)
	}
	c.Flags().StringArrayVar(&f.properties, "property", nil, "setting of the policy KEY=VALUE (repeatable)")
	c.Flags().StringVar(&f.branch, "branch", metadata.MainBranch, "branch of the table")
	return c
}

func (a *app) policyExplain(ctx context.Context, args []string, f explainFlags) error {
	d, err := described(args[0])
	if err != nil {
		return err
	}
	if len(args) > 1 {
		return a.explainTable(ctx, d, args[1], f)
	}
	if f.branch != metadata.MainBranch {
		return usagef("--branch is for a table, and none is given")
	}
	p, properties, err := tuned(d, nil, f.properties)
	if err != nil {
		return err
	}
	g, err := f.growth()
	if err != nil {
		return err
	}
	figures, err := a.growthFigures(ctx, p, g)
	if err != nil {
		return err
	}
	if a.format != formatText {
		return a.printFigures(append([]figure{
			{"policy", textCell(d.Name)}, {"summary", textCell(d.Summary)}, {"does", textCell(d.Does)}, {"good_for", textCell(d.For)},
			{"settings", settingsCell(d, properties)},
		}, figures...))
	}
	fmt.Fprintf(a.out, "%s: %s\n\n%s\n\nGood for %s.\n\n", d.Name, d.Summary, d.Does, d.For)
	if len(d.Settings) > 0 {
		t := a.newTable(true, "setting", "default", "set", "unit", "meaning")
		for _, s := range d.Settings {
			t.row(textCell(s.Property), numberCell(s.Default), nonEmpty(properties[s.Property]), textCell(s.Unit), textCell(s.Meaning))
		}
		if err := t.end(); err != nil {
			return err
		}
		a.out.WriteByte('\n')
	}
	return a.printFigures(figures)
}

// growth is a table that grows from nothing.
type growth struct{ files, commits, columns, every int64 }

// growth returns what the flags say, or all that is wrong with them.
func (f *explainFlags) growth() (growth, error) {
	g := growth{explainedFiles, explainedCommits, explainedColumns, 1}
	var wrong []error
	for _, flag := range []struct {
		n  wholeNumber
		to *int64
	}{{f.files, &g.files}, {f.commits, &g.commits}, {f.columns, &g.columns}, {f.every, &g.every}} {
		if flag.n.text == "" {
			continue
		}
		v, err := flag.n.value()
		*flag.to = v
		wrong = append(wrong, err)
	}
	const most, mostColumns = 1_000_000_000, 10_000
	if g.columns > mostColumns {
		wrong = append(wrong, fmt.Errorf("--%s takes at most %d, not %d", f.columns.name, mostColumns, g.columns))
	}
	if g.files > most || g.commits > most || g.files*g.commits > most {
		wrong = append(wrong, fmt.Errorf("--%s times --%s is at most %d files, not %d times %d", f.files.name, f.commits.name, most, g.files, g.commits))
	}
	if err := errors.Join(wrong...); err != nil {
		return g, usagef("%w", err)
	}
	return g, nil
}

// growthFigures counts a table that grows from nothing.
func (a *app) growthFigures(ctx context.Context, p policy.Policy, g growth) ([]figure, error) {
	prices := policy.EstimatePrices(int(g.columns)).Thinned(0)
	r, err := advise.NewReplay(p, prices, advise.Start{})
	if err != nil {
		return nil, err
	}
	line := a.newProgress()
	defer line.clear()
	for i := int64(1); i <= g.commits; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		line.show(func() string { return fmt.Sprintf("%d of %d commits", i, g.commits) })
		if err := r.Commit(counting.Change{Added: g.files}); err != nil {
			return nil, err
		}
		if g.every > 0 && i%g.every == 0 && r.Due() {
			if err := r.Maintain(); err != nil {
				return nil, err
			}
		}
	}
	line.clear()
	bound, note, times := nullCell, nullCell, nullCell
	o := r.Outcome()
	beyond := o.Bytes() - (o.Commits+o.Maintenance)*prices.RootFixedBytes
	switch least, err := a.programBytes(ctx, counting.Bound(g.files, prices, g.commits), g.commits); {
	case err == nil:
		bound, times = numberCell(perCommit(least, g.commits)), hundredthsCell(beyond, least)
	case errors.As(err, new(*tooLongError)):
		note = textCell("no bound: " + withoutPackages(err.Error()))
	default:
		return nil, err
	}
	return []figure{
		{"files_per_commit", numberCell(g.files)}, {"commits", numberCell(g.commits)}, {"columns", numberCell(g.columns)},
		{"maintenance_every", numberCell(g.every)},
		{"root_fixed_bytes", numberCell(prices.RootFixedBytes)}, {"loose_bytes", numberCell(prices.LooseBytes)},
		{"pointer_bytes", numberCell(prices.PointerBytes)}, {"leaf_fixed_bytes", numberCell(prices.LeafFixedBytes)},
		{"leaf_entry_bytes", numberCell(prices.LeafEntryBytes)},
		{"bytes_per_commit", numberCell(perCommit(o.Bytes(), g.commits))}, {"root_bytes_per_commit", numberCell(perCommit(o.RootBytes, g.commits))},
		{"leaf_bytes_per_commit", numberCell(perCommit(o.LeafBytes, g.commits))},
		{"beyond_fixed_bytes", numberCell(perCommit(beyond, g.commits))}, {"lower_bound_bytes", bound}, {"times_lower_bound", times},
		{"objects_per_commit", hundredthsCell(o.Objects(), g.commits)}, {"maintenance_commits", numberCell(o.Maintenance)},
		{"largest_root_bytes", numberCell(o.LargestRootBytes)}, {"most_rewritten_bytes", numberCell(o.MostRewrittenBytes)},
		{"leaves", numberCell(o.EndLeaves)}, {"plan_bytes", numberCell(o.ScanBytes())}, {"note", note},
	}, nil
}

// explainTable tells what a policy would do with a table.
func (a *app) explainTable(ctx context.Context, d choose.Description, name string, f explainFlags) error {
	for _, n := range []wholeNumber{f.commits, f.columns, f.every} {
		if n.text != "" {
			return usagef("--%s is for a table that grows from nothing: %s is what it is", n.name, name)
		}
	}
	files := int64(0)
	if f.files.text != "" {
		var err error
		if files, err = f.files.value(); err != nil {
			return usagef("%w", err)
		}
	}
	t, err := a.table(ctx, name)
	if err != nil {
		return err
	}
	_, m, err := t.Metadata(ctx)
	if err != nil {
		return err
	}
	p, _, err := tuned(d, m.Properties, f.properties)
	if err != nil {
		return err
	}
	q, err := ask(ctx, openTable(t), commit.TxnOptions{Branch: f.branch, Policy: p})
	if err != nil {
		return hinted(ctx, t, t.Blame(ctx, err))
	}
	if files == 0 {
		files = advise.FilesPerCommit(q.input.History)
	}
	if files > mostNewFiles {
		return usagef("--files-per-commit: a plan is made for at most %d files, not %d", mostNewFiles, files)
	}
	return a.printForecast(q, p, files)
}

// printForecast prints the plans of the next commit and of a maintenance commit.
func (a *app) printForecast(q asked, p policy.Policy, files int64) error {
	columns := planColumns
	if a.format == formatText {
		columns = planTextColumns
	}
	out := a.newTable(true, append([]string{"commit"}, columns...)...)
	for _, c := range []struct {
		name  string
		mode  policy.Mode
		files int64
	}{{"next", policy.Foreground, files}, {"maintenance", policy.Maintenance, 0}} {
		e, err := q.explain(p, c.mode, c.files)
		if err != nil {
			return err
		}
		if c.mode == policy.Foreground {
			out.row(append([]cell{textCell("now")}, a.otherCells(wordNothing, "", e.Now, e.Now)...)...)
		}
		rows := a.planRows(e)
		switch {
		case len(rows) > 0:
		case e.Stays.Rows > 0:
			rows = append(rows, a.staysCells(e))
		default:
			rows = append(rows, a.otherCells(wordNothing, "no file is loose, and the policy leaves the leaves alone", e.Now, e.After))
		}
		for _, row := range rows {
			out.row(append([]cell{textCell(c.name)}, row...)...)
		}
	}
	return out.end()
}

// staysCells are those of loose files that stay so: what a leaf of them would cost.
func (a *app) staysCells(e advise.Explanation) []cell {
	l := e.Stays
	l.Before = e.Now
	l.Reason = "a leaf of all loose files would make no root smaller"
	if n, pays := l.PaysAfter(); pays {
		l.Reason = fmt.Sprintf("a leaf of all loose files would pay after %s", count(int(n), "root", "roots"))
	}
	cells := a.stepCells(l)
	cells[0] = textCell(wordStays)
	cells[1] = cells[2] // the files are not listed
	return cells
}
