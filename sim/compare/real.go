package compare

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/sim"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

// realTable is a table in memory to which the production code commits.
type realTable struct {
	table   *commit.Table
	codec   *codec
	objects *mem.Objects
	spy     *spy
	pace    int64
	columns int
	files   *liveFiles
	places  places
	commits int64
	due     bool
	// pointers are those of the last tree, and leafBytes the bytes of their leaves.
	pointers  []pointer
	leafBytes int64
	// recent are the objects of the last snapshots, the oldest first.
	recent [][]string
}

// Snapshots are let go once there are so many, but for so many: what is retained is counted apart.
const (
	trimSnapshots = 16
	keptSnapshots = 4
)

// tableLocation is where the table lies.
const tableLocation = "mem://compare/t"

// partitionField is the field of the partition spec, and byPartition the spec.
const partitionField = 1000

var byPartition = iceberg.NewPartitionSpec(iceberg.PartitionField{
	SourceIDs: []int{partitionColumn}, FieldID: partitionField, Name: "part", Transform: iceberg.IdentityTransform{},
})

// newRealTable makes an empty table.
func (c Config) newRealTable(ctx context.Context, w Workload, p Choice) (*realTable, error) {
	columns := max(2, c.Columns)
	t := &realTable{
		codec: &codec{real: c.Model == Parquet, columns: columns, kept: make(map[string]*sim.Codec)}, objects: &mem.Objects{}, spy: &spy{Policy: p.Policy},
		pace: c.Pace, columns: columns, files: newLiveFiles(c.pattern(w)),
	}
	m, err := metadata.New(metadata.NewTable{
		UUID: uuid.NewSHA1(uuid.Nil, []byte(w.Name)), Location: tableLocation, Schema: scanSchema(t.columns - 2), Spec: byPartition,
		Properties: map[string]string{"write.metadata.previous-versions-max": "1", "write.metadata.delete-after-commit.enabled": "true"},
	})
	if err != nil {
		return nil, err
	}
	id := store.TableID{Namespace: "compare", Name: "t"}
	t.table, err = commit.Create(ctx, id, &mem.Catalog{}, t.objects, m, commit.Options{Env: environment(), Codec: t.codec})
	return t, err
}

// environment is one in which nothing happens by chance.
func environment() commit.Env {
	now, snapshots, names := int64(1_700_000_000_000), int64(0), int64(0)
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

// spy remembers what a policy was asked.
type spy struct {
	policy.Policy
	in policy.Input
}

// Plan implements [policy.Policy].
func (s *spy) Plan(in policy.Input) (policy.Plan, error) {
	s.in = in
	return s.Policy.Plan(in)
}

func (t *realTable) apply(ctx context.Context, c count.Change, see func(written)) error {
	t.commits++
	removed := t.files.draw(c.Removed, func(*liveFile) bool { return true })
	modified := t.files.draw(c.Modified, func(f *liveFile) bool { return !contains(removed, f) })
	txn, err := t.table.Begin(ctx, commit.TxnOptions{Policy: t.spy})
	if err != nil {
		return err
	}
	if c.Removed+c.Modified > 0 {
		if err := t.places.find(ctx, txn.Base().Tree, t.codec.Leaves(t.objects)); err != nil {
			return err
		}
	}
	for _, f := range removed {
		txn.Remove(t.places.target(f))
		t.places.forget(f)
	}
	for _, f := range modified {
		rows, err := dv.Of(uint64(f.vectors))
		if err != nil {
			return err
		}
		f.vectors++
		txn.ExtendDV(t.places.target(f), rows, commit.DVOptions{})
		t.places.forget(f)
	}
	t.files.remove(removed)
	for range c.Added {
		txn.Append(t.fileOf(t.files.add(t.commits)))
	}
	result, err := txn.Commit(ctx)
	if err != nil {
		return err
	}
	if err := t.saw(ctx, result, false, see); err != nil {
		return err
	}
	t.due = t.due || len(result.Plan.Deferred) > 0
	if t.pace > 0 && t.commits%t.pace == 0 && t.due {
		t.due = false
		if txn, err = t.table.Begin(ctx, commit.TxnOptions{Policy: t.spy, Mode: policy.Maintenance}); err != nil {
			return err
		}
		if result, err = txn.Commit(ctx); err != nil {
			return err
		}
		if err := t.saw(ctx, result, true, see); err != nil {
			return err
		}
	}
	return t.trim(ctx)
}

func contains(files []*liveFile, f *liveFile) bool {
	for _, other := range files {
		if other == f {
			return true
		}
	}
	return false
}

// saw looks at what a commit wrote, and tells of it.
func (t *realTable) saw(ctx context.Context, r commit.Result, maintenance bool, see func(written)) error {
	roots, leaves := t.codec.roots, t.codec.leaves
	t.codec.roots, t.codec.leaves = nil, nil
	if r.NoOp {
		return nil
	}
	head, err := t.table.Head(ctx)
	if err != nil {
		return err
	}
	w := written{root: roots[len(roots)-1], leaves: len(leaves), maintenance: maintenance}
	for _, n := range leaves {
		w.fresh += n
	}
	prices := t.spy.in.LearnedPrices()
	for _, step := range r.Plan.Steps {
		switch step.Kind {
		case policy.Push:
			w.pushed++
		case policy.Merge:
			w.merged++
		case policy.Fold:
			w.folded++
		}
		for _, ref := range step.Members {
			if ref.Source == policy.FromPointers {
				w.read++
				leaf := t.spy.in.Pointers[ref.Index]
				w.rewritten += prices.RewrittenBytes(leaf, leaf.LiveEntries)
			}
		}
	}
	t.pointers, t.leafBytes = t.pointers[:0], 0
	objects := []string{r.RootLocation}
	for _, e := range head.Tree.Rows {
		if e.Manifest.Valid && e.Tracking.Status.Live() {
			t.pointers = append(t.pointers, pointer{e, e.FileSizeBytes})
			t.leafBytes += e.FileSizeBytes
			objects = append(objects, tree.Resolve(tableLocation, e.Location))
		}
	}
	t.recent = append(t.recent, objects)
	see(w)
	return nil
}

// trim lets old snapshots go, now and then, and the objects that only they have.
func (t *realTable) trim(ctx context.Context) error {
	if len(t.recent) < trimSnapshots {
		return nil
	}
	t.recent = t.recent[len(t.recent)-keptSnapshots:]
	_, err := maintain.Expire(ctx, t.table, maintain.ExpireOptions{KeepFiles: true, Policy: metadata.ExpiryPolicy{
		KeepLast: keptSnapshots, OlderThanMillis: iceberg.Optional[int64]{Val: math.MaxInt64, Valid: true},
	}})
	if err != nil {
		return err
	}
	keep := make(map[string]bool)
	for _, objects := range t.recent {
		for _, name := range objects {
			keep[name] = true
		}
	}
	head, err := t.table.Head(ctx)
	if err != nil {
		return err
	}
	keep[head.MetadataLocation] = true
	for _, old := range head.Metadata.MetadataLog {
		keep[tree.Resolve(tableLocation, old.File)] = true
	}
	t.codec.forget(keep)
	for _, name := range t.objects.Names() {
		if !keep[name] && !strings.HasSuffix(name, ".puffin") { // of files that are live, most of them
			if err := t.objects.Delete(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *realTable) size() (files, leaves, leafBytes int64) {
	return int64(t.files.live), int64(len(t.pointers)), t.leafBytes
}

func (t *realTable) layout(context.Context) (layout, error) {
	p := t.files.pattern
	l := layout{pointers: t.pointers, partitions: max(1, p.Partitions), commits: t.commits}
	if p.CommitsPerPartition > 0 {
		l.partitions = (max(1, t.commits) + p.CommitsPerPartition - 1) / p.CommitsPerPartition
	}
	return l, nil
}
