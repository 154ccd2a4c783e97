package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// replaceFlags are the flags of firn replace.
type replaceFlags struct {
	branch, partitionValues string
	remove, add             []string
}

// replaceCommand replaces files by others.
func (a *app) replaceCommand() *cobra.Command {
	var f replaceFlags
	c := a.command(cobra.Command{
		Use:     replaceName + " TABLE --remove LOCATION... --add FILE.parquet...",
		Short:   "Replace files by others in one commit",
		GroupID: groupWrite,
		Long: `Replace live files by Parquet files that hold what is to stay of their rows, in one commit: a compaction or an overwrite.
It is a conflict, code 3, if rows of a removed file were deleted by somebody else in the meantime.

What --remove takes is explained under firn remove, what --add takes under firn append. Both take several words.`,
		Args: words(1, 1),
	}, func(ctx context.Context, args []string) error { return a.replace(ctx, args[0], f) })
	c.Flags().StringArrayVar(&f.remove, "remove", nil, "files to remove")
	c.Flags().StringArrayVar(&f.add, "add", nil, "files to add")
	c.Flags().StringVar(&f.partitionValues, "partition-values", "", "partition of the files to add as a JSON object")
	addBranch(c, &f.branch)
	return c
}

func (a *app) replace(ctx context.Context, name string, f replaceFlags) error {
	if len(f.remove) == 0 || len(f.add) == 0 {
		return usagef("firn replace takes both --remove LOCATION... and --add FILE.parquet...: see firn help replace")
	}
	x, err := a.begin(ctx, name, f.branch)
	if err != nil {
		return err
	}
	targets, err := x.targets(ctx, f.remove)
	if err != nil {
		return err
	}
	files, err := x.inspect(ctx, f.add, f.partitionValues)
	if err != nil {
		return err
	}
	x.txn.Replace(targets)
	x.removed = len(targets)
	x.append(files)
	return x.commit(ctx)
}

const replaceName = "replace"

// spreadLists repeats --remove and --add of firn replace before each word that follows them, for the flag library
// takes one word for a flag. A word after -- is left alone.
func spreadLists(root *cobra.Command, args []string) []string {
	if c, _, err := root.Find(args); err != nil || c.Name() != replaceName {
		return args
	}
	lists := []string{"--remove", "--add"}
	var spread []string
	list := ""
	for i, arg := range args {
		switch {
		case arg == "--":
			return append(spread, args[i:]...)
		case slices.Contains(lists, arg):
			list = arg
			if i+1 == len(args) || strings.HasPrefix(args[i+1], "-") {
				spread = append(spread, arg+"=") // without a word: the library would take the next flag for one
			}
		case strings.HasPrefix(arg, "-"):
			list, _, _ = strings.Cut(arg, "=")
			if !slices.Contains(lists, list) {
				list = ""
			}
			spread = append(spread, arg)
		case list != "":
			spread = append(spread, list, arg)
		default:
			spread = append(spread, arg)
		}
	}
	return spread
}
