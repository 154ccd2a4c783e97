package interop_test

import (
	"context"
	"slices"
	"testing"

	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// table is a table in a local folder, opened for reading.
type table struct {
	objects  store.Objects
	location string
	meta     metadata.Table
}

// openTable opens the newest metadata file of the table in a folder; maps says where other locations lie.
func openTable(t *testing.T, folder string, maps ...string) table {
	t.Helper()
	access, err := target.NewAccess(target.Options{Maps: maps})
	if err != nil {
		t.Fatal(err)
	}
	named, err := access.Table(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	_, m, err := named.Metadata(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	location, err := treeio.TableLocation(m, named.Location)
	if err != nil {
		t.Fatal(err)
	}
	return table{objects: access.Objects, location: location, meta: m}
}

// Root implements [invariants.RootReader].
func (x table) Root(ctx context.Context, s metadata.Snapshot) (tree.Tree, error) {
	return treeio.Tree(ctx, treeio.Parquet{}, x.objects, x.meta, x.location, s)
}

// files returns the lines of the live files of a snapshot, sorted by bytes.
func (x table) files(t *testing.T, s metadata.Snapshot) []string {
	t.Helper()
	root, err := x.Root(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	union, err := x.meta.UnionPartitionFields()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for l, err := range tree.Live(t.Context(), root, tree.Full, treeio.Parquet{}.Leaves(x.objects)) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fileLine(l, union))
	}
	slices.Sort(lines)
	return lines
}

// findings holds the metadata and the whole history to all invariants and returns what was found.
func (x table) findings(t *testing.T) []invariants.Violation {
	t.Helper()
	found := slices.Collect(invariants.CheckMetadata(x.location, x.meta))
	leaves := invariants.NewLeaves(invariants.TableOf(x.meta), treeio.Parquet{}.Leaves(x.objects), invariants.LeafOptions{})
	for v, err := range invariants.History(t.Context(), leaves, x.meta, x) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, v)
	}
	return found
}
