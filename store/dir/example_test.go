package dir_test

import (
	"context"
	"fmt"
	"os"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/dir"
)

func Example() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "firn-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	table := "file://" + folder + "/"

	objects := dir.New()
	fmt.Println(objects.Put(ctx, table+"data/day=1/a%20b.parquet", []byte("rows")))
	for info, err := range objects.List(ctx, table+"data/") {
		fmt.Println(info.Name[len(table):], info.SizeBytes, err)
	}
	_, err = objects.Get(ctx, "file:///data//a.parquet", 0)
	fmt.Println(err)
	// Output:
	// <nil>
	// data/day=1/a%20b.parquet 4 <nil>
	// get file:///data//a.parquet: the path segment "" means another file to the file system
}

func ExampleCatalog() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "firn-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	catalog, err := dir.OpenCatalog("dir:" + folder)
	if err != nil {
		fmt.Println(err)
		return
	}

	id := store.TableID{Namespace: "demo", Name: "events"}
	fmt.Println(catalog.Swap(ctx, id, "", "s3://b/t/metadata/0.json"))
	fmt.Println(catalog.Load(ctx, id))
	// Output:
	// <nil>
	// s3://b/t/metadata/0.json <nil>
}
