// Package testtable makes small tables in memory for tests: with a deterministic environment, so that two runs
// with one seed make the same store calls, and with data files that exist only as entries.
package testtable

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

// Location is the location of every table of this package.
const Location = "mem://wh/t"

// ID is its name in the catalog.
var ID = store.TableID{Namespace: "db", Name: "t"}

// Env returns a deterministic environment. Two environments with one seed give the same answers; with different
// seeds their ids and names differ.
func Env(seed int64) commit.Env {
	now, snapshots, names := 1_700_000_000_000+seed*1000, seed*1000, seed*1000
	return commit.Env{
		NowMillis:     func() int64 { now += 10; return now },
		NewSnapshotID: func() int64 { snapshots++; return snapshots },
		NewUUID:       func() uuid.UUID { names++; return uuid.NewSHA1(uuid.Nil, fmt.Append(nil, names)) },
		Float64:       func() float64 { return 0 },
		Sleep:         func(context.Context, int64) error { return nil },
		Detach: func(ctx context.Context, _ int64) (context.Context, context.CancelFunc) {
			return context.WithCancel(context.WithoutCancel(ctx))
		},
	}
}

// On is a table on any catalog and object store.
type On struct {
	Objects store.Objects
	Catalog store.Catalog
	ID      store.TableID
	// Location is the table's location.
	Location string
	// Portable says that the metadata does not name it, so that the objects of the table can be copied elsewhere.
	Portable bool
}

// Make makes an empty table with one long column, which is required, and with the given properties.
func (o On) Make(ctx context.Context, properties map[string]string) error {
	location := o.Location
	if o.Portable {
		location = ""
	}
	m, err := metadata.New(metadata.NewTable{
		UUID: uuid.MustParse("11111111-2222-3333-4444-555555555555"), Location: location,
		Schema:     iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64, Required: true}),
		Properties: properties, TimestampMillis: 1_699_999_999_999,
	})
	if err != nil {
		return err
	}
	_, err = commit.Create(ctx, o.ID, o.Catalog, o.Objects, m, commit.Options{Env: Env(0), Location: o.Location})
	return err
}

// Open opens the table with an environment of its own, through an injector if there is one.
func (o On) Open(seed int64, i *fault.Injector) *commit.Table {
	if i == nil {
		i = &fault.Injector{}
	}
	return commit.Open(o.ID, i.Catalog(o.Catalog), i.Objects(o.Objects), commit.Options{Env: Env(seed), Location: o.Location})
}

// Store is a store in memory with at most one table.
type Store struct {
	Objects *mem.Objects
	Catalog *mem.Catalog
}

// Clone returns an independent copy.
func (s Store) Clone() Store { return Store{s.Objects.Clone(), s.Catalog.Clone()} }

// New makes a store with an empty table, see [On.Make].
func New(ctx context.Context, properties map[string]string) (Store, error) {
	s := Store{&mem.Objects{}, &mem.Catalog{}}
	return s, s.On().Make(ctx, properties)
}

// On returns the table of the store.
func (s Store) On() On {
	return On{Objects: s.Objects, Catalog: s.Catalog, ID: ID, Location: Location}
}

// Open opens the table as [On.Open] does.
func (s Store) Open(seed int64, i *fault.Injector) *commit.Table { return s.On().Open(seed, i) }

// Live is [On.Live].
func (s Store) Live(ctx context.Context) ([]string, error) { return s.On().Live(ctx) }

// Check is [On.Check].
func (s Store) Check(ctx context.Context) error { return s.On().Check(ctx) }

// File returns data file n: 100 rows with the values n and n+1.
func File(n int) tree.File {
	some := func(v int64) iceberg.Optional[int64] { return iceberg.Optional[int64]{Val: v, Valid: true} }
	return tree.File{
		Location: fmt.Sprintf("%s/data/f%04d.parquet", Location, n), Format: "parquet",
		RecordCount: 100, FileSizeBytes: 1000,
		Stats: tree.Stats{{
			FieldID: 1, Lower: tree.Long(int64(n)), Upper: tree.Long(int64(n + 1)),
			Tight: iceberg.Optional[bool]{Val: true, Valid: true}, ValueCount: some(100), NullCount: some(0),
		}},
	}
}

// Files returns the data files from, up to but not including to.
func Files(from, to int) []tree.File {
	var list []tree.File
	for n := from; n < to; n++ {
		list = append(list, File(n))
	}
	return list
}

// Target names data file n without a hint.
func Target(n int) commit.Target { return commit.Target{Location: File(n).Location} }

// Live returns the sorted locations of the live files of the current snapshot, read without faults.
func (o On) Live(ctx context.Context) ([]string, error) {
	table := o.Open(0, nil)
	head, err := table.Head(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for l, err := range table.Files(ctx, head, tree.Projection{}) {
		if err != nil {
			return nil, err
		}
		names = append(names, l.Location)
	}
	slices.Sort(names)
	return names, nil
}

// Check holds the whole history to all invariants and returns the first violation of severity error.
func (o On) Check(ctx context.Context) error {
	head, err := o.Open(0, nil).Head(ctx)
	if err != nil {
		return err
	}
	codec := treeio.Parquet{}
	leaves := invariants.NewLeaves(invariants.TableOf(head.Metadata), codec.Leaves(o.Objects), invariants.LeafOptions{})
	for v, err := range invariants.History(ctx, leaves, head.Metadata, roots{o.Objects, head}) {
		if err != nil {
			return err
		}
		if v.Severity == invariants.Error {
			return fmt.Errorf("%s: %s", v.ID, v.Message())
		}
	}
	return nil
}

// roots reads the roots of a table for the checker.
type roots struct {
	objects store.Objects
	head    *commit.Head
}

// Root implements [invariants.RootReader].
func (r roots) Root(ctx context.Context, s metadata.Snapshot) (tree.Tree, error) {
	return treeio.Tree(ctx, treeio.Parquet{}, r.objects, r.head.Metadata, r.head.Location, s)
}
