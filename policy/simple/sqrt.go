package simple

import (
	"math"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/internal/draft"
)

// Sqrt pushes all loose files into a leaf once they are twice the square root of the live files of the table, and merges nothing:
// the best that is done without rewriting leaves and without knowing how far the table grows, within a factor of 1.41.
type Sqrt struct{}

// Name implements [policy.Policy].
func (Sqrt) Name() string { return "sqrt" }

// Plan implements [policy.Policy].
func (Sqrt) Plan(in policy.Input) (policy.Plan, error) {
	d := draft.New(in)
	loose, files := d.Count(d.Live), d.Files()
	if loose == 0 || float64(loose) < 2*math.Sqrt(float64(files)) {
		return d.Plan, nil
	}
	for len(d.Live) > 0 {
		d.Push(in.Limits.MostRows(), "%d of %d files are loose, twice the square root or more", loose, files)
	}
	return d.Plan, nil
}
