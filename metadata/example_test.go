package metadata_test

import (
	"fmt"
	"log"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/metadata"
	"github.com/google/uuid"
)

// A table is created, a snapshot committed to it, and its metadata file written and read back.
func Example() {
	schema, err := metadata.ParseSchema([]byte(`{"fields": [
		{"name": "id", "type": "long", "required": true},
		{"name": "ts", "type": "timestamptz"}]}`), metadata.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	spec, err := metadata.ParsePartition("day(ts)", schema)
	if err != nil {
		log.Fatal(err)
	}
	table, err := metadata.New(metadata.NewTable{
		UUID:            uuid.MustParse("9c12d441-03fe-4693-9a96-a0705ddf69c1"),
		Location:        "s3://bucket/events",
		Schema:          schema,
		Spec:            spec,
		TimestampMillis: 1000,
	})
	if err != nil {
		log.Fatal(err)
	}
	table, err = table.WithSnapshot(metadata.Snapshot{
		ID:              8271093846510000101,
		SequenceNumber:  1,
		TimestampMillis: table.NextTimestamp(metadata.MainBranch, 2000),
		RootManifest:    iceberg.Optional[string]{Val: "metadata/root-1.parquet", Valid: true},
		Summary:         map[string]string{"operation": metadata.OpAppend},
		FirstRowID:      iceberg.Optional[int64]{Val: 0, Valid: true},
		AddedRows:       iceberg.Optional[int64]{Val: 40, Valid: true},
	}, metadata.MainBranch, "metadata/00000-a.metadata.json")
	if err != nil {
		log.Fatal(err)
	}
	file, err := table.Marshal()
	if err != nil {
		log.Fatal(err)
	}
	read, err := metadata.Parse(file, metadata.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	current, _ := read.Current()
	partition, err := read.UnionPartitionFields()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(current.ID, current.RootManifest.Val, read.NextRowID, partition[0], read.Problems())
	// Output: 8271093846510000101 metadata/root-1.parquet 40 1000: ts_day: optional date []
}
