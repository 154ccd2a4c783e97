package cli

import (
	"context"

	"github.com/apache/iceberg-go"
	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/maintain"
)

// orphansFlags are the flags of firn orphans.
type orphansFlags struct {
	olderThan                     optionalMillis
	delete, force, keepMismatched bool
}

// orphansCommand finds files that nothing reaches.
func (a *app) orphansCommand() *cobra.Command {
	f := orphansFlags{olderThan: optionalMillis{given: true, millis: maintain.DefaultOrphanAgeMillis}}
	c := a.command(cobra.Command{
		Use:     "orphans TABLE [--older-than 72h] [--delete] [--force]",
		Short:   "Find files below a table that nothing reaches, and delete them",
		GroupID: groupWrite,
		Long: `List the files below the table's location that no retained snapshot, branch, tag or metadata file reaches, as crashed
writers leave them behind. With --delete they are deleted; without it they are due.

The age must be longer than any commit takes: what a commit that is under way has written is not reached yet. An age of 0 is
for a table to which nobody writes, and needs --force. Files whose names differ from one that is reached in scheme or bucket
alone stop the run, code 3, unless --keep-mismatched leaves them alone.`,
		Example: "  firn orphans demo.events\n  firn orphans demo.events --older-than 7d --delete",
		Args:    words(1, 1),
	}, func(ctx context.Context, args []string) error { return a.orphans(ctx, args[0], f) })
	flags := c.Flags()
	flags.Var(duration{&f.olderThan}, "older-than", "age that a file must have, such as 72h or 7d")
	flags.BoolVar(&f.delete, "delete", false, "delete them")
	flags.BoolVar(&f.force, "force", false, "allow an age of 0")
	flags.BoolVar(&f.keepMismatched, "keep-mismatched", false, "leave files alone that may be reached under another spelling")
	return c
}

func (a *app) orphans(ctx context.Context, name string, f orphansFlags) error {
	if f.olderThan.millis == 0 && !f.force {
		return usagef("--older-than 0 takes files of commits that are under way, and needs --force")
	}
	if len(a.names.Maps) > 0 {
		return usagef("firn orphans takes no --map: a file that is listed where it lies may be reached under its other name")
	}
	named, err := a.table(ctx, name)
	if err != nil {
		return err
	}
	if f.delete {
		if err := a.deletable(ctx, named); err != nil {
			return err
		}
	}
	report, err := maintain.Orphans(ctx, openTable(named), maintain.OrphanOptions{
		Delete: f.delete, Force: f.force, AgeMillis: iceberg.Optional[int64]{Val: f.olderThan.millis, Valid: true},
		Naming: maintain.Naming{KeepMismatched: f.keepMismatched},
	})
	if err != nil && isEmpty(report.Sweep) {
		return sweepError(ctx, named, err)
	}
	if printed := a.printOrphans(report, f.delete); printed != nil && err == nil {
		err = printed
	}
	if err != nil {
		return sweepError(ctx, named, err)
	}
	return undeleted(report.Sweep)
}

// deletable refuses a table whose files must not be deleted.
func (a *app) deletable(ctx context.Context, named *target.Table) error {
	if err := named.CheckWritable(); err != nil {
		return err
	}
	_, err := a.collectable(ctx, named)
	return err
}

// printOrphans prints what was found, also if the run stopped in the middle.
func (a *app) printOrphans(r maintain.OrphanReport, deleting bool) error {
	rest := outcomeDue
	if deleting {
		rest = outcomeRemains
	}
	out := a.newTable(true, sweepColumns...)
	printSweep(out, r.Sweep, rest)
	a.notice("looked at %s, %d too young", count(r.Listed, "file", "files"), r.Young)
	a.noticeSweep(outcomeDeleted, r.Deleted)
	a.noticeSweep(rest+":", r.Remaining)
	return out.end()
}
