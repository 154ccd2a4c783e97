package sim_test

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/firn-io/firn/sim"
)

// explore explores, and must find nothing.
func explore(t *testing.T, b sim.Bounds) sim.ExploreReport {
	t.Helper()
	r, err := sim.Explore(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Violations {
		t.Errorf("%q: %s", v.Program, v.Violation)
	}
	return r
}

// TestClosedForm: the recurrence is the formula with one operation each, and what a count of all words says with more.
func TestClosedForm(t *testing.T) {
	for n := 1; n <= 8; n++ {
		want := new(big.Int).MulRange(1, int64(n))
		want.Lsh(want, uint(n*(n-1)/2))
		if got := sim.ClosedForm(n, 1); got.Cmp(want) != 0 {
			t.Errorf("%d writers: got %d, want %d", n, got, want)
		}
	}
	for n := 1; n <= 3; n++ {
		for m := 1; m <= 3; m++ {
			if got, want := sim.ClosedForm(n, m), words(make([]int, n), m, nil); got.Cmp(big.NewInt(want)) != 0 {
				t.Errorf("%d writers, %d operations: got %d, want %d", n, m, got, want)
			}
		}
	}
}

// words counts the runs of each order of commits, written as a word of writers.
func words(used []int, operations int, word []int) int64 {
	if len(word) == len(used)*operations {
		runs := int64(1)
		before := make(map[int]int)
		for place, w := range word {
			gap := place + 1 - before[w]
			runs *= 1 << (gap - 1)
			before[w] = place + 1
		}
		return runs
	}
	var sum int64
	for w := range used {
		if used[w] < operations {
			used[w]++
			sum += words(used, operations, append(slices.Clone(word), w))
			used[w]--
		}
	}
	return sum
}

// TestExploreCounts: where all operations commit there are as many runs as the formula says.
func TestExploreCounts(t *testing.T) {
	for _, b := range []sim.Bounds{
		{Writers: 1, Operations: 3, Kinds: []string{"empty"}},
		{Writers: 2, Operations: 1, Kinds: []string{"append", "delete-rows", "schema", "empty"}},
		{Writers: 3, Operations: 1, Kinds: []string{"append", "delete-rows"}},
		{Writers: 4, Operations: 1, Kinds: []string{"empty"}},
		{Writers: 2, Operations: 2, Kinds: []string{"append", "empty"}},
		{Writers: 2, Operations: 2, Faults: 1, Kinds: []string{"schema"}},
	} {
		r := explore(t, b)
		for _, p := range r.PerProgram {
			if want := sim.ClosedForm(b.Writers, b.Operations).Int64(); p.Undisturbed != want {
				t.Errorf("%+v: %q: %d runs without a fault, want %d", b, p.Program, p.Undisturbed, want)
			}
			if (p.Runs > p.Undisturbed) != (b.Faults > 0) {
				t.Errorf("%+v: %q: %d runs, %d of them without a fault", b, p.Program, p.Runs, p.Undisturbed)
			}
		}
	}
}

// TestExplorePlaces: of n writers the one that commits as the i-th makes i/2 attempts in vain on average, so where each operation
// has p places for a fault and each attempt in vain r more, all runs have together n*p + r*n(n-1)/4 times their number.
func TestExplorePlaces(t *testing.T) {
	places := func(writers int) (runs, places int64) {
		r := explore(t, sim.Bounds{Writers: writers, Operations: 1, Kinds: []string{"empty"}})
		return r.Runs, r.Places
	}
	_, p := places(1)
	runs, both := places(2)
	r := (2*both - runs*4*p) / runs
	for n := 3; n <= 4; n++ {
		runs, got := places(n)
		if want := runs * (4*int64(n)*p + r*int64(n*(n-1))) / 4; p == 0 || r == 0 || got != want {
			t.Errorf("%d writers: %d places, want %d", n, got, want)
		}
	}
	one := explore(t, sim.Bounds{Writers: 1, Operations: 1, Faults: 1, Kinds: []string{"empty"}})
	if one.Runs < one.Undisturbed+p {
		t.Errorf("one writer has %d runs, %d places", one.Runs, p)
	}
}

// TestExploreFull: without the reduction the outcomes are the same, and there are as many runs as the formula says.
func TestExploreFull(t *testing.T) {
	explore(t, sim.Bounds{Writers: 1, Operations: 1, Faults: 1, Full: true})
	explore(t, sim.Bounds{Writers: 1, Operations: 2, Faults: 1, Full: true, Kinds: []string{"schema", "maintain"}})
	two := explore(t, sim.Bounds{Writers: 2, Operations: 1, Full: true, Kinds: []string{"schema", "empty", "remove"}})
	calls := map[string]int64{ // up to the swap
		"schema": 4, "empty": 6, "remove": 6,
	}
	for _, p := range two.PerProgram {
		a, b := calls[p.Program[0]], calls[p.Program[1]]
		if want := new(big.Int).Binomial(a+b, a).Int64(); p.FullRuns != want || p.FullOutcomes == 0 {
			t.Errorf("%q: %d runs and %d outcomes, want %d runs", p.Program, p.FullRuns, p.FullOutcomes, want)
		}
	}
}

// TestExplorePairs: no two kinds of changes, and no fault of them, do harm.
func TestExplorePairs(t *testing.T) {
	if got := explore(t, sim.Bounds{Writers: 2, Operations: 1}).Programs; got != 78 {
		t.Errorf("%d pairs of twelve kinds", got)
	}
	explore(t, sim.Bounds{Writers: 2, Operations: 1, Faults: 1, Kinds: []string{"append", "compact", "delete-rows", "maintain"}})
	// It takes two faults to leave a program without an answer.
	explore(t, sim.Bounds{Writers: 1, Operations: 1, Faults: 2})
	explore(t, sim.Bounds{Writers: 2, Operations: 1, Faults: 2, Kinds: []string{"schema"}})
}

// TestExploreFinds: on a store that tears objects something is found, and its trace replays, after it was written and read, to
// a violation.
func TestExploreFinds(t *testing.T) {
	b := sim.Torn(sim.Bounds{Writers: 2, Operations: 1, Faults: 1, Kinds: []string{"append", "delete-rows"}})
	r, err := sim.Explore(t.Context(), b)
	if err != nil || len(r.PerProgram) != 3 {
		t.Fatalf("%d programs, %v", len(r.PerProgram), err)
	}
	for _, p := range r.PerProgram {
		if len(p.Violations) == 0 {
			t.Errorf("%q: nothing was found", p.Program)
		}
		for _, v := range p.Violations {
			replays(t, v)
		}
	}
	// Without the reduction the same is found.
	found, err := sim.Compare(t.Context(), b)
	if err != nil || len(found) != 1 || found[0].Check == "reduction" {
		t.Fatalf("found %v, %v", found, err)
	}
	replays(t, found[0])
}

// replays: a trace that was written and read again shows a violation.
func replays(t *testing.T, v sim.FoundViolation) {
	t.Helper()
	var text bytes.Buffer
	if err := v.Trace.Write(&text); err != nil {
		t.Fatal(err)
	}
	read, err := sim.ReadTrace(&text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := sim.Replay(t.Context(), read, false, nil)
	if len(again.Violations) == 0 {
		t.Errorf("%q: %s: the replay finds nothing, %v", v.Program, v.Violation, err)
	}
}

// TestExploreCompares: outcomes that the reduced runs lack are found, and outcomes that only they have.
func TestExploreCompares(t *testing.T) {
	b := sim.Bounds{Writers: 2, Operations: 1, Kinds: []string{"schema"}}
	lacking, err := sim.Compare(t.Context(), b)
	if err != nil || len(lacking) != 1 || !strings.HasPrefix(lacking[0].Message, "the reduction has no run that ends so: history [{1 0} {2 0}]; told committed committed;") {
		t.Fatalf("without any outcome: %v, %v", lacking, err)
	}
	_, first, _ := strings.Cut(lacking[0].Message, "so: ")
	second := strings.Replace(first, "[{1 0} {2 0}]", "[{2 0} {1 0}]", 1)
	for _, c := range []struct {
		madeUp []string
		want   string
	}{
		{[]string{first}, "the reduction has no run that ends so: " + second},
		{[]string{first, second}, ""},
		{[]string{first, second, "else"}, "only the reduction has a run that ends so: else"},
	} {
		found, err := sim.Compare(t.Context(), b, c.madeUp...)
		switch {
		case err != nil || len(found) > 1 || (len(found) == 1) != (c.want != ""):
			t.Errorf("%q: %v, %v", c.madeUp, found, err)
		case len(found) == 1 && found[0].Message != c.want:
			t.Errorf("%q: got %q, want %q", c.madeUp, found[0].Message, c.want)
		}
	}
}

// TestExploreSame: the report does not depend on how many programs are explored at once.
func TestExploreSame(t *testing.T) {
	b := sim.Bounds{Writers: 2, Operations: 1, Faults: 1, Kinds: []string{"schema", "remove"}, Workers: 1}
	var told []int
	b.Progress = func(done, total int) { told = append(told, done, total) }
	one := explore(t, b)
	if diff := cmp.Diff([]int{1, 3, 2, 3, 3, 3}, told); diff != "" {
		t.Error("progress (-want +got):\n", diff)
	}
	b.Workers = 3
	if diff := cmp.Diff(one, explore(t, b), cmpopts.IgnoreTypes(sim.Bounds{})); diff != "" {
		t.Error("one worker and three (-one +three):\n", diff)
	}
}

// TestExploreSets: the figures are about these.
func TestExploreSets(t *testing.T) {
	var names []string
	for _, b := range sim.ExploreSets() {
		names = append(names, b.Name)
		if b.Full != strings.HasPrefix(b.Name, "full") {
			t.Errorf("%+v", b)
		}
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "full-one", "full-two", "full-fault"}, names); diff != "" {
		t.Error(diff)
	}
}

// TestExploreBounds: all that is wrong with bounds is said at once.
func TestExploreBounds(t *testing.T) {
	_, err := sim.Explore(t.Context(), sim.Bounds{Writers: 5, Faults: 3, Workers: -1, Kinds: []string{"fly"}})
	for _, want := range []string{
		"5 writers: want 1 to 4", "0 operations: want 1 to 4", "3 faults: want 0 to 2", "-1 workers: want 1 to 1000",
		`there is no kind of change "fly": want some of append, remove,`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := sim.Explore(t.Context(), sim.Bounds{Writers: 1, Operations: 1, Faults: 2, Full: true}); err == nil {
		t.Error("full runs with two faults are taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sim.Explore(ctx, sim.Bounds{Writers: 2, Operations: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled exploration ends with %v", err)
	}
}
