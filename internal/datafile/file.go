package datafile

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/parquetguard"
)

// file is an open Parquet file whose footer holds together.
type file struct {
	r         io.ReaderAt
	sizeBytes int64
	limits    Limits
	footer    *footer
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
	columns, leaves, err := buildTree(footer, limits)
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
	if f.footer.ColumnOrders != nil && len(f.footer.ColumnOrders) != len(f.leaves) {
		return malformed("%d column orders for %d columns", len(f.footer.ColumnOrders), len(f.leaves))
	}
	rows := int64(0)
	for i := range f.footer.RowGroups {
		g := &f.footer.RowGroups[i]
		if g.NumRows < 0 || g.NumRows > math.MaxInt64-rows {
			return &FileError{RowGroup: i, Err: malformed("%d rows", g.NumRows)}
		}
		rows += g.NumRows
		if len(g.Columns) != len(f.leaves) {
			return &FileError{RowGroup: i, Err: malformed("%d columns where the schema has %d", len(g.Columns), len(f.leaves))}
		}
		for j := range g.Columns {
			if err := f.checkChunk(f.chunk(i, j), f.leaves[j], g.NumRows); err != nil {
				return atColumn(err, i, f.leaves[j].path.String())
			}
		}
	}
	if rows != f.footer.NumRows {
		return malformed("%d rows in all, %d in the row groups", f.footer.NumRows, rows)
	}
	return nil
}

func (f *file) checkChunk(c columnChunk, leaf leafColumn, rows int64) error {
	end := f.sizeBytes - parquetguard.TailBytes
	m, nulls := &c.MetaData, c.stats.NullCount
	switch {
	case c.FilePath != "":
		return fmt.Errorf("a column in another file: %w", ErrUnsupported)
	case m.Type != leaf.physical:
		return malformed("%s where the schema has %s", m.Type, leaf.physical)
	case m.NumValues < 0 || leaf.maxRep == 0 && m.NumValues != rows:
		return malformed("%d values in %d rows", m.NumValues, rows)
	case c.stats.HasNullCount && (nulls < 0 || nulls > m.NumValues):
		return malformed("%d nulls in %d values", nulls, m.NumValues)
	case m.NumValues > 0 && (c.start() < int64(len(parquetguard.Magic)) || m.TotalCompressedSize <= 0 || m.TotalCompressedSize > end-c.start()):
		return malformed("%d bytes from %d on in a file of %d", m.TotalCompressedSize, c.start(), f.sizeBytes)
	}
	return nil
}

// splitOffsets returns where the row groups begin, ascending.
func (f *file) splitOffsets() []int64 {
	var offsets []int64
	for i, g := range f.footer.RowGroups {
		if g.NumRows > 0 && len(g.Columns) > 0 {
			offsets = append(offsets, f.chunk(i, 0).start())
		}
	}
	slices.Sort(offsets)
	return slices.Compact(offsets)
}

// scan visits the entries of a leaf column, all row groups in order.
func (f *file) scan(column int, visit visitor) error {
	leaf := f.leaves[column]
	for i := range f.footer.RowGroups {
		if err := f.scanChunk(f.chunk(i, column), leaf, visit); err != nil {
			return atColumn(err, i, leaf.path.String())
		}
	}
	return nil
}

func (f *file) scanChunk(c columnChunk, leaf leafColumn, visit visitor) error {
	m := &c.MetaData
	if m.NumValues == 0 {
		return nil
	}
	if m.TotalCompressedSize > f.limits.ChunkBytes {
		return fmt.Errorf("column chunk of %d bytes: %w (%d)", m.TotalCompressedSize, ErrLimit, f.limits.ChunkBytes)
	}
	data := make([]byte, m.TotalCompressedSize)
	if err := parquetguard.ReadAt(f.r, data, c.start()); err != nil {
		return guarded(err)
	}
	return newChunkReader(leaf, m.Codec, f.limits.PageBytes, m.NumValues, data).each(visit)
}

// known returns an optional count.
func known(n int64) iceberg.Optional[int64] { return iceberg.Optional[int64]{Val: n, Valid: true} }
