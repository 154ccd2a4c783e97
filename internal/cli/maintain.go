package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/advise"
	"github.com/firn-io/firn/policy/choose"
)

// maintainFlags are the flags of firn maintain.
type maintainFlags struct {
	branch, policy         string
	dryRun, resolveDeletes bool
}

// stepColumns are what is printed of each step; the columns of sizes are of a dry run alone.
var stepColumns = []string{
	"step", "members", "reason", "snapshot_id", "term", "paid_bytes", "saved_bytes", "pays_after_commits",
	"root_bytes_before", "root_bytes_after", "leaves_before", "leaves_after",
}

// stepTextColumns are what people read of a step that was taken.
var stepTextColumns = []string{"step", "members", "term", "paid", "saved", "pays_after", "snapshot_id", "reason"}

// maintainCommand tidies up a tree.
func (a *app) maintainCommand() *cobra.Command {
	var f maintainFlags
	c := a.command(cobra.Command{
		Use:     "maintain TABLE [--policy P] [--dry-run]",
		Short:   "Let the policy tidy up the tree",
		GroupID: groupWrite,
		Long: `Let the policy of the table tidy up its tree, in a commit that changes no file, and print what was done and why: files move
from the root into leaves, leaves are merged, leaves are written again without masked rows, and pointers in a full root lose
statistics. firn policy explain tells which policy does what. Without anything to do nothing is committed.

term is what decided a step, paid_bytes what it writes once, saved_bytes by how much every root from then on is smaller, and
pays_after_commits after how many roots the one has paid for the other; firn help policy explain has more on that.

A policy that --policy names decides this once; its settings are the table's properties. With --dry-run the steps are
printed with the sizes of the root, as estimates, and what the plan leaves for later has the step deferred; nothing is written.`,
		Example: "  firn maintain demo.events --dry-run",
		Args:    words(1, 1),
	}, func(ctx context.Context, args []string) error { return a.maintain(ctx, args[0], f) })
	flags := c.Flags()
	flags.Var(choice[string]{&f.policy, choose.Names()}, "policy", "policy that decides (default: the table's)")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the steps and write nothing")
	flags.BoolVar(&f.resolveDeletes, "resolve-equality-deletes", false, "turn equality deletes into deletion vectors; not in this version")
	addBranch(c, &f.branch)
	a.complete(c, "policy", choose.Names())
	return c
}

func (a *app) maintain(ctx context.Context, name string, f maintainFlags) error {
	if f.resolveDeletes {
		return fmt.Errorf("table %s: %w: --resolve-equality-deletes needs the manifests of versions 1 to 3 read, which this version does not do",
			name, errRefused)
	}
	named, err := a.table(ctx, name)
	if err != nil {
		return err
	}
	if !f.dryRun {
		if err := named.CheckWritable(); err != nil {
			return err
		}
	}
	t := openTable(named)
	var p policy.Policy
	if f.policy != "" {
		_, m, err := named.Metadata(ctx)
		if err != nil {
			return err
		}
		if p, err = policyNamed(m, f.policy); err != nil {
			return err
		}
	}
	if f.dryRun {
		return named.Blame(ctx, a.maintainDry(ctx, t, commit.TxnOptions{Branch: f.branch, Mode: policy.Maintenance, Policy: p}))
	}
	result, err := maintain.Maintain(ctx, t, maintain.MaintainOptions{Branch: f.branch, Policy: p})
	if err != nil {
		return named.Blame(ctx, err)
	}
	a.noticeResult(result)
	return a.printSteps(result)
}

// maintainDry prints what maintenance would do.
func (a *app) maintainDry(ctx context.Context, t *commit.Table, o commit.TxnOptions) error {
	q, err := ask(ctx, t, o)
	if err != nil {
		return err
	}
	if o.Policy == nil {
		if o.Policy, err = choose.ForTable(q.txn.Base().Metadata.Properties); err != nil {
			return err
		}
	}
	e, err := q.explain(o.Policy, policy.Maintenance, 0)
	if err != nil {
		return err
	}
	if a.format == formatText {
		return a.printDryText(e)
	}
	out := a.newTable(true, stepColumns...)
	for _, l := range e.Lines {
		out.row(append(stepRow(l.Step, nullCell), numberCell(l.Before.Bytes), numberCell(l.After.Bytes), numberCell(l.Before.Pointers),
			numberCell(l.After.Pointers))...)
	}
	if len(e.Thinning.Pointers) > 0 {
		out.row(append(thinRow(e.Thinning, nullCell), numberCell(e.Thick.Bytes), numberCell(e.After.Bytes), numberCell(e.Thick.Pointers),
			numberCell(e.After.Pointers))...)
	}
	for _, reason := range e.Deferred {
		row := slices.Repeat([]cell{nullCell}, len(stepColumns))
		row[0], row[2] = textCell(wordDeferred), nonEmpty(reason)
		out.row(row...)
	}
	if err := out.end(); err != nil {
		return err
	}
	a.noticeDry(e)
	return nil
}

// noticeDry says that nothing was written.
func (a *app) noticeDry(e advise.Explanation) {
	steps := len(e.Lines)
	if len(e.Thinning.Pointers) > 0 {
		steps++
	}
	if steps == 0 {
		a.notice("nothing to do")
		return
	}
	a.notice("nothing was written: without --dry-run there would be %s", count(steps, "step", "steps"))
}

// printDryText prints what maintenance would do, for people.
func (a *app) printDryText(e advise.Explanation) error {
	rows := a.planRows(e)
	if len(rows) == 0 {
		_, err := fmt.Fprintf(a.out, "nothing to do: a %s\n", shapeText(e.Now))
		return err
	}
	out := a.newTable(true, planTextColumns...)
	for _, row := range rows {
		out.row(row...)
	}
	if err := out.end(); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "\nnow    a %s\n", shapeText(e.Now))
	if len(e.Lines)+len(e.Thinning.Pointers) > 0 {
		fmt.Fprintf(a.out, "then   about a %s\n", shapeText(e.After))
	}
	a.noticeDry(e)
	return nil
}

// policyNamed returns a policy with the settings that the table's properties give it. Wrong ones are the table's, not of whoever named
// the policy: the commit is refused, as it is where the table itself chooses the policy.
func policyNamed(m metadata.Table, name string) (policy.Policy, error) {
	properties := maps.Clone(m.Properties)
	if properties == nil {
		properties = make(map[string]string)
	}
	properties[choose.PropertyPolicy] = name
	p, err := choose.ForTable(properties)
	if err != nil {
		return nil, fmt.Errorf("%w: %w (nothing was committed)", errRefused, err)
	}
	return p, nil
}

// stepRow are the cells of a step but those of sizes.
func stepRow(s policy.Step, snapshot cell) []cell {
	term, paid, saved, after := nullCell, nullCell, nullCell, nullCell
	if s.Term != 0 {
		term, paid, saved = textCell(s.Term.String()), numberCell(s.PaidBytes), numberCell(s.SavedBytes)
	}
	if n, pays := s.PaysAfter(); pays {
		after = numberCell(n)
	}
	return []cell{textCell(s.Kind.String()), numberCell(int64(len(s.Members))), nonEmpty(s.Reason), snapshot, term, paid, saved, after}
}

// thinRow are the cells of pointers that lose statistics, as [stepRow] has them.
func thinRow(t policy.Thinning, snapshot cell) []cell {
	return []cell{
		textCell(wordThin), numberCell(int64(len(t.Pointers))), nonEmpty(t.Reason), snapshot, nullCell, nullCell, numberCell(t.SavedBytes), nullCell,
	}
}

func (a *app) printSteps(r commit.Result) error {
	steps := r.Plan.Steps
	if a.format == formatText && r.NoOp {
		_, err := fmt.Fprintln(a.out, "nothing to do")
		return err
	}
	id := numberCell(r.SnapshotID)
	if r.NoOp {
		id = nullCell
	}
	columns := stepColumns
	if a.format == formatText {
		columns = stepTextColumns
	}
	t := a.newTable(true, columns...)
	rows := make([][]cell, 0, len(steps)+1)
	for _, step := range steps {
		rows = append(rows, stepRow(step, id))
	}
	if len(r.Plan.Thinning.Pointers) > 0 && !r.NoOp {
		rows = append(rows, thinRow(r.Plan.Thinning, id))
	}
	for _, row := range rows {
		if a.format == formatText {
			row = []cell{row[0], row[1], row[4], row[5], row[6], row[7], row[3], row[2]}
		} else {
			row = append(row, nullCell, nullCell, nullCell, nullCell)
		}
		t.row(row...)
	}
	if err := t.end(); err != nil {
		return err
	}
	if r.NoOp {
		a.notice("nothing to do")
		return nil
	}
	a.notice("snapshot %d (sequence number %d): wrote %s", r.SnapshotID, r.SequenceNumber, count(r.LeavesWritten, "leaf", "leaves"))
	return nil
}
