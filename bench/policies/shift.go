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
	var choices []comparison.Choice
	for _, text := range []string{"adaptive", "adaptive:cluster-leaves=8"} {
		c, err := comparison.Choose(text)
		if err != nil {
			return "", err
		}
		choices = append(choices, c)
	}
	config := comparison.Config{Columns: 20, Pace: 1, Commits: commits, Seed: 1}
	var b strings.Builder
	fmt.Fprintf(&b, "Bytes a commit, roots whole, of workloads of %d commits with 20 columns; 10 files a commit where nothing else is said. Leaves are\n"+
		"not put into the order of their partitions, which fixed policies do not do either: what that costs stands in the next table. From the\n"+
		"same table on, as `adaptive` had it when the phase began, the fixed policy that is best for the phase; and the cheapest series of fixed policies found,\n"+
		"of which each goes on with the table of the one before:\n\n", commits)
	document.Header(&b, "workload", "phase", "adaptive", "best fixed policy", "bytes", "times", "policy of the series", "bytes", "times")
	var missed []string
	var workloads []comparison.Workload
	for _, name := range []string{"shift", "cdc", "mixed"} {
		w, err := comparison.WorkloadByName(name, 10)
		if err != nil {
			return "", err
		}
		workloads = append(workloads, w)
		phases, err := comparison.Hindsight(context.Background(), config, w, choices[0], fixed)
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
	document.Verdict(&b, len(workloads), missed)
	config.Workloads, config.Policies = workloads, choices
	err := ordered(&b, config)
	return b.String(), err
}

// ordered prints what it costs to put leaves into the order of their partitions, and what a plan of one partition has of it.
func ordered(b *strings.Builder, c comparison.Config) error {
	all, err := comparison.Run(context.Background(), c)
	if err != nil {
		return err
	}
	b.WriteString("\nBytes a commit of the same workloads, and leaves that a plan of one of a hundred partitions opens at the end:\n\n")
	document.Header(b, "workload", "leaves as they come", "in order", "times", "opened as they come", "opened in order", "leaves")
	for _, w := range all.Workloads {
		plain, order := w.Policies[0], w.Policies[1]
		document.Row(b, w.Name, fmt.Sprintf("%.0f", plain.CommitBytes.Mean), fmt.Sprintf("%.0f", order.CommitBytes.Mean),
			fmt.Sprintf("%.2f", order.CommitBytes.Mean/plain.CommitBytes.Mean), fmt.Sprintf("%.1f", plain.OnePartition.LeavesOpened),
			fmt.Sprintf("%.1f", order.OnePartition.LeavesOpened), fmt.Sprintf("%.1f", order.Everything.LeavesOpened))
	}
	return nil
}
