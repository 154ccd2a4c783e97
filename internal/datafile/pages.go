package datafile

import (
	"bytes"
	"fmt"

	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/internal/parquetguard"
)

// dictionaryOfOldWriters marks dictionary pages, and pages of indices, in files of older writers.
const dictionaryOfOldWriters = format.PlainDictionary //lint:ignore SA1019 it is there to be read

// visitor gets the entries of a column chunk in file order: a definition level, the value if the level is the
// column's highest, and how many equal entries follow each other. The bytes of a value are valid during the call.
type visitor func(def int, v raw, n int64) error

// chunkReader walks over the pages of one column chunk. The guard cuts them and checks what they claim, parquet-go
// decodes what is in them.
type chunkReader struct {
	leaf       leafColumn
	pages      parquetguard.Pages
	dictionary *values
	// left is the number of entries, nulls included, that pages are still to bring.
	left   int64
	levels []byte
}

// newChunkReader returns the reader of a chunk of the given number of entries.
func newChunkReader(leaf leafColumn, codec format.CompressionCodec, pageBytes, entries int64, data []byte) *chunkReader {
	c := &chunkReader{leaf: leaf, left: entries}
	var buffer []byte
	c.pages = parquetguard.Pages{Chunk: data, Codec: codec, MaxRepetition: leaf.maxRep, MaxDefinition: leaf.maxDef,
		MaxPageBytes: pageBytes, Buffer: func(sizeBytes int64) ([]byte, error) {
			if int64(cap(buffer)) < sizeBytes {
				buffer = make([]byte, sizeBytes, sizeBytes+parquetguard.ZstdSlack)
			}
			return buffer[:sizeBytes], nil
		}}
	return c
}

// each visits all entries. A panic of the library is an error like any other.
func (c *chunkReader) each(visit visitor) (err error) {
	at := 0
	defer func() {
		if err = recovered(recover(), err); err != nil {
			err = fmt.Errorf("page at byte %d of the chunk: %w", at, err)
		}
	}()
	for c.left > 0 {
		at = c.pages.Pos()
		if err := c.nextPage(visit); err != nil {
			return err
		}
	}
	return nil
}

func (c *chunkReader) nextPage(visit visitor) error {
	p, ok, err := c.pages.Next()
	switch {
	case err != nil:
		return guarded(err)
	case !ok:
		return malformed("%d values are missing", c.left)
	case p.Header.Type == format.DictionaryPage:
		return c.readDictionary(p)
	case p.Header.Values > c.left:
		return malformed("page of %d values where %d are left", p.Header.Values, c.left)
	}
	c.left -= p.Header.Values
	return c.entries(p, visit)
}

func (c *chunkReader) readDictionary(p parquetguard.Page) error {
	h := p.Header
	switch {
	case c.dictionary != nil:
		return malformed("a second dictionary")
	case h.Encoding != format.Plain && h.Encoding != dictionaryOfOldWriters:
		return malformed("dictionary of encoding %s", h.Encoding)
	case h.Values > int64(len(p.Values)/max(c.leaf.byteWidth(), 1)):
		return malformed("dictionary of %d values in %d bytes", h.Values, len(p.Values))
	}
	v, err := c.leaf.decode(format.Plain, p.Values, int(h.Values), c.pages.MaxPageBytes)
	if err != nil {
		return fmt.Errorf("dictionary: %w", err)
	}
	c.dictionary = &v
	return nil
}

// entries visits the entries of a data page.
func (c *chunkReader) entries(p parquetguard.Page, visit visitor) error {
	n := int(p.Header.Values)
	maxDef := c.leaf.maxDef
	var levels []byte
	same := byte(maxDef)
	if maxDef > 0 {
		var err error
		levels, same, err = parquetguard.Levels(c.levels, p.Definitions, maxDef, n, c.pages.MaxPageBytes)
		if err != nil {
			return fmt.Errorf("definition levels: %w", guarded(err))
		}
		if levels != nil {
			c.levels = levels
		}
	}
	var v values // a page of nulls may hold no bytes of its encoding
	if present := countLevels(levels, same, byte(maxDef), n); present > 0 {
		var err error
		if v, err = c.values(p.Header.Encoding, p.Values, present); err != nil {
			return err
		}
	}
	next := 0
	for from := 0; from < n; {
		def, to := same, n
		if levels != nil {
			def, to = levels[from], endOfRun(levels, from)
		}
		if int(def) < maxDef {
			if err := visit(int(def), raw{}, int64(to-from)); err != nil {
				return err
			}
		} else {
			if err := v.visit(next, next+to-from, maxDef, visit); err != nil {
				return err
			}
			next += to - from
		}
		from = to
	}
	return nil
}

// countLevels counts the entries of one level among n, all of which are the same if levels is nil.
func countLevels(levels []byte, same, level byte, n int) int {
	if levels == nil {
		if same == level {
			return n
		}
		return 0
	}
	return bytes.Count(levels, []byte{level})
}

// endOfRun returns where the level at an index stops repeating.
func endOfRun(levels []byte, from int) int {
	to := from + 1
	for to < len(levels) && levels[to] == levels[from] {
		to++
	}
	return to
}

// values returns the n values of a data page.
func (c *chunkReader) values(enc format.Encoding, data []byte, n int) (values, error) {
	if enc != dictionaryOfOldWriters && enc != format.RLEDictionary {
		return c.leaf.decode(enc, data, n, c.pages.MaxPageBytes)
	}
	if c.dictionary == nil {
		return values{}, malformed("dictionary indices without a dictionary")
	}
	indexes, same, err := parquetguard.Indexes(nil, data, n, c.pages.MaxPageBytes)
	if err != nil {
		return values{}, guarded(err)
	}
	dictionary := *c.dictionary
	highest := same
	for _, i := range indexes {
		highest = max(highest, uint32(i))
	}
	if int64(highest) >= int64(dictionary.n) {
		return values{}, malformed("index %d into a dictionary of %d", highest, dictionary.n)
	}
	if indexes == nil {
		return values{n: n, same: true, at: func(int) raw { return dictionary.at(int(same)) }}, nil
	}
	return values{n: n, at: func(i int) raw { return dictionary.at(int(indexes[i])) }}, nil
}
