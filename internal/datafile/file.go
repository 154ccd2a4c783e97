package datafile

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/apache/iceberg-go"
)

// file is an open Parquet file whose footer holds together.
type file struct {
	r         io.ReaderAt
	sizeBytes int64
	limits    Limits
	footer    footer
	columns   []*node
	leaves    []leafColumn
}

// open reads the footer and checks that its parts agree, so that nothing after it has to.
func open(r io.ReaderAt, sizeBytes int64, limits Limits) (*file, error) {
	limits = limits.withDefaults()
	footer, err := readFooter(r, sizeBytes, limits)
	if err != nil {
		return nil, err
	}
	columns, leaves, err := buildTree(footer.elements, limits)
	if err != nil {
		return nil, err
	}
	f := &file{r: r, sizeBytes: sizeBytes, limits: limits, footer: footer, columns: columns, leaves: leaves}
	if err := f.check(); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *file) check() error {
	if f.footer.typeOrder != nil && len(f.footer.typeOrder) != len(f.leaves) {
		return malformed("%d column orders for %d columns", len(f.footer.typeOrder), len(f.leaves))
	}
	rows := int64(0)
	for i, g := range f.footer.groups {
		if g.rows < 0 || g.rows > math.MaxInt64-rows {
			return &FileError{RowGroup: i, Err: malformed("%d rows", g.rows)}
		}
		rows += g.rows
		if len(g.chunks) != len(f.leaves) {
			return &FileError{RowGroup: i, Err: malformed("%d columns where the schema has %d", len(g.chunks), len(f.leaves))}
		}
		for j, c := range g.chunks {
			if err := f.checkChunk(c, f.leaves[j], g.rows); err != nil {
				return atColumn(err, i, f.leaves[j].path.String())
			}
		}
	}
	if rows != f.footer.rows {
		return malformed("%d rows in all, %d in the row groups", f.footer.rows, rows)
	}
	return nil
}

func (f *file) checkChunk(c columnChunk, leaf leafColumn, rows int64) error {
	end := f.sizeBytes - tailBytes
	switch {
	case c.encrypted:
		return fmt.Errorf("encryption: %w", ErrUnsupported)
	case c.elsewhere:
		return fmt.Errorf("a column in another file: %w", ErrUnsupported)
	case c.physical != leaf.physical:
		return malformed("%s where the schema has %s", c.physical, leaf.physical)
	case c.values < 0 || leaf.maxRep == 0 && c.values != rows:
		return malformed("%d values in %d rows", c.values, rows)
	case c.stats.hasNulls && (c.stats.nulls < 0 || c.stats.nulls > c.values):
		return malformed("%d nulls in %d values", c.stats.nulls, c.values)
	case c.values > 0 && (c.start() < int64(len(magic)) || c.storedBytes <= 0 || c.storedBytes > end-c.start()):
		return malformed("%d bytes from %d on in a file of %d", c.storedBytes, c.start(), f.sizeBytes)
	}
	return nil
}

// splitOffsets returns where the row groups begin, ascending.
func (f *file) splitOffsets() []int64 {
	var offsets []int64
	for _, g := range f.footer.groups {
		if g.rows > 0 && len(g.chunks) > 0 {
			offsets = append(offsets, g.chunks[0].start())
		}
	}
	slices.Sort(offsets)
	return slices.Compact(offsets)
}

// scan visits the entries of a leaf column, all row groups in order.
func (f *file) scan(column int, visit visitor) error {
	leaf := f.leaves[column]
	for i, g := range f.footer.groups {
		if err := f.scanChunk(g.chunks[column], leaf, visit); err != nil {
			return atColumn(err, i, leaf.path.String())
		}
	}
	return nil
}

func (f *file) scanChunk(c columnChunk, leaf leafColumn, visit visitor) error {
	if c.values == 0 {
		return nil
	}
	if c.storedBytes > f.limits.ChunkBytes {
		return fmt.Errorf("column chunk of %d bytes: %w (%d)", c.storedBytes, ErrLimit, f.limits.ChunkBytes)
	}
	data, err := readRange(f.r, c.start(), c.storedBytes)
	if err != nil {
		return err
	}
	reader := &chunkReader{leaf: leaf, codec: c.codec, pageLimit: f.limits.PageBytes, data: data, left: c.values}
	return reader.each(visit)
}

// known returns an optional count.
func known(n int64) iceberg.Optional[int64] { return iceberg.Optional[int64]{Val: n, Valid: true} }
