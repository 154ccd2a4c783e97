package sim_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/sim"
)

// drawn takes the choices of a workload from a property test, which makes them smaller when they fail.
type drawn struct{ t *rapid.T }

func (d drawn) Int64N(n int64) int64 { return rapid.Int64Range(0, n-1).Draw(d.t, "choice") }

// TestMachine: the operations of the workload as a state machine of rapid, on all profiles and policies. What fails is printed as a
// trace, made smaller, that firn sim replay does again.
func TestMachine(t *testing.T) {
	var failed sim.Trace
	t.Cleanup(func() {
		if t.Failed() && len(failed.Actions) > 0 {
			t.Log("firn sim replay does this again:\n" + smallTrace(context.Background(), failed))
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		c := machine(t)
		w, err := sim.NewWorld(c)
		if err != nil {
			t.Fatal(err)
		}
		trace := sim.Trace{Config: c}
		defer func() { // the last run that fails is the smallest one that rapid finds
			if len(w.Violations()) > 0 || t.Failed() {
				failed = trace
			}
		}()
		workload := sim.NewWorkload(w, drawn{t})
		ctx := t.Context()
		t.Repeat(map[string]func(*rapid.T){
			"act": func(t *rapid.T) {
				for range rapid.IntRange(1, 8).Draw(t, "actions") {
					a := workload.Next()
					trace.Actions = append(trace.Actions, a)
					if err := w.Do(ctx, a); err != nil {
						t.Fatal(err)
					}
				}
			},
			"": func(t *rapid.T) {
				for _, v := range w.Violations() {
					t.Error(v)
				}
			},
		})
		if err := w.Finish(ctx); err != nil {
			t.Fatal(err)
		}
		for _, v := range w.Violations() {
			t.Error(v)
		}
	})
}

// machine draws a world.
func machine(t *rapid.T) sim.Config {
	profile := rapid.SampledFrom(sim.Profiles()).Draw(t, "profile")
	profile.MinFiles, profile.MaxFiles = 1, 4
	settings := sim.SmallSettings()
	delete(settings, choose.PropertyRows) // which are drawn
	return sim.Config{
		Profile: profile, Writers: rapid.IntRange(1, 4).Draw(t, "writers"),
		Policy: rapid.SampledFrom(choose.Names()).Draw(t, "policy"), Rows: rapid.Int64Range(2, 12).Draw(t, "rows"), Properties: settings,
		Faults:    rapid.SampledFrom([]float64{0, 0.1, 0.5}).Draw(t, "faults"),
		DataFiles: rapid.Bool().Draw(t, "data files"), FullEvery: 10,
	}
}

// smallTrace returns a trace that finds something as text, as small as it gets.
func smallTrace(ctx context.Context, trace sim.Trace) string {
	small, err := sim.Shrink(ctx, trace)
	var b strings.Builder
	if err := errors.Join(err, small.Write(&b)); err != nil {
		b.WriteString("# it could not be made as small as it may be: " + err.Error() + "\n")
	}
	return b.String()
}

// TestSmallTrace: what is printed is a trace that finds the same, and one that finds nothing is printed as it is.
func TestSmallTrace(t *testing.T) {
	long := sim.Trace{Config: sim.Config{Writers: 3}}
	for _, text := range []string{
		"start 3 add 1-2 records=3", "step 3", "step 3", "start 1 add 3 records=4", "step 1", "start 2 clean-up 0", "step 2", "step 2", "step 2",
		"step 2", "step 1",
	} {
		a, err := sim.ParseAction(text)
		if err != nil {
			t.Fatal(err)
		}
		long.Actions = append(long.Actions, a)
	}
	small, err := sim.ReadTrace(strings.NewReader(smallTrace(t.Context(), long)))
	if err != nil || len(small.Actions) >= len(long.Actions) {
		t.Fatalf("%v: %v", err, small.Actions)
	}
	r, err := sim.Replay(t.Context(), small, false, nil)
	if err != nil || len(r.Violations) == 0 || r.Violations[0].Check != "unreadable" {
		t.Errorf("found %v, %v", r.Violations, err)
	}
	long.Actions = long.Actions[:3]
	if text := smallTrace(t.Context(), long); !strings.Contains(text, "\nstart 3 add 1-2 records=3\n") || !strings.Contains(text, "finds nothing") {
		t.Errorf("a trace that finds nothing is printed as %s", text)
	}
}
