package manifestio

import (
	"github.com/apache/iceberg-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/tree"
)

// maxDecimalDigits is the largest precision of Iceberg's decimal type.
const maxDecimalDigits = 38

// valueForm says how a column's values become [tree.Value]s.
type valueForm struct {
	kind  tree.Kind
	scale int // of a decimal
}

// valueType returns the Iceberg type that a leaf column's Parquet type stands for (rules 4.1), and how its
// values are read. ok is false for a type that no partition field and no bound of the format has.
func valueType(n *fileNode) (typ iceberg.Type, form valueForm, ok bool) {
	types := iceberg.PrimitiveTypes
	a := n.annotation
	if a.name == "decimal" {
		return decimalType(n)
	}
	switch n.physical {
	case format.Boolean:
		return types.Bool, valueForm{kind: tree.KindBool}, a.name == ""
	case format.Int32:
		if a.name == "date" {
			return types.Date, valueForm{kind: tree.KindDate}, true
		}
		return types.Int32, valueForm{kind: tree.KindInt}, a.isInt(32)
	case format.Int64:
		return int64Type(a)
	case format.Float:
		return types.Float32, valueForm{kind: tree.KindFloat}, a.name == ""
	case format.Double:
		return types.Float64, valueForm{kind: tree.KindDouble}, a.name == ""
	case format.ByteArray:
		if a.name == "string" {
			return types.String, valueForm{kind: tree.KindString}, true
		}
		return types.Binary, valueForm{kind: tree.KindBinary}, a.name == ""
	case format.FixedLenByteArray:
		if a.name == "uuid" {
			return types.UUID, valueForm{kind: tree.KindUUID}, n.typeLength == 16
		}
		return iceberg.FixedTypeOf(n.typeLength), valueForm{kind: tree.KindFixed}, a.name == ""
	}
	return nil, valueForm{}, false
}

// isInt reports whether a column with the annotation holds signed numbers of at most the given width.
func (a fileAnnotation) isInt(bits int) bool {
	return a.name == "" || a.name == "int" && a.signed && a.bits <= bits
}

// int64Type is valueType for INT64.
func int64Type(a fileAnnotation) (iceberg.Type, valueForm, bool) {
	types := iceberg.PrimitiveTypes
	switch {
	case a.name == "time":
		return types.Time, valueForm{kind: tree.KindTime}, a.unit == "micros"
	case a.name == "timestamp" && a.unit == "micros" && a.utc:
		return types.TimestampTz, valueForm{kind: tree.KindTimestamp}, true
	case a.name == "timestamp" && a.unit == "micros":
		return types.Timestamp, valueForm{kind: tree.KindTimestamp}, true
	case a.name == "timestamp" && a.unit == "nanos" && a.utc:
		return types.TimestampTzNs, valueForm{kind: tree.KindTimestampNano}, true
	case a.name == "timestamp" && a.unit == "nanos":
		return types.TimestampNs, valueForm{kind: tree.KindTimestampNano}, true
	}
	return types.Int64, valueForm{kind: tree.KindLong}, a.isInt(64)
}

// decimalType is valueType for an annotated decimal of any physical type that Parquet allows.
func decimalType(n *fileNode) (iceberg.Type, valueForm, bool) {
	p, s := n.annotation.precision, n.annotation.scale
	if p < 1 || p > maxDecimalDigits || s < 0 || s > p {
		return nil, valueForm{}, false
	}
	switch n.physical {
	case format.Int32, format.Int64, format.ByteArray, format.FixedLenByteArray:
		return iceberg.DecimalTypeOf(p, s), valueForm{kind: tree.KindDecimal, scale: s}, true
	}
	return nil, valueForm{}, false
}

// isText reports whether a physical type's values are byte strings rather than numbers.
func isText(t format.Type) bool {
	return t == format.ByteArray || t == format.FixedLenByteArray || t == format.Int96
}

// appendValues appends the values of a vector, null where it has none.
func (f valueForm) appendValues(dst []tree.Value, v *vector) []tree.Value {
	for i := range v.n {
		switch {
		case !v.has(i):
			dst = append(dst, tree.Value{})
		case f.kind == tree.KindDecimal && v.text:
			dst = append(dst, tree.DecimalBytes([]byte(v.texts[i]), f.scale))
		case f.kind == tree.KindDecimal:
			dst = append(dst, tree.DecimalInt64(v.nums[i], f.scale))
		case v.text:
			dst = append(dst, tree.BytesValue(f.kind, v.texts[i]))
		default:
			dst = append(dst, tree.NumberValue(f.kind, v.nums[i]))
		}
	}
	return dst
}
