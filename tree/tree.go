package tree

import (
	"context"
	"iter"

	"github.com/apache/iceberg-go"
)

// Origin says where an entry was read: it is what makes a [Located] usable as a hint later.
type Origin struct {
	TableUUID     string
	TableLocation string
	SnapshotID    int64
}

// Tree is one snapshot's root manifest in memory, with the facts of its snapshot that the rules need.
// Its rows are raw, as stored; the zero Tree is the empty tree that the first snapshot of a table changes.
type Tree struct {
	Origin Origin
	// Root is the resolved location of the root manifest; empty for the empty tree.
	Root string
	// RootSizeBytes is the length of the root manifest; 0 if it is not known.
	RootSizeBytes int64
	// SchemaID is the root's key schema-id (rules 4.5).
	SchemaID         int
	ParentSnapshotID iceberg.Optional[int64]
	SequenceNumber   int64
	TimestampMillis  int64
	// FirstRowID and AddedRows are the snapshot's fields of rules 8.1.
	FirstRowID, AddedRows int64
	// HasSnapshotTimestamps says that the root has the column of rules 16.1, so that a null in it stands for
	// TimestampMillis.
	HasSnapshotTimestamps bool
	// Rows are all rows of the root, in file order. Shared: do not change them.
	Rows []Entry
}

// Row is one raw row of a manifest with its ordinal in the file, which is its position in the manifest
// deletion vector (rules 4.9).
type Row struct {
	Position int64
	Entry    Entry
}

// Located is an entry after inheritance together with where it stands.
type Located struct {
	// Entry has its inherited values filled in; its locations are as stored.
	Entry Entry
	// Location is the resolved location of the file (rules 12.2).
	Location string
	Origin   Origin
	// Manifest is the resolved location of the leaf, or empty when the entry stands in the root.
	Manifest string
	// Position is the row ordinal in the file that holds the entry.
	Position int64
	// Projection says what was read; fields outside it are unknown rather than null.
	Projection Projection
}

// Projection says which columns a reader materialises. Status, content type, ids, sequence numbers, row id,
// record count and location are always read. The zero Projection reads no more than that.
type Projection struct {
	// File asks for the rest of the entry, statistics apart: format, size, spec, partition, sort order,
	// deletion vector, key metadata, split offsets, manifest info and foreign columns.
	File bool
	// Stats asks for statistics: of all columns if AllStats, else of the listed column ids.
	AllStats bool
	Stats    []int
}

// Full is the projection that reads everything; only what was read in full may be written again.
var Full = Projection{File: true, AllStats: true}

// LeafReader reads the leaves of a tree. Leaf yields all raw rows of the manifest that ref points to, in
// file order, dead and masked ones too, at least with the columns of p. An error ends the sequence.
type LeafReader interface {
	Leaf(ctx context.Context, origin Origin, ref Entry, p Projection) iter.Seq2[Row, error]
}
