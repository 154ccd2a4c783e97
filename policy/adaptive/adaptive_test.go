package adaptive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/internal/policytest"
)

// planned returns a valid plan of adaptive, described.
func planned(t *testing.T, in policy.Input) (string, policy.Plan) {
	t.Helper()
	return plannedBy(t, adaptive.Policy{}, in)
}

// plannedBy returns a valid plan of adaptive with some settings, described.
func plannedBy(t *testing.T, p adaptive.Policy, in policy.Input) (string, policy.Plan) {
	t.Helper()
	plan, err := p.Plan(in)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Validate(in); err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, s := range plan.Steps {
		steps = append(steps, s.Kind.String())
	}
	return strings.Join(steps, ", "), plan
}

// TestAdaptiveFolds: in a table of which nobody has kept account, a leaf is written again without its masked rows if its deletion vector
// would have cost as much had it grown evenly, by a maintenance commit where it is too large for a writer.
func TestAdaptiveFolds(t *testing.T) {
	for _, c := range []struct {
		name          string
		live, dvBytes int64
		mode          policy.Mode
		want          string
		deferred      bool
	}{
		{"no mask", 20_000, 0, policy.Maintenance, "", false},
		{"a small mask", 19_800, 100, policy.Maintenance, "", false},
		{"a large mask", 10_000, 2500, policy.Maintenance, "fold", false},
		{"a large mask, a writer", 10_000, 2500, policy.Foreground, "", true},
		{"a large mask of a few rows", 500, 2500, policy.Maintenance, "fold", false},
		{"nothing live", 0, 2500, policy.Maintenance, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := policy.Input{Mode: c.mode, Prices: policy.EstimatePrices(20), SequenceNumber: 10_000}
			in.Pointers = []policy.Pointer{
				{Location: "full", LiveEntries: 27_000, Entries: 27_000},
				{Location: "masked", LiveEntries: c.live, Entries: 20_000, DVBytes: c.dvBytes, SequenceNumber: 1},
			}
			if c.mode == policy.Foreground {
				in.New = policytest.Items("new", 10)
			}
			got, plan := planned(t, in)
			if got != c.want || len(plan.Deferred) > 0 != c.deferred {
				t.Errorf("steps %q, want %q; deferred %q", got, c.want, plan.Deferred)
			}
		})
	}
}

// TestAdaptiveLearnsTheRate: the rate follows the commits that add files, slowly, and is not moved by the others.
func TestAdaptiveLearnsTheRate(t *testing.T) {
	for _, c := range []struct {
		name, before string
		files        int
		want         string
	}{
		{"the first commit", "", 50, "50"},
		{"as before", "10", 10, "10"},
		{"a large one among small ones", "10", 10_000, "12.41"},
		{"a small one among large ones", "1000", 1, "805.8"},
		{"a commit that adds nothing", "10", 0, "10"},
		{"of a table that somebody else wrote", "", 0, "1"},
		{"spoiled", "-3", 7, "7"},
	} {
		in := policy.Input{Mode: policy.Foreground, Prices: policy.EstimatePrices(5), New: policytest.Items("new", c.files)}
		if c.before != "" {
			in.History = policytest.Rate(c.before)
		}
		_, plan := planned(t, in)
		if got := plan.Summary["firn.policy.files-per-commit"]; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestAdaptiveShapesForeignTables: a table that another engine left with a huge root, or with thousands of leaves of one file, is
// brought into shape by maintenance, and no commit of a writer does more than it may.
func TestAdaptiveShapesForeignTables(t *testing.T) {
	in := policy.Input{Mode: policy.Foreground, Prices: policy.EstimatePrices(20), New: policytest.Items("new", 5)}
	for _, leaf := range policytest.Items("leaf", 3000) {
		in.Pointers = append(in.Pointers, policy.Pointer{Location: leaf.Key, LiveEntries: 1, Entries: 1})
	}
	if got, plan := planned(t, in); got != "merge" || len(plan.Steps[0].Members) < 2000 {
		t.Errorf("leaves of one file: %q", got)
	}
	in.Pointers, in.Loose = nil, policytest.Items("loose", 50_000)
	got, plan := planned(t, in)
	if got != "push, push" || len(plan.Steps[0].Members) < 25_000 {
		t.Errorf("a huge root: %q", got)
	}
}

// TestAdaptiveCountsWhatEarlierAttemptsWrote: a retry keeps the leaf that an attempt before it wrote, and what that took from old
// leaves is part of what a writer may write again.
func TestAdaptiveCountsWhatEarlierAttemptsWrote(t *testing.T) {
	in := policy.Input{Mode: policy.Foreground, Prices: policy.EstimatePrices(20), New: policytest.Items("new", 40), History: policytest.Rate("10")}
	in.Pointers = []policy.Pointer{{Location: "large", LiveEntries: 3000, Entries: 3000}}
	for _, leaf := range policytest.Items("leaf", 60) {
		in.Pointers = append(in.Pointers, policy.Pointer{Location: leaf.Key, LiveEntries: 50, Entries: 50})
	}
	if got, plan := planned(t, in); got != "merge" || len(plan.Deferred) > 0 {
		t.Fatalf("the first attempt: %q, deferred %q", got, plan.Deferred)
	}
	in.Written = []policy.Group{{Members: []string{in.Pointers[0].Key(), "new0"}}}
	got, plan := planned(t, in)
	var again int64
	for _, step := range plan.Steps {
		for _, ref := range step.Members {
			if ref.Source == policy.FromPointers {
				again += in.Pointers[ref.Index].LiveEntries * in.Prices.LeafEntryBytes
			}
		}
	}
	if again > adaptive.DefaultForegroundBytes || len(plan.Deferred) == 0 {
		t.Errorf("the retry: %q, %d bytes of leaves again, deferred %q", got, again, plan.Deferred)
	}
}

// TestAdaptiveMergesWhatWaited: leaves that writers may not write again are merged by maintenance whenever it comes, not only at the
// moment when they would fill a leaf to the last file.
func TestAdaptiveMergesWhatWaited(t *testing.T) {
	for rows := int64(3000); rows <= 4000; rows += 100 {
		in := policy.Input{Mode: policy.Maintenance, Prices: policy.EstimatePrices(20), History: policytest.Rate("10")}
		for _, leaf := range policytest.Items("leaf", 24) {
			in.Pointers = append(in.Pointers, policy.Pointer{Location: leaf.Key, LiveEntries: rows, Entries: rows})
		}
		if got, plan := planned(t, in); !strings.HasPrefix(got, "merge, merge") || len(plan.Steps[0].Members) < 6 {
			t.Errorf("leaves of %d files: %q", rows, got)
		}
	}
}

// TestAdaptiveLeavesWhatItChanges: a commit that removes many files of a leaf masks them there, and does not rewrite the leaf, for then
// its root would have to tell of each; the next commit does.
func TestAdaptiveLeavesWhatItChanges(t *testing.T) {
	for _, mode := range []policy.Mode{policy.Foreground, policy.Maintenance} {
		for changed, want := range map[int64]string{0: "merge", 1: "merge", 90: "", 20_000: ""} {
			in := policy.Input{Mode: mode, Prices: policy.EstimatePrices(20), History: policytest.Rate("10")}
			for _, leaf := range policytest.Items("leaf", 60) {
				in.Pointers = append(in.Pointers, policy.Pointer{
					Location: leaf.Key, LiveEntries: 10, Entries: 10 + changed, DVBytes: 20 + changed/8, Changed: changed,
				})
			}
			if got, plan := planned(t, in); got != want {
				t.Errorf("mode %d, %d changed: %q, want %q: %v", mode, changed, got, want, plan.Steps)
			}
		}
	}
}

// TestNoLeafIsWrittenAgainAsItIs: where an earlier attempt has written what a writer may write again, but for less than two leaves that are
// due, none of them is written.
func TestNoLeafIsWrittenAgainAsItIs(t *testing.T) {
	in := policy.Input{Mode: policy.Foreground, Prices: policy.EstimatePrices(20), History: policytest.Rate("1"), SequenceNumber: 5000}
	in.History[0].Summary["firn.policy.waiting"] = "1"
	for i, live := range []int64{1000, 1000, 800, 800, 800, 800, 800} {
		in.Pointers = append(in.Pointers, policy.Pointer{Location: fmt.Sprint(i), LiveEntries: live, Entries: live, SequenceNumber: 1})
	}
	if got, _ := planned(t, in); got != "merge" { // of some of them
		t.Fatalf("%s", got)
	}
	in.Written = []policy.Group{{Members: []string{in.Pointers[0].Key(), in.Pointers[1].Key()}}}
	got, plan := planned(t, in)
	if got != "merge" || plan.Steps[0].Written != 0 {
		t.Errorf("%s: %+v", got, plan.Steps)
	}
}

// TestTermsOfAdaptive: what decides is the rent of what stays in the root, the bitmaps of one leaf, or the limit of the root.
func TestTermsOfAdaptive(t *testing.T) {
	small := policy.Input{Mode: policy.Foreground, Prices: policy.EstimatePrices(20), New: policytest.Items("new", 2000), History: policytest.Rate("2000")}
	masked := policy.Input{Mode: policy.Maintenance, Prices: policy.EstimatePrices(20), SequenceNumber: 10_000, Pointers: []policy.Pointer{
		{Location: "full", LiveEntries: 27_000, Entries: 27_000},
		{Location: "masked", LiveEntries: 10_000, Entries: 20_000, DVBytes: 2500, SequenceNumber: 1},
	}}
	full := policy.Input{Mode: policy.Foreground, Prices: policy.EstimatePrices(20), New: policytest.Items("new", 2), History: policytest.Rate("1")}
	for _, leaf := range policytest.Items("leaf", 5000) {
		full.Pointers = append(full.Pointers, policy.Pointer{Location: leaf.Key, LiveEntries: 9000, Entries: 9000})
	}
	for want, in := range map[policy.Term]policy.Input{policy.ByRent: small, policy.ByMasks: masked, policy.ByRootLimit: full} {
		_, plan := planned(t, in)
		if len(plan.Steps) == 0 || plan.Steps[0].Term != want {
			t.Errorf("want %s: %+v", want, plan)
		}
		if strings.Contains(want.String(), " ") {
			t.Errorf("the name of a term has a space: %q", want)
		}
	}
}

// TestDearFilesGoIntoALeaf: where rows have been cheap, new files that may be dear go into a leaf if the root has no room for them. No leaf is
// written again for that, and the root is not taken for one that was too large before.
func TestDearFilesGoIntoALeaf(t *testing.T) {
	for _, history := range [][]policy.Snapshot{nil, policytest.Rate("100")} {
		for _, files := range []int{700, 900, 1200, 5000} {
			in := policy.Input{
				Mode: policy.Foreground, Prices: policy.EstimatePrices(100).Thinned(1), SequenceNumber: 50, History: history,
				Loose: policytest.Items("loose", 1000), New: policytest.Items("new", files),
			}
			for i := range 20 {
				in.Pointers = append(in.Pointers, policy.Pointer{
					Location: fmt.Sprint(i), LiveEntries: 1000, Entries: 1000, SequenceNumber: 1, FileSizeBytes: in.Prices.LeafFixedBytes + 1000*230,
				})
			}
			in.RootRows = int64(len(in.Loose) + len(in.Pointers))
			in.RootBytes = in.Prices.RootFixedBytes + 1390 + in.RootRows*232
			_, plan := plannedBy(t, adaptive.Policy{RequestBytes: 60_000_000}, in)
			if len(plan.Steps) != 1 || plan.Steps[0].Kind != policy.Push || len(plan.Thinning.Pointers) > 0 || plan.Summary["firn.policy.waiting"] != "" {
				t.Errorf("%d files: %+v", files, plan)
			}
		}
	}
}
