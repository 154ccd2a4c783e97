// Package count says what policies cost without writing anything: it keeps a table of which there are only numbers, lets a policy
// plan each commit, and counts the bytes, by the prices that the policy itself sees. Files are alike, so that a hundred million of
// them take no more memory than the leaves that they are in.
package count

import (
	"fmt"
	"slices"

	"github.com/firn-io/firn/policy"
)

// mostGroups bounds the groups of loose files.
const mostGroups = 64

// mostHistory is how many snapshots a policy sees.
const mostHistory = 40

// looseKeys are the keys of the groups.
var looseKeys = func() (keys [mostGroups + 1]string) {
	for i := range keys {
		keys[i] = fmt.Sprint("loose ", i)
	}
	return keys
}()

// Table is a table that only grows. The zero Table has no prices; set them and the limits before the first commit.
type Table struct {
	Prices policy.Prices
	Limits policy.Limits
	// Files are all files of the table.
	Files int64
	// Leaves are the files of each leaf.
	Leaves []int64
	// loose are groups of loose files, the oldest first.
	loose   []int64
	history []policy.Snapshot
}

// Placed counts the files that are loose or in a leaf: all of them, unless a policy lost some.
func (t *Table) Placed() int64 {
	var n int64
	for _, files := range append(slices.Clone(t.loose), t.Leaves...) {
		n += files
	}
	return n
}

// Cost is what a commit wrote.
type Cost struct {
	// RootBytes are those of the root beyond its fixed price, LeafBytes those of all new leaves, and RewrittenBytes what new leaves
	// took from old ones.
	RootBytes, LeafBytes, RewrittenBytes int64
	// Leaves is the number of new leaves.
	Leaves int
	// Deferred is what the plan leaves to maintenance.
	Deferred []string
}

// Bytes are those of root and leaves, without the root's fixed price.
func (c Cost) Bytes() int64 { return c.RootBytes + c.LeafBytes }

// Commit adds files in a commit of a writer.
func (t *Table) Commit(p policy.Policy, files int64) (Cost, error) {
	return t.commit(p, policy.Foreground, files)
}

// Maintain makes a maintenance commit. Where the policy sees nothing to do it costs nothing.
func (t *Table) Maintain(p policy.Policy) (Cost, error) {
	return t.commit(p, policy.Maintenance, 0)
}

func (t *Table) commit(p policy.Policy, mode policy.Mode, files int64) (Cost, error) {
	in := policy.Input{Mode: mode, Limits: t.Limits, Prices: t.Prices, History: t.history}
	for i, n := range t.loose {
		in.Loose = append(in.Loose, policy.Item{Key: looseKeys[i], Count: n})
	}
	if files > 0 {
		in.New = []policy.Item{{Key: "new", Count: files}}
	}
	in.Pointers = make([]policy.Pointer, len(t.Leaves))
	for i, n := range t.Leaves {
		in.Pointers[i] = policy.Pointer{LiveEntries: n, Entries: n, FileSizeBytes: t.Prices.LeafFixedBytes + n*t.Prices.LeafEntryBytes}
	}
	plan, err := p.Plan(in)
	if err != nil {
		return Cost{}, err
	}
	if mode == policy.Maintenance && len(plan.Steps) == 0 {
		return Cost{}, nil
	}
	t.Files += files
	return t.take(in, plan)
}

// take makes the table what a plan makes of it.
func (t *Table) take(in policy.Input, plan policy.Plan) (Cost, error) {
	cost := Cost{Deferred: plan.Deferred}
	gone := make(map[policy.Ref]bool)
	var fresh []int64
	for _, step := range plan.Steps {
		var rows int64
		for _, ref := range step.Members {
			item, err := in.Item(ref)
			switch {
			case err != nil:
				return Cost{}, fmt.Errorf("count: %w", err)
			case gone[ref]:
				return Cost{}, fmt.Errorf("count: a plan places item %d of list %d twice", ref.Index, ref.Source)
			}
			gone[ref] = true
			rows += item.Count
			if ref.Source == policy.FromPointers {
				cost.RewrittenBytes += item.Count * t.Prices.LeafEntryBytes
			}
		}
		fresh = append(fresh, rows)
		cost.LeafBytes += t.Prices.LeafFixedBytes + rows*t.Prices.LeafEntryBytes
	}
	cost.Leaves = len(fresh)
	leaves := t.Leaves[:0]
	for i, n := range t.Leaves {
		if !gone[policy.Ref{Source: policy.FromPointers, Index: i}] {
			leaves = append(leaves, n)
		}
	}
	t.Leaves = append(leaves, fresh...)
	t.keepLoose(in, gone)
	for _, n := range t.loose {
		cost.RootBytes += n * t.Prices.LooseBytes
	}
	cost.RootBytes += int64(len(t.Leaves)) * t.Prices.PointerBytes
	if len(t.history) == mostHistory {
		t.history = append(t.history[:0:0], t.history[1:]...)
	}
	t.history = append(t.history, policy.Snapshot{ID: int64(len(t.history)) + 1, Summary: plan.Summary})
	return cost, nil
}

// keepLoose keeps the loose files that no step took. Neighbors are put together when there are many groups.
func (t *Table) keepLoose(in policy.Input, gone map[policy.Ref]bool) {
	t.loose = t.loose[:0]
	for i, item := range in.Loose {
		if !gone[policy.Ref{Source: policy.FromLoose, Index: i}] {
			t.loose = append(t.loose, item.Count)
		}
	}
	for i, item := range in.New {
		if !gone[policy.Ref{Source: policy.FromNew, Index: i}] {
			t.loose = append(t.loose, item.Count)
		}
	}
	if len(t.loose) <= mostGroups {
		return
	}
	halved := t.loose[:0]
	for i := 0; i < len(t.loose); i += 2 {
		n := t.loose[i]
		if i+1 < len(t.loose) {
			n += t.loose[i+1]
		}
		halved = append(halved, n)
	}
	t.loose = halved
}
