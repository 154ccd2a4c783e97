package main

import (
	"fmt"
	"strings"

	"github.com/firn-io/firn/bench/internal/document"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
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
	{"10 values, by chance", count.Pattern{Partitions: 10, Apart: true}},
	{"1,000 values, by chance", count.Pattern{Partitions: 1000, Apart: true}},
	{"100,000 values, by chance", count.Pattern{Partitions: 100_000, Apart: true}},
}

// mostOpened is how many leaves a plan of one partition may open, as a multiple of those of a table in order, and mostRead how many
// bytes a plan of everything may read, as a multiple of one compacted tree.
const (
	mostOpened = 1.5
	mostRead   = 1.1
)

// orders are the settings of adaptive for the order of leaves: none, a little, and as much as it takes for plans to open no more than
// mostOpened, which alone is judged.
var orders = []struct {
	name   string
	policy adaptive.Policy
	judged bool
}{
	{"`adaptive`", adaptive.Policy{}, false},
	{"`adaptive`, `cluster-leaves` 8", adaptive.Policy{ClusterLeaves: 8}, false},
	{"`adaptive`, `partition-leaves` 150", adaptive.Policy{PartitionLeaves: mostOpened * 100}, true},
}

// clusters counts what scans read of a table with partitions, a hundred files a commit with 20 columns with statistics, and what it costs to keep
// leaves in order.
func clusters(commits int64) (string, error) {
	const files = 100
	prices := policy.EstimatePrices(20).Thinned(1)
	streams, err := each(len(arrivals)*len(orders), func(i int) (*count.Stream, error) {
		s := &count.Stream{Table: count.Table{Prices: prices, Pattern: arrivals[i/len(orders)].pattern}, Policy: orders[i%len(orders)].policy, Pace: 1}
		return s, run(s, files, commits, 0)
	})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Scans of %d files in partitions, after %d commits with 20 columns. A table in order has full leaves, sorted by partition; what order costs is a "+
		"multiple of what `adaptive` writes without:\n\n", files*commits, commits)
	document.Header(&b, "partitions", "policy", "bytes a commit, roots whole", "times", "maintenance commits", "largest root", "leaves", "leaves opened for one partition",
		"in order", "times", "bytes for everything, times one compacted tree")
	var missed []string
	judged, plain := 0, 0.0
	for i, s := range streams {
		from, order := arrivals[i/len(orders)], orders[i%len(orders)]
		bytes := whole(s)
		if i%len(orders) == 0 {
			plain = bytes
		}
		opened, sorted, read := opened(&s.Table), inOrder(&s.Table), readAll(&s.Table)
		document.Row(&b, from.name, order.name, fmt.Sprintf("%.0f", bytes), fmt.Sprintf("%.2f", bytes/plain), fmt.Sprint(s.Maintenance), kib(s.LargestRoot),
			fmt.Sprint(len(s.Table.Leaves)), fmt.Sprintf("%.1f", opened), fmt.Sprintf("%.1f", sorted), fmt.Sprintf("%.2f", opened/sorted), fmt.Sprintf("%.3f", read))
		if !order.judged {
			continue
		}
		judged += 3
		if opened > mostOpened*sorted {
			missed = append(missed, fmt.Sprintf("%s: %.1f leaves, at most %.2f times %.1f", from.name, opened, mostOpened, sorted))
		}
		if read > mostRead {
			missed = append(missed, fmt.Sprintf("%s: %.3f times the bytes of one compacted tree, at most %.1f", from.name, read, mostRead))
		}
		if s.LargestRoot > count.RootBytes {
			missed = append(missed, fmt.Sprintf("%s: a root of %s", from.name, kib(s.LargestRoot)))
		}
	}
	document.Verdict(&b, judged, missed)
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
	full := adaptive.DefaultLeafBytes / t.Prices.LeafEntryBytes
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
