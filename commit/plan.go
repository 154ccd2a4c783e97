package commit

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/leaf"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/rootmanifest"
	"github.com/firn-io/firn/tree"
)

// placement is one attempt's answer to the question which entry goes where.
type placement struct {
	*Txn
	base   *Head
	found  resolved
	schema manifestio.Schema
	input  policy.Input
	// loose and tombs are the root rows behind the items of the input.
	loose, tombs []int
	plan         policy.Plan
}

// place asks the policy and checks its plan.
func (x *Txn) place(base *Head, found resolved) (*placement, error) {
	p := &placement{Txn: x, base: base, found: found}
	var err error
	if p.schema, err = rowType(base.Metadata); err != nil {
		return nil, err
	}
	p.input = policy.Input{
		Mode: policy.Foreground, Limits: x.options.Limits,
		Prices: policy.EstimatePrices(len(p.schema.Stats)),
	}
	if err := p.describeRoot(); err != nil {
		return nil, err
	}
	for _, a := range x.adds {
		p.input.New = append(p.input.New, policy.Item{Key: "new " + a.location, Count: 1, RecordCount: a.file.RecordCount})
	}
	p.input.Written = p.written()
	for _, s := range base.Metadata.Snapshots {
		p.input.History = append(p.input.History, policy.Snapshot{
			ID: s.ID, SequenceNumber: s.SequenceNumber, TimestampMillis: s.TimestampMillis, Summary: s.Summary,
		})
	}
	chosen, err := x.options.policy(base.Metadata)
	if err != nil {
		return nil, &RefusedError{Reasons: []string{err.Error()}, Err: err}
	}
	p.plan, err = chosen.Plan(copyOf(p.input))
	if err == nil {
		err = p.plan.Validate(p.input)
	}
	if err != nil {
		return nil, &RefusedError{Reasons: []string{fmt.Sprintf("policy %s: %v", chosen.Name(), err)}, Err: err}
	}
	return p, nil
}

// written returns the leaves of earlier attempts as the policy sees them. One that holds a loose file otherwise than the
// base has it now, since a winner refreshed its statistics, say, has no members any more: to reuse it would undo that.
func (p *placement) written() []policy.Group {
	loose := make(map[string]tree.Entry)
	for i, item := range p.input.Loose {
		loose[item.Key] = p.base.Tree.Rows[p.loose[i]]
	}
	var groups []policy.Group
	for _, leaf := range p.work.leaves {
		group := policy.Group{Members: leaf.members, SizeBytes: leaf.sizeBytes}
		for i, key := range leaf.members {
			if now, ok := loose[key]; ok && !saysTheSame(now, leaf.rows[i]) {
				group.Members = nil
			}
		}
		groups = append(groups, group)
	}
	return groups
}

// saysTheSame compares what a row tells of one file in one state, its history apart.
func saysTheSame(a, b tree.Entry) bool {
	return slices.Equal(a.Stats, b.Stats) && a.Partition.Equal(b.Partition) && a.SpecID == b.SpecID &&
		a.SortOrderID == b.SortOrderID && slices.Equal(a.SplitOffsets, b.SplitOffsets) &&
		slices.Equal(a.KeyMetadata, b.KeyMetadata)
}

// copyOf returns an input that a policy may spoil: its plan is checked against the original, and what the original
// shares with the table's metadata is written again.
func copyOf(in policy.Input) policy.Input {
	in.Loose, in.New, in.Tombstones = slices.Clone(in.Loose), slices.Clone(in.New), slices.Clone(in.Tombstones)
	in.Pointers, in.Written, in.History = slices.Clone(in.Pointers), slices.Clone(in.Written), slices.Clone(in.History)
	for i := range in.Written {
		in.Written[i].Members = slices.Clone(in.Written[i].Members)
	}
	for i := range in.History {
		in.History[i].Summary = maps.Clone(in.History[i].Summary)
	}
	return in
}

// maxStatsColumns is how many columns manifests keep statistics for, the first ones of the schema (F4).
const maxStatsColumns = 100

// rowType returns the type of the manifests that are written for a table.
func rowType(m metadata.Table) (manifestio.Schema, error) {
	partition, err := m.UnionPartitionFields()
	if err != nil {
		return manifestio.Schema{}, err
	}
	s, err := manifestio.NewSchema(m.Schema(), partition, nil)
	s.Stats = s.Stats[:min(len(s.Stats), maxStatsColumns)]
	return s, err
}

// describeRoot lists the rows of the base's root as the policy sees them.
func (p *placement) describeRoot() error {
	removed := make(map[int]bool)
	for _, row := range p.found.removed {
		removed[row] = true
	}
	for i, entry := range p.base.Tree.Rows {
		switch {
		case !entry.Tracking.Status.Live():
		case entry.Manifest.Valid:
			pointer, err := p.pointer(i, entry)
			if err != nil {
				return err
			}
			_, masked := p.found.masks[i]
			if pointer.LiveEntries > 0 || masked { // a pointer that ends stays for this snapshot
				p.input.Pointers = append(p.input.Pointers, pointer)
			}
		case removed[i]:
			p.tombs = append(p.tombs, i)
			p.input.Tombstones = append(p.input.Tombstones, p.item("dead ", i, entry))
		default:
			p.loose = append(p.loose, i)
			p.input.Loose = append(p.input.Loose, p.item("loose ", i, entry))
		}
	}
	return nil
}

func (p *placement) item(kind string, row int, entry tree.Entry) policy.Item {
	located := tree.Located{
		Entry: entry, Origin: p.base.Tree.Origin, Location: tree.Resolve(p.base.Location, entry.Location),
		Position: int64(row), Projection: tree.Full,
	}
	return policy.Item{Key: kind + fmt.Sprint(located.Revision()), Count: 1, RecordCount: entry.RecordCount}
}

// pointer describes a pointer after the masks of this commit.
func (p *placement) pointer(row int, entry tree.Entry) (policy.Pointer, error) {
	info := entry.Manifest.Val
	old, err := maskOf(entry)
	if err != nil {
		return policy.Pointer{}, fmt.Errorf("root manifest %s, row %d: %w", p.base.Tree.Root, row, err)
	}
	m, touched := p.found.masks[row]
	masked := old.Union(m.Deleted).Union(m.Replaced).Union(m.Moved)
	live := entry.RecordCount - int64(info.DeletedFiles) - int64(info.ReplacedFiles)
	dvBytes := int64(len(info.DV))
	if touched {
		if dvBytes, err = encodedBytes(masked, m.Deleted, m.Replaced); err != nil {
			return policy.Pointer{}, err
		}
	}
	return policy.Pointer{
		Location:      tree.Resolve(p.base.Location, entry.Location),
		LiveEntries:   max(0, min(live, entry.RecordCount-int64(masked.Cardinality()))),
		Entries:       entry.RecordCount,
		DVBytes:       dvBytes,
		FileSizeBytes: entry.FileSizeBytes,
		Legacy:        info.FormatVersion == 0,
	}, nil
}

// encodedBytes returns how many bytes bitmaps take in a root.
func encodedBytes(bitmaps ...mdv.Bitmap) (int64, error) {
	var n int64
	for _, b := range bitmaps {
		if b.IsEmpty() {
			continue
		}
		data, err := b.AppendBinary(nil)
		if err != nil {
			return 0, err
		}
		n += int64(len(data))
	}
	return n, nil
}

// writeLeaves writes the leaves of the plan that no earlier attempt wrote. It returns, for each step, the
// index of its leaf among the transaction's.
func (p *placement) writeLeaves(ctx context.Context) ([]int, error) {
	var leaves []int
	for _, step := range p.plan.Steps {
		if step.Written >= 0 {
			leaves = append(leaves, step.Written)
			continue
		}
		written := writtenLeaf{location: p.work.leafName(p.base.Location)}
		for _, ref := range step.Members {
			item, row, err := p.member(ref)
			if err != nil {
				return nil, err
			}
			written.members = append(written.members, item.Key)
			written.rows = append(written.rows, row)
		}
		size, err := p.table.options.Codec.PutLeaf(ctx, p.table.objects, written.location, p.schema, written.rows)
		p.work.wrote(written.location, size, err)
		if err != nil {
			return nil, err
		}
		written.sizeBytes = size
		leaves = append(leaves, len(p.work.leaves))
		p.work.leaves = append(p.work.leaves, written)
	}
	return leaves, nil
}

// member returns an item of the plan and the row that stands for it in a leaf: a new file with nulls that it
// inherits, a loose file as EXISTING with all its values (Q24), a removed one as its tombstone.
func (p *placement) member(ref policy.Ref) (policy.Item, tree.Entry, error) {
	item, err := p.input.Item(ref)
	if err != nil {
		return item, tree.Entry{}, err
	}
	var row tree.Entry
	switch ref.Source {
	case policy.FromNew:
		row = p.newRow(p.adds[ref.Index])
	case policy.FromLoose:
		row, err = tree.Carry(p.base.Tree.Pin(p.base.Tree.Rows[p.loose[ref.Index]]))
	case policy.FromTombstones:
		row, err = tree.Delete(p.base.Tree.Pin(p.base.Tree.Rows[p.tombs[ref.Index]]), p.work.snapshotID)
	}
	row.Stats = row.Stats.Settled()
	return item, row, err
}

// newRow returns the row of a file that this commit adds (rules 12.4).
func (x *Txn) newRow(a add) tree.Entry {
	f := a.file
	f.Location = a.location
	return f.Entry(x.base.Location, x.work.snapshotID)
}

// buildRoot builds the rows of the new root.
func (p *placement) buildRoot(leaves []int, s rootmanifest.Snapshot) (rootmanifest.Root, error) {
	b := rootmanifest.NewBuilder(p.base.Tree, s)
	for row := range p.base.Tree.Rows {
		if m, masked := p.found.masks[row]; masked {
			if err := b.Mask(row, m); err != nil {
				return rootmanifest.Root{}, err
			}
		}
	}
	inLeaf := make(map[policy.Ref]bool)
	for i, step := range p.plan.Steps {
		for _, ref := range step.Members {
			inLeaf[ref] = true
		}
		written := p.work.leaves[leaves[i]]
		stored := tree.Relativize(p.base.Location, written.location)
		pointer, err := leaf.Pointer(stored, written.sizeBytes, written.rows, s.SequenceNumber)
		if err != nil {
			return rootmanifest.Root{}, err
		}
		b.Point(pointer)
	}
	for i, row := range p.loose {
		if inLeaf[policy.Ref{Source: policy.FromLoose, Index: i}] {
			if err := b.Drop(row); err != nil {
				return rootmanifest.Root{}, err
			}
		}
	}
	for i, row := range p.tombs {
		step := b.Remove
		if inLeaf[policy.Ref{Source: policy.FromTombstones, Index: i}] {
			step = b.Drop
		}
		if err := step(row); err != nil {
			return rootmanifest.Root{}, err
		}
	}
	for i, a := range p.adds {
		if !inLeaf[policy.Ref{Source: policy.FromNew, Index: i}] {
			b.Inline(p.newRow(a))
		}
	}
	return b.Build()
}
