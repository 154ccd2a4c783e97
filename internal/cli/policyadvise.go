package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/advise"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/policy/mergeappend"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/tree"
)

var adviseColumns = []string{
	"policy", "kind", "bytes", "times_counted", "bytes_per_commit", "root_bytes", "leaf_bytes", "objects", "commits", "maintenance_commits",
	"leaves_written", "largest_root_bytes", "most_rewritten_bytes", "end_root_bytes", "end_leaves", "plan_bytes", "complete",
}

var adviseTextColumns = []string{
	"policy", "kind", "bytes", "times", "per_commit", "objects", "maintenance", "largest_root", "rewritten", "root", "leaves", "plan_bytes",
}

// adviseFlags are the flags of firn policy advise.
type adviseFlags struct {
	every         wholeNumber
	policies      []string
	branch, trace string
}

// policyAdviseCommand replays a table.
func (a *app) policyAdviseCommand() *cobra.Command {
	f := adviseFlags{every: wholeNumber{name: "maintenance-every"}}
	c := a.command(cobra.Command{
		Use:   "advise TABLE [--policy P,...] [--maintenance-every N] [--trace FILE]",
		Short: "Tell what each policy would have cost a table so far",
		Long: `Tell what each policy would have written for the commits that a table has had: its retained snapshots are read, oldest first, and
counted again under each policy. A snapshot that changed no file is a maintenance commit, and a chance of maintenance for the
others too; with --maintenance-every there is one after every N commits of writers, if something waits for it, or none (0).

The line measured is what the table really wrote, roots and leaves in bytes, with the policy that its properties name; counted is
the same by the prices that its own leaves teach, and replayed are the policies by these prices, the cheapest first. times is what
a line has of the bytes of counted: in measured, how far the prices are off. root, leaves and plan_bytes are the table at the end,
the last being what a plan reads that needs every file; rewritten is the most that a commit of a writer wrote of old leaves again.

What a snapshot changed its summary says; where it says nothing, or not what fits its totals, the manifests are read. Which files
were removed is not looked up: as many are drawn by chance. What attempts wrote that lost a race is not known, nor what expired
snapshots did: the replay begins with the table of the oldest one that is there.

The last line, of the kind version-3, is another format: what writers of format version 3 would have written that merge manifests as
Iceberg's Java library does (v3-merge-append). Root is the list of manifests there, and leaves are manifests. Of tables that do not only
grow it is not known.

Policies have the settings that the table's properties give them. --trace writes the changes of the writers to a file, for
firn sim compare. Nothing is written to the table.`,
		Example: "  firn policy advise demo.events\n  firn policy advise demo.events --policy adaptive,tiered --maintenance-every 100",
		Args:    words(1, 1),
	}, func(ctx context.Context, args []string) error { return a.policyAdvise(ctx, args[0], f) })
	c.Flags().Var(&f.every, f.every.name, "commits from one chance of maintenance to the next, 0 for never (default: as it came)")
	c.Flags().StringSliceVar(&f.policies, "policy", nil, "policies to count (default all)")
	c.Flags().StringVar(&f.trace, "trace", "", "file to write the changes to, a JSON object a line")
	c.Flags().StringVar(&f.branch, "branch", metadata.MainBranch, "branch of the table")
	a.complete(c, "policy", append(choose.Names(), mergeappend.Name))
	return c
}

func (a *app) policyAdvise(ctx context.Context, name string, f adviseFlags) error {
	every := int64(advise.AsItCame)
	if f.every.text != "" {
		var err error
		if every, err = f.every.value(); err != nil {
			return usagef("%w", err)
		}
	}
	if f.trace != "" {
		if err := canWrite(f.trace); err != nil {
			return fmt.Errorf("--trace: %w", err)
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
	policies, merge, err := a.chosenPolicies(m, f.policies)
	if err != nil {
		return err
	}
	h, err := a.history(ctx, t, f.branch)
	if err != nil {
		return hinted(ctx, t, t.Blame(ctx, err))
	}
	if f.trace != "" {
		if err := writeTrace(f.trace, h); err != nil {
			return err
		}
	}
	chosen := m.Properties[choose.PropertyPolicy]
	rows := []advised{{chosen, "measured", h.Measured}, {chosen, "counted", h.Counted}}
	var replayed []advised
	for _, p := range policies {
		o, err := h.Replay(ctx, p, every)
		if err != nil {
			return err
		}
		replayed = append(replayed, advised{p.Name(), "replayed", o})
	}
	slices.SortStableFunc(replayed, func(a, b advised) int { return cmp.Compare(a.outcome.Bytes(), b.outcome.Bytes()) })
	rows = append(rows, replayed...)
	if merge {
		if rows, err = a.withVersion3(rows, h, m); err != nil {
			return err
		}
	}
	if err := a.printAdvice(rows, h); err != nil {
		return err
	}
	a.noticeHistory(h)
	return nil
}

// kindVersion3 marks what another version of the format would have written: its list of manifests is no root, and its manifests are no leaves.
const kindVersion3 = "version-3"

// withVersion3 adds what version 3 of the format would have written, if that is known.
func (a *app) withVersion3(rows []advised, h advise.History, m metadata.Table) ([]advised, error) {
	schema, err := manifestio.NewSchema(m.Schema(), nil, nil)
	if err != nil {
		return nil, err
	}
	o, known := h.MergeAppend(len(schema.Stats))
	if !known {
		a.notice("%s is left out: what version 3 writes is known of tables that only grow", mergeappend.Name)
		return rows, nil
	}
	return append(rows, advised{mergeappend.Name, kindVersion3, o}), nil
}

// chosenPolicies are policies with the settings that the table's properties give them. A policy that nobody asked for by name is left out
// if another engine has given it settings that it cannot have (F36). merge says that version 3 is to be counted beside them.
func (a *app) chosenPolicies(m metadata.Table, names []string) (policies []policy.Policy, merge bool, err error) {
	asked := len(names) > 0
	if !asked {
		names = append(choose.Names(), mergeappend.Name)
	}
	var wrong problems
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			wrong = append(wrong, usagef("the policy %q is chosen twice", name))
			continue
		}
		if name == mergeappend.Name {
			merge = true
			continue
		}
		d, err := described(name)
		var p policy.Policy
		if err == nil {
			p, _, err = tuned(d, m.Properties, nil)
		}
		switch {
		case err == nil:
			policies = append(policies, p)
		case asked:
			wrong = append(wrong, err)
		default:
			a.notice("%s is left out: %v", name, err)
		}
	}
	if len(wrong) > 0 {
		return nil, false, wrong
	}
	return policies, merge, nil
}

// history reads the history of a branch.
func (a *app) history(ctx context.Context, t *target.Table, branch string) (advise.History, error) {
	q, err := ask(ctx, openTable(t), commit.TxnOptions{Branch: branch, Policy: simple.Never{}})
	if err != nil {
		return advise.History{}, err
	}
	base, codec := q.txn.Base(), treeio.Parquet{}
	if base.Tree.Origin.SnapshotID == 0 {
		return advise.History{}, usagef("table %s has no snapshots: there is nothing to count", t.ID)
	}
	line := a.newProgress()
	defer line.clear()
	return advise.Read(ctx, advise.Source{
		Metadata: base.Metadata, Prices: q.input.LearnedPrices(), Leaves: codec.Leaves(t.Objects),
		Tree: func(ctx context.Context, s metadata.Snapshot) (tree.Tree, error) {
			return treeio.Tree(ctx, codec, t.Objects, base.Metadata, base.Location, s)
		},
		RootBytes: func(ctx context.Context, root string) (int64, error) {
			info, err := t.Objects.Stat(ctx, root)
			return info.SizeBytes, err
		},
		Progress: func(snapshots, all int) {
			line.show(func() string { return fmt.Sprintf("%d of %d snapshots", snapshots, all) })
		},
	}, base.Tree.Origin.SnapshotID)
}

// writeTrace writes the changes of the writers, an object a line.
func writeTrace(name string, h advise.History) error {
	var lines bytes.Buffer
	for _, change := range h.Trace() {
		if err := json.NewEncoder(&lines).Encode(change); err != nil {
			return err
		}
	}
	return os.WriteFile(name, lines.Bytes(), 0o666)
}

// advised is what one policy, or the table itself, wrote.
type advised struct {
	policy, kind string
	outcome      advise.Outcome
}

// printAdvice prints what each policy would have cost.
func (a *app) printAdvice(rows []advised, h advise.History) error {
	columns := adviseColumns
	if a.format == formatText {
		columns = adviseTextColumns
	}
	out := a.newTable(true, columns...)
	for _, r := range rows {
		o := r.outcome
		times, rewritten := hundredthsCell(o.Bytes(), h.Counted.Bytes()), nullCell
		if r.kind == "replayed" || r.kind == kindVersion3 {
			rewritten = numberCell(o.MostRewrittenBytes)
		}
		each := numberCell(perCommit(o.Bytes(), max(1, o.Commits)))
		if a.format == formatText {
			out.row(nonEmpty(r.policy), textCell(r.kind), numberCell(o.Bytes()), times, each, numberCell(o.Objects()), numberCell(o.Maintenance),
				numberCell(o.LargestRootBytes), rewritten, numberCell(o.EndRootBytes), numberCell(o.EndLeaves), numberCell(o.ScanBytes()))
			continue
		}
		complete := boolCell(!h.Older)
		out.row(nonEmpty(r.policy), textCell(r.kind), numberCell(o.Bytes()), times, each, numberCell(o.RootBytes), numberCell(o.LeafBytes),
			numberCell(o.Objects()), numberCell(o.Commits), numberCell(o.Maintenance), numberCell(o.LeavesWritten), numberCell(o.LargestRootBytes),
			rewritten, numberCell(o.EndRootBytes), numberCell(o.EndLeaves), numberCell(o.ScanBytes()), complete)
	}
	return out.end()
}

// noticeHistory says what was counted, and what is not known.
func (a *app) noticeHistory(h advise.History) {
	var read, added, removed, modified int64
	for _, c := range h.Commits {
		added, removed, modified = added+c.Added, removed+c.Removed, modified+c.Modified
		if c.Read {
			read++
		}
	}
	a.notice("counted %s of writers and %d of maintenance: %d files added, %d removed, %d with rows deleted",
		count(int(h.Counted.Commits), "commit", "commits"), h.Counted.Maintenance, added, removed, modified)
	var unknown []string
	if h.Older {
		unknown = append(unknown, fmt.Sprintf("what was committed before has expired or is of an older format version: the replay begins with %s and %s",
			count(len(h.Start.Leaves), "leaf", "leaves"), count(int(h.Start.Loose), "loose file", "loose files")))
	}
	if read > 0 {
		unknown = append(unknown, fmt.Sprintf("the summaries of %s do not say what they changed: counted from manifests", count(int(read), "snapshot", "snapshots")))
	}
	if removed+modified > 0 {
		unknown = append(unknown, "which files were removed or lost rows is drawn by chance")
	}
	if len(unknown) > 0 {
		a.notice("%s", strings.Join(unknown, "; "))
	}
}
