package oracle

import (
	"context"
	"errors"
	"fmt"

	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
)

// maxMetadataBytes bounds a metadata file.
const maxMetadataBytes = 256 << 20

// checkTable checks the metadata, and the trees of the snapshots that the options ask for.
func checkTable(ctx context.Context, target Target, r *report) error {
	data, err := target.Objects.Get(ctx, target.Metadata, maxMetadataBytes)
	if err != nil {
		return err
	}
	m, err := metadata.Parse(data, metadata.Limits{})
	if err != nil {
		return fmt.Errorf("metadata file %s: %w", target.Metadata, err)
	}
	for v := range invariants.CheckMetadata(target.Metadata, m) {
		if !r.put(fromViolation(v)) {
			return nil
		}
	}
	checkClock(target, m, r)
	location, err := treeio.TableLocation(m, target.TableLocation)
	if err != nil {
		return fmt.Errorf("metadata file %s: %w", target.Metadata, err)
	}
	s := newSource(target.Objects, m, location, r)
	if err := checkTrees(ctx, m, s); err != nil || r.done {
		return err
	}
	if r.options.Storage {
		if err := checkStorage(ctx, target, s); err != nil || r.done {
			return err
		}
	}
	if r.options.Data {
		return checkData(ctx, s)
	}
	return nil
}

// checkTrees checks the tree of the current snapshot, or those of all.
func checkTrees(ctx context.Context, m metadata.Table, s *source) (err error) {
	o := s.report.options
	spill := newSpillFile(o)
	defer func() { err = errors.Join(err, spill.close()) }()
	leaves := invariants.NewLeaves(s.table, s, invariants.LeafOptions{
		Unreadable: s.passOver, Spill: spill, FilesInMemory: o.FilesInMemory,
	})
	check := checkCurrent
	if o.History {
		check = checkHistory
	}
	return check(ctx, m, s, leaves)
}

// checkCurrent checks the tree of the current snapshot, if there is one.
func checkCurrent(ctx context.Context, m metadata.Table, s *source, leaves *invariants.Leaves) error {
	current, ok := m.Current()
	if !ok || s.skips(current) {
		return nil
	}
	t, err := s.Root(ctx, current)
	if s.passOver(current.RootManifest.Val, err) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.report.all(invariants.CheckSnapshot(ctx, leaves, t, current.Summary, invariants.AllLeaves))
}

// checkHistory checks every retained snapshot and every step.
func checkHistory(ctx context.Context, m metadata.Table, s *source, leaves *invariants.Leaves) error {
	for _, snapshot := range m.Snapshots {
		s.skips(snapshot)
	}
	return s.report.all(invariants.History(ctx, leaves, m, s))
}
