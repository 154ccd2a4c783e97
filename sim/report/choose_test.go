package report_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/sim/report"
)

// workload draws policies from few figures, so that ties are frequent.
func workload(t *rapid.T) report.Workload {
	figure := rapid.Map(rapid.IntRange(1, 9), func(n int) float64 { return float64(n) * 1000 })
	var w report.Workload
	for i := range rapid.IntRange(1, 9).Draw(t, "policies") {
		r := report.Result{Policy: fmt.Sprintf("p%d", i), Objective: figure.Draw(t, "write")}
		r.Everything.BytesRead = figure.Draw(t, "everything")
		r.OnePartition.BytesRead = figure.Draw(t, "partition")
		r.Lookup.BytesRead = figure.Draw(t, "lookup")
		if rapid.IntRange(0, 4).Draw(t, "broken") == 0 {
			r.RootBytes.Max = report.RootLimit + 1
		}
		if rapid.IntRange(0, 6).Draw(t, "stopped") == 0 {
			r.Problem = "stopped"
		}
		w.Policies = append(w.Policies, r)
	}
	return w
}

func named(w report.Workload, name string) report.Result {
	return w.Policies[slices.IndexFunc(w.Policies, func(r report.Result) bool { return r.Policy == name })]
}

// TestFront: who is on the front is beaten by none, who is not is beaten by one on it, and the front falls from left to right.
func TestFront(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := workload(t)
		front := report.Choose(w).Front
		beats := func(a, b report.Result) bool {
			return a.Objective <= b.Objective && a.Everything.BytesRead <= b.Everything.BytesRead &&
				(a.Objective < b.Objective || a.Everything.BytesRead < b.Everything.BytesRead)
		}
		for i, name := range front {
			if i > 0 && (named(w, front[i-1]).Objective > named(w, name).Objective || named(w, front[i-1]).Everything.BytesRead < named(w, name).Everything.BytesRead) {
				t.Fatalf("the front %v does not fall at %s", front, name)
			}
		}
		for _, r := range w.Policies {
			on := slices.Contains(front, r.Policy)
			if r.Problem != "" {
				if on {
					t.Fatalf("%s stopped and is on the front", r.Policy)
				}
				continue
			}
			beaten := slices.ContainsFunc(w.Policies, func(o report.Result) bool { return o.Problem == "" && beats(o, r) })
			byFront := slices.ContainsFunc(front, func(o string) bool { return beats(named(w, o), r) })
			if on == beaten || beaten != byFront {
				t.Fatalf("%s: on the front %v, beaten %v, by one on it %v", r.Policy, on, beaten, byFront)
			}
		}
	})
}

// TestChoice: the choice keeps the limits, no other that does beats it at everything, and at each number of plans the turns name the
// cheapest.
func TestChoice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := workload(t)
		c := report.Choose(w)
		var kept []report.Result
		for _, r := range w.Policies {
			broken := r.Problem != "" || r.RootBytes.Max > report.RootLimit
			if broken != slices.ContainsFunc(c.Broken, func(b report.Broken) bool { return b.Policy == r.Policy }) {
				t.Fatalf("%s broke a limit: %v, of the choice: %+v", r.Policy, broken, c.Broken)
			}
			if !broken {
				kept = append(kept, r)
			}
		}
		if len(kept) == 0 {
			if c.Policy != "" || len(c.Turns) != 0 {
				t.Fatalf("none keeps the limits, and %q is chosen, turns %v", c.Policy, c.Turns)
			}
			return
		}
		chosen := named(w, c.Policy)
		if !slices.ContainsFunc(kept, func(r report.Result) bool { return r.Policy == c.Policy }) {
			t.Fatalf("%s broke a limit and is chosen", c.Policy)
		}
		for _, r := range kept {
			if r.Objective < chosen.Objective && r.Everything.BytesRead < chosen.Everything.BytesRead &&
				r.OnePartition.BytesRead < chosen.OnePartition.BytesRead && r.Lookup.BytesRead < chosen.Lookup.BytesRead {
				t.Fatalf("%s beats the choice %s at everything", r.Policy, c.Policy)
			}
		}
		for _, plans := range []float64{0, 1e-9, 0.1, 0.49, 1, 1.01, 3.3, 8.5, 1e9} {
			now := c.Turns[0].Policy
			for _, turn := range c.Turns {
				if turn.Plans <= plans {
					now = turn.Policy
				}
			}
			cost := func(r report.Result) float64 { return r.Objective + plans*r.OnePartition.BytesRead }
			least := math.Inf(1)
			for _, r := range kept {
				least = min(least, cost(r))
			}
			if got := cost(named(w, now)); got > least*(1+1e-12) {
				t.Fatalf("at %v plans a commit the turns %v name %s, which costs %v; the least is %v", plans, c.Turns, now, got, least)
			}
		}
	})
}
