package cli

import (
	"context"
	"slices"
	"strconv"

	"github.com/apache/iceberg-go"
	"github.com/spf13/cobra"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/metadata"
)

// branchFlags are the flags of firn branch.
type branchFlags struct {
	at, to         string
	tag            bool
	minSnapshots   int
	maxSnapshotAge optionalMillis
	maxRefAge      optionalMillis
}

// What firn branch does, the word after the table.
const (
	branchCreate      = "create"
	branchDrop        = "drop"
	branchFastForward = "fast-forward"
	branchList        = "list"
)

// branchVerbs are these words, each with the flags that it takes.
var branchVerbs = map[string][]string{
	branchCreate:      {"at", "tag", "min-snapshots", "max-snapshot-age", "max-ref-age"},
	branchDrop:        nil,
	branchFastForward: {"to"},
	branchList:        nil,
}

var branchWords = []string{branchCreate, branchDrop, branchFastForward, branchList}

// branchCommand works on branches and tags.
func (a *app) branchCommand() *cobra.Command {
	var f branchFlags
	var flags func(name string) bool
	c := a.command(cobra.Command{
		Use:     "branch TABLE create|drop|fast-forward|list [NAME] [--at SNAPSHOT] [--tag] [--to SNAPSHOT]",
		Short:   "Create, drop, move and list branches and tags",
		GroupID: groupWrite,
		Long: `Work on the branches and tags of a table.

  create NAME [--at SNAPSHOT] [--tag]   a branch, or a tag, at a snapshot: the current one by default
  drop NAME                             a branch or tag; main stays
  fast-forward NAME --to SNAPSHOT       moves a branch to a snapshot that comes from its own; the name of a branch or
                                        tag will do
  list                                  all of them with their settings; null is the table's default

Retention says what firn expire does: a branch keeps at least --min-snapshots, and those younger than --max-snapshot-age;
a branch or tag goes when its snapshot is older than --max-ref-age.`,
		Example: "  firn branch demo.events create audit --at '~2' --max-ref-age 30d\n" +
			"  firn append demo.events more.parquet --branch audit\n" +
			"  firn branch demo.events fast-forward main --to audit",
		Args: words(2, 3),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) != 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return branchWords, cobra.ShellCompDirectiveNoFileComp
		},
	}, func(ctx context.Context, args []string) error { return a.branch(ctx, args, f, flags) })
	flags = func(name string) bool { return c.Flags().Changed(name) }
	set := c.Flags()
	set.StringVar(&f.at, "at", "", "snapshot of the new branch or tag (default: the current one)")
	set.BoolVar(&f.tag, "tag", false, "create a tag")
	set.StringVar(&f.to, "to", "", "snapshot, branch or tag to move to")
	set.IntVar(&f.minSnapshots, "min-snapshots", 0, "snapshots of the new branch that stay whatever their age")
	set.Var(duration{&f.maxSnapshotAge}, "max-snapshot-age", "age up to which snapshots of the new branch stay, such as 5d")
	set.Var(duration{&f.maxRefAge}, "max-ref-age", "age up to which the new branch or tag stays, such as 30d")
	return c
}

func (a *app) branch(ctx context.Context, args []string, f branchFlags, given func(name string) bool) error {
	verb := args[1]
	allowed, known := branchVerbs[verb]
	if !known {
		return usagef("firn branch has no %q: it takes TABLE and one of create, drop, fast-forward, list", verb)
	}
	for _, other := range branchWords { // not the map: of two wrong flags always the same one is named
		for _, flag := range branchVerbs[other] {
			if given(flag) && !slices.Contains(allowed, flag) {
				return usagef("firn branch TABLE %s takes no --%s: see firn help branch", verb, flag)
			}
		}
	}
	switch {
	case verb == branchList && len(args) != 2:
		return usagef("firn branch TABLE list takes no name")
	case verb == branchList:
		return a.listRefs(ctx, args[0])
	case len(args) != 3:
		return usagef("firn branch TABLE %s takes a name: see firn help branch", verb)
	case given("min-snapshots") && f.minSnapshots < 1:
		return usagef("--min-snapshots takes a number from 1, not %d", f.minSnapshots)
	case verb == branchFastForward && f.to == "":
		return usagef("firn branch TABLE fast-forward NAME takes --to SNAPSHOT: see firn help branch")
	}
	return a.changeRef(ctx, args[0], verb, args[2], f)
}

// changeRef creates, drops or moves a branch or tag.
func (a *app) changeRef(ctx context.Context, table, verb, name string, f branchFlags) error {
	named, t, err := a.writable(ctx, table)
	if err != nil {
		return err
	}
	_, m, err := named.Metadata(ctx)
	if err != nil {
		return err
	}
	change, err := refChange(m, verb, name, f)
	if err != nil {
		return err
	}
	result, err := t.Update(ctx, change)
	if err != nil {
		return named.Blame(ctx, err)
	}
	a.noticeResult(result)
	if result.NoOp {
		a.notice("nothing to do")
	}
	if verb != branchDrop {
		if _, m, err = named.Metadata(ctx); err != nil {
			return err
		}
	}
	ref, ok := m.Ref(name) // of one that was dropped, as it was
	if !ok {
		a.notice("another writer has dropped %s since", name)
		return nil
	}
	return a.printRefs([]metadata.Ref{ref})
}

// refChange returns the change of the metadata that the words ask for. Snapshots are looked up once, so that an attempt
// after a lost race means the same one.
func refChange(m metadata.Table, verb, name string, f branchFlags) (commit.MetadataChange, error) {
	switch verb {
	case branchCreate:
		at, err := target.Snapshot(m, f.at)
		if err != nil {
			return nil, err
		}
		return f.create(name, at.ID), nil
	case branchDrop:
		return func(m metadata.Table) (metadata.Table, error) { return m.WithoutRef(name) }, nil
	}
	to, err := snapshotOrRef(m, f.to)
	if err != nil {
		return nil, err
	}
	return func(m metadata.Table) (metadata.Table, error) { return m.FastForward(name, to.ID) }, nil
}

// snapshotOrRef finds the snapshot that an argument names, which may be the bare name of a branch or tag.
func snapshotOrRef(m metadata.Table, arg string) (metadata.Snapshot, error) {
	if ref, ok := m.Ref(arg); ok {
		arg = strconv.FormatInt(ref.SnapshotID, 10)
	}
	return target.Snapshot(m, arg)
}

// create returns the change that makes the new branch or tag that the flags describe.
func (f branchFlags) create(name string, snapshotID int64) commit.MetadataChange {
	ref := metadata.Ref{Name: name, SnapshotID: snapshotID, Type: metadata.Branch}
	if f.tag {
		ref.Type = metadata.Tag
	}
	retention := metadata.Retention{
		MinSnapshotsToKeep:   iceberg.Optional[int]{Val: f.minSnapshots, Valid: f.minSnapshots != 0},
		MaxSnapshotAgeMillis: f.maxSnapshotAge.optional(), MaxAgeMillis: f.maxRefAge.optional(),
	}
	return func(m metadata.Table) (metadata.Table, error) {
		made, err := m.CreateRef(ref)
		if err != nil {
			return made, err
		}
		return made.WithRetention(name, retention)
	}
}

var refColumns = []string{
	"name", "type", "snapshot_id", "min_snapshots_to_keep", "max_snapshot_age_ms", "max_ref_age_ms",
}

func (a *app) listRefs(ctx context.Context, name string) error {
	t, err := a.table(ctx, name)
	if err != nil {
		return err
	}
	_, m, err := t.Metadata(ctx)
	if err != nil {
		return err
	}
	return a.printRefs(slices.Collect(m.AllRefs()))
}

func (a *app) printRefs(refs []metadata.Ref) error {
	out := a.newTable(true, refColumns...)
	for _, ref := range refs {
		out.row(textCell(ref.Name), textCell(ref.Type), numberCell(ref.SnapshotID), optionalCell(ref.MinSnapshotsToKeep),
			optionalCell(ref.MaxSnapshotAgeMillis), optionalCell(ref.MaxAgeMillis))
	}
	return out.end()
}
