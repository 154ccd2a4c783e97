package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/firn-io/firn/bench/internal/document"
	comparison "github.com/firn-io/firn/sim/compare"
)

// hindsightLimit is the most that adaptive may cost, as a multiple of fixed policies chosen with hindsight.
const hindsightLimit = 1.5

// shifting counts workloads that shift, churn and mix, next to fixed policies that are chosen for each of their phases with hindsight.
func shifting(commits int64, fixed []comparison.Choice) (string, error) {
	adaptive, err := comparison.Choose("adaptive")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Bytes a commit, roots whole, of workloads of %d commits with 20 columns; 10 files a commit where nothing else is said. From the same table\n"+
		"on, as `adaptive` had it when the phase began, the fixed policy that is best for the phase; and the cheapest series of fixed policies found,\n"+
		"of which each goes on with the table of the one before:\n\n", commits)
	document.Header(&b, "workload", "phase", "adaptive", "best fixed policy", "bytes", "times", "policy of the series", "bytes", "times")
	var missed []string
	for _, name := range []string{"shift", "cdc", "mixed"} {
		w, err := comparison.WorkloadByName(name, 10)
		if err != nil {
			return "", err
		}
		phases, err := comparison.Hindsight(context.Background(), comparison.Config{Columns: 20, Pace: 1, Commits: commits, Seed: 1}, w, adaptive, fixed)
		if err != nil {
			return "", err
		}
		var own, series comparison.PhaseBytes
		for _, p := range phases {
			each := func(c comparison.PhaseBytes) string { return fmt.Sprintf("%.0f", c.Whole/float64(c.Commits)) }
			document.Row(&b, name, p.Phase, each(p.Own), "`"+p.Best+"`", each(p.Same), fmt.Sprintf("%.2f", p.Own.Whole/p.Same.Whole),
				"`"+p.Then+"`", each(p.Scheduled), fmt.Sprintf("%.2f", p.Own.Whole/p.Scheduled.Whole))
			own.Commits, own.Whole, own.Beyond = own.Commits+p.Own.Commits, own.Whole+p.Own.Whole, own.Beyond+p.Own.Beyond
			series.Whole, series.Beyond = series.Whole+p.Scheduled.Whole, series.Beyond+p.Scheduled.Beyond
		}
		ratio := own.Whole / series.Whole
		n := float64(own.Commits)
		document.Row(&b, name, "all", fmt.Sprintf("%.0f", own.Whole/n), "", "", "", "", fmt.Sprintf("%.0f", series.Whole/n),
			fmt.Sprintf("**%.2f**, %.2f beyond the root's fixed price", ratio, own.Beyond/series.Beyond))
		if ratio > hindsightLimit {
			missed = append(missed, fmt.Sprintf("%s: %.2f, at most %.1f", name, ratio, hindsightLimit))
		}
	}
	document.Verdict(&b, 3, missed)
	return b.String(), nil
}
