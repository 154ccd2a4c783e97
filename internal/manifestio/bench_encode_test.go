//go:build unix

package manifestio

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/firn-io/firn/tree"
)

// BenchmarkEncode compares Encode with a bare loop that hands the same columns, already shredded, to the Parquet
// library's column writers, with the same codecs and Parquet statistics. Both run in turn in every round;
// cpu-ratio is the median over the rounds of Encode's processor time over the loop's, size-ratio the same of the
// bytes.
func BenchmarkEncode(b *testing.B) {
	for _, entries := range []int{100, 1_000, 10_000} {
		for _, columns := range []int{5, 20} {
			b.Run(fmt.Sprintf("entries=%d/stats=%d", entries, columns), func(b *testing.B) { benchmarkEncode(b, entries, columns) })
		}
	}
}

func benchmarkEncode(b *testing.B, entries, columns int) {
	s, table := fixedSchema(columns)
	rows := LeafEntries(table, entries)
	bare := shredAll(b, s, rows)
	var ours time.Duration
	var ratios []float64
	var allocs uint64
	var size, bareSize int64
	for b.Loop() {
		runtime.GC() // each pays for its own garbage only
		before := mallocs()
		start := processTime()
		written, err := Encode(io.Discard, s, rows, EncodeOptions{})
		if err != nil {
			b.Fatal(err)
		}
		spent := processTime() - start
		ours += spent
		allocs += mallocs() - before
		runtime.GC()
		start = processTime()
		bareSize = bare.write(b)
		ratios = append(ratios, spent.Seconds()/(processTime()-start).Seconds())
		size = written.SizeBytes
	}
	perEntry := float64(b.N) * float64(entries)
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "cpu-ratio")
	b.ReportMetric(ours.Seconds()*1e6/perEntry, "us/entry")
	b.ReportMetric(float64(size)/float64(bareSize), "size-ratio")
	b.ReportMetric(float64(size)/float64(entries), "B/entry")
	b.ReportMetric(float64(allocs)/perEntry, "allocs/entry")
}

func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// bareFile is a manifest as the Parquet library's column writers take it.
type bareFile struct {
	root    *schema.GroupNode
	props   *parquet.WriterProperties
	columns []bareColumn
}

// bareColumn is one column: levels, and the values in the slice of their type.
type bareColumn struct {
	def, rep []int16
	bools    []bool
	ints     []int32
	longs    []int64
	doubles  []float64
	bytes    []parquet.ByteArray
	fixed    []parquet.FixedLenByteArray
}

func shredAll(b *testing.B, s Schema, rows []tree.Entry) bareFile {
	o := EncodeOptions{}.withDefaults()
	l, err := rowType(s, nil)
	if err != nil {
		b.Fatal(err)
	}
	if err := l.shred(s, rows, o); err != nil {
		b.Fatal(err)
	}
	root, err := l.root.node()
	if err != nil {
		b.Fatal(err)
	}
	bare := bareFile{root: root.(*schema.GroupNode)}
	kept := slices.DeleteFunc(slices.Clone(l.columns), func(c *column) bool { return !c.keep() })
	for _, c := range kept {
		bare.columns = append(bare.columns, bareValues(c))
	}
	bare.props = properties(kept, o, parquet.WithStatsFor("location", true), parquet.WithDataPageSize(defaultPageBytes))
	return bare
}

// bareValues takes a column's plain values apart.
func bareValues(c *column) bareColumn {
	col := bareColumn{def: expand(c.buffer.def), rep: expand(c.buffer.rep)}
	for rest := c.buffer.values; len(rest) > 0; {
		size := plainSize(c.typ)
		switch c.typ.physical {
		case parquet.Types.Boolean:
			col.bools = append(col.bools, rest[0] != 0)
		case parquet.Types.Int32:
			col.ints = append(col.ints, int32(binary.LittleEndian.Uint32(rest)))
		case parquet.Types.Int64:
			col.longs = append(col.longs, int64(binary.LittleEndian.Uint64(rest)))
		case parquet.Types.Double:
			col.doubles = append(col.doubles, math.Float64frombits(binary.LittleEndian.Uint64(rest)))
		case parquet.Types.ByteArray:
			size = 4 + int(binary.LittleEndian.Uint32(rest))
			col.bytes = append(col.bytes, slices.Clone(rest[4:size]))
		case parquet.Types.FixedLenByteArray:
			col.fixed = append(col.fixed, slices.Clone(rest[:size]))
		}
		rest = rest[size:]
	}
	return col
}

func expand(l levels) []int16 {
	var all []int16
	for _, r := range l.runs {
		all = append(all, slices.Repeat([]int16{r.level}, r.n)...)
	}
	return all
}

// write is the bare loop.
func (f bareFile) write(b *testing.B) int64 {
	out := &countingWriter{w: io.Discard}
	w := file.NewParquetWriter(out, f.root, file.WithWriterProps(f.props))
	rg, err := w.AppendRowGroupChecked()
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range f.columns {
		cw, err := rg.NextColumn()
		if err == nil {
			err = c.write(cw)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := rg.Close(); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return out.n
}

func (c bareColumn) write(w file.ColumnChunkWriter) (err error) {
	switch w := w.(type) {
	case *file.BooleanColumnChunkWriter:
		_, err = w.WriteBatch(c.bools, c.def, c.rep)
	case *file.Int32ColumnChunkWriter:
		_, err = w.WriteBatch(c.ints, c.def, c.rep)
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(c.longs, c.def, c.rep)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(c.doubles, c.def, c.rep)
	case *file.ByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(c.bytes, c.def, c.rep)
	case *file.FixedLenByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(c.fixed, c.def, c.rep)
	}
	return err
}
