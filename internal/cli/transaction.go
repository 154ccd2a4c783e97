package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

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
	// added and removed count files, deletedRows the rows that a deletion vector took in.
	added, removed, deletedRows int
}

// addBranch adds the flag of the commands that write.
func addBranch(c *cobra.Command, branch *string) {
	c.Flags().StringVar(branch, "branch", metadata.MainBranch, "branch to commit to")
}

// writable opens a table of the catalog.
func (a *app) writable(ctx context.Context, name string) (*target.Table, *commit.Table, error) {
	named, err := a.table(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	if err := named.CheckWritable(); err != nil {
		return nil, nil, err
	}
	return named, openTable(named), nil
}

func openTable(t *target.Table) *commit.Table {
	return commit.Open(t.ID, t.Catalog, t.Objects, commit.Options{Location: t.Location})
}

// begin starts a change of a branch of a table of the catalog. Files to add are looked up in the whole tree.
func (a *app) begin(ctx context.Context, name, branch string) (*transaction, error) {
	named, t, err := a.writable(ctx, name)
	if err != nil {
		return nil, err
	}
	txn, err := t.Begin(ctx, commit.TxnOptions{Branch: branch, CheckDuplicates: true})
	if err != nil {
		return nil, named.Blame(ctx, err)
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
	x.noticeResult(result)
	return result, nil
}

// noticeResult tells what a person may want to know of a commit besides its answer.
func (a *app) noticeResult(r commit.Result) {
	for _, event := range r.Events {
		a.notice("rule %s applied to %s", event.Rule, cmp.Or(event.Location, "the commit"))
	}
	for _, warning := range r.Warnings {
		a.notice("warning: %s", warning)
	}
	for _, name := range r.Leftover {
		a.notice("%s: left over, could not be removed", name)
	}
	if t := r.Plan.Thinning; len(t.Pointers) > 0 && !r.NoOp {
		a.notice("%s", cmp.Or(t.Reason, fmt.Sprintf("the root leaves out statistics of %s", count(len(t.Pointers), "pointer", "pointers"))))
	}
	for _, deferred := range r.Plan.Deferred {
		a.notice("due for maintenance: %s", deferred)
	}
}

// countFiles takes the counts from the summary of the snapshot that was committed, where the command does not know them.
func (x *transaction) countFiles(ctx context.Context, r commit.Result) {
	if r.NoOp {
		return
	}
	m, err := x.table.Metadata(ctx, r.MetadataLocation)
	if err != nil {
		x.notice("snapshot %d is committed, what it changed cannot be read back: %v", r.SnapshotID, err)
		return
	}
	s, _ := m.Snapshot(r.SnapshotID)
	of := func(key string) int {
		n, _ := strconv.Atoi(s.Summary[key]) // a count of 0 is left out
		return n
	}
	x.added, x.removed = of("added-data-files"), of("deleted-data-files")
	x.deletedRows = max(0, of("added-position-deletes")-of("removed-position-deletes"))
}

var resultColumns = []string{
	"snapshot_id", "sequence_number", "added_files", "removed_files", "leaves_written", "leaves_opened", "bytes_written",
	"attempts", "root", "metadata_location", "deleted_rows",
}

func (x *transaction) printResult(r commit.Result) error {
	if x.format == formatText {
		return x.printResultText(r)
	}
	t := x.newTable(true, resultColumns...)
	id, sequenceNumber := numberCell(r.SnapshotID), numberCell(r.SequenceNumber)
	if r.NoOp {
		id, sequenceNumber = nullCell, nullCell
	}
	t.row(
		id, sequenceNumber, numberCell(int64(x.added)), numberCell(int64(x.removed)),
		numberCell(int64(r.LeavesWritten)), numberCell(int64(r.LeavesOpened)), numberCell(r.BytesWritten),
		numberCell(int64(r.Attempts)), nonEmpty(r.RootLocation), nonEmpty(r.MetadataLocation),
		numberCell(int64(x.deletedRows)),
	)
	return t.end()
}

func (x *transaction) printResultText(r commit.Result) error {
	if r.NoOp {
		_, err := fmt.Fprintln(x.out, "nothing to do")
		return err
	}
	deleted := ""
	if x.deletedRows > 0 {
		deleted = ", deleted " + count(x.deletedRows, "row", "rows")
	}
	_, err := fmt.Fprintf(x.out, "snapshot %d (sequence number %d): added %s, removed %s%s, wrote %s\n",
		r.SnapshotID, r.SequenceNumber, count(x.added, "file", "files"), count(x.removed, "file", "files"), deleted,
		count(r.LeavesWritten, "leaf", "leaves"))
	return err
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
