package sqlcatalog_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/sqlcatalog"
)

func Example() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "firn-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	catalog, err := sqlcatalog.Open(ctx, "sqlite:"+filepath.Join(folder, "firn.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer catalog.Close()

	id := store.TableID{Namespace: "demo", Name: "events"}
	fmt.Println(catalog.Swap(ctx, id, "", "s3://b/t/metadata/0.json"))
	fmt.Println(catalog.Swap(ctx, id, "s3://b/t/metadata/0.json", "s3://b/t/metadata/1.json"))
	fmt.Println(catalog.Load(ctx, id))
	fmt.Println(catalog.List(ctx))
	// Output:
	// <nil>
	// <nil>
	// s3://b/t/metadata/1.json <nil>
	// [demo.events] <nil>
}
