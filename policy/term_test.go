package policy_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/internal/policytest"
	"github.com/firn-io/firn/policy/simple"
)

// builtIn are the policies with settings so small that they have much to do.
var builtIn = []policy.Policy{
	simple.Never{}, simple.Cap{Rows: 8}, simple.WhenFull{RootBytes: 20_000, LeafBytes: 12_000}, simple.Sqrt{}, simple.Tiered{Batch: 4, Ratio: 3},
	simple.Leveled{Batch: 5, LeafRows: 40}, adaptive.Policy{RootBytes: 30_000, ForegroundBytes: 20_000},
}

// drawInput draws a root with loose files, tombstones, leaves with and without masks, and a leaf that an earlier attempt wrote.
func drawInput(t *rapid.T) policy.Input {
	in := policy.Input{
		Mode:   rapid.SampledFrom([]policy.Mode{policy.Foreground, policy.Maintenance}).Draw(t, "mode"),
		Prices: policy.EstimatePrices(rapid.IntRange(0, 30).Draw(t, "columns")),
		Loose:  policytest.Items("loose", rapid.IntRange(0, 60).Draw(t, "loose")), New: policytest.Items("new", rapid.IntRange(0, 20).Draw(t, "new")),
		Tombstones: policytest.Items("dead", rapid.IntRange(0, 10).Draw(t, "tombstones")),
		History:    policytest.Rate("3"),
	}
	for _, leaf := range policytest.Items("leaf", rapid.IntRange(0, 40).Draw(t, "leaves")) {
		p := policy.Pointer{Location: leaf.Key, Entries: rapid.Int64Range(1, 60).Draw(t, "entries")}
		p.LiveEntries, p.DVBytes = rapid.Int64Range(0, p.Entries).Draw(t, "live"), rapid.Int64Range(0, 2000).Draw(t, "bitmap")
		p.Legacy = rapid.IntRange(0, 9).Draw(t, "legacy") == 0
		in.Pointers = append(in.Pointers, p)
	}
	if rapid.Bool().Draw(t, "an earlier attempt") {
		in.Written = []policy.Group{{Members: []string{"loose0", "new0"}}}
	}
	return in
}

// TestStepsSayWhatTheyCost: of every policy, what the steps say that they save is the difference of the root with and without them, what
// they pay is the new leaves, and each says what decided.
func TestStepsSayWhatTheyCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		for _, p := range builtIn {
			plan, err := p.Plan(in)
			if err != nil {
				t.Fatal(err)
			}
			before, err := in.Shape(nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			after, err := in.Shape(plan.Steps, plan.Thinning.Pointers)
			if err != nil {
				t.Fatal(err)
			}
			var saved int64
			for _, s := range plan.Steps {
				saved += s.SavedBytes
				var rows, paid int64
				for _, ref := range s.Members {
					item, err := in.Item(ref)
					if err != nil {
						t.Fatal(err)
					}
					rows += item.Count
				}
				if s.Written < 0 {
					paid = in.Prices.LeafFixedBytes + rows*in.Prices.LeafEntryBytes
				}
				if s.PaidBytes != paid || s.Term == 0 || (s.Term == policy.ByEarlierAttempt) != (s.Written >= 0) || s.Reason == "" {
					t.Fatalf("%s: a %s of %d rows: %+v, want %d bytes paid", p.Name(), s.Kind, rows, s, paid)
				}
				if n, pays := s.PaysAfter(); pays && ((n-1)*s.SavedBytes >= paid && paid > 0 || n*s.SavedBytes < paid) {
					t.Fatalf("%s: %+v pays after %d commits", p.Name(), s, n)
				}
			}
			if before.Bytes-after.Bytes != saved {
				t.Fatalf("%s: the root goes from %d to %d bytes, and the steps save %d", p.Name(), before.Bytes, after.Bytes, saved)
			}
			if want := before.Loose + before.Tombstones + before.Pointers; int64(len(in.Loose)+len(in.New)+len(in.Tombstones)+len(in.Pointers)) != want {
				t.Fatalf("the root has %+v without steps", before)
			}
		}
	})
}

// TestPaysAfter: tombstones never pay, nor what makes the root larger.
func TestPaysAfter(t *testing.T) {
	for _, c := range []struct {
		step    policy.Step
		commits int64
		pays    bool
	}{
		{policy.Step{Kind: policy.Merge, PaidBytes: 1000, SavedBytes: 10}, 100, true},
		{policy.Step{Kind: policy.Merge, PaidBytes: 1001, SavedBytes: 10}, 101, true},
		{policy.Step{Kind: policy.Push, SavedBytes: 10}, 0, true},
		{policy.Step{Kind: policy.Push, PaidBytes: 1000, SavedBytes: -10}, 0, false},
		{policy.Step{Kind: policy.Fold, PaidBytes: 1000}, 0, false},
		{policy.Step{Kind: policy.Bury, PaidBytes: 1000, SavedBytes: 10}, 0, false},
	} {
		if n, pays := c.step.PaysAfter(); n != c.commits || pays != c.pays {
			t.Errorf("%+v: %d, %t", c.step, n, pays)
		}
	}
}
