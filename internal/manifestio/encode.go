package manifestio

import (
	"fmt"
	"io"
	"slices"

	"github.com/firn-io/firn/tree"
)

// EncodeOptions change how a manifest is written. The zero value means the documented defaults (MF10).
type EncodeOptions struct {
	// CompressFromBytes is the size of a column's values in plain encoding from which on the column is
	// compressed, with zstd level 1. 0 means 96, below which compression does not pay; negative means never.
	CompressFromBytes int
	// PageBytes is the size of a column's values from which on it starts another page. 0 means 1 MiB: above the columns of
	// usual manifests, so that each is one page, and little to hold for a reader of a large one.
	PageBytes int
	// CreatedBy is the footer's created_by; empty means "firn".
	CreatedBy string
}

// The defaults of EncodeOptions.
const (
	defaultCompressFromBytes = 96
	defaultPageBytes         = 1 << 20
	defaultCreatedBy         = "firn"
)

func (o EncodeOptions) withDefaults() EncodeOptions {
	if o.CompressFromBytes == 0 {
		o.CompressFromBytes = defaultCompressFromBytes
	}
	if o.PageBytes <= 0 {
		o.PageBytes = defaultPageBytes
	}
	if o.CreatedBy == "" {
		o.CreatedBy = defaultCreatedBy
	}
	return o
}

// compress reports whether a column is compressed.
func (o EncodeOptions) compress(c *column) bool {
	return o.CompressFromBytes >= 0 && c.buffer.rawBytes(c.typ) >= o.CompressFromBytes
}

// Encoded says what was written.
type Encoded struct {
	// SizeBytes is the length of the file.
	SizeBytes int64
	// Columns counts the leaf columns, those that were dropped not included.
	Columns int
	// RawBytes is the size of all column chunks before compression, page headers included.
	RawBytes int64
}

// Encode writes entries as one Parquet manifest of schema s (rules 2, 3, 4): row i of the file is entries[i].
// The same input gives the same bytes.
//
// Columns without a value are left out, never those that are required on their whole path. Statistics of
// columns that the schema lacks are dropped; values of a kind that the schema has promoted since are promoted
// (rules 3.5); foreign fields are written as they were read (S45). Encode checks what the file format needs,
// not what a root or a leaf may hold: an error names the row and the field. After an error w may hold a part
// of a file. The bytes of the entries are not kept (MF1, MF2, MF3, MF8, MF9).
func Encode(w io.Writer, s Schema, entries []tree.Entry, o EncodeOptions) (Encoded, error) {
	o = o.withDefaults()
	foreign, err := collectForeign(entries)
	if err != nil {
		return Encoded{}, err
	}
	l, err := rowType(s, foreign)
	if err != nil {
		return Encoded{}, err
	}
	if err := l.shred(s, entries, o); err != nil {
		return Encoded{}, err
	}
	l.keepTuples(entries)
	return l.write(w, s, len(entries), o)
}

// shred fills the buffers of all columns.
func (l *layout) shred(s Schema, rows []tree.Entry, o EncodeOptions) error {
	check := newChecker(s)
	for start := 0; start < len(rows); start += blockRows {
		block := rows[start:min(start+blockRows, len(rows))]
		if err := check.entries(block, start); err != nil {
			return err
		}
		var bound source
		some := false
		for _, c := range l.columns {
			if c.source != bound {
				bound, some = c.source, c.source.bind(block)
			}
			if !some {
				c.appendNulls(bound.nulls())
			} else if err := c.shred(&c.buffer); err != nil {
				return c.refused(start, err)
			}
			if len(c.buffer.values) >= o.PageBytes {
				c.widen()
				c.buffer.closePage(c.typ)
			}
		}
		if start == 0 {
			l.reserve(len(rows)-len(block), o)
		}
	}
	return nil
}

// reserve makes room in the buffers for more rows, after the first block, which shows what a row takes.
func (l *layout) reserve(rows int, o EncodeOptions) {
	for _, c := range l.columns {
		values := c.buffer.values
		c.buffer.values = slices.Grow(values, min(len(values)*rows/blockRows, o.PageBytes))
	}
}

// appendNulls appends rows in which the column's struct is null, given the levels at which it is.
func (c *column) appendNulls(levels []int16) {
	for _, level := range levels {
		c.buffer.def.add(level, 1)
		c.buffer.rep.add(0, 1)
	}
	c.buffer.rows += len(levels)
}

// refused names the row and the field of a value that could not be shredded.
func (c *column) refused(firstRow int, err error) error {
	if cell, ok := err.(*cellError); ok {
		firstRow, err = firstRow+cell.row, cell.err
	}
	return fmt.Errorf("manifestio: row %d: field %d %s: %w", firstRow, c.id, c.path, err)
}

// keepTuples keeps one partition column where all values of all tuples are null: without a column a tuple of
// nulls would read as no tuple (rules 2.7.3).
func (l *layout) keepTuples(rows []tree.Entry) {
	for _, f := range l.root.children {
		if f.id != idPartition || len(f.children) == 0 {
			continue
		}
		for _, c := range f.children {
			if c.column.keep() {
				return
			}
		}
		for i := range rows {
			if rows[i].Partition != nil {
				f.children[0].column.always = true
				return
			}
		}
	}
}
