package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/sysenv"
	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
)

// expireFlags are the flags of firn expire.
type expireFlags struct {
	keep           int
	olderThan      optionalMillis
	dryRun, resume bool
	prefixes       []string
}

// expireCommand lets snapshots go.
func (a *app) expireCommand() *cobra.Command {
	var f expireFlags
	c := a.command(cobra.Command{
		Use:     "expire TABLE (--keep N | --older-than DURATION) [--dry-run]",
		Short:   "Let old snapshots go, and delete what only they reach",
		GroupID: groupWrite,
		Long: `Let snapshots go and delete the files that only they reach. Data files that were added where they lay, outside of the
table's folder, stay there and are printed as outside, unless --delete-below names their folder. --keep N leaves the newest N snapshots of
each branch, --older-than lets go what is older than 72h or 5d, and leaves at least as many as the table's properties say.
The settings of a branch or tag go first; what a tag names stays.

The answer has a line for each snapshot, branch, tag and object. With --dry-run nothing is changed and what would go is due.
A run that was interrupted is taken up again with --resume.`,
		Example: "  firn expire demo.events --keep 10 --dry-run\n  firn expire demo.events --older-than 5d",
		Args:    words(1, 1),
	}, func(ctx context.Context, args []string) error { return a.expire(ctx, args[0], f) })
	flags := c.Flags()
	flags.IntVar(&f.keep, "keep", 0, "snapshots of each branch that stay")
	flags.Var(duration{&f.olderThan}, "older-than", "age from which snapshots go, such as 72h or 5d")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print what would go and change nothing")
	flags.StringArrayVar(&f.prefixes, "delete-below", nil, "folder or URI prefix outside of the table below which files may be deleted too")
	flags.BoolVar(&f.resume, "resume", false, "also delete what an interrupted run has left")
	return c
}

// policy returns what the flags let go.
func (f expireFlags) policy() (metadata.ExpiryPolicy, error) {
	switch {
	case f.keep < 0:
		return metadata.ExpiryPolicy{}, usagef("--keep takes a number of snapshots from 1, not %d", f.keep)
	case (f.keep > 0) == f.olderThan.given:
		return metadata.ExpiryPolicy{}, usagef("firn expire takes one of --keep N and --older-than DURATION: see firn help expire")
	case f.keep > 0:
		return metadata.ExpiryPolicy{KeepLast: f.keep, OlderThanMillis: iceberg.Optional[int64]{Val: math.MaxInt64, Valid: true}}, nil
	}
	return metadata.ExpiryPolicy{
		OlderThanMillis: iceberg.Optional[int64]{Val: sysenv.NowMillis() - f.olderThan.millis, Valid: true},
	}, nil
}

func (a *app) expire(ctx context.Context, name string, f expireFlags) error {
	p, err := f.policy()
	if err != nil {
		return err
	}
	var prefixes []string
	for _, arg := range f.prefixes {
		prefix, err := target.Location(arg)
		if err != nil {
			return err
		}
		prefixes = append(prefixes, strings.TrimSuffix(prefix, "/")+"/")
	}
	named, t, err := a.writable(ctx, name)
	if err != nil {
		return err
	}
	before, err := a.collectable(ctx, named)
	if err != nil {
		return err
	}
	report, err := maintain.Expire(ctx, t, maintain.ExpireOptions{
		Policy: p, DryRun: f.dryRun, Resume: f.resume, Prefixes: prefixes,
	})
	if err != nil && isEmpty(report.Sweep) && len(report.Snapshots) == 0 {
		return sweepError(ctx, named, err)
	}
	if printed := a.printExpiry(report, before, f.dryRun); printed != nil && err == nil {
		err = printed
	}
	if err != nil {
		return sweepError(ctx, named, err)
	}
	return undeleted(report.Sweep)
}

// collectable refuses a table whose files must not be deleted.
func (a *app) collectable(ctx context.Context, named *target.Table) (metadata.Table, error) {
	_, m, err := named.Metadata(ctx)
	if err != nil {
		return m, err
	}
	if on, err := strconv.ParseBool(cmp.Or(m.Properties[metadata.PropertyGCEnabled], "true")); err == nil && !on {
		return m, fmt.Errorf("table %s: %w: its property %s is false, other tables may share its files",
			named.ID, errRefused, metadata.PropertyGCEnabled)
	}
	return m, nil
}

// sweepError says which errors of package maintain are refusals (CL2).
func sweepError(ctx context.Context, named *target.Table, err error) error {
	switch {
	case isAny[*maintain.MismatchError](err):
		return fmt.Errorf("%w: %w; --keep-mismatched leaves them alone", errRefused, err)
	case errors.Is(err, maintain.ErrOtherTable), errors.Is(err, maintain.ErrColumnFiles):
		return fmt.Errorf("%w: %w", errRefused, err)
	}
	return named.Blame(ctx, err)
}

// printExpiry prints what an expiry did, also if it stopped in the middle.
func (a *app) printExpiry(r maintain.ExpireReport, before metadata.Table, dryRun bool) error {
	gone, rest := outcomeExpired, outcomeRemains
	if dryRun {
		gone, rest = outcomeDue, outcomeDue
	}
	out := a.newTable(true, sweepColumns...)
	for _, name := range r.Refs {
		ref, _ := before.Ref(name) // one that came since is a branch or a tag; its kind is not known
		out.row(textCell(gone), textCell(cmp.Or(ref.Type, "ref")), textCell(name), nullCell)
	}
	for _, id := range r.Snapshots {
		out.row(textCell(gone), textCell("snapshot"), textCell(strconv.FormatInt(id, 10)), nullCell)
	}
	printSweep(out, r.Sweep, rest)
	for _, warning := range r.Warnings {
		a.notice("warning: %s", warning)
	}
	a.noticeResult(r.Commit)
	a.notice("%s %s", gone, count(len(r.Snapshots), "snapshot", "snapshots"))
	a.noticeSweep(outcomeDeleted, r.Deleted)
	a.noticeSweep(rest+":", r.Remaining)
	a.noticeSweep("outside of the table and left there:", r.Outside)
	return out.end()
}
