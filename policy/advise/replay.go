package advise

import (
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/policy/simple"
)

// Start is a table before the first commit that is counted.
type Start struct {
	// Loose are the files in the root, and Leaves the live files of each leaf.
	Loose  int64
	Leaves []int64
}

// Outcome is what the commits of a table wrote, and what it is then.
type Outcome struct {
	// RootBytes are those of all roots, and LeafBytes those of all leaves that were written.
	RootBytes, LeafBytes int64
	// Commits are those of writers, Maintenance those of maintenance, and LeavesWritten the leaves that both wrote.
	Commits, Maintenance, LeavesWritten int64
	// LargestRootBytes is the size of the largest root, and MostRewrittenBytes the most that a writer wrote of old leaves again.
	LargestRootBytes, MostRewrittenBytes int64
	// EndRootBytes and EndLeafBytes are the sizes of the last root and of the leaves that it points to, of which there are EndLeaves.
	EndRootBytes, EndLeafBytes, EndLeaves int64
}

// Bytes are those of all roots and leaves that were written.
func (o Outcome) Bytes() int64 { return o.RootBytes + o.LeafBytes }

// Objects are the roots and leaves that were written.
func (o Outcome) Objects() int64 { return o.Commits + o.Maintenance + o.LeavesWritten }

// ScanBytes is what a plan reads that needs every file of the table at the end.
func (o Outcome) ScanBytes() int64 { return o.EndRootBytes + o.EndLeafBytes }

// Replay counts what a policy writes, commit for commit.
type Replay struct {
	policy  policy.Policy
	table   count.Table
	due     bool
	outcome Outcome
}

// NewReplay begins with a table as it is. Which files later commits remove or modify is not known but by number: they are drawn, each
// with the same chance.
func NewReplay(p policy.Policy, prices policy.Prices, start Start) (*Replay, error) {
	r := &Replay{policy: p, table: count.Table{Prices: prices}}
	for _, files := range start.Leaves {
		if _, err := r.table.Commit(pushAll{}, files); err != nil {
			return nil, err
		}
	}
	if start.Loose > 0 {
		if _, err := r.table.Commit(simple.Never{}, start.Loose); err != nil {
			return nil, err
		}
	}
	if start.Loose > 0 || len(start.Leaves) > 0 { // that is the last root until there is another one
		r.outcome.EndRootBytes = prices.RootFixedBytes + start.Loose*prices.LooseBytes + int64(len(start.Leaves))*prices.PointerBytes
	}
	return r, nil
}

// pushAll makes one leaf of all loose files.
type pushAll struct{}

// Name implements [policy.Policy].
func (pushAll) Name() string { return "push-all" }

// Plan implements [policy.Policy].
func (pushAll) Plan(in policy.Input) (policy.Plan, error) {
	plan, rest := policy.Keep(in)
	if len(rest) > 0 {
		plan.Steps = append(plan.Steps, policy.Step{Kind: policy.Push, Members: rest, Written: -1})
	}
	return plan, nil
}

// Commit counts a commit of a writer.
func (r *Replay) Commit(change count.Change) error {
	cost, err := r.table.Apply(r.policy, change)
	if err != nil {
		return err
	}
	r.outcome.Commits++
	r.outcome.MostRewrittenBytes = max(r.outcome.MostRewrittenBytes, cost.RewrittenBytes)
	r.due = r.due || len(cost.Deferred) > 0
	r.note(cost)
	return nil
}

// Maintain counts a maintenance commit, if the policy sees anything to do.
func (r *Replay) Maintain() error {
	cost, err := r.table.Maintain(r.policy)
	r.due = false
	if err != nil || cost.Bytes() == 0 {
		return err
	}
	r.outcome.Maintenance++
	r.note(cost)
	return nil
}

// Due reports whether a plan has left something to maintenance since it came last.
func (r *Replay) Due() bool { return r.due }

func (r *Replay) note(cost count.Cost) {
	root := r.table.Prices.RootFixedBytes + cost.RootBytes
	r.outcome.RootBytes += root
	r.outcome.LeafBytes += cost.LeafBytes
	r.outcome.LeavesWritten += int64(cost.Leaves)
	r.outcome.LargestRootBytes = max(r.outcome.LargestRootBytes, root)
	r.outcome.EndRootBytes = root
}

// Outcome returns what has been counted so far.
func (r *Replay) Outcome() Outcome {
	o := r.outcome
	o.EndLeaves, o.EndLeafBytes = int64(len(r.table.Leaves)), r.table.LeafBytes()
	return o
}
