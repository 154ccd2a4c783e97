package dv_test

import (
	"context"
	"fmt"

	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/store/mem"
)

// Rows of a data file are deleted, then more rows; the second Puffin file has all of them.
func Example() {
	ctx := context.Background()
	objects := new(mem.Objects)
	const dataFile, recordCount = "s3://b/t/data/f1.parquet", 10

	rows, err := dv.ParseText("3,7-9")
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err := dv.Build("s3://b/t/data/1.puffin", []dv.Named{{DataFile: dataFile, Vector: rows}}, dv.BuildOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	entry := file.Vectors[0]
	fmt.Println(objects.Put(ctx, entry.Location, file.Data))

	old, err := dv.Read(ctx, objects, entry, entry.Location, recordCount, dv.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	more, err := dv.Of(7, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	merged, err := dv.Merge(old, more, recordCount)
	fmt.Println(merged.Vector, "has", merged.AddedRows, "more row, all rows:", merged.All, err)

	_, err = dv.Read(ctx, objects, entry, entry.Location, 9, dv.Limits{})
	fmt.Println(err)

	// Output:
	// <nil>
	// 0,3,7-9 has 1 more row, all rows: false <nil>
	// deletion vector s3://b/t/data/1.puffin@4: beyond-rows: position 9, the file has 9 rows
}
