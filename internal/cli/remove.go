package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/tree"
)

// removeCommand removes files.
func (a *app) removeCommand() *cobra.Command {
	var branch string
	c := a.command(cobra.Command{
		Use:     "remove TABLE LOCATION...",
		Short:   "Remove files",
		GroupID: groupWrite,
		Long: `Remove live files from a table in one commit. The files themselves stay, for older snapshots need them.

LOCATION is a file's full location, or its path below the table, or a local path.`,
		Args: words(2, many),
	}, func(ctx context.Context, args []string) error { return a.remove(ctx, args[0], args[1:], branch) })
	addBranch(c, &branch)
	return c
}

func (a *app) remove(ctx context.Context, name string, args []string, branch string) error {
	x, err := a.begin(ctx, name, branch)
	if err != nil {
		return err
	}
	targets, err := x.targets(ctx, args)
	if err != nil {
		return err
	}
	x.txn.Remove(targets...)
	x.removed = len(targets)
	return x.commit(ctx)
}

// targets finds the live files that arguments name: in each of its spellings, the likeliest first.
func (x *transaction) targets(ctx context.Context, args []string) ([]commit.Target, error) {
	spellings := make([][]string, len(args))
	wanted := make(map[string]bool)
	for i, arg := range args {
		var err error
		if spellings[i], err = target.FileSpellings(x.base.Location, arg); err != nil {
			return nil, err
		}
		for _, spelling := range spellings[i] {
			wanted[spelling] = true
		}
	}
	live, err := x.live(ctx, wanted)
	if err != nil {
		return nil, err
	}
	var targets []commit.Target
	var wrong problems
	named := make(map[string]bool)
	for i, arg := range args {
		f, ok := firstOf(live, spellings[i])
		switch {
		case !ok:
			wrong = append(wrong, fmt.Errorf("%s: %w: no live file of the table", arg, errRefused))
		case named[f.Location]:
			wrong = append(wrong, fmt.Errorf("%s: %w: it is named twice", arg, errRefused))
		default:
			named[f.Location] = true
			targets = append(targets, commit.At(f))
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return targets, nil
}

// live returns those of the files that are live. It opens no leaf that cannot have one of them.
func (x *transaction) live(ctx context.Context, wanted map[string]bool) (map[string]tree.Located, error) {
	leaves := treeio.Parquet{}.Leaves(x.objects)
	stored := x.storedForms(wanted)
	pruned, err := without(x.base.Tree, func(ref tree.Entry) (bool, error) {
		return leaves.Excludes(ctx, x.base.Tree.Origin, ref, stored)
	})
	if err != nil {
		return nil, err
	}
	found := make(map[string]tree.Located)
	for f, err := range tree.Live(ctx, pruned, tree.Projection{}, leaves) {
		if err != nil {
			return nil, err
		}
		if wanted[f.Location] {
			found[f.Location] = f
		}
	}
	return found, nil
}

// storedForms returns, sorted, how manifests may spell locations (rules 12.4).
func (x *transaction) storedForms(locations map[string]bool) []string {
	var forms []string
	for location := range locations {
		forms = append(forms, location, tree.Relativize(x.base.Location, location))
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// firstOf returns the file at the first of the locations that has one.
func firstOf(live map[string]tree.Located, locations []string) (tree.Located, bool) {
	for _, location := range locations {
		if f, ok := live[location]; ok {
			return f, true
		}
	}
	return tree.Located{}, false
}
