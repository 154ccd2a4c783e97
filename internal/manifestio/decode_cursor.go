package manifestio

import (
	"bytes"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/internal/parquetguard"
)

// rowsAtOnce is how many rows are decoded at a time at most: few enough that their entries and the slabs of
// their statistics stay in the processor's cache while one column after the other fills them in.
const rowsAtOnce = 128

// cursor walks the pages of one column of a row group. It owns every buffer that it decodes into and uses
// them again for the next page; what it hands out as texts is copied.
type cursor struct {
	leaf   *fileNode
	limits *DecodeOptions
	budget *memoryBudget
	// levelsOnly leaves the values alone, for a column that only tells where its struct is null.
	levelsOnly bool

	pages      parquetguard.Pages
	part       chunkPart
	dictionary *dictionary

	// The current page: its length in levels, which are rows unless the column repeats, and the next one.
	size, next int
	defs, reps []byte // nil where all levels are the same, as in
	def, rep   byte
	source     pageValues

	buffer, defBuffer, repBuffer []byte
	indexes                      []int32

	// What the buffers have charged to the budget.
	heldPage, heldValues, heldLevels, heldDictionary int64
}

// dictionary holds the values that the pages of one column point to.
type dictionary struct {
	nums  []int64
	texts []string
}

// size returns the number of entries.
func (d *dictionary) size() int { return max(len(d.nums), len(d.texts)) }

// open moves the cursor to the start of a column chunk.
func (c *cursor) open(codec format.CompressionCodec, chunk []byte) {
	c.openPages(parquetguard.Pages{Chunk: chunk, Codec: codec})
}

// openParts moves the cursor to the start of a column chunk that is read in parts of so many bytes.
func (c *cursor) openParts(src io.ReaderAt, chunk *chunk, partBytes int64) {
	c.part.src, c.part.chunk, c.part.sizeBytes, c.part.budget = src, chunk, partBytes, c.budget
	c.part.at, c.part.data = 0, c.part.data[:0]
	c.openPages(parquetguard.Pages{Fetch: c.part.fetch, SizeBytes: chunk.size, Codec: chunk.codec})
}

func (c *cursor) openPages(pages parquetguard.Pages) {
	pages.Buffer = c.pages.Buffer
	if pages.Buffer == nil {
		pages.Buffer = c.room
	}
	pages.MaxRepetition, pages.MaxDefinition, pages.MaxPageBytes = c.leaf.rep, c.leaf.def, c.limits.MaxPageBytes
	c.pages = pages
	c.size, c.next = 0, 0
	c.dictionary = nil
	c.budget.release(c.heldDictionary)
	c.heldDictionary = 0
}

// room returns the buffer to decompress a page into.
func (c *cursor) room(size int64) ([]byte, error) {
	if need := bufferSize(size + parquetguard.ZstdSlack); need > int64(cap(c.buffer)) {
		if err := c.budget.grow(&c.heldPage, need); err != nil {
			return nil, err
		}
		giveBuffer(c.buffer)
		c.buffer = takeBuffer(need)
	}
	return c.buffer, nil
}

// load reads the next page that holds anything. most bounds its levels: the rows that are still missing, or
// the values of the chunk for a column that repeats.
func (c *cursor) load(most int64) error {
	c.size, c.next = 0, 0
	for c.size == 0 {
		p, ok, err := c.pages.Next()
		switch {
		case err != nil:
			return err
		case !ok:
			return kindf(ErrTruncated, "the column ends %d values early", most)
		case p.Header.Type == format.DictionaryPage:
			if err := c.readDictionary(p); err != nil {
				return fmt.Errorf("dictionary: %w", err)
			}
		case p.Header.Values > most:
			return fmt.Errorf("a page of %d values where %d are missing", p.Header.Values, most)
		case p.Header.Values > 0:
			if err := c.decode(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// readDictionary decodes a dictionary page.
func (c *cursor) readDictionary(p parquetguard.Page) error {
	n := int(p.Header.Values)
	if c.dictionary != nil {
		return fmt.Errorf("a second one")
	}
	if enc := p.Header.Encoding; enc != format.Plain && enc != dictionaryOfOldWriters {
		return kindf(ErrUnsupported, "encoding %s", enc)
	}
	if n > len(p.Values)*8 {
		return fmt.Errorf("%d entries in %d bytes", n, len(p.Values))
	}
	// An entry costs its text, a share of the page, and at most the head of a string.
	if err := c.budget.grow(&c.heldDictionary, int64(16*n+len(p.Values))); err != nil {
		return err
	}
	c.dictionary = &dictionary{}
	source, err := c.plain(p.Values, n)
	if err != nil || n == 0 {
		return err
	}
	if isText(c.leaf.physical) {
		c.dictionary.texts = make([]string, n)
		return source.texts(c.dictionary.texts)
	}
	c.dictionary.nums = make([]int64, n)
	source.numbers(c.dictionary.nums)
	return nil
}

// decode makes a data page the current one.
func (c *cursor) decode(p parquetguard.Page) error {
	n := int(p.Header.Values)
	if err := c.budget.grow(&c.heldLevels, int64(2*n)); err != nil {
		return err
	}
	c.defs, c.reps, c.def, c.rep = nil, nil, 0, 0
	present := n
	var err error
	if c.leaf.rep > 0 {
		if c.reps, c.rep, err = parquetguard.Levels(c.repBuffer, p.Repetitions, c.leaf.rep, n, c.limits.MaxPageBytes); err != nil {
			return fmt.Errorf("repetition levels: %w", err)
		}
		c.repBuffer = keep(c.reps, c.repBuffer)
	}
	if c.leaf.def > 0 {
		if c.defs, c.def, err = parquetguard.Levels(c.defBuffer, p.Definitions, c.leaf.def, n, c.limits.MaxPageBytes); err != nil {
			return fmt.Errorf("definition levels: %w", err)
		}
		c.defBuffer = keep(c.defs, c.defBuffer)
		present = c.present(0, n)
	}
	c.source = nil
	if present > 0 && !c.levelsOnly {
		if c.source, err = c.values(p.Header.Encoding, p.Values, present); err != nil {
			return err
		}
	}
	c.size, c.next = n, 0
	return nil
}

// keep returns the buffer to decode into the next time.
func keep(used, old []byte) []byte {
	if used == nil {
		return old
	}
	return used[:0]
}

// present counts the values among the levels from one place of the page to another.
func (c *cursor) present(from, to int) int {
	highest := byte(c.leaf.def)
	switch {
	case c.defs != nil:
		return bytes.Count(c.defs[from:to], []byte{highest})
	case c.def == highest:
		return to - from
	}
	return 0
}

// vector is a run of rows of one column that does not repeat, with the values at the places of their rows.
// Its arrays belong to the batch being decoded and are overwritten by the next vector.
type vector struct {
	n       int
	defs    []byte
	level   byte
	highest byte
	text    bool
	nums    []int64
	texts   []string
}

// has reports whether row i has a value.
func (v *vector) has(i int) bool { return v.at(i) == v.highest }

// at returns the definition level of row i.
func (v *vector) at(i int) byte {
	if v.defs != nil {
		return v.defs[i]
	}
	return v.level
}

// peek sets the levels of a vector to the next n rows, all of which are in the current page.
func (c *cursor) peek(n int, v *vector) {
	v.n, v.level, v.highest, v.defs = n, c.def, byte(c.leaf.def), nil
	if c.defs != nil {
		v.defs = c.defs[c.next : c.next+n]
	}
}

// read sets a vector to the next n rows; it must be called once for each of them, and [cursor.advance]
// afterwards.
func (c *cursor) read(n int, v *vector) error {
	c.peek(n, v)
	v.text = isText(c.leaf.physical)
	present := c.present(c.next, c.next+n)
	if present == 0 {
		return nil
	}
	if !v.text {
		c.source.numbers(v.nums[:present])
		spread(v.nums, present, v)
		return nil
	}
	if err := c.source.texts(v.texts[:present]); err != nil {
		return err
	}
	spread(v.texts, present, v)
	return nil
}

// spread moves the first present values, which stand close together, to the places of their rows.
func spread[T any](values []T, present int, v *vector) {
	if present == v.n {
		return
	}
	for i := v.n - 1; present > 0; i-- {
		if v.has(i) {
			present--
			values[i] = values[present]
		}
	}
}

// advance moves past n rows.
func (c *cursor) advance(n int) { c.next += n }

// drained returns an error unless the chunk holds no more values.
func (c *cursor) drained() error {
	left := c.size - c.next
	for left == 0 {
		p, ok, err := c.pages.Next()
		if err != nil {
			return fmt.Errorf("behind the last value: %w", err)
		}
		if !ok {
			return nil
		}
		if p.Header.Type != format.DictionaryPage {
			left = int(p.Header.Values)
		}
	}
	return fmt.Errorf("%d values more than the row group has", left)
}
