package compare

import (
	"context"
	"fmt"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/count"
)

// subject makes the table of a run.
func (c Config) subject(ctx context.Context, w Workload, p Choice) (subject, error) {
	switch {
	case p.Peer != nil && c.Model != Counting:
		return nil, fmt.Errorf("%s is known to the counting model alone", p.Name)
	case p.Peer != nil:
		return &peerTable{peer: p.Peer(c.Columns)}, nil
	case c.Model != Counting:
		return c.newRealTable(ctx, w, p)
	}
	s := &counted{}
	table := count.Table{Prices: policy.EstimatePrices(c.Columns).Thinned(1), Pattern: c.pattern(w)}
	table.Pattern.Apart = p.inOrder()
	s.stream = count.Stream{Table: table, Policy: p.Policy, Pace: c.Pace, See: s.take}
	return s, nil
}

// inOrder reports whether a policy keeps leaves in the order of their partitions, and so must see which loose file has which.
func (c Choice) inOrder() bool {
	p, ok := c.Policy.(adaptive.Policy)
	return ok && p.PartitionLeaves > adaptive.DefaultPartitionLeaves
}

// pattern says which files a workload hits, and which partitions they have.
func (c Config) pattern(w Workload) count.Pattern {
	pattern := count.Pattern{Seed: c.Seed, Skew: w.Skew}
	if w.ByTime {
		pattern.CommitsPerPartition = max(1, c.Commits/c.Partitions)
	} else {
		pattern.Partitions = c.Partitions
	}
	return pattern
}

// counted is a table of numbers.
type counted struct {
	stream count.Stream
	see    func(written)
}

func (s *counted) apply(_ context.Context, c count.Change, see func(written)) error {
	s.see = see
	return s.stream.Apply(c)
}

// take tells of a commit.
func (s *counted) take(c count.Cost, mode policy.Mode) {
	s.see(written{
		root: c.RootBytes + s.stream.Table.Prices.RootFixedBytes, fresh: c.LeafBytes, rewritten: c.RewrittenBytes,
		leaves: c.Leaves, pushed: c.Pushed, merged: c.Merged, folded: c.Folded, read: c.Read, maintenance: mode == policy.Maintenance,
	})
}

func (s *counted) size() (files, leaves, leafBytes int64) {
	t := &s.stream.Table
	return t.Files, int64(len(t.Leaves)), t.LeafBytes()
}

func (s *counted) layout(context.Context) (layout, error) {
	t := &s.stream.Table
	l := layout{partitions: t.Partitions(), commits: t.Commits()}
	for i, live := range t.Leaves {
		if live > 0 {
			l.pointers = append(l.pointers, pointerOf(t.Leaf(i)))
		}
	}
	return l, nil
}
