package parquetguard

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// shape is what parquet-go's Thrift decoder expects of a value, taken from the struct tags that drive the decoder.
// A field of another type than expected would make it lose its place, and a lost decoder allocates what stray bytes
// claim; so a value must have its shape before the decoder gets it.
type shape struct {
	wire     byte
	elem     *shape         // of a list
	fields   map[int]*shape // of a struct, those that the decoder knows
	required []int
}

// wireTypes are the wire types of the kinds that need no further look.
var wireTypes = map[reflect.Kind]byte{
	reflect.Bool: WireTrue, reflect.Int8: WireInt8, reflect.Int16: WireInt16, reflect.Int32: WireInt32,
	reflect.Int64: WireInt64, reflect.Float64: WireDouble, reflect.String: WireBinary,
}

// shapeOf returns the shape of a type of the library. It panics on one that has none, which no input can cause.
func shapeOf(t reflect.Type) *shape {
	switch kind := t.Kind(); {
	case wireTypes[kind] != 0:
		return &shape{wire: wireTypes[kind]}
	case kind == reflect.Pointer:
		return shapeOf(t.Elem())
	case kind == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return &shape{wire: WireBinary}
	case kind == reflect.Slice:
		return &shape{wire: WireList, elem: shapeOf(t.Elem())}
	case kind == reflect.Struct && t.Implements(reflect.TypeFor[thrift.Value]()): // thrift.Null[T]
		return shapeOf(t.Field(0).Type)
	case kind == reflect.Struct:
		return structShape(t)
	}
	panic(fmt.Sprintf("parquetguard: %s in a Thrift struct", t))
}

func structShape(t reflect.Type) *shape {
	s := &shape{wire: WireStruct, fields: make(map[int]*shape)}
	for i := range t.NumField() {
		f := t.Field(i)
		options := strings.Split(f.Tag.Get("thrift"), ",")
		id, err := strconv.Atoi(options[0])
		if err != nil {
			panic(fmt.Sprintf("parquetguard: %s.%s has no field id", t, f.Name))
		}
		s.fields[id] = shapeOf(f.Type)
		if slices.Contains(options, "required") {
			s.required = append(s.required, id)
		}
	}
	return s
}

// check reads a value and fails the reader unless it has the shape. Fields that the decoder does not know are
// passed over, as it does.
func (s *shape) check(t *Reader, typ byte) {
	switch {
	case s.wire == WireTrue:
		t.Flag(typ)
	case s.wire == WireList:
		t.List(typ, s.elem.wire, func() { s.elem.check(t, s.elem.wire) })
	case s.wire == WireStruct:
		s.checkStruct(t, typ)
	case typ != s.wire:
		t.Fail("field type %d, not %d", typ, s.wire)
	default:
		t.Skip(typ)
	}
}

func (s *shape) checkStruct(t *Reader, typ byte) {
	var seen uint64 // no struct of the format has an id above 63 that matters
	t.Nested(typ, func(id int, typ byte) {
		f := s.fields[id]
		if f == nil {
			t.Skip(typ)
			return
		}
		seen |= 1 << id
		f.check(t, typ)
	})
	for _, id := range s.required {
		if seen&(1<<id) == 0 {
			t.Fail("a struct without its field %d", id)
		}
	}
}
