package adaptive_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
)

// crowdedRoot is an input with leaves of a hundred files and more, the smallest ones last, whose pointers take so many percent of a root of 1 MiB.
func crowdedRoot(percent int64) policy.Input {
	in := policy.Input{Mode: policy.Foreground, Prices: policy.EstimatePrices(100).Thinned(1), New: []policy.Item{{Key: "new", Count: 1}}}
	n := ((1<<20)/100*percent - in.Prices.RootFixedBytes) / in.Prices.PointerBytes
	for i := range n {
		in.Pointers = append(in.Pointers, policy.Pointer{Location: "leaf", LiveEntries: 1000 + n - i, Entries: 1000 + n - i})
	}
	return in
}

// TestThinning: a crowded root loses the statistics of as many pointers as it takes, those of the smallest leaves, and no leaf is
// written again for it. The plan says what that costs.
func TestThinning(t *testing.T) {
	in := crowdedRoot(95)
	plan, err := adaptive.Policy{}.Plan(in)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Validate(in); err != nil {
		t.Fatal(err)
	}
	limit := int64(1<<20) / 100 * 90
	thin := plan.Thinning
	before, err := in.Shape(plan.Steps, nil)
	if err != nil {
		t.Fatal(err)
	}
	after, err := in.Shape(plan.Steps, thin.Pointers)
	if err != nil {
		t.Fatal(err)
	}
	one := in.Prices.PointerBytes - in.Prices.ThinPointerBytes
	if len(thin.Pointers) == 0 || after.Bytes > limit || after.Bytes <= limit-one || before.Bytes-after.Bytes != thin.SavedBytes {
		t.Errorf("%d pointers are thinned: %d bytes become %d of %d, saved %d", len(thin.Pointers), before.Bytes, after.Bytes, limit, thin.SavedBytes)
	}
	for i, p := range thin.Pointers {
		if p != len(in.Pointers)-1-i && !slices.Contains(thin.Pointers, len(in.Pointers)-1-i) {
			t.Errorf("pointer %d is thinned before smaller ones", p)
		}
	}
	if leavesRead(plan) > 0 || !strings.Contains(thin.Reason, "it leaves out statistics of ") {
		t.Errorf("%+v", plan)
	}
}

func leavesRead(plan policy.Plan) int {
	n := 0
	for _, step := range plan.Steps {
		for _, ref := range step.Members {
			if ref.Source == policy.FromPointers {
				n++
			}
		}
	}
	return n
}

// TestNoThinning: statistics stay where there is room but for loose files, where to leave them out saves nothing, and where they are left out already.
func TestNoThinning(t *testing.T) {
	roomy, same, thin, idle := crowdedRoot(85), crowdedRoot(95), crowdedRoot(95), crowdedRoot(89)
	same.Prices = policy.EstimatePrices(100)
	for i := range thin.Pointers {
		thin.Pointers[i].Thin = true
	}
	idle.Mode, idle.New = policy.Maintenance, nil
	some, many := crowdedRoot(60), crowdedRoot(60)
	some.Loose = []policy.Item{{Key: "loose", Count: (1 << 20) * 33 / 100 / some.Prices.LooseBytes}}
	many.Loose = []policy.Item{{Key: "loose", Count: (1 << 20) / many.Prices.LooseBytes}}
	for name, in := range map[string]policy.Input{
		"roomy": roomy, "nothing saved": same, "thin": thin, "idle": idle, "loose files": some, "loose files that go into a leaf": many,
	} {
		plan, err := adaptive.Policy{}.Plan(in)
		if err != nil || len(plan.Thinning.Pointers) > 0 || plan.Thinning.Reason != "" {
			t.Errorf("%s: %+v, %v", name, plan.Thinning, err)
		}
	}
}

// TestCrowdedRootsWait: what makes a root crowded and is neither loose nor statistics waits for maintenance, which makes room, and is said once.
func TestCrowdedRootsWait(t *testing.T) {
	for name, c := range map[string]struct {
		percent int64
		thin    bool
		want    bool
	}{"crowded": {92, false, true}, "roomy": {85, false, false}, "statistics make room": {92, true, false}} {
		in := crowdedRoot(c.percent)
		if !c.thin {
			in.Prices = policy.EstimatePrices(100)
		}
		in.History = []policy.Snapshot{{Summary: map[string]string{"firn.policy.files-per-commit": "1e6"}}} // a young table: no merge pays
		plan, err := adaptive.Policy{}.Plan(in)
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Contains(strings.Join(plan.Deferred, "; "), "of its limit of 1048576")
		if said != c.want || plan.Summary["firn.policy.waiting"] != map[bool]string{true: "1"}[c.want] {
			t.Errorf("%s: deferred %q, summary %v", name, plan.Deferred, plan.Summary)
		}
		in.Mode, in.New = policy.Maintenance, nil
		if plan, err = (adaptive.Policy{}).Plan(in); err != nil || leavesRead(plan) > 0 != c.want {
			t.Errorf("%s: maintenance writes %d leaves again, %v", name, leavesRead(plan), err)
		}
	}
}

// TestRootsKeepTheirLimit: a root that takes a twentieth more than estimated is within its limit.
func TestRootsKeepTheirLimit(t *testing.T) {
	for _, limit := range []int64{1, 19, 1000, 1 << 20, 1<<63 - 1} {
		if planned := (adaptive.Policy{RootBytes: limit}).PlannedRootBytes(); planned > limit-planned/20 || planned < limit/20*19 {
			t.Errorf("of %d bytes %d are planned with", limit, planned)
		}
	}
}

// TestMaintenanceThins: a maintenance commit leaves statistics out of a full root too, be that all that it does, and keeps account of what
// earlier ones have lost: others may have filled the root, and a commit that compacts files changes what is in it.
func TestMaintenanceThins(t *testing.T) {
	for name, change := range map[string]func(in *policy.Input){
		"nothing else": func(in *policy.Input) { in.New = nil },
		"new files":    func(in *policy.Input) { in.New = []policy.Item{{Key: "new", Count: 1}} },
		"tombstones":   func(in *policy.Input) { in.New, in.Tombstones = nil, []policy.Item{{Key: "dead", Count: 1}} },
	} {
		in := crowdedRoot(99)
		in.Mode = policy.Maintenance
		in.History = []policy.Snapshot{{Summary: map[string]string{"firn.policy.files-per-commit": "1e6"}}} // a young table: no merge pays
		change(&in)
		plan, err := adaptive.Policy{}.Plan(in)
		if err != nil || len(plan.Steps) > 0 {
			t.Fatalf("%s: %d steps, %v", name, len(plan.Steps), err)
		}
		shape, err := in.Shape(plan.Steps, plan.Thinning.Pointers)
		if err != nil || shape.Bytes > (1<<20)/100*90 || plan.Summary["firn.policy.thin-spent"] == "" {
			t.Errorf("%s: a root of %d bytes, summary %v, %v", name, shape.Bytes, plan.Summary, err)
		}
	}
}

// TestThinPointersAreRented: what plans lose by thin pointers adds up from commit to commit, to what it takes to write their
// leaves again; then they are merged, and have statistics again.
func TestThinPointersAreRented(t *testing.T) {
	in := crowdedRoot(60)
	for i := range in.Pointers {
		in.Pointers[i].Thin = true
	}
	in.New[0].Count = 1000
	summary := map[string]string{"firn.policy.files-per-commit": "1000", "firn.policy.thin-spent": "1/0"}
	in.History = []policy.Snapshot{{Summary: summary}}
	commits := 0
	for ; commits < 1000; commits++ {
		plan, err := adaptive.Policy{}.Plan(in)
		if err != nil {
			t.Fatal(err)
		}
		if len(plan.Deferred) > 0 {
			break
		}
		in.History = []policy.Snapshot{{Summary: plan.Summary}}
	}
	if commits < 300 || commits > 401 {
		t.Errorf("leaves wait to be written again after %d commits, not about 400", commits)
	}
	in.Mode, in.New = policy.Maintenance, nil
	plan, err := adaptive.Policy{}.Plan(in)
	if err != nil || leavesRead(plan) < 10 {
		t.Errorf("maintenance writes %d leaves again: %v", leavesRead(plan), err)
	}
}

// TestOldLeavesHaveLostTheRest: what young leaves cannot have cost is not forgotten: the account of the next commit is larger.
func TestOldLeavesHaveLostTheRest(t *testing.T) {
	in := crowdedRoot(60)
	for i := range in.Pointers {
		in.Pointers[i].Thin, in.Pointers[i].SequenceNumber = true, []int64{1, 9990}[i%2]
	}
	in.SequenceNumber = 10_000
	in.History = []policy.Snapshot{{SequenceNumber: 9999, Summary: map[string]string{
		"firn.policy.files-per-commit": "1e6", "firn.policy.thin-spent": "100000000/0",
	}}}
	plan, err := adaptive.Policy{ForegroundBytes: 1}.Plan(in)
	if err != nil || leavesRead(plan) > 0 {
		t.Fatalf("%d leaves are written again, %v", leavesRead(plan), err)
	}
	if n, err := strconv.Atoi(strings.TrimSuffix(plan.Summary["firn.policy.thin-spent"], "/1")); err != nil || n < 100_000_000 || n > 103_000_000 {
		t.Errorf("the account has %q after one of 100,000,000 bytes", plan.Summary["firn.policy.thin-spent"])
	}
}

// TestFullRootsAreLeftThin: where thin pointers alone fill the root, nothing is written again for statistics that would go at once, whatever
// thin pointers have cost; the account goes on.
func TestFullRootsAreLeftThin(t *testing.T) {
	for bitmaps, due := range map[int64]bool{0: true, 842_000: false} {
		in := crowdedRoot(60)
		for i := range in.Pointers {
			in.Pointers[i].Thin, in.Pointers[i].SequenceNumber = true, 1
		}
		in.Mode, in.New, in.SequenceNumber = policy.Maintenance, nil, 10_000
		in.Pointers = append(in.Pointers, policy.Pointer{Location: "old", Entries: 1, LiveEntries: 1, Legacy: true, DVBytes: bitmaps})
		in.History = []policy.Snapshot{{SequenceNumber: 9999, Summary: map[string]string{
			"firn.policy.files-per-commit": "1000", "firn.policy.thin-spent": "1000000000/0",
		}}}
		plan, err := adaptive.Policy{}.Plan(in)
		rent := slices.ContainsFunc(plan.Steps, func(s policy.Step) bool { return s.Term == policy.ByRent })
		if err != nil || rent != due || !due && plan.Summary["firn.policy.thin-spent"] == "" {
			t.Errorf("%d bytes of bitmaps: %d leaves are written again, %v, %v", bitmaps, leavesRead(plan), plan.Summary, err)
		}
	}
}

// TestFullLeavesGetStatisticsAgain: a full leaf is merged with none; when its thin pointer has cost what it takes to write it again, that is
// done all the same, if the root has room for the statistics.
func TestFullLeavesGetStatisticsAgain(t *testing.T) {
	plan := func(mode policy.Mode, spent string, dv int64) policy.Plan {
		in := crowdedRoot(1)
		in.Mode, in.Pointers, in.SequenceNumber = mode, nil, 10_000
		for range 20 {
			in.Pointers = append(in.Pointers, policy.Pointer{Location: "leaf", LiveEntries: 6000, Entries: 6000, SequenceNumber: 1, Thin: true})
		}
		in.Pointers = append(in.Pointers, policy.Pointer{Location: "old", Entries: 1, LiveEntries: 1, Legacy: true, DVBytes: dv})
		in.History = []policy.Snapshot{{SequenceNumber: 9999, Summary: map[string]string{
			"firn.policy.files-per-commit": "6000", "firn.policy.thin-spent": spent,
		}}}
		if mode == policy.Maintenance {
			in.New = nil
		}
		p, err := adaptive.Policy{}.Plan(in)
		if err == nil {
			err = p.Validate(in)
		}
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	paid := "200000000/1000" // twenty leaves of 8 MB
	if p := plan(policy.Maintenance, paid, 0); leavesRead(p) != 8 || !strings.Contains(p.Steps[0].Reason, "or their pointers lack") {
		t.Errorf("maintenance writes %d leaves again: %+v", leavesRead(p), p.Steps)
	}
	if p := plan(policy.Foreground, paid, 0); leavesRead(p) > 0 || len(p.Deferred) == 0 {
		t.Errorf("a writer writes %d leaves again, and leaves %q", leavesRead(p), p.Deferred)
	}
	if p := plan(policy.Maintenance, "100000000/1000", 0); leavesRead(p) > 0 {
		t.Errorf("%d leaves are written again for statistics that have cost less", leavesRead(p))
	}
	if p := plan(policy.Maintenance, paid, 853_500); leavesRead(p) > 0 {
		t.Errorf("%d leaves are written again for statistics that the root has no room for", leavesRead(p))
	}
}

// TestOnlyThinnedPointersAreRented: a pointer has few statistics too if the files of its leaf have no others. To write such a leaf again
// brings none back, so that nothing is paid for it: in a table of which no pointer was thinned, and if its leaf came after that.
func TestOnlyThinnedPointersAreRented(t *testing.T) {
	for name, c := range map[string]struct {
		account string
		since   int64 // the sequence number of the leaves
		counts  bool
	}{
		"never thinned":              {"", 3, false},
		"thinned, and written since": {"1000/5", 95, false},
		"written then":               {"1000/5", 94, false},
		"thinned":                    {"1000/5", 93, true},
		"not known":                  {"1000/5", 0, true},
		"a broken account":           {"1000", 3, false},
		"one of the future":          {"1000/-9", 3, false},
		"one of long ago":            {"1000/9223372036854775807", 3, false},
	} {
		in := crowdedRoot(60)
		for i := range in.Pointers {
			in.Pointers[i].Thin, in.Pointers[i].SequenceNumber = true, c.since
		}
		in.SequenceNumber = 100
		in.History = []policy.Snapshot{{SequenceNumber: 99, Summary: map[string]string{
			"firn.policy.files-per-commit": "1000", "firn.policy.thin-spent": c.account,
		}}}
		plan, err := adaptive.Policy{}.Plan(in)
		if text, counts := plan.Summary["firn.policy.thin-spent"]; err != nil || counts != c.counts || counts && !strings.HasSuffix(text, "/6") {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	in := crowdedRoot(95)
	in.SequenceNumber = 100
	if plan, err := (adaptive.Policy{}).Plan(in); err != nil || !strings.HasSuffix(plan.Summary["firn.policy.thin-spent"], "/0") {
		t.Errorf("a root that is thinned now: %v, %v", plan.Summary, err)
	}
	in = crowdedRoot(60)
	for i := range in.Pointers {
		in.Pointers[i].Thin = true
	}
	in.Prices.ThinPointerBytes, in.History = 0, []policy.Snapshot{{Summary: map[string]string{
		"firn.policy.files-per-commit": "1000", "firn.policy.thin-spent": "1000/0",
	}}}
	if plan, err := (adaptive.Policy{}).Plan(in); err != nil || plan.Summary["firn.policy.thin-spent"] != "" {
		t.Errorf("a table all of whose statistics are of its partitions: %v, %v", plan.Summary, err)
	}
}

// TestYoungLeavesHaveLostLittle: what old pointers have cost for long is no reason to write a leaf of yesterday again, whose pointer has just
// become thin.
func TestYoungLeavesHaveLostLittle(t *testing.T) {
	in := crowdedRoot(60)
	for i := range in.Pointers {
		in.Pointers[i].Thin, in.Pointers[i].SequenceNumber = true, 9990
	}
	in.New, in.Mode, in.SequenceNumber = nil, policy.Maintenance, 10_000
	in.History = []policy.Snapshot{{SequenceNumber: 9999, Summary: map[string]string{
		"firn.policy.files-per-commit": "1000", "firn.policy.thin-spent": "17592186044415/0",
	}}}
	plan, err := adaptive.Policy{}.Plan(in)
	if err != nil || leavesRead(plan) > 0 {
		t.Errorf("%d leaves are written again after ten commits, %v", leavesRead(plan), err)
	}
}

// TestSummaryHasRoomForAllAccounts: the keys of a plan that notes all there is to note, in its longest form, fit into a summary.
func TestSummaryHasRoomForAllAccounts(t *testing.T) {
	in := crowdedRoot(150)
	in.SequenceNumber = 1 << 40
	for i := range in.Pointers {
		p := &in.Pointers[i]
		p.Location, p.Thin, p.SequenceNumber = fmt.Sprint("leaf ", i), true, 1
		p.Entries, p.LiveEntries, p.DVBytes = 1<<32-1, 1<<31+int64(i), 1<<30
	}
	in.History = []policy.Snapshot{{SequenceNumber: 1<<40 - 1, Summary: map[string]string{
		"firn.policy.files-per-commit": "1.234e+300", "firn.policy.waiting": "root", "firn.policy.thin-spent": "9223372036854775807/1048576",
	}}}
	in.New[0].Count = 1
	plan, err := adaptive.Policy{ForegroundBytes: 1}.Plan(in)
	if err == nil {
		err = plan.Validate(in)
	}
	if err != nil {
		t.Fatal(err)
	}
	for key, least := range map[string]int{"files-per-commit": 9, "waiting": 4, "dv-spent": 896, "thin-spent": 22} {
		if value := plan.Summary["firn.policy."+key]; len(value) < least {
			t.Errorf("%s is %q, not at its longest", key, value)
		}
	}
}

// TestThinningIsValidated: a pointer that is thinned is there, once, and stays.
func TestThinningIsValidated(t *testing.T) {
	in := policy.Input{Pointers: []policy.Pointer{
		{Location: "a", LiveEntries: 1, Entries: 1}, {Location: "b", LiveEntries: 1, Entries: 1}, {Location: "c", LiveEntries: 1, Entries: 1},
	}}
	merge := []policy.Step{{Kind: policy.Merge, Written: -1, Members: []policy.Ref{{Source: policy.FromPointers}, {Source: policy.FromPointers, Index: 1}}}}
	for want, thin := range map[string][]int{
		"": {2}, "thins pointer 3, which the input does not have": {3}, "thins pointer -1, which": {-1},
		"thins a pointer twice: leaf c": {2, 2}, "thins a pointer whose leaf step 0 rewrites: leaf b": {1},
	} {
		err := policy.Plan{Steps: merge, Thinning: policy.Thinning{Pointers: thin}}.Validate(in)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", thin, err, want)
		}
	}
}

// TestMergesOfThinPointersMakeRoom: the pointer of a new leaf has all its statistics, so that it takes more of the root than many thin ones.
// No step takes leaves together whose pointers take less, however full the root is; and where there are enough of them, so many are
// taken that the root keeps its limit.
func TestMergesOfThinPointersMakeRoom(t *testing.T) {
	const limit = 1 << 20
	for name, c := range map[string]struct {
		files   func(i int) int64
		leaves  int
		percent int64 // of the limit, with pointers that nobody can make smaller
		fits    bool
	}{
		"a little too large":      {func(i int) int64 { return 1 << (2 * i) }, 10, 103, false},
		"inherited":               {func(i int) int64 { return 1 << (2 * i) }, 10, 130, false},
		"a few small ones first":  {func(i int) int64 { return 1 + 1000*int64(min(1, i/2)) }, 2000, 101, true},
		"the small ones are many": {func(int) int64 { return 1 }, 2000, 101, true},
	} {
		for _, mode := range []policy.Mode{policy.Foreground, policy.Maintenance} {
			in := crowdedRoot(1)
			in.Mode, in.Pointers = mode, nil
			in.History = []policy.Snapshot{{Summary: map[string]string{"firn.policy.files-per-commit": "1"}}}
			for i := range c.leaves {
				n := c.files(i)
				in.Pointers = append(in.Pointers, policy.Pointer{Location: "leaf", LiveEntries: n, Entries: n, Thin: true})
			}
			fixed := (limit/100*c.percent-in.Prices.RootFixedBytes)/in.Prices.ThinPointerBytes - int64(c.leaves)
			in.Pointers = append(in.Pointers, slices.Repeat([]policy.Pointer{{Location: "old", LiveEntries: 1, Entries: 1, Legacy: true, Thin: true}}, int(fixed))...)
			plan, err := adaptive.Policy{}.Plan(in)
			if err != nil {
				t.Fatal(err)
			}
			after, err := in.Shape(plan.Steps, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range plan.Steps {
				if step.Kind == policy.Merge && step.Term == policy.ByRootLimit && step.SavedBytes <= 0 {
					t.Errorf("%s, mode %d: %s; the root is %d bytes smaller", name, mode, step.Reason, step.SavedBytes)
				}
			}
			if c.fits && mode == policy.Foreground && after.Bytes > limit {
				t.Errorf("%s: the root is above its limit: %d bytes", name, after.Bytes)
			}
		}
	}
}
