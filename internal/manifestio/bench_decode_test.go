package manifestio

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/firn-io/firn/tree"
)

// BenchmarkDecode prints what decoding into entries costs against parquet-go reading the same columns into
// typed slices, in CPU time. The two take turns, so that both see the same machine.
func BenchmarkDecode(b *testing.B) {
	const rows = 10_000
	s, table := fixedSchema(20)
	var file bytes.Buffer
	if _, err := Encode(&file, s, LeafEntries(table, rows), EncodeOptions{}); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		p    tree.Projection
	}{
		{"stats=20", tree.Full},
		{"stats=5", tree.Projection{File: true, Stats: []int{1, 2, 3, 4, 5}}},
		{"stats=0", tree.Projection{File: true}},
		{"lookup", tree.Projection{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var ours, peer []time.Duration
			for b.Loop() {
				start := processTime()
				readRows(b, file.Bytes(), c.p)
				ours = append(ours, processTime()-start)
				b.StopTimer()
				start = processTime()
				readColumns(b, file.Bytes(), s, c.p)
				peer = append(peer, processTime()-start)
				b.StartTimer()
			}
			b.ReportMetric(median(ours)/rows, "ns/row")
			b.ReportMetric(median(peer)/rows, "parquet-go-ns/row")
			b.ReportMetric(median(ours)/median(peer), "ratio")
		})
	}
}

// median returns the median in nanoseconds.
func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Nanoseconds())
}

// readRows reads all rows of a manifest.
func readRows(tb testing.TB, file []byte, p tree.Projection) {
	r, err := Open(bytes.NewReader(file), int64(len(file)), "bench", DecodeOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	var n int64
	for row, err := range r.Rows(p) {
		if err != nil {
			tb.Fatal(err)
		}
		n += row.Entry.RecordCount
	}
	if n == 0 {
		tb.Fatal("no rows")
	}
}

// readColumns reads the columns of a projection with parquet-go into one typed slice each.
func readColumns(tb testing.TB, file []byte, s Schema, p tree.Projection) {
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		tb.Fatal(err)
	}
	wanted := make(map[int]bool)
	for i, path := range f.Schema().Columns() {
		wanted[i] = projects(path, s, p)
	}
	for _, g := range f.RowGroups() {
		for i, c := range g.ColumnChunks() {
			if wanted[i] {
				if err := readColumn(c, g.NumRows()); err != nil {
					tb.Fatal(err)
				}
			}
		}
	}
}

// projects reports whether a projection reads the column at a path of names.
func projects(path []string, s Schema, p tree.Projection) bool {
	switch path[0] {
	case "tracking", "content_type", "location", "record_count":
		return true
	case "content_stats":
		i := slices.IndexFunc(s.Stats, func(c StatsColumn) bool { return c.Name == path[1] })
		return p.AllStats || slices.Contains(p.Stats, s.Stats[i].FieldID)
	}
	return p.File
}

// readColumn reads one column chunk: its levels and its values, nulls left out.
func readColumn(c parquet.ColumnChunk, rows int64) error {
	pages := c.Pages()
	defer pages.Close()
	var column struct {
		levels  []byte
		longs   []int64
		ints    []int32
		doubles []float64
		bools   []byte
		texts   []string
	}
	column.levels = make([]byte, 0, rows)
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		column.levels = append(column.levels, page.DefinitionLevels()...)
		data := page.Data()
		switch page.Type().Kind() {
		case parquet.Int64:
			column.longs = append(column.longs, data.Int64()...)
		case parquet.Int32:
			column.ints = append(column.ints, data.Int32()...)
		case parquet.Double:
			column.doubles = append(column.doubles, data.Double()...)
		case parquet.Boolean:
			column.bools = append(column.bools, data.Boolean()...)
		case parquet.ByteArray:
			values, offsets := data.ByteArray()
			if column.texts == nil {
				column.texts = make([]string, 0, rows)
			}
			for i := range len(offsets) - 1 {
				column.texts = append(column.texts, string(values[offsets[i]:offsets[i+1]]))
			}
		case parquet.FixedLenByteArray:
			values, size := data.FixedLenByteArray()
			column.texts = append(column.texts, string(values[:len(values)/size*size]))
		}
		parquet.Release(page)
	}
}
