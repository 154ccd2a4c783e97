package manifestio

import (
	"encoding/binary"
	"fmt"
)

// The field types of Thrift's compact protocol.
const (
	thriftStop = iota
	thriftTrue
	thriftFalse
	thriftInt8
	thriftInt16
	thriftInt32
	thriftInt64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
)

// maxThriftDepth bounds the nesting of structs; Parquet's deepest is below ten.
const maxThriftDepth = 24

// thriftReader reads Thrift's compact protocol, in which Parquet writes its footer and page headers.
// The decoders of the Parquet libraries allocate what a list or a schema node claims to hold before they look at
// the bytes, and parquet-go cannot tell field id 0 from none; this one allocates nothing that the input does
// not pay for. The first error sticks: afterwards every method returns zero values.
type thriftReader struct {
	data  []byte
	pos   int
	depth int
	err   error
}

// fail records the first error and moves to the end of the input, which ends all loops.
func (t *thriftReader) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf("thrift at byte %d: %w", t.pos, fmt.Errorf(format, args...))
	}
	t.pos = len(t.data)
}

// take returns the next n bytes; they alias the input.
func (t *thriftReader) take(n uint64) []byte {
	if n > uint64(len(t.data)-t.pos) {
		t.fail("%d bytes expected, %d left", n, len(t.data)-t.pos)
		return nil
	}
	b := t.data[t.pos : t.pos+int(n)]
	t.pos += int(n)
	return b
}

// octet returns the next byte.
func (t *thriftReader) octet() byte {
	if b := t.take(1); b != nil {
		return b[0]
	}
	return 0
}

// uvarint reads an unsigned varint.
func (t *thriftReader) uvarint() uint64 {
	v, n := binary.Uvarint(t.data[t.pos:])
	if n <= 0 {
		t.fail("no varint")
		return 0
	}
	t.pos += n
	return v
}

// varint reads a zigzag varint.
func (t *thriftReader) varint() int64 {
	v, n := binary.Varint(t.data[t.pos:])
	if n <= 0 {
		t.fail("no varint")
		return 0
	}
	t.pos += n
	return v
}

// object reads a struct and calls field for each of its fields; field must consume the value or skip it.
func (t *thriftReader) object(field func(id int, typ byte)) {
	if t.depth++; t.depth > maxThriftDepth {
		t.fail("structs nested deeper than %d", maxThriftDepth)
	}
	id := 0
	for t.err == nil {
		head := t.octet()
		if head == thriftStop {
			break
		}
		if delta := int(head >> 4); delta != 0 {
			id += delta
		} else {
			id = int(t.varint())
		}
		field(id, head&0x0f)
	}
	t.depth--
}

// list reads a list whose elements must have the given type and calls each for every one of them.
func (t *thriftReader) list(typ, elem byte, each func()) {
	if typ != thriftList {
		t.fail("field type %d where a list should be", typ)
		return
	}
	found, n := t.listHeader()
	if n > 0 && found != elem {
		t.fail("list elements of type %d, not %d", found, elem)
	}
	for ; n > 0 && t.err == nil; n-- {
		each()
	}
}

// listHeader reads the head of a list or set. Each element takes a byte at least, so the count is bounded.
func (t *thriftReader) listHeader() (elem byte, n uint64) {
	head := t.octet()
	n = uint64(head >> 4)
	if n == 15 {
		n = t.uvarint()
	}
	if n > uint64(len(t.data)-t.pos) {
		t.fail("a list of %d elements in %d bytes", n, len(t.data)-t.pos)
		return 0, 0
	}
	return head & 0x0f, n
}

// number reads an integer field of any width into 64 bits.
func (t *thriftReader) number(typ byte) int64 {
	switch typ {
	case thriftInt8:
		return int64(int8(t.octet()))
	case thriftInt16, thriftInt32, thriftInt64:
		return t.varint()
	}
	t.fail("field type %d where a number should be", typ)
	return 0
}

// flag reads a boolean field, whose value is its type.
func (t *thriftReader) flag(typ byte) bool {
	if typ != thriftTrue && typ != thriftFalse {
		t.fail("field type %d where a boolean should be", typ)
	}
	return typ == thriftTrue
}

// text reads a string field.
func (t *thriftReader) text(typ byte) string {
	if typ != thriftBinary {
		t.fail("field type %d where a string should be", typ)
		return ""
	}
	return string(t.take(t.uvarint()))
}

// nested reads a struct field.
func (t *thriftReader) nested(typ byte, field func(id int, typ byte)) {
	if typ != thriftStruct {
		t.fail("field type %d where a struct should be", typ)
		return
	}
	t.object(field)
}

// skip passes over a field's value.
func (t *thriftReader) skip(typ byte) {
	switch typ {
	case thriftTrue, thriftFalse:
	case thriftInt8:
		t.octet()
	case thriftInt16, thriftInt32, thriftInt64:
		t.varint()
	case thriftDouble:
		t.take(8)
	case thriftBinary:
		t.take(t.uvarint())
	case thriftList, thriftSet:
		elem, n := t.listHeader()
		for ; n > 0 && t.err == nil; n-- {
			t.skipElement(elem)
		}
	case thriftMap:
		t.skipMap()
	case thriftStruct:
		t.object(func(_ int, typ byte) { t.skip(typ) })
	default:
		t.fail("unknown field type %d", typ)
	}
}

// skipElement is skip within a list or map, where a boolean takes a byte.
func (t *thriftReader) skipElement(typ byte) {
	if typ == thriftTrue || typ == thriftFalse {
		t.octet()
		return
	}
	if t.depth++; t.depth > maxThriftDepth {
		t.fail("values nested deeper than %d", maxThriftDepth)
	}
	t.skip(typ)
	t.depth--
}

// skipMap passes over a map.
func (t *thriftReader) skipMap() {
	n := t.uvarint()
	if n == 0 {
		return
	}
	types := t.octet()
	for ; n > 0 && t.err == nil; n-- {
		t.skipElement(types >> 4)
		t.skipElement(types & 0x0f)
	}
}
