package adaptive_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/internal/policytest"
)

// large returns a full leaf of a commit with rows of some partitions.
func large(commit, first, last int64) policy.Pointer {
	return policy.Pointer{
		Location: fmt.Sprintf("leaf %d %d-%d", commit, first, last), LiveEntries: 25_000, Entries: 25_000, SequenceNumber: commit, First: first, Last: last,
	}
}

// TestAdaptivePutsLeavesInOrder: leaves of several commits that have rows of the same partitions are put into their order by
// maintenance, if plans of one partition gain from it and it pays.
func TestAdaptivePutsLeavesInOrder(t *testing.T) {
	mixed := func(n int64) (all []policy.Pointer) {
		for i := range n {
			all = append(all, large(10+i, 1, 100))
		}
		return all
	}
	var days, sorted, oneDay []policy.Pointer
	for i := range int64(20) {
		days = append(days, large(10+i, 1+i, 2+i))
		oneDay = append(oneDay, large(10, 1, 100))
	}
	for run := range int64(4) {
		for part := range int64(8) {
			sorted = append(sorted, large(10+run, 1+12*part, 13+12*part))
		}
	}
	for _, c := range []struct {
		name     string
		pointers []policy.Pointer
		// rate is the files of a commit: few of them make an old table.
		rate   string
		want   string
		leaves int
	}{
		{"every leaf has every partition", mixed(20), "10", "merge", 7},
		{"three of them", mixed(3), "10", "", 0},
		{"in order as they came", days, "10", "", 0},
		{"sorted runs", sorted, "10", "merge", 4},
		{"a young table", mixed(20), "100000", "", 0},
		{"a partition larger than many leaves", oneDay, "10", "", 0},
		{"one sorted run", sorted[:8], "10", "", 0},
	} {
		in := policy.Input{
			Mode: policy.Maintenance, Prices: policy.EstimatePrices(20), SequenceNumber: 100_000, History: policytest.Rate(c.rate), Pointers: c.pointers,
		}
		got, plan := plannedBy(t, adaptive.Policy{ClusterLeaves: 8}, in)
		if got != c.want || c.want != "" && (int(plan.Leaves()) != c.leaves || plan.Steps[0].Term != policy.ByScans) {
			t.Errorf("%s: %q, %d leaves, want %q of %d", c.name, got, plan.Leaves(), c.want, c.leaves)
		}
		in.Mode, in.New = policy.Foreground, policytest.Items("new", 10)
		if got, plan := plannedBy(t, adaptive.Policy{ClusterLeaves: 8}, in); strings.Contains(got, "merge") || len(plan.Deferred) > 0 != (c.want != "") || plan.Summary["firn.policy.waiting"] != "" {
			t.Errorf("%s, a writer: %q, deferred %q", c.name, got, plan.Deferred)
		}
		for _, few := range []int64{0, 1, 3} {
			none, err := adaptive.Policy{ClusterLeaves: few}.Plan(in)
			if err != nil || len(none.Deferred) > 0 {
				t.Errorf("%s, cluster-leaves %d: %q, %v", c.name, few, none.Deferred, err)
			}
		}
	}
}

// TestOrderComesToAnEnd: maintenance that puts leaves into order again and again comes to an end, also where the leaves that it writes
// lie in each other's partitions as before, and at its end no partition is in many leaves if they can be told apart.
func TestOrderComesToAnEnd(t *testing.T) {
	for _, apart := range []bool{true, false} {
		var pointers []policy.Pointer
		for i := range int64(40) {
			pointers = append(pointers, large(10+i, 1, 1001))
		}
		rounds := 0
		for ; ; rounds++ {
			in := policy.Input{
				Mode: policy.Maintenance, Prices: policy.EstimatePrices(20), SequenceNumber: 100_000 + int64(rounds), History: policytest.Rate("10"), Pointers: pointers,
			}
			_, plan := plannedBy(t, adaptive.Policy{ClusterLeaves: 8}, in)
			if len(plan.Steps) == 0 {
				break
			}
			if rounds > 60 {
				t.Fatalf("apart %t: no end", apart)
			}
			pointers = rewritten(in, plan.Steps[0], apart)
		}
		t.Logf("apart %t: %d rounds, %d leaves", apart, rounds, len(pointers))
		deepest := 0
		for x := range int64(1000) {
			n := 0
			for _, p := range pointers {
				if p.First <= x+1 && x+1 < p.Last {
					n++
				}
			}
			deepest = max(deepest, n)
		}
		if apart && deepest > 14 || rounds < 5 {
			t.Errorf("apart %t: after %d rounds a partition is in %d leaves", apart, rounds, deepest)
		}
	}
}

// rewritten returns the leaves after a step that cuts some. Unless they can be told apart, all new ones have all partitions of the old.
func rewritten(in policy.Input, step policy.Step, apart bool) []policy.Pointer {
	gone := make(map[int]bool)
	first, last := int64(1<<60), int64(0)
	for _, ref := range step.Members {
		gone[ref.Index] = true
		first, last = min(first, in.Pointers[ref.Index].First), max(last, in.Pointers[ref.Index].Last)
	}
	var next []policy.Pointer
	for i, p := range in.Pointers {
		if !gone[i] {
			next = append(next, p)
		}
	}
	n := int64(step.Leaves)
	for i := range n {
		p := large(in.SequenceNumber, first, last)
		if apart {
			p = large(in.SequenceNumber, first+i*(last-first)/n, first+(i+1)*(last-first)/n)
		}
		next = append(next, p)
	}
	return next
}

// TestOrderOfFewRows: leaves are never cut into more leaves than they have rows, however small a full leaf is.
func TestOrderOfFewRows(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy adaptive.Policy
		limits policy.Limits
	}{
		{"leaves of one row", adaptive.Policy{ClusterLeaves: 8, LeafBytes: 1, RootBytes: 1 << 30}, policy.Limits{}},
		{"a limit of one row", adaptive.Policy{ClusterLeaves: 8}, policy.Limits{LeafRows: 1}},
	} {
		in := policy.Input{
			Mode: policy.Maintenance, Prices: policy.EstimatePrices(20), SequenceNumber: 100_000, History: policytest.Rate("1"), Limits: c.limits,
		}
		for i := range int64(12) {
			leaf := large(10+i, 1, 100)
			leaf.LiveEntries, leaf.Entries = 1, 1
			in.Pointers = append(in.Pointers, leaf)
		}
		in.Pointers = append(in.Pointers, policy.Pointer{Location: "of which nothing is known", LiveEntries: 1000, Entries: 1000})
		c.policy.ReadDiscount = 1
		if got, plan := plannedBy(t, c.policy, in); got != "merge" || plan.Leaves() != 8 {
			t.Errorf("%s: %q, %d leaves", c.name, got, plan.Leaves())
		}
	}
}

// TestOrderIsFoundFast: a writer looks for leaves out of order in each commit, which must take about as long for thousands of leaves that
// lie in each other's partitions as the rest of the plan.
func TestOrderIsFoundFast(t *testing.T) {
	for name, leaf := range map[string]func(i int64) policy.Pointer{
		"leaves of all partitions": func(i int64) policy.Pointer { return large(10+i, 1, 9000) },
		"stairs":                   func(i int64) policy.Pointer { return large(10+i, 1+i, 2000+i) },
		"one commit":               func(i int64) policy.Pointer { return large(10, 1+i, 9000+i) },
	} {
		in := policy.Input{Mode: policy.Foreground, Prices: policy.EstimatePrices(20), SequenceNumber: 100_000, History: policytest.Rate("1000000"), New: policytest.Items("new", 10)}
		for i := range int64(3500) {
			in.Pointers = append(in.Pointers, leaf(i))
		}
		in.Loose = at("loose", 500, 7, 8)
		for _, p := range []adaptive.Policy{{ClusterLeaves: 8}, {PartitionLeaves: 150}} {
			least := time.Hour
			for range 5 {
				begun := time.Now()
				plannedBy(t, p, in)
				least = min(least, time.Since(begun))
			}
			if least > 100*time.Millisecond { // 2 ms, and a machine that does more than this
				t.Errorf("%s, %+v: a plan takes %s", name, p, least)
			}
		}
	}
}
