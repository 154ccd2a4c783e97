package manifestio

import (
	"math/big"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/iceberg-go"
)

// leafType is the Parquet type of a leaf column.
type leafType struct {
	physical parquet.Type
	length   int                // of a fixed-length byte array, else -1
	logical  schema.LogicalType // nil for none
}

func plain(physical parquet.Type) leafType { return leafType{physical: physical, length: -1} }

var (
	boolLeaf   = plain(parquet.Types.Boolean)
	intLeaf    = plain(parquet.Types.Int32)
	longLeaf   = plain(parquet.Types.Int64)
	doubleLeaf = plain(parquet.Types.Double)
	binaryLeaf = plain(parquet.Types.ByteArray)
	stringLeaf = leafType{parquet.Types.ByteArray, -1, schema.StringLogicalType{}}
	// timestampLeaf is a timestamptz in microseconds.
	timestampLeaf = instant(true, schema.TimeUnitMicros)
)

// instant is the type of a timestamp (rules 4.1).
func instant(utc bool, unit schema.TimeUnitType) leafType {
	return leafType{parquet.Types.Int64, -1, schema.NewTimestampLogicalType(utc, unit)}
}

// leafTypeOf returns the Parquet type of an Iceberg type (rules 4.1), and false for types that are no single
// leaf column of a manifest.
func leafTypeOf(t iceberg.Type) (leafType, bool) {
	switch t := t.(type) {
	case iceberg.BooleanType:
		return boolLeaf, true
	case iceberg.Int32Type:
		return intLeaf, true
	case iceberg.Int64Type:
		return longLeaf, true
	case iceberg.Float32Type:
		return plain(parquet.Types.Float), true
	case iceberg.Float64Type:
		return doubleLeaf, true
	case iceberg.DateType:
		return leafType{parquet.Types.Int32, -1, schema.DateLogicalType{}}, true
	case iceberg.TimeType:
		return leafType{parquet.Types.Int64, -1, schema.NewTimeLogicalType(false, schema.TimeUnitMicros)}, true
	case iceberg.TimestampType:
		return instant(false, schema.TimeUnitMicros), true
	case iceberg.TimestampTzType:
		return timestampLeaf, true
	case iceberg.TimestampNsType:
		return instant(false, schema.TimeUnitNanos), true
	case iceberg.TimestampTzNsType:
		return instant(true, schema.TimeUnitNanos), true
	case iceberg.StringType:
		return stringLeaf, true
	case iceberg.BinaryType:
		return binaryLeaf, true
	case iceberg.UUIDType:
		return leafType{parquet.Types.FixedLenByteArray, 16, schema.UUIDLogicalType{}}, true
	case iceberg.FixedType:
		return leafType{parquet.Types.FixedLenByteArray, t.Len(), nil}, t.Len() > 0
	case iceberg.DecimalType:
		return decimalLeaf(t.Precision(), t.Scale())
	}
	return leafType{}, false
}

// maxDecimalPrecision is the largest precision of an Iceberg decimal.
const maxDecimalPrecision = 38

func decimalLeaf(precision, scale int) (leafType, bool) {
	if precision < 1 || precision > maxDecimalPrecision || scale < 0 || scale > precision {
		return leafType{}, false
	}
	logical := schema.NewDecimalLogicalType(int32(precision), int32(scale))
	switch {
	case precision <= 9:
		return leafType{parquet.Types.Int32, -1, logical}, true
	case precision <= 18:
		return leafType{parquet.Types.Int64, -1, logical}, true
	}
	return leafType{parquet.Types.FixedLenByteArray, decimalBytes(precision), logical}, true
}

// decimalBytes is the least number of bytes that hold every decimal of a precision in two's complement.
func decimalBytes(precision int) int {
	return decimalLimit(precision).BitLen()/8 + 1
}

// decimalLimit is the first unscaled value that a decimal of a precision cannot have.
func decimalLimit(precision int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(precision)), nil)
}

// isGeo reports whether bounds of a type are corners of a bounding box (rules 3.1).
func isGeo(t iceberg.Type) bool {
	switch t.(type) {
	case iceberg.GeometryType, iceberg.GeographyType:
		return true
	}
	return false
}

// boundTypeOf is leafTypeOf for the bounds of a column; geo bounds are groups and have no leaf type.
func boundTypeOf(t iceberg.Type) (leafType, bool) {
	if isGeo(t) {
		return leafType{}, true
	}
	return leafTypeOf(t)
}
