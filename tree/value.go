package tree

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/iceberg-go"
	"github.com/google/uuid"
)

// Kind is the kind of a [Value]. The zero Kind is null.
type Kind uint8

// The kinds of values that a partition tuple or a bound can have. Timestamps with and without zone share a
// kind: the column's type tells them apart.
const (
	KindNull Kind = iota
	KindBool
	KindInt
	KindLong
	KindFloat
	KindDouble
	KindDate
	KindTime
	KindTimestamp
	KindTimestampNano
	KindDecimal
	KindString
	KindBinary
	KindFixed
	KindUUID
	// KindGeo is a corner of a bounding box: x, y, z, m as in rules 3.1, offsets 10 to 17.
	KindGeo
)

var kindNames = [...]string{"null", "bool", "int", "long", "float", "double", "date", "time", "timestamp",
	"timestamp_ns", "decimal", "string", "binary", "fixed", "uuid", "geo"}

// String returns the kind's name.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Value is one typed value of a partition tuple or of a bound. It is comparable: two Values are == exactly
// when kind and content are the same, floats by their bits. The zero Value is null.
type Value struct {
	kind  Kind
	scale uint8 // of a decimal
	num   int64
	str   string
}

// Bool returns a boolean value.
func Bool(v bool) Value {
	if v {
		return Value{kind: KindBool, num: 1}
	}
	return Value{kind: KindBool}
}

// Int returns an int value.
func Int(v int32) Value { return Value{kind: KindInt, num: int64(v)} }

// Long returns a long value.
func Long(v int64) Value { return Value{kind: KindLong, num: v} }

// Float returns a float value, kept bit by bit.
func Float(v float32) Value { return Value{kind: KindFloat, num: int64(math.Float32bits(v))} }

// Double returns a double value, kept bit by bit.
func Double(v float64) Value { return Value{kind: KindDouble, num: int64(math.Float64bits(v))} }

// Date returns a date in days since 1970-01-01.
func Date(days int32) Value { return Value{kind: KindDate, num: int64(days)} }

// Time returns a time of day in microseconds.
func Time(micros int64) Value { return Value{kind: KindTime, num: micros} }

// Timestamp returns an instant in microseconds since the epoch.
func Timestamp(micros int64) Value { return Value{kind: KindTimestamp, num: micros} }

// TimestampNano returns an instant in nanoseconds since the epoch.
func TimestampNano(nanos int64) Value { return Value{kind: KindTimestampNano, num: nanos} }

// String returns a string value.
func String(v string) Value { return Value{kind: KindString, str: v} }

// Binary returns a binary value; v is copied.
func Binary(v []byte) Value { return Value{kind: KindBinary, str: string(v)} }

// Fixed returns a fixed-length binary value; v is copied.
func Fixed(v []byte) Value { return Value{kind: KindFixed, str: string(v)} }

// UUID returns a uuid value.
func UUID(v uuid.UUID) Value { return Value{kind: KindUUID, str: string(v[:])} }

// BytesValue returns a value of one of the kinds that hold bytes (string, binary, fixed, uuid) without
// copying v.
func BytesValue(kind Kind, v string) Value { return Value{kind: kind, str: v} }

// NumberValue returns a value of one of the kinds that hold a number: bool, int, long, date, time and both
// timestamps as they are, float and double as their bits.
func NumberValue(kind Kind, bits int64) Value { return Value{kind: kind, num: bits} }

// Decimal returns a decimal with this unscaled value.
func Decimal(n *big.Int, scale int) Value {
	if n.IsInt64() {
		return DecimalInt64(n.Int64(), scale)
	}
	size := n.BitLen()/8 + 1
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
	}
	return DecimalBytes(n.FillBytes(make([]byte, size)), scale)
}

// DecimalInt64 returns a decimal whose unscaled value fits 64 bits.
func DecimalInt64(unscaled int64, scale int) Value {
	return Value{kind: KindDecimal, scale: uint8(scale), num: unscaled}
}

// DecimalBytes returns a decimal from the big-endian two's complement of its unscaled value.
func DecimalBytes(unscaled []byte, scale int) Value {
	unscaled = trimDecimal(unscaled)
	if len(unscaled) <= 8 {
		return DecimalInt64(signExtend(unscaled), scale)
	}
	return Value{kind: KindDecimal, scale: uint8(scale), str: string(unscaled)}
}

// Geo returns a corner of a bounding box; z and m are NaN where the box has none.
func Geo(x, y, z, m float64) Value {
	var b [32]byte
	for i, f := range [...]float64{x, y, z, m} {
		binary.BigEndian.PutUint64(b[8*i:], math.Float64bits(f))
	}
	return Value{kind: KindGeo, str: string(b[:])}
}

// Kind returns the value's kind.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether the value is null.
func (v Value) IsNull() bool { return v.kind == KindNull }

// Number returns what [NumberValue] took.
func (v Value) Number() int64 { return v.num }

// Bytes returns the content of a value of a kind that holds bytes, as a string to forbid changing it.
func (v Value) Bytes() string { return v.str }

// Float64 returns a float or double as a number.
func (v Value) Float64() float64 {
	if v.kind == KindFloat {
		return float64(math.Float32frombits(uint32(v.num)))
	}
	return math.Float64frombits(uint64(v.num))
}

// IsNaN reports whether the value is a float or double NaN.
func (v Value) IsNaN() bool {
	return (v.kind == KindFloat || v.kind == KindDouble) && math.IsNaN(v.Float64())
}

// GeoCorner returns what [Geo] took.
func (v Value) GeoCorner() (x, y, z, m float64) {
	var f [4]float64
	for i := range f {
		f[i] = math.Float64frombits(binary.BigEndian.Uint64([]byte(v.str[8*i : 8*i+8])))
	}
	return f[0], f[1], f[2], f[3]
}

// Unscaled returns a decimal's unscaled value and its scale.
func (v Value) Unscaled() (*big.Int, int) {
	if v.str == "" {
		return big.NewInt(v.num), int(v.scale)
	}
	n := new(big.Int).SetBytes([]byte(v.str))
	if v.str[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(v.str))))
	}
	return n, int(v.scale)
}

// UnscaledInt64 returns a decimal's unscaled value and whether it fits 64 bits.
func (v Value) UnscaledInt64() (int64, bool) { return v.num, v.str == "" }

// Scale returns a decimal's scale.
func (v Value) Scale() int { return int(v.scale) }

// Literal returns the value as iceberg-go holds it; a null, a geo corner, a decimal beyond 38 digits and a uuid that
// is not 16 bytes have no literal.
func (v Value) Literal() (iceberg.Literal, bool) {
	switch v.kind {
	case KindBool:
		return iceberg.NewLiteral(v.num != 0), true
	case KindInt:
		return iceberg.NewLiteral(int32(v.num)), true
	case KindLong:
		return iceberg.NewLiteral(v.num), true
	case KindFloat:
		return iceberg.NewLiteral(math.Float32frombits(uint32(v.num))), true
	case KindDouble:
		return iceberg.NewLiteral(math.Float64frombits(uint64(v.num))), true
	case KindDate:
		return iceberg.NewLiteral(iceberg.Date(v.num)), true
	case KindTime:
		return iceberg.NewLiteral(iceberg.Time(v.num)), true
	case KindTimestamp:
		return iceberg.NewLiteral(iceberg.Timestamp(v.num)), true
	case KindTimestampNano:
		return iceberg.NewLiteral(iceberg.TimestampNano(v.num)), true
	case KindString:
		return iceberg.NewLiteral(v.str), true
	case KindBinary:
		return iceberg.NewLiteral([]byte(v.str)), true
	case KindFixed:
		return iceberg.FixedLiteral(v.str), true
	case KindUUID:
		id, err := uuid.FromBytes([]byte(v.str))
		return iceberg.NewLiteral(id), err == nil
	case KindDecimal:
		n, scale := v.Unscaled()
		if n.BitLen() > 127 {
			return nil, false
		}
		return iceberg.NewLiteral(iceberg.Decimal{Val: decimal128.FromBigInt(n), Scale: scale}), true
	}
	return nil, false
}

// FromLiteral returns the value of an iceberg-go literal.
func FromLiteral(l iceberg.Literal) (Value, error) {
	switch x := l.Any().(type) {
	case bool:
		return Bool(x), nil
	case int32:
		return Int(x), nil
	case int64:
		return Long(x), nil
	case float32:
		return Float(x), nil
	case float64:
		return Double(x), nil
	case iceberg.Date:
		return Date(int32(x)), nil
	case iceberg.Time:
		return Time(int64(x)), nil
	case iceberg.Timestamp:
		return Timestamp(int64(x)), nil
	case iceberg.TimestampNano:
		return TimestampNano(int64(x)), nil
	case string:
		return String(x), nil
	case []byte:
		if _, fixed := l.Type().(iceberg.FixedType); fixed {
			return Fixed(x), nil
		}
		return Binary(x), nil
	case uuid.UUID:
		return UUID(x), nil
	case iceberg.Decimal:
		return Decimal(x.Val.BigInt(), x.Scale), nil
	}
	return Value{}, fmt.Errorf("tree: a literal of type %s is no value of a manifest", l.Type())
}

func trimDecimal(b []byte) []byte {
	for len(b) > 1 && (b[0] == 0 && b[1]&0x80 == 0 || b[0] == 0xff && b[1]&0x80 != 0) {
		b = b[1:]
	}
	return b
}

func signExtend(b []byte) int64 {
	if len(b) == 0 {
		return 0
	}
	n := int64(int8(b[0]))
	for _, c := range b[1:] {
		n = n<<8 | int64(c)
	}
	return n
}

// Compare orders two values of one kind as Iceberg orders bounds: strings, binaries and uuids by unsigned
// bytes (B36), floats with -0.0 below +0.0 and NaN above all, decimals of one scale by number. Values of
// different kinds are ordered by kind, null first.
func Compare(a, b Value) int {
	if a.kind != b.kind {
		return cmp.Compare(a.kind, b.kind)
	}
	switch a.kind {
	case KindFloat, KindDouble:
		return compareFloats(a.Float64(), b.Float64())
	case KindString, KindBinary, KindFixed, KindUUID, KindGeo:
		return strings.Compare(a.str, b.str)
	case KindDecimal:
		if a.str == "" && b.str == "" {
			return cmp.Compare(a.num, b.num)
		}
		x, _ := a.Unscaled()
		y, _ := b.Unscaled()
		return x.Cmp(y)
	}
	return cmp.Compare(a.num, b.num)
}

func compareFloats(x, y float64) int {
	switch {
	case math.IsNaN(x) || math.IsNaN(y):
		return cmp.Compare(boolInt(math.IsNaN(x)), boolInt(math.IsNaN(y)))
	case x == 0 && y == 0:
		return cmp.Compare(boolInt(!math.Signbit(x)), boolInt(!math.Signbit(y)))
	}
	return cmp.Compare(x, y)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// String prints the value for people; binaries in hex.
func (v Value) String() string {
	switch v.kind {
	case KindNull:
		return "null"
	case KindBinary, KindFixed:
		return fmt.Sprintf("0x%x", v.str)
	case KindString:
		return v.str
	case KindGeo:
		x, y, z, m := v.GeoCorner()
		return fmt.Sprintf("(%g %g %g %g)", x, y, z, m)
	case KindFloat, KindDouble:
		return fmt.Sprint(v.Float64())
	}
	if l, ok := v.Literal(); ok {
		return l.String()
	}
	if v.kind == KindDecimal {
		n, scale := v.Unscaled()
		return fmt.Sprintf("%se-%d", n, scale)
	}
	return fmt.Sprintf("0x%x", v.str)
}
