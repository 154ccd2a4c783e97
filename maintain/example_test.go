package maintain_test

import (
	"context"
	"fmt"
	"math"
	"path"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
)

// A table has three snapshots, and the last one removed nothing: what only the others reached goes with them.
func Example() {
	ctx := context.Background()
	s, err := testtable.New(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	table := s.Open(1, nil)
	for _, change := range []func(*commit.Txn){
		func(x *commit.Txn) { x.Append(testtable.Files(1, 3)...) },
		func(x *commit.Txn) { x.Remove(testtable.Target(1)) },
		func(x *commit.Txn) { x.Append(testtable.File(3)) },
	} {
		txn, err := table.Begin(ctx, commit.TxnOptions{})
		if err != nil {
			fmt.Println(err)
			return
		}
		change(txn)
		if _, err := txn.Commit(ctx); err != nil {
			fmt.Println(err)
			return
		}
	}
	options := maintain.ExpireOptions{Policy: metadata.ExpiryPolicy{
		KeepLast: 1, OlderThanMillis: iceberg.Optional[int64]{Val: math.MaxInt64, Valid: true}, // the last one alone
	}}
	report, err := maintain.Expire(ctx, table, options)
	fmt.Println("snapshots:", len(report.Snapshots), err)
	for _, o := range report.Deleted {
		if o.Kind == maintain.DataFile {
			fmt.Println(o.Kind, path.Base(o.Location))
		}
	}
	for _, total := range maintain.Totals(report.Deleted) {
		fmt.Println(total.Objects, "of kind", total.Kind)
	}
	orphans, err := maintain.Orphans(ctx, table, maintain.OrphanOptions{})
	fmt.Println("orphans:", len(orphans.Remaining), err)
	// Output:
	// snapshots: 2 <nil>
	// data file f0001.parquet
	// 1 of kind data file
	// 2 of kind root manifest
	// orphans: 0 <nil>
}
