package main

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/firn-io/firn/bench/internal/document"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/bound"
	"github.com/firn-io/firn/policy/count"
)

// row is what was counted for one stream after so many commits.
type row struct {
	files   int64
	columns int
	commits int64
	// closed, lower, best, fixed and adaptive are bytes a commit beyond the root's fixed price: the closed form, the bound with
	// leaf prices and caps, the tiers that are best for this cell, those of the defaults, and what adaptive wrote.
	closed, lower, best, fixed, adaptive float64
	// tier is the best one.
	tier policy.Tiered
	// root and foreground are the largest root, and the most bytes of leaves that a commit of a writer wrote again.
	root, foreground int64
	maintenance      int64
}

// limit is the most that adaptive may cost, as a multiple of the bound.
func (r row) limit() float64 {
	return map[int64]float64{1: 1.03, 10: 1.08, 100: 1.12, 1000: 1.12}[r.files]
}

// run makes commits of so many files, but ends when they have cost more than most bytes, unless that is 0.
func run(s *count.Stream, files, commits, most int64) error {
	for range commits {
		if err := s.Commit(files); err != nil {
			return err
		}
		if most > 0 && s.Bytes > most {
			return nil
		}
	}
	return nil
}

// grid counts all cells, as many at a time as there are processors.
func grid(files []int64, columns []int, commits []int64) ([]row, error) {
	var mu sync.Mutex
	var group sync.WaitGroup
	var all []row
	var failed error
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, k := range files {
		for _, n := range columns {
			group.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				rows, err := cells(k, n, commits)
				mu.Lock()
				defer mu.Unlock()
				all, failed = append(all, rows...), cmp.Or(failed, err)
			})
		}
	}
	group.Wait()
	slices.SortFunc(all, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.files, b.files), cmp.Compare(a.columns, b.columns), cmp.Compare(a.commits, b.commits))
	})
	return all, failed
}

// cells counts the cells of one stream, at some numbers of commits: adaptive is told nothing of the end, so one run is enough.
func cells(files int64, columns int, commits []int64) ([]row, error) {
	prices := policy.EstimatePrices(columns)
	adaptive := &count.Stream{Table: count.Table{Prices: prices}, Policy: policy.Adaptive{}, Pace: 1}
	var rows []row
	for _, n := range commits {
		if err := run(adaptive, files, n-adaptive.Commits, 0); err != nil {
			return nil, err
		}
		r := row{
			files: files, columns: columns, commits: n, adaptive: float64(adaptive.Bytes) / float64(n),
			root: adaptive.LargestRoot, foreground: adaptive.MostRewritten, maintenance: adaptive.Maintenance,
		}
		if err := r.judge(prices); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// hopeless is the multiple of the bound from which on the fixed tier is not counted to its end.
const hopeless = 4

// judge adds the bounds and the tiers.
func (r *row) judge(prices policy.Prices) error {
	m := count.Bound(r.files, prices, r.commits)
	closed, err := m.ClosedForm(r.commits)
	if err != nil {
		return err
	}
	program, err := bound.NewProgram(m)
	if err != nil {
		return err
	}
	if err := program.Extend(r.commits); err != nil {
		return err
	}
	r.closed = float64(closed) / float64(r.commits)
	r.lower = float64(program.Bytes(r.commits)) / float64(r.commits)
	tier, best, err := bestTiers(prices, m, r.commits)
	if err != nil {
		return err
	}
	fixed, err := tiered(policy.Tiered{}, prices, m.LeafEntries, r.files, r.commits, hopeless*program.Bytes(r.commits))
	r.tier, r.best, r.fixed = tier, float64(best)/float64(r.commits), float64(fixed)/float64(r.commits)
	return err
}

// markdown prints rows as a table, and below it those that miss their limit.
func markdown(rows []row) string {
	var b strings.Builder
	b.WriteString("Bytes a commit beyond the root's fixed price, and multiples of the bound:\n\n")
	document.Header(&b, "files a commit", "columns", "commits", "closed form", "bound", "best tier (batch, ratio)", "fixed tier", "adaptive", "at most",
		"largest root", "rewritten by a writer", "maintenance commits")
	var missed []string
	for _, r := range rows {
		ratio := r.adaptive / r.lower
		document.Row(&b, fmt.Sprint(r.files), fmt.Sprint(r.columns), fmt.Sprint(r.commits), fmt.Sprintf("%.0f", r.closed), fmt.Sprintf("%.0f", r.lower),
			fmt.Sprintf("%.2f (%d, %d)", r.best/r.lower, r.tier.Batch, r.tier.Ratio), atMost(r.fixed/r.lower), fmt.Sprintf("**%.3f**", ratio),
			fmt.Sprintf("%.2f", r.limit()), kib(r.root), kib(r.foreground), fmt.Sprint(r.maintenance))
		if ratio > r.limit()+0.0005 {
			missed = append(missed, fmt.Sprintf("%d files a commit, %d columns, %d commits: %.3f, at most %.2f", r.files, r.columns, r.commits, ratio, r.limit()))
		}
	}
	document.Verdict(&b, len(rows), missed)
	return b.String()
}

func kib(n int64) string { return fmt.Sprintf("%d KiB", (n+1023)/1024) }

// atMost prints a multiple of the bound.
func atMost(ratio float64) string {
	if ratio > hopeless {
		return fmt.Sprintf("> %d", hopeless)
	}
	return fmt.Sprintf("%.2f", ratio)
}
