package store_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/mem"
)

// Two writers change the same entry; the second one holds an old location.
func Example() {
	ctx := context.Background()
	catalog := new(mem.Catalog)
	table := store.TableID{Namespace: "demo", Name: "events"}

	fmt.Println(catalog.Swap(ctx, table, "", "s3://b/t/metadata/0.json"))
	fmt.Println(catalog.Swap(ctx, table, "s3://b/t/metadata/0.json", "s3://b/t/metadata/1-ours.json"))
	err := catalog.Swap(ctx, table, "s3://b/t/metadata/0.json", "s3://b/t/metadata/1-theirs.json")
	fmt.Println(errors.Is(err, store.ErrConflict), err)
	// Output:
	// <nil>
	// <nil>
	// true swap demo.events: the catalog entry has changed
}
