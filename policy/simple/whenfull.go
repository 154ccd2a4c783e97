package simple

import (
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/internal/bounded"
	"github.com/firn-io/firn/policy/internal/draft"
)

// Defaults of [WhenFull], in bytes.
const (
	DefaultRootBytes = 8 << 20
	DefaultLeafBytes = 8 << 20
)

// WhenFull pushes every live data file of the root into leaves once the root would exceed its budget, the rule
// of the first prototypes. The zero WhenFull has the defaults.
type WhenFull struct {
	// RootBytes is the budget of the root; default [DefaultRootBytes].
	RootBytes int64
	// LeafBytes is the size that a leaf should have; default [DefaultLeafBytes].
	LeafBytes int64
}

// Name implements [policy.Policy].
func (WhenFull) Name() string { return "when-full" }

// Plan implements [policy.Policy].
func (p WhenFull) Plan(in policy.Input) (policy.Plan, error) {
	budget := bounded.OrDefault(p.RootBytes, DefaultRootBytes)
	target := bounded.OrDefault(p.LeafBytes, DefaultLeafBytes)
	d := draft.New(in)
	d.Term = policy.ByRootLimit
	size := d.RootBytes()
	if size <= budget {
		return d.Plan, nil
	}
	rows := max(1, (target-in.Prices.LeafFixedBytes)/max(1, in.Prices.LeafEntryBytes))
	rows = min(rows, in.Limits.MostRows())
	for len(d.Live) > 0 {
		d.Push(rows, "the root would take %d bytes, its budget is %d", size, budget)
	}
	for len(d.Dead) > 0 && d.RootBytes() > budget {
		d.Bury(rows, "the root is over its budget of %d bytes without live rows", budget)
	}
	return d.Plan, nil
}
