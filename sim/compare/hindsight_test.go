package compare_test

import (
	"testing"

	"github.com/firn-io/firn/sim/compare"
)

// some are a few fixed policies, enough to find good ones among.
func some(t *testing.T) []compare.Choice {
	t.Helper()
	return all(t, "cap:rows=1000", "tiered:batch=14:ratio=2", "tiered:batch=31:ratio=9", "tiered:batch=31:ratio=50", "tiered:batch=200:ratio=9", "leveled")
}

// TestHindsight: adaptive, which is told nothing, costs at most half as much again as fixed policies that are chosen for each phase of a
// workload that shifts, or churns. In one phase alone it may cost more, up to about twice as much: it pays for merges that would be worth it
// if the phase lasted.
func TestHindsight(t *testing.T) {
	for _, w := range workloads(t, 10, "shift", "cdc", "mixed") {
		phases, err := compare.Hindsight(t.Context(), compare.Config{Columns: 20, Pace: 1, Commits: 2500, Seed: 1}, w, all(t, "adaptive")[0], some(t))
		if err != nil {
			t.Fatal(err)
		}
		if len(phases) != max(1, len(w.Phases)) {
			t.Fatalf("%d phases", len(phases))
		}
		var own, scheduled float64
		for _, p := range phases {
			if p.Own.Beyond > 2.2*p.Same.Beyond {
				t.Errorf("%s, %s: %+v", w.Name, p.Phase, p)
			}
			if p.Own.Commits != 2500/int64(len(phases)) || p.Own.Commits != p.Scheduled.Commits || p.Own.Beyond >= p.Own.Whole {
				t.Errorf("%s, %s: %+v", w.Name, p.Phase, p)
			}
			own, scheduled = own+p.Own.Whole, scheduled+p.Scheduled.Whole
		}
		if own > 1.5*scheduled {
			t.Errorf("%s: %.0f bytes, fixed policies %.0f", w.Name, own, scheduled)
		}
	}
}

// TestHindsightOfItself: among policies of which it is one, a policy is as good as the best, or another is better.
func TestHindsightOfItself(t *testing.T) {
	fixed := all(t, "tiered:batch=14:ratio=2", "sqrt")
	for _, w := range workloads(t, 10, "stream", "cdc") {
		for _, p := range fixed {
			phases, err := compare.Hindsight(t.Context(), compare.Config{Columns: 20, Commits: 500, Seed: 1}, w, p, fixed)
			if err != nil {
				t.Fatal(err)
			}
			c := phases[0]
			if c.Same != c.Scheduled || c.Best != c.Then || c.Own.Whole < c.Same.Whole || (c.Best == p.Name) != (c.Own == c.Same) {
				t.Errorf("%s, %s: %+v", w.Name, p.Name, c)
			}
		}
	}
}
