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

// A column is added and another one is dropped in one step, the table partitioned in another way, and what no longer
// needs to be kept worked out.
func ExampleTable_EvolveSchema() {
	schema, err := metadata.ParseSchema([]byte(`{"fields": [{"name": "ts", "type": "timestamp"}, {"name": "old", "type": "int"}]}`), metadata.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	table, err := metadata.New(metadata.NewTable{UUID: uuid.MustParse("9c12d441-03fe-4693-9a96-a0705ddf69c1"), Schema: schema})
	if err != nil {
		log.Fatal(err)
	}
	table, err = table.EvolveSchema(
		metadata.AddColumn{Name: "price", Type: iceberg.DecimalTypeOf(9, 2), Required: true, Default: "0.00"},
		metadata.DropColumn{Column: "old"},
	)
	if err != nil {
		log.Fatal(err)
	}
	byDay, err := metadata.ParsePartitionField("day(ts)")
	if err != nil {
		log.Fatal(err)
	}
	if table, err = table.EvolveSpec(byDay); err != nil {
		log.Fatal(err)
	}
	expired, err := table.Expired(metadata.ExpiryPolicy{KeepLast: 10}, table.LastUpdatedMillis)
	if err != nil {
		log.Fatal(err)
	}
	spec := table.Spec()
	fmt.Println(table.Schema().Field(1), spec.Field(0).Name, len(expired.Snapshots))
	_, err = table.EvolveSchema(metadata.DropColumn{Column: "ts"})
	fmt.Println(err)
	// Output:
	// 3: price: required decimal(9, 2) ts_day 0
	// metadata: drop column "ts": field "ts_day" of the default partition spec 1 is made from it
}
