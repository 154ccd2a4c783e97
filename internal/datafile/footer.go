package datafile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// footer is what a Parquet footer says, as far as it matters here. Byte slices point into the footer's bytes.
type footer struct {
	elements []schemaElement
	rows     int64
	groups   []rowGroup
	// typeOrder says for each leaf column whether min_value and max_value follow the order of its type; nil where
	// the footer does not say, and their order is unknown.
	typeOrder []bool
	encrypted bool
}

// schemaElement is one node of the schema, which is stored depth first.
type schemaElement struct {
	name       string
	leaf       bool
	physical   physicalType
	typeLength int
	repetition int64
	children   int64
	fieldID    int
	note       annotation
	// converted, scale and precision are the older way to annotate, for files without a logical type.
	converted        int64
	scale, precision int
}

// The repetition types of Parquet.
const (
	repRequired = 0
	repOptional = 1
	repRepeated = 2
)

// noFieldID is the id of a column without one.
const noFieldID = -1

// noConverted is the converted type of a column without one.
const noConverted = -1

type rowGroup struct {
	rows   int64
	chunks []columnChunk
}

// columnChunk is one column of one row group.
type columnChunk struct {
	physical physicalType
	codec    int64
	values   int64
	// storedBytes is the size of all pages with their headers.
	storedBytes            int64
	dataOffset, dictOffset int64
	stats                  footerStats
	hasMeta                bool
	// elsewhere is set for a chunk that lies in another file, encrypted for one that needs a key.
	elsewhere, encrypted bool
}

// start returns the offset of the chunk's first page.
func (c columnChunk) start() int64 {
	if c.dictOffset > 0 && c.dictOffset < c.dataOffset {
		return c.dictOffset
	}
	return c.dataOffset
}

// footerStats are the statistics of one column chunk. A slice is nil where the footer has no such field.
type footerStats struct {
	hasNulls bool
	nulls    int64
	// minValue and maxValue follow the column order; oldMin and oldMax are the deprecated fields in signed order.
	minValue, maxValue, oldMin, oldMax []byte
	minExact, maxExact                 bool
}

const (
	magic          = "PAR1"
	encryptedMagic = "PARE"
	// tailBytes is the length of the footer's length and the magic behind it.
	tailBytes = 8
)

// readFooter reads and decodes the footer of a file of the given size.
func readFooter(r io.ReaderAt, sizeBytes int64, limits Limits) (footer, error) {
	if sizeBytes < int64(len(magic))+tailBytes {
		return footer{}, malformed("%d bytes are too few for a file", sizeBytes)
	}
	head, err := readRange(r, 0, int64(len(magic)))
	if err != nil {
		return footer{}, err
	}
	tail, err := readRange(r, sizeBytes-tailBytes, tailBytes)
	if err != nil {
		return footer{}, err
	}
	switch end := string(tail[4:]); {
	case end == encryptedMagic:
		return footer{}, fmt.Errorf("encrypted footer: %w", ErrUnsupported)
	case end != magic || string(head) != magic:
		return footer{}, malformed("no %q at both ends", magic)
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	if length > sizeBytes-tailBytes-int64(len(magic)) {
		return footer{}, malformed("footer of %d bytes in a file of %d", length, sizeBytes)
	}
	if length > limits.FooterBytes {
		return footer{}, fmt.Errorf("footer of %d bytes: %w (%d)", length, ErrLimit, limits.FooterBytes)
	}
	data, err := readRange(r, sizeBytes-tailBytes-length, length)
	if err != nil {
		return footer{}, err
	}
	return decodeFooter(data, limits)
}

// readRange reads n bytes. An end of input before that means that the stated size was wrong.
func readRange(r io.ReaderAt, offset, n int64) ([]byte, error) {
	data := make([]byte, n)
	got, err := r.ReadAt(data, offset)
	switch {
	case int64(got) == n:
		return data, nil
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, malformed("the file ends within bytes %d to %d", offset, offset+n)
	}
	return nil, fmt.Errorf("read bytes %d to %d: %w", offset, offset+n, err)
}

func decodeFooter(data []byte, limits Limits) (footer, error) {
	d := footerDecoder{thriftReader: thriftReader{data: data}, limits: limits}
	f := d.fileMetaData()
	if d.err == nil && f.encrypted {
		d.err = fmt.Errorf("encrypted columns: %w", ErrUnsupported)
	}
	if d.err != nil {
		return footer{}, fmt.Errorf("footer: %w", d.err)
	}
	return f, nil
}

// footerDecoder decodes the messages of a footer; a method for each message.
type footerDecoder struct {
	thriftReader
	limits Limits
}

func (d *footerDecoder) atMost(n, limit int, what string) {
	if n > limit && d.err == nil {
		d.err = fmt.Errorf("%s: %w (%d)", what, ErrLimit, limit)
	}
}

func (d *footerDecoder) fileMetaData() footer {
	var f footer
	d.message(func(id int, typ byte) bool {
		switch {
		case id == 2 && typ == thriftList:
			d.list(thriftStruct, func() {
				d.atMost(len(f.elements)+1, d.limits.Columns, "schema elements")
				f.elements = append(f.elements, d.schemaElement())
			})
		case id == 3 && typ == thriftI64:
			f.rows = d.int()
		case id == 4 && typ == thriftList:
			d.list(thriftStruct, func() {
				d.atMost(len(f.groups)+1, d.limits.RowGroups, "row groups")
				f.groups = append(f.groups, d.rowGroup())
			})
		case id == 7 && typ == thriftList:
			f.typeOrder = []bool{}
			d.list(thriftStruct, func() { f.typeOrder = append(f.typeOrder, d.columnOrder()) })
		case id == 8 && typ == thriftStruct:
			f.encrypted = true
			return false
		default:
			return false
		}
		return true
	})
	return f
}

// columnOrder reports whether the order is that of the column's type.
func (d *footerDecoder) columnOrder() (typeOrder bool) {
	d.message(func(id int, _ byte) bool {
		typeOrder = typeOrder || id == 1
		return false
	})
	return typeOrder
}

func (d *footerDecoder) schemaElement() schemaElement {
	e := schemaElement{fieldID: noFieldID, converted: noConverted}
	d.message(func(id int, typ byte) bool {
		switch {
		case id == 1 && typ == thriftI32:
			e.leaf, e.physical = true, physicalType(d.int())
		case id == 2 && typ == thriftI32:
			e.typeLength = int(d.int())
		case id == 3 && typ == thriftI32:
			e.repetition = d.int()
		case id == 4 && typ == thriftBinary:
			e.name = d.text()
		case id == 5 && typ == thriftI32:
			e.children = d.int()
		case id == 6 && typ == thriftI32:
			e.converted = d.int()
		case id == 7 && typ == thriftI32:
			e.scale = int(d.int())
		case id == 8 && typ == thriftI32:
			e.precision = int(d.int())
		case id == 9 && typ == thriftI32:
			e.fieldID = int(d.int())
		case id == 10 && typ == thriftStruct:
			e.note = d.logicalType()
		default:
			return false
		}
		return true
	})
	if e.note.kind == noteNone {
		e.note = convertedNote(e)
	}
	return e
}

func (d *footerDecoder) rowGroup() rowGroup {
	var g rowGroup
	d.message(func(id int, typ byte) bool {
		switch {
		case id == 1 && typ == thriftList:
			d.list(thriftStruct, func() {
				d.atMost(len(g.chunks)+1, d.limits.Columns, "columns of a row group")
				g.chunks = append(g.chunks, d.columnChunk())
			})
		case id == 3 && typ == thriftI64:
			g.rows = d.int()
		default:
			return false
		}
		return true
	})
	return g
}

func (d *footerDecoder) columnChunk() columnChunk {
	var c columnChunk
	d.message(func(id int, typ byte) bool {
		switch {
		case id == 1 && typ == thriftBinary:
			c.elsewhere = len(d.binary()) > 0
		case id == 3 && typ == thriftStruct:
			c.hasMeta = true
			d.columnMetaData(&c)
		case id == 8 && typ == thriftStruct:
			c.encrypted = true
			return false
		default:
			return false
		}
		return true
	})
	if !c.hasMeta && !c.encrypted {
		d.fail("column chunk without metadata")
	}
	return c
}

func (d *footerDecoder) columnMetaData(c *columnChunk) {
	d.message(func(id int, typ byte) bool {
		switch {
		case id == 1 && typ == thriftI32:
			c.physical = physicalType(d.int())
		case id == 4 && typ == thriftI32:
			c.codec = d.int()
		case id == 5 && typ == thriftI64:
			c.values = d.int()
		case id == 7 && typ == thriftI64:
			c.storedBytes = d.int()
		case id == 9 && typ == thriftI64:
			c.dataOffset = d.int()
		case id == 11 && typ == thriftI64:
			c.dictOffset = d.int()
		case id == 12 && typ == thriftStruct:
			c.stats = d.statistics()
		default:
			return false
		}
		return true
	})
}

func (d *footerDecoder) statistics() footerStats {
	var s footerStats
	d.message(func(id int, typ byte) bool {
		switch {
		case id == 1 && typ == thriftBinary:
			s.oldMax = d.binary()
		case id == 2 && typ == thriftBinary:
			s.oldMin = d.binary()
		case id == 3 && typ == thriftI64:
			s.hasNulls, s.nulls = true, d.int()
		case id == 5 && typ == thriftBinary:
			s.maxValue = d.binary()
		case id == 6 && typ == thriftBinary:
			s.minValue = d.binary()
		case id == 7:
			s.maxExact = typ == thriftTrue
			return false
		case id == 8:
			s.minExact = typ == thriftTrue
			return false
		default:
			return false
		}
		return true
	})
	return s
}
