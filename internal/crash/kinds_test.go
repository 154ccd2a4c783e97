package crash_test

import (
	"context"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/tree"
)

// kind is a kind of change.
type kind struct {
	name string
	do   func(ctx context.Context, table *commit.Table) error
	// sweeps says that it deletes objects after the table has changed, and may fail then.
	sweeps bool
}

// txn is a kind of change that a transaction makes.
func txn(name string, o commit.TxnOptions, change func(x *commit.Txn)) kind {
	return kind{name: name, do: func(ctx context.Context, table *commit.Table) error {
		x, err := table.Begin(ctx, o)
		if err != nil {
			return err
		}
		change(x)
		_, err = x.Commit(ctx)
		return err
	}}
}

// update is a kind of change of the metadata.
func update(name string, change commit.MetadataChange) kind {
	return kind{name: name, do: func(ctx context.Context, table *commit.Table) error {
		_, err := table.Update(ctx, change)
		return err
	}}
}

var (
	checked = commit.TxnOptions{CheckDuplicates: true}
	tidy    = commit.TxnOptions{Mode: policy.Maintenance, Policy: testtable.MergeAll{}}
)

func target(n int) commit.Target { return testtable.Target(n) }

func rows(positions ...uint64) dv.Vector {
	v, err := dv.Of(positions...)
	if err != nil {
		panic(err)
	}
	return v
}

// kinds are all kinds of change.
var kinds = []kind{
	txn("nothing", checked, func(*commit.Txn) {}),
	txn("append loose", checked, func(x *commit.Txn) { x.Append(testtable.File(20)) }),
	txn("append with push-down", checked, func(x *commit.Txn) { x.Append(testtable.Files(20, 29)...) }),
	txn("append born with deleted rows", checked, func(x *commit.Txn) {
		x.Append(testtable.File(20))
		x.ExtendDV(target(20), rows(1), commit.DVOptions{})
	}),
	txn("remove loose", checked, func(x *commit.Txn) { x.Remove(target(11)) }),
	txn("remove in leaf", checked, func(x *commit.Txn) { x.Remove(target(1), target(6)) }),
	txn("remove all of a leaf", checked, func(x *commit.Txn) { x.Remove(target(0), target(1), target(2), target(3)) }),
	txn("replace", checked, func(x *commit.Txn) {
		x.Replace([]commit.Target{target(2), target(11)}, testtable.Files(20, 22)...)
	}),
	txn("rewrite", checked, func(x *commit.Txn) {
		x.Rewrite([]commit.Target{target(5), target(6)}, testtable.Files(20, 21), x.Base().Tree.Origin.SnapshotID)
	}),
	txn("extend deleted rows", checked, func(x *commit.Txn) {
		for _, n := range []int{2, 6, 11} {
			x.ExtendDV(target(n), rows(7, 8), commit.DVOptions{})
		}
	}),
	txn("set deleted rows", checked, func(x *commit.Txn) { x.SetDV(target(2), rows(1, 2, 3), commit.DVOptions{}) }),
	txn("refresh", checked, func(x *commit.Txn) {
		x.Refresh(target(1), nil)
		x.Refresh(target(11), nil)
	}),
	txn("delete where", checked, func(x *commit.Txn) {
		x.DeleteWhere(iceberg.GreaterThanEqual(iceberg.Reference("id"), int64(14)))
		x.Append(testtable.File(20))
	}),
	{name: "restore", do: func(ctx context.Context, table *commit.Table) error {
		x, err := table.Begin(ctx, checked)
		if err != nil {
			return err
		}
		x.Restore(x.Base().Metadata.Snapshots[0].ID)
		_, err = x.Commit(ctx)
		return err
	}},
	txn("merge", tidy, func(*commit.Txn) {}),
	txn("merge, remove and append", commit.TxnOptions{Policy: testtable.MergeAll{}}, func(x *commit.Txn) {
		x.Remove(target(1))
		x.ExtendDV(target(6), rows(4), commit.DVOptions{})
		x.Append(testtable.File(20))
	}),
	txn("append to a branch", commit.TxnOptions{Branch: "b"}, func(x *commit.Txn) { x.Append(testtable.File(20)) }),
	update("schema", func(m metadata.Table) (metadata.Table, error) {
		return m.EvolveSchema(metadata.AddColumn{Name: "more", Type: iceberg.PrimitiveTypes.String})
	}),
	update("spec", func(m metadata.Table) (metadata.Table, error) {
		return m.EvolveSpec(metadata.AddPartitionField{Column: "id", Transform: iceberg.BucketTransform{NumBuckets: 4}})
	}),
	update("properties", func(m metadata.Table) (metadata.Table, error) {
		return m.UpdateProperties(map[string]string{"a": "b"})
	}),
	update("drop a branch", func(m metadata.Table) (metadata.Table, error) { return m.WithoutRef("b") }),
	{name: "expire", sweeps: true, do: func(ctx context.Context, table *commit.Table) error {
		_, err := maintain.Expire(ctx, table, maintain.ExpireOptions{
			Policy: metadata.ExpiryPolicy{KeepLast: 1, OlderThanMillis: iceberg.Optional[int64]{Val: 1 << 60, Valid: true}},
		})
		return err
	}},
}

// build gives a new table two full leaves, one small one, loose files, a deletion vector, a branch and a tag.
func build(ctx context.Context, o testtable.On) error {
	if err := o.Make(ctx, map[string]string{"firn.policy": "cap", "firn.policy.rows": "4"}); err != nil {
		return err
	}
	table := o.Open(1, nil)
	ref := func(name string, kind string) kind0 {
		return func(ctx context.Context, table *commit.Table) error {
			_, err := table.Update(ctx, func(m metadata.Table) (metadata.Table, error) {
				return m.CreateRef(metadata.Ref{Name: name, Type: kind, SnapshotID: m.CurrentSnapshotID.Val})
			})
			return err
		}
	}
	add := func(files []tree.File) kind0 {
		return txn("", checked, func(x *commit.Txn) { x.Append(files...) }).do
	}
	for _, step := range []kind0{
		add(testtable.Files(0, 5)), ref("old", metadata.Tag), add(testtable.Files(5, 11)),
		txn("", checked, func(x *commit.Txn) { x.ExtendDV(target(2), rows(1), commit.DVOptions{}) }).do,
		add([]tree.File{testtable.File(11), testtable.File(15)}), ref("b", metadata.Branch),
	} {
		if err := step(ctx, table); err != nil {
			return err
		}
	}
	return nil
}

// kind0 is a change without a name.
type kind0 = func(ctx context.Context, table *commit.Table) error
