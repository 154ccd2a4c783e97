package large_test

import (
	"bytes"
	"fmt"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/leaf"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/rootmanifest"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/dir"
	"github.com/firn-io/firn/tree"
)

const (
	// The first snapshot has half of its files in large leaves and half in small ones.
	largeLeaves, smallLeaves = 8, 50
	rowsOfFile               = 1000
	// every is how far apart the files are that are removed; no other change is of a file of their remainder.
	every = 40
	// roundTo is what the number of files is a multiple of: of twice the leaves of either size, and of 20 times every.
	roundTo = 800
)

// tableID is the name of every table of this package.
var tableID = store.TableID{Namespace: "db", Name: "t"}

// table is a large table in a folder, partitioned by region, with statistics of three columns.
type table struct {
	*commit.Table
	t       *testing.T
	folder  string
	catalog *dir.Catalog
	// entries is how many files the first snapshot has, and added how many came later.
	entries, added int
}

func (x *table) location() string { return "file://" + x.folder + "/t" }

func (x *table) must(err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
}

// makeTable makes a table of about so many files, and six snapshots more, each with an added file: removals, few and many, of
// files in all leaves, deleted rows, a fold and a merge; the last one adds a file that is live already.
func makeTable(t *testing.T, folder string, entries int) *table {
	entries -= entries % roundTo
	if entries > usualEntries { // a table of the full size is made beside others' work
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(8 << 30))
	}
	x := &table{t: t, folder: folder, entries: entries}
	x.create()
	x.first()
	x.remove(entries/10_000, 3)
	x.remove(entries/every, 5)
	x.commit(simple.Never{}, func(txn *commit.Txn) {
		rows, err := dv.Of(1, 5, 7)
		x.must(err)
		for i := range 20 {
			txn.ExtendDV(commit.Target{Location: x.file(i*(entries/20) + 1).Location}, rows, commit.DVOptions{})
		}
	})
	x.commit(rewrite{policy.Fold, largeLeaves + 1, 1}, func(*commit.Txn) {})
	x.commit(rewrite{policy.Merge, largeLeaves + 3, 2}, func(*commit.Txn) {})
	x.commit(simple.Never{}, func(txn *commit.Txn) { txn.Append(x.file(2)) })
	return x
}

func (x *table) create() {
	var err error
	x.catalog, err = dir.OpenCatalog("dir:" + x.folder + "/catalog")
	x.must(err)
	types := iceberg.PrimitiveTypes
	m, err := metadata.New(metadata.NewTable{
		UUID: uuid.MustParse("11111111-2222-3333-4444-555555555555"), Location: x.location(),
		Schema: iceberg.NewSchema(0,
			iceberg.NestedField{ID: 1, Name: "id", Type: types.Int64, Required: true},
			iceberg.NestedField{ID: 2, Name: "region", Type: types.String},
			iceberg.NestedField{ID: 3, Name: "at", Type: types.TimestampTz}),
		Spec: iceberg.NewPartitionSpec(iceberg.PartitionField{
			SourceIDs: []int{2}, FieldID: 1000, Name: "region", Transform: iceberg.IdentityTransform{}}),
		TimestampMillis: 1_699_999_999_999,
	})
	x.must(err)
	x.Table, err = commit.Create(x.t.Context(), tableID, x.catalog, dir.New(), m, commit.Options{Env: testtable.Env(1)})
	x.must(err)
}

// file is file number n, named as engines name theirs.
func (x *table) file(n int) tree.File {
	some := func(v int64) iceberg.Optional[int64] { return iceberg.Optional[int64]{Val: v, Valid: true} }
	region := fmt.Sprintf("region-%02d", n%16)
	name := uuid.NewSHA1(uuid.Nil, strconv.AppendInt(nil, int64(n), 10))
	stats := func(id int, lower, upper tree.Value) tree.FieldStats {
		return tree.FieldStats{FieldID: id, Lower: lower, Upper: upper, Tight: iceberg.Optional[bool]{Val: true, Valid: true},
			ValueCount: some(rowsOfFile), NullCount: some(int64(n % 3))}
	}
	id, at := int64(n)*rowsOfFile, 1_700_000_000_000_000+int64(n)*7919
	return tree.File{
		Location: fmt.Sprintf("%s/data/region=%s/%05d-%d-%s.parquet", x.location(), region, n%200, n, name),
		Format:   "parquet", RecordCount: rowsOfFile, FileSizeBytes: 1_000_000 + int64(name[0])*997,
		SpecID:    iceberg.Optional[int32]{Val: 0, Valid: true},
		Partition: tree.Tuple{{FieldID: 1000, Value: tree.String(region)}},
		Stats: tree.Stats{stats(1, tree.Long(id), tree.Long(id+rowsOfFile-1)), stats(2, tree.String(region), tree.String(region)),
			stats(3, tree.Timestamp(at), tree.Timestamp(at+3_600_000_000))},
	}
}

// first writes the first snapshot leaf by leaf: a commit would hold all its files in memory.
func (x *table) first() {
	ctx, objects := x.t.Context(), dir.New()
	head, err := x.Head(ctx)
	x.must(err)
	m := head.Metadata
	partition, err := m.UnionPartitionFields()
	x.must(err)
	schema, err := manifestio.NewSchema(m.Schema(), partition, nil)
	x.must(err)
	builder := rootmanifest.NewBuilder(tree.Tree{}, rootmanifest.Snapshot{ID: 1, SequenceNumber: 1})
	from := 0
	for i := range largeLeaves + smallLeaves {
		n := x.entries / 2 / largeLeaves
		if i >= largeLeaves {
			n = x.entries / 2 / smallLeaves
		}
		builder.Point(x.leaf(schema, fmt.Sprintf("metadata/leaf-%d.parquet", i), from, n))
		from += n
	}
	root, err := builder.Build()
	x.must(err)
	_, err = treeio.Parquet{}.PutRoot(ctx, objects, x.location()+"/metadata/root-1.parquet", schema, root.Rows)
	x.must(err)
	now := int64(1_700_000_000_000)
	m, err = m.WithSnapshot(metadata.Snapshot{
		ID: 1, SequenceNumber: 1, TimestampMillis: now, RootManifest: some("metadata/root-1.parquet"),
		Summary:  map[string]string{"operation": "append", "total-data-files": strconv.Itoa(from)},
		SchemaID: some(0), FirstRowID: some(int64(0)), AddedRows: some(root.AddedRows),
	}, metadata.MainBranch, tree.Relativize(x.location(), head.MetadataLocation))
	x.must(err)
	data, err := m.Marshal()
	x.must(err)
	name := x.location() + "/metadata/" + metadata.FileName(1, uuid.NewSHA1(uuid.Nil, []byte("first")))
	x.must(objects.Put(ctx, name, data))
	x.must(x.catalog.Swap(ctx, tableID, head.MetadataLocation, name))
}

func some[T any](v T) iceberg.Optional[T] { return iceberg.Optional[T]{Val: v, Valid: true} }

// leaf writes a leaf of n files and returns its pointer.
func (x *table) leaf(schema manifestio.Schema, name string, from, n int) tree.Entry {
	rows := make([]tree.Entry, n)
	for i := range rows {
		rows[i] = x.file(from+i).Entry(x.location(), 1)
	}
	var out bytes.Buffer
	_, err := leaf.Write(&out, schema, rows)
	x.must(err)
	x.must(dir.New().Put(x.t.Context(), x.location()+"/"+name, out.Bytes()))
	pointer, err := leaf.Pointer(name, int64(out.Len()), rows, 1)
	x.must(err)
	return pointer
}

// remove removes so many files, far apart from each other, of one remainder.
func (x *table) remove(files, remainder int) {
	files = max(1, files)
	step := x.entries / files / every * every
	x.commit(simple.Never{}, func(txn *commit.Txn) {
		for i := range files {
			txn.Remove(commit.Target{Location: x.file(i*step + remainder).Location})
		}
	})
}

// commit commits a change, and one more file with it.
func (x *table) commit(p policy.Policy, change func(*commit.Txn)) {
	x.t.Helper()
	txn, err := x.Begin(x.t.Context(), commit.TxnOptions{Policy: p})
	x.must(err)
	change(txn)
	txn.Append(x.file(x.entries + x.added))
	x.added++
	_, err = txn.Commit(x.t.Context())
	x.must(err)
}

// rewrite folds a leaf or merges several, from a pointer on.
type rewrite struct {
	kind         policy.StepKind
	first, count int
}

// Name implements [policy.Policy].
func (rewrite) Name() string { return "rewrite" }

// Plan implements [policy.Policy].
func (r rewrite) Plan(in policy.Input) (policy.Plan, error) {
	plan, _ := policy.Keep(in)
	step := policy.Step{Kind: r.kind, Written: -1}
	for i := range r.count {
		step.Members = append(step.Members, policy.Ref{Source: policy.FromPointers, Index: r.first + i})
	}
	plan.Steps = append(plan.Steps, step)
	return plan, nil
}
