package commit_test

import (
	"context"
	"fmt"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

// The README shows this function.
func appendAndList(ctx context.Context, table *commit.Table, file tree.File) error {
	txn, err := table.Begin(ctx, commit.TxnOptions{CheckDuplicates: true})
	if err != nil {
		return err
	}
	txn.Append(file)
	result, err := txn.Commit(ctx)
	if err != nil {
		return err // a *commit.ConflictError, *commit.RefusedError, *commit.UnknownError, …
	}
	fmt.Println("committed sequence number", result.SequenceNumber, "in attempt", result.Attempts)
	head, err := table.Head(ctx)
	if err != nil {
		return err
	}
	for live, err := range table.Files(ctx, head, tree.Projection{}) {
		if err != nil {
			return err
		}
		fmt.Println(live.Location, "with", live.Entry.RecordCount, "rows")
	}
	return nil
}

func Example() {
	ctx := context.Background()
	schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64})
	m, err := metadata.New(metadata.NewTable{UUID: uuid.New(), Location: "mem://warehouse/events", Schema: schema})
	if err != nil {
		fmt.Println(err)
		return
	}
	id := store.TableID{Namespace: "demo", Name: "events"}
	table, err := commit.Create(ctx, id, &mem.Catalog{}, &mem.Objects{}, m, commit.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	file := tree.File{
		Location: "mem://warehouse/events/data/a.parquet", Format: "parquet", RecordCount: 10, FileSizeBytes: 700,
	}
	if err := appendAndList(ctx, table, file); err != nil {
		fmt.Println(err)
	}
	// Output:
	// committed sequence number 1 in attempt 1
	// mem://warehouse/events/data/a.parquet with 10 rows
}
