package cli

import (
	"context"
	"fmt"
	"maps"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
)

// maintainFlags are the flags of firn maintain.
type maintainFlags struct {
	branch, policy         string
	dryRun, resolveDeletes bool
}

var stepColumns = []string{"step", "members", "reason", "snapshot_id"}

// maintainCommand tidies up a tree.
func (a *app) maintainCommand() *cobra.Command {
	var f maintainFlags
	c := a.command(cobra.Command{
		Use:     "maintain TABLE [--policy P] [--dry-run]",
		Short:   "Let the policy tidy up the tree",
		GroupID: groupWrite,
		Long: `Let the policy of the table tidy up its tree, in a commit that changes no file, and print what was done and why. What that
may be, the policy decides; those of this version move files from the root into leaves. Without a step to take nothing is
committed.

A policy that --policy names decides this once; its settings are the table's properties. With --dry-run the steps are
printed and nothing is written.`,
		Example: "  firn maintain demo.events --dry-run",
		Args:    words(1, 1),
	}, func(ctx context.Context, args []string) error { return a.maintain(ctx, args[0], f) })
	flags := c.Flags()
	flags.Var(choice[string]{&f.policy, policy.Names()}, "policy", "policy that decides (default: the table's)")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the steps and write nothing")
	flags.BoolVar(&f.resolveDeletes, "resolve-equality-deletes", false, "turn equality deletes into deletion vectors; not in this version")
	addBranch(c, &f.branch)
	a.complete(c, "policy", policy.Names())
	return c
}

func (a *app) maintain(ctx context.Context, name string, f maintainFlags) error {
	if f.resolveDeletes {
		return fmt.Errorf("table %s: %w: --resolve-equality-deletes needs the manifests of versions 1 to 3 read, which this version does not do",
			name, errRefused)
	}
	named, t, err := a.writable(ctx, name)
	if err != nil {
		return err
	}
	o := maintain.MaintainOptions{Branch: f.branch, DryRun: f.dryRun}
	if f.policy != "" {
		_, m, err := named.Metadata(ctx)
		if err != nil {
			return err
		}
		if o.Policy, err = policyNamed(m, f.policy); err != nil {
			return err
		}
	}
	result, err := maintain.Maintain(ctx, t, o)
	if err != nil {
		return named.Blame(ctx, err)
	}
	a.noticeResult(result)
	return a.printSteps(result, f.dryRun)
}

// policyNamed returns a policy with the settings that the table's properties give it.
func policyNamed(m metadata.Table, name string) (policy.Policy, error) {
	properties := maps.Clone(m.Properties)
	if properties == nil {
		properties = make(map[string]string)
	}
	properties[policy.PropertyPolicy] = name
	p, err := policy.ForTable(properties)
	if err != nil {
		return nil, &target.UsageError{Err: err}
	}
	return p, nil
}

func (a *app) printSteps(r commit.Result, dryRun bool) error {
	steps := r.Plan.Steps
	if a.format == formatText && len(steps) == 0 {
		_, err := fmt.Fprintln(a.out, "nothing to do")
		return err
	}
	id := numberCell(r.SnapshotID)
	if r.NoOp {
		id = nullCell
	}
	t := a.newTable(true, stepColumns...)
	for _, step := range steps {
		t.row(textCell(step.Kind.String()), numberCell(int64(len(step.Members))), nonEmpty(step.Reason), id)
	}
	if err := t.end(); err != nil {
		return err
	}
	switch {
	case len(steps) == 0:
		a.notice("nothing to do")
	case dryRun:
		a.notice("nothing was written: without --dry-run there would be %s", count(len(steps), "step", "steps"))
	default:
		a.notice("snapshot %d (sequence number %d): wrote %s", r.SnapshotID, r.SequenceNumber, count(r.LeavesWritten, "leaf", "leaves"))
	}
	return nil
}
