package datafile_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// fileMetaData is a decoded footer of arrow-go, with the structs behind it.
type fileMetaData = metadata.FileMetaData

// cells are the values of one leaf column in one row group: values that are not null, and the levels of all
// entries (nil for a required column).
type cells struct {
	values any
	def    []int16
	rep    []int16
}

// writeFile writes a Parquet file with arrow-go.
func writeFile(t testing.TB, fields []schema.Node, groups [][]cells, props ...parquet.WriterProperty) []byte {
	t.Helper()
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(parquet.NewWriterProperties(props...)))
	for _, group := range groups {
		rg, err := w.AppendRowGroupChecked()
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range group {
			writer, err := rg.NextColumn()
			if err != nil {
				t.Fatal(err)
			}
			if err := writeCells(writer, column); err != nil {
				t.Fatal(err)
			}
			if err := writer.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := rg.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func writeCells(w file.ColumnChunkWriter, c cells) (err error) {
	switch w := w.(type) {
	case *file.BooleanColumnChunkWriter:
		_, err = w.WriteBatch(c.values.([]bool), c.def, c.rep)
	case *file.Int32ColumnChunkWriter:
		_, err = w.WriteBatch(c.values.([]int32), c.def, c.rep)
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(c.values.([]int64), c.def, c.rep)
	case *file.Float32ColumnChunkWriter:
		_, err = w.WriteBatch(c.values.([]float32), c.def, c.rep)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(c.values.([]float64), c.def, c.rep)
	case *file.ByteArrayColumnChunkWriter:
		var values []parquet.ByteArray
		for _, v := range c.values.([]string) {
			values = append(values, parquet.ByteArray(v))
		}
		_, err = w.WriteBatch(values, c.def, c.rep)
	case *file.FixedLenByteArrayColumnChunkWriter:
		var values []parquet.FixedLenByteArray
		for _, v := range c.values.([]string) {
			values = append(values, parquet.FixedLenByteArray(v))
		}
		_, err = w.WriteBatch(values, c.def, c.rep)
	}
	return err
}

// editFooter decodes the footer of a file, lets the caller change it, and returns the file with the new footer.
func editFooter(t testing.TB, data []byte, edit func(*metadata.FileMetaData)) []byte {
	t.Helper()
	start := footerStart(data)
	m, err := metadata.NewFileMetaData(data[start:len(data)-8], nil)
	if err != nil {
		t.Fatal(err)
	}
	edit(m)
	var footer bytes.Buffer
	if _, err := m.WriteTo(&footer, nil); err != nil {
		t.Fatal(err)
	}
	return withFooter(data, footer.Bytes())
}

func footerStart(data []byte) int {
	return len(data) - 8 - int(binary.LittleEndian.Uint32(data[len(data)-8:]))
}

// withFooter returns a file with another footer.
func withFooter(data, footer []byte) []byte {
	out := append(bytes.Clone(data[:footerStart(data)]), footer...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(footer)))
	return append(out, "PAR1"...)
}

// setExact says for all columns whether their bounds are exact.
func setExact(t testing.TB, data []byte, exact bool) []byte {
	return editFooter(t, data, func(m *metadata.FileMetaData) {
		for _, g := range m.RowGroups {
			for _, c := range g.Columns {
				if s := c.MetaData.Statistics; s != nil {
					s.IsMinValueExact, s.IsMaxValueExact = &exact, &exact
				}
			}
		}
	})
}

// leaf returns a leaf column; id -1 means none.
func leaf(t testing.TB, name string, optional bool, typ parquet.Type, logical schema.LogicalType, width, id int) schema.Node {
	t.Helper()
	rep := parquet.Repetitions.Required
	if optional {
		rep = parquet.Repetitions.Optional
	}
	if logical == nil {
		logical = schema.NoLogicalType{}
	}
	n, err := schema.NewPrimitiveNodeLogical(name, rep, logical, typ, width, int32(id))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func group(t testing.TB, name string, rep parquet.Repetition, logical schema.LogicalType, id int, fields ...schema.Node) schema.Node {
	t.Helper()
	var n schema.Node
	var err error
	if logical == nil {
		n, err = schema.NewGroupNode(name, rep, fields, int32(id))
	} else {
		n, err = schema.NewGroupNodeLogical(name, rep, fields, logical, int32(id))
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}
