package main

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firn-io/firn/tree"
)

// columns is the number of columns of every table. All have statistics: value and null counts and both bounds.
const columns = 20

const (
	recordCount   = 100
	fileSizeBytes = 1 << 20
)

// schema has longs and strings in turns. No table is partitioned.
func schema() *iceberg.Schema {
	types := []iceberg.Type{iceberg.PrimitiveTypes.Int64, iceberg.PrimitiveTypes.String}
	var fields []iceberg.NestedField
	for i := range columns {
		fields = append(fields, iceberg.NestedField{ID: i + 1, Name: fmt.Sprintf("c%d", i+1), Type: types[i%2]})
	}
	return iceberg.NewSchema(0, fields...)
}

// fileName returns the location of file n of a table. Like the names that engines choose it is no neighbor of the one
// before, so that the statistics of a leaf's locations exclude no file.
func fileName(tableLocation string, n int) string {
	return fmt.Sprintf("%s/data/%s.parquet", tableLocation, uuid.NewSHA1(uuid.Nil, fmt.Append(nil, n)))
}

// isString tells the columns of strings by their ids.
func isString(column int) bool { return column%2 == 0 }

// bounds returns the bounds of a column in file n, as longs and as strings. They vary like those of unsorted data: no
// column is a copy of another, and neighbors have nothing in common.
func bounds(n, column int) (low, high int64, lowText, highText string) {
	h := fnv.New64a()
	fmt.Fprint(h, n, " ", column)
	low = int64(h.Sum64() % 1_000_000_000)
	high = low + 1 + low%1_000_000
	return low, high, fmt.Sprintf("a%09d", low), fmt.Sprintf("b%09d", high)
}

// firnFile is file n as firn takes it. Nothing of it is on the disk: neither side opens a data file.
func firnFile(tableLocation string, n int) tree.File {
	f := tree.File{
		Location: fileName(tableLocation, n), Format: "parquet", RecordCount: recordCount, FileSizeBytes: fileSizeBytes,
	}
	for id := 1; id <= columns; id++ {
		low, high, lowText, highText := bounds(n, id)
		s := tree.FieldStats{
			FieldID: id, Lower: tree.Long(low), Upper: tree.Long(high),
			Tight: some(true), ValueCount: some(int64(recordCount)), NullCount: some(int64(0)),
		}
		if isString(id) {
			s.Lower, s.Upper = tree.String(lowText), tree.String(highText)
		}
		f.Stats = append(f.Stats, s)
	}
	return f
}

// icebergFile is file n as iceberg-go takes it.
func icebergFile(tableLocation string, n int) (iceberg.DataFile, error) {
	values, nulls := make(map[int]int64), make(map[int]int64)
	lower, upper := make(map[int][]byte), make(map[int][]byte)
	for id := 1; id <= columns; id++ {
		low, high, lowText, highText := bounds(n, id)
		values[id], nulls[id] = recordCount, 0
		lower[id], upper[id] = longBytes(low), longBytes(high)
		if isString(id) {
			lower[id], upper[id] = []byte(lowText), []byte(highText)
		}
	}
	b, err := iceberg.NewDataFileBuilder(*iceberg.UnpartitionedSpec, iceberg.EntryContentData, fileName(tableLocation, n),
		iceberg.ParquetFile, nil, nil, nil, recordCount, fileSizeBytes)
	if err != nil {
		return nil, err
	}
	return b.ValueCounts(values).NullValueCounts(nulls).LowerBoundValues(lower).UpperBoundValues(upper).Build(), nil
}

func longBytes(v int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) }

func some[T any](v T) iceberg.Optional[T] { return iceberg.Optional[T]{Val: v, Valid: true} }
