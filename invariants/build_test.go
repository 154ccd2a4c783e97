package invariants_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// The facts of the small table that the examples are made of.
const (
	tableLocation = "s3://b/t"
	parentID      = int64(101)
	childID       = int64(102)
	leafRows      = int64(10) // of each file in a leaf
	looseRows     = int64(5)  // of each loose file
)

func some[T any](v T) iceberg.Optional[T] { return iceberg.Optional[T]{Val: v, Valid: true} }

func none[T any]() iceberg.Optional[T] { return iceberg.Optional[T]{} }

// facts returns the schemas and specs of the table: unpartitioned, by region, and by day.
func facts() invariants.Table {
	schema := iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.Int64Type{}},
		iceberg.NestedField{ID: 2, Name: "region", Type: iceberg.StringType{}},
		iceberg.NestedField{ID: 3, Name: "ts", Type: iceberg.TimestampTzType{}},
		iceberg.NestedField{ID: 4, Name: "price", Type: iceberg.Float64Type{}},
		iceberg.NestedField{ID: 5, Name: "nanos", Type: iceberg.TimestampNsType{}},
		iceberg.NestedField{ID: 6, Name: "place", Type: iceberg.GeographyType{}},
	)
	return invariants.Table{
		Schemas: []*iceberg.Schema{schema},
		Specs: []iceberg.PartitionSpec{
			iceberg.NewPartitionSpecID(0),
			iceberg.NewPartitionSpecID(1, iceberg.PartitionField{
				SourceIDs: []int{2}, FieldID: 1000, Name: "region", Transform: iceberg.IdentityTransform{}}),
			iceberg.NewPartitionSpecID(2, iceberg.PartitionField{
				SourceIDs: []int{3}, FieldID: 1001, Name: "ts_day", Transform: iceberg.DayTransform{}}),
		},
	}
}

// set encodes positions below 256, at most 31 of them, as a Mumbling bitmap.
func set(positions ...byte) []byte {
	n := byte(len(positions))
	return append([]byte{1, n, 0, 0, 1, 0, 0, 0, n}, positions...)
}

// inLeaf is a new file of a leaf: whatever can be inherited is null.
func inLeaf(location string) tree.Entry {
	return tree.Entry{
		Tracking: tree.Tracking{Status: tree.Added}, Content: tree.Data, Location: location,
		FileFormat: "parquet", RecordCount: leafRows, FileSizeBytes: 1000,
	}
}

// loose is a file in a root that snapshot 101 added.
func loose(location string, status tree.Status, firstRowID int64) tree.Entry {
	return tree.Entry{
		Tracking: tree.Tracking{Status: status, SnapshotID: some(parentID), SequenceNumber: some(int64(1)),
			FileSequenceNumber: some(int64(1)), FirstRowID: some(firstRowID)},
		Content: tree.Data, Location: location, FileFormat: "parquet", RecordCount: looseRows, FileSizeBytes: 1000,
	}
}

// new turns a row into one that snapshot 102 added.
func byChild(e tree.Entry, firstRowID int64) tree.Entry {
	e.Tracking = tree.Tracking{Status: tree.Added, SnapshotID: some(childID), SequenceNumber: some(int64(2)),
		FileSequenceNumber: some(int64(2)), FirstRowID: some(firstRowID)}
	return e
}

// restored turns a row into one that snapshot 102 added with the data sequence number and the row ids that it had.
func restored(e tree.Entry, firstRowID int64) tree.Entry {
	e = byChild(e, firstRowID)
	e.Tracking.SequenceNumber = some(int64(1))
	return e
}

// point is the pointer of snapshot 101 to a leaf with these rows.
func point(location string, status tree.Status, firstRowID int64, rows []tree.Entry) tree.Entry {
	e := loose(location, status, firstRowID)
	e.Content, e.RecordCount = tree.DataManifest, int64(len(rows))
	m := tree.ManifestInfo{FormatVersion: 4, MinSequenceNumber: 1}
	for _, r := range rows {
		switch r.Tracking.Status {
		case tree.Added:
			m.AddedFiles, m.AddedRows = m.AddedFiles+1, m.AddedRows+r.RecordCount
		case tree.Existing:
			m.ExistingFiles, m.ExistingRows = m.ExistingFiles+1, m.ExistingRows+r.RecordCount
		case tree.Deleted:
			m.DeletedFiles, m.DeletedRows = m.DeletedFiles+1, m.DeletedRows+r.RecordCount
		case tree.Replaced:
			m.ReplacedFiles, m.ReplacedRows = m.ReplacedFiles+1, m.ReplacedRows+r.RecordCount
		case tree.Modified:
			m.ModifiedFiles, m.ModifiedRows = m.ModifiedFiles+1, m.ModifiedRows+r.RecordCount
		}
	}
	e.Manifest = some(m)
	return e
}

// masked gives a pointer of snapshot 101 the bitmaps of a change in snapshot 102.
func masked(e tree.Entry, dv, deleted, replaced []byte) tree.Entry {
	e.Tracking.Status, e.Tracking.ModifiedSnapshotID = tree.Modified, some(childID)
	e.Tracking.DeletedPositions, e.Tracking.ReplacedPositions = deleted, replaced
	e.Manifest.Val.DV = dv
	return e
}

// withDV gives a data file a deletion vector.
func withDV(e tree.Entry, rows int64) tree.Entry {
	e.DeletionVector = some(tree.DeletionVector{
		Location: fmt.Sprintf("data/dv-%d.puffin", rows), OffsetBytes: 4, SizeBytes: 44, Cardinality: rows})
	return e
}

// oldState turns a live row of the parent into a tombstone of snapshot 102.
func oldState(e tree.Entry, status tree.Status) tree.Entry {
	e.Tracking.Status, e.Tracking.SnapshotID = status, some(childID)
	return e
}

// modified turns a row of the parent into one that snapshot 102 modified.
func modified(e tree.Entry) tree.Entry {
	e.Tracking.Status, e.Tracking.ModifiedSnapshotID = tree.Modified, some(childID)
	return e
}

// settled is a file of leaf L1 as it reads after inheritance.
func settled(location string, position int64) tree.Entry {
	e := loose(location, tree.Existing, position*leafRows)
	e.RecordCount = leafRows
	return e
}

// sample is what one run of the checkers looks at. What is nil is not looked at.
type sample struct {
	table    invariants.Table
	entry    *tree.Entry
	keys     *invariants.Keys
	root     *tree.Tree
	leaf     []tree.Entry
	tree     *tree.Tree
	parent   *tree.Tree
	upgraded bool // the parent is of before v4: not checked itself
	leaves   leaves
	summary  map[string]string // of the snapshot of tree
	promise  *invariants.Promise
	data     *invariants.DataFile // what was read in the file of entry
	metadata *metadata.Table
	line     roots // the trees of the snapshots of metadata
	options  invariants.LeafOptions
}

// leaves are leaf manifests by resolved location.
type leaves map[string][]tree.Entry

// Leaf implements [tree.LeafReader].
func (l leaves) Leaf(_ context.Context, o tree.Origin, ref tree.Entry, _ tree.Projection) iter.Seq2[tree.Row, error] {
	rows, ok := l[ref.Location]
	if !ok {
		rows, ok = l[o.TableLocation+"/"+ref.Location]
	}
	if !ok {
		return func(yield func(tree.Row, error) bool) { yield(tree.Row{}, fmt.Errorf("no leaf %s", ref.Location)) }
	}
	return rowsOf(rows)
}

func rowsOf(rows []tree.Entry) iter.Seq2[tree.Row, error] {
	return func(yield func(tree.Row, error) bool) {
		for i, e := range rows {
			if !yield(tree.Row{Position: int64(i), Entry: e}, nil) {
				return
			}
		}
	}
}

// violations runs all checkers that the sample has input for.
func (s *sample) violations(depth invariants.Depth) []invariants.Violation {
	var all []invariants.Violation
	place := invariants.Place{Object: tableLocation + "/metadata/object"}
	if s.entry != nil {
		all = slices.AppendSeq(all, invariants.CheckEntry(s.table, place, *s.entry))
	}
	if s.keys != nil {
		all = slices.AppendSeq(all, invariants.CheckKeys(s.table, place, *s.keys))
	}
	if s.root != nil {
		all = slices.AppendSeq(all, invariants.CheckRoot(s.table, *s.root))
	}
	if s.leaf != nil {
		all = append(all, collect(invariants.CheckLeaf(s.table, place, rowsOf(s.leaf)))...)
	}
	ctx, read := context.Background(), invariants.NewLeaves(s.table, s.leaves, s.options)
	if s.parent != nil && s.parent.Origin.SnapshotID != 0 && !s.upgraded {
		all = append(all, collect(invariants.CheckTree(ctx, read, *s.parent, depth))...)
	}
	if s.tree != nil {
		all = append(all, collect(invariants.CheckTree(ctx, read, *s.tree, depth))...)
	}
	if s.summary != nil && depth == invariants.AllLeaves {
		all = append(all, collect(invariants.CheckTotals(ctx, read, *s.tree, s.summary))...)
	}
	if s.parent != nil {
		all = append(all, collect(invariants.CheckTransition(ctx, read, *s.parent, *s.tree, depth))...)
	}
	if s.promise != nil && depth == invariants.AllLeaves {
		all = append(all, collect(invariants.CheckCommit(ctx, read, *s.promise, *s.parent, *s.tree, s.summary))...)
	}
	if s.metadata != nil {
		all = slices.AppendSeq(all, invariants.CheckMetadata(tableLocation+"/metadata/v1.metadata.json", *s.metadata))
	}
	if s.data != nil {
		all = slices.AppendSeq(all, invariants.CheckData(s.table, place, *s.entry, *s.data))
	}
	if s.line != nil && depth == invariants.AllLeaves {
		all = append(all, collect(invariants.History(ctx, read, *s.metadata, s.line))...)
	}
	return all
}

func collect(seq iter.Seq2[invariants.Violation, error]) []invariants.Violation {
	var all []invariants.Violation
	for v, err := range seq {
		if err != nil {
			panic(err)
		}
		all = append(all, v)
	}
	return all
}

// ids returns the IDs of violations, each once, sorted.
func ids(all []invariants.Violation) []string {
	found := make(map[string]bool)
	for _, v := range all {
		found[v.ID] = true
	}
	return slices.Sorted(maps.Keys(found))
}
