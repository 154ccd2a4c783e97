package datafile

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/apache/iceberg-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/tree"
)

// leafType is the Iceberg type of a leaf column and how to get from its stored values to values of that type
// (rules 4.1). Annotations that Iceberg does not write but that keep their meaning are taken too: milliseconds,
// unsigned integers of up to 32 bits, enumerations and JSON as text.
type leafType struct {
	typ      iceberg.Type
	physical format.Type
	// width is the length of a FIXED_LEN_BYTE_ARRAY.
	width int
	// factor turns the stored unit into Iceberg's.
	factor int64
	// unsigned is set for 32-bit integers without a sign.
	unsigned bool
}

// leafTypeOf returns the type of a leaf element, or what is wrong with it.
func leafTypeOf(e *rawNode) (*leafType, string) {
	t := &leafType{physical: e.Type.V, width: int(e.TypeLength.V), factor: 1}
	switch e.note.kind {
	case noteNone:
		t.typ = t.plain()
	case noteNull:
		t.typ = iceberg.PrimitiveTypes.Unknown
	case noteInteger:
		t.typ = t.integer(e.note)
	case noteDecimal:
		t.typ = t.decimal(e.note)
	case noteDate:
		t.typ = t.only(format.Int32, iceberg.PrimitiveTypes.Date)
	case noteTime:
		t.typ = t.time(e.note)
	case noteTimestamp:
		t.typ = t.timestamp(e.note)
	case noteString, noteEnum, noteJSON:
		t.typ = t.only(format.ByteArray, iceberg.PrimitiveTypes.String)
	case noteBSON:
		t.typ = t.only(format.ByteArray, iceberg.PrimitiveTypes.Binary)
	case noteUUID:
		if t.width == 16 {
			t.typ = t.only(format.FixedLenByteArray, iceberg.PrimitiveTypes.UUID)
		}
	case noteGeometry, noteGeography:
		t.typ = t.only(format.ByteArray, geoType(e.note))
	}
	if t.typ == nil {
		return nil, fmt.Sprintf("%s annotated %s, which has no Iceberg type", e.Type.V, describeNote(e.note))
	}
	return t, ""
}

func describeNote(n annotation) string {
	switch {
	case n.kind == noteNone:
		return "with nothing"
	case n.isTemporal():
		return fmt.Sprintf("%s(%s)", noteNames[n.kind], n.unit)
	case n.kind == noteInteger:
		return fmt.Sprintf("INTEGER(%d, signed=%t)", n.bits, n.signed)
	case n.kind == noteDecimal:
		return fmt.Sprintf("DECIMAL(%d, %d)", n.precision, n.scale)
	}
	return noteNames[n.kind]
}

func (t *leafType) only(physical format.Type, typ iceberg.Type) iceberg.Type {
	if t.physical != physical {
		return nil
	}
	return typ
}

func (t *leafType) plain() iceberg.Type {
	switch t.physical {
	case format.Boolean:
		return iceberg.PrimitiveTypes.Bool
	case format.Int32:
		return iceberg.PrimitiveTypes.Int32
	case format.Int64:
		return iceberg.PrimitiveTypes.Int64
	case format.Float:
		return iceberg.PrimitiveTypes.Float32
	case format.Double:
		return iceberg.PrimitiveTypes.Float64
	case format.ByteArray:
		return iceberg.PrimitiveTypes.Binary
	case format.FixedLenByteArray:
		return iceberg.FixedTypeOf(t.width)
	}
	return nil // INT96 has neither an order nor a place in the format
}

func (t *leafType) integer(n annotation) iceberg.Type {
	switch {
	case n.bits == 64 && n.signed:
		return t.only(format.Int64, iceberg.PrimitiveTypes.Int64)
	case n.bits == 32 && !n.signed:
		t.unsigned = true
		return t.only(format.Int32, iceberg.PrimitiveTypes.Int64)
	case n.bits == 8 || n.bits == 16 || n.bits == 32:
		return t.only(format.Int32, iceberg.PrimitiveTypes.Int32)
	}
	return nil
}

func (t *leafType) decimal(n annotation) iceberg.Type {
	const maxPrecision = 38
	switch {
	case n.precision < 1 || n.precision > maxPrecision || n.scale < 0 || n.scale > n.precision:
		return nil
	case t.physical == format.Int32, t.physical == format.Int64, t.physical == format.ByteArray, t.physical == format.FixedLenByteArray:
		return iceberg.DecimalTypeOf(n.precision, n.scale)
	}
	return nil
}

func (t *leafType) time(n annotation) iceberg.Type {
	switch n.unit {
	case unitMillis:
		t.factor = 1000
		return t.only(format.Int32, iceberg.PrimitiveTypes.Time)
	case unitMicros:
		return t.only(format.Int64, iceberg.PrimitiveTypes.Time)
	}
	return nil
}

func (t *leafType) timestamp(n annotation) iceberg.Type {
	micros, nanos := iceberg.Type(iceberg.PrimitiveTypes.Timestamp), iceberg.Type(iceberg.PrimitiveTypes.TimestampNs)
	if n.utc {
		micros, nanos = iceberg.PrimitiveTypes.TimestampTz, iceberg.PrimitiveTypes.TimestampTzNs
	}
	switch n.unit {
	case unitMillis:
		t.factor = 1000
		return t.only(format.Int64, micros)
	case unitMicros:
		return t.only(format.Int64, micros)
	case unitNanos:
		return t.only(format.Int64, nanos)
	}
	return nil
}

func geoType(n annotation) iceberg.Type {
	crs := n.crs
	if crs == "" {
		crs = iceberg.DefaultGeoCRS
	}
	if n.kind == noteGeometry {
		if typ, err := iceberg.GeometryTypeOf(crs); err == nil {
			return typ
		}
		return nil
	}
	edges := strings.ToLower(n.edges.String())
	if typ, err := iceberg.GeographyTypeOf(crs, edges); err == nil {
		return typ
	}
	return nil
}

// raw is a stored value: an integer, a boolean as 0 or 1, a float as its bits, or bytes, which the next value of
// the column may overwrite.
type raw struct {
	num   int64
	bytes []byte
}

// plainValue reads one value in the form in which statistics hold it.
func plainValue(physical format.Type, width int, b []byte) (raw, bool) {
	switch {
	case physical == format.Boolean && len(b) == 1:
		return raw{num: int64(b[0] & 1)}, true
	case physical == format.Int32 && len(b) == 4:
		return raw{num: int64(int32(binary.LittleEndian.Uint32(b)))}, true
	case physical == format.Float && len(b) == 4:
		return raw{num: int64(binary.LittleEndian.Uint32(b))}, true
	case (physical == format.Int64 || physical == format.Double) && len(b) == 8:
		return raw{num: int64(binary.LittleEndian.Uint64(b))}, true
	case physical == format.ByteArray, physical == format.FixedLenByteArray && len(b) == width:
		return raw{bytes: b}, true
	}
	return raw{}, false
}

// value returns a stored value as one of the leaf's Iceberg type. It owns its memory.
func (t *leafType) value(r raw) (tree.Value, error) {
	switch typ := t.typ.(type) {
	case iceberg.StringType:
		if !utf8.Valid(r.bytes) {
			return tree.Value{}, malformed("a string that is not UTF-8")
		}
		return tree.BytesValue(tree.KindString, string(r.bytes)), nil
	case iceberg.BinaryType:
		return tree.Binary(r.bytes), nil
	case iceberg.FixedType:
		return tree.Fixed(r.bytes), nil
	case iceberg.UUIDType:
		return tree.BytesValue(tree.KindUUID, string(r.bytes)), nil
	case iceberg.DecimalType:
		return t.decimalValue(r, typ)
	}
	kind, known := numberKinds[t.typ.Type()]
	if !known {
		return tree.Value{}, malformed("a value in a column of type %s", t.typ)
	}
	if t.unsigned {
		r.num &= math.MaxUint32
	}
	if r.num > math.MaxInt64/t.factor || r.num < math.MinInt64/t.factor {
		return tree.Value{}, malformed("a %s of %d milliseconds", t.typ, r.num)
	}
	return tree.NumberValue(kind, r.num*t.factor), nil
}

// numberKinds are the kinds of values that are numbers, by the name of their type.
var numberKinds = map[string]tree.Kind{
	iceberg.PrimitiveTypes.Bool.Type():          tree.KindBool,
	iceberg.PrimitiveTypes.Int32.Type():         tree.KindInt,
	iceberg.PrimitiveTypes.Int64.Type():         tree.KindLong,
	iceberg.PrimitiveTypes.Float32.Type():       tree.KindFloat,
	iceberg.PrimitiveTypes.Float64.Type():       tree.KindDouble,
	iceberg.PrimitiveTypes.Date.Type():          tree.KindDate,
	iceberg.PrimitiveTypes.Time.Type():          tree.KindTime,
	iceberg.PrimitiveTypes.Timestamp.Type():     tree.KindTimestamp,
	iceberg.PrimitiveTypes.TimestampTz.Type():   tree.KindTimestamp,
	iceberg.PrimitiveTypes.TimestampNs.Type():   tree.KindTimestampNano,
	iceberg.PrimitiveTypes.TimestampTzNs.Type(): tree.KindTimestampNano,
}

func (t *leafType) decimalValue(r raw, typ iceberg.DecimalType) (tree.Value, error) {
	if t.physical == format.Int32 || t.physical == format.Int64 {
		return tree.DecimalInt64(r.num, typ.Scale()), nil
	}
	if len(r.bytes) == 0 {
		return tree.Value{}, malformed("a decimal without bytes")
	}
	return tree.DecimalBytes(r.bytes, typ.Scale()), nil
}

// promote returns a value as one of the type to which its column was widened.
func promote(v tree.Value, to iceberg.Type) tree.Value {
	switch to.(type) {
	case iceberg.Int64Type:
		if v.Kind() == tree.KindInt {
			return tree.Long(v.Number())
		}
	case iceberg.Float64Type:
		if v.Kind() == tree.KindFloat {
			return tree.Double(v.Float64())
		}
	}
	return v
}
