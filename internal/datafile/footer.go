package datafile

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/internal/parquetguard"
)

// footer is a footer as the guard and parquet-go decode it.
type footer = parquetguard.Footer

// columnChunk is one column of one row group.
type columnChunk struct {
	*format.ColumnChunk
	stats parquetguard.Statistics
}

// chunk returns a column of a row group.
func (f *file) chunk(rowGroup, column int) columnChunk {
	return columnChunk{ColumnChunk: &f.footer.RowGroups[rowGroup].Columns[column], stats: f.footer.Statistics[rowGroup][column]}
}

// start returns the offset of the chunk's first page.
func (c columnChunk) start() int64 {
	m := &c.MetaData
	if m.DictionaryPageOffset > 0 && m.DictionaryPageOffset < m.DataPageOffset {
		return m.DictionaryPageOffset
	}
	return m.DataPageOffset
}

// readFooter reads and decodes the footer of a file of the given size.
func readFooter(r io.ReaderAt, sizeBytes int64, limits Limits) (*footer, error) {
	data, _, err := parquetguard.ReadFooter(r, sizeBytes, limits.FooterBytes)
	if err != nil {
		return nil, guarded(err)
	}
	head := make([]byte, len(parquetguard.Magic))
	if err := parquetguard.ReadAt(r, head, 0); err != nil {
		return nil, guarded(err)
	}
	if string(head) != parquetguard.Magic {
		return nil, malformed("the file begins with %q, not with %q", head, parquetguard.Magic)
	}
	f, err := parquetguard.DecodeFooter(data, parquetguard.FooterLimits{Elements: limits.Columns, RowGroups: limits.RowGroups})
	if err != nil {
		return nil, fmt.Errorf("footer: %w", guarded(err))
	}
	if f.Encrypted {
		return nil, fmt.Errorf("footer: encrypted columns: %w", ErrUnsupported)
	}
	return f, nil
}

// guarded turns an error of the guard into one of this package. Errors of the underlying reader stay what they are.
func guarded(err error) error {
	var limit *parquetguard.LimitError
	var read *parquetguard.ReadError
	switch {
	case errors.As(err, &limit):
		return fmt.Errorf("%d %s: %w (%d)", limit.Value, limit.What, ErrLimit, limit.Max)
	case errors.As(err, &read):
		return read
	case errors.Is(err, parquetguard.ErrUnsupported):
		return fmt.Errorf("%v: %w", err, ErrUnsupported)
	}
	return malformed("%v", err)
}
