package world

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/treetext"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/tree"
)

// writer is one program that works on the table, with its own view of it. All its store calls go through the injector.
type writer struct {
	calls fault.Injector
	table *commit.Table
	// txn is the transaction that was begun, nil between transactions; changes is the same for the model.
	txn     *commit.Txn
	changes []change
}

// finished is a commit that succeeded.
type finished struct {
	result commit.Result
	calls  []fault.Call
}

// by returns the writer that a command names; one without a name is the writer "".
func (w *World) by(c command) *writer {
	name, _ := c.option("by")
	x, known := w.writers[name]
	if !known {
		x = new(writer)
		x.table = commit.Open(tableID, x.calls.Catalog(w.catalog), x.calls.Objects(w.objects),
			commit.Options{Env: w.env.forCommits(), Codec: w.codec})
		w.writers[name] = x
	}
	return x
}

// begin begins a transaction.
func (w *World) begin(ctx context.Context, c command) (string, error) {
	x := w.by(c)
	if x.txn != nil {
		return "", errors.New("a transaction was begun already")
	}
	o := commit.TxnOptions{CheckDuplicates: true}
	switch text, given := c.option("duplicates"); {
	case given && text == "unchecked":
		o.CheckDuplicates = false
	case given:
		return "", errors.New("want duplicates=unchecked or no such option")
	}
	properties, err := policyProperties(c)
	if err != nil {
		return "", err
	}
	if len(properties) > 0 {
		if o.Policy, err = policy.ForTable(properties); err != nil {
			return "", err
		}
	}
	return "", x.begin(ctx, o)
}

func (x *writer) begin(ctx context.Context, o commit.TxnOptions) (err error) {
	x.txn, err = x.table.Begin(ctx, o)
	return err
}

// begun makes sure that the writer has a transaction.
func (x *writer) begun(ctx context.Context) error {
	if x.txn != nil {
		return nil
	}
	return x.begin(ctx, commit.TxnOptions{CheckDuplicates: true})
}

// add adds data files to a transaction.
func (w *World) add(ctx context.Context, c command) (string, error) {
	x := w.by(c)
	files, err := w.files(c, c.names)
	if err != nil {
		return "", err
	}
	if err := x.begun(ctx); err != nil {
		return "", err
	}
	x.txn.Append(files...)
	x.adds(files)
	return "", nil
}

// remove removes data files in a transaction.
func (w *World) remove(ctx context.Context, c command) (string, error) {
	x := w.by(c)
	if err := x.begun(ctx); err != nil {
		return "", err
	}
	targets, err := w.targets(ctx, c, c.names)
	if err != nil {
		return "", err
	}
	x.txn.Remove(targets...)
	x.removes(targets)
	return "", nil
}

// replace removes files and adds those that hold what stays of their rows.
func (w *World) replace(ctx context.Context, c command) (string, error) {
	x := w.by(c)
	with := slices.Index(c.names, "with")
	if with < 0 {
		return "", errors.New("want files, with, and the files that replace them")
	}
	files, err := w.files(c, c.names[with+1:])
	if err != nil {
		return "", err
	}
	if err := x.begun(ctx); err != nil {
		return "", err
	}
	targets, err := w.targets(ctx, c, c.names[:with])
	if err != nil {
		return "", err
	}
	x.txn.Replace(targets, files...)
	x.removes(targets)
	x.adds(files)
	return "", nil
}

// commit commits a transaction and, if it succeeds, holds the new snapshot against the model.
func (w *World) commit(ctx context.Context, c command) (string, error) {
	x := w.by(c)
	if err := x.begun(ctx); err != nil {
		return "", err
	}
	txn, changes := x.txn, x.changes
	x.txn, x.changes = nil, nil
	w.env.tick()
	before := len(x.calls.Calls())
	w.last = nil
	result, err := txn.Commit(ctx)
	if err != nil {
		return "", err
	}
	w.last = &finished{result, x.calls.Calls()[before:]}
	found, err := w.verify(ctx, result, changes)
	return fmt.Sprintf("snapshot %d\n", result.SnapshotID) + found, err
}

// The record count and size of a file that a script does not describe.
const (
	defaultRecords = 100
	defaultBytes   = 1000
)

// files returns the data files of a command: its names, all with the fields of its options.
func (w *World) files(c command, names []string) ([]tree.File, error) {
	line := "loose ADDED file"
	for _, o := range c.options {
		if o.name != "by" && (o.name != "at" || c.verb != "replace") {
			line += " " + o.name + "=" + o.text
		}
	}
	doc, err := treetext.Parse(line)
	if err != nil {
		return nil, err
	}
	e := doc.Tree.Rows[0]
	file := tree.File{
		Format: e.FileFormat, RecordCount: e.RecordCount, FileSizeBytes: e.FileSizeBytes,
		SpecID: e.SpecID, Partition: e.Partition, Stats: e.Stats, SortOrderID: e.SortOrderID,
		SplitOffsets: e.SplitOffsets, KeyMetadata: e.KeyMetadata, DeletionVector: e.DeletionVector,
		DataSequenceNumber: e.Tracking.SequenceNumber,
	}
	if file.RecordCount == 0 {
		file.RecordCount = defaultRecords
	}
	if file.FileSizeBytes == 0 {
		file.FileSizeBytes = defaultBytes
	}
	if dv := &file.DeletionVector; dv.Valid {
		dv.Val.Location = tree.Resolve(w.names.location, dv.Val.Location)
	}
	if file.Partition != nil && !file.SpecID.Valid {
		file.SpecID = iceberg.Optional[int32]{Valid: true}
	}
	var files []tree.File
	for _, name := range names {
		file.Location = tree.Resolve(w.names.location, name)
		files = append(files, file)
	}
	return files, nil
}

// targets returns the files to remove, by name or as a snapshot shows them.
func (w *World) targets(ctx context.Context, c command, names []string) ([]commit.Target, error) {
	var targets []commit.Target
	for _, name := range names {
		target := commit.Target{Location: tree.Resolve(w.names.location, name)}
		if text, given := c.option("seq"); given && c.verb == "remove" {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return nil, err
			}
			target.FileSequenceNumber = iceberg.Optional[int64]{Val: n, Valid: true}
		}
		if _, given := c.option("at"); given {
			located, err := w.find(ctx, c, target.Location)
			if err != nil {
				return nil, err
			}
			target = commit.At(located)
		}
		targets = append(targets, target)
	}
	return targets, nil
}

// find returns a live file of a snapshot.
func (w *World) find(ctx context.Context, c command, location string) (tree.Located, error) {
	t, err := w.at(ctx, c)
	if err != nil {
		return tree.Located{}, err
	}
	for located, err := range tree.Live(ctx, t, tree.Full, w.codec.Leaves(w.objects)) {
		if err != nil {
			return tree.Located{}, err
		}
		if located.Location == location {
			return located, nil
		}
	}
	return tree.Located{}, fmt.Errorf("%s is not live there", location)
}

// unquote returns the text of an option that may be quoted.
func unquote(text string) string {
	if !strings.HasPrefix(text, `"`) {
		return text
	}
	if plain, err := strconv.Unquote(text); err == nil {
		return plain
	}
	return text
}
