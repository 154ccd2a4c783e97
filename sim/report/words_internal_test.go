package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestWords: the sentences say what the figures say, and change with them.
func TestWords(t *testing.T) {
	result := func(name string, write, all, one float64) Result {
		return Result{Policy: name, Commits: 10, Objective: write, Everything: Scan{BytesRead: all}, OnePartition: Scan{BytesRead: one},
			CommitBytes: Spread{Max: int64(write)}, RootBytes: Spread{Max: 1000}}
	}
	says := func(w Workload) string {
		s := summary(w, entries(Comparison{Workloads: []Workload{w}})[0])
		return s.headline + "\n" + strings.Join(s.points, "\n")
	}
	expect := func(got string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("no %q in:\n%s", w, got)
			}
		}
	}
	a, b := result("a", 1024, 40960, 20480), result("b", 2048, 10240, 10240)
	expect(says(Workload{Policies: []Result{a, b}}), "Choose b.", "Of the 2 that keep the limits", "its writes are 2.00 times the best",
		"to plan one partition the best", "Cheapest to write: a, 1 KiB of bytes and requests a commit.",
		"Cheapest to read: b for everything (10 KiB) and one partition (10 KiB).",
		"On the Pareto front of writing and planning everything: a and b.",
		"largest commit 2 KiB, 2.00 times that of a", "a costs least up to one plan of one partition in 10 commits and b beyond")

	b.RootBytes.Max = RootLimit + 1<<20
	expect(says(Workload{Policies: []Result{a, b}}), "Choose a.", "It is the only one that keeps the limits", "Roots above 1 MiB: b (2 MiB).",
		"Cheapest to read: b (over the limit) for everything (10 KiB) and one partition (10 KiB); of those that keep the limits a for everything (40 KiB)")

	a.Problem = "no more memory."
	expect(says(Workload{Policies: []Result{a, b}}), "No policy kept all limits: none can be recommended.",
		"The policy \"a\" did not come to the end, and its figures are left out of the choice. It stopped after 10 commits: no more memory.", "Cheapest to write: b (over the limit)")
	expect(says(Workload{}), "No policy was counted.")

	c, d := result("c", 1000, 100, 100), result("d", 1000, 100, 101)
	expect(says(Workload{Policies: []Result{c, d}, Bound: []BoundPoint{{Commits: 1}}}), "Cheapest to write: c and d", "Choose c.",
		"nothing; none that keeps the limits is 5 % better", "However many plans of one partition come to a commit, c costs least.")
	c.RatioToBound = 1.04
	c.CommitBytes.Mean, d.CommitBytes.Mean = 200, 100
	expect(says(Workload{Policies: []Result{c, d}}), "Choose c.", "If requests cost nothing: d, 100 B a commit; c writes 200 B, 2.00 times as much. The choice would then be d.")
	d.CommitBytes.Mean = 300
	expect(says(Workload{Policies: []Result{c, d}}), "If requests cost nothing: c, 200 B a commit. The choice would be the same.")
	expect(says(Workload{Policies: []Result{c, d}, Bound: []BoundPoint{{Commits: 1}}}), "1.04 times the lower bound beyond the fixed price of roots")
}

// TestLabels: policies of one name are told apart, and keep their looks from workload to workload.
func TestLabels(t *testing.T) {
	named := func(name string, settings map[string]string) Result { return Result{Policy: name, Settings: settings} }
	batch := func(n string) map[string]string {
		return map[string]string{"firn.policy.batch": n, "firn.policy.a": "1"}
	}
	all := entries(Comparison{Workloads: []Workload{
		{Policies: []Result{named("custom", nil), named("tiered", batch("5")), named("tiered", batch("7")), named("tiered", batch("7")), named("adaptive", nil)}},
		{Policies: []Result{named("tiered", batch("7")), named("other", nil), named("custom", nil)}},
	}})
	var got []string
	for _, w := range all {
		for _, e := range w {
			got = append(got, fmt.Sprintf("%s %d", e.label, e.look))
		}
	}
	n := len(known)
	want := []string{fmt.Sprintf("custom %d", n), fmt.Sprintf("tiered (a=1, batch=5) %d", n+1), fmt.Sprintf("tiered (a=1, batch=7) %d", n+2),
		fmt.Sprintf("tiered (a=1, batch=7) #2 %d", n+3), "adaptive 0", fmt.Sprintf("tiered (a=1, batch=7) %d", n+2), fmt.Sprintf("other %d", n+4), fmt.Sprintf("custom %d", n)}
	if !slices.Equal(got, want) {
		t.Errorf("labels and looks are\n%q, not\n%q", got, want)
	}
	alone := entries(Comparison{Workloads: []Workload{{Policies: []Result{named("tiered", batch("5"))}}}})
	if e := alone[0][0]; e.label != "tiered" || e.look != 1 {
		t.Errorf("one policy with settings is called %q and looks like %d", e.label, e.look)
	}
}
