package compare

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firn-io/firn/tree"
)

// The types of the columns beside those by which scans prune. Statistics of mixed types are what [policy.EstimatePrices] is fitted to.
var otherTypes = []iceberg.Type{
	iceberg.PrimitiveTypes.String, iceberg.PrimitiveTypes.TimestampTz, iceberg.DecimalTypeOf(9, 2), iceberg.PrimitiveTypes.Float64,
	iceberg.PrimitiveTypes.Bool, iceberg.PrimitiveTypes.Date, iceberg.PrimitiveTypes.UUID, iceberg.PrimitiveTypes.Int64,
}

// noise is a source of numbers without a pattern, always the same ones.
type noise struct{ *rand.Rand }

func newNoise(seed uint64) noise { return noise{rand.New(rand.NewPCG(seed, 0))} }

func (s noise) uuid() uuid.UUID {
	var u uuid.UUID
	binary.BigEndian.PutUint64(u[:8], s.Uint64())
	binary.BigEndian.PutUint64(u[8:], s.Uint64())
	return u
}

// location is where the file would be.
func (f *liveFile) location() string {
	s := newNoise(uint64(f.number))
	return tableLocation + "/data/" + s.uuid().String() + ".parquet"
}

// fileOf describes a file. The values of the columns by which scans prune are known, those of the others made up.
func (t *realTable) fileOf(f *liveFile) tree.File {
	s := newNoise(^uint64(f.number))
	rows := 100_000 + s.Int64N(100_000)
	file := tree.File{
		Location: f.location(), Format: "parquet", RecordCount: rows, FileSizeBytes: rows * (2000 + s.Int64N(500)), SplitOffsets: []int64{4, 4 + 128<<20},
		SpecID: iceberg.Optional[int32]{Valid: true}, Partition: tree.Tuple{{FieldID: partitionField, Value: tree.Long(f.partition)}},
		Stats: tree.Stats{statsBetween(partitionColumn, tree.Long(f.partition), tree.Long(f.partition), rows), statsBetween(timeColumn, tree.Long(f.commit), tree.Long(f.commit), rows)},
	}
	if !t.codec.real {
		return file // the simulator's sizes go by the schema
	}
	for i := range t.columns - 2 {
		typ := otherTypes[i%len(otherTypes)]
		low, high := s.value(typ), s.value(typ)
		if tree.Compare(low, high) > 0 {
			low, high = high, low
		}
		stats := statsBetween(timeColumn+1+i, low, high, rows)
		if i%4 == 0 {
			stats.NullCount.Val = s.Int64N(rows / 10)
		}
		switch typ.(type) {
		case iceberg.Float64Type:
			stats.NaNCount = iceberg.Optional[int64]{Valid: true}
		case iceberg.StringType:
			stats.AvgSizeBytes = iceberg.Optional[int32]{Val: int32(10 + s.Int64N(20)), Valid: true}
			stats.Tight.Val = false
		}
		file.Stats = append(file.Stats, stats)
	}
	return file
}

// value makes up a value.
func (s noise) value(typ iceberg.Type) tree.Value {
	switch typ.(type) {
	case iceberg.Int64Type:
		return tree.Long(s.Int64N(1 << 32))
	case iceberg.StringType:
		return tree.String(fmt.Sprintf("user-%07d", s.Int64N(10_000_000)))
	case iceberg.TimestampTzType:
		return tree.Timestamp(1_795_000_000_000_000 + 1000*s.Int64N(864_000_000))
	case iceberg.DecimalType:
		return tree.DecimalInt64(s.Int64N(100_000_000), 2)
	case iceberg.Float64Type:
		return tree.Double(float64(s.Int64N(1_000_000)) / 100)
	case iceberg.BooleanType:
		return tree.Bool(s.Int64N(2) == 1)
	case iceberg.DateType:
		return tree.Date(int32(20_000 + s.Int64N(1000)))
	}
	return tree.UUID(s.uuid())
}

// statsBetween are the statistics of a column whose values are between two that it has.
func statsBetween(id int, low, high tree.Value, rows int64) tree.FieldStats {
	return tree.FieldStats{
		FieldID: id, Lower: low, Upper: high, Tight: iceberg.Optional[bool]{Val: true, Valid: true},
		ValueCount: iceberg.Optional[int64]{Val: rows, Valid: true}, NullCount: iceberg.Optional[int64]{Valid: true},
	}
}
