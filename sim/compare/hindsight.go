package compare

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/count"
)

// PhaseCost is what a policy writes in a phase of a workload, next to fixed policies that are chosen with hindsight.
type PhaseCost struct {
	Phase string
	// Own is what the policy writes.
	Own PhaseBytes
	// Same is what the fixed policy Best writes, the one that writes least from the table on that the policy had when the phase began.
	Best string
	Same PhaseBytes
	// Scheduled is what the fixed policy Then writes, which is that of the phase in the cheapest series of fixed policies found: one after
	// the other, each goes on with the table of the one before.
	Then      string
	Scheduled PhaseBytes
}

// PhaseBytes are the bytes of all commits of a phase, maintenance included: whole, and beyond the fixed prices of roots.
type PhaseBytes struct {
	Commits       int64
	Whole, Beyond float64
}

// FixedPolicies are those of which the best is looked for with hindsight: all policies that do not adapt, with settings over the range
// in which they are of use.
func FixedPolicies() []Choice {
	texts := []string{"never", "sqrt", "when-full:root-bytes=1000000", "when-full", "cap"}
	for _, rows := range []int{1000, 10_000} {
		texts = append(texts, fmt.Sprintf("cap:rows=%d", rows))
	}
	for _, batch := range []int{100, 400, 1600} {
		texts = append(texts, fmt.Sprintf("leveled:batch=%d", batch))
	}
	for _, batch := range []int{10, 14, 20, 31, 50, 100, 200, 500, 1000, 2000} {
		for _, ratio := range []int{2, 4, 9, 20, 50} {
			texts = append(texts, fmt.Sprintf("tiered:batch=%d:ratio=%d", batch, ratio))
		}
	}
	var all []Choice
	for _, text := range texts {
		c, err := Choose(text)
		if err != nil {
			panic(err) // the texts are constants
		}
		all = append(all, c)
	}
	return all
}

// hindsight looks for fixed policies.
type hindsight struct {
	config Config
	fixed  []Choice
	// phases are the changes of each.
	phases [][]count.Change
}

// Hindsight counts what a workload costs under a policy, and for each of its phases what fixed policies would have.
func Hindsight(ctx context.Context, c Config, w Workload, p Choice, fixed []Choice) ([]PhaseCost, error) {
	c.Workloads, c.Policies = []Workload{w}, fixed
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	c = c.withDefaults()
	names := w.Phases
	if len(names) == 0 {
		names = []string{w.Name}
	}
	h := hindsight{c, fixed, make([][]count.Change, len(names))}
	next, n := w.Start(c.Seed, c.Commits), int64(0)
	for change, more := next(); more; change, more = next() {
		i := phaseOf(n, c.Commits, len(names))
		h.phases[i] = append(h.phases[i], change)
		n++
	}
	start := path{table: &count.Table{Prices: policy.EstimatePrices(c.Columns).Thinned(1), Pattern: c.pattern(w)}}
	costs := make([]PhaseCost, len(names))
	own := start
	for i, name := range names {
		costs[i].Phase = name
		same, err := h.expand(ctx, []path{own}, i)
		if err == nil {
			costs[i].Best, costs[i].Same = same[0].names[i], same[0].costs[i]
			own, err = h.follow(own, p, i)
		}
		if err != nil {
			return nil, err
		}
		costs[i].Own = own.costs[i]
	}
	best := []path{start}
	for i := range names {
		var err error
		if best, err = h.expand(ctx, best, i); err != nil {
			return nil, err
		}
		best = best[:min(len(best), mostPaths)]
	}
	for i := range names {
		costs[i].Then, costs[i].Scheduled = best[0].names[i], best[0].costs[i]
	}
	return costs, nil
}

// mostPaths is how many series of fixed policies are followed from phase to phase.
const mostPaths = 8

// path is a table, and how it came to be.
type path struct {
	table *count.Table
	names []string
	costs []PhaseBytes
}

// bytes are those of all phases.
func (p path) bytes() float64 {
	sum := 0.0
	for _, c := range p.costs {
		sum += c.Whole
	}
	return sum
}

// expand follows each path through a phase under each fixed policy. The cheapest come first.
func (h hindsight) expand(ctx context.Context, from []path, phase int) ([]path, error) {
	found := make([]path, len(from)*len(h.fixed))
	var jobs []func() error
	for i := range found {
		jobs = append(jobs, func() (err error) {
			found[i], err = h.follow(from[i/len(h.fixed)], h.fixed[i%len(h.fixed)], phase)
			return err
		})
	}
	quiet := h.config
	quiet.Progress = nil
	if err := quiet.each(ctx, jobs); err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b path) int { return cmp.Compare(a.bytes(), b.bytes()) })
	return found, nil
}

// follow goes on from a path through a phase.
func (h hindsight) follow(from path, p Choice, phase int) (path, error) {
	var cost PhaseBytes
	fixed := from.table.Prices.RootFixedBytes
	s := count.Stream{Table: *from.table.Clone(), Policy: p.Policy, Pace: h.config.Pace, See: func(c count.Cost, mode policy.Mode) {
		if mode == policy.Foreground {
			cost.Commits++
		}
		cost.Beyond += float64(c.Bytes())
		cost.Whole += float64(c.Bytes() + fixed)
	}}
	for _, change := range h.phases[phase] {
		if err := s.Apply(change); err != nil {
			return path{}, fmt.Errorf("compare: %s: %w", p.Name, err)
		}
	}
	return path{&s.Table, append(slices.Clone(from.names), p.Name), append(slices.Clone(from.costs), cost)}, nil
}
