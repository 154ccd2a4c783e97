package sim

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// Finish lets all programs go on to their end and all calls land, and makes the checks of the end: the whole history, what
// nobody references, a clean-up, the properties of squashed and of idle commits, and a table that is replaced.
func (w *World) Finish(ctx context.Context) error {
	if err := w.drain(ctx); err != nil {
		return err
	}
	for _, check := range []func(context.Context) error{
		w.checkHistory, w.checkReached, w.checkObjects, w.checkMishaps, w.checkSquashed, w.checkIdleCommit, w.checkCleanUp,
	} {
		if len(w.violations) > 0 {
			return nil
		}
		if err := check(ctx); err != nil {
			return err
		}
	}
	return nil
}

// drain lets all programs go on to their end, and all calls land.
func (w *World) drain(ctx context.Context) error {
	for _, x := range w.writers {
		for x.run != nil {
			if err := w.Do(ctx, Action{Kind: Step, Writer: x.number}); err != nil {
				return err
			}
		}
	}
	w.transit.Release()
	return w.settle(ctx)
}

// checkHistory checks every retained snapshot with all its leaves, and compares the heads of all branches with their models:
// what lies before them was compared step by step.
func (w *World) checkHistory(ctx context.Context) error {
	if err := w.report(invariants.History(ctx, w.invariantLeaves(), w.metadata, roots{w})); err != nil {
		return err
	}
	seen := make(map[int64]bool)
	for ref := range w.metadata.AllRefs() {
		if seen[ref.SnapshotID] {
			continue
		}
		seen[ref.SnapshotID] = true
		t, known := w.trees[ref.SnapshotID]
		if !known {
			return fmt.Errorf("the head of %s, snapshot %d, was never looked at", ref.Name, ref.SnapshotID)
		}
		if err := w.compareAll(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// roots reads roots for the check of a history.
type roots struct{ world *World }

// Root implements [invariants.RootReader].
func (r roots) Root(ctx context.Context, s metadata.Snapshot) (tree.Tree, error) {
	w := r.world
	return treeio.Tree(ctx, w.codec, &w.objects, w.metadata, tableLocation, s)
}

// open opens the table as nobody's faults disturb it.
func (w *World) open() *commit.Table {
	return commit.Open(tableID, &w.catalog, &w.objects, commit.Options{Env: w.env(), Codec: w.codec})
}

// checkObjects holds the objects in the store against what the table reaches: nothing is gone, and what is left over was
// written by a program that a fault disturbed.
func (w *World) checkObjects(ctx context.Context) error {
	left, err := w.unreached(ctx)
	if err != nil {
		return err
	}
	for _, name := range left {
		if !w.explained(name) {
			w.violate(Violation{Check: checkOrphans, Message: name + " is not referenced, and no fault explains it"})
		}
	}
	return nil
}

// unreached returns the objects that the table does not reach, and reports those that it reaches and that are gone.
func (w *World) unreached(ctx context.Context) ([]string, error) {
	t := w.open()
	head, err := t.Head(ctx)
	if err != nil {
		return nil, err
	}
	reached := make(map[string]bool)
	for o, err := range maintain.Reachable(ctx, t, head) {
		if err != nil {
			return nil, err
		}
		reached[o.Location] = true
	}
	var left []string
	there := make(map[string]bool)
	for _, name := range w.objects.Names() {
		there[name] = true
		if !reached[name] {
			left = append(left, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(reached)) {
		if !there[name] && (w.config.DataFiles || !strings.HasPrefix(name, dataFolder)) {
			w.violate(Violation{Check: checkReachable, Message: name + " is referenced and is gone"})
		}
	}
	return left, nil
}

// checkCleanUp deletes what nothing references: then nothing else is left.
func (w *World) checkCleanUp(ctx context.Context) error {
	_, err := maintain.Orphans(ctx, w.open(), maintain.OrphanOptions{
		Delete: true, AgeMillis: iceberg.Optional[int64]{Valid: true}, Force: true,
	})
	if err != nil {
		return err
	}
	left, err := w.unreached(ctx)
	for _, name := range left {
		w.violate(Violation{Check: checkOrphans, Message: name + " is not referenced, and a clean-up left it"})
	}
	return err
}

// checkIdleCommit makes a commit without changes.
func (w *World) checkIdleCommit(ctx context.Context) error {
	head, s, err := w.commitAsWorld(ctx, metadata.MainBranch, func(*commit.Txn) bool { return true })
	if err != nil {
		return err
	}
	return w.sameLive(ctx, checkIdle, head.Tree.Origin.SnapshotID, s)
}

// commitAsWorld commits a transaction that the world itself makes, unless change says that it is not to be, and returns the
// state before it and the id of the snapshot.
func (w *World) commitAsWorld(ctx context.Context, branch string, change func(*commit.Txn) bool) (*commit.Head, int64, error) {
	t := w.open()
	x, err := t.Begin(ctx, commit.TxnOptions{Branch: branch, CheckDuplicates: true})
	if err != nil {
		return nil, 0, err
	}
	if !change(x) {
		return x.Base(), 0, nil
	}
	r, err := x.Commit(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("an undisturbed commit failed: %w", err)
	}
	w.catalog.landed = nil // the world looks for itself
	w.metadata, err = w.read(ctx, r.MetadataLocation)
	return x.Base(), r.SnapshotID, err
}

// sameLive reports where two snapshots differ in what a reader sees: files, their rows and their deletes.
func (w *World) sameLive(ctx context.Context, check string, want, got int64) error {
	var seen [2]map[int64]file
	for i, id := range []int64{want, got} {
		if id == 0 { // before the first snapshot
			continue
		}
		s, ok := w.metadata.Snapshot(id)
		if !ok {
			return fmt.Errorf("snapshot %d is gone", id)
		}
		t, err := treeio.Tree(ctx, w.codec, &w.objects, w.metadata, tableLocation, s)
		if err != nil {
			return err
		}
		d, err := w.diff(ctx, tree.Tree{Origin: t.Origin}, t)
		if err != nil {
			return err
		}
		seen[i] = d.come
	}
	for _, n := range slices.Sorted(maps.Keys(seen[0])) {
		a, b := seen[0][n], seen[1][n]
		if _, live := seen[1][n]; !live || a.records != b.records || !a.deleted.Equal(b.deleted) {
			w.violate(Violation{Check: check, Snapshot: got, Message: fmt.Sprintf("file %d: want %s, got %s", n, a, b)})
		}
	}
	if len(seen[0]) != len(seen[1]) {
		w.violate(Violation{Check: check, Snapshot: got, Message: fmt.Sprintf("%d files, want %d", len(seen[1]), len(seen[0]))})
	}
	return nil
}

// checkSquashed makes all that changed on main since its oldest retained snapshot as one transaction on a branch that
// begins there: the live files must be the same.
func (w *World) checkSquashed(ctx context.Context) error {
	current, ok := w.metadata.Current()
	if !ok {
		return nil
	}
	oldest := ancestor(w.metadata, current.ID, int64(len(w.metadata.Snapshots)))
	if oldest == current.ID {
		return nil
	}
	from, to := w.trees[oldest], w.trees[current.ID]
	d, err := w.diff(ctx, from, to)
	if err != nil {
		return err
	}
	const branch = "squash"
	if _, err := w.open().Update(ctx, func(m metadata.Table) (metadata.Table, error) {
		return m.CreateRef(metadata.Ref{Name: branch, Type: metadata.Branch, SnapshotID: oldest})
	}); err != nil {
		return err
	}
	possible := true
	_, s, err := w.commitAsWorld(ctx, branch, func(x *commit.Txn) bool {
		possible = squash(x, d.changes())
		return possible
	})
	if err != nil || !possible {
		return err
	}
	return w.sameLive(ctx, checkSquash, current.ID, s)
}

// squash makes changes as steps of one transaction. A file that went and came back with the same rows and deletes is one that
// stayed. It reports false for what one transaction cannot do: to give a file back rows that were deleted, or to add one
// without any.
func squash(x *commit.Txn, changes []change) bool {
	for _, c := range changes {
		target := commit.Target{Location: locationOf(c.number)}
		was, now := c.before, c.after
		switch {
		case now == nil:
			x.Remove(target)
			continue
		case was == nil && now.deleted.Cardinality() == now.records:
			return false
		case was == nil:
			x.Append(tree.File{
				Location: target.Location, Format: "parquet", RecordCount: now.records, FileSizeBytes: now.size,
			})
			was = &file{records: now.records}
		case was.records != now.records || !now.deleted.ContainsAll(was.deleted):
			return false
		}
		if !was.deleted.Equal(now.deleted) {
			x.ExtendDV(target, now.deleted, commit.DVOptions{KeepEmptied: true})
		}
	}
	return true
}
