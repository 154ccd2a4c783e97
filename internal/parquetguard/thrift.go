package parquetguard

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The wire types of Thrift's compact protocol. A boolean field carries its value in its type.
const (
	WireStop byte = iota
	WireTrue
	WireFalse
	WireInt8
	WireInt16
	WireInt32
	WireInt64
	WireDouble
	WireBinary
	WireList
	WireSet
	WireMap
	WireStruct
	WireUUID
)

// maxThriftDepth bounds the nesting of structs and containers; Parquet's deepest is below ten.
const maxThriftDepth = 24

// Reader reads Thrift's compact protocol, in which Parquet writes its footer and page headers. It allocates nothing
// that the input does not pay for. The first error sticks: afterwards every method returns zero values.
type Reader struct {
	data  []byte
	pos   int
	depth int
	err   error
}

// NewReader returns a reader of data, which must not change while it is used.
func NewReader(data []byte) *Reader { return &Reader{data: data} }

// Err returns the first error.
func (t *Reader) Err() error { return t.err }

// Pos returns how many bytes have been read; after an error, all of them.
func (t *Reader) Pos() int { return t.pos }

// Fail records the first error and moves to the end of the input, which ends all loops.
func (t *Reader) Fail(format string, args ...any) { t.FailWith(fmt.Errorf(format, args...)) }

// FailWith is [Reader.Fail] with an error whose kind matters.
func (t *Reader) FailWith(err error) {
	if t.err == nil {
		t.err = fmt.Errorf("thrift at byte %d: %w", t.pos, err)
	}
	t.pos = len(t.data)
}

// take returns the next n bytes; they alias the input.
func (t *Reader) take(n uint64) []byte {
	if n > uint64(len(t.data)-t.pos) {
		t.Fail("%d bytes expected, %d left", n, len(t.data)-t.pos)
		return nil
	}
	b := t.data[t.pos : t.pos+int(n) : t.pos+int(n)]
	t.pos += int(n)
	return b
}

// octet returns the next byte.
func (t *Reader) octet() byte {
	if b := t.take(1); b != nil {
		return b[0]
	}
	return 0
}

// uvarint reads an unsigned varint.
func (t *Reader) uvarint() uint64 {
	v, n := binary.Uvarint(t.data[t.pos:])
	if n <= 0 {
		t.Fail("no varint")
		return 0
	}
	t.pos += n
	return v
}

// varint reads a zigzag varint.
func (t *Reader) varint() int64 {
	v, n := binary.Varint(t.data[t.pos:])
	if n <= 0 {
		t.Fail("no varint")
		return 0
	}
	t.pos += n
	return v
}

// Object reads a struct and calls field for each of its fields; field must consume the value or skip it.
func (t *Reader) Object(field func(id int, typ byte)) {
	if t.depth++; t.depth > maxThriftDepth {
		t.Fail("structs nested deeper than %d", maxThriftDepth)
	}
	id := int64(0)
	for t.err == nil {
		head := t.octet()
		if head == WireStop {
			break
		}
		if delta := int64(head >> 4); delta != 0 {
			id += delta
		} else {
			id = t.varint()
		}
		if id < math.MinInt16 || id > math.MaxInt16 { // beyond it, readers disagree
			t.Fail("field id %d", id)
		}
		if t.err == nil {
			field(int(id), head&0x0f)
		}
	}
	t.depth--
}

// List reads a list whose elements must have the given type and calls each for every one of them.
func (t *Reader) List(typ, elem byte, each func()) {
	if typ != WireList {
		t.Fail("field type %d where a list should be", typ)
		return
	}
	found, n := t.listHeader()
	if n > 0 && found != elem {
		t.Fail("list elements of type %d, not %d", found, elem)
	}
	for ; n > 0 && t.err == nil; n-- {
		each()
	}
}

// listHeader reads the head of a list or set. Each element takes a byte at least, so the count is bounded.
func (t *Reader) listHeader() (elem byte, n uint64) {
	head := t.octet()
	n = uint64(head >> 4)
	if n == 15 {
		n = t.uvarint()
	}
	if n > uint64(len(t.data)-t.pos) {
		t.Fail("a list of %d elements in %d bytes", n, len(t.data)-t.pos)
		return 0, 0
	}
	return head & 0x0f, n
}

// Number reads an integer field of any width into 64 bits.
func (t *Reader) Number(typ byte) int64 {
	switch typ {
	case WireInt8:
		return int64(int8(t.octet()))
	case WireInt16, WireInt32, WireInt64:
		return t.varint()
	}
	t.Fail("field type %d where a number should be", typ)
	return 0
}

// Flag reads a boolean field, whose value is its type.
func (t *Reader) Flag(typ byte) bool {
	if typ != WireTrue && typ != WireFalse {
		t.Fail("field type %d where a boolean should be", typ)
	}
	return typ == WireTrue
}

// Bytes reads a field of bytes. They alias the input and are nil only after an error.
func (t *Reader) Bytes(typ byte) []byte {
	if typ != WireBinary {
		t.Fail("field type %d where a string should be", typ)
		return nil
	}
	return t.take(t.uvarint())
}

// Text reads a string field.
func (t *Reader) Text(typ byte) string { return string(t.Bytes(typ)) }

// Nested reads a struct field.
func (t *Reader) Nested(typ byte, field func(id int, typ byte)) {
	if typ != WireStruct {
		t.Fail("field type %d where a struct should be", typ)
		return
	}
	t.Object(field)
}
