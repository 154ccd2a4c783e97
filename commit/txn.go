package commit

import (
	"context"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/tree"
)

// Isolation says what a transaction that depends on a filter makes of files that other writers added since it began
// (F26).
type Isolation uint8

const (
	// Serializable makes it a conflict if such a file may match the filter, and for [Txn.DependOn] also if one that may was
	// removed or lost rows: the outcome is that of some order of the transactions that say what they depend on.
	Serializable Isolation = iota
	// SnapshotIsolation leaves such files alone: the filter meant what was there when the transaction began.
	SnapshotIsolation
)

// TxnOptions are the settings of one transaction. The zero TxnOptions are good (F9, F12).
type TxnOptions struct {
	// Branch is the branch to commit to; default is main. Any other branch must be there.
	Branch string
	// Isolation is for transactions with a filter; default is [Serializable].
	Isolation Isolation
	// Mode is told to the policy; default is [policy.Foreground]. In a [policy.Maintenance] transaction that changes
	// nothing and for which the policy has no step, Commit does nothing, with success (F28).
	Mode policy.Mode
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
	return choose.ForTable(m.Properties)
}

// Txn collects changes to one table and commits them together. It is used by one goroutine, and once.
type Txn struct {
	proposal
	options TxnOptions
	adds    []*add
	targets []*target
	// added and named find adds and targets by location.
	added   map[string]*add
	named   map[string]*target
	filters []filter
	// restored is the snapshot whose live files are to be live again, if any.
	restored *restore
	// problems are uses that make no sense, found while changes were collected.
	problems []error
}

// Begin starts a transaction on the current state of the table.
func (t *Table) Begin(ctx context.Context, o TxnOptions) (*Txn, error) {
	if o.Branch == "" {
		o.Branch = metadata.MainBranch
	}
	if o.Mode == 0 {
		o.Mode = policy.Foreground
	}
	if o.Isolation > SnapshotIsolation || o.Mode > policy.Maintenance {
		return nil, refusef("", "no isolation level %d, or no mode %d", o.Isolation, o.Mode)
	}
	head, err := t.HeadOf(ctx, o.Branch)
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
	return &Txn{
		proposal: proposal{table: t, base: head, maxAttempts: o.MaxAttempts}, options: o,
		added: make(map[string]*add), named: make(map[string]*target),
	}, nil
}

// Base returns the state that the transaction began on.
func (x *Txn) Base() *Head { return x.base }

func (x *Txn) resolve(name string) string { return tree.Resolve(x.base.Location, name) }

// changes reports whether the transaction changes any file.
func (x *Txn) changes() bool {
	return len(x.adds) > 0 || len(x.targets) > 0 || x.restored != nil
}
