package simple

import (
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/internal/bounded"
	"github.com/firn-io/firn/policy/internal/draft"
)

// Defaults of [Leveled].
const (
	DefaultLeveledBatch    = 400
	DefaultLeveledLeafRows = 30_000
)

// Leveled collects loose files until there are Batch of them and writes them together with the smallest leaf that has room for
// them: all leaves but one are full. The zero Leveled has the defaults.
type Leveled struct {
	// Batch is how many loose files are pushed; default [DefaultLeveledBatch].
	Batch int64
	// LeafRows is what a full leaf has; default [DefaultLeveledLeafRows].
	LeafRows int64
}

// Name implements [policy.Policy].
func (Leveled) Name() string { return "leveled" }

// Plan implements [policy.Policy].
func (p Leveled) Plan(in policy.Input) (policy.Plan, error) {
	batch := bounded.OrDefault(p.Batch, DefaultLeveledBatch)
	limit := min(bounded.OrDefault(p.LeafRows, DefaultLeveledLeafRows), in.Limits.MostRows())
	d := draft.New(in)
	loose := d.Count(d.Live)
	if loose < batch {
		return d.Plan, nil
	}
	for d.Count(d.Live) > limit {
		d.Push(limit, "%d loose files are more than a batch of %d: a full leaf", loose, batch)
	}
	rest := d.Count(d.Live)
	if open, found := smallest(d, limit-rest); found && rest > 0 {
		d.Merge([]policy.Ref{open}, "%d loose files are a batch of %d: into the open leaf", rest, batch)
	} else if rest > 0 {
		d.Push(rest, "%d loose files are a batch of %d: a new leaf", rest, batch)
	}
	return d.Plan, nil
}

// smallest returns the leaf with the fewest live entries, of those that may be rewritten and that no step rewrites yet, if it has
// at most so many.
func smallest(d *draft.Draft, most int64) (policy.Ref, bool) {
	at := -1
	for i, pointer := range d.In.Pointers {
		if pointer.Movable() && !d.Rewritten[i] && (at < 0 || pointer.LiveEntries < d.In.Pointers[at].LiveEntries) {
			at = i
		}
	}
	if at < 0 || d.In.Pointers[at].LiveEntries > most {
		return policy.Ref{}, false
	}
	return policy.Ref{Source: policy.FromPointers, Index: at}, true
}
