package main

import (
	"fmt"
	"strings"

	"github.com/firn-io/firn/bench/internal/document"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/policy/mergeappend"
)

// compare counts policies side by side on one stream, of ten files a commit with 20 columns with statistics.
func compare(commits int64) (string, error) {
	const files = 10
	prices := policy.EstimatePrices(20)
	var b strings.Builder
	fmt.Fprintf(&b, "Bytes a commit, roots whole, of %d commits of %d files with 20 columns:\n\n", commits, files)
	document.Header(&b, "policy", "maintenance comes every", "bytes", "times adaptive", "largest root", "leaves at the end")
	var best float64
	for _, c := range []struct {
		policy policy.Policy
		pace   int64
	}{
		{policy.Adaptive{}, 1}, {policy.Adaptive{}, 10}, {policy.Adaptive{}, 100}, {policy.Adaptive{}, 0},
		{policy.Tiered{}, 0}, {policy.Leveled{}, 0}, {policy.Sqrt{}, 0}, {policy.WhenFull{}, 0}, {policy.Cap{}, 0},
	} {
		s := &count.Stream{Table: count.Table{Prices: prices}, Policy: c.policy, Pace: c.pace}
		if err := run(s, files, commits, 0); err != nil {
			return "", err
		}
		bytes := float64(s.Bytes)/float64(commits) + float64(prices.RootFixedBytes)*float64(commits+s.Maintenance)/float64(commits)
		if best == 0 {
			best = bytes
		}
		after := "never"
		if c.pace > 0 {
			after = fmt.Sprintf("%d commits", c.pace)
		}
		document.Row(&b, "`"+c.policy.Name()+"`", after, fmt.Sprintf("%.0f", bytes), fmt.Sprintf("%.2f", bytes/best), kib(s.LargestRoot), fmt.Sprint(len(s.Table.Leaves)))
	}
	for _, fast := range []bool{false, true} {
		peer(&b, fast, files, commits, best)
	}
	return b.String(), nil
}

// peer counts the appends of version 3 on the same stream: the list of manifests is its root, and manifests are its leaves.
func peer(b *strings.Builder, fast bool, files, commits int64, best float64) {
	table := mergeappend.Table{Sizes: mergeappend.Estimate(20), Fast: fast}
	var sum, largest int64
	for range commits {
		cost := table.Append(files)
		sum += cost.Bytes()
		largest = max(largest, cost.ListBytes)
	}
	name := "version 3, merge append"
	if fast {
		name = "version 3, fast append"
	}
	bytes := float64(sum) / float64(commits)
	document.Row(b, name, "never", fmt.Sprintf("%.0f", bytes), fmt.Sprintf("%.2f", bytes/best), kib(largest), fmt.Sprint(table.Manifests()))
}
