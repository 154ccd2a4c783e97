package invariants_test

import (
	"fmt"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/tree"
)

// A root whose second row was carried without becoming EXISTING.
func Example() {
	file := func(location string, snapshot, sequence, firstRowID int64) tree.Entry {
		id := func(n int64) iceberg.Optional[int64] { return iceberg.Optional[int64]{Val: n, Valid: true} }
		return tree.Entry{
			Tracking: tree.Tracking{Status: tree.Added, SnapshotID: id(snapshot), SequenceNumber: id(sequence),
				FileSequenceNumber: id(sequence), FirstRowID: id(firstRowID)},
			Content: tree.Data, Location: location, FileFormat: "parquet", RecordCount: 10, FileSizeBytes: 900,
		}
	}
	root := tree.Tree{
		Origin: tree.Origin{TableLocation: "s3://b/t", SnapshotID: 12},
		Root:   "s3://b/t/metadata/root.parquet", SequenceNumber: 2, FirstRowID: 10, AddedRows: 10,
		Rows: []tree.Entry{file("data/b.parquet", 12, 2, 10), file("data/a.parquet", 11, 2, 0)},
	}
	for v := range invariants.CheckRoot(invariants.Table{}, root) {
		fmt.Println(v.Message())
	}
	inv, _ := invariants.Lookup("R-ADDED")
	fmt.Println(inv.Advice)
	// Output:
	// R-ADDED: s3://b/t/metadata/root.parquet row 1: tracking.snapshot_id: expected 12, found 11
	// R-ROW-ID-START: s3://b/t/metadata/root.parquet row 1: tracking.first_row_id: expected 10 or more, found 0
	// Turn rows of earlier snapshots into EXISTING when they are carried.
}
