package adaptive_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/internal/policytest"
)

// strict keeps leaves in the order of their partitions.
var strict = adaptive.Policy{PartitionLeaves: 150}

// sorted returns full leaves in the order of their partitions, each of a commit of its own.
func sorted(n int64) (all []policy.Pointer) {
	for i := range n {
		all = append(all, large(10+i, 1+2*i, 2+2*i))
	}
	return all
}

// at returns loose files between which bounds of leaves their partitions stand, added by an early snapshot.
func at(source string, n int, first, last int64) (all []policy.Item) {
	for i := range n {
		all = append(all, policy.Item{Key: fmt.Sprint(source, first, "-", last, " ", i), Count: 1, First: first, Last: last, SequenceNumber: 1000})
	}
	return all
}

// ofTable returns the input of a table with 10 files a commit.
func ofTable(mode policy.Mode, pointers []policy.Pointer, loose ...[]policy.Item) policy.Input {
	return policy.Input{
		Mode: mode, Prices: policy.EstimatePrices(20), SequenceNumber: 1100, History: policytest.Rate("10"), Pointers: pointers, Loose: slices.Concat(loose...),
	}
}

// steps says of each step what it takes from where, how many leaves it writes, and what decided.
func steps(in policy.Input, plan policy.Plan) (all []string) {
	for _, step := range plan.Steps {
		leaves, files := []string(nil), 0
		for _, ref := range step.Members {
			if ref.Source == policy.FromPointers {
				p := in.Pointers[ref.Index]
				leaves = append(leaves, fmt.Sprintf("%d-%d", p.First, p.Last))
			} else {
				files++
			}
		}
		slices.Sort(leaves)
		all = append(all, fmt.Sprintf("%s of %d files and %s into %d by %s", step.Kind, files, strings.Join(leaves, " "), step.Leaves, step.Term))
	}
	return all
}

// TestFilesWaitForTheirLeaves: files that would be a leaf across all others stay loose, and go into the leaves of their partitions once they
// have cost as much as that, or if the root is crowded.
func TestFilesWaitForTheirLeaves(t *testing.T) {
	many := at("few", 500, 15, 16)
	for i := range many { // they have cost little so far
		many[i].SequenceNumber = 1100
	}
	for _, c := range []struct {
		name     string
		pointers []policy.Pointer
		loose    []policy.Item
		policy   adaptive.Policy
		// writer is what the commit of a writer does, and maintenance what maintenance does.
		writer, maintenance []string
	}{
		{"some have paid", sorted(8), slices.Concat(at("a", 300, 3, 4), at("b", 300, 9, 9), at("c", 5, 13, 14)), strict, nil,
			[]string{"merge of 300 files and 3-4 into 1 by scans", "merge of 300 files and 9-10 into 1 by scans"}},
		{"none has paid", sorted(8), slices.Concat(at("a", 100, 3, 4), at("b", 100, 9, 9), at("c", 50, 13, 14)), strict, nil, nil},
		{"any order", sorted(8), slices.Concat(at("a", 300, 3, 4), at("b", 300, 9, 9)), adaptive.Policy{},
			[]string{"push of 600 files and  into 0 by rent"}, []string{"push of 600 files and  into 0 by rent"}},
		{"several times the leaves", sorted(8), slices.Concat(at("a", 300, 3, 4), at("b", 300, 9, 9)), adaptive.Policy{PartitionLeaves: 250},
			[]string{"push of 600 files and  into 1 by rent"}, []string{"push of 600 files and  into 1 by rent"}},
		{"a crowded root", sorted(8), slices.Concat(at("a", 200, 1, 2), many), adaptive.Policy{PartitionLeaves: 150, RootBytes: 250_000}, nil,
			[]string{"merge of 200 files and 1-2 into 1 by root-limit"}},
		{"beyond the last leaf", sorted(8), at("a", 300, 16, 17), strict,
			[]string{"push of 300 files and  into 1 by rent"}, []string{"push of 300 files and  into 1 by rent"}},
		{"of no known partition", sorted(8), at("a", 300, 0, 0), strict,
			[]string{"push of 300 files and  into 1 by rent"}, []string{"push of 300 files and  into 1 by rent"}},
	} {
		for mode, want := range map[policy.Mode][]string{policy.Foreground: c.writer, policy.Maintenance: c.maintenance} {
			in := ofTable(mode, c.pointers, c.loose)
			_, plan := plannedBy(t, c.policy, in)
			if got := steps(in, plan); !slices.Equal(got, want) {
				t.Errorf("%s, mode %d: %q, want %q", c.name, mode, got, want)
			}
			held := mode == policy.Foreground && len(want) == 0
			if got := strings.Contains(strings.Join(plan.Deferred, "; "), "wait until they go into the leaves of their partitions"); got != held {
				t.Errorf("%s, mode %d: deferred %q", c.name, mode, plan.Deferred)
			}
		}
	}
}

// TestLostOrderComesBack: where the order of leaves is lost, as by writers at the limit of the root, maintenance brings it back in a few
// commits, none of which writes more leaves than it may; where leaves cannot be told apart it comes to an end as well.
func TestLostOrderComesBack(t *testing.T) {
	for _, c := range []struct {
		name  string
		leaf  func(i int64) policy.Pointer
		n     int64
		apart bool
		most  int
		// large is a table that takes more than one commit.
		large bool
	}{
		{"leaves of all partitions", func(i int64) policy.Pointer { return large(10+i, 1, 200) }, 40, true, 3, false},
		{"more than one commit's", func(i int64) policy.Pointer { return large(10+i, 1, 200) }, 150, true, 5, true},
		{"small ones among full ones", func(i int64) policy.Pointer {
			if i < 40 {
				return large(10+i, 1+5*i, 5+5*i)
			}
			p := large(10+i, 1, 200)
			p.LiveEntries, p.Entries = 3000, 3000
			return p
		}, 44, true, 3, false},
		{"a small one", func(i int64) policy.Pointer {
			if i < 80 {
				return large(10+i, 1+2*i, 2+2*i)
			}
			p := large(10+i, 1, 160)
			p.LiveEntries, p.Entries = 300, 300
			return p
		}, 81, true, 4, false},
		{"days in many leaves", func(i int64) policy.Pointer {
			p := large(10+i, 1+i/5, 1+i/5)
			p.LiveEntries, p.Entries = 4000, 4000
			return p
		}, 150, true, 3, false},
		{"leaves that cannot be told apart", func(i int64) policy.Pointer { return large(10+i, 1, 1000) }, 40, false, 60, false},
	} {
		var pointers []policy.Pointer
		for i := range c.n {
			pointers = append(pointers, c.leaf(i))
		}
		rounds := 0
		for ; ; rounds++ {
			in := ofTable(policy.Maintenance, pointers)
			in.SequenceNumber = 100_000 + int64(rounds)
			_, plan := plannedBy(t, strict, in)
			more := strings.Contains(strings.Join(plan.Deferred, "; "), "still opens")
			if len(plan.Steps) == 0 {
				if more == c.apart {
					t.Errorf("%s: at the end is deferred %q", c.name, plan.Deferred)
				}
				break
			}
			if rounds == 0 && more != c.large {
				t.Errorf("%s: deferred %q", c.name, plan.Deferred)
			}
			if rounds == c.most {
				t.Fatalf("%s: no end; %q", c.name, steps(in, plan))
			}
			if plan.Leaves() > 64+8 {
				t.Errorf("%s: a commit writes %d leaves", c.name, plan.Leaves())
			}
			for _, step := range plan.Steps {
				pointers = cutAt(in, pointers, step, c.apart)
			}
		}
		open, points := 0, 0
		for x := range int64(1000) {
			n := 0
			for _, p := range pointers {
				if p.First <= x+1 && x+1 <= p.Last {
					n++
				}
			}
			if open += n; n > 0 {
				points++
			}
		}
		t.Logf("%s: %d commits, %d leaves, a plan opens %.2f", c.name, rounds, len(pointers), float64(open)/float64(points))
		if c.apart && float64(open) > 1.55*float64(points) { // a place with more files than a leaf may be in two
			t.Errorf("%s: a plan opens %.2f leaves", c.name, float64(open)/float64(points))
		}
	}
}

// cutAt returns leaves after a step that cuts some: unless they can be told apart, all new ones have all partitions of the old.
func cutAt(in policy.Input, now []policy.Pointer, step policy.Step, apart bool) (next []policy.Pointer) {
	gone := make(map[string]bool)
	first, last, rows := int64(1<<60), int64(0), int64(0)
	for _, ref := range step.Members {
		p := in.Pointers[ref.Index]
		gone[p.Location] = true
		first, last, rows = min(first, p.First), max(last, p.Last), rows+p.LiveEntries
	}
	for _, p := range now {
		if !gone[p.Location] {
			next = append(next, p)
		}
	}
	n := int64(max(1, step.Leaves))
	for i := range n {
		p := large(in.SequenceNumber, first, last)
		if width := last - first + 1; apart {
			p = large(in.SequenceNumber, first+i*width/n, max(first+i*width/n, first+(i+1)*width/n-1))
		}
		p.LiveEntries, p.Entries = rows/n, rows/n
		p.Location = fmt.Sprint(p.Location, " ", step.Members[0].Index, " ", i)
		next = append(next, p)
	}
	return next
}

// TestNoLeafIsWrittenAgainAsItIsInOrder: nor is one alone where leaves are kept in the order of their partitions.
func TestNoLeafIsWrittenAgainAsItIsInOrder(t *testing.T) {
	in := policy.Input{Mode: policy.Foreground, Prices: policy.EstimatePrices(5), History: policytest.Rate("10"), SequenceNumber: 1000}
	in.History[0].Summary["firn.policy.waiting"] = "1"
	for i, live := range []int64{1, 33, 3, 17, 17, 17, 17, 17, 17, 17, 17, 63} {
		in.Pointers = append(in.Pointers, policy.Pointer{Location: fmt.Sprint(i), LiveEntries: live, Entries: live, SequenceNumber: 1, First: 1, Last: 1})
	}
	in.Written = []policy.Group{{Members: []string{in.Pointers[0].Key(), in.Pointers[1].Key()}}}
	_, plan := plannedBy(t, adaptive.Policy{PartitionLeaves: 150, LeafBytes: 20_000, ForegroundBytes: 5000}, in)
	if len(plan.Steps) != 1 || plan.Steps[0].Written != 0 {
		t.Errorf("%+v", plan.Steps)
	}
}
