package cli

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/sysenv"
	"github.com/firn-io/firn/sim"
)

// simRunCommand makes one run.
func (a *app) simRunCommand() *cobra.Command {
	f := newSimFlags()
	every := 0
	var given func(string) bool
	c := a.command(cobra.Command{
		Use:   "run [--seed S] [--writers W] [--commits N] [--profile P] [--policy Q] [--faults RATE]",
		Short: "Make one run, decided by its seed",
		Long: `Make one run: writers start programs that the profile draws, a scheduler lets them go on call by call, and --faults says how
many of their steps are disturbed. The run ends after --commits snapshots, with checks of the whole history, or with the first
action after which something is wrong.`,
		Example: "  firn sim run --seed 7 --profile adversarial --writers 10 --faults 0.2",
		Args:    words(0, 0),
	}, func(ctx context.Context, _ []string) error { return a.simRun(ctx, f, every, given) })
	given = c.Flags().Changed
	f.add(a, c)
	c.Flags().IntVar(&every, "every", 0, "print a line on standard error after each so many commits: of a long run, how it goes")
	return c
}

func (a *app) simRun(ctx context.Context, f simFlags, every int, given func(string) bool) error {
	if every < 0 {
		return usagef("--every takes a number from 0, not %d", every)
	}
	c, err := f.config(given)
	if err != nil {
		return err
	}
	if err := f.trace.prepare(); err != nil {
		return err
	}
	spendMemory()
	start := sysenv.NowMillis()
	line, log := a.newProgress(), stages{every: int64(every), now: start}
	r, err := sim.Watch(ctx, c, func(w *sim.World, _ sim.Action) error {
		if text := log.next(w, sysenv.NowMillis); text != "" {
			line.clear()
			a.notice("%s", text)
		}
		line.show(func() string {
			counts := w.Counts()
			return fmt.Sprintf("%d of %d commits, %d attempts", counts.Commits, c.Commits, counts.Attempts)
		})
		return nil
	})
	line.clear()
	if err != nil {
		return err
	}
	found := f.trace.keep(ctx, a, r, f.again(c, f.profile))
	return a.printRun(r, found, sysenv.NowMillis()-start)
}

// stages tell how a long run goes.
type stages struct {
	every int64
	// done are the commits of the stages that are over, and now is when the last one ended.
	done, now int64
}

// next returns a line when a stage is over: how fast it was, what memory is in use, and how large the table is.
func (s *stages) next(w *sim.World, nowMillis func() int64) string {
	if s.every == 0 || w.Commits() < s.done+s.every {
		return ""
	}
	commits, now := w.Commits(), nowMillis()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	size := w.Size()
	text := fmt.Sprintf("%d commits, %d a second, %d MiB in use; %d files in %d leaves, %d snapshots, %d objects, root of at most %d bytes",
		commits, (commits-s.done)*1000/max(now-s.now, 1), m.HeapAlloc>>20, size.Files, size.Leaves, size.Snapshots, size.Objects, size.Largest.RootBytes)
	s.done, s.now = commits, now
	return text
}

// printRun prints what a run did and found.
func (a *app) printRun(r sim.Report, f found, millis int64) error {
	c := r.Trace.Config
	figures := []figure{
		{"seed", unsignedCell(r.Seed)}, {"profile", textCell(c.Profile.Name)}, {"writers", numberCell(int64(c.Writers))},
		{"commits", numberCell(r.Counts.Commits)}, {"attempts", numberCell(r.Counts.Attempts)},
		{"actions", numberCell(int64(r.Actions))}, {"violations", numberCell(int64(len(r.Violations)))},
		{"trace_hash", textCell(r.TraceHash)},
	}
	figures = append(figures, largestFigures(r.Largest)...)
	figures = append(figures, speedFigures(r.Counts, millis, peakMemory())...)
	figures = append(figures, countFigures(r.Counts)...)
	figures = append(figures, figure{"findings", findingsCell(r.Violations)}, figure{"trace", nonEmpty(f.path)})
	if err := a.printFigures(figures); err != nil {
		return err
	}
	if len(r.Violations) == 0 {
		return nil
	}
	a.explainFound(f, r)
	return errFindings
}

// explainFound tells people what was found and how they get there again.
func (a *app) explainFound(f found, r sim.Report) {
	if a.format != formatText {
		return
	}
	fmt.Fprintln(a.out)
	for _, v := range r.Violations {
		fmt.Fprintln(a.out, printable(v.String()))
	}
	if f.again != "" {
		fmt.Fprintln(a.out, "again:", f.again)
	}
	if f.path != "" {
		fmt.Fprintf(a.out, "trace of %s: firn sim replay %s\n", count(f.actions, "action", "actions"), shellWord(f.path))
	}
}
