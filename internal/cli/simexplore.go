package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/sysenv"
	"github.com/firn-io/firn/sim"
)

// exploreFlags are the flags of firn sim explore.
type exploreFlags struct {
	only     []string
	full     bool
	bounds   sim.Bounds
	programs bool
	trace    traceFlags
}

// own are the flags that say what to explore instead of a named set.
var ownBounds = []string{"writers", "operations", "faults", "kind"}

// simExploreCommand enumerates all interleavings of small programs.
func (a *app) simExploreCommand() *cobra.Command {
	var f exploreFlags
	var given func(string) bool
	c := a.command(cobra.Command{
		Use:   "explore [--only SET]... [--full] | --writers N --operations N --faults N [--kind K]... [--full]",
		Short: "Enumerate every interleaving of small programs, with faults at every place",
		Long: `Enumerate every interleaving of small programs of two or three writers, and disturb every call of each of them in every way, at
most so many calls of a run. Writers meet only in the catalog, so that orders which nobody can tell apart are looked at once:
runs are those that were looked at, orders all that they stand for. closed_form is how many runs without a fault a program has
by the formula, if all its operations commit.

Without flags the sets a, b and c are explored: three writers with one operation each and a fault, for every multiset of kinds;
two with two and a fault, and three with two and none, for every pair of kinds. With --full tiny programs run without the
reduction too, with a choice before every call, and must have the same outcomes: the sets full-one, full-two and full-fault,
or the bounds that are given.

The kinds are ` + strings.Join(sim.ChangeKinds(), ", ") + `.`,
		Example: "  firn sim explore\n  firn sim explore --full\n  firn sim explore --writers 2 --operations 1 --faults 2 --kind append --kind remove",
		Args:    words(0, 0),
	}, func(ctx context.Context, _ []string) error { return a.simExplore(ctx, f, given) })
	given = c.Flags().Changed
	flags := c.Flags()
	flags.StringArrayVar(&f.only, "only", nil, "a named set (repeatable)")
	flags.BoolVar(&f.full, "full", false, "run without the reduction too, and compare the outcomes")
	flags.IntVar(&f.bounds.Writers, "writers", 2, "writers")
	flags.IntVar(&f.bounds.Operations, "operations", 1, "operations of each writer")
	flags.IntVar(&f.bounds.Faults, "faults", 0, "most disturbed calls of a run, 0 to 2")
	flags.StringArrayVar(&f.bounds.Kinds, "kind", nil, "a kind of change (repeatable; default: all)")
	flags.IntVar(&f.bounds.Workers, "workers", 0, "programs at the same time (default: one for each processor)")
	flags.BoolVar(&f.programs, "programs", false, "print each program")
	f.trace.add(c)
	a.complete(c, "only", setNames())
	a.complete(c, "kind", sim.ChangeKinds())
	return c
}

func setNames() []string {
	var names []string
	for _, b := range sim.ExploreSets() {
		names = append(names, b.Name)
	}
	return names
}

// sets returns what the flags ask for.
func (f *exploreFlags) sets(given func(string) bool) ([]sim.Bounds, error) {
	if slices.ContainsFunc(ownBounds, given) {
		if len(f.only) > 0 {
			return nil, usagef("--only names a set, and --%s are for others", strings.Join(ownBounds, ", --"))
		}
		b := f.bounds
		b.Full = f.full
		if err := b.Validate(); err != nil {
			return nil, usagef("%w", err)
		}
		return []sim.Bounds{b}, nil
	}
	var sets []sim.Bounds
	for _, b := range sim.ExploreSets() {
		if len(f.only) > 0 && !slices.Contains(f.only, b.Name) || len(f.only) == 0 && b.Full != f.full {
			continue
		}
		b.Workers = f.bounds.Workers
		if err := b.Validate(); err != nil {
			return nil, usagef("%w", err)
		}
		sets = append(sets, b)
	}
	for _, name := range f.only {
		if !slices.Contains(setNames(), name) {
			return nil, usagef("there is no set %q: want one of %s", name, strings.Join(setNames(), ", "))
		}
	}
	return sets, nil
}

func (a *app) simExplore(ctx context.Context, f exploreFlags, given func(string) bool) error {
	sets, err := f.sets(given)
	if err != nil {
		return err
	}
	if err := f.trace.prepare(); err != nil {
		return err
	}
	var out *table
	violations := 0
	for _, b := range sets {
		start := sysenv.NowMillis()
		line := a.newProgress()
		b.Progress = func(done, total int) {
			line.show(func() string { return fmt.Sprintf("%s: %d of %d programs", setName(b), done, total) })
		}
		r, err := sim.Explore(ctx, b)
		line.clear()
		if err != nil {
			return err
		}
		if out == nil {
			out = a.newTable(true, exploreColumns(f.programs)...)
		}
		f.rows(out, r, sysenv.NowMillis()-start)
		violations += len(r.Violations)
		for _, v := range r.Violations[:min(len(r.Violations), 1)] { // the others are mostly the same
			found := sim.Report{Trace: v.Trace, Violations: []sim.Violation{v.Violation}}
			kept := f.trace.keep(ctx, a, found, "")
			a.explainFound(kept, found)
		}
	}
	if err := out.end(); err != nil || violations == 0 {
		return err
	}
	return errFindings
}

// setName names a set in messages.
func setName(b sim.Bounds) string {
	if b.Name != "" {
		return b.Name
	}
	return fmt.Sprintf("%dx%dx%d", b.Writers, b.Operations, b.Faults)
}

func exploreColumns(programs bool) []string {
	columns := []string{"set", "writers", "operations", "faults"}
	if programs {
		columns = append(columns, "program")
	} else {
		columns = append(columns, "programs")
	}
	columns = append(columns, "runs", "undisturbed", "closed_form", "places", "orders", "states", "executions", "full_runs")
	if programs {
		return append(columns, "outcomes", "violations")
	}
	return append(columns, "violations", "duration_ms", "peak_memory_bytes")
}

// rows prints a set, or its programs.
func (f *exploreFlags) rows(out *table, r sim.ExploreReport, millis int64) {
	b := r.Bounds
	head := []cell{textCell(setName(b)), numberCell(int64(b.Writers)), numberCell(int64(b.Operations)), numberCell(int64(b.Faults))}
	if !f.programs {
		out.row(append(head, numberCell(r.Programs), numberCell(r.Runs), numberCell(r.Undisturbed), textCell(r.ClosedForm),
			numberCell(r.Places), numberCell(r.Orders), numberCell(r.States), numberCell(r.Executions), numberCell(r.FullRuns),
			numberCell(int64(len(r.Violations))), numberCell(millis), numberCell(peakMemory()))...)
		return
	}
	for _, p := range r.PerProgram {
		out.row(append(slices.Clone(head), textCell(strings.Join(p.Program, ", ")), numberCell(p.Runs), numberCell(p.Undisturbed),
			textCell(p.ClosedForm), numberCell(p.Places), numberCell(p.Orders), numberCell(p.States), numberCell(p.Executions),
			numberCell(p.FullRuns), numberCell(p.Outcomes), numberCell(int64(len(p.Violations))))...)
	}
}
