package commit

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/rootmanifest"
	"github.com/firn-io/firn/tree"
)

// Result says what a transaction, or an update of the metadata, committed.
type Result struct {
	// SnapshotID and SequenceNumber are those of the new snapshot; 0 for an update of the metadata alone.
	SnapshotID, SequenceNumber int64
	// MetadataLocation is the metadata file that the commit published, and RootLocation its root manifest.
	MetadataLocation, RootLocation string
	// NoOp says that there was nothing to do, and nothing was published.
	NoOp bool
	// Attempts counts the attempts, the successful one included.
	Attempts int
	// LeavesWritten counts the leaves that this transaction wrote, RootsWritten the roots of all attempts, and
	// VectorsWritten the Puffin files of deletion vectors.
	LeavesWritten, RootsWritten, VectorsWritten int
	// LeavesOpened counts the leaves whose rows were read.
	LeavesOpened int
	// BytesWritten is the size of all objects written, those of lost attempts included.
	BytesWritten int64
	// Plan is the plan of the attempt that won.
	Plan policy.Plan
	// Events say how the change was fitted to what other writers did.
	Events []Event
	// Warnings are for people.
	Warnings []string
	// Leftover are objects of lost attempts, and metadata files beyond the log, that could not be removed.
	Leftover []string
}

// candidate is a complete new state of the table that only needs to be swapped in.
type candidate struct {
	attempt attempt
	// base is the state that the new one, head, is to follow.
	base, head *Head
	plan       policy.Plan
	// objects are those of this transaction to which the new state refers, root and metadata file apart.
	objects []string
	// noOp says that there is nothing to swap in.
	noOp bool
}

// Commit publishes the transaction as one snapshot. It may be called once. See the package comment for how it
// may end; it never returns an error of ctx by itself (F1, F2, F4, F6, F18).
func (x *Txn) Commit(ctx context.Context) (Result, error) {
	if err := x.begin(); err != nil {
		return Result{}, err
	}
	var r Result
	err := x.validate()
	if err == nil {
		r, err = x.publish(ctx, x)
	}
	x.table.report(ctx, x.work, r, err)
	return r, err
}

// prepare does everything up to the swap: resolve, plan, write leaves, build the root, check it, write root and
// metadata.
func (x *Txn) prepare(ctx context.Context, base *Head) (candidate, error) {
	if err := x.expand(ctx, base); err != nil {
		return candidate{}, err
	}
	found, err := x.locate(ctx, base)
	if err != nil {
		return candidate{}, err
	}
	p, err := x.place(base, found)
	if err != nil {
		return candidate{}, err
	}
	if x.options.Mode == policy.Maintenance && len(found.files)+len(found.adds) == 0 && p.plan.Idle(p.input) {
		return candidate{noOp: true, plan: p.plan}, nil
	}
	leaves, err := p.writeLeaves(ctx)
	if err != nil {
		return candidate{}, fmt.Errorf("commit: write leaf manifest: %w", notWritten(err))
	}
	snapshot := rootmanifest.Snapshot{
		ID: x.work.snapshotID, SequenceNumber: base.Metadata.LastSequenceNumber + 1, FirstRowID: base.Metadata.NextRowID,
	}
	snapshot = tamper.Stage(seamSnapshot, x, snapshot)
	root, err := p.buildRoot(ctx, leaves, snapshot)
	if err != nil {
		return candidate{}, fmt.Errorf("commit: build root manifest: %w", err)
	}
	c := candidate{
		base: base, plan: p.plan, objects: found.vectors,
		attempt: attempt{root: x.work.rootName(base.Location)},
	}
	for _, i := range slices.Concat(leaves...) {
		c.objects = append(c.objects, x.work.leaves[i].location)
	}
	c.head = x.newHead(base, snapshot, root, p, c.attempt.root)
	if err := x.selfCheck(ctx, base, c.head.Tree); err != nil {
		return candidate{}, err
	}
	err = x.write(ctx, base, p, &c, root)
	return c, err
}

// newHead returns the state after the commit, its metadata apart.
func (x *Txn) newHead(base *Head, s rootmanifest.Snapshot, root rootmanifest.Root, p *placement, name string) *Head {
	clock := x.table.options.Env.NowMillis()
	now := base.Metadata.TimestampAfter(parentOf(base), clock)
	if now > clock+1 { // one millisecond is two commits in one
		x.work.warn(fmt.Sprintf("the clock says %d ms, the snapshot of before is later: the new one is at %d ms", clock, now))
	}
	origin := base.Tree.Origin
	origin.SnapshotID = s.ID
	return &Head{Branch: base.Branch, Location: base.Location, Tree: tree.Tree{
		Origin: origin, Root: name, SchemaID: p.schema.SchemaID,
		ParentSnapshotID: parentOf(base), SequenceNumber: s.SequenceNumber, TimestampMillis: now,
		FirstRowID: s.FirstRowID, AddedRows: root.AddedRows,
		HasSnapshotTimestamps: base.Tree.HasSnapshotTimestamps,
		Rows:                  root.Rows,
	}}
}

// parentOf returns the id of the snapshot that the next one follows, null for the first.
func parentOf(base *Head) iceberg.Optional[int64] {
	id := base.Tree.Origin.SnapshotID
	return iceberg.Optional[int64]{Val: id, Valid: id != 0}
}

// write writes root and metadata file under names of this attempt.
func (x *Txn) write(ctx context.Context, base *Head, p *placement, c *candidate, root rootmanifest.Root) error {
	t := c.head.Tree
	c.attempt.metadata = x.metadataName(base)
	x.work.attempts = append(x.work.attempts, c.attempt)

	size, err := x.table.options.Codec.PutRoot(ctx, x.table.objects, c.attempt.root, p.schema, root.Rows)
	x.work.wrote(c.attempt.root, size, err)
	if err != nil {
		return fmt.Errorf("commit: write root manifest: %w", notWritten(err))
	}
	c.head.Tree.RootSizeBytes = size
	s := tamper.Stage(seamSummary, p, metadata.Snapshot{
		ID: t.Origin.SnapshotID, ParentID: t.ParentSnapshotID,
		SequenceNumber: t.SequenceNumber, TimestampMillis: t.TimestampMillis,
		RootManifest: some(tree.Relativize(base.Location, t.Root)),
		Summary:      x.summary(p, t, size),
		SchemaID:     some(t.SchemaID),
		FirstRowID:   some(t.FirstRowID), AddedRows: some(t.AddedRows),
	})
	m, err := withSnapshot(base, s)
	if err != nil {
		return &RefusedError{Reasons: []string{err.Error()}, Err: err}
	}
	c.head.Metadata = tamper.Stage(seamMetadata, p, m)
	return x.writeMetadata(ctx, c)
}

// next implements proposed. It refuses to go on where another writer changed what the transaction was made for.
func (x *Txn) next(ctx context.Context, from *Head, s seen) (*Head, error) {
	if _, ok := s.metadata.Ref(from.Branch); !ok && from.Tree.Origin.SnapshotID != 0 {
		return tamper.Stage(seamBranchGone, s, from), conflictf(RuleBranchGone, "", "the branch %q was dropped", from.Branch)
	}
	to, err := x.table.read(ctx, s.location, s.metadata, from.Branch)
	if err != nil {
		return nil, err
	}
	x.table.remember(to)
	if err := descends(x.work.bases, from, to); err != nil {
		return nil, err
	}
	if err := x.checkFit(from, to); err != nil {
		return nil, err
	}
	if len(x.adds) > 0 {
		x.work.note(RuleAddReplan, "")
	}
	if err := x.checkFilters(ctx, from, to); err != nil {
		return nil, err
	}
	x.work.bases = append(x.work.bases, from.Tree.Origin.SnapshotID)
	return to, nil
}

// Plan returns what the policy would do with the table as it is, in a transaction that changes no file. Nothing is
// written.
func (x *Txn) Plan(ctx context.Context) (policy.Plan, error) {
	found, err := x.unchanged(ctx)
	if err != nil {
		return policy.Plan{}, err
	}
	p, err := x.place(x.base, found)
	if err != nil {
		return policy.Plan{}, err
	}
	return p.plan, nil
}

// PlanInput returns what the policy would be asked with then, so that other policies can be asked, or what would become of
// files that are not there yet. Nothing is written.
func (x *Txn) PlanInput(ctx context.Context) (policy.Input, error) {
	found, err := x.unchanged(ctx)
	if err != nil {
		return policy.Input{}, err
	}
	p, err := x.describe(x.base, found)
	if err != nil {
		return policy.Input{}, err
	}
	return copyOf(p.input), nil
}

// unchanged looks up what a transaction changes that changes no file.
func (x *Txn) unchanged(ctx context.Context) (resolved, error) {
	if x.changes() || len(x.filters) > 0 {
		return resolved{}, refusef("", "a plan is made for a transaction that changes no file")
	}
	x.proposal.reset()
	return x.locate(ctx, x.base)
}
