package commit

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// writtenVector is a deletion vector of one data file that this transaction wrote. A retry uses it while it still is the
// one that is needed.
type writtenVector struct {
	vector dv.Vector
	place  tree.DeletionVector
}

// pending is a deletion vector that a new row needs.
type pending struct {
	dataFile string
	vector   dv.Vector
	put      func(tree.DeletionVector)
}

// decideDeletes joins the rows to delete with those that are deleted already (rules 10.1). A file all of whose rows are
// deleted goes, under the rules of deletion vectors (B16); rows that are all deleted already change nothing (B21).
func (r *resolver) decideDeletes(ctx context.Context, t *target, before *tree.Located, c *changed, raced bool) error {
	d := t.deletes
	if err := r.noLegacyDeletes(t); err != nil {
		return err
	}
	old, err := r.vectorOf(ctx, c.old)
	if err != nil {
		return err
	}
	if raced {
		if err := r.mayMerge(ctx, t, *before, old); err != nil {
			return err
		}
		r.work.note(RuleDVRaced, t.location)
		t.merged = true
	}
	if d.whole && !t.merged && !d.rows.ContainsAll(old) {
		return refusef(t.location, "its deletion vector has rows that the new one lacks, which must contain them (rules 10.1)")
	}
	if err := r.checkWritten(ctx, t, c.old); err != nil {
		return err
	}
	merged, err := dv.Merge(old, d.rows, c.old.Entry.RecordCount)
	switch {
	case err != nil:
		return &RefusedError{Location: t.location, Reasons: []string{err.Error()}, Err: err}
	case merged.AddedRows == 0:
		return nil
	case merged.All && !d.options.KeepEmptied:
		r.work.note(RuleDVFull, t.location)
		c.fate = removed
		return nil
	}
	c.fate = modified
	put := func(place tree.DeletionVector) {
		place.Location = tree.Relativize(r.base.Location, place.Location)
		c.state.DeletionVector = some(place)
	}
	if d.written != nil && merged.Vector.Equal(d.rows) {
		put(*d.written)
		return nil
	}
	r.pending = append(r.pending, pending{t.location, merged.Vector, put})
	return nil
}

// mayMerge says whether a deletion vector that another writer changed can be joined with ours (B21): the caller allows
// it, no snapshot since wrote new rows, and where we write new rows ourselves, nobody deleted rows that we delete too.
func (r *resolver) mayMerge(ctx context.Context, t *target, before tree.Located, now dv.Vector) error {
	if !t.deletes.options.MergeRaced {
		return conflictf(RuleDVRaced, t.location, "another writer changed its deletion vector")
	}
	if reason := onlyDeletes(r.base, before.Origin.SnapshotID); reason != "" {
		return conflictf(RuleDVRaced, t.location, "another writer changed its deletion vector, and %s", reason)
	}
	if len(r.adds) == 0 {
		return nil
	}
	if !before.Projection.File {
		return conflictf(RuleDVRaced, t.location, "another writer changed its deletion vector, and which rows it had when it was read is not known")
	}
	then, err := r.vectorOf(ctx, before)
	if err != nil {
		return err
	}
	if theirs := now.Minus(then); theirs.Minus(t.deletes.rows).Cardinality() != theirs.Cardinality() {
		return conflictf(RuleDVRaced, t.location, "another writer deleted rows of which this transaction writes new states")
	}
	return nil
}

// onlyDeletes reports why the snapshots since another one may have done more than to delete rows and to add files that
// have nothing to do with those. Empty if they did no more.
func onlyDeletes(head *Head, since int64) string {
	for s := range head.Metadata.Ancestors(head.Tree.Origin.SnapshotID) {
		if s.ID == since {
			return ""
		}
		switch op := s.Operation(); op {
		case metadata.OpAppend, metadata.OpDelete, metadata.OpReplace:
		default:
			return fmt.Sprintf("snapshot %d (%s) may have written new states of its rows", s.ID, op)
		}
	}
	return fmt.Sprintf("snapshots since %d have expired", since)
}

// vectorOf returns the deleted rows of a file that was read in full; each blob is read once.
func (r *resolver) vectorOf(ctx context.Context, l tree.Located) (dv.Vector, error) {
	if !l.Entry.DeletionVector.Valid {
		return dv.Vector{}, nil
	}
	return r.readVector(ctx, l.Entry.DeletionVector.Val, l.Revision().DeletionVector.Val, l.Entry.RecordCount)
}

func (r *resolver) readVector(ctx context.Context, place tree.DeletionVector, id tree.BlobID, records int64) (dv.Vector, error) {
	if v, known := r.work.read[id]; known {
		return v, nil
	}
	v, err := dv.Read(ctx, r.table.objects, place, id.Location, records, dv.Limits{})
	if err != nil {
		return dv.Vector{}, err
	}
	r.work.read[id] = v
	return v, nil
}

// checkWritten reads the deletion vector that the caller wrote.
func (r *resolver) checkWritten(ctx context.Context, t *target, file tree.Located) error {
	w := t.deletes.written
	if w == nil {
		return nil
	}
	id := tree.BlobID{Location: r.Txn.resolve(w.Location), OffsetBytes: w.OffsetBytes, SizeBytes: w.SizeBytes, Cardinality: w.Cardinality}
	rows, err := r.readVector(ctx, *w, id, file.Entry.RecordCount)
	var fault *dv.FaultError
	if err != nil && !errors.As(err, &fault) {
		return err
	}
	if err != nil {
		return &RefusedError{Location: t.location, Reasons: []string{err.Error()}, Err: err}
	}
	if !rows.Equal(t.deletes.rows) {
		return refusef(t.location, "the deletion vector at %s, offset %d, has other rows than those that are said", w.Location, w.OffsetBytes)
	}
	return nil
}

// bear gives a file that comes in the rows that are deleted of it from the beginning (rules 10.4).
func (r *resolver) bear(ctx context.Context, a *add, row addition) error {
	if a.deletes == nil {
		return nil
	}
	born := tree.Located{Entry: row.entry, Location: a.location, Origin: r.base.Tree.Origin, Projection: tree.Full}
	old, err := r.vectorOf(ctx, born)
	if err != nil {
		return err
	}
	merged, err := dv.Merge(old, a.deletes.rows, a.file.RecordCount)
	switch {
	case err != nil:
		return &RefusedError{Location: a.location, Reasons: []string{err.Error()}, Err: err}
	case a.deletes.whole && !a.deletes.rows.ContainsAll(old):
		return refusef(a.location, "its deletion vector has rows that the new one lacks, which must contain them (rules 10.1)")
	case merged.All:
		return refusef(a.location, "added with all its rows deleted")
	}
	place := len(r.out.adds)
	r.pending = append(r.pending, pending{a.location, merged.Vector, func(v tree.DeletionVector) {
		v.Location = tree.Relativize(r.base.Location, v.Location)
		entry := &r.out.adds[place].entry
		entry.DeletionVector = some(v)
		entry.Tracking.ModifiedSnapshotID = some(r.work.snapshotID)
	}})
	return nil
}

// writeVectors gives every new row its deletion vector. What an earlier attempt wrote is used again, the rest is
// written in one Puffin file.
func (r *resolver) writeVectors(ctx context.Context) error {
	var missing []pending
	used := make(map[string]bool)
	r.pending = tamper.Stage(seamVectors, r, r.pending)
	for _, p := range r.pending {
		place, found := r.work.written(p)
		if !found {
			missing = append(missing, p)
			continue
		}
		used[place.Location] = true
		p.put(place)
	}
	if len(missing) > 0 {
		written, err := r.putVectors(ctx, missing)
		if err != nil {
			return err
		}
		used[written] = true
	}
	for _, name := range r.work.vectors {
		if used[name] {
			r.out.vectors = append(r.out.vectors, name)
		}
	}
	return nil
}

// written returns the place of a deletion vector that an earlier attempt wrote.
func (w *work) written(p pending) (tree.DeletionVector, bool) {
	for _, v := range w.placed[p.dataFile] {
		if v.vector.Equal(p.vector) {
			return v.place, true
		}
	}
	return tree.DeletionVector{}, false
}

func (r *resolver) putVectors(ctx context.Context, missing []pending) (string, error) {
	name := r.work.vectorsName(r.base.Location)
	var named []dv.Named
	for _, p := range missing {
		named = append(named, dv.Named{DataFile: p.dataFile, Vector: p.vector})
	}
	file, err := dv.Build(name, named, dv.BuildOptions{})
	if err != nil {
		return "", fmt.Errorf("commit: write deletion vectors: %w", err)
	}
	err = r.table.objects.Put(ctx, name, file.Data)
	r.work.wrote(name, int64(len(file.Data)), err)
	if err != nil {
		return "", fmt.Errorf("commit: write deletion vectors: %w", notWritten(err))
	}
	file.Vectors = tamper.Stage(seamVectorPlaces, r, file.Vectors)
	for i, p := range missing {
		r.work.placed[p.dataFile] = append(r.work.placed[p.dataFile], writtenVector{p.vector, file.Vectors[i]})
		p.put(file.Vectors[i])
	}
	r.work.vectors = append(r.work.vectors, name)
	return name, nil
}

// noLegacyDeletes refuses to change or rewrite the rows of a file where position deletes of an older format version may
// apply to it, which are not read yet (rules 10.1, 10.6).
func (r *resolver) noLegacyDeletes(t *target) error {
	if r.legacy == nil {
		r.legacy = new(string)
		for i := range r.base.Tree.Rows {
			if row := &r.base.Tree.Rows[i]; row.Content == tree.DeleteManifest && row.Tracking.Status.Live() {
				*r.legacy = tree.Resolve(r.base.Location, row.Location)
			}
		}
	}
	if *r.legacy == "" {
		return nil
	}
	return &RefusedError{Location: t.location, Err: treeio.ErrLegacy, Reasons: []string{fmt.Sprintf(
		"delete files in %s may apply to it: %v", *r.legacy, treeio.ErrLegacy)}}
}

// changedSince reports whether the deletes of a file may have changed after a snapshot that still is retained.
func (r *resolver) changedSince(ctx context.Context, l tree.Located, asOf int64) (bool, error) {
	then, ok := r.Txn.base.Metadata.Snapshot(asOf)
	if !ok || asOf == r.base.Tree.Origin.SnapshotID {
		return !ok, nil
	}
	if l.Entry.Tracking.FileSequenceNumber.Val > then.SequenceNumber {
		return false, refusef(l.Location, "added after snapshot %d, as of which it is said to be rewritten", asOf)
	}
	modified := l.Entry.Tracking.ModifiedSnapshotID
	if !modified.Valid {
		return false, nil
	}
	if s, retained := r.base.Metadata.Snapshot(modified.Val); retained {
		return s.SequenceNumber > then.SequenceNumber, nil
	}
	past, err := r.pastOf(ctx, then)
	if errors.Is(err, store.ErrNotFound) { // the snapshot has expired too: nothing is proved
		return true, nil
	} else if err != nil {
		return false, err
	}
	old, found := past.taken[l.Location]
	return !found || old.located.Identity() != l.Identity() || old.located.Entry.Tracking.ModifiedSnapshotID != modified, nil
}

// pastOf looks for the inputs of compactions in the snapshot whose deletes were applied to them, all in one search.
func (r *resolver) pastOf(ctx context.Context, s metadata.Snapshot) (*search, error) {
	if past := r.past[s.ID]; past != nil {
		return past, nil
	}
	head, err := r.headAt(ctx, s)
	if err != nil {
		return nil, err
	}
	var targets []*target
	for _, t := range r.Txn.targets {
		if t.asOf == s.ID {
			targets = append(targets, &target{location: t.location, Target: Target{FileSequenceNumber: t.FileSequenceNumber}})
		}
	}
	past := r.lookFor(head, targets)
	if err := past.find(ctx); err != nil {
		return nil, err
	}
	r.past[s.ID] = past
	return past, nil
}

func some[T any](v T) iceberg.Optional[T] { return iceberg.Optional[T]{Val: v, Valid: true} }
