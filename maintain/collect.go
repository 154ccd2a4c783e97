package maintain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// collect makes candidates of what the snapshots reach that a step lets go, less what those reach that it keeps.
func (x *expiry) collect(ctx context.Context, s step) (*sweep, error) {
	x.report.Warnings = nil
	w := newSweep(x.table, s.before, x.options.Naming)
	for _, prefix := range slices.Concat(x.options.Prefixes, []string{strings.TrimSuffix(s.before.Location, "/") + "/"}) {
		w.inside = append(w.inside, x.options.Naming.spell(prefix))
	}
	gone := newReach(x.table)
	removed := make(map[int64]bool)
	for _, id := range s.snapshots() {
		removed[id] = true
	}
	if len(removed) == 0 && !x.options.Resume {
		return w, nil
	}
	for _, snapshot := range s.before.Metadata.Snapshots {
		if !removed[snapshot.ID] {
			continue
		}
		if err := x.orMissing(gone.add(ctx, s.before, snapshot)); err != nil {
			return nil, err
		}
	}
	states := []*commit.Head{s.before}
	if x.options.Resume {
		older, err := addEarlier(ctx, gone, s)
		if err != nil {
			return nil, err
		}
		states = append(states, older...)
	}
	if err := w.kept.addAll(ctx, s.after); err != nil {
		return nil, err
	}
	if err := x.addLeaves(ctx, w, gone); err != nil {
		return nil, err
	}
	if err := w.addStatistics(states, s.after); err != nil {
		return nil, err
	}
	for _, o := range gone.takeFresh() {
		w.add(o)
	}
	if x.options.Resume {
		if err := w.dropDeleted(ctx); err != nil {
			return nil, err
		}
	}
	if err := w.mark(ctx); err != nil {
		return nil, err
	}
	return w, w.doubt()
}

// addLeaves makes candidates of what the rows of leaves name, where a leaf that stays does not show all of it.
func (x *expiry) addLeaves(ctx context.Context, w *sweep, gone *reach) error {
	for _, use := range gone.leaves {
		name := tree.Resolve(use.origin.TableLocation, use.ref.Location)
		if kept := w.kept.byName[name]; kept != nil && kept.covers(use) {
			continue
		}
		if err := x.orMissing(gone.readLeaf(ctx, w.leaves, use, w.add)); err != nil {
			return err
		}
	}
	return nil
}

// orMissing passes an error on, but for that of an object of an expired snapshot that is not there: the snapshot must
// be able to go all the same. A run with Resume expects such.
func (x *expiry) orMissing(err error) error {
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if !x.options.Resume {
		x.report.Warnings = append(x.report.Warnings, err.Error())
	}
	return nil
}

// addStatistics makes candidates of the statistics files that states before list and the state after does not.
func (s *sweep) addStatistics(before []*commit.Head, after *commit.Head) error {
	kept, err := statisticsFiles(after.Metadata, after.Location)
	if err != nil {
		return err
	}
	for _, head := range before {
		files, err := statisticsFiles(head.Metadata, head.Location)
		if err != nil {
			return err
		}
		for _, o := range files {
			s.add(o)
		}
	}
	for _, o := range kept {
		s.reach(o.Location)
	}
	return nil
}

// addEarlier adds the snapshots that older metadata files list, that are retained no more, and whose roots are there.
// It returns the states of these files.
func addEarlier(ctx context.Context, gone *reach, s step) ([]*commit.Head, error) {
	retained := s.after.Metadata.SnapshotsByID()
	var states []*commit.Head
	for _, entry := range s.before.Metadata.MetadataLog {
		name := tree.Resolve(s.before.Location, entry.File)
		m, err := gone.table.Metadata(ctx, name)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("maintain: %w", err)
		}
		if m.UUID != s.before.Metadata.UUID {
			continue
		}
		state := earlier(s.before, name, m)
		if state.Location != s.before.Location {
			continue // what is kept is named in the new place: the old one is for whoever moved the table
		}
		if err := addLost(ctx, gone, state, retained); err != nil {
			return nil, err
		}
		states = append(states, state)
	}
	return states, nil
}

// earlier returns an older state of a table, which may have had another location.
func earlier(head *commit.Head, name string, m metadata.Table) *commit.Head {
	e := withMetadata(head, name, m)
	if m.Location.Valid {
		e.Location = m.Location.Val
	}
	return e
}

// addLost adds the snapshots of a state that are not retained. One with a manifest list was another engine's to expire.
func addLost(ctx context.Context, gone *reach, head *commit.Head, retained map[int64]metadata.Snapshot) error {
	for _, snapshot := range head.Metadata.Snapshots {
		if _, ok := retained[snapshot.ID]; ok || !snapshot.RootManifest.Valid {
			continue
		}
		if err := gone.add(ctx, head, snapshot); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return nil
}

// dropDeleted drops the candidates that are not there any more, and learns the length of the others.
func (s *sweep) dropDeleted(ctx context.Context) error {
	for _, c := range s.unreached() {
		info, err := s.table.Objects().Stat(ctx, c.Location)
		switch {
		case errors.Is(err, store.ErrNotFound):
			s.drop(c)
		case err != nil:
			return fmt.Errorf("maintain: %w", err)
		default:
			c.SizeBytes = info.SizeBytes
		}
	}
	return nil
}
