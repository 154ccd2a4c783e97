package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/target"
)

// restoreCommand goes back to an older state.
func (a *app) restoreCommand() *cobra.Command {
	var branch string
	c := a.command(cobra.Command{
		Use:     "restore TABLE SNAPSHOT",
		Short:   "Make the live files of an older snapshot live again",
		GroupID: groupWrite,
		Long: `Make the live files of a retained snapshot the live files of the table again, in a new snapshot: what was added since goes,
what was removed comes back with its row ids. The history stays.

A snapshot that is expired by another writer in the meantime is a conflict, code 3.`,
		Example: "  firn restore demo.events '~1'\n  firn restore demo.events @before-migration",
		Args:    words(2, 2),
	}, func(ctx context.Context, args []string) error { return a.restore(ctx, args[0], args[1], branch) })
	addBranch(c, &branch)
	return c
}

func (a *app) restore(ctx context.Context, name, arg, branch string) error {
	x, err := a.begin(ctx, name, branch)
	if err != nil {
		return err
	}
	snapshot, err := target.Snapshot(x.base.Metadata, arg)
	if err != nil {
		return err
	}
	x.txn.Restore(snapshot.ID)
	result, err := x.publish(ctx)
	if err != nil {
		return err
	}
	x.countFiles(ctx, result)
	return x.printResult(result)
}
