package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/treetext"
	"github.com/firn-io/firn/tree"
)

// treeCommand prints a tree.
func (a *app) treeCommand() *cobra.Command {
	var leaves, long bool
	c := a.command(cobra.Command{
		Use:     "tree TABLE [SNAPSHOT] [--leaves] [--long]",
		Short:   "Print the tree of a snapshot",
		GroupID: groupRead,
		Long: `Print the tree of a snapshot, a line for each row of its root manifest.

A row begins with its kind: loose is a data file, leaf a v4 manifest, legacy and deletes are manifests of versions 1 to 3.
live=2/4 are the rows that live and all rows of a manifest; dv, del and rep are its bitmaps of masked positions. With
--leaves the rows of each live leaf follow, indented, with their position in front.`,
		Args: words(1, 2),
	}, func(ctx context.Context, args []string) error { return a.tree(ctx, args, leaves, long) })
	c.Flags().BoolVar(&leaves, "leaves", false, "read the leaves and print their rows")
	c.Flags().BoolVar(&long, "long", false, "print every field, statistics included")
	return c
}

func (a *app) tree(ctx context.Context, args []string, leaves, long bool) error {
	if err := a.textOnly("tree"); err != nil {
		return err
	}
	s, err := a.state(ctx, args)
	if err != nil {
		return err
	}
	doc := treetext.Doc{Tree: s.tree}
	if leaves {
		if doc.Leaves, err = readLeaves(ctx, s); err != nil {
			return err
		}
	}
	options := treetext.Options{Hide: treetext.Short &^ treetext.HideHeader}
	if long {
		options = treetext.Options{}
	}
	_, err = fmt.Fprint(a.out, doc.Format(options))
	return err
}

// readLeaves reads the raw rows of the live leaves.
func readLeaves(ctx context.Context, s state) (map[string][]tree.Row, error) {
	leaves := make(map[string][]tree.Row)
	for _, ref := range s.tree.Rows {
		if !ref.Content.IsManifest() || !ref.Tracking.Status.Live() || leaves[ref.Location] != nil {
			continue
		}
		for row, err := range s.leaves.Leaf(ctx, s.tree.Origin, ref, tree.Full) {
			if err != nil {
				return nil, err
			}
			leaves[ref.Location] = append(leaves[ref.Location], row)
		}
	}
	return leaves, nil
}

// textOnly refuses a format for an answer that has one form.
func (a *app) textOnly(command string) error {
	if a.format != formatText {
		return usagef("firn %s prints text only, not %s", command, a.format)
	}
	return nil
}
