package main

import (
	"cmp"
	"fmt"
	"math"
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

// cells counts the cells of one stream, at some numbers of commits.
func cells(files int64, columns int, commits []int64) ([]row, error) {
	prices := policy.EstimatePrices(columns)
	adaptive := &count.Stream{Table: count.Table{Prices: prices}, Policy: policy.Adaptive{}, Pace: 1}
	var rows []row
	var candidates []policy.Tiered
	for _, n := range commits {
		if err := run(adaptive, files, n-adaptive.Commits, 0); err != nil {
			return nil, err
		}
		r := row{
			files: files, columns: columns, commits: n, adaptive: float64(adaptive.Bytes) / float64(n),
			root: adaptive.LargestRoot, foreground: adaptive.MostRewritten, maintenance: adaptive.Maintenance,
		}
		var err error
		if candidates, err = r.judge(prices, candidates); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// hopeless is the multiple of the bound from which on the fixed tier is not counted to its end.
const hopeless = 4

// Of tiers all are tried up to manyCommits, and for longer streams mostCandidates of those that were best for the shorter one.
const (
	manyCommits    = 10_000
	mostCandidates = 8
)

// judge adds the bounds and the tiers. The best tier is looked for among the candidates if the stream is long. It returns
// those that came nearest, the best one first.
func (r *row) judge(prices policy.Prices, candidates []policy.Tiered) ([]policy.Tiered, error) {
	m := count.Bound(r.files, prices, r.commits)
	closed, err := m.ClosedForm(r.commits)
	if err != nil {
		return nil, err
	}
	program, err := bound.NewProgram(m)
	if err != nil {
		return nil, err
	}
	if err := program.Extend(r.commits); err != nil {
		return nil, err
	}
	r.closed = float64(closed) / float64(r.commits)
	r.lower = float64(program.Bytes(r.commits)) / float64(r.commits)
	if len(candidates) == 0 || r.commits <= manyCommits {
		candidates = tiers(m)
	}
	type result struct {
		tier  policy.Tiered
		bytes int64
	}
	var results []result
	best := int64(0)
	for _, t := range candidates {
		bytes, err := r.tiered(t, prices, m.LeafEntries, best+best/4)
		if err != nil {
			return nil, err
		}
		results = append(results, result{t, bytes})
		if best == 0 || bytes < best {
			best, r.tier = bytes, t
		}
	}
	slices.SortStableFunc(results, func(a, b result) int { return cmp.Compare(a.bytes, b.bytes) })
	var nearest []policy.Tiered
	for _, f := range results[:min(len(results), mostCandidates)] {
		nearest = append(nearest, f.tier)
	}
	fixed, err := r.tiered(policy.Tiered{}, prices, m.LeafEntries, hopeless*program.Bytes(r.commits))
	r.best, r.fixed = float64(best)/float64(r.commits), float64(fixed)/float64(r.commits)
	return nearest, err
}

// tiered returns what tiers write, or some number beyond most, unless that is 0.
func (r *row) tiered(t policy.Tiered, prices policy.Prices, full, most int64) (int64, error) {
	s := &count.Stream{Table: count.Table{Prices: prices, Limits: policy.Limits{LeafRows: full}}, Policy: t}
	err := run(s, r.files, r.commits, most)
	return s.Bytes, err
}

// tiers are those among which the best one is looked for: batches around the one that balances its leaf's price against its loose
// files, and ratios from 2 to the one that makes a full leaf of it at once.
func tiers(m bound.Model) []policy.Tiered {
	balanced := math.Sqrt(2 * float64(m.LeafFixedBytes) * float64(m.FilesPerCommit) / float64(m.EntryBytes))
	var all []policy.Tiered
	for _, share := range []float64{0.6, 0.8, 1, 1.25} {
		batch := max(m.FilesPerCommit, int64(balanced*share))
		for _, ratio := range []int64{2, 3, 4, 6, 9, 14, 20, 30, 50, 80, 120, m.LeafEntries / batch} {
			if t := (policy.Tiered{Batch: batch, Ratio: max(2, ratio)}); !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	return all
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
