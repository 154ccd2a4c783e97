package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/target"
)

// deleteRowsFlags are the flags of firn delete-rows.
type deleteRowsFlags struct {
	branch, positions string
	mergeRaced        bool
}

// deleteRowsCommand deletes rows of a file.
func (a *app) deleteRowsCommand() *cobra.Command {
	var f deleteRowsFlags
	c := a.command(cobra.Command{
		Use:     "delete-rows TABLE LOCATION --positions POSITIONS [--merge-raced]",
		Short:   "Delete rows of a file, by their positions in it",
		GroupID: groupWrite,
		Long: `Delete rows of a live file: write a deletion vector for it, or extend the one that it has. A file of which no row is left
is removed.

POSITIONS are row ordinals from 0, such as 3,7-9, both ends included; one that the file does not have is refused, code 3.
LOCATION is a file's full location, or its path below the table, or a local path. If another writer deletes rows of the file
at the same time that is a conflict, code 3, unless --merge-raced lets the rows of both go.`,
		Example: "  firn delete-rows demo.events data/events-01.parquet --positions 3,7-9",
		Args:    words(2, 2),
	}, func(ctx context.Context, args []string) error { return a.deleteRows(ctx, args[0], args[1], f) })
	c.Flags().StringVar(&f.positions, "positions", "", "rows to delete, such as 3,7-9")
	c.Flags().BoolVar(&f.mergeRaced, "merge-raced", false, "go on if another writer deleted rows of the file in the meantime")
	addBranch(c, &f.branch)
	return c
}

func (a *app) deleteRows(ctx context.Context, name, location string, f deleteRowsFlags) error {
	if f.positions == "" {
		return usagef("firn delete-rows takes --positions, such as 3,7-9: see firn help delete-rows")
	}
	rows, err := dv.ParseText(f.positions)
	if err != nil {
		return &target.UsageError{Err: err}
	}
	x, err := a.begin(ctx, name, f.branch)
	if err != nil {
		return err
	}
	targets, err := x.targets(ctx, []string{location})
	if err != nil {
		return err
	}
	x.txn.ExtendDV(targets[0], rows, commit.DVOptions{MergeRaced: f.mergeRaced})
	result, err := x.publish(ctx)
	if err != nil {
		return err
	}
	x.countFiles(ctx, result)
	return x.printResult(result)
}
