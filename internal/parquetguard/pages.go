package parquetguard

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/parquet-go/parquet-go/format"
)

// Page is one page of a column chunk, decompressed and cut into its three parts, which point into the chunk or into
// the buffer of [Pages].
type Page struct {
	Header PageHeader
	// Repetitions and Definitions are run-length encoded, without the length in front. They are nil where the
	// column has none.
	Repetitions, Definitions []byte
	// Values are encoded as the header says.
	Values []byte
}

// Pages walks the pages of one column chunk. Every size in a header is checked before it is believed.
type Pages struct {
	// Chunk is the chunk as stored; nil if Fetch reads it in parts.
	Chunk []byte
	// Fetch, if not nil, returns bytes of a chunk of SizeBytes from an offset on. They stay valid until the next call,
	// which comes with the next page.
	Fetch     func(offset, sizeBytes int64) ([]byte, error)
	SizeBytes int64
	Codec     format.CompressionCodec
	// MaxRepetition and MaxDefinition are the highest levels of the column.
	MaxRepetition, MaxDefinition int
	// MaxPageBytes bounds the uncompressed size of a page.
	MaxPageBytes int64
	// Buffer returns room for the given number of bytes, to decompress a page into; a capacity of [ZstdSlack] more
	// helps. It is called at most once for a page, whose parts stay valid until Buffer's owner uses the room again.
	// Nil means a new buffer for each page.
	Buffer func(sizeBytes int64) ([]byte, error)

	pos int
}

// Pos returns the offset of the next page in the chunk.
func (p *Pages) Pos() int { return p.pos }

// Next returns the next data or dictionary page; ok is false at the end of the chunk.
func (p *Pages) Next() (page Page, ok bool, err error) {
	for p.left() > 0 {
		h, n, err := p.header()
		if err != nil {
			return page, false, err
		}
		p.pos += n
		if h.StoredBytes < 0 || h.StoredBytes > p.left() {
			return page, false, kindf(ErrTruncated, "a page of %d bytes in a column with %d left", h.StoredBytes, p.left())
		}
		body, err := p.bytes(h.StoredBytes)
		if err != nil {
			return page, false, err
		}
		p.pos += len(body)
		switch h.Type {
		case format.DataPage, format.DataPageV2, format.DictionaryPage:
			page, err = p.open(h, body)
			return page, err == nil, err
		case format.IndexPage:
		default:
			return page, false, fmt.Errorf("page type %d", h.Type)
		}
	}
	return page, false, nil
}

// left returns how many bytes of the chunk are not read yet.
func (p *Pages) left() int64 {
	if p.Fetch != nil {
		return p.SizeBytes - int64(p.pos)
	}
	return int64(len(p.Chunk) - p.pos)
}

// bytes returns the next bytes of the chunk, of which there are so many.
func (p *Pages) bytes(n int64) ([]byte, error) {
	if p.Fetch != nil {
		return p.Fetch(int64(p.pos), n)
	}
	return p.Chunk[p.pos : p.pos+int(n)], nil
}

// headerBytes is the length of a page header to begin with; few are longer, for they may hold statistics.
const headerBytes = 1 << 10

// header decodes the next page header and returns its length. Of a chunk that is read in parts it asks for more where
// the header does not end in what it has.
func (p *Pages) header() (PageHeader, int, error) {
	for size := int64(headerBytes); ; size *= 8 {
		if p.Fetch == nil || size > p.left() {
			size = p.left()
		}
		data, err := p.bytes(size)
		if err != nil {
			return PageHeader{}, 0, err
		}
		h, n, err := ReadPageHeader(data)
		if err == nil {
			return h, n, nil
		}
		if size == p.left() {
			return h, 0, fmt.Errorf("page header at byte %d of the column: %w", p.pos, err)
		}
	}
}

// open checks a page's header and checksum, decompresses the page and cuts it.
func (p *Pages) open(h PageHeader, body []byte) (Page, error) {
	page := Page{Header: h}
	switch {
	case !h.Described || h.Values < 0 || h.PlainBytes < 0:
		return page, fmt.Errorf("a page header of type %s without its counts", h.Type)
	case h.PlainBytes > p.MaxPageBytes:
		return page, &LimitError{What: "bytes of a page", Value: h.PlainBytes, Max: p.MaxPageBytes}
	case h.HasCRC && crc32.ChecksumIEEE(body) != h.CRC:
		return page, fmt.Errorf("a page whose checksum is not %08x", h.CRC)
	}
	if h.Type == format.DataPageV2 {
		err := p.cutV2(&page, body)
		return page, err
	}
	var err error
	page.Values, err = p.inflate(body, h.PlainBytes)
	if err == nil && h.Type == format.DataPage {
		err = p.cutV1(&page)
	}
	return page, err
}

// inflate returns a page's content, in the buffer if it was compressed.
func (p *Pages) inflate(body []byte, size int64) ([]byte, error) {
	if p.Codec == format.Uncompressed {
		if int64(len(body)) != size {
			return nil, fmt.Errorf("an uncompressed page of %d bytes that says %d", len(body), size)
		}
		return body, nil
	}
	if size == 0 {
		return nil, nil
	}
	plain, err := p.room(size)
	if err != nil {
		return nil, err
	}
	if err := Decompress(p.Codec, plain, body); err != nil {
		return nil, fmt.Errorf("decompressing a page of %d bytes: %w", size, err)
	}
	return plain, nil
}

func (p *Pages) room(size int64) ([]byte, error) {
	if p.Buffer == nil {
		return make([]byte, size, size+ZstdSlack), nil
	}
	b, err := p.Buffer(size)
	if err != nil {
		return nil, err
	}
	return b[:size], nil
}

// cutV1 takes the levels off the front of a version 1 page; each has its length before it.
func (p *Pages) cutV1(page *Page) error {
	for _, part := range []struct {
		max  int
		enc  format.Encoding
		into *[]byte
	}{
		{p.MaxRepetition, page.Header.RepetitionEncoding, &page.Repetitions},
		{p.MaxDefinition, page.Header.DefinitionEncoding, &page.Definitions},
	} {
		if part.max == 0 {
			continue
		}
		if part.enc != format.RLE {
			return kindf(ErrUnsupported, "levels in encoding %s", part.enc)
		}
		if len(page.Values) < 4 {
			return kindf(ErrTruncated, "a page that ends in its levels")
		}
		n, rest := int64(binary.LittleEndian.Uint32(page.Values)), page.Values[4:]
		if n > int64(len(rest)) {
			return kindf(ErrTruncated, "levels of %d bytes in a page with %d left", n, len(rest))
		}
		*part.into, page.Values = rest[:n], rest[n:]
	}
	return nil
}

// cutV2 cuts a version 2 page, whose levels stand before the values and are never compressed.
func (p *Pages) cutV2(page *Page, body []byte) error {
	h := &page.Header
	room := int64(len(body))
	if h.RepetitionBytes < 0 || h.RepetitionBytes > room || h.DefinitionBytes < 0 || h.DefinitionBytes > room-h.RepetitionBytes {
		return kindf(ErrTruncated, "levels of %d and %d bytes in a page of %d", h.RepetitionBytes, h.DefinitionBytes, room)
	}
	size := h.PlainBytes - h.RepetitionBytes - h.DefinitionBytes
	if size < 0 {
		return fmt.Errorf("a page of %d bytes with levels of %d and %d", h.PlainBytes, h.RepetitionBytes, h.DefinitionBytes)
	}
	page.Repetitions, body = body[:h.RepetitionBytes], body[h.RepetitionBytes:]
	page.Definitions, body = body[:h.DefinitionBytes], body[h.DefinitionBytes:]
	if h.PlainValues || size == 0 {
		if int64(len(body)) < size {
			return kindf(ErrTruncated, "%d bytes of values in a page that says %d", len(body), size)
		}
		page.Values = body[:size]
		return nil
	}
	var err error
	page.Values, err = p.inflate(body, size)
	return err
}
