package cli

import (
	"context"

	"github.com/spf13/cobra"
)

// appendFlags are the flags of firn append.
type appendFlags struct {
	branch          string
	partitionValues string
	move            bool
}

// appendCommand adds files.
func (a *app) appendCommand() *cobra.Command {
	var f appendFlags
	c := a.command(cobra.Command{
		Use:     "append TABLE FILE.parquet... [--move] [--partition-values JSON]",
		Short:   "Add existing Parquet files",
		GroupID: groupWrite,
		Long: `Add existing Parquet files to a table in one commit: record count, size, split offsets, partition and column statistics
come from the files themselves.

Each file must lie in one partition, which follows from the bounds in its footer where they are exact and the transform
keeps their order, else from the column itself, or is given as a JSON object by field name. A file that does not fit the
schema, has more than one partition or is in the table already is refused, code 3, and nothing is changed. A file without
rows is skipped.

Files stay where they are, and firn expire leaves them there when no snapshot refers to them any more. --move copies them into the table's data folder instead, under a name with a digest of
their content, and deletes them after the commit. If the commit does not happen, or its outcome is unknown, they stay.`,
		Args: words(2, many),
	}, func(ctx context.Context, args []string) error { return a.append(ctx, args[0], args[1:], f) })
	c.Flags().BoolVar(&f.move, "move", false, "copy the files into the table, then delete them")
	c.Flags().StringVar(&f.partitionValues, "partition-values", "", "partition of the files as a JSON object")
	addBranch(c, &f.branch)
	return c
}

func (a *app) append(ctx context.Context, name string, args []string, f appendFlags) error {
	x, err := a.begin(ctx, name, f.branch)
	if err != nil {
		return err
	}
	files, err := x.inspect(ctx, args, f.partitionValues)
	if err != nil || len(files) == 0 {
		return err
	}
	if !f.move {
		x.append(files)
		return x.commit(ctx)
	}
	return x.move(ctx, files)
}
