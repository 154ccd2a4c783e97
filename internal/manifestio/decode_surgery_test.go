package manifestio

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/firn-io/firn/tree"
)

// sheet is a Parquet file taken apart with arrow-go, so that tests can change its schema and put it together
// again: a column, or a struct of columns.
type sheet struct {
	name     string
	id       int32 // -1 for none
	rep      parquet.Repetition
	logical  schema.LogicalType
	physical parquet.Type
	length   int
	children []*sheet
	data     *sheetData // of a column
	keys     map[string]string
}

// sheetData is the content of a column: a typed slice and the levels.
type sheetData struct {
	values     any
	defs, reps []int16
}

// takeApart reads a file.
func takeApart(t testing.TB, data []byte) *sheet {
	t.Helper()
	r, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	column := 0
	var walk func(n schema.Node) *sheet
	walk = func(n schema.Node) *sheet {
		s := &sheet{name: n.Name(), id: n.FieldID(), rep: n.RepetitionType()}
		if l := n.LogicalType(); l != nil && !l.IsNone() {
			s.logical = l
		}
		if g, ok := n.(*schema.GroupNode); ok {
			for i := range g.NumFields() {
				s.children = append(s.children, walk(g.Field(i)))
			}
			return s
		}
		p := n.(*schema.PrimitiveNode)
		s.physical, s.length, s.data = p.PhysicalType(), p.TypeLength(), &sheetData{}
		for g := range r.NumRowGroups() {
			c, err := r.RowGroup(g).Column(column)
			if err != nil {
				t.Fatal(err)
			}
			s.data.read(t, c)
		}
		column++
		return s
	}
	root := walk(r.MetaData().Schema.Root())
	root.keys = make(map[string]string)
	for i, key := range r.MetaData().KeyValueMetadata().Keys() {
		root.keys[key] = r.MetaData().KeyValueMetadata().Values()[i]
	}
	return root
}

// read appends the content of a column chunk.
func (d *sheetData) read(t testing.TB, c file.ColumnChunkReader) {
	switch c := c.(type) {
	case *file.BooleanColumnChunkReader:
		readChunk(t, d, c, nil)
	case *file.Int32ColumnChunkReader:
		readChunk(t, d, c, nil)
	case *file.Int64ColumnChunkReader:
		readChunk(t, d, c, nil)
	case *file.Float32ColumnChunkReader:
		readChunk(t, d, c, nil)
	case *file.Float64ColumnChunkReader:
		readChunk(t, d, c, nil)
	case *file.ByteArrayColumnChunkReader:
		readChunk(t, d, c, func(v parquet.ByteArray) parquet.ByteArray { return slices.Clone(v) })
	case *file.FixedLenByteArrayColumnChunkReader:
		readChunk(t, d, c, func(v parquet.FixedLenByteArray) parquet.FixedLenByteArray { return slices.Clone(v) })
	default:
		t.Fatalf("no test needs a %T", c)
	}
}

// readChunk is read for one type of values; clone copies those that point into buffers.
func readChunk[T any, R interface {
	file.ColumnChunkReader
	ReadBatch(int64, []T, []int16, []int16) (int64, int, error)
}](t testing.TB, d *sheetData, c R, clone func(T) T) {
	all, _ := d.values.([]T)
	values, defs, reps := make([]T, 1024), make([]int16, 1024), make([]int16, 1024)
	for c.HasNext() {
		levels, n, err := c.ReadBatch(int64(len(values)), values, defs, reps)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range values[:n] {
			if clone != nil {
				v = clone(v)
			}
			all = append(all, v)
		}
		d.defs, d.reps = append(d.defs, defs[:levels]...), append(d.reps, reps[:levels]...)
	}
	d.values = all
}

// at returns the node at a path of ids below the root, as "150.504"; "." stands for the middle of a list.
func (s *sheet) at(t testing.TB, path string) *sheet {
	t.Helper()
	for _, id := range strings.Split(path, ".") {
		i := slices.IndexFunc(s.children, func(c *sheet) bool { return fmt.Sprint(c.id) == id })
		if id == "" {
			i = 0
		}
		if i < 0 {
			t.Fatalf("no field %s in %s", id, s.name)
		}
		s = s.children[i]
	}
	return s
}

// drop removes the node at a path.
func (s *sheet) drop(t testing.TB, path string) {
	t.Helper()
	parent, gone := s, s.at(t, path)
	if i := strings.LastIndex(path, "."); i >= 0 {
		parent = s.at(t, path[:i])
	}
	parent.children = slices.DeleteFunc(parent.children, func(c *sheet) bool { return c == gone })
}

// each calls f for every node below s.
func (s *sheet) each(f func(*sheet)) {
	for _, c := range s.children {
		f(c)
		c.each(f)
	}
}

// node returns the schema.
func (s *sheet) node(t testing.TB) schema.Node {
	t.Helper()
	if s.data != nil {
		n, err := schema.NewPrimitiveNodeLogical(s.name, s.rep, s.logical, s.physical, s.length, s.id)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var fields schema.FieldList
	for _, c := range s.children {
		fields = append(fields, c.node(t))
	}
	n, err := schema.NewGroupNodeLogical(s.name, s.rep, fields, s.logical, s.id)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// rows returns the number of rows.
func (s *sheet) rows() int {
	n := 0
	s.each(func(c *sheet) {
		if c.data != nil && n == 0 {
			for _, rep := range c.data.reps {
				if rep == 0 {
					n++
				}
			}
		}
	})
	return n
}

// putTogether writes the file in row groups of the given size.
func (s *sheet) putTogether(t testing.TB, groupRows int, props ...parquet.WriterProperty) []byte {
	t.Helper()
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, s.node(t).(*schema.GroupNode), file.WithWriterProps(parquet.NewWriterProperties(props...)))
	for key, value := range s.keys {
		if err := w.AppendKeyValueMetadata(key, value); err != nil {
			t.Fatal(err)
		}
	}
	rows := s.rows()
	for first := 0; first < rows; first += groupRows {
		g, err := w.AppendRowGroupChecked()
		if err != nil {
			t.Fatal(err)
		}
		s.each(func(c *sheet) {
			if c.data == nil {
				return
			}
			cw, err := g.NextColumn()
			if err != nil {
				t.Fatal(err)
			}
			c.data.write(t, cw, first, min(first+groupRows, rows))
			if err := cw.Close(); err != nil {
				t.Fatal(err)
			}
		})
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// write writes the rows from first up to last into a column chunk.
func (d *sheetData) write(t testing.TB, w file.ColumnChunkWriter, first, last int) {
	highest := w.Descr().MaxDefinitionLevel()
	row, from, to, skip, take := -1, 0, 0, 0, 0
	for i := range d.reps {
		if d.reps[i] == 0 {
			row++
		}
		has := d.defs[i] == highest
		switch {
		case row < first:
			from++
			if has {
				skip++
			}
		case row < last && has:
			take++
		}
		if row < last {
			to++
		}
	}
	defs, reps := d.defs[from:to], d.reps[from:to]
	var err error
	switch w := w.(type) {
	case *file.BooleanColumnChunkWriter:
		_, err = w.WriteBatch(part[bool](d, skip, take), defs, reps)
	case *file.Int32ColumnChunkWriter:
		_, err = w.WriteBatch(part[int32](d, skip, take), defs, reps)
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(part[int64](d, skip, take), defs, reps)
	case *file.Float32ColumnChunkWriter:
		_, err = w.WriteBatch(part[float32](d, skip, take), defs, reps)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(part[float64](d, skip, take), defs, reps)
	case *file.ByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(part[parquet.ByteArray](d, skip, take), defs, reps)
	case *file.FixedLenByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(part[parquet.FixedLenByteArray](d, skip, take), defs, reps)
	default:
		t.Fatalf("no test needs a %T", w)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// part returns some of a column's values.
func part[T any](d *sheetData, skip, take int) []T {
	if take == 0 {
		return nil
	}
	return d.values.([]T)[skip : skip+take]
}

// decode opens a file and reads all its rows.
func decode(data []byte, p tree.Projection) ([]tree.Entry, error) {
	r, err := Open(bytes.NewReader(data), int64(len(data)), "test.parquet", DecodeOptions{})
	if err != nil {
		return nil, err
	}
	return r.ReadAll(p)
}

// mustDecode is decode of a file that must be sound.
func mustDecode(t testing.TB, data []byte) []tree.Entry {
	t.Helper()
	es, err := decode(data, tree.Full)
	if err != nil {
		t.Fatal(err)
	}
	return es
}

// addColumn adds a column without nulls to a struct.
func addColumn[T any](s *sheet, name string, id int32, physical parquet.Type, logical schema.LogicalType, values []T) *sheet {
	n := len(values)
	c := &sheet{name: name, id: id, rep: parquet.Repetitions.Required, logical: logical, physical: physical, length: -1}
	c.data = &sheetData{values: values, defs: make([]int16, n), reps: make([]int16, n)}
	s.children = append(s.children, c)
	return c
}

// pageRows cuts pages of the given number of rows.
func pageRows(rows int64) []parquet.WriterProperty {
	return []parquet.WriterProperty{parquet.WithDataPageSize(1), parquet.WithBatchSize(rows), parquet.WithDictionaryDefault(false)}
}
