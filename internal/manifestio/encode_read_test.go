package manifestio_test

import (
	"bytes"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/tree"
)

// tester is what a test and a property test have in common.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// encode encodes with default options and fails the test over an error.
func encode(t tester, s manifestio.Schema, entries ...tree.Entry) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := manifestio.Encode(&out, s, entries, manifestio.EncodeOptions{}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// parquetFile is a file as the Parquet library that did not shred it reads it.
type parquetFile struct {
	t tester
	*file.Reader
}

func openParquet(t tester, data []byte) parquetFile {
	t.Helper()
	r, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return parquetFile{t, r}
}

// paths are the leaf columns.
func (f parquetFile) paths() []string {
	var paths []string
	for i := range f.MetaData().Schema.NumColumns() {
		paths = append(paths, f.MetaData().Schema.Column(i).Path())
	}
	return paths
}

// level is one level triple of a column; the value is nil where it is null.
type level struct {
	Def, Rep int16
	Value    any
}

// levels reads a column whole.
func (f parquetFile) levels(path string) []level {
	f.t.Helper()
	at := f.MetaData().Schema.ColumnIndexByName(path)
	if at < 0 {
		f.t.Fatalf("no column %s in %v", path, f.paths())
	}
	var all []level
	for group := range f.NumRowGroups() {
		chunk, err := f.RowGroup(group).Column(at)
		if err != nil {
			f.t.Fatal(err)
		}
		descr := f.MetaData().Schema.Column(at)
		n := f.MetaData().RowGroup(group).NumRows() * 64
		def, rep := make([]int16, n), make([]int16, n)
		values, total := f.readBatch(chunk, n, def, rep)
		for i := range total {
			l := level{}
			if descr.MaxDefinitionLevel() > 0 {
				l.Def = def[i]
			}
			if descr.MaxRepetitionLevel() > 0 {
				l.Rep = rep[i]
			}
			if l.Def == descr.MaxDefinitionLevel() {
				l.Value, values = values[0], values[1:]
			}
			all = append(all, l)
		}
	}
	return all
}

// readBatch reads all that a chunk has.
func (f parquetFile) readBatch(chunk file.ColumnChunkReader, n int64, def, rep []int16) ([]any, int64) {
	switch r := chunk.(type) {
	case *file.BooleanColumnChunkReader:
		return readValues(f.t, r.ReadBatch, n, def, rep, func(v bool) any { return v })
	case *file.Int32ColumnChunkReader:
		return readValues(f.t, r.ReadBatch, n, def, rep, func(v int32) any { return v })
	case *file.Int64ColumnChunkReader:
		return readValues(f.t, r.ReadBatch, n, def, rep, func(v int64) any { return v })
	case *file.Int96ColumnChunkReader:
		return readValues(f.t, r.ReadBatch, n, def, rep, func(v parquet.Int96) any { return string(v[:]) })
	case *file.Float32ColumnChunkReader:
		return readValues(f.t, r.ReadBatch, n, def, rep, func(v float32) any { return v })
	case *file.Float64ColumnChunkReader:
		return readValues(f.t, r.ReadBatch, n, def, rep, func(v float64) any { return v })
	case *file.ByteArrayColumnChunkReader:
		return readValues(f.t, r.ReadBatch, n, def, rep, func(v parquet.ByteArray) any { return string(v) })
	case *file.FixedLenByteArrayColumnChunkReader:
		return readValues(f.t, r.ReadBatch, n, def, rep, func(v parquet.FixedLenByteArray) any { return string(v) })
	}
	f.t.Fatalf("no reader for %T", chunk)
	return nil, 0
}

func readValues[T any](t tester, read func(int64, []T, []int16, []int16) (int64, int, error), n int64, def, rep []int16, box func(T) any) ([]any, int64) {
	t.Helper()
	var values []any
	total := int64(0)
	buf := make([]T, n)
	for {
		levels, got, err := read(n-total, buf, def[total:], rep[total:])
		if err != nil {
			t.Fatal(err)
		}
		if levels == 0 {
			return values, total
		}
		for _, v := range buf[:got] {
			values = append(values, box(v))
		}
		total += levels
	}
}

// values reads a column without repetition: a value for each row, nil for null.
func (f parquetFile) values(path string) []any {
	f.t.Helper()
	var values []any
	for _, l := range f.levels(path) {
		values = append(values, l.Value)
	}
	return values
}

// node finds a node of the file's schema by its path.
func (f parquetFile) node(path ...string) schema.Node {
	f.t.Helper()
	var n schema.Node = f.MetaData().Schema.Root()
	for _, name := range path {
		g, ok := n.(*schema.GroupNode)
		if !ok || g.FieldIndexByName(name) < 0 {
			f.t.Fatalf("no field %v", path)
		}
		n = g.Field(g.FieldIndexByName(name))
	}
	return n
}

// plainEntry is the least that an entry may be.
func plainEntry() tree.Entry {
	return tree.Entry{Tracking: tree.Tracking{Status: tree.Added}, Content: tree.Data, Location: "data/a.parquet",
		FileFormat: "parquet", RecordCount: 10, FileSizeBytes: 1000}
}

func long(n int64) iceberg.Optional[int64]    { return iceberg.Optional[int64]{Val: n, Valid: true} }
func integer(n int32) iceberg.Optional[int32] { return iceberg.Optional[int32]{Val: n, Valid: true} }

// tableOf is a table schema of optional columns with the given types, ids from 1 on.
func tableOf(types ...iceberg.Type) *iceberg.Schema {
	var fields []iceberg.NestedField
	for i, t := range types {
		fields = append(fields, iceberg.NestedField{ID: i + 1, Name: "c" + string(rune('a'+i)), Type: t})
	}
	return iceberg.NewSchema(7, fields...)
}

func newSchema(t tester, table *iceberg.Schema, partition ...iceberg.NestedField) manifestio.Schema {
	t.Helper()
	s, err := manifestio.NewSchema(table, partition, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
