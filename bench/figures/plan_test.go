package main_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/tree"
)

const planLeaves, planLoose = 3900, 100

// BenchmarkPlan measures how long [adaptive.Policy] plans for a root of 4,000 entries, and which part that is of the cheapest commit to
// such a table: one that appends a file and writes nothing but the root.
func BenchmarkPlan(b *testing.B) {
	table, opened := newEmptyBenchTable(b)
	appendTo(b, opened, leavesOfMany{}, planFiles("leaf", planLeaves*5/2))
	appendTo(b, opened, simple.Never{}, planFiles("loose", planLoose-1))
	timed := &timedPlans{}
	var plans, commits []time.Duration
	for b.Loop() {
		timed.spent = 0
		spent, _ := table.commit(b, commit.TxnOptions{Policy: timed}, 0, func(x *commit.Txn) {
			x.Append(benchFile("data/new.parquet", 1))
		})
		plans, commits = append(plans, timed.spent), append(commits, spent-timed.spent)
	}
	b.ReportMetric(0, "ns/op") // that of the planned and of the unplanned commit together means nothing
	b.ReportMetric(float64(timed.entries), "entries")
	b.ReportMetric(float64(median(plans))/float64(time.Millisecond), "plan-ms")
	b.ReportMetric(float64(median(plans))/float64(median(commits)), "of-commit")
}

// timedPlans lets [adaptive.Policy] plan, notes how long that takes, and leaves everything in the root.
type timedPlans struct {
	simple.Never
	spent   time.Duration
	entries int64
}

func (t *timedPlans) Plan(in policy.Input) (policy.Plan, error) {
	start := time.Now()
	_, err := adaptive.Policy{}.Plan(in)
	t.spent += time.Since(start)
	if err != nil {
		return policy.Plan{}, err
	}
	t.entries = int64(len(in.Pointers))
	for _, items := range [][]policy.Item{in.Loose, in.New} {
		for _, item := range items {
			t.entries += item.Count
		}
	}
	return t.Never.Plan(in)
}

// leavesOfMany makes leaves of one to four files of all that are loose, two and a half on average.
type leavesOfMany struct{ simple.Never }

func (leavesOfMany) Plan(in policy.Input) (policy.Plan, error) {
	plan, live := policy.Keep(in)
	for n := 0; len(live) > 0; n++ {
		size := min(1+n%4, len(live))
		plan.Steps = append(plan.Steps, policy.Step{Kind: policy.Push, Members: live[:size], Written: -1, Reason: "as the benchmark says"})
		live = live[size:]
	}
	return plan, nil
}

func planFiles(name string, n int) []tree.File {
	files := make([]tree.File, n)
	for i := range files {
		files[i] = benchFile(fmt.Sprintf("data/%s-%06d.parquet", name, i), i)
	}
	return files
}
