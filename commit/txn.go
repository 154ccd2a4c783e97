package commit

import (
	"context"
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/tree"
)

// TxnOptions are the settings of one transaction. The zero TxnOptions are good (F9, F12).
type TxnOptions struct {
	// CheckDuplicates looks up every file to add in the whole tree, since the format does not (rules 13.2). It
	// reads locations, statuses and ids of the leaves that nothing excludes. Without it, adding a location that
	// is live already makes the snapshot's meaning undefined (rules 13.1); only the root is looked at.
	CheckDuplicates bool
	// Policy decides where entries go; default is the one that the table's properties choose.
	Policy policy.Policy
	// Limits bound what one commit may write.
	Limits policy.Limits
	// MaxAttempts bounds the attempts; default is the table property commit.retry.num-retries plus one, 5 without it.
	MaxAttempts int
	// Summary is added to the snapshot's summary. Keys that the engine sets itself are refused.
	Summary map[string]string
}

// policy returns the policy of an attempt: the caller's, else the one that the table chooses at that time.
func (o TxnOptions) policy(m metadata.Table) (policy.Policy, error) {
	if o.Policy != nil {
		return o.Policy, nil
	}
	return policy.ForTable(m.Properties)
}

// Target names a live data file of the table that a transaction removes.
type Target struct {
	// Location is resolved, or relative to the table's location.
	Location string
	// FileSequenceNumber, if set, tells the file apart from another of the same location.
	FileSequenceNumber iceberg.Optional[int64]
	// Hint, if set, is where the caller read the file, unchanged; it spares the lookup while it is still right. A
	// leaf and a position that were made up name another file, and nobody looks again.
	Hint *tree.Located
}

// At returns the target that a scan or an iteration of [Table.Files] found.
func At(l tree.Located) Target {
	return Target{Location: l.Location, FileSequenceNumber: l.Entry.Tracking.FileSequenceNumber, Hint: &l}
}

// Txn collects changes to one table and commits them together. It is used by one goroutine, and once.
type Txn struct {
	table   *Table
	options TxnOptions
	base    *Head
	adds    []add
	targets []*target
	begun   bool
	work    work
}

// add is a file to add.
type add struct {
	file     tree.File
	location string // resolved
}

// target is a file to remove, with what the transaction learned of it.
type target struct {
	Target
	location string // resolved
	// rewritten says that new files of this transaction hold its rows.
	rewritten bool
	// found is where it stood when it was looked up last, nil before that.
	found *tree.Located
}

// Begin starts a transaction on the current state of the table.
func (t *Table) Begin(ctx context.Context, o TxnOptions) (*Txn, error) {
	head, err := t.Head(ctx)
	if err != nil {
		return nil, err
	}
	if head.Metadata.FormatVersion != 4 {
		return nil, refusef("", "table %s has format version %d, only version 4 is written", t.id, head.Metadata.FormatVersion)
	}
	if _, err := o.policy(head.Metadata); err != nil {
		return nil, &RefusedError{Reasons: []string{err.Error()}, Err: err}
	}
	if o.MaxAttempts <= 0 {
		o.MaxAttempts = attemptsOf(head.Metadata.Properties)
	}
	if err := checkSummary(o.Summary); err != nil {
		return nil, err
	}
	return &Txn{table: t, options: o, base: head}, nil
}

// Base returns the state that the transaction began on.
func (x *Txn) Base() *Head { return x.base }

// Append adds data files.
func (x *Txn) Append(files ...tree.File) {
	for _, f := range files {
		x.adds = append(x.adds, add{file: f, location: x.resolve(f.Location)})
	}
}

// Remove removes data files. A file that this transaction added leaves no trace (S18, F2).
func (x *Txn) Remove(targets ...Target) {
	for _, t := range targets {
		x.remove(t, false)
	}
}

// Replace removes data files and adds others that hold what is to stay of their rows: a compaction or an
// overwrite. If the deletes of a removed file have changed since it was read, the commit is a conflict, for the
// new files would bring deleted rows back.
func (x *Txn) Replace(old []Target, files ...tree.File) {
	for _, t := range old {
		x.remove(t, true)
	}
	x.Append(files...)
}

func (x *Txn) remove(t Target, rewritten bool) {
	name := x.resolve(t.Location)
	own := slices.IndexFunc(x.adds, func(a add) bool { return a.location == name })
	if own >= 0 && t.Hint == nil && !t.FileSequenceNumber.Valid {
		x.adds = slices.Delete(x.adds, own, own+1)
		return
	}
	x.targets = append(x.targets, &target{Target: t, location: name, rewritten: rewritten, found: t.Hint})
}

func (x *Txn) resolve(name string) string { return tree.Resolve(x.base.Location, name) }
