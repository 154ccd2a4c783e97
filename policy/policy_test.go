package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/internal/policytest"
	"github.com/firn-io/firn/policy/simple"
)

func input(pointers, loose, added, tombstones int) policy.Input {
	return policy.Input{
		Mode: policy.Foreground, Prices: policy.EstimatePrices(5),
		Pointers: make([]policy.Pointer, pointers),
		Loose:    policytest.Items("loose", loose), New: policytest.Items("new", added), Tombstones: policytest.Items("dead", tombstones),
	}
}

// shape describes a plan: the sizes of its leaves, and how many rows stay loose.
func shape(in policy.Input, p policy.Plan) string {
	var leaves []string
	placed := 0
	for _, s := range p.Steps {
		leaves = append(leaves, fmt.Sprintf("%s %d", s.Kind, len(s.Members)))
		placed += len(s.Members)
	}
	stays := len(in.Loose) + len(in.New) + len(in.Tombstones) - placed
	return fmt.Sprintf("[%s] root %d+%d", strings.Join(leaves, ", "), len(in.Pointers)+len(p.Steps), stays)
}

func TestCap(t *testing.T) {
	for _, c := range []struct {
		name                               string
		rows                               int64
		pointers, loose, added, tombstones int
		want                               string
	}{
		{"S1: fits", 8, 3, 0, 4, 0, "[] root 3+4"},
		{"S1: exactly full", 8, 3, 0, 5, 0, "[] root 3+5"},
		{"S1: one full leaf", 8, 3, 0, 12, 0, "[push 8] root 4+4"},
		{"S2: full leaves and a small one", 8, 3, 0, 30, 0, "[push 8, push 8, push 8, push 6] root 7+0"},
		{"S3: pointers at the cap", 2, 2, 0, 1, 0, "[push 1] root 3+0"},
		{"S4: nine into an empty table", 8, 0, 0, 9, 0, "[push 8] root 1+1"},
		{"S4: 24 into an empty table", 8, 0, 0, 24, 0, "[push 8, push 8, push 8] root 3+0"},
		{"S15: tombstones stay", 10, 2, 5, 4, 6, "[push 9] root 3+6"},
		{"S16: tombstones are buried", 10, 3, 0, 21, 7, "[push 10, push 10, push 1, bury 7] root 7+0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := input(c.pointers, c.loose, c.added, c.tombstones)
			plan, err := simple.Cap{Rows: c.rows}.Plan(in)
			if err != nil {
				t.Fatal(err)
			}
			if err := plan.Validate(in); err != nil {
				t.Fatal(err)
			}
			if got := shape(in, plan); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestWhenFull(t *testing.T) {
	in := input(2, 50, 50, 3)
	fits := in.Prices.RootFixedBytes + 2*in.Prices.PointerBytes + 103*in.Prices.LooseBytes
	leaf := in.Prices.LeafFixedBytes + 40*in.Prices.LeafEntryBytes
	for budget, want := range map[int64]string{
		fits:     "[] root 2+103",
		fits - 1: "[push 40, push 40, push 20] root 5+3",
		1:        "[push 40, push 40, push 20, bury 3] root 6+0",
	} {
		plan, err := simple.WhenFull{RootBytes: budget, LeafBytes: leaf}.Plan(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := shape(in, plan); got != want {
			t.Errorf("budget %d: got %s, want %s", budget, got, want)
		}
	}
}

func TestLeafRowsAreLimited(t *testing.T) {
	in := input(0, 10, 0, 0)
	in.Limits.LeafRows = 4
	for _, p := range []policy.Policy{simple.Cap{Rows: 8}, simple.WhenFull{RootBytes: 1}} {
		plan, err := p.Plan(in)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Validate(in); err != nil {
			t.Errorf("%s: %v", p.Name(), err)
		}
	}
}

func TestWrittenLeavesAreKept(t *testing.T) {
	in := input(3, 2, 6, 0)
	in.Written = []policy.Group{
		{Members: []string{"loose1", "new0", "new1"}},
		{Members: []string{"new2", "new9"}}, // new9 is no longer there
	}
	for _, p := range []policy.Policy{simple.Never{}, simple.Cap{Rows: 100}, simple.WhenFull{}, simple.Sqrt{}, simple.Tiered{}, simple.Leveled{}, adaptive.Policy{}} {
		plan, err := p.Plan(in)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Validate(in); err != nil {
			t.Errorf("%s: %v", p.Name(), err)
		}
		want := []policy.Step{{
			Kind: policy.Push, Written: 0, Term: policy.ByEarlierAttempt, Reason: "an earlier attempt wrote this leaf",
			SavedBytes: 3*in.Prices.LooseBytes - in.Prices.PointerBytes,
			Members:    []policy.Ref{{Source: policy.FromLoose, Index: 1}, {Source: policy.FromNew, Index: 0}, {Source: policy.FromNew, Index: 1}},
		}}
		if diff := cmp.Diff(want, plan.Steps); diff != "" {
			t.Errorf("%s: %s", p.Name(), diff)
		}
	}
}

func TestValidate(t *testing.T) {
	in := input(0, 2, 1, 1)
	in.Limits.LeafRows = 2
	in.Written = []policy.Group{{Members: []string{"loose0"}}}
	loose0 := policy.Ref{Source: policy.FromLoose, Index: 0}
	loose1 := policy.Ref{Source: policy.FromLoose, Index: 1}
	kept := policy.Step{Kind: policy.Push, Members: []policy.Ref{loose0}, Written: 0}
	for name, c := range map[string]struct {
		steps []policy.Step
		want  string
	}{
		"ok":            {[]policy.Step{kept}, ""},
		"not kept":      {nil, "written leaf 0 could be kept and is not"},
		"twice":         {[]policy.Step{kept, {Kind: policy.Push, Members: []policy.Ref{loose0}, Written: -1}}, "step 1 places an item that step 0 placed"},
		"empty":         {[]policy.Step{kept, {Kind: policy.Push, Written: -1}}, "step 1 writes an empty leaf"},
		"no such item":  {[]policy.Step{kept, {Kind: policy.Push, Members: []policy.Ref{{Source: policy.FromNew, Index: 7}}, Written: -1}}, "no item 7"},
		"no such leaf":  {[]policy.Step{kept, {Kind: policy.Push, Members: []policy.Ref{loose1}, Written: 3}}, "reuses leaf 3, which nobody wrote"},
		"other members": {[]policy.Step{{Kind: policy.Push, Members: []policy.Ref{loose1}, Written: 0}}, "other members"},
		"mixed":         {[]policy.Step{kept, {Kind: policy.Push, Members: []policy.Ref{{Source: policy.FromTombstones, Index: 0}}, Written: -1}}, "step 1, a push, mixes live rows and tombstones in one leaf: dead0"},
		"no kind":       {[]policy.Step{kept, {Members: []policy.Ref{loose1}, Written: -1}}, "step kind 0"},
		"too many": {[]policy.Step{kept, {Kind: policy.Push, Written: -1, Members: []policy.Ref{
			loose1, {Source: policy.FromNew, Index: 0}, {Source: policy.FromNew, Index: 0}}}}, "more than 2 rows"},
	} {
		t.Run(name, func(t *testing.T) {
			err := policy.Plan{Steps: c.steps}.Validate(in)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestPlansAreValidAndDeterministic holds every policy to the checks of a plan on random inputs, twice.
func TestPlansAreValidAndDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12)
		in := input(n.Draw(t, "pointers"), n.Draw(t, "loose"), n.Draw(t, "new"), n.Draw(t, "dead"))
		in.Limits.LeafRows = int64(rapid.IntRange(1, 9).Draw(t, "leaf rows"))
		for i := range in.Pointers {
			entries := int64(rapid.IntRange(0, 30).Draw(t, "entries"))
			in.Pointers[i] = policy.Pointer{Location: fmt.Sprint("leaf", i), Entries: 30, LiveEntries: entries}
		}
		for range rapid.IntRange(0, 2).Draw(t, "groups") {
			all := append(policytest.Items("loose", 6), policytest.Items("new", 6)...)
			from := rapid.IntRange(0, 10).Draw(t, "from")
			var g policy.Group
			for _, item := range all[from : from+rapid.IntRange(1, 12-from).Draw(t, "members")] {
				g.Members = append(g.Members, item.Key)
			}
			in.Written = append(in.Written, g)
		}
		size := int64(rapid.IntRange(1, 20).Draw(t, "size"))
		in.Mode = rapid.SampledFrom([]policy.Mode{policy.Foreground, policy.Maintenance}).Draw(t, "mode")
		if rapid.Bool().Draw(t, "with history") {
			rate := rapid.SampledFrom([]string{"", "1", "7.5", "0", "-1", "Inf", "NaN", "x", "1e300"}).Draw(t, "rate")
			waiting := rapid.SampledFrom([]string{"", "1"}).Draw(t, "waiting")
			in.History = []policy.Snapshot{{Summary: map[string]string{"firn.policy.files-per-commit": rate, "firn.policy.waiting": waiting}}}
		}
		for _, p := range []policy.Policy{
			simple.Never{}, simple.Cap{Rows: size}, simple.WhenFull{RootBytes: size * 200, LeafBytes: size * 300}, simple.Sqrt{},
			simple.Tiered{Batch: size, Ratio: 2 + size%3, LeafRows: size * 4}, simple.Leveled{Batch: size, LeafRows: size * 2},
			adaptive.Policy{RootBytes: size * 400, LeafBytes: size * 300, ForegroundBytes: size * 100},
		} {
			plan, err := p.Plan(in)
			if err != nil {
				t.Fatal(err)
			}
			if err := plan.Validate(in); err != nil {
				t.Fatalf("%s: %v", p.Name(), err)
			}
			again, _ := p.Plan(in)
			if diff := cmp.Diff(plan, again); diff != "" {
				t.Fatalf("%s differs from itself: %s", p.Name(), diff)
			}
		}
	})
}
