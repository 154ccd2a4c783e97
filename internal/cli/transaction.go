package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
)

// transaction is one change of a table.
type transaction struct {
	*app
	objects store.Objects
	table   *commit.Table
	txn     *commit.Txn
	// base is the state that the change begins from.
	base *commit.Head
	// added and removed count files.
	added, removed int
}

// addBranch adds the flag of the commands that write.
func addBranch(c *cobra.Command, branch *string) {
	c.Flags().StringVar(branch, "branch", metadata.MainBranch, "branch to commit to; this version writes main only")
}

// begin starts a change of a table of the catalog. Files to add are looked up in the whole tree.
func (a *app) begin(ctx context.Context, name, branch string) (*transaction, error) {
	if branch != metadata.MainBranch {
		return nil, usagef("branch %q: this version writes %s only", branch, metadata.MainBranch)
	}
	named, err := a.table(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := named.CheckWritable(); err != nil {
		return nil, err
	}
	t := commit.Open(named.ID, named.Catalog, named.Objects, commit.Options{Location: named.Location})
	txn, err := t.Begin(ctx, commit.TxnOptions{CheckDuplicates: true})
	if err != nil {
		return nil, err
	}
	return &transaction{app: a, objects: named.Objects, table: t, txn: txn, base: txn.Base()}, nil
}

// append adds files to the change.
func (x *transaction) append(files []inspected) {
	for _, f := range files {
		x.txn.Append(f.file)
	}
	x.added += len(files)
}

// commit publishes the change and prints what was committed.
func (x *transaction) commit(ctx context.Context) error {
	result, err := x.publish(ctx)
	if err != nil {
		return err
	}
	return x.printResult(result)
}

// publish commits the change; an error says that it was not committed, or that this is not known.
func (x *transaction) publish(ctx context.Context) (commit.Result, error) {
	result, err := x.txn.Commit(ctx)
	if err != nil {
		return commit.Result{}, err
	}
	for _, name := range result.Leftover {
		x.notice("%s: left over from a lost attempt, could not be removed", name)
	}
	for _, deferred := range result.Plan.Deferred {
		x.notice("due for maintenance: %s", deferred)
	}
	return result, nil
}

var resultColumns = []string{
	"snapshot_id", "sequence_number", "added_files", "removed_files", "leaves_written", "leaves_opened", "bytes_written",
	"attempts", "root", "metadata_location",
}

func (x *transaction) printResult(r commit.Result) error {
	if x.format == formatText {
		_, err := fmt.Fprintf(x.out, "snapshot %d (sequence number %d): added %s, removed %s, wrote %s\n",
			r.SnapshotID, r.SequenceNumber, count(x.added, "file", "files"), count(x.removed, "file", "files"),
			count(r.LeavesWritten, "leaf", "leaves"))
		return err
	}
	t := x.newTable(true, resultColumns...)
	t.row(
		numberCell(r.SnapshotID), numberCell(r.SequenceNumber), numberCell(int64(x.added)), numberCell(int64(x.removed)),
		numberCell(int64(r.LeavesWritten)), numberCell(int64(r.LeavesOpened)), numberCell(r.BytesWritten),
		numberCell(int64(r.Attempts)), textCell(r.RootLocation), textCell(r.MetadataLocation),
	)
	return t.end()
}

// locations returns the locations that arguments name.
func locations(args []string) ([]string, error) {
	names := make([]string, len(args))
	for i, arg := range args {
		var err error
		if names[i], err = target.Location(arg); err != nil {
			return nil, err
		}
	}
	return names, nil
}

func count(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}
