package commit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/tree"
)

// placement is one attempt's answer to the question which entry goes where.
type placement struct {
	*Txn
	base   *Head
	found  resolved
	schema manifestio.Schema
	// cluster is the order of rows in leaves that are cut.
	cluster cluster
	// partitioned are the columns by which the table is or was partitioned.
	partitioned []int
	search      *search
	input       policy.Input
	// loose, added and tombs are the rows behind the items of the input, and pointers the root rows behind its pointers.
	loose, added, tombs []row
	pointers            []int
	plan                policy.Plan
}

// row is a row of the new tree that may stand in the root or in a new leaf.
type row struct {
	key   string
	entry tree.Entry
	// from is the row of the base's root that it continues, or -1.
	from int
	// carried says that it is this row, as a commit that leaves it alone carries it.
	carried bool
}

// describe says what there is to place.
func (x *Txn) describe(base *Head, found resolved) (*placement, error) {
	p := &placement{
		Txn: x, base: base, found: found, search: x.lookFor(base, nil), cluster: clusterOf(base.Metadata.Spec()),
		partitioned: base.Metadata.PartitionColumns(),
	}
	var err error
	if p.schema, err = rowType(base.Metadata); err != nil {
		return nil, err
	}
	p.input = policy.Input{
		Mode:           x.options.Mode,
		Limits:         x.options.Limits,
		Prices:         policy.EstimatePrices(len(p.schema.Stats)).Thinned(p.keptColumns()),
		RootBytes:      base.Tree.RootSizeBytes,
		RootRows:       int64(len(base.Tree.Rows)),
		SequenceNumber: base.Metadata.LastSequenceNumber + 1,
		History:        history(base),
	}
	if err := p.describeRoot(); err != nil {
		return nil, err
	}
	if err := p.describeNew(); err != nil {
		return nil, err
	}
	number := p.input.SequenceNumber
	p.input.Loose, p.input.New, p.input.Tombstones = items(p.loose, number), items(p.added, number), items(p.tombs, number)
	if p.cluster.transform != nil {
		p.rankPartitions()
	}
	if p.input.Written, err = p.written(); err != nil {
		return nil, err
	}
	return p, nil
}

// place asks the policy and checks its plan.
func (x *Txn) place(base *Head, found resolved) (*placement, error) {
	p, err := x.describe(base, found)
	if err != nil {
		return nil, err
	}
	chosen, err := x.options.policy(base.Metadata)
	if err != nil {
		return nil, &RefusedError{Reasons: []string{err.Error()}, Err: err}
	}
	if p.plan, err = ask(chosen, p.input); err != nil {
		return nil, err
	}
	return p, nil
}

// history returns what a policy may know of the line of snapshots that a commit continues.
func history(base *Head) []policy.Snapshot {
	var line []policy.Snapshot
	for s := range base.Metadata.Ancestors(base.Tree.Origin.SnapshotID) {
		line = append(line, policy.Snapshot{
			ID: s.ID, SequenceNumber: s.SequenceNumber, TimestampMillis: s.TimestampMillis, Summary: s.Summary,
		})
		if len(line) == policy.MaxHistory {
			break
		}
	}
	slices.Reverse(line)
	return line
}

// items describes rows of files; those without a sequence number get that of their commit.
func items(rows []row, number int64) []policy.Item {
	list := make([]policy.Item, len(rows))
	for i := range rows {
		entry := &rows[i].entry
		list[i] = policy.Item{
			Key: rows[i].key, Count: 1, RecordCount: entry.RecordCount, SequenceNumber: cmp.Or(entry.Tracking.FileSequenceNumber.Val, number),
		}
	}
	return list
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

// maxStatsColumns is how many columns manifests keep statistics for: those by which the table is or was partitioned, and the first ones of
// the schema (F4).
const maxStatsColumns = 100

// rowType returns the type of the manifests that are written for a table.
func rowType(m metadata.Table) (manifestio.Schema, error) {
	partition, err := m.UnionPartitionFields()
	if err != nil {
		return manifestio.Schema{}, err
	}
	s, err := manifestio.NewSchema(m.Schema(), partition, nil)
	s.Stats = mostUseful(s.Stats, m.PartitionColumns())
	return s, err
}

// describeRoot lists the live rows of the base's root, as they are after the change.
func (p *placement) describeRoot() error {
	p.loose = make([]row, 0, len(p.base.Tree.Rows))
	for i := range p.base.Tree.Rows {
		entry := &p.base.Tree.Rows[i]
		switch {
		case !entry.Tracking.Status.Live():
		case entry.Manifest.Valid:
			pointer, err := p.pointer(i, *entry)
			if err != nil {
				return err
			}
			_, masked := p.found.masks[i]
			if pointer.LiveEntries > 0 || masked { // a pointer that ends stays for this snapshot
				p.input.Pointers = append(p.input.Pointers, pointer)
				p.pointers = append(p.pointers, i)
			}
		default:
			if err := p.describeLoose(i, entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// describeLoose lists the live and the dead row that continue a loose file.
func (p *placement) describeLoose(i int, entry *tree.Entry) error {
	c := p.found.loose[i]
	old := p.base.Tree.Pin(*entry)
	if c == nil {
		carried, err := tree.Carry(old)
		p.loose = append(p.loose, row{p.key("loose ", entry), carried, i, true})
		return err
	}
	if c.fate != removed {
		state, err := p.state(c)
		if err != nil {
			return err
		}
		state.from = i
		p.loose = append(p.loose, state)
	}
	if c.fate == refreshed {
		return nil
	}
	dead, err := p.tombstone(c.fate, old)
	p.tombs = append(p.tombs, row{p.key("dead ", entry), dead, i, false})
	return err
}

// describeNew lists the files that come in and those that leave their leaves.
func (p *placement) describeNew() error {
	for _, a := range p.found.adds {
		p.added = append(p.added, row{a.key, a.entry, -1, false})
	}
	for _, c := range p.found.files {
		if c.inRoot() || c.fate == removed {
			continue
		}
		state, err := p.state(c)
		if err != nil {
			return err
		}
		p.added = append(p.added, state)
	}
	return nil
}

// state returns the new row of a file that stays.
func (p *placement) state(c *changed) (row, error) {
	entry := p.base.Tree.Pin(c.state)
	var err error
	if c.fate == modified {
		entry, err = tree.Modify(entry, p.work.snapshotID)
	} else {
		entry, err = tree.Carry(entry)
	}
	kind := "loose "
	if c.fate == refreshed {
		kind = "refreshed "
	}
	return row{p.key(kind, &entry), entry, -1, false}, err
}

// tombstone returns the row that tells of a file's old state.
func (p *placement) tombstone(f fate, old tree.Entry) (tree.Entry, error) {
	if f == modified {
		return tree.Replace(old, p.work.snapshotID)
	}
	return tree.Delete(old, p.work.snapshotID)
}

// key identifies a row by the state of its file.
func (p *placement) key(kind string, entry *tree.Entry) string {
	located := tree.Located{
		Entry: *entry, Origin: p.base.Tree.Origin, Location: tree.Resolve(p.base.Location, entry.Location), Projection: tree.Full,
	}
	return kind + located.Revision().String()
}

// pointer describes a pointer after the masks of this commit.
func (p *placement) pointer(row int, entry tree.Entry) (policy.Pointer, error) {
	info := entry.Manifest.Val
	masked, err := p.masked(row)
	if err != nil {
		return policy.Pointer{}, fmt.Errorf("root manifest %s, row %d: %w", p.base.Tree.Root, row, err)
	}
	live := entry.RecordCount - int64(info.DeletedFiles) - int64(info.ReplacedFiles)
	dvBytes, changed := int64(len(info.DV)), int64(0)
	if m, touched := p.found.masks[row]; touched {
		changed = int64(m.Deleted.Cardinality() + m.Replaced.Cardinality())
		if dvBytes, err = encodedBytes(masked, m.Deleted, m.Replaced); err != nil {
			return policy.Pointer{}, err
		}
	}
	return policy.Pointer{
		Location:       tree.Resolve(p.base.Location, entry.Location),
		LiveEntries:    max(0, min(live, entry.RecordCount-int64(masked.Cardinality()))),
		Entries:        entry.RecordCount,
		DVBytes:        dvBytes,
		Changed:        changed,
		FileSizeBytes:  entry.FileSizeBytes,
		SequenceNumber: cmp.Or(entry.Tracking.FileSequenceNumber.Val, p.base.Tree.SequenceNumber), // null: the base added it
		Legacy:         info.FormatVersion == 0,
		Thin:           p.isThin(entry.Stats),
	}, nil
}

// masked returns the positions of a leaf that are masked after this commit.
func (p *placement) masked(row int) (mdv.Bitmap, error) {
	old, err := maskOf(p.base.Tree.Rows[row])
	return old.Union(p.found.masks[row].All()), err
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

// source returns the row behind an item of the input; pointers have none.
func (p *placement) source(ref policy.Ref) row {
	switch ref.Source {
	case policy.FromLoose:
		return p.loose[ref.Index]
	case policy.FromNew:
		return p.added[ref.Index]
	}
	return p.tombs[ref.Index]
}

// writeLeaves writes the leaves of the plan that no earlier attempt wrote. It returns, for each step, the
// indexes of its leaves among the transaction's.
func (p *placement) writeLeaves(ctx context.Context) ([][]int, error) {
	var leaves [][]int
	for _, step := range p.plan.Steps {
		if step.Written >= 0 {
			leaves = append(leaves, p.work.steps[step.Written].leaves)
			continue
		}
		var written writtenStep
		var members []member
		for _, ref := range step.Members {
			m, err := p.member(ctx, ref)
			if err != nil {
				return nil, err
			}
			members, written.keys = append(members, m), append(written.keys, m.key)
		}
		for _, part := range p.cut(members, step.Leaves) {
			written.leaves = append(written.leaves, len(p.work.leaves))
			if err := p.writeLeaf(ctx, part); err != nil {
				return nil, err
			}
		}
		leaves = append(leaves, written.leaves)
		p.work.steps = append(p.work.steps, written)
	}
	return leaves, nil
}

// writeLeaf writes one leaf.
func (p *placement) writeLeaf(ctx context.Context, members []member) error {
	written := tamper.Stage(seamLeaf, p, writtenLeaf{location: p.work.leafName(p.base.Location), members: members})
	rows := tamper.Stage(seamLeafRows, p, written.rows())
	size, err := p.table.options.Codec.PutLeaf(ctx, p.table.objects, written.location, p.schema, rows)
	p.work.wrote(written.location, size, err)
	if err != nil {
		return err
	}
	written.sizeBytes = size
	p.work.leaves = append(p.work.leaves, written)
	return nil
}

// member returns the rows that stand for a member of a step: of a new file with nulls that it inherits, of a loose one
// EXISTING with all its values (Q24), of a removed one its tombstone, and of a leaf its live rows.
func (p *placement) member(ctx context.Context, ref policy.Ref) (member, error) {
	if ref.Source == policy.FromPointers {
		return p.rewrite(ctx, ref.Index)
	}
	r := p.source(ref)
	r.entry.Stats = r.entry.Stats.Settled()
	return member{key: r.key, rows: []tree.Entry{r.entry}}, nil
}
