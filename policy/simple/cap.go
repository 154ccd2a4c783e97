package simple

import (
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/internal/bounded"
	"github.com/firn-io/firn/policy/internal/draft"
)

// DefaultCapRows is the default of [Cap].Rows.
const DefaultCapRows = 50_000

// Cap bounds the rows of the root. While the root would have more than Rows rows it spills: first full leaves
// of Rows live rows, then what is left as one small leaf, at last the tombstones. Once the pointers alone reach
// the cap each commit makes one small leaf (S3). The zero Cap has the default.
type Cap struct {
	// Rows is both the most rows of the root and the rows of a full leaf; default [DefaultCapRows].
	Rows int64
}

// Name implements [policy.Policy].
func (Cap) Name() string { return "cap" }

// Plan implements [policy.Policy].
func (p Cap) Plan(in policy.Input) (policy.Plan, error) {
	most := bounded.OrDefault(p.Rows, DefaultCapRows)
	leaf := min(most, in.Limits.MostRows())
	d := draft.New(in)
	d.Term = policy.ByRootLimit
	over := func() bool { return d.RootRows() > most }
	for over() && d.Count(d.Live) >= leaf {
		d.Push(leaf, "the root would have %d rows, its cap is %d: a full leaf", d.RootRows(), most)
	}
	for over() && len(d.Live) > 0 {
		d.Push(leaf, "the root would have %d rows, its cap is %d: the rest", d.RootRows(), most)
	}
	for over() && len(d.Dead) > 0 {
		d.Bury(leaf, "the root would have %d rows, its cap is %d: tombstones", d.RootRows(), most)
	}
	return d.Plan, nil
}
