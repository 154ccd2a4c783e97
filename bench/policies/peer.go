package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firn-io/firn/bench/internal/document"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/policy/mergeappend"
	"github.com/firn-io/firn/policy/simple"
)

// The names of the appends of version 3.
const mergeAppend, fastAppend = "version 3, merge append", "version 3, fast append"

// references holds what adaptive writes against the rules of others: at least 80 times as little as those without a plan, and no more than
// version 3.
func references(costs map[string]float64) string {
	text, missed := "", 0
	for _, r := range []struct {
		name  string
		least float64
	}{{simple.WhenFull{}.Name(), 80}, {simple.Cap{}.Name(), 80}, {mergeAppend, 1}} {
		times := costs[r.name] / costs[adaptive.Policy{}.Name()]
		verdict := "held"
		if times < r.least {
			verdict = "missed"
			missed++
		}
		text += fmt.Sprintf("- %s: %.2f times adaptive, at least %.0f: %s\n", r.name, times, r.least, verdict)
	}
	return fmt.Sprintf("\nAgainst the rules of others, 3 figures have a limit, %d missed it.\n\n%s", missed, text)
}

// peer counts the appends of version 3 on the same stream: the list of manifests is its root, and manifests are its leaves. It returns
// the bytes a commit.
func peer(b *strings.Builder, name string, fast bool, files, commits int64, best float64) float64 {
	table := mergeappend.Table{Sizes: mergeappend.Estimate(20), Fast: fast}
	var sum, largest int64
	for range commits {
		cost := table.Append(files)
		sum += cost.Bytes()
		largest = max(largest, cost.ListBytes)
	}
	bytes := float64(sum) / float64(commits)
	document.Row(b, name, "never", fmt.Sprintf("%.0f", bytes), fmt.Sprintf("%.2f", bytes/best), kib(largest), fmt.Sprint(table.Manifests()))
	return bytes
}

// whole returns the bytes a commit of a stream, roots with their fixed price.
func whole(s *count.Stream) float64 {
	return float64(s.Bytes+s.Table.Prices.RootFixedBytes*(s.Commits+s.Maintenance)) / float64(s.Commits)
}

// peers counts merge appends of version 3 and adaptive side by side, for commits of different sizes and tables of different widths. Where
// commits are small and tables wide, version 3 writes less: every root of version 4 has a schema and a footer for all columns.
func peers(files []int64, columns []int, commits int64) (string, error) {
	cells, err := each(len(files)*len(columns), func(i int) (string, error) {
		n, c := files[i/len(columns)], columns[i%len(columns)]
		s := &count.Stream{Table: count.Table{Prices: policy.EstimatePrices(c).Thinned(0)}, Policy: adaptive.Policy{}, Pace: 1}
		if err := run(s, n, commits, 0); err != nil {
			return "", err
		}
		table := mergeappend.Table{Sizes: mergeappend.Estimate(c)}
		var sum int64
		for range commits {
			sum += table.Append(n).Bytes()
		}
		bytes := float64(sum) / float64(commits)
		return fmt.Sprintf("%.2f (%.0f, %.0f)", bytes/whole(s), bytes, whole(s)), nil
	})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Version 3, merge append, as a multiple of `adaptive`, roots whole, %d commits (bytes a commit of both):\n\n", commits)
	header := []string{"files a commit"}
	for _, c := range columns {
		header = append(header, fmt.Sprintf("%d columns", c))
	}
	document.Header(&b, header...)
	for row := range slices.Chunk(cells, len(columns)) {
		document.Row(&b, append([]string{fmt.Sprint(files[0])}, row...)...)
		files = files[1:]
	}
	return b.String(), nil
}
