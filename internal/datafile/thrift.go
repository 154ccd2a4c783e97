package datafile

import "encoding/binary"

// The wire types of Thrift's compact protocol. Booleans of a struct carry their value in the type.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
	thriftUUID   = 13
)

// maxThriftDepth bounds the nesting of structs and containers; Parquet's own messages are far below it.
const maxThriftDepth = 32

// thriftReader reads the compact protocol from memory. The first error sticks: what is read afterwards is zero.
// No container is taken to be longer than the bytes that are left, since every element has at least one.
type thriftReader struct {
	data  []byte
	pos   int
	depth int
	err   error
}

func (r *thriftReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = malformed(format+" (byte %d)", append(args, r.pos)...)
	}
	r.pos = len(r.data)
}

func (r *thriftReader) byte() byte {
	if r.pos >= len(r.data) {
		r.fail("cut short")
		return 0
	}
	r.pos++
	return r.data[r.pos-1]
}

func (r *thriftReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.data[r.pos:])
	if n <= 0 {
		r.fail("bad varint")
		return 0
	}
	r.pos += n
	return v
}

// int reads an integer of 16 to 64 bits.
func (r *thriftReader) int() int64 {
	u := r.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// binary returns a byte string inside the reader's data; never nil, so that an empty one differs from none.
func (r *thriftReader) binary() []byte {
	n := r.uvarint()
	if n > uint64(len(r.data)-r.pos) {
		r.fail("string of %d bytes", n)
		return []byte{}
	}
	start := r.pos
	r.pos += int(n)
	return r.data[start:r.pos:r.pos]
}

func (r *thriftReader) text() string { return string(r.binary()) }

// message reads the fields of a struct. The visitor reads the fields that it knows and returns true; all others
// are skipped.
func (r *thriftReader) message(visit func(id int, typ byte) bool) {
	if r.depth++; r.depth > maxThriftDepth {
		r.fail("nested too deeply")
	}
	defer func() { r.depth-- }()
	for id := int64(0); r.err == nil; {
		head := r.byte()
		typ := head & 0x0f
		if typ == 0 {
			return
		}
		if delta := int64(head >> 4); delta != 0 {
			id += delta
		} else {
			id = r.int()
		}
		if r.err == nil && !visit(int(id), typ) {
			r.skip(typ)
		}
	}
}

// list reads a list whose elements have the given type, each with one call. A list of another type is an error:
// its elements cannot be what the field stands for.
func (r *thriftReader) list(elem byte, each func()) {
	typ, n := r.containerHead()
	if n > 0 && typ != elem {
		r.fail("list of type %d where %d belongs", typ, elem)
	}
	for ; n > 0 && r.err == nil; n-- {
		each()
	}
}

func (r *thriftReader) containerHead() (elem byte, n uint64) {
	head := r.byte()
	n = uint64(head >> 4)
	if n == 15 {
		n = r.uvarint()
	}
	if n > uint64(len(r.data)-r.pos) {
		r.fail("list of %d elements", n)
		return 0, 0
	}
	return head & 0x0f, n
}

// skip reads over a value.
func (r *thriftReader) skip(typ byte) {
	switch typ {
	case thriftTrue, thriftFalse:
	case thriftByte:
		r.advance(1)
	case thriftI16, thriftI32, thriftI64:
		r.uvarint()
	case thriftDouble:
		r.advance(8)
	case thriftUUID:
		r.advance(16)
	case thriftBinary:
		r.binary()
	case thriftStruct:
		r.message(func(int, byte) bool { return false })
	case thriftList, thriftSet:
		elem, n := r.containerHead()
		r.skipElements(n, elem)
	case thriftMap:
		n := r.uvarint()
		if n == 0 {
			return
		}
		if n > uint64(len(r.data)-r.pos) {
			r.fail("map of %d entries", n)
			return
		}
		types := r.byte()
		r.skipElements(n, types>>4, types&0x0f)
	default:
		r.fail("unknown type %d", typ)
	}
}

// skipElements reads over n elements of a container, each made of the given types.
func (r *thriftReader) skipElements(n uint64, types ...byte) {
	if r.depth++; r.depth > maxThriftDepth {
		r.fail("nested too deeply")
	}
	defer func() { r.depth-- }()
	for ; n > 0 && r.err == nil; n-- {
		for _, typ := range types {
			if typ == thriftTrue || typ == thriftFalse {
				typ = thriftByte // inside containers a boolean is a byte of its own
			}
			r.skip(typ)
		}
	}
}

func (r *thriftReader) advance(n int) {
	if n > len(r.data)-r.pos {
		r.fail("cut short")
		return
	}
	r.pos += n
}
