package report

import (
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
