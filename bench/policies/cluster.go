package main

import (
	"fmt"
	"strings"

	"github.com/firn-io/firn/bench/internal/document"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/count"
)

// arrival is how the files of commits are spread over partitions.
type arrival struct {
	name    string
	pattern count.Pattern
}

// arrivals are time, which commits follow, and columns of which each commit has any values.
var arrivals = []arrival{
	{"days of 100 commits", count.Pattern{CommitsPerPartition: 100}},
	{"10 values, by chance", count.Pattern{Partitions: 10}},
	{"1,000 values, by chance", count.Pattern{Partitions: 1000}},
	{"100,000 values, by chance", count.Pattern{Partitions: 100_000}},
}

// mostOpened is how many leaves a plan of one partition may open, as a multiple of those of a table in order, and mostRead how many
// bytes a plan of everything may read, as a multiple of one compacted tree.
const (
	mostOpened = 1.5
	mostRead   = 1.1
)

// clusters counts what scans read of a table with partitions, a hundred files a commit with 20 columns with statistics, and what it costs to put
// leaves into order.
func clusters(commits int64) (string, error) {
	const files = 100
	prices := policy.EstimatePrices(20).Thinned(1)
	policies := []policy.Adaptive{{}, {ClusterLeaves: 8}}
	streams, err := each(len(arrivals)*len(policies), func(i int) (*count.Stream, error) {
		s := &count.Stream{Table: count.Table{Prices: prices, Pattern: arrivals[i/len(policies)].pattern}, Policy: policies[i%len(policies)], Pace: 1}
		return s, run(s, files, commits, 0)
	})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Scans of %d files in partitions, after %d commits with 20 columns. A table in order has full leaves, sorted by partition:\n\n", files*commits, commits)
	document.Header(&b, "partitions", "policy", "bytes a commit, roots whole", "leaves", "leaves opened for one partition", "in order", "times", "bytes for everything, times one compacted tree")
	var missed []string
	for i, s := range streams {
		from := arrivals[i/len(policies)]
		name := [...]string{"`adaptive`", "`adaptive`, `cluster-leaves` 8"}[i%len(policies)]
		bytes := (float64(s.Bytes) + float64(prices.RootFixedBytes)*float64(commits+s.Maintenance)) / float64(commits)
		opened, sorted, read := opened(&s.Table), inOrder(&s.Table), readAll(&s.Table)
		document.Row(&b, from.name, name, fmt.Sprintf("%.0f", bytes), fmt.Sprint(len(s.Table.Leaves)), fmt.Sprintf("%.1f", opened), fmt.Sprintf("%.1f", sorted),
			fmt.Sprintf("%.2f", opened/sorted), fmt.Sprintf("%.3f", read))
		if i%len(policies) == 1 && opened > mostOpened*sorted {
			missed = append(missed, fmt.Sprintf("%s: %.1f leaves, at most %.2f times %.1f", from.name, opened, mostOpened, sorted))
		}
		if i%len(policies) == 1 && read > mostRead {
			missed = append(missed, fmt.Sprintf("%s: %.3f times the bytes of one compacted tree, at most %.1f", from.name, read, mostRead))
		}
	}
	document.Verdict(&b, 2*len(arrivals), missed)
	return b.String(), nil
}

// opened is how many leaves have bounds around a partition, on average over all partitions.
func opened(t *count.Table) float64 {
	var sum int64
	for i := range t.Leaves {
		leaf := t.Leaf(i)
		sum += leaf.High - leaf.Low + 1
	}
	return float64(sum) / float64(t.Partitions())
}

// inOrder is what it would be of full leaves sorted by partition: each cut between two leaves goes through a partition at most.
func inOrder(t *count.Table) float64 {
	full := policy.DefaultLeafBytes / t.Prices.LeafEntryBytes
	leaves := (t.Files + full - 1) / full
	return float64(t.Partitions()+leaves-1) / float64(t.Partitions())
}

// readAll is what a plan of everything reads, root and leaves, as a multiple of one leaf with all files and its root.
func readAll(t *count.Table) float64 {
	p := t.Prices
	root := p.RootFixedBytes + t.Loose()*p.LooseBytes + int64(len(t.Leaves))*p.PointerBytes
	compacted := p.RootFixedBytes + p.PointerBytes + p.LeafFixedBytes + t.Files*p.LeafEntryBytes
	return float64(root+t.LeafBytes()) / float64(compacted)
}
