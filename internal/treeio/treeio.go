// Package treeio opens the roots and leaves of a snapshot over an object store, and writes new ones. What the
// bytes are is the business of a [Codec], so that a simulator can replace Parquet.
package treeio

import (
	"context"
	"errors"
	"fmt"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// ErrLegacy says that something needs a v1 to v3 manifest or manifest list, which is not read yet.
var ErrLegacy = errors.New("v1 to v3 manifests and manifest lists are not read yet")

// Root is a root manifest as it was read.
type Root struct {
	// Rows are all rows in file order.
	Rows []tree.Entry
	// SchemaID is the key schema-id.
	SchemaID int
	// HasSnapshotTimestamps says that the file has the column of rules 16.1.
	HasSnapshotTimestamps bool
	// SizeBytes is the length of the file.
	SizeBytes int64
}

// Codec turns roots and leaves into objects and back. Names are full locations.
type Codec interface {
	// PutRoot writes a root manifest under a new name and returns its length.
	PutRoot(ctx context.Context, objects store.Objects, name string, s manifestio.Schema, rows []tree.Entry) (int64, error)
	// Root reads a whole root manifest.
	Root(ctx context.Context, objects store.Objects, name string) (Root, error)
	// PutLeaf writes a leaf manifest under a new name and returns its length.
	PutLeaf(ctx context.Context, objects store.Objects, name string, s manifestio.Schema, rows []tree.Entry) (int64, error)
	// Leaves returns a reader of leaves, for one goroutine.
	Leaves(objects store.Objects) LeafReader
}

// LeafReader reads leaves and can rule out without reading rows that a leaf has certain files.
type LeafReader interface {
	tree.LeafReader
	// Excludes reports that none of these locations, as stored, can stand in the leaf that ref points to. False
	// says nothing.
	Excludes(ctx context.Context, origin tree.Origin, ref tree.Entry, stored []string) (bool, error)
}

// TableLocation returns the location that relative paths of the table begin from: the metadata's own, else the
// one that the catalog supplies (rules 12.7).
func TableLocation(m metadata.Table, supplied string) (string, error) {
	if m.Location.Valid {
		return m.Location.Val, nil
	}
	if supplied == "" {
		return "", fmt.Errorf("table %s has no location in its metadata, and the catalog supplies none", m.UUID)
	}
	return supplied, nil
}

// Tree reads the root manifest of one snapshot.
func Tree(ctx context.Context, c Codec, objects store.Objects, m metadata.Table, location string, s metadata.Snapshot) (tree.Tree, error) {
	if !s.RootManifest.Valid {
		return tree.Tree{}, fmt.Errorf("snapshot %d has no root manifest: %w", s.ID, ErrLegacy)
	}
	name := tree.Resolve(location, s.RootManifest.Val)
	root, err := c.Root(ctx, objects, name)
	if err != nil {
		return tree.Tree{}, fmt.Errorf("snapshot %d: %w", s.ID, err)
	}
	return tree.Tree{
		Origin:                tree.Origin{TableUUID: m.UUID, TableLocation: location, SnapshotID: s.ID},
		Root:                  name,
		RootSizeBytes:         root.SizeBytes,
		SchemaID:              root.SchemaID,
		ParentSnapshotID:      s.ParentID,
		SequenceNumber:        s.SequenceNumber,
		TimestampMillis:       s.TimestampMillis,
		FirstRowID:            s.FirstRowID.Val,
		AddedRows:             s.AddedRows.Val,
		HasSnapshotTimestamps: root.HasSnapshotTimestamps,
		Rows:                  root.Rows,
	}, nil
}
