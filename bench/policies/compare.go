package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firn-io/firn/bench/internal/document"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/policy/simple"
)

// compare counts policies side by side on one stream, of ten files a commit with 20 columns with statistics.
func compare(commits int64) (string, error) {
	const files = 10
	prices := policy.EstimatePrices(20).Thinned(0)
	entries := []struct {
		policy policy.Policy
		pace   int64
	}{
		{adaptive.Policy{}, 1}, {adaptive.Policy{}, 10}, {adaptive.Policy{}, 100}, {adaptive.Policy{}, 0},
		{simple.Tiered{}, 0}, {simple.Leveled{}, 0}, {simple.Sqrt{}, 0}, {simple.WhenFull{}, 0}, {simple.Cap{}, 0},
	}
	streams, err := each(len(entries), func(i int) (*count.Stream, error) {
		s := &count.Stream{Table: count.Table{Prices: prices}, Policy: entries[i].policy, Pace: entries[i].pace}
		return s, run(s, files, commits, 0)
	})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Bytes a commit, roots whole, of %d commits of %d files with 20 columns:\n\n", commits, files)
	document.Header(&b, "policy", "maintenance comes every", "bytes", "times adaptive", "largest root", "leaves at the end")
	var best float64
	costs := make(map[string]float64) // of adaptive, where maintenance comes at once
	for _, s := range streams {
		bytes := whole(s)
		if best == 0 {
			best = bytes
		}
		if _, known := costs[s.Policy.Name()]; !known {
			costs[s.Policy.Name()] = bytes
		}
		after := "never"
		if s.Pace > 0 {
			after = fmt.Sprintf("%d commits", s.Pace)
		}
		document.Row(&b, "`"+s.Policy.Name()+"`", after, fmt.Sprintf("%.0f", bytes), fmt.Sprintf("%.2f", bytes/best), kib(s.LargestRoot), fmt.Sprint(len(s.Table.Leaves)))
	}
	for _, fast := range []bool{false, true} {
		name := mergeAppend
		if fast {
			name = fastAppend
		}
		costs[name] = peer(&b, name, fast, files, commits, best)
	}
	return b.String() + references(costs), nil
}

// paces counts adaptive with maintenance at some paces, and without any.
func paces(files []int64, columns []int, commits int64) (string, error) {
	rows, err := each(len(files)*len(columns), func(i int) ([]string, error) {
		k, n := files[i/len(columns)], columns[i%len(columns)]
		prices, r, texts := policy.EstimatePrices(n).Thinned(0), row{files: k, commits: commits}, []string{fmt.Sprint(k), fmt.Sprint(n)}
		if err := r.bounds(count.Bound(k, prices, commits)); err != nil {
			return nil, err
		}
		for _, pace := range []int64{1, 10, 100, 0} {
			s := &count.Stream{Table: count.Table{Prices: prices}, Policy: adaptive.Policy{}, Pace: pace}
			if err := run(s, k, commits, 0); err != nil {
				return nil, err
			}
			texts = append(texts, fmt.Sprintf("%.3f; %s; %s", float64(s.Bytes)/float64(commits)/r.bound(), kib(s.LargestRoot), kib(s.MostRewritten)))
		}
		return texts, nil
	})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "`adaptive` with maintenance after so many commits, in %d commits, as a multiple of the greater bound; largest root; rewritten by a writer:\n\n", commits)
	document.Header(&b, "files a commit", "columns", "1", "10", "100", "never")
	for _, texts := range rows {
		document.Row(&b, texts...)
	}
	return b.String(), nil
}

// longStream is a stream that is counted to its end, but not judged.
type longStream struct {
	files   int64
	columns int
	commits int64
}

// long counts long streams.
func long(streams []longStream) (string, error) {
	rows, err := each(len(streams), func(i int) ([]row, error) {
		return cells(streams[i].files, streams[i].columns, []int64{streams[i].commits})
	})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("Longer streams, not judged, in bytes a commit beyond the root's fixed price:\n\n")
	document.Header(&b, "files a commit", "columns", "commits", "files", "closed form", "bound", "adaptive", "times the closed form", "times the bound", "largest root",
		"rewritten by a writer")
	for _, r := range slices.Concat(rows...) {
		document.Row(&b, fmt.Sprint(r.files), fmt.Sprint(r.columns), fmt.Sprint(r.commits), fmt.Sprint(r.files*r.commits), fmt.Sprintf("%.0f", r.closed),
			fmt.Sprintf("%.0f", r.lower), fmt.Sprintf("%.0f", r.adaptive), fmt.Sprintf("%.3f", r.adaptive/r.closed), fmt.Sprintf("%.3f", r.adaptive/r.bound()), kib(r.root),
			kib(r.foreground))
	}
	return b.String(), nil
}
