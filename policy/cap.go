package policy

// DefaultCapRows is the default of [Cap].Rows.
const DefaultCapRows = 50_000

// Cap bounds the rows of the root. While the root would have more than Rows rows it spills: first full leaves
// of Rows live rows, then what is left as one small leaf, at last the tombstones. Once the pointers alone reach
// the cap each commit makes one small leaf (S3). The zero Cap has the default.
type Cap struct {
	// Rows is both the most rows of the root and the rows of a full leaf; default [DefaultCapRows].
	Rows int64
}

// Name implements [Policy].
func (Cap) Name() string { return "cap" }

// Plan implements [Policy].
func (p Cap) Plan(in Input) (Plan, error) {
	most := orDefault(p.Rows, DefaultCapRows)
	leaf := min(most, in.Limits.MostRows())
	d := newDraft(in)
	d.term = ByRootLimit
	over := func() bool { return d.rootRows() > most }
	for over() && d.count(d.live) >= leaf {
		d.push(leaf, "the root would have %d rows, its cap is %d: a full leaf", d.rootRows(), most)
	}
	for over() && len(d.live) > 0 {
		d.push(leaf, "the root would have %d rows, its cap is %d: the rest", d.rootRows(), most)
	}
	for over() && len(d.dead) > 0 {
		d.bury(leaf, "the root would have %d rows, its cap is %d: tombstones", d.rootRows(), most)
	}
	return d.plan, nil
}
