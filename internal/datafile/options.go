package datafile

import (
	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// Options are the choices of [Inspect]. The zero value is a table without properties whose partition values
// all follow from the file (DF4).
type Options struct {
	// Metrics says which statistics to keep; the zero value is the format's default.
	Metrics Metrics
	// NameMapping gives ids to the columns of a file that has none; nil maps the table's current names.
	NameMapping iceberg.NameMapping
	// Partition gives the values of the fields that it lists, also of null ones; the others follow from the file.
	// A given value that the file's exact bounds contradict is refused.
	Partition tree.Tuple
	// Limits bound what is read.
	Limits Limits
}

// Limits bound memory and depth; a zero field means the default that it documents.
type Limits struct {
	// FooterBytes is the largest footer: 32 MiB.
	FooterBytes int64
	// Columns is the largest number of schema elements, groups included: 65,536.
	Columns int
	// RowGroups is the largest number of row groups: 65,536.
	RowGroups int
	// Depth is the deepest nesting of columns: 64.
	Depth int
	// ChunkBytes is the largest column chunk whose pages are read, as stored: 1 GiB.
	ChunkBytes int64
	// PageBytes is the largest page, uncompressed: 256 MiB. The levels, the dictionary indices and the values of a
	// page may each take as much again when decoded.
	PageBytes int64
}

func (l Limits) withDefaults() Limits {
	l.FooterBytes = orDefault(l.FooterBytes, 32<<20)
	l.Columns = orDefault(l.Columns, 1<<16)
	l.RowGroups = orDefault(l.RowGroups, 1<<16)
	l.Depth = orDefault(l.Depth, 64)
	l.ChunkBytes = orDefault(l.ChunkBytes, 1<<30)
	l.PageBytes = orDefault(l.PageBytes, 256<<20)
	return l
}

func orDefault[T int | int64](v, def T) T {
	if v <= 0 {
		return def
	}
	return v
}
