package commit

import (
	"context"
	"errors"
	"fmt"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/rootmanifest"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// Result says what a transaction committed.
type Result struct {
	SnapshotID, SequenceNumber int64
	// MetadataLocation is the metadata file that the commit published, and RootLocation its root manifest.
	MetadataLocation, RootLocation string
	// Attempts counts the attempts, the successful one included.
	Attempts int
	// LeavesWritten counts the leaves that this transaction wrote, RootsWritten the roots of all attempts.
	LeavesWritten, RootsWritten int
	// LeavesOpened counts the leaves whose rows were read to find files.
	LeavesOpened int
	// BytesWritten is the size of all objects written, those of lost attempts included.
	BytesWritten int64
	// Plan is the plan of the attempt that won.
	Plan policy.Plan
	// Leftover are objects of lost attempts that could not be removed.
	Leftover []string
}

// candidate is a complete new state of the table that only needs to be swapped in.
type candidate struct {
	attempt attempt
	head    *Head
	plan    policy.Plan
	leaves  []int // of this transaction, to which the root points
}

// Commit publishes the transaction as one snapshot. It may be called once. See the package comment for how it
// may end; it never returns an error of ctx by itself once a swap was sent (F1, F2, F4, F6, F18).
func (x *Txn) Commit(ctx context.Context) (Result, error) {
	if err := x.begin(); err != nil {
		return Result{}, err
	}
	if err := x.validate(); err != nil {
		return Result{}, err
	}
	won, err := x.run(ctx)
	if errors.Is(err, ErrUnknown) {
		return Result{}, err
	}
	var leftover []string
	if err != nil || won.attempt != (attempt{}) { // else it is not known which objects the table refers to
		leftover = x.cleanUp(ctx, won)
	}
	if err != nil {
		return Result{}, err
	}
	if won.head != nil {
		x.table.last = won.head
	}
	return Result{
		SnapshotID:       x.work.snapshotID,
		SequenceNumber:   won.sequenceNumber,
		MetadataLocation: won.attempt.metadata, RootLocation: won.attempt.root,
		Attempts: len(x.work.attempts), RootsWritten: len(x.work.attempts), LeavesWritten: len(x.work.leaves),
		LeavesOpened: x.work.leavesOpened, BytesWritten: x.work.bytesWritten,
		Plan: won.plan, Leftover: leftover,
	}, nil
}

// winner is the attempt that was committed; the zero winner is none.
type winner struct {
	candidate
	sequenceNumber int64
}

// candidates are the attempts so far by their metadata files.
type candidates map[string]candidate

// winner returns the attempt that a look found committed, without its state: others may have committed since.
func (c candidates) winner(s seen) winner {
	won := winner{c[s.attempt.metadata], s.sequenceNumber}
	if won.head != nil {
		won.sequenceNumber = won.head.Tree.SequenceNumber
	}
	won.head = nil
	return won
}

// run makes attempts until one is committed or the transaction has failed.
func (x *Txn) run(ctx context.Context) (winner, error) {
	base := x.base
	pending := false // a swap was sent that may still land
	candidates := make(candidates)
	fail := func(err error) (winner, error) {
		if pending {
			return winner{}, &UnknownError{Token: x.token(), Objects: x.work.objects, Err: err}
		}
		return winner{}, x.typed(err)
	}
	for n := 1; ; n++ {
		c, err := x.prepare(ctx, base)
		if err != nil {
			return fail(err)
		}
		candidates[c.attempt.metadata] = c
		swapErr := x.table.catalog.Swap(ctx, x.table.id, base.MetadataLocation, c.attempt.metadata)
		if swapErr == nil {
			return winner{c, c.head.Tree.SequenceNumber}, nil
		}
		pending = pending || !errors.Is(swapErr, store.ErrRefused)
		// The look comes after the pause, so that the next attempt begins on the newest state, and it comes even if
		// the pause ends the transaction: an earlier copy of a swap that was refused may have landed too.
		end := x.pause(ctx, n, swapErr)
		seen, err := x.lookUp(ctx, base)
		switch {
		case err != nil:
			pending = true
			return fail(errors.Join(swapErr, err))
		case seen.outcome == Committed:
			return candidates.winner(seen), nil
		case seen.outcome == NotCommitted:
			pending = false
		}
		if end != nil {
			return fail(end)
		}
		if seen.outcome == NotCommitted {
			if base, err = x.rebase(ctx, base, seen); err != nil {
				return fail(err)
			}
		}
	}
}

// typed gives the end of a context that came between two attempts the type of a transaction that was given up: once a
// swap was sent, no error is a bare one of the context.
func (x *Txn) typed(err error) error {
	ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if x.work.sentFrom == "" || !ended || errors.Is(err, ErrExhausted) {
		return err
	}
	return &ExhaustedError{Attempts: len(x.work.attempts), Err: err}
}

// prepare does everything up to the swap: resolve, plan, write leaves, build the root, check it, write root and
// metadata.
func (x *Txn) prepare(ctx context.Context, base *Head) (candidate, error) {
	found, err := x.locate(ctx, base)
	if err != nil {
		return candidate{}, err
	}
	p, err := x.place(base, found)
	if err != nil {
		return candidate{}, err
	}
	leaves, err := p.writeLeaves(ctx)
	if err != nil {
		return candidate{}, fmt.Errorf("commit: write leaf manifest: %w", notWritten(err))
	}
	snapshot := rootmanifest.Snapshot{
		ID: x.work.snapshotID, SequenceNumber: base.Metadata.LastSequenceNumber + 1, FirstRowID: base.Metadata.NextRowID,
	}
	root, err := p.buildRoot(leaves, snapshot)
	if err != nil {
		return candidate{}, fmt.Errorf("commit: build root manifest: %w", err)
	}
	c := candidate{
		plan: p.plan, leaves: leaves,
		attempt: attempt{root: x.work.rootName(base.Location)},
	}
	c.head = x.newHead(base, snapshot, root, p, c.attempt.root)
	if err := x.selfCheck(ctx, base, c.head.Tree); err != nil {
		return candidate{}, err
	}
	err = x.publish(ctx, base, p, &c, root)
	return c, err
}

// newHead returns the state after the commit, its metadata apart.
func (x *Txn) newHead(base *Head, s rootmanifest.Snapshot, root rootmanifest.Root, p *placement, name string) *Head {
	now := base.Metadata.NextTimestamp(metadata.MainBranch, x.table.options.Env.NowMillis())
	origin := base.Tree.Origin
	parent := base.Metadata.CurrentSnapshotID
	origin.SnapshotID = s.ID
	return &Head{Location: base.Location, Tree: tree.Tree{
		Origin: origin, Root: name, SchemaID: p.schema.SchemaID,
		ParentSnapshotID: parent, SequenceNumber: s.SequenceNumber, TimestampMillis: now,
		FirstRowID: s.FirstRowID, AddedRows: root.AddedRows,
		HasSnapshotTimestamps: base.Tree.HasSnapshotTimestamps,
		Rows:                  root.Rows,
	}}
}

// publish writes root and metadata file under names of this attempt.
func (x *Txn) publish(ctx context.Context, base *Head, p *placement, c *candidate, root rootmanifest.Root) error {
	t := c.head.Tree
	version, _ := metadata.VersionOf(base.MetadataLocation) // 0 for a foreign name: the number is for people
	c.attempt.metadata = tree.Resolve(base.Location, "metadata/"+metadata.FileName(version+1, x.table.options.Env.NewUUID()))
	x.work.attempts = append(x.work.attempts, c.attempt)

	size, err := x.table.options.Codec.PutRoot(ctx, x.table.objects, c.attempt.root, p.schema, root.Rows)
	x.work.wrote(c.attempt.root, size, err)
	if err != nil {
		return fmt.Errorf("commit: write root manifest: %w", notWritten(err))
	}

	c.head.Metadata, err = base.Metadata.WithSnapshot(metadata.Snapshot{
		ID: t.Origin.SnapshotID, ParentID: t.ParentSnapshotID,
		SequenceNumber: t.SequenceNumber, TimestampMillis: t.TimestampMillis,
		RootManifest: some(tree.Relativize(base.Location, t.Root)),
		Summary:      x.summary(p, t, size),
		SchemaID:     some(t.SchemaID),
		FirstRowID:   some(t.FirstRowID), AddedRows: some(t.AddedRows),
	}, metadata.MainBranch, tree.Relativize(base.Location, base.MetadataLocation))
	if err != nil {
		return &RefusedError{Reasons: []string{err.Error()}, Err: err}
	}
	data, err := x.marshal(c.head.Metadata)
	if err != nil {
		return &RefusedError{Reasons: []string{err.Error()}, Err: err}
	}
	c.head.MetadataLocation = c.attempt.metadata
	err = x.table.objects.Put(ctx, c.attempt.metadata, data)
	x.work.wrote(c.attempt.metadata, int64(len(data)), err)
	if err != nil {
		return fmt.Errorf("commit: write metadata file: %w", notWritten(err))
	}
	return nil
}

// provedMetadataBytes is the length up to which a document that was written is within the default limits of reading.
const provedMetadataBytes = 4 << 20

// marshal returns a metadata file that can be read again: one beyond the limits would lose the table to every reader
// that has them.
func (x *Txn) marshal(m metadata.Table) ([]byte, error) {
	data, err := m.Marshal()
	if err != nil || int64(len(data)) <= min(provedMetadataBytes, x.table.options.Metadata.MaxBytes) {
		return data, err
	}
	_, err = metadata.Parse(data, x.table.options.Metadata)
	return data, err
}
