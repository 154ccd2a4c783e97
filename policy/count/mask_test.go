package count_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/policy/count"
)

// TestMaskBytes holds the model to what bitmaps really take, from leaves of ten rows to the largest, and from one masked row to all: a
// tenth of it and a few bytes, for what counts is the sum of many.
func TestMaskBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []int{1, 10, 100, 300, 1000, 5000, 30_393, 100_000, 500_000, 2_000_000} {
		order := r.Perm(rows)
		for _, share := range []float64{0, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.08, 0.1, 0.12, 0.15, 0.2, 0.35, 0.5, 0.8, 0.99, 1} {
			masked := max(1, int(share*float64(rows)))
			positions := make([]uint32, masked)
			for i := range positions {
				positions[i] = uint32(order[i])
			}
			bitmap, err := mdv.Of(positions...)
			if err != nil {
				t.Fatal(err)
			}
			data, err := bitmap.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			got, want := float64(count.MaskBytes(int64(rows), int64(masked))), float64(len(data))
			if diff := got - want; math.Abs(diff) > 0.1*want+3+float64(rows)/40_000 {
				t.Errorf("%d of %d rows: %.0f bytes, really %.0f", masked, rows, got, want)
			}
		}
	}
	if count.MaskBytes(100, 0) != 0 {
		t.Error("no masked row takes bytes")
	}
}
