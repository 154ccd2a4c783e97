package commit

import (
	"context"
	"maps"
	"slices"

	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/leaf"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/rootmanifest"
	"github.com/firn-io/firn/tree"
)

// rewrite returns the live rows of a leaf, EXISTING with all that they inherit written down (rules 9.11), and the
// position map from the old leaf to the new one.
func (p *placement) rewrite(ctx context.Context, pointer int) (member, error) {
	root := p.pointers[pointer]
	masked, err := p.masked(root)
	if err != nil {
		return member{}, err
	}
	m := member{key: p.input.Pointers[pointer].Key(), leaf: p.input.Pointers[pointer].Location}
	for l, err := range p.search.live(ctx, root) {
		if err != nil {
			return member{}, err
		}
		if masked.Contains(uint32(l.Position)) {
			continue
		}
		carried, err := tree.Carry(l.Entry)
		if err != nil {
			return member{}, err
		}
		carried.Stats = carried.Stats.Settled()
		m.rows = append(m.rows, carried)
		m.positions = append(m.positions, uint32(l.Position))
	}
	return m, nil
}

// written returns the leaves of earlier attempts as the policy sees them. One that does not say of each member what the
// base says now has no members any more: to reuse it would undo what a winner did. Rows that a winner masked in a leaf
// that was rewritten are no such case: they are masked in the new leaf.
func (p *placement) written() ([]policy.Group, error) {
	now := make(map[string]tree.Entry)
	for _, list := range [][]row{p.loose, p.added, p.tombs} {
		for _, r := range list {
			now[r.key] = r.entry
		}
	}
	listed := make(map[string]int)
	for i, pointer := range p.input.Pointers {
		listed[pointer.Location] = i
	}
	var groups []policy.Group
	for _, step := range p.work.steps {
		group := policy.Group{Leaves: len(step.leaves)}
		for _, i := range step.leaves {
			group.SizeBytes += p.work.leaves[i].sizeBytes
		}
		for _, m := range p.work.members(step) {
			usable, err := p.usable(m, now, listed)
			if err != nil {
				return nil, err
			}
			if usable = tamper.Stage(seamUsable, p, usable); !usable {
				group.Members = nil
				break
			}
			group.Members = append(group.Members, m.key)
		}
		for _, i := range step.leaves {
			lives, err := p.lives(p.work.leaves[i], listed)
			if err != nil {
				return nil, err
			}
			if !lives {
				group.Members = nil
			}
		}
		groups = append(groups, group)
	}
	return groups, nil
}

// lives reports whether any row of a written leaf stays.
func (p *placement) lives(l writtenLeaf, listed map[string]int) (bool, error) {
	for _, m := range l.members {
		if m.leaf == "" {
			return true, nil
		}
		i, there := listed[m.leaf]
		if !there {
			continue
		}
		masked, err := p.masked(p.pointers[i])
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(m.positions, func(position uint32) bool { return !masked.Contains(position) }) {
			return true, nil
		}
	}
	return false, nil
}

// usable reports whether a member of a written step says what the base says.
func (p *placement) usable(m member, now map[string]tree.Entry, listed map[string]int) (bool, error) {
	if m.leaf == "" {
		entry, ok := now[m.key]
		return ok && saysTheSame(entry, m.rows[0]), nil
	}
	i, ok := listed[m.leaf]
	if !ok || p.input.Pointers[i].LiveEntries == 0 {
		p.work.note(RuleRewriteLost, m.leaf)
		return false, nil
	}
	root := p.pointers[i]
	masked, err := p.masked(root)
	if err != nil {
		return false, err
	}
	old, err := maskOf(p.base.Tree.Rows[root])
	if err != nil {
		return false, err
	}
	left := 0
	for _, position := range m.positions {
		if masked.Contains(position) && !old.Contains(position) {
			return false, nil // this transaction changes a file that it took for untouched
		}
		if !masked.Contains(position) {
			left++
		}
	}
	// What is live now and was left out of the new leaf would be lost.
	return int64(left) == p.input.Pointers[i].LiveEntries, nil
}

// saysTheSame compares what a row tells of one file in one state, its history apart.
func saysTheSame(a, b tree.Entry) bool {
	return slices.Equal(a.Stats.Settled(), b.Stats.Settled()) && a.Partition.Equal(b.Partition) && a.SpecID == b.SpecID &&
		a.SortOrderID == b.SortOrderID && slices.Equal(a.SplitOffsets, b.SplitOffsets) &&
		slices.Equal(a.KeyMetadata, b.KeyMetadata)
}

// buildRoot builds the rows of the new root.
func (p *placement) buildRoot(ctx context.Context, leaves [][]int, s rootmanifest.Snapshot) (rootmanifest.Root, error) {
	b := rootmanifest.NewBuilder(p.base.Tree, s)
	placed := make(map[policy.Ref]bool)
	rewritten := make(map[int]bool) // root rows of leaves
	for i, step := range p.plan.Steps {
		for _, ref := range step.Members {
			placed[ref] = true
			if ref.Source == policy.FromPointers {
				rewritten[p.pointers[ref.Index]] = true
			}
		}
		for _, leaf := range leaves[i] {
			pointer, err := p.newPointer(p.work.leaves[leaf], s)
			if err != nil {
				return rootmanifest.Root{}, err
			}
			b.Point(tamper.Stage(seamPointer, p, pointer))
		}
	}
	for i := range p.base.Tree.Rows {
		var err error
		if m, masked := p.found.masks[i]; rewritten[i] {
			err = b.Drop(i)
		} else if masked {
			err = b.Mask(i, m)
		}
		if err != nil {
			return rootmanifest.Root{}, err
		}
	}
	for _, i := range p.plan.Thinning.Pointers {
		if err := b.Thin(p.pointers[i], p.partitioned); err != nil {
			return rootmanifest.Root{}, err
		}
	}
	if err := p.tellOfRewritten(ctx, b, rewritten); err != nil {
		return rootmanifest.Root{}, err
	}
	if err := p.placeLoose(b, placed); err != nil {
		return rootmanifest.Root{}, err
	}
	for i, r := range p.added {
		if !placed[policy.Ref{Source: policy.FromNew, Index: i}] {
			b.Inline(r.entry)
		}
	}
	root, err := b.Build()
	return tamper.Stage(seamRoot, p, root), err
}

// placeLoose says of each loose file of the base where its live row and its tombstone go: into a leaf, or where they
// are in the root.
func (p *placement) placeLoose(b *rootmanifest.Builder, placed map[policy.Ref]bool) error {
	dead := make(map[int]row) // tombstones that stay in the root, by the row that they continue
	for i, r := range p.tombs {
		if !placed[policy.Ref{Source: policy.FromTombstones, Index: i}] {
			dead[r.from] = r
		}
	}
	for i, r := range p.loose {
		tomb, stays := dead[r.from]
		delete(dead, r.from)
		inLeaf := placed[policy.Ref{Source: policy.FromLoose, Index: i}]
		switch {
		case r.carried && !inLeaf:
			continue
		case stays && !inLeaf:
			if err := b.Replace(r.from, r.entry); err != nil {
				return err
			}
			continue
		case stays:
			b.Inline(tomb.entry)
		case !inLeaf:
			b.Inline(r.entry)
		}
		if err := b.Drop(r.from); err != nil {
			return err
		}
	}
	return p.placeRemoved(b, dead)
}

// placeRemoved says of each loose file that is removed where its tombstone goes: into a leaf, or into the root, where
// it is in dead.
func (p *placement) placeRemoved(b *rootmanifest.Builder, dead map[int]row) error {
	for _, r := range p.tombs {
		if p.found.loose[r.from].fate != removed {
			continue
		}
		step := b.Drop
		if _, stays := dead[r.from]; stays {
			step = b.Remove
		}
		if err := step(r.from); err != nil {
			return err
		}
	}
	return nil
}

// tellOfRewritten writes tombstones for the files that this commit removed or changed in leaves that it rewrote: their
// pointers, which would tell of them, are gone (rules 9.9).
func (p *placement) tellOfRewritten(ctx context.Context, b *rootmanifest.Builder, rewritten map[int]bool) error {
	told := make(map[int][]tree.Located)
	for _, c := range p.found.files {
		if !c.inRoot() && c.fate != refreshed && rewritten[c.row] {
			told[c.row] = append(told[c.row], c.old)
		}
	}
	for _, row := range slices.Sorted(maps.Keys(told)) {
		if err := p.search.fill(ctx, row, told[row]); err != nil {
			return err
		}
	}
	for _, c := range p.found.files {
		if c.inRoot() || c.fate == refreshed || !rewritten[c.row] {
			continue
		}
		old, err := p.search.complete(ctx, c.old, c.row)
		if err != nil {
			return err
		}
		dead, err := p.tombstone(c.fate, old.Entry)
		if err != nil {
			return err
		}
		b.Inline(dead)
	}
	return nil
}

// newPointer returns the root's row for a leaf that this transaction wrote. Rows of rewritten leaves that a winner
// masked are masked in it, in dv alone: that is the winner's change (rules 9.13).
func (p *placement) newPointer(written writtenLeaf, s rootmanifest.Snapshot) (tree.Entry, error) {
	stored := tree.Relativize(p.base.Location, written.location)
	pointer, err := leaf.Pointer(stored, written.sizeBytes, written.rows(), s.SequenceNumber)
	if err != nil {
		return tree.Entry{}, err
	}
	masked, err := p.translate(written)
	masked = tamper.Stage(seamTranslated, p, masked)
	if err != nil || masked.IsEmpty() {
		return pointer, err
	}
	p.work.note(RuleRewriteMasked, written.location)
	return tree.Mask(pointer, s.ID, tree.Masks{Moved: masked})
}

// translate takes the masks of rewritten leaves through their position maps.
func (p *placement) translate(written writtenLeaf) (mdv.Bitmap, error) {
	var positions []uint32
	at := uint32(0)
	for _, m := range written.members {
		if m.leaf == "" {
			at++
			continue
		}
		i := slices.IndexFunc(p.input.Pointers, func(o policy.Pointer) bool { return o.Location == m.leaf })
		masked, err := p.masked(p.pointers[i])
		if err != nil {
			return mdv.Bitmap{}, err
		}
		for _, position := range m.positions {
			if masked.Contains(position) {
				positions = append(positions, at)
			}
			at++
		}
	}
	return mdv.Of(positions...)
}
