package policy

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

// Name implements [Policy].
func (Tiered) Name() string { return "tiered" }

// Plan implements [Policy].
func (p Tiered) Plan(in Input) (Plan, error) {
	batch, ratio := orDefault(p.Batch, DefaultBatch), max(2, orDefault(p.Ratio, DefaultRatio))
	limit := min(orDefault(p.LeafRows, MaxLeafRows), in.Limits.MostRows())
	d := newDraft(in)
	if d.count(d.live) < batch {
		return d.plan, nil
	}
	for d.count(d.live) > limit {
		d.push(limit, "%d loose files are more than a batch of %d: a full leaf", d.count(d.live), batch)
	}
	rows := d.count(d.live)
	if rows == 0 {
		return d.plan, nil
	}
	tiers := d.tiers(batch, ratio)
	var merged []Ref
	for tier := tierOf(rows, batch, ratio); int64(len(tiers[tier]))+1 >= ratio; tier++ {
		sum := rows + d.count(tiers[tier])
		if sum > limit {
			break
		}
		merged, rows = append(merged, tiers[tier]...), sum
	}
	if len(merged) == 0 {
		d.push(rows, "%d loose files are a batch of %d", rows, batch)
	} else {
		d.merge(merged, "%d loose files are a batch of %d, with which %d leaves fill their tiers of %d", d.count(d.live), batch, len(merged), ratio)
	}
	return d.plan, nil
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

// tiers returns the leaves that may be rewritten and that no step rewrites yet, by their tiers.
func (d *draft) tiers(batch, ratio int64) map[int][]Ref {
	tiers := make(map[int][]Ref)
	for i, pointer := range d.in.Pointers {
		if pointer.movable() && !d.rewritten[i] {
			tier := tierOf(pointer.LiveEntries, batch, ratio)
			tiers[tier] = append(tiers[tier], Ref{FromPointers, i})
		}
	}
	return tiers
}

// merge writes leaves and all live items that still stay in the root into one new leaf.
func (d *draft) merge(leaves []Ref, reason string, args ...any) {
	members := append(leaves, d.live...)
	d.live = nil
	for _, ref := range leaves {
		d.rewrite(ref)
	}
	d.add(kindOf(members), members, reason, args...)
}
