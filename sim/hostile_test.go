package sim_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/firn-io/firn/sim"
)

// oddWords are what a trace may hold in odd places.
var oddWords = []string{
	"0", "1", "-1", "9223372036854775807", "-9223372036854775808", "1-3", "5-4000", "hint", "merge", "keep", "records=1", "records=9223372036854775807",
	"rows=0", "rows=9-20", "branch=b9", "isolation=snapshot", "mode=maintenance", ";", "add", "remove", "clean-up", "expire", "cap", "restore", "where", "delete",
	"refresh", "swap", "put", "*", "#1", "late", "half", "crash", "start", "step", "creep", "fall", "land", "tick",
}

// TestHostileTraces: a trace that somebody changed by hand is refused, or replays to some end, without a panic. What it
// finds is its own doing.
func TestHostileTraces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var traces [][]sim.Action
	for _, p := range sim.Profiles() {
		p.MaxFiles = min(p.MaxFiles, 20)
		traces = append(traces, run(t, sim.Config{Seed: 2, Profile: p, Commits: 15, Faults: 0.2, DataFiles: true}).Trace.Actions)
	}
	replayed := 0
	for range seeds(t, 150) {
		trace := sim.Trace{Config: sim.Config{Writers: 4, DataFiles: random.IntN(2) == 0}}
		for _, a := range traces[random.IntN(len(traces))] {
			a, ok := changed(random, a)
			if !ok {
				continue
			}
			trace.Actions = append(trace.Actions, a)
		}
		r, err := sim.Replay(t.Context(), trace, true, nil)
		if err == nil {
			replayed++
		}
		if i := slices.IndexFunc(r.Violations, func(v sim.Violation) bool { return v.Check == "panic" }); i >= 0 {
			var text strings.Builder
			_ = r.Trace.Write(&text) // into memory
			t.Fatalf("%s\n%s", r.Violations[i], text.String())
		}
	}
	if replayed < 10 {
		t.Errorf("only %d traces replay", replayed)
	}
}

// changed returns an action of which a word may be another one, and whether that is an action.
func changed(random *rand.Rand, a sim.Action) (sim.Action, bool) {
	if random.IntN(10) > 0 {
		return a, true
	}
	text := strings.Fields(a.String())
	i := random.IntN(len(text))
	switch random.IntN(3) {
	case 0:
		text[i] = oddWords[random.IntN(len(oddWords))]
	case 1:
		text = slices.Insert(text, i, oddWords[random.IntN(len(oddWords))])
	default:
		if _, err := strconv.Atoi(text[i]); err != nil {
			return a, true
		}
		text[i] = oddWords[random.IntN(4)]
	}
	a, err := sim.ParseAction(strings.Join(text, " "))
	return a, err == nil
}
