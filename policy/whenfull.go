package policy

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

// Name implements [Policy].
func (WhenFull) Name() string { return "when-full" }

// Plan implements [Policy].
func (p WhenFull) Plan(in Input) (Plan, error) {
	budget := orDefault(p.RootBytes, DefaultRootBytes)
	target := orDefault(p.LeafBytes, DefaultLeafBytes)
	d := newDraft(in)
	d.term = ByRootLimit
	size := d.rootBytes()
	if size <= budget {
		return d.plan, nil
	}
	rows := max(1, (target-in.Prices.LeafFixedBytes)/max(1, in.Prices.LeafEntryBytes))
	rows = min(rows, in.Limits.MostRows())
	for len(d.live) > 0 {
		d.push(rows, "the root would take %d bytes, its budget is %d", size, budget)
	}
	for len(d.dead) > 0 && d.rootBytes() > budget {
		d.bury(rows, "the root is over its budget of %d bytes without live rows", budget)
	}
	return d.plan, nil
}

func orDefault(v, otherwise int64) int64 {
	if v <= 0 {
		return otherwise
	}
	return v
}
