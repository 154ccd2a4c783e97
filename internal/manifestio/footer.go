package manifestio

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/internal/parquetguard"
)

// KeyValue is one entry of a manifest's Parquet key-value metadata (rules 4.5).
type KeyValue struct {
	Key, Value string
}

// footer is a Parquet file's metadata, as far as reading a manifest needs it.
type footer struct {
	root      *fileNode
	leaves    []*fileNode // in the order of the columns of a row group
	rows      int64
	groups    []rowGroup
	keyValues []KeyValue
}

// rowGroup is one row group; its chunks are in the order of the leaves.
type rowGroup struct {
	rows   int64
	chunks []chunk
}

// chunk places the pages of one column of a row group. Its codec and type are checked when it is read.
type chunk struct {
	physical   format.Type
	codec      format.CompressionCodec
	values     int64
	start      int64 // of the dictionary page if there is one, else of the first data page
	size       int64
	described  bool // whether the footer holds metadata for it
	encrypted  bool
	otherFile  string
	dictionary int64
	bounds     bounds
}

// bounds are the Parquet statistics of a column chunk of texts.
type bounds struct {
	lower, upper       string
	hasLower, hasUpper bool
}

// readFooter reads and checks the footer of a file of the given size.
func readFooter(r io.ReaderAt, size int64, o DecodeOptions) (*footer, error) {
	data, start, err := parquetguard.ReadFooter(r, size, o.MaxFooterBytes)
	var limit *parquetguard.LimitError
	if errors.As(err, &limit) {
		return nil, &LimitError{Limit: "MaxFooterBytes", Value: limit.Value, Max: limit.Max}
	}
	if err != nil {
		return nil, err
	}
	f, err := parseFooter(data, o)
	if err != nil {
		return nil, err
	}
	return f, f.check(start, o)
}

// parseFooter decodes the FileMetaData struct of the Parquet format.
func parseFooter(data []byte, o DecodeOptions) (*footer, error) {
	t := parquetguard.NewReader(data)
	f := &footer{}
	var elements []schemaElement
	var limit error
	t.Object(func(id int, typ byte) {
		switch id {
		case 2:
			t.List(typ, parquetguard.WireStruct, func() {
				if int64(len(elements)) > o.MaxColumns {
					limit = &LimitError{Limit: "MaxColumns", Value: int64(len(elements)), Max: o.MaxColumns}
					t.Fail("too many schema elements")
				}
				elements = append(elements, parseSchemaElement(t))
			})
		case 3:
			f.rows = t.Number(typ)
		case 4:
			t.List(typ, parquetguard.WireStruct, func() { f.groups = append(f.groups, parseRowGroup(t)) })
		case 5:
			t.List(typ, parquetguard.WireStruct, func() { f.keyValues = append(f.keyValues, parseKeyValue(t)) })
		case 8:
			t.Fail("the file is encrypted")
		default:
			t.Skip(typ)
		}
	})
	if limit != nil {
		return nil, limit
	}
	if t.Err() != nil {
		return nil, fmt.Errorf("footer: %w", t.Err())
	}
	var err error
	f.root, f.leaves, err = buildSchema(elements)
	return f, err
}

// parseKeyValue decodes a KeyValue struct.
func parseKeyValue(t *parquetguard.Reader) (kv KeyValue) {
	named := false
	t.Object(func(id int, typ byte) {
		switch id {
		case 1:
			kv.Key, named = t.Text(typ), true
		case 2:
			kv.Value = t.Text(typ)
		default:
			t.Skip(typ)
		}
	})
	if !named {
		t.Fail("a key-value pair without a key")
	}
	return kv
}

// parseRowGroup decodes a RowGroup struct.
func parseRowGroup(t *parquetguard.Reader) (g rowGroup) {
	counted := false
	t.Object(func(id int, typ byte) {
		switch id {
		case 1:
			t.List(typ, parquetguard.WireStruct, func() { g.chunks = append(g.chunks, parseChunk(t)) })
		case 3:
			g.rows, counted = t.Number(typ), true
		default:
			t.Skip(typ)
		}
	})
	if !counted {
		t.Fail("a row group without a row count")
	}
	return g
}

// parseChunk decodes a ColumnChunk struct.
func parseChunk(t *parquetguard.Reader) (c chunk) {
	t.Object(func(id int, typ byte) {
		switch id {
		case 1:
			c.otherFile = t.Text(typ)
		case 3:
			c.described = true
			t.Nested(typ, func(id int, typ byte) { parseChunkMeta(t, &c, id, typ) })
		case 8, 9:
			c.encrypted = true
			t.Skip(typ)
		default:
			t.Skip(typ)
		}
	})
	if !c.described {
		t.Fail("a column chunk without metadata")
	}
	if c.dictionary > 0 && c.dictionary < c.start {
		c.start = c.dictionary
	}
	return c
}

// parseChunkMeta decodes a field of a ColumnMetaData struct.
func parseChunkMeta(t *parquetguard.Reader, c *chunk, id int, typ byte) {
	switch id {
	case 1:
		c.physical = format.Type(t.Number(typ))
	case 4:
		c.codec = format.CompressionCodec(t.Number(typ))
	case 5:
		c.values = t.Number(typ)
	case 7:
		c.size = t.Number(typ)
	case 9:
		c.start = t.Number(typ)
	case 11:
		c.dictionary = t.Number(typ)
	case 12:
		if c.physical != format.ByteArray { // a footer states the type first; else the bounds are unknown
			t.Skip(typ)
			return
		}
		t.Nested(typ, func(id int, typ byte) { parseBounds(t, &c.bounds, id, typ) })
	default:
		t.Skip(typ)
	}
}

// parseBounds decodes a field of a Statistics struct: max_value and min_value, which order texts by unsigned bytes.
func parseBounds(t *parquetguard.Reader, b *bounds, id int, typ byte) {
	switch id {
	case 5:
		b.upper, b.hasUpper = t.Text(typ), true
	case 6:
		b.lower, b.hasLower = t.Text(typ), true
	default:
		t.Skip(typ)
	}
}

// check compares the counts and places that the footer claims with each other and with the file. end is
// where the footer begins.
func (f *footer) check(end int64, o DecodeOptions) error {
	var rows int64
	for i, g := range f.groups {
		if g.rows < 0 {
			return fmt.Errorf("row group %d has %d rows", i, g.rows)
		}
		if rows += g.rows; rows > o.MaxRows || rows < 0 {
			return &LimitError{Limit: "MaxRows", Value: rows, Max: o.MaxRows}
		}
		if len(g.chunks) != len(f.leaves) {
			return fmt.Errorf("row group %d has %d columns, the schema %d", i, len(g.chunks), len(f.leaves))
		}
		var bytes int64
		for j := range g.chunks {
			if err := g.chunks[j].check(f.leaves[j], g.rows, end); err != nil {
				return fmt.Errorf("row group %d, column %s: %w", i, f.leaves[j].path(), err)
			}
			if bytes += g.chunks[j].size; bytes > end {
				return fmt.Errorf("the columns of row group %d overlap", i)
			}
		}
	}
	if rows != f.rows {
		return fmt.Errorf("the row groups have %d rows, the file says %d", rows, f.rows)
	}
	return nil
}

// check tests what the footer says about one column chunk.
func (c *chunk) check(leaf *fileNode, rows, end int64) error {
	start := int64(len(parquetguard.Magic))
	switch {
	case c.encrypted:
		return kindf(ErrUnsupported, "the column is encrypted")
	case c.otherFile != "":
		return kindf(ErrUnsupported, "the column is in another file, %s", c.otherFile)
	case c.physical != leaf.physical:
		return fmt.Errorf("the chunk is %s, the schema says %s", c.physical, leaf.physical)
	case rows == 0 && c.values == 0:
		return nil // nothing of it is read
	case c.size < 0 || c.start < start || c.start > end || c.size > end-c.start:
		return kindf(ErrTruncated, "%d bytes at %d lie outside of the %d bytes before the footer", c.size, c.start, end)
	case c.values < 0 || leaf.rep == 0 && c.values != rows:
		return fmt.Errorf("%d values for %d rows", c.values, rows)
	}
	return nil
}
