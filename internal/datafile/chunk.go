package datafile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/bits"
)

// visitor gets the entries of a column chunk in file order: a definition level, the value if the level is the
// column's highest, and how many equal entries follow each other. The bytes of a value are valid during the call.
type visitor func(def int, v raw, n int64) error

// chunkReader walks over the pages of one column chunk, which it holds as stored.
type chunkReader struct {
	leaf       leafColumn
	codec      int64
	pageLimit  int64
	data       []byte
	dictionary []raw
	// left is the number of entries, nulls included, that pages are still to bring.
	left int64
}

// each visits all entries.
func (c *chunkReader) each(visit visitor) error {
	size := len(c.data)
	for c.left > 0 {
		at := size - len(c.data)
		if err := c.nextPage(visit); err != nil {
			return fmt.Errorf("page at byte %d of the chunk: %w", at, err)
		}
	}
	return nil
}

func (c *chunkReader) nextPage(visit visitor) error {
	if len(c.data) == 0 {
		return malformed("%d values are missing", c.left)
	}
	h, length, err := readPageHeader(c.data)
	if err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if h.storedBytes < 0 || h.storedBytes > int64(len(c.data)-length) {
		return malformed("page of %d bytes in %d", h.storedBytes, len(c.data)-length)
	}
	body := c.data[length : int64(length)+h.storedBytes]
	c.data = c.data[int64(length)+h.storedBytes:]
	if h.hasCRC && crc32.ChecksumIEEE(body) != h.crc {
		return malformed("checksum mismatch")
	}
	switch h.kind {
	case pageDictionary:
		return c.readDictionary(h, body)
	case pageData:
		return c.dataPage(h, body, visit)
	case pageDataV2:
		return c.dataPageV2(h, body, visit)
	}
	return nil // an index page, or one of a later version of the format
}

func (c *chunkReader) readDictionary(h pageHeader, body []byte) error {
	if err := h.check(h.dictionary, c.pageLimit); err != nil {
		return err
	}
	switch {
	case c.dictionary != nil:
		return malformed("a second dictionary")
	case h.dictionary.encoding != encPlain && h.dictionary.encoding != encPlainDictionary:
		return malformed("dictionary of encoding %d", h.dictionary.encoding)
	case h.dictionary.values > h.plainBytes/int64(max(c.leaf.byteWidth(), 1)):
		return malformed("dictionary of %d values in %d bytes", h.dictionary.values, h.plainBytes)
	}
	plain, err := decompress(c.codec, body, h.plainBytes, c.pageLimit)
	if err != nil {
		return err
	}
	values := &plainValues{leaf: c.leaf, data: plain}
	c.dictionary = make([]raw, h.dictionary.values)
	for i := range c.dictionary {
		if c.dictionary[i], _, err = values.next(1); err != nil {
			return fmt.Errorf("dictionary: %w", err)
		}
	}
	return nil
}

// dataPage reads a page of version 1: levels and values are compressed together, the levels behind their lengths.
func (c *chunkReader) dataPage(h pageHeader, body []byte, visit visitor) error {
	if err := h.check(h.data, c.pageLimit); err != nil {
		return err
	}
	plain, err := decompress(c.codec, body, h.plainBytes, c.pageLimit)
	if err != nil {
		return err
	}
	if c.leaf.maxRep > 0 {
		if _, plain, err = cutLevels(plain); err != nil {
			return err
		}
	}
	var levels []byte
	if c.leaf.maxDef > 0 {
		if h.data.defEncoding != encRLE {
			return fmt.Errorf("levels of encoding %d: %w", h.data.defEncoding, ErrUnsupported)
		}
		if levels, plain, err = cutLevels(plain); err != nil {
			return err
		}
	}
	return c.entries(h.data, levels, plain, visit)
}

// cutLevels splits off levels, which follow their length.
func cutLevels(plain []byte) (levels, rest []byte, err error) {
	if len(plain) < 4 {
		return nil, nil, malformed("levels cut short")
	}
	n := binary.LittleEndian.Uint32(plain)
	if uint64(n) > uint64(len(plain)-4) {
		return nil, nil, malformed("levels of %d bytes", n)
	}
	return plain[4 : 4+n], plain[4+n:], nil
}

// dataPageV2 reads a page of version 2: the levels come first, uncompressed.
func (c *chunkReader) dataPageV2(h pageHeader, body []byte, visit visitor) error {
	if err := h.check(h.v2, c.pageLimit); err != nil {
		return err
	}
	codec := c.codec
	if h.v2.stored {
		codec = codecNone
	}
	behind := h.v2.repBytes + h.v2.defBytes
	plain, err := decompress(codec, body[behind:], h.plainBytes-behind, c.pageLimit)
	if err != nil {
		return err
	}
	return c.entries(h.v2, body[h.v2.repBytes:behind], plain, visit)
}

// page is a data page whose levels and values are being read.
type page struct {
	leaf       leafColumn
	encoding   encoding
	plain      []byte
	dictionary []raw
	// values is nil until the first value is needed: a page of nulls may hold no bytes of its encoding.
	values values
}

// entries visits the entries of a data page.
func (c *chunkReader) entries(style pageStyle, levels, plain []byte, visit visitor) error {
	if style.values > c.left {
		return malformed("page of %d values where %d are left", style.values, c.left)
	}
	c.left -= style.values
	p := &page{leaf: c.leaf, encoding: style.encoding, plain: plain, dictionary: c.dictionary}
	defs := hybrid{data: levels, width: bits.Len(uint(c.leaf.maxDef))}
	for left := style.values; left > 0; {
		def, n := c.leaf.maxDef, left
		if c.leaf.maxDef > 0 {
			level, run, err := defs.next(left)
			if err != nil {
				return fmt.Errorf("definition levels: %w", err)
			}
			def, n = int(level), run
		}
		left -= n
		if err := p.run(def, n, visit); err != nil {
			return err
		}
	}
	return nil
}

// run visits n entries of one definition level.
func (p *page) run(def int, n int64, visit visitor) (err error) {
	switch {
	case def > p.leaf.maxDef:
		return malformed("definition level %d of at most %d", def, p.leaf.maxDef)
	case def < p.leaf.maxDef:
		return visit(def, raw{}, n)
	}
	if p.values == nil {
		if p.values, err = newValues(p.encoding, p.leaf, p.plain, p.dictionary); err != nil {
			return err
		}
	}
	for n > 0 {
		v, same, err := p.values.next(n)
		if err != nil {
			return err
		}
		if err := visit(def, v, same); err != nil {
			return err
		}
		n -= same
	}
	return nil
}
