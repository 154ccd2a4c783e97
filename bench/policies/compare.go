package main

import (
	"fmt"
	"strings"

	"github.com/firn-io/firn/bench/internal/document"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/count"
)

// compare counts policies side by side on one stream: a million files, ten a commit, 20 columns with statistics.
func compare() (string, error) {
	const files, commits = 10, 100_000
	prices := policy.EstimatePrices(20)
	var b strings.Builder
	fmt.Fprintf(&b, "Bytes a commit, roots whole, of %d commits of %d files with 20 columns:\n\n", commits, files)
	document.Header(&b, "policy", "maintenance at most every", "bytes", "times adaptive", "largest root", "leaves at the end")
	var best float64
	for _, c := range []struct {
		policy policy.Policy
		pace   int64
	}{
		{policy.Adaptive{}, 1}, {policy.Adaptive{}, 10}, {policy.Adaptive{}, 100}, {policy.Adaptive{}, 0},
		{policy.Tiered{}, 0}, {policy.Leveled{}, 0}, {policy.Sqrt{}, 0}, {policy.WhenFull{}, 0}, {policy.Cap{}, 0},
	} {
		s := &stream{table: count.Table{Prices: prices}, policy: c.policy, files: files, pace: c.pace}
		if err := s.run(commits, 0); err != nil {
			return "", err
		}
		bytes := float64(s.bytes)/commits + float64(prices.RootFixedBytes)*float64(commits+s.maintenance)/commits
		if best == 0 {
			best = bytes
		}
		after := "never"
		if c.pace > 0 {
			after = fmt.Sprintf("%d commits", c.pace)
		}
		document.Row(&b, "`"+c.policy.Name()+"`", after, fmt.Sprintf("%.0f", bytes), fmt.Sprintf("%.2f", bytes/best), kib(s.root), fmt.Sprint(len(s.table.Leaves)))
	}
	return b.String(), nil
}
