package sim_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/sim"
)

// drawn takes the choices of a workload from a property test, which makes them smaller when they fail.
type drawn struct{ t *rapid.T }

func (d drawn) Int64N(n int64) int64 { return rapid.Int64Range(0, n-1).Draw(d.t, "choice") }

// TestMachine: the operations of the workload as a state machine of rapid, on all profiles.
func TestMachine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		profile := rapid.SampledFrom(sim.Profiles()).Draw(t, "profile")
		profile.MinFiles, profile.MaxFiles = 1, 4
		w, err := sim.NewWorld(sim.Config{
			Profile: profile, Writers: rapid.IntRange(1, 4).Draw(t, "writers"), Rows: rapid.Int64Range(2, 12).Draw(t, "rows"),
			Faults:    rapid.SampledFrom([]float64{0, 0.1, 0.5}).Draw(t, "faults"),
			DataFiles: rapid.Bool().Draw(t, "data files"), FullEvery: 10,
		})
		if err != nil {
			t.Fatal(err)
		}
		workload := sim.NewWorkload(w, drawn{t})
		ctx := t.Context()
		t.Repeat(map[string]func(*rapid.T){
			"act": func(t *rapid.T) {
				for range rapid.IntRange(1, 8).Draw(t, "actions") {
					a := workload.Next()
					t.Log(a)
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
