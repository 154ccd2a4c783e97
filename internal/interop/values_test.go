package interop_test

import (
	"fmt"
	"math"
	"math/big"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firn-io/firn/tree"
)

// columnTypes has each type whose bounds are single values.
var columnTypes = []iceberg.Type{
	iceberg.PrimitiveTypes.Bool, iceberg.PrimitiveTypes.Int32, iceberg.PrimitiveTypes.Int64,
	iceberg.PrimitiveTypes.Float32, iceberg.PrimitiveTypes.Float64,
	iceberg.PrimitiveTypes.Date, iceberg.PrimitiveTypes.Time,
	iceberg.PrimitiveTypes.Timestamp, iceberg.PrimitiveTypes.TimestampTz,
	iceberg.PrimitiveTypes.TimestampNs, iceberg.PrimitiveTypes.TimestampTzNs,
	iceberg.DecimalTypeOf(9, 2), iceberg.DecimalTypeOf(18, 4), iceberg.DecimalTypeOf(38, 10), iceberg.DecimalTypeOf(20, 0),
	iceberg.PrimitiveTypes.String, iceberg.PrimitiveTypes.Binary, iceberg.PrimitiveTypes.UUID, iceberg.FixedTypeOf(7),
}

// columns returns an optional column of each type, with the field ids from 1.
func columns(types []iceberg.Type) []iceberg.NestedField {
	var fields []iceberg.NestedField
	for i, t := range types {
		fields = append(fields, iceberg.NestedField{ID: i + 1, Name: fmt.Sprintf("c%02d", i+1), Type: t})
	}
	return fields
}

// samples returns some values of a type, ascending, with those at the ends of its range. No uuid has its first bit
// set, for Apache's Java code orders uuids as signed numbers.
func samples(t iceberg.Type) []tree.Value {
	switch t := t.(type) {
	case iceberg.BooleanType:
		return list(tree.Bool, false, true)
	case iceberg.Int32Type:
		return list(tree.Int, math.MinInt32, -1, 0, math.MaxInt32)
	case iceberg.Int64Type:
		return list(tree.Long, math.MinInt64, -1, 0, 1<<53+1, math.MaxInt64)
	case iceberg.Float32Type:
		return list(tree.Float, float32(math.Inf(-1)), float32(math.Copysign(0, -1)), 0, 0.1, math.MaxFloat32)
	case iceberg.Float64Type:
		return list(tree.Double, -math.MaxFloat64, math.Copysign(0, -1), 0, 0.1, math.Inf(1))
	case iceberg.DateType:
		return list(tree.Date, -719_162, -1, 0, 20_786, 2_932_896)
	case iceberg.TimeType:
		return list(tree.Time, 0, 1, 86_399_999_999)
	case iceberg.TimestampType, iceberg.TimestampTzType:
		return list(tree.Timestamp, -62_135_596_800_000_000, -1, 0, 1_795_000_000_123_456, 253_402_300_799_999_999)
	case iceberg.TimestampNsType, iceberg.TimestampTzNsType:
		return list(tree.TimestampNano, -9_000_000_000_000_000_001, -1, 0, 1_795_000_000_123_456_789, 9_000_000_000_000_000_001)
	case iceberg.DecimalType:
		return decimals(t)
	case iceberg.StringType:
		return list(tree.String, "", "a +%20/=&<>'", "é 漢字", "😀")
	case iceberg.BinaryType:
		return list(tree.Binary, []byte{}, []byte{0}, []byte{0x7f, 0}, []byte{0xff, 0xfe})
	case iceberg.UUIDType:
		return list(tree.UUID, uuid.Nil, uuid.MustParse("00112233-4455-6677-8899-aabbccddeeff"), uuid.MustParse("7fffffff-ffff-ffff-ffff-ffffffffffff"))
	case iceberg.FixedType:
		return list(tree.Fixed, make([]byte, t.Len()), append(make([]byte, t.Len()-1), 1), append([]byte{0xff}, make([]byte, t.Len()-1)...))
	}
	panic(fmt.Sprintf("no samples of %s", t))
}

func list[T any](value func(T) tree.Value, of ...T) []tree.Value {
	var values []tree.Value
	for _, v := range of {
		values = append(values, value(v))
	}
	return values
}

// decimals returns the least and the greatest decimal of a type, and some between.
func decimals(t iceberg.DecimalType) []tree.Value {
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Precision())), nil)
	most := limit.Sub(limit, big.NewInt(1))
	decimal := func(n *big.Int) tree.Value { return tree.Decimal(n, t.Scale()) }
	return list(decimal, new(big.Int).Neg(most), big.NewInt(-1), big.NewInt(0), big.NewInt(123), most)
}

// sample returns sample i of a type, counting on from the first after the last.
func sample(t iceberg.Type, i int) tree.Value {
	all := samples(t)
	return all[i%len(all)]
}

// statsOf returns what file i knows of a column: for some files nothing but counts, as of a column without values, or
// bounds that are not tight.
func statsOf(f iceberg.NestedField, i int, records int64) tree.FieldStats {
	s := tree.FieldStats{FieldID: f.ID, Tight: some(false), ValueCount: some(records), NullCount: some(records)}
	if floats(f.Type) {
		s.NaNCount = some[int64](0)
	}
	if i%4 == 3 {
		return s
	}
	s.Lower, s.Upper = sample(f.Type, i), sample(f.Type, i+1)
	if tree.Compare(s.Lower, s.Upper) > 0 {
		s.Lower, s.Upper = s.Upper, s.Lower
	}
	s.Tight, s.NullCount = some(i%2 == 0), some(records/2)
	if sized(f.Type) {
		s.AvgSizeBytes = some(int32(i + 3))
	}
	return s
}

func floats(t iceberg.Type) bool {
	switch t.(type) {
	case iceberg.Float32Type, iceberg.Float64Type:
		return true
	}
	return false
}

// sized reports whether values of a type differ in size, so that statistics have their mean.
func sized(t iceberg.Type) bool {
	switch t.(type) {
	case iceberg.StringType, iceberg.BinaryType, iceberg.GeometryType, iceberg.GeographyType:
		return true
	}
	return false
}

func some[T any](v T) iceberg.Optional[T] { return iceberg.Optional[T]{Val: v, Valid: true} }
