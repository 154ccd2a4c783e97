package tree

import "github.com/apache/iceberg-go"

// KindOf returns the kind of the values of a column or partition field of a type; ok is false for types whose
// values stand in no tuple and no bound: nested ones, variant and unknown.
func KindOf(t iceberg.Type) (kind Kind, ok bool) {
	switch t.(type) {
	case iceberg.BooleanType:
		return KindBool, true
	case iceberg.Int32Type:
		return KindInt, true
	case iceberg.Int64Type:
		return KindLong, true
	case iceberg.Float32Type:
		return KindFloat, true
	case iceberg.Float64Type:
		return KindDouble, true
	case iceberg.DateType:
		return KindDate, true
	case iceberg.TimeType:
		return KindTime, true
	case iceberg.TimestampType, iceberg.TimestampTzType:
		return KindTimestamp, true
	case iceberg.TimestampNsType, iceberg.TimestampTzNsType:
		return KindTimestampNano, true
	case iceberg.DecimalType:
		return KindDecimal, true
	case iceberg.StringType:
		return KindString, true
	case iceberg.BinaryType:
		return KindBinary, true
	case iceberg.FixedType:
		return KindFixed, true
	case iceberg.UUIDType:
		return KindUUID, true
	case iceberg.GeometryType, iceberg.GeographyType:
		return KindGeo, true
	}
	return KindNull, false
}
