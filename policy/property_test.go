package policy_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/internal/policytest"
	"github.com/firn-io/firn/policy/simple"
)

// policies are one of each kind, with settings of about a size.
func policies(size int64) []policy.Policy {
	return []policy.Policy{
		simple.Never{}, simple.Cap{Rows: size}, simple.WhenFull{RootBytes: size * 200, LeafBytes: size * 300}, simple.Sqrt{},
		simple.Tiered{Batch: size, Ratio: 2 + size%3, LeafRows: size * 4}, simple.Leveled{Batch: size, LeafRows: size * 2},
		adaptive.Policy{RootBytes: 4000 + size*600, LeafBytes: size * 300, ForegroundBytes: size * 100},
		adaptive.Policy{RootBytes: 1 << 20, LeafBytes: size * 300, ForegroundBytes: size * 100, ClusterLeaves: 4},
		adaptive.Policy{RootBytes: 4000 + size*600, LeafBytes: size * 300, ForegroundBytes: size * 100, PartitionLeaves: 100 + size},
		adaptive.Policy{RootBytes: 1 << 20, LeafBytes: size * 3000, ForegroundBytes: size * 1000, PartitionLeaves: 150},
	}
}

// drawn is a random input: leaves with and without deletion vectors, fully masked ones, legacy ones, tombstones, leaves of earlier
// attempts of which some have lost members, and a history.
func drawn(t *rapid.T) policy.Input {
	n := rapid.IntRange(0, 14)
	in := input(n.Draw(t, "pointers"), n.Draw(t, "loose"), n.Draw(t, "new"), n.Draw(t, "dead"))
	in.Mode = rapid.SampledFrom([]policy.Mode{policy.Foreground, policy.Maintenance}).Draw(t, "mode")
	in.Limits.LeafRows = rapid.SampledFrom([]int64{0, 1, 2, 5, 9, 40, 200}).Draw(t, "leaf rows")
	in.Prices.ThinPointerBytes = rapid.SampledFrom([]int64{0, 1, in.Prices.PointerBytes / 4, in.Prices.PointerBytes}).Draw(t, "thin pointer")
	for i := range in.Pointers {
		entries := rapid.Int64Range(0, 60).Draw(t, "entries")
		p := policy.Pointer{Location: fmt.Sprint("mem://t/leaf", i), Entries: entries, LiveEntries: entries}
		if rapid.Bool().Draw(t, "masked") {
			p.LiveEntries = rapid.Int64Range(0, entries).Draw(t, "live")
			p.DVBytes = rapid.Int64Range(0, 3000).Draw(t, "dv")
		}
		p.FileSizeBytes = in.Prices.LeafFixedBytes + entries*in.Prices.LeafEntryBytes
		p.Legacy = rapid.IntRange(0, 4).Draw(t, "legacy") == 0
		p.Thin = p.Legacy || rapid.IntRange(0, 4).Draw(t, "thin") == 0
		p.SequenceNumber = rapid.Int64Range(0, 9).Draw(t, "sequence number")
		if p.First = rapid.Int64Range(0, 9).Draw(t, "first partition"); p.First > 0 {
			p.Last = p.First + rapid.Int64Range(0, 9).Draw(t, "partitions")
		}
		in.Pointers[i] = p
	}
	for _, list := range [][]policy.Item{in.Loose, in.New} {
		for i := range list {
			list[i].SequenceNumber = rapid.Int64Range(0, 9).Draw(t, "item's sequence number")
			list[i].First = rapid.Int64Range(0, 18).Draw(t, "item's first partition")
			if list[i].Last = list[i].First + rapid.Int64Range(0, 1).Draw(t, "in between"); list[i].Last > 0 && list[i].First == 0 {
				list[i].Last = 1
			}
		}
	}
	in.Written = drawnGroups(t, in)
	if rapid.Bool().Draw(t, "with history") {
		rate := rapid.SampledFrom([]string{"", "1", "7.5", "0", "-1", "Inf", "NaN", "x", "1e300", "1e-300"}).Draw(t, "rate")
		waiting := rapid.SampledFrom([]string{"", "1", "x"}).Draw(t, "waiting")
		spent := rapid.SampledFrom([]string{"", "x", "AAAAAAAAAA", "_________w", strings.Repeat("AAECAwQFBg", 200)}).Draw(t, "spent")
		in.History = []policy.Snapshot{{}, {Summary: map[string]string{
			"firn.policy.files-per-commit": rate, "firn.policy.waiting": waiting, "firn.policy.dv-spent": spent,
			"firn.policy.thin-spent": rapid.SampledFrom([]string{"", "x", "-1/0", "1000", "1000/3", "9223372036854775807/0", "1/9223372036854775807"}).Draw(t, "thin spent"),
		}}}
		in.SequenceNumber = rapid.Int64Range(0, 12).Draw(t, "the commit's sequence number")
	}
	return in
}

// drawnGroups are leaves of earlier attempts, of items and of leaves that are there, and of some that are not.
func drawnGroups(t *rapid.T, in policy.Input) []policy.Group {
	keys := []string{"gone", ""}
	for _, list := range [][]policy.Item{in.Loose, in.New, in.Tombstones} {
		for _, item := range list {
			keys = append(keys, item.Key)
		}
	}
	for _, p := range in.Pointers {
		keys = append(keys, p.Key())
	}
	var groups []policy.Group
	for range rapid.IntRange(0, 4).Draw(t, "groups") {
		groups = append(groups, policy.Group{
			Members: rapid.SliceOfN(rapid.SampledFrom(keys), 0, 6).Draw(t, "members"), SizeBytes: rapid.Int64Range(0, 5000).Draw(t, "size"),
			Leaves: rapid.SampledFrom([]int{0, 0, 0, 1, 2, 7}).Draw(t, "leaves"),
		})
	}
	return groups
}

// clone returns an input that shares nothing.
func clone(in policy.Input) policy.Input {
	in.Loose, in.New, in.Tombstones = slices.Clone(in.Loose), slices.Clone(in.New), slices.Clone(in.Tombstones)
	in.Pointers, in.Written, in.History = slices.Clone(in.Pointers), slices.Clone(in.Written), slices.Clone(in.History)
	for i := range in.Written {
		in.Written[i].Members = slices.Clone(in.Written[i].Members)
	}
	for i := range in.History {
		summary := make(map[string]string)
		for k, v := range in.History[i].Summary {
			summary[k] = v
		}
		in.History[i].Summary = summary
	}
	return in
}

// TestEveryPolicy holds every policy, on random inputs, to what all must: each item and each leaf is placed at most once and in a step of
// its kind, limits are kept, no reused leaf is changed and none forgotten ([policy.Plan.Validate], which is held to that by itself); the
// same input gives the same plan, and is not changed by it; no plan is larger than the policy's own settings allow.
func TestEveryPolicy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawn(t)
		size := rapid.Int64Range(1, 30).Draw(t, "size")
		for _, p := range policies(size) {
			before := clone(in)
			plan, err := p.Plan(in)
			if err != nil {
				t.Fatalf("%s: %v", p.Name(), err)
			}
			if diff := cmp.Diff(before, clone(in)); diff != "" {
				t.Fatalf("%s changed its input: %s", p.Name(), diff)
			}
			if err := plan.Validate(in); err != nil {
				t.Fatalf("%s: %v", p.Name(), err)
			}
			again, _ := p.Plan(clone(in))
			if diff := cmp.Diff(plan, again); diff != "" {
				t.Fatalf("%s differs from itself: %s", p.Name(), diff)
			}
			withinCaps(t, p, in, plan)
		}
	})
}

// withinCaps holds a plan to the settings of its policy.
func withinCaps(t *rapid.T, p policy.Policy, in policy.Input, plan policy.Plan) {
	t.Helper()
	most := int64(math.MaxInt64)
	switch p := p.(type) {
	case simple.Never:
		most = 0
	case simple.Cap:
		most = p.Rows
	case simple.Tiered:
		most = p.LeafRows
	case simple.Leveled:
		most = p.LeafRows
	case adaptive.Policy:
		adaptiveWithinCaps(t, p, in, plan)
	}
	for _, step := range plan.Steps {
		if rows := rowsOf(in, step); step.Written < 0 && rows > most {
			t.Fatalf("%s: a %s of %d rows, at most %d", p.Name(), step.Kind, rows, most)
		}
		if step.Written < 0 && (step.Kind == policy.Merge || step.Kind == policy.Fold) && slices.Contains([]string{"cap", "when-full", "sqrt"}, p.Name()) {
			t.Fatalf("%s: a %s", p.Name(), step.Kind)
		}
	}
}

func rowsOf(in policy.Input, step policy.Step) int64 {
	var rows int64
	for _, ref := range step.Members {
		item, _ := in.Item(ref)
		rows += item.Count
	}
	return rows
}

// adaptiveWithinCaps: the root has its limit unless what must be in it is larger, or it was beyond it before; and a writer writes no more
// of old leaves again than he may, unless the root was below its limit and would be too large without.
func adaptiveWithinCaps(t *rapid.T, p adaptive.Policy, in policy.Input, plan policy.Plan) {
	t.Helper()
	prices := in.LearnedPrices()
	var again int64
	for _, step := range plan.Steps {
		if step.Kind == policy.Fold && step.Written < 0 && step.Term != policy.ByMasks {
			t.Fatalf("one leaf is written again as it is: %s", step.Reason)
		}
		for _, ref := range step.Members {
			if ref.Source == policy.FromPointers {
				again += in.Pointers[ref.Index].LiveEntries * prices.LeafEntryBytes
			}
		}
	}
	// The root with all that is loose in one leaf, no leaf written again, and all pointers thin.
	root := policytest.RootOf(prices, in, &policy.Plan{Thinning: thinAll(in)}) - int64(len(in.Loose)+len(in.New))*prices.LooseBytes + prices.PointerBytes
	parent := in
	parent.New, parent.Tombstones = nil, nil
	before := policytest.RootOf(prices, parent, nil)
	if in.Mode == policy.Foreground && again > p.ForegroundBytes && len(in.Written) == 0 && (root <= p.PlannedRootBytes() || before > p.RootBytes/4*5+4) {
		t.Fatalf("a writer writes %d bytes of leaves again, at most %d; the root would take %d of %d", again, p.ForegroundBytes, root, p.RootBytes)
	}
	if root := policytest.RootOf(prices, in, &plan); root > p.PlannedRootBytes() && before <= p.PlannedRootBytes() && in.Limits.LeafRows == 0 {
		stays, leaves := len(in.Loose)+len(in.New)+len(in.Tombstones), 0
		for _, pointer := range in.Pointers {
			if !pointer.Legacy && pointer.LiveEntries > 0 {
				leaves++
			}
		}
		for _, step := range plan.Steps {
			for _, ref := range step.Members {
				if ref.Source == policy.FromPointers {
					leaves--
				} else {
					stays--
				}
			}
		}
		if stays > 0 || leaves > 1 {
			t.Fatalf("the root takes %d bytes, at most %d, with %d loose rows and %d leaves that nobody wrote again", root, p.PlannedRootBytes(), stays, leaves)
		}
	}
}

// thinAll thins all pointers that can lose statistics.
func thinAll(in policy.Input) (all policy.Thinning) {
	for i, p := range in.Pointers {
		if !p.Legacy && p.LiveEntries > 0 {
			all.Pointers = append(all.Pointers, i)
		}
	}
	return all
}

// TestPlansDoNotDependOnTheOrderOfLeaves: where no two leaves are alike, policies that write leaves again choose the same ones in
// whatever order the root has them.
func TestPlansDoNotDependOnTheOrderOfLeaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := input(0, rapid.IntRange(0, 30).Draw(t, "loose"), rapid.IntRange(0, 30).Draw(t, "new"), 0)
		in.Mode = rapid.SampledFrom([]policy.Mode{policy.Foreground, policy.Maintenance}).Draw(t, "mode")
		live := rapid.SliceOfNDistinct(rapid.Int64Range(1, 400), 0, 20, rapid.ID).Draw(t, "live")
		for _, n := range live {
			in.Pointers = append(in.Pointers, policy.Pointer{Location: fmt.Sprint(n), LiveEntries: n, Entries: n})
		}
		other := in
		other.Pointers = rapid.Permutation(in.Pointers).Draw(t, "order")
		size := rapid.Int64Range(1, 60).Draw(t, "size")
		for _, p := range policies(size) {
			a, errA := p.Plan(in)
			b, errB := p.Plan(other)
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			if diff := cmp.Diff(policytest.Members(in, a), policytest.Members(other, b)); diff != "" || !slices.Equal(a.Deferred, b.Deferred) {
				t.Fatalf("%s: %s", p.Name(), diff)
			}
		}
	})
}

// odd are numbers that no table has.
var odd = []int64{math.MinInt64, -1 << 40, -1, 0, 1, 2, 1000, 1 << 31, 1 << 53, math.MaxInt64 / 2, math.MaxInt64 - 1, math.MaxInt64}

// TestOddInputs: numbers near the ends of 64 bits, below zero and zero, and keys that are there twice, lead to no panic, no endless loop and
// no plan beyond what there is to place. What is wrong with a plan then is that one group of files has no room in any leaf.
func TestOddInputs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.SampledFrom(odd)
		in := drawn(t)
		in.Mode = policy.Mode(rapid.IntRange(0, 4).Draw(t, "any mode"))
		in.Limits.LeafRows = number.Draw(t, "leaf rows")
		for _, price := range []*int64{
			&in.Prices.RootFixedBytes, &in.Prices.LeafFixedBytes, &in.Prices.LooseBytes, &in.Prices.PointerBytes, &in.Prices.LeafEntryBytes,
		} {
			*price = number.Draw(t, "price")
		}
		for _, list := range [][]policy.Item{in.Loose, in.New, in.Tombstones} {
			for i := range list {
				list[i].Count = number.Draw(t, "count")
				list[i].First, list[i].Last = number.Draw(t, "first"), number.Draw(t, "last")
				list[i].SequenceNumber = number.Draw(t, "sequence number")
				list[i].Key = rapid.SampledFrom([]string{list[i].Key, list[i].Key, "same", ""}).Draw(t, "key")
			}
		}
		for i := range in.Pointers {
			p := &in.Pointers[i]
			p.LiveEntries, p.Entries, p.DVBytes, p.FileSizeBytes = number.Draw(t, "live"), number.Draw(t, "entries"), number.Draw(t, "dv"), number.Draw(t, "size")
			p.SequenceNumber, p.First, p.Last = number.Draw(t, "sequence number"), number.Draw(t, "first"), number.Draw(t, "last")
			p.Location = rapid.SampledFrom([]string{p.Location, p.Location, "same", ""}).Draw(t, "location")
		}
		in.SequenceNumber = number.Draw(t, "the commit's sequence number")
		all := append(policies(rapid.Int64Range(1, 30).Draw(t, "size")), policies(math.MaxInt64/500)...)
		for _, p := range append(all, adaptive.Policy{}, adaptive.Policy{RootBytes: math.MaxInt64, LeafBytes: math.MaxInt64, ForegroundBytes: math.MaxInt64},
			adaptive.Policy{RootBytes: 1, LeafBytes: 1, ForegroundBytes: 1}, adaptive.Policy{LeafBytes: 1, PartitionLeaves: 100},
			adaptive.Policy{PartitionLeaves: math.MaxInt64}, simple.Tiered{Batch: math.MaxInt64, Ratio: math.MaxInt64}, simple.Tiered{Batch: 1, Ratio: 2},
			simple.Leveled{}, simple.WhenFull{RootBytes: math.MaxInt64, LeafBytes: math.MaxInt64}, simple.Cap{Rows: math.MaxInt64}) {
			oddPlan(t, p, in)
		}
	})
}

func oddPlan(t *rapid.T, p policy.Policy, in policy.Input) {
	t.Helper()
	begun := time.Now()
	plan, err := p.Plan(in)
	if err != nil {
		t.Fatalf("%s: %v", p.Name(), err)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Fatalf("%s took %s", p.Name(), took)
	}
	if len(plan.Steps) > len(in.Loose)+len(in.New)+len(in.Tombstones)+len(in.Pointers) {
		t.Fatalf("%s: %d steps", p.Name(), len(plan.Steps))
	}
	again, _ := p.Plan(in)
	if diff := cmp.Diff(plan, again); diff != "" {
		t.Fatalf("%s differs from itself: %s", p.Name(), diff)
	}
	if err := plan.Validate(in); err != nil {
		for _, line := range strings.Split(strings.TrimPrefix(err.Error(), "policy: invalid plan: "), "\n") {
			if !strings.Contains(line, "there is no room for") {
				t.Fatalf("%s %+v: %v", p.Name(), p, err)
			}
		}
		for _, step := range plan.Steps {
			if broken := (policy.Plan{Steps: []policy.Step{step}}); len(step.Members) > 1 && strings.Contains(fmt.Sprint(broken.Validate(in)), "no room") {
				t.Fatalf("%s: a step of %d members, not one alone: %v", p.Name(), len(step.Members), err)
			}
		}
	}
}
