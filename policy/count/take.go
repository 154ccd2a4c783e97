package count

import (
	"fmt"
	"strconv"

	"github.com/firn-io/firn/policy"
)

// take makes the table what a plan makes of it.
func (t *Table) take(plan policy.Plan) (Cost, error) {
	in, d := t.draft.in, &t.draft
	for source, n := range [...]int{
		policy.FromLoose: len(in.Loose), policy.FromNew: len(in.New), policy.FromTombstones: len(in.Tombstones), policy.FromPointers: len(in.Pointers),
	} {
		d.placed[source] = append(d.placed[source][:0], make([]bool, n)...)
	}
	cost := Cost{Deferred: plan.Deferred, Thinned: len(plan.Thinning.Pointers)}
	for _, i := range plan.Thinning.Pointers {
		t.pointers[i].Thin = true
	}
	var fresh []leaf
	for _, step := range plan.Steps {
		leaves, err := t.write(step, &cost)
		if err != nil {
			return Cost{}, err
		}
		fresh = append(fresh, leaves...)
	}
	cost.Leaves = len(fresh)
	for i, item := range in.Tombstones {
		if !d.placed[policy.FromTombstones][i] {
			cost.Tombstones += item.Count
		}
	}
	if len(fresh) > 0 {
		t.keepLeaves(func(i int) bool { return !d.placed[policy.FromPointers][i] })
		for _, l := range fresh {
			t.add(l)
		}
	}
	t.keepLoose()
	cost.MaskBytes = t.maskBytes + d.deltaBytes
	cost.RootBytes = (t.Loose()+cost.Tombstones)*t.Prices.LooseBytes + int64(len(t.Leaves))*t.Prices.PointerBytes + cost.MaskBytes
	for i := range t.pointers {
		if t.pointers[i].Thin {
			cost.RootBytes -= t.Prices.PointerBytes - t.Prices.Pointer(true)
			cost.ThinFiles += t.Leaves[i]
		}
	}
	t.remember(plan.Summary)
	return cost, nil
}

// write makes the leaves of a step, and adds what they cost.
func (t *Table) write(step policy.Step, cost *Cost) ([]leaf, error) {
	var groups []group
	var rows int64
	for _, ref := range step.Members {
		item, err := t.draft.in.Item(ref)
		switch {
		case err != nil:
			return nil, fmt.Errorf("count: %w", err)
		case t.draft.placed[ref.Source][ref.Index]:
			return nil, fmt.Errorf("count: a plan places item %d of list %d twice", ref.Index, ref.Source)
		}
		t.draft.placed[ref.Source][ref.Index] = true
		rows += item.Count
		switch ref.Source {
		case policy.FromLoose:
			groups = append(groups, t.loose[ref.Index])
		case policy.FromNew:
			groups = append(groups, t.draft.fresh(ref.Index))
		case policy.FromPointers:
			old := t.leaves[ref.Index]
			groups = append(groups, old.group)
			cost.Read++
			cost.ReadBytes += t.pointers[ref.Index].FileSizeBytes
			cost.RewrittenBytes += item.Count * t.Prices.LeafEntryBytes
			// With the leaf goes its bitmap, so that rows of the root tell what this commit does to its files.
			cost.Tombstones += old.deleted + old.replaced
			t.draft.deltaBytes -= MaskBytes(old.rows, old.deleted) + MaskBytes(old.rows, old.replaced)
		}
	}
	leaves := t.cut(groups, rows, step.Leaves)
	for _, l := range leaves {
		cost.LeafBytes += t.leafSize(l.rows)
	}
	switch step.Kind {
	case policy.Push:
		cost.Pushed += len(leaves)
	case policy.Bury:
		cost.Buried += len(leaves)
	case policy.Fold:
		cost.Folded += len(leaves)
	case policy.Merge:
		cost.Merged += len(leaves)
	default:
		return nil, fmt.Errorf("count: a plan has a step of the %s", step.Kind)
	}
	return leaves, nil
}

// fresh returns the files of an item that is new in the root.
func (d *draft) fresh(i int) group {
	if i < len(d.added) {
		return d.added[i]
	}
	return d.left
}

// leafSize is the length of a leaf of so many rows.
func (t *Table) leafSize(rows int64) int64 {
	return t.Prices.LeafFixedBytes + rows*t.Prices.LeafEntryBytes
}

// add adds a leaf.
func (t *Table) add(l leaf) {
	size := t.leafSize(l.rows)
	t.leafBytes += size
	t.Leaves = append(t.Leaves, l.live)
	t.leaves = append(t.leaves, l)
	t.written++
	t.pointers = append(t.pointers, policy.Pointer{
		Location: "leaf-" + strconv.FormatInt(t.written, 36), LiveEntries: l.live, Entries: l.rows, FileSizeBytes: size, SequenceNumber: t.snapshot + 1,
	})
	t.drawing.byAge, t.ranked = t.drawing.byAge[:0], false
}

// keepLeaves keeps the leaves of which keep is true.
func (t *Table) keepLeaves(keep func(i int) bool) {
	d, n := &t.draft, 0
	d.touched = d.touched[:0]
	for i := range t.leaves {
		if !keep(i) {
			t.leafBytes -= t.pointers[i].FileSizeBytes
			t.maskBytes -= t.leaves[i].maskBytes
			continue
		}
		if t.leaves[i].deleted+t.leaves[i].replaced > 0 {
			d.touched = append(d.touched, n)
		}
		t.Leaves[n], t.leaves[n], t.pointers[n] = t.Leaves[i], t.leaves[i], t.pointers[i]
		n++
	}
	t.Leaves, t.leaves, t.pointers = t.Leaves[:n], t.leaves[:n], t.pointers[:n]
	t.drawing.byAge, t.ranked = t.drawing.byAge[:0], false
}

// keepLoose keeps the loose files that no step took. Neighbors are put together when there are many groups.
func (t *Table) keepLoose() {
	placed := &t.draft.placed
	loose := t.loose[:0]
	for i, g := range t.loose {
		if !placed[policy.FromLoose][i] {
			loose = append(loose, g)
		}
	}
	for i := range t.draft.in.New {
		if placed[policy.FromNew][i] {
			continue
		}
		loose = append(loose, t.draft.fresh(i))
	}
	t.loose = loose
	if len(loose) <= mostGroups || t.Pattern.Apart {
		return
	}
	halved := loose[:0]
	for i := 0; i < len(loose); i += 2 {
		g := loose[i]
		if i+1 < len(loose) {
			g = g.with(loose[i+1])
		}
		halved = append(halved, g)
	}
	t.loose = halved
}
