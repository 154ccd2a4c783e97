package tree_test

import (
	"context"
	"fmt"

	"github.com/firn-io/firn/tree"
)

func ExampleLive() {
	leaf := &leaves{rows: map[string][]tree.Entry{
		"metadata/m0.parquet": {bare("data/a.parquet", 100), bare("data/b.parquet", 50), bare("data/c.parquet", 10)},
	}}
	ref := pointer(tree.Existing, "metadata/m0.parquet", 5, 3)
	ref.Tracking.FirstRowID = some[int64](1000)
	ref.Manifest.Val.DV = bits(1) // data/b.parquet was removed since
	root := tree.Tree{Origin: origin, Rows: []tree.Entry{ref}}

	for l, err := range tree.Live(context.Background(), root, tree.Projection{}, leaf) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(l.Location, "added by", l.Entry.Tracking.SnapshotID.Val, "first row", l.Entry.Tracking.FirstRowID.Val)
	}
	// Output:
	// s3://b/t/data/a.parquet added by 5 first row 1000
	// s3://b/t/data/c.parquet added by 5 first row 1150
}

func ExampleResolve() {
	fmt.Println(tree.Resolve("s3://bucket/db/table", "data/f.parquet"))
	fmt.Println(tree.Resolve("s3://bucket/db/table", "hdfs://warehouse/data/f.parquet"))
	fmt.Println(tree.Relativize("s3://bucket/db/table", "s3://bucket/db/table/data/f.parquet"))
	// Output:
	// s3://bucket/db/table/data/f.parquet
	// hdfs://warehouse/data/f.parquet
	// data/f.parquet
}
