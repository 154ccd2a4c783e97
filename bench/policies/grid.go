package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/firn-io/firn/bench/internal/document"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/bound"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/policy/simple"
)

// row is what was counted for one stream after so many commits.
type row struct {
	files   int64
	columns int
	commits int64
	// closed, lower, limited, best, fixed and adaptive are bytes a commit beyond the root's fixed price: the closed form, the bound with
	// leaf prices and caps, the one that knows the limit of the root or 0, the tiers that are best for this cell, those of the defaults,
	// and what adaptive wrote.
	closed, lower, limited, best, fixed, adaptive float64
	// tier is the best one.
	tier simple.Tiered
	// root and foreground are the largest root, and the most bytes of leaves that a commit of a writer wrote again.
	root, foreground int64
	maintenance      int64
	// thin is the largest share of the files that ever stood in leaves whose pointers lacked statistics.
	thin float64
}

// bound is what adaptive is judged by: the greater one of the bounds.
func (r row) bound() float64 { return max(r.lower, r.limited) }

// limit is the most that adaptive may cost, as a multiple of the bound.
func (r row) limit() float64 {
	return map[int64]float64{1: 1.03, 10: 1.08, 100: 1.12, 1000: 1.12}[r.files]
}

// slots hold back streams while as many are counted as there are processors.
var slots = make(chan struct{}, runtime.GOMAXPROCS(0))

// each calls count for all i below n, as many at a time as there are slots, and returns the results in order.
func each[T any](n int, count func(i int) (T, error)) ([]T, error) {
	results, errs := make([]T, n), make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i], errs[i] = count(i)
		})
	}
	group.Wait()
	return results, errors.Join(errs...)
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

// grid counts all cells.
func grid(files []int64, columns []int, commits []int64) ([]row, error) {
	rows, err := each(len(files)*len(columns), func(i int) ([]row, error) {
		return cells(files[i/len(columns)], columns[i%len(columns)], commits)
	})
	return slices.Concat(rows...), err
}

// cells counts the cells of one stream, at some numbers of commits: adaptive is told nothing of the end, so one run is enough.
func cells(files int64, columns int, commits []int64) ([]row, error) {
	prices := policy.EstimatePrices(columns).Thinned(0)
	stream := &count.Stream{Table: count.Table{Prices: prices}, Policy: adaptive.Policy{}, Pace: 1}
	var rows []row
	for _, n := range commits {
		if err := run(stream, files, n-stream.Commits, 0); err != nil {
			return nil, err
		}
		r := row{
			files: files, columns: columns, commits: n, adaptive: float64(stream.Bytes) / float64(n),
			root: stream.LargestRoot, foreground: stream.MostRewritten, maintenance: stream.Maintenance, thin: stream.MostThin,
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

// mostLimited is the longest stream for which the bound with the limit of the root is worked out: in longer ones the caps of leaves
// cost more.
const mostLimited = 10_000

// judge adds the bounds and the tiers.
func (r *row) judge(prices policy.Prices) error {
	m := count.Bound(r.files, prices, r.commits)
	if err := r.bounds(m); err != nil {
		return err
	}
	tier, best, err := bestTiers(prices, m, r.commits)
	if err != nil {
		return err
	}
	commits := float64(r.commits)
	fixed, err := tiered(simple.Tiered{}, prices, m.LeafEntries, r.files, r.commits, int64(hopeless*r.bound()*commits))
	r.tier, r.best, r.fixed = tier, float64(best)/commits, float64(fixed)/commits
	return err
}

// bounds adds the bounds.
func (r *row) bounds(m bound.Model) error {
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
	if r.commits <= m.RootPointers || r.commits > mostLimited {
		return nil
	}
	limited, err := m.Limited(int(r.commits))
	if err != nil {
		return err
	}
	r.limited = float64(limited[r.commits]) / float64(r.commits)
	return nil
}

// markdown prints rows as a table, and below it those that miss their limit.
func markdown(rows []row) string {
	var b strings.Builder
	b.WriteString("Bytes a commit beyond the root's fixed price, and multiples of the greater one of the bounds. The second one is there where it is\n" +
		"greater: it knows the limit of the root.\n\n")
	document.Header(&b, "files a commit", "columns", "commits", "closed form", "bound", "with the root's limit", "best tier (batch, ratio)", "fixed tier",
		"adaptive", "at most", "largest root", "rewritten by a writer", "maintenance commits", "without statistics")
	var missed []string
	for _, r := range rows {
		ratio := r.adaptive / r.bound()
		limited := ""
		if r.limited > r.lower {
			limited = fmt.Sprintf("%.0f", r.limited)
		}
		document.Row(&b, fmt.Sprint(r.files), fmt.Sprint(r.columns), fmt.Sprint(r.commits), fmt.Sprintf("%.0f", r.closed), fmt.Sprintf("%.0f", r.lower),
			limited, fmt.Sprintf("%.2f (%d, %d)", r.best/r.bound(), r.tier.Batch, r.tier.Ratio), atMost(r.fixed/r.bound()), fmt.Sprintf("**%.3f**", ratio),
			fmt.Sprintf("%.2f", r.limit()), kib(r.root), kib(r.foreground), fmt.Sprint(r.maintenance), percent(r.thin))
		if ratio > r.limit()+0.0005 {
			missed = append(missed, fmt.Sprintf("%d files a commit, %d columns, %d commits: %.3f, at most %.2f", r.files, r.columns, r.commits, ratio, r.limit()))
		}
	}
	document.Verdict(&b, len(rows), missed)
	return b.String()
}

// percent prints a share.
func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

func kib(n int64) string { return fmt.Sprintf("%d KiB", (n+1023)/1024) }

// atMost prints a multiple of the bound.
func atMost(ratio float64) string {
	if ratio > hopeless {
		return fmt.Sprintf("> %d", hopeless)
	}
	return fmt.Sprintf("%.2f", ratio)
}
