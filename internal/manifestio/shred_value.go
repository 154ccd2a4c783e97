package manifestio

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// valueAppender returns the appender of a column of type t. Values of kinds that the schema has promoted since
// they were written are promoted (rules 3.5); other kinds are refused.
func valueAppender(t iceberg.Type, typ leafType) appender[tree.Value] {
	const dayMicros, dayNanos = 86_400_000_000, 86_400_000_000_000
	switch t := t.(type) {
	case iceberg.BooleanType:
		return appendBool
	case iceberg.Int32Type:
		return appendInts(tree.KindInt, t)
	case iceberg.DateType:
		return appendInts(tree.KindDate, t)
	case iceberg.Int64Type:
		return appendLongs(tree.KindLong, tree.KindInt, 1, t)
	case iceberg.TimeType:
		return appendLongs(tree.KindTime, tree.KindTime, 1, t)
	case iceberg.TimestampType:
		return appendLongs(tree.KindTimestamp, tree.KindDate, dayMicros, t)
	case iceberg.TimestampNsType:
		return appendLongs(tree.KindTimestampNano, tree.KindDate, dayNanos, t)
	case iceberg.TimestampTzType:
		return appendLongs(tree.KindTimestamp, tree.KindTimestamp, 1, t)
	case iceberg.TimestampTzNsType:
		return appendLongs(tree.KindTimestampNano, tree.KindTimestampNano, 1, t)
	case iceberg.Float32Type:
		return appendFloat
	case iceberg.Float64Type:
		return appendDouble
	case iceberg.StringType:
		return appendString
	case iceberg.BinaryType:
		return appendBinary
	case iceberg.FixedType:
		return appendFixed(t, tree.KindFixed, typ.length)
	case iceberg.UUIDType:
		return appendFixed(t, tree.KindUUID, typ.length)
	case iceberg.DecimalType:
		return appendDecimals(t, typ)
	}
	return nil // leafTypeOf has no such type
}

// notNaN refuses what bounds never are (rules 3.6).
func notNaN(put appender[tree.Value]) appender[tree.Value] {
	return func(dst []byte, v *tree.Value) ([]byte, bool, error) {
		if v.IsNaN() {
			return nil, false, errNaNBound
		}
		return put(dst, v)
	}
}

var (
	errNaNBound = errors.New("NaN is no bound")
	errNotUTF8  = errors.New("a string that is not UTF-8")
)

// kindError refuses a value that no promotion brings to type t.
func kindError(v *tree.Value, t iceberg.Type) error {
	return fmt.Errorf("a value of kind %s does not fit type %s", v.Kind(), t)
}

func appendBool(dst []byte, v *tree.Value) ([]byte, bool, error) {
	if v.Kind() != tree.KindBool {
		return nil, false, kindError(v, iceberg.PrimitiveTypes.Bool)
	}
	return putBool(dst, v.Number() != 0)
}

func appendInts(kind tree.Kind, t iceberg.Type) appender[tree.Value] {
	return func(dst []byte, v *tree.Value) ([]byte, bool, error) {
		if v.Kind() != kind {
			return nil, false, kindError(v, t)
		}
		return putInt(dst, int32(v.Number()))
	}
}

// appendLongs takes numbers of one kind, and of a narrower kind whose unit is factor times the column's.
func appendLongs(kind, narrower tree.Kind, factor int64, t iceberg.Type) appender[tree.Value] {
	return func(dst []byte, v *tree.Value) ([]byte, bool, error) {
		if v.Kind() == kind {
			return putLong(dst, v.Number())
		}
		if v.Kind() != narrower {
			return nil, false, kindError(v, t)
		}
		n := v.Number() * factor
		if n/factor != v.Number() {
			return nil, false, fmt.Errorf("%s %s is out of the range of %s", v.Kind(), v, t)
		}
		return putLong(dst, n)
	}
}

func appendFloat(dst []byte, v *tree.Value) ([]byte, bool, error) {
	if v.Kind() != tree.KindFloat {
		return nil, false, kindError(v, iceberg.PrimitiveTypes.Float32)
	}
	return putInt(dst, int32(v.Number())) // bit by bit
}

func appendDouble(dst []byte, v *tree.Value) ([]byte, bool, error) {
	if k := v.Kind(); k != tree.KindDouble && k != tree.KindFloat {
		return nil, false, kindError(v, iceberg.PrimitiveTypes.Float64)
	}
	return putLong(dst, int64(math.Float64bits(v.Float64())))
}

func appendString(dst []byte, v *tree.Value) ([]byte, bool, error) {
	if v.Kind() != tree.KindString {
		return nil, false, kindError(v, iceberg.PrimitiveTypes.String)
	}
	if !utf8.ValidString(v.Bytes()) {
		return nil, false, errNotUTF8
	}
	return putString(dst, v.Bytes())
}

func appendBinary(dst []byte, v *tree.Value) ([]byte, bool, error) {
	if v.Kind() != tree.KindBinary {
		return nil, false, kindError(v, iceberg.PrimitiveTypes.Binary)
	}
	return putString(dst, v.Bytes())
}

func appendFixed(t iceberg.Type, kind tree.Kind, length int) appender[tree.Value] {
	return func(dst []byte, v *tree.Value) ([]byte, bool, error) {
		if v.Kind() != kind {
			return nil, false, kindError(v, t)
		}
		if len(v.Bytes()) != length {
			return nil, false, fmt.Errorf("%d bytes do not fit type %s", len(v.Bytes()), t)
		}
		return append(dst, v.Bytes()...), true, nil
	}
}

// appendDecimals takes decimals of the column's scale, in the physical type of its precision (rules 4.1).
func appendDecimals(t iceberg.DecimalType, typ leafType) appender[tree.Value] {
	limit := decimalLimit(t.Precision())
	switch typ.physical {
	case parquet.Types.Int32:
		return appendShortDecimals(t, limit.Int64(), func(dst []byte, n int64) ([]byte, bool, error) { return putInt(dst, int32(n)) })
	case parquet.Types.Int64:
		return appendShortDecimals(t, limit.Int64(), putLong)
	}
	return appendLongDecimals(t, limit, typ.length)
}

func decimalError(v *tree.Value, t iceberg.Type) error {
	if v.Kind() != tree.KindDecimal {
		return kindError(v, t)
	}
	return fmt.Errorf("decimal %s does not fit type %s", v, t)
}

func appendShortDecimals(t iceberg.DecimalType, limit int64, put func([]byte, int64) ([]byte, bool, error)) appender[tree.Value] {
	return func(dst []byte, v *tree.Value) ([]byte, bool, error) {
		n, ok := v.UnscaledInt64()
		if !ok || v.Kind() != tree.KindDecimal || v.Scale() != t.Scale() || n >= limit || n <= -limit {
			return nil, false, decimalError(v, t)
		}
		return put(dst, n)
	}
}

// appendLongDecimals writes two's complement of a fixed length.
func appendLongDecimals(t iceberg.DecimalType, limit *big.Int, length int) appender[tree.Value] {
	largest := new(big.Int).Sub(limit, big.NewInt(1)).FillBytes(make([]byte, length))
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(8*length))
	smallest := modulus.Sub(modulus, new(big.Int).SetBytes(largest)).FillBytes(make([]byte, length))
	return func(dst []byte, v *tree.Value) ([]byte, bool, error) {
		if v.Kind() != tree.KindDecimal || v.Scale() != t.Scale() || len(v.Bytes()) > length {
			return nil, false, decimalError(v, t)
		}
		start := len(dst)
		dst = extendDecimal(dst, v, length)
		// Two's complement sorts as unsigned bytes among numbers of one sign.
		x := dst[start:]
		if negative := x[0]&0x80 != 0; !negative && bytes.Compare(x, largest) > 0 || negative && bytes.Compare(x, smallest) < 0 {
			return nil, false, decimalError(v, t)
		}
		return dst, true, nil
	}
}

// extendDecimal appends the unscaled value of a decimal, sign-extended to length bytes.
func extendDecimal(dst []byte, v *tree.Value, length int) []byte {
	if n, short := v.UnscaledInt64(); short {
		for i := length - 1; i >= 0; i-- {
			dst = append(dst, byte(n>>min(8*i, 63)))
		}
		return dst
	}
	sign := byte(int8(v.Bytes()[0]) >> 7)
	for range length - len(v.Bytes()) {
		dst = append(dst, sign)
	}
	return append(dst, v.Bytes()...)
}
