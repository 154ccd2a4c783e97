package simple

import (
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/internal/bounded"
	"github.com/firn-io/firn/policy/internal/draft"
)

// Defaults of [Tiered]: what costs least for 20 columns with statistics and ten files a commit, over 10^4 to 10^5 commits
// (docs/policy.md).
const (
	DefaultBatch = 31
	DefaultRatio = 9
)

// Tiered collects loose files until there are Batch of them and writes them into a leaf. Leaves have tiers by their live
// entries: one of tier 0 has up to Batch times Ratio, each further tier Ratio times as many. A leaf that would be the
// Ratio-th of its tier is written together with the others of it, and so on from tier to tier in one write. A merge beyond
// the limit of a leaf is not made, and the leaves stay as they are. The zero Tiered has the defaults.
type Tiered struct {
	// Batch is how many loose files are pushed; default [DefaultBatch].
	Batch int64
	// Ratio is how many leaves of a tier become one; default [DefaultRatio], at least 2.
	Ratio int64
	// LeafRows is the most rows of a merged leaf; default is the limit of the commit.
	LeafRows int64
}

// Name implements [policy.Policy].
func (Tiered) Name() string { return "tiered" }

// Plan implements [policy.Policy].
func (p Tiered) Plan(in policy.Input) (policy.Plan, error) {
	batch, ratio := bounded.OrDefault(p.Batch, DefaultBatch), max(2, bounded.OrDefault(p.Ratio, DefaultRatio))
	limit := min(bounded.OrDefault(p.LeafRows, policy.MaxLeafRows), in.Limits.MostRows())
	d := draft.New(in)
	if d.Count(d.Live) < batch {
		return d.Plan, nil
	}
	for d.Count(d.Live) > limit {
		d.Push(limit, "%d loose files are more than a batch of %d: a full leaf", d.Count(d.Live), batch)
	}
	rows := d.Count(d.Live)
	if rows == 0 {
		return d.Plan, nil
	}
	tiers := tiersOf(d, batch, ratio)
	var merged []policy.Ref
	for tier := tierOf(rows, batch, ratio); int64(len(tiers[tier]))+1 >= ratio; tier++ {
		sum := rows + d.Count(tiers[tier])
		if sum > limit {
			break
		}
		merged, rows = append(merged, tiers[tier]...), sum
	}
	if len(merged) == 0 {
		d.Push(rows, "%d loose files are a batch of %d", rows, batch)
	} else {
		d.Merge(merged, "%d loose files are a batch of %d, with which %d leaves fill their tiers of %d", d.Count(d.Live), batch, len(merged), ratio)
	}
	return d.Plan, nil
}

// tierOf returns the tier of a leaf with so many live entries.
func tierOf(rows, batch, ratio int64) int {
	tier := 0
	for rows/ratio >= batch {
		rows /= ratio
		tier++
	}
	return tier
}

// tiersOf returns the leaves that may be rewritten and that no step rewrites yet, by their tiers.
func tiersOf(d *draft.Draft, batch, ratio int64) map[int][]policy.Ref {
	tiers := make(map[int][]policy.Ref)
	for i, pointer := range d.In.Pointers {
		if pointer.Movable() && !d.Rewritten[i] {
			tier := tierOf(pointer.LiveEntries, batch, ratio)
			tiers[tier] = append(tiers[tier], policy.Ref{Source: policy.FromPointers, Index: i})
		}
	}
	return tiers
}
