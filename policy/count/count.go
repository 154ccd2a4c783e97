// Package count says what policies cost without writing anything: it keeps a table of which there are only numbers, lets a policy
// plan each commit, and counts the bytes, by the prices that the policy itself sees. Files are alike, so that a hundred million of
// them take no more memory than the leaves that they are in.
//
// Files that are removed, or get another deletion vector, are drawn (see [Pattern]). As in a real table a loose one leaves a tombstone
// in the commit that removes it, one in a leaf a masked position, and one in a leaf that gets another vector a row of the root too. The
// bitmaps count with [MaskBytes]. A leaf whose files are all masked ends with the next commit.
package count

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/firn-io/firn/policy"
)

// mostGroups bounds the groups of loose files.
const mostGroups = 64

// mostHistory is how many snapshots a policy sees.
const mostHistory = 40

// keyNew is the key of new files.
const keyNew = "new"

// looseKeys are the keys of the groups. Of files that are told apart there may be more, and the last key is that of all these.
var looseKeys = func() (keys [mostGroups + 2]string) {
	for i := range keys {
		keys[i] = fmt.Sprint("loose ", i)
	}
	return keys
}()

// Table is a table of which only numbers are kept. The zero Table has no prices; set them, the limits and the pattern before the
// first commit.
type Table struct {
	Prices  policy.Prices
	Limits  policy.Limits
	Pattern Pattern
	// Files are all live files of the table.
	Files int64
	// Leaves are the live files of each leaf. A leaf without any ends with the next commit.
	Leaves []int64

	// now counts the commits of writers, snapshot all, and written all leaves that there ever were.
	now, snapshot, written int64
	history                []policy.Snapshot
	// loose are groups of loose files, the oldest first; leaves and pointers say of each leaf what the table and what policies know.
	loose    []group
	leaves   []leaf
	pointers []policy.Pointer
	// ranked says that the pointers tell where their partitions stand, and bounds are these partitions, in order.
	ranked bool
	bounds []int64
	// leafBytes are those of all leaves, maskBytes those of their bitmaps.
	leafBytes, maskBytes int64
	drawing              drawing
	draft                draft
}

// draft is a commit being made. What it holds is used again by the next one.
type draft struct {
	in policy.Input
	// added are the new files, left those that leave their leaves with another deletion vector.
	added []group
	left  group
	// placed says of each item of each list of the input that a step has taken it.
	placed [policy.FromPointers + 1][]bool
	// touched are the leaves of which files are masked, and deltaBytes those of the bitmaps of this commit alone.
	touched    []int
	deltaBytes int64
}

// Clone returns a table that is the same and goes its own way from here on.
func (t *Table) Clone() *Table {
	c := *t
	c.Leaves, c.history, c.loose = slices.Clone(t.Leaves), slices.Clone(t.history), slices.Clone(t.loose)
	c.leaves, c.pointers, c.bounds = slices.Clone(t.leaves), slices.Clone(t.pointers), slices.Clone(t.bounds)
	c.draft = draft{touched: slices.Clone(t.draft.touched)}
	c.drawing = drawing{added: t.drawing.added}
	if t.drawing.random != nil {
		source := *t.drawing.source
		c.drawing.source, c.drawing.random = &source, rand.New(&source)
	}
	return &c
}

// Placed counts the live files that are loose or in a leaf: all of them, unless a policy lost some.
func (t *Table) Placed() int64 {
	var n int64
	for _, g := range t.loose {
		n += g.live
	}
	for _, files := range t.Leaves {
		n += files
	}
	return n
}

// Loose counts the files in the root.
func (t *Table) Loose() int64 {
	var n int64
	for _, g := range t.loose {
		n += g.live
	}
	return n
}

// Cost is what a commit wrote.
type Cost struct {
	// RootBytes are those of the root beyond its fixed price, LeafBytes those of all new leaves, and RewrittenBytes what new leaves
	// took from old ones.
	RootBytes, LeafBytes, RewrittenBytes int64
	// MaskBytes are those of the root that are bitmaps, and Tombstones the rows of the root that tell of removed and replaced files.
	MaskBytes, Tombstones int64
	// Leaves is the number of new leaves: Pushed, Merged, Folded and Buried by the kind of their steps.
	Leaves, Pushed, Merged, Folded, Buried int
	// Thinned are the pointers that lost statistics, and ThinFiles the live files in all leaves whose pointers lack some, then or before: what
	// plans open that filter by a column that the table is not partitioned by.
	Thinned   int
	ThinFiles int64
	// Read are the old leaves that were read to be written again, and ReadBytes their bytes.
	Read      int
	ReadBytes int64
	// Deferred is what the plan leaves to maintenance.
	Deferred []string
}

// Bytes are those of root and leaves, without the root's fixed price.
func (c Cost) Bytes() int64 { return c.RootBytes + c.LeafBytes }

// Commit adds files in a commit of a writer.
func (t *Table) Commit(p policy.Policy, files int64) (Cost, error) {
	return t.commit(p, policy.Foreground, Change{Added: files})
}

// Apply makes the commit of a writer that changes files. Those that are to be removed or modified are drawn from the files of before;
// if there are fewer, all are.
func (t *Table) Apply(p policy.Policy, c Change) (Cost, error) {
	return t.commit(p, policy.Foreground, c)
}

// Maintain makes a maintenance commit. Where the policy sees nothing to do it costs nothing.
func (t *Table) Maintain(p policy.Policy) (Cost, error) {
	return t.commit(p, policy.Maintenance, Change{})
}

func (t *Table) commit(p policy.Policy, mode policy.Mode, c Change) (Cost, error) {
	if c.Added < 0 || c.Removed < 0 || c.Modified < 0 {
		return Cost{}, fmt.Errorf("count: a change of %d, %d and %d files", c.Added, c.Removed, c.Modified)
	}
	t.begin()
	t.draft.in.Mode = mode
	if mode == policy.Foreground {
		t.now++
		t.change(c)
	}
	in := &t.draft.in
	for i, g := range t.loose {
		in.Loose = append(in.Loose, policy.Item{Key: looseKeys[min(i, len(looseKeys)-1)], Count: g.live, SequenceNumber: int64(g.since)})
	}
	t.rank()
	in.Pointers = t.pointers
	in.Limits, in.Prices, in.History, in.SequenceNumber = t.Limits, t.Prices, t.history, t.snapshot+1
	plan, err := p.Plan(*in)
	if err != nil {
		return Cost{}, err
	}
	if mode == policy.Maintenance && plan.Idle(*in) {
		return Cost{}, nil
	}
	return t.take(plan)
}

// remember notes a snapshot, of which policies see the last ones.
func (t *Table) remember(summary map[string]string) {
	if len(t.history) == mostHistory {
		t.history = t.history[1:]
	}
	t.snapshot++
	t.history = append(t.history, policy.Snapshot{ID: t.snapshot, SequenceNumber: t.snapshot, Summary: summary})
}
