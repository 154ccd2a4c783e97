package manifestio

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/parquet-go/parquet-go/format"
)

// pageHeader is Parquet's PageHeader struct with the header of the page's own type folded in.
type pageHeader struct {
	kind               format.PageType
	uncompressed       int64
	compressed         int64
	crc                uint32
	hasCRC             bool
	described          bool // whether the header of the page's own type was there
	values             int64
	encoding           format.Encoding
	defEnc, repEnc     format.Encoding
	defBytes, repBytes int64 // of a version 2 page
	plainValues        bool  // of a version 2 page: its values are not compressed
}

// readPageHeader decodes the header at the start of data and returns its length.
func readPageHeader(data []byte) (h pageHeader, n int, err error) {
	t := &thriftReader{data: data}
	h.kind = -1
	t.object(func(id int, typ byte) {
		switch id {
		case 1:
			h.kind = format.PageType(t.number(typ))
		case 2:
			h.uncompressed = t.number(typ)
		case 3:
			h.compressed = t.number(typ)
		case 4:
			h.crc, h.hasCRC = uint32(t.number(typ)), true
		case 5, 7:
			h.described = true
			t.nested(typ, func(id int, typ byte) { parseDataPageHeader(t, &h, id, typ) })
		case 8:
			h.described = true
			t.nested(typ, func(id int, typ byte) { parseDataPageHeaderV2(t, &h, id, typ) })
		default:
			t.skip(typ)
		}
	})
	return h, t.pos, t.err
}

// parseDataPageHeader decodes a field of DataPageHeader or of DictionaryPageHeader, which begin alike.
func parseDataPageHeader(t *thriftReader, h *pageHeader, id int, typ byte) {
	switch {
	case id == 1:
		h.values = t.number(typ)
	case id == 2:
		h.encoding = format.Encoding(t.number(typ))
	case id == 3 && typ == thriftInt32: // a dictionary page has a boolean here
		h.defEnc = format.Encoding(t.number(typ))
	case id == 4:
		h.repEnc = format.Encoding(t.number(typ))
	default:
		t.skip(typ)
	}
}

// parseDataPageHeaderV2 decodes a field of DataPageHeaderV2. Its count of nulls is not used: some writers
// leave it at zero.
func parseDataPageHeaderV2(t *thriftReader, h *pageHeader, id int, typ byte) {
	switch id {
	case 1:
		h.values = t.number(typ)
	case 4:
		h.encoding = format.Encoding(t.number(typ))
	case 5:
		h.defBytes = t.number(typ)
	case 6:
		h.repBytes = t.number(typ)
	case 7:
		h.plainValues = !t.flag(typ)
	default:
		t.skip(typ)
	}
}

// pageData is one page, decompressed and cut into its three parts.
type pageData struct {
	header     pageHeader
	reps, defs []byte // run-length encoded, without the length in front
	values     []byte
}

// nextPage reads the page at the cursor's place in its chunk. The parts alias the chunk or the cursor's
// buffer and stay valid until the next call. ok is false at the end of the chunk.
func (c *cursor) nextPage() (p pageData, ok bool, err error) {
	for c.pos < len(c.chunk) {
		h, n, err := readPageHeader(c.chunk[c.pos:])
		if err != nil {
			return p, false, fmt.Errorf("page header at byte %d of the column: %w", c.pos, err)
		}
		c.pos += n
		if h.compressed < 0 || h.compressed > int64(len(c.chunk)-c.pos) {
			return p, false, kindf(ErrTruncated, "a page of %d bytes in a column with %d left", h.compressed, len(c.chunk)-c.pos)
		}
		body := c.chunk[c.pos : c.pos+int(h.compressed)]
		c.pos += len(body)
		switch h.kind {
		case format.DataPage, format.DataPageV2, format.DictionaryPage:
			p, err = c.openPage(h, body)
			return p, err == nil, err
		case format.IndexPage:
		default:
			return p, false, fmt.Errorf("page type %d", h.kind)
		}
	}
	return p, false, nil
}

// openPage checks a page's header and checksum, decompresses the page and cuts it.
func (c *cursor) openPage(h pageHeader, body []byte) (pageData, error) {
	p := pageData{header: h}
	switch {
	case !h.described || h.values < 0 || h.uncompressed < 0:
		return p, fmt.Errorf("a page header of type %s without its counts", h.kind)
	case h.uncompressed > c.limits.MaxPageBytes:
		return p, &LimitError{Limit: "MaxPageBytes", Value: h.uncompressed, Max: c.limits.MaxPageBytes}
	case h.hasCRC && crc32.ChecksumIEEE(body) != h.crc:
		return p, fmt.Errorf("a page whose checksum is not %08x", h.crc)
	}
	if h.kind == format.DataPageV2 {
		err := c.cutV2(&p, body)
		return p, err
	}
	var err error
	p.values, err = c.inflate(body, h.uncompressed)
	if err == nil && h.kind == format.DataPage {
		err = c.cutV1(&p)
	}
	return p, err
}

// inflate returns a page's content, in the cursor's buffer if it was compressed.
func (c *cursor) inflate(body []byte, size int64) ([]byte, error) {
	if c.codec == format.Uncompressed {
		if int64(len(body)) != size {
			return nil, fmt.Errorf("an uncompressed page of %d bytes that says %d", len(body), size)
		}
		return body, nil
	}
	if size == 0 {
		return nil, nil
	}
	if need := bufferSize(size + zstdSlack); need > int64(cap(c.buffer)) {
		if err := c.budget.grow(&c.heldPage, need); err != nil {
			return nil, err
		}
		giveBuffer(c.buffer)
		c.buffer = takeBuffer(need)
	}
	plain := c.buffer[:size]
	if err := decompress(c.codec, plain, body); err != nil {
		return nil, fmt.Errorf("decompressing a page of %d bytes: %w", size, err)
	}
	return plain, nil
}

// cutV1 takes the levels off the front of a version 1 page; each has its length before it.
func (c *cursor) cutV1(p *pageData) error {
	for _, part := range []struct {
		max  int
		enc  format.Encoding
		into *[]byte
	}{{c.leaf.rep, p.header.repEnc, &p.reps}, {c.leaf.def, p.header.defEnc, &p.defs}} {
		if part.max == 0 {
			continue
		}
		if part.enc != format.RLE {
			return kindf(ErrUnsupported, "levels in encoding %s", part.enc)
		}
		if len(p.values) < 4 {
			return kindf(ErrTruncated, "a page that ends in its levels")
		}
		n, rest := int64(binary.LittleEndian.Uint32(p.values)), p.values[4:]
		if n > int64(len(rest)) {
			return kindf(ErrTruncated, "levels of %d bytes in a page with %d left", n, len(rest))
		}
		*part.into, p.values = rest[:n], rest[n:]
	}
	return nil
}

// cutV2 cuts a version 2 page, whose levels stand before the values and are never compressed.
func (c *cursor) cutV2(p *pageData, body []byte) error {
	h := &p.header
	if h.repBytes < 0 || h.defBytes < 0 || h.repBytes+h.defBytes > int64(len(body)) {
		return kindf(ErrTruncated, "levels of %d and %d bytes in a page of %d", h.repBytes, h.defBytes, len(body))
	}
	size := h.uncompressed - h.repBytes - h.defBytes
	if size < 0 {
		return fmt.Errorf("a page of %d bytes with levels of %d and %d", h.uncompressed, h.repBytes, h.defBytes)
	}
	p.reps, body = body[:h.repBytes], body[h.repBytes:]
	p.defs, body = body[:h.defBytes], body[h.defBytes:]
	if h.plainValues || size == 0 {
		if int64(len(body)) < size {
			return kindf(ErrTruncated, "%d bytes of values in a page that says %d", len(body), size)
		}
		p.values = body[:size]
		return nil
	}
	var err error
	p.values, err = c.inflate(body, size)
	return err
}
