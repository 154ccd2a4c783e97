package adaptive_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/internal/policytest"
)

// decay is a leaf of which more and more is masked, and what a policy pays for it.
type decay struct {
	prices  policy.Prices
	entries int64
	// masks are how many more rows each commit masks.
	masks []int64
	// bytesOf is the length of the bitmap of so many masked rows.
	bytesOf func(masked int64) int64
}

func (d decay) price(live int64) int64 { return d.prices.LeafFixedBytes + live*d.prices.LeafEntryBytes }

// online plays the commits through adaptive and returns the bytes: of the bitmap in each root, or of the leaf that is written again.
func (d decay) online(t *testing.T) int64 {
	t.Helper()
	var bytes, masked, written int64
	live := d.entries
	summary := map[string]string{"firn.policy.files-per-commit": "1"}
	for i, n := range d.masks {
		n = min(n, live)
		live -= n
		if masked += n; live == 0 {
			break // the pointer goes
		}
		in := policy.Input{
			Mode: policy.Maintenance, Prices: d.prices, SequenceNumber: int64(i) + 2, History: []policy.Snapshot{{Summary: summary}},
			Pointers: []policy.Pointer{{
				Location: fmt.Sprint("leaf ", written), LiveEntries: live, Entries: live + masked, DVBytes: d.bytesOf(masked), SequenceNumber: written + 1,
			}},
		}
		plan, err := adaptive.Policy{ReadDiscount: math.MaxInt64}.Plan(in)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Validate(in); err != nil {
			t.Fatal(err)
		}
		summary = maps.Clone(plan.Summary)
		if len(plan.Steps) > 0 {
			bytes += d.price(live)
			masked, written = 0, int64(i)+1
		} else {
			bytes += d.bytesOf(masked)
		}
	}
	return bytes
}

// offline returns what the cheapest plan pays that knows all commits.
func (d decay) offline() int64 {
	gone := []int64{0} // rows masked before each commit, from the first on
	for _, n := range d.masks {
		if gone[len(gone)-1]+n >= d.entries {
			break
		}
		gone = append(gone, gone[len(gone)-1]+n)
	}
	commits := len(gone) - 1
	best := make([]int64, commits+2) // of the commits from one on, which folds
	for i := commits; i >= 1; i-- {
		best[i] = d.price(d.entries-gone[i]) + d.least(gone, best, i, gone[i])
	}
	return d.least(gone, best, 0, 0)
}

// least is the cheapest way on after commit i, whose rows are all live but for those masked since.
func (d decay) least(gone, best []int64, i int, since int64) int64 {
	var rent int64
	least := int64(math.MaxInt64)
	for j := i + 1; j < len(gone); j++ {
		least = min(least, rent+best[j])
		rent += d.bytesOf(gone[j] - since)
	}
	return min(least, rent)
}

// TestFoldingIsCompetitive: what a leaf pays for masked rows is at most twice what the cheapest plan pays that knows what comes.
func TestFoldingIsCompetitive(t *testing.T) {
	prices := policy.Prices{RootFixedBytes: 5000, LooseBytes: 50, PointerBytes: 60, LeafEntryBytes: 40, LeafFixedBytes: 5000}
	rapid.Check(t, func(rt *rapid.T) {
		slope := rapid.Int64Range(1, 50).Draw(rt, "bitmap bytes a hundred rows")
		d := decay{prices: prices, entries: rapid.Int64Range(10, 3000).Draw(rt, "entries")}
		d.prices.LeafFixedBytes = rapid.Int64Range(0, 5000).Draw(rt, "fixed")
		d.masks = rapid.SliceOfN(rapid.Int64Range(0, max(1, d.entries/20)), 1, 300).Draw(rt, "masks")
		d.bytesOf = func(masked int64) int64 { return min(masked, 8) + masked*slope/100 }
		if online, offline := d.online(t), d.offline(); online > 2*offline {
			rt.Errorf("paid %d, the cheapest plan pays %d", online, offline)
		}
	})
	// Twice is what it comes to where the table ends when the leaf has just been folded.
	d := decay{prices: prices, entries: 2000, masks: make([]int64, 1000), bytesOf: func(masked int64) int64 { return masked / 2 }}
	d.masks[0] = 200
	for n := range d.masks {
		d.masks = d.masks[:n+1]
		if rent := int64(n+1) * 100; rent >= d.price(1800) {
			break
		}
	}
	if online, offline := d.online(t), d.offline(); float64(online) < 1.98*float64(offline) || online > 2*offline {
		t.Errorf("the worst case: paid %d, the cheapest plan pays %d", online, offline)
	}
}

// TestLedger: a leaf is folded in the commit in which its masked rows have cost what its live ones cost once, whoever makes the commits
// between, and not before.
func TestLedger(t *testing.T) {
	prices := policy.EstimatePrices(20)
	const live, dvBytes = 10_000, 20_000
	price := prices.LeafFixedBytes + live*prices.LeafEntryBytes
	rent := int64(dvBytes) + 1000*prices.LeafEntryBytes/adaptive.DefaultReadDiscount
	for _, foreign := range []int{0, 1, 7} { // snapshots of others after each of ours
		history := []policy.Snapshot{{Summary: map[string]string{"firn.policy.files-per-commit": "10"}}}
		for sequence := int64(2); ; sequence++ {
			in := policy.Input{
				Mode: policy.Maintenance, Prices: prices, SequenceNumber: sequence, History: history,
				Pointers: []policy.Pointer{{Location: "a/masked", LiveEntries: live, Entries: live + 1000, DVBytes: dvBytes, SequenceNumber: 1}},
			}
			got, plan := planned(t, in)
			if got == "fold" {
				if paid := int64(len(history)-1) * rent; paid+rent < price || paid >= price+int64(foreign)*rent {
					t.Errorf("%d foreign snapshots: folded after %d commits, %d bytes of %d", foreign, len(history)-1, paid, price)
				}
				break
			}
			if sequence > 10_000 {
				t.Fatal("never folded")
			}
			history = append(history, policy.Snapshot{Summary: plan.Summary})
			for range foreign {
				history = append(history, policy.Snapshot{Summary: map[string]string{"operation": "append"}})
			}
		}
	}
}

// TestLedgerIsBounded: however many leaves are masked, what a policy keeps in a summary stays below 1 KB, and those that have cost most
// are in it.
func TestLedgerIsBounded(t *testing.T) {
	in := policy.Input{Mode: policy.Foreground, Prices: policy.EstimatePrices(20), SequenceNumber: 1000, New: policytest.Items("new", 3)}
	for i := range 1000 {
		in.Pointers = append(in.Pointers, policy.Pointer{
			Location: fmt.Sprint("leaf ", i), LiveEntries: 20_000, Entries: 21_000, DVBytes: int64(i) + 10, SequenceNumber: 999,
		})
	}
	for range 3 {
		_, plan := planned(t, in)
		size := 0
		for key, value := range plan.Summary {
			size += len(key) + len(value)
		}
		if size > 1024 {
			t.Errorf("%d bytes of a summary", size)
		}
		in.History = append(in.History, policy.Snapshot{Summary: plan.Summary})
	}
	for _, c := range []struct {
		leaf int
		in   bool
	}{{999, true}, {950, true}, {5, false}} {
		if got := adaptive.Spent(in, c.leaf) > 3*(int64(c.leaf)+10); got != c.in {
			t.Errorf("leaf %d: it has cost %d", c.leaf, adaptive.Spent(in, c.leaf))
		}
	}
}

// TestSpoiledLedger: whatever stands where the ledger should, a plan is made and is valid.
func TestSpoiledLedger(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := policy.Input{
			Mode: rapid.SampledFrom([]policy.Mode{policy.Foreground, policy.Maintenance}).Draw(rt, "mode"), Prices: policy.EstimatePrices(3),
			SequenceNumber: rapid.Int64().Draw(rt, "sequence number"),
			History: []policy.Snapshot{{Summary: map[string]string{
				"firn.policy.files-per-commit": "3", "firn.policy.dv-spent": rapid.OneOf(rapid.String(), rapid.StringMatching("[A-Za-z0-9_-]{0,60}")).Draw(rt, "ledger"),
			}}},
			Pointers: []policy.Pointer{{
				Location: "l", LiveEntries: rapid.Int64Range(0, 5000).Draw(rt, "live"), Entries: 5000,
				DVBytes: rapid.Int64Range(0, math.MaxInt32).Draw(rt, "bitmap bytes"), SequenceNumber: rapid.Int64().Draw(rt, "of the leaf"),
			}},
		}
		planned(t, in)
	})
}

// TestFoldsOfAnySize: a leaf that is larger than a commit may write again keeps no smaller one from being folded, and none is so large
// that maintenance never folds it.
func TestFoldsOfAnySize(t *testing.T) {
	prices := policy.EstimatePrices(20)
	// masked returns a leaf of so many bytes whose masked rows have cost its price so many times.
	masked := func(bytes, often int64) policy.Pointer {
		live := bytes / prices.LeafEntryBytes
		return policy.Pointer{
			Location: fmt.Sprint("leaf ", bytes), LiveEntries: live, Entries: live, DVBytes: often * (bytes + prices.LeafFixedBytes) * 2 / 999, SequenceNumber: 1,
		}
	}
	huge, full, small := masked(200<<20, 9), masked(8<<20, 5), masked(1<<19, 2)
	history := policytest.Rate("10")
	history[0].Summary["firn.policy.waiting"] = "1"
	for _, c := range []struct {
		name     string
		policy   adaptive.Policy
		mode     policy.Mode
		pointers []policy.Pointer
		want     []string // the members of the steps
		deferred bool
	}{
		{"one beyond what maintenance writes", adaptive.Policy{}, policy.Maintenance, []policy.Pointer{huge}, []string{huge.Key()}, false},
		{"it comes first where it has cost most", adaptive.Policy{}, policy.Maintenance, []policy.Pointer{full, huge, small}, []string{huge.Key()}, true},
		{"it waits while others have cost more", adaptive.Policy{}, policy.Maintenance, []policy.Pointer{full, masked(200<<20, 3), small},
			[]string{full.Key(), small.Key()}, true},
		{"a writer passes over what is too large", adaptive.Policy{}, policy.Foreground, []policy.Pointer{huge, full, small}, []string{small.Key()}, true},
		{"leaves without a limit", adaptive.Policy{LeafBytes: math.MaxInt64}, policy.Maintenance, []policy.Pointer{full}, []string{full.Key()}, false},
	} {
		in := policy.Input{Mode: c.mode, Prices: prices, SequenceNumber: 1000, Pointers: c.pointers, History: []policy.Snapshot{{}}}
		if c.mode == policy.Foreground {
			in.History = history
			in.History[0].Summary["firn.policy.dv-spent"] = adaptive.Ledger(c.pointers, 3_000_000_000, 80_000_000, 1_500_000)
		}
		_, plan := plannedBy(t, c.policy, in)
		var got []string
		for _, step := range plan.Steps {
			if step.Term == policy.ByMasks {
				got = append(got, strings.TrimPrefix(policytest.Members(in, policy.Plan{Steps: []policy.Step{step}})[0], step.Kind.String()+" "))
			}
		}
		if !slices.Equal(got, c.want) || len(plan.Deferred) > 0 != c.deferred {
			t.Errorf("%s: folded %q, deferred %q; want %q", c.name, got, plan.Deferred, c.want)
		}
	}
}

// TestMaskedRowsCostWhatTheirLeafSays: where a leaf's files have no statistics its masked rows are as cheap as its live ones: it is written
// again when it has cost that, and not earlier by the price of other files.
func TestMaskedRowsCostWhatTheirLeafSays(t *testing.T) {
	for commits, folds := range map[int64]int{2500: 0, 6000: 1} {
		in := policy.Input{Mode: policy.Maintenance, Prices: policy.EstimatePrices(100), SequenceNumber: commits + 1}
		in.Pointers = []policy.Pointer{{
			Location: "bare", LiveEntries: 8600, Entries: 9000, DVBytes: 60, SequenceNumber: 1, FileSizeBytes: in.Prices.LeafFixedBytes + 9000*50,
		}}
		plan, err := adaptive.Policy{}.Plan(in)
		if err != nil {
			t.Fatal(err)
		}
		if len(plan.Steps) != folds {
			t.Errorf("after %d commits: %+v", commits, plan.Steps)
		}
	}
}
