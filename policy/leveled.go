package policy

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

// Name implements [Policy].
func (Leveled) Name() string { return "leveled" }

// Plan implements [Policy].
func (p Leveled) Plan(in Input) (Plan, error) {
	batch := orDefault(p.Batch, DefaultLeveledBatch)
	limit := min(orDefault(p.LeafRows, DefaultLeveledLeafRows), in.Limits.MostRows())
	d := newDraft(in)
	loose := d.count(d.live)
	if loose < batch {
		return d.plan, nil
	}
	for d.count(d.live) > limit {
		d.push(limit, "%d loose files are more than a batch of %d: a full leaf", loose, batch)
	}
	rest := d.count(d.live)
	if open, found := d.smallest(limit - rest); found && rest > 0 {
		d.merge([]Ref{open}, "%d loose files are a batch of %d: into the open leaf", rest, batch)
	} else if rest > 0 {
		d.push(rest, "%d loose files are a batch of %d: a new leaf", rest, batch)
	}
	return d.plan, nil
}

// smallest returns the leaf with the fewest live entries, of those that may be rewritten and that no step rewrites yet, if it has
// at most so many.
func (d *draft) smallest(most int64) (Ref, bool) {
	at := -1
	for i, pointer := range d.in.Pointers {
		if pointer.movable() && !d.rewritten[i] && (at < 0 || pointer.LiveEntries < d.in.Pointers[at].LiveEntries) {
			at = i
		}
	}
	if at < 0 || d.in.Pointers[at].LiveEntries > most {
		return Ref{}, false
	}
	return Ref{FromPointers, at}, true
}
