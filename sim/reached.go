package sim

import (
	"context"
	"maps"
	"slices"

	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/tree"
)

// reached returns the objects that the retained snapshots need, data files only where there are any, as the simulator itself
// reads their trees: what package maintain takes for reachable is what is on trial.
func (w *World) reached(ctx context.Context) (map[string]bool, error) {
	names := make(map[string]bool)
	for _, s := range w.metadata.Snapshots {
		t, known := w.trees[s.ID]
		if !known {
			var err error
			if t, err = treeio.Tree(ctx, w.codec, &w.objects, w.metadata, tableLocation, s); err != nil {
				return nil, err
			}
		}
		names[tree.Resolve(tableLocation, t.Root)] = true
		for i := range t.Rows {
			if err := w.reachedBy(ctx, t, &t.Rows[i], names); err != nil {
				return nil, err
			}
		}
	}
	return names, nil
}

// reachedBy adds what a live row of a root needs.
func (w *World) reachedBy(ctx context.Context, t tree.Tree, e *tree.Entry, names map[string]bool) error {
	if !alive(e.Tracking.Status) {
		return nil
	}
	if !e.Content.IsManifest() {
		if w.config.DataFiles {
			names[tree.Resolve(tableLocation, e.Location)] = true
		}
		if e.DeletionVector.Valid {
			names[tree.Resolve(tableLocation, e.DeletionVector.Val.Location)] = true
		}
		return nil
	}
	names[tree.Resolve(tableLocation, e.Location)] = true
	view, err := w.view(ctx, t, e)
	if err != nil {
		return err
	}
	if !w.config.DataFiles && !view.vectors {
		return nil
	}
	masked, err := masks(e)
	if err != nil {
		return err
	}
	for i, r := range view.rows {
		if !r.live || masked.Contains(uint32(i)) {
			continue
		}
		if w.config.DataFiles {
			names[locationOf(r.number)] = true
		}
		if r.vector != "" {
			names[r.vector] = true
		}
	}
	return nil
}

// checkReached reports what the retained snapshots need and the store does not have.
func (w *World) checkReached(ctx context.Context) error {
	names, err := w.reached(ctx)
	if err != nil {
		w.violate(Violation{Check: checkReachable, Message: err.Error()})
		return nil
	}
	there := make(map[string]bool)
	for _, name := range w.objects.Names() {
		there[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !there[name] {
			w.violate(Violation{Check: checkReachable, Message: name + " is needed by a snapshot and is gone"})
		}
	}
	return nil
}
