package outlook_test

import (
	"math"
	"testing"

	"github.com/firn-io/firn/policy/bound"
	"github.com/firn-io/firn/policy/internal/outlook"
)

// TestOutlookKnowsTheProgram holds the program on few horizons to the exact one.
func TestOutlookKnowsTheProgram(t *testing.T) {
	for _, files := range []int64{1, 10, 100, 1000} {
		for _, full := range []int64{2000, 30_000, 300_000} {
			m := bound.Default(files)
			m.LeafEntries = full
			program, err := bound.NewProgram(m.WholeLeaves())
			if err != nil {
				t.Fatal(err)
			}
			const horizon = 5000
			if err := program.Extend(horizon); err != nil {
				t.Fatal(err)
			}
			bytes := outlook.FreshBytes(float64(files), float64(m.EntryBytes), float64(m.PointerBytes), float64(m.LeafFixedBytes),
				float64(m.WholeLeaves().LeafEntries), horizon)
			for _, n := range []int64{1, 2, 5, 17, 100, 333, 1000, 2500, horizon} {
				got, want := bytes(float64(n)), float64(program.Bytes(n))
				if off := math.Abs(got/want - 1); off > 0.05 {
					t.Errorf("%d files a commit, leaves of %d, %d commits: %.0f, the program has %.0f, %.1f %% off", files, full, n, got, want, 100*off)
				}
			}
		}
	}
}

// TestGrid: the first numbers are all there, the last one is the horizon, and none comes twice.
func TestGrid(t *testing.T) {
	for _, horizon := range []float64{1, 2, 3, 10, 255, 256, 257, 1e5, 1e9} {
		times := outlook.Grid(horizon)
		if times[0] != 0 || times[len(times)-1] != horizon || len(times) > 130 {
			t.Errorf("%v to %v in %d steps", times[0], times[len(times)-1], len(times))
		}
		for i := 1; i < len(times); i++ {
			if times[i] <= times[i-1] || i < 7 && times[i]-times[i-1] > 1 && times[i] != horizon {
				t.Errorf("to %v: %v", horizon, times[:i+1])
				break
			}
		}
	}
}
