package cli

import (
	"context"

	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/tree"
)

// referenced returns which of the files stand in a retained snapshot, in whatever state. It reads every root, and
// every leaf once that may have one of them, locations only.
func (x *transaction) referenced(ctx context.Context, files []inspected) (map[string]bool, error) {
	wanted := make(map[string]bool)
	for _, f := range files {
		wanted[f.location] = true
	}
	used := make(map[string]bool)
	see := func(location string) {
		if name := tree.Resolve(x.base.Location, location); wanted[name] {
			used[name] = true
		}
	}
	stored := x.storedForms(wanted)
	codec := treeio.Parquet{}
	leaves := codec.Leaves(x.objects)
	opened := make(map[string]bool)
	for _, snapshot := range x.base.Metadata.Snapshots {
		t, err := treeio.Tree(ctx, codec, x.objects, x.base.Metadata, x.base.Location, snapshot)
		if err != nil {
			return nil, err
		}
		for _, row := range t.Rows {
			if !row.Content.IsManifest() {
				see(row.Location)
				continue
			}
			name := tree.Resolve(x.base.Location, row.Location)
			if opened[name] || !row.Tracking.Status.Live() {
				continue
			}
			opened[name] = true
			excluded, err := leaves.Excludes(ctx, t.Origin, row, stored)
			if err != nil {
				return nil, err
			}
			if excluded {
				continue
			}
			for entry, err := range leaves.Leaf(ctx, t.Origin, row, tree.Projection{}) {
				if err != nil {
					return nil, err
				}
				see(entry.Entry.Location)
			}
		}
	}
	return used, nil
}
