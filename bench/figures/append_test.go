package main_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

const (
	tableLocation = "mem://bench/t"
	tableLeaves   = 10
	tableColumns  = 20
)

var tableID = store.TableID{Namespace: "bench", Name: "t"}

// BenchmarkAppend appends one file to a table of ten leaves: without the check for duplicates, with it when the
// location column's statistics exclude every leaf, and with it when they exclude none. It counts what the commit reads
// of the leaves and writes, and compares its time with that of the same commit on leaves of ten entries.
func BenchmarkAppend(b *testing.B) {
	few := newBenchTable(b, 10)
	for _, c := range []struct {
		name, file string
		check      bool
	}{
		{"off", "data/000000-new.parquet", false},
		{"excluded", "data/new.parquet", true},
		{"searched", "data/000050-new.parquet", true},
	} {
		for _, entries := range []int{10, 1000} {
			b.Run(fmt.Sprintf("check=%s/entries=%d", c.name, entries), func(b *testing.B) {
				table := newBenchTable(b, entries)
				var times, fewTimes []time.Duration
				var seen traffic
				for b.Loop() {
					spent, traffic := table.append(b, c.file, c.check)
					fewSpent, _ := few.append(b, c.file, c.check)
					times, fewTimes, seen = append(times, spent), append(fewTimes, fewSpent), traffic
				}
				b.ReportMetric(0, "ns/op") // that of both tables means nothing
				b.ReportMetric(float64(len(seen.footers)), "footers")
				b.ReportMetric(float64(seen.searched), "searched")
				b.ReportMetric(float64(seen.leafBytes), "leaf-B")
				b.ReportMetric(float64(seen.leafBytes)/float64(table.leafBytes), "leaf-share")
				b.ReportMetric(float64(seen.puts), "puts")
				b.ReportMetric(float64(seen.putBytes), "put-B")
				b.ReportMetric(float64(median(times))/float64(median(fewTimes)), "time-ratio")
			})
		}
	}
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// benchTable is a table in memory.
type benchTable struct {
	objects   *mem.Objects
	catalog   *mem.Catalog
	leafBytes int64
}

// newBenchTable makes a table of leaves with so many entries each and no loose file. File n stands in leaf n modulo the
// number of leaves, so that a location between two others is between those of every leaf.
func newBenchTable(b *testing.B, entries int) benchTable {
	b.Helper()
	table, opened := newEmptyBenchTable(b)
	for n := range tableLeaves {
		var files []tree.File
		for i := range entries {
			files = append(files, benchFile(fmt.Sprintf("data/%06d.parquet", tableLeaves*i+n), i))
		}
		appendTo(b, opened, simple.Cap{Rows: int64(entries)}, files)
	}
	for info, err := range table.objects.List(b.Context(), tableLocation+"/metadata/") {
		must(b, err)
		if isLeaf(info.Name) {
			table.leafBytes += info.SizeBytes
		}
	}
	return table
}

// newEmptyBenchTable makes a table without files, opened to fill it.
func newEmptyBenchTable(b *testing.B) (benchTable, *commit.Table) {
	b.Helper()
	table := benchTable{objects: &mem.Objects{}, catalog: &mem.Catalog{}}
	m, err := metadata.New(metadata.NewTable{
		UUID: uuid.Max, Location: tableLocation, Schema: iceberg.NewSchema(0, benchColumns()...), TimestampMillis: 1,
	})
	must(b, err)
	opened, err := commit.Create(b.Context(), tableID, table.catalog, table.objects, m, commit.Options{Env: testtable.Env(1)})
	must(b, err)
	return table, opened
}

// appendTo appends files in one commit.
func appendTo(b *testing.B, t *commit.Table, p policy.Policy, files []tree.File) {
	b.Helper()
	x, err := t.Begin(b.Context(), commit.TxnOptions{Policy: p})
	must(b, err)
	x.Append(files...)
	_, err = x.Commit(b.Context())
	must(b, err)
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// isLeaf tells leaves from roots and metadata files by the names that commits give them.
func isLeaf(name string) bool {
	return strings.HasSuffix(name, ".parquet") && !strings.Contains(name, "/snap-")
}

func benchColumns() []iceberg.NestedField {
	var fields []iceberg.NestedField
	for i := range tableColumns {
		types := []iceberg.Type{iceberg.PrimitiveTypes.Int64, iceberg.PrimitiveTypes.String}
		fields = append(fields, iceberg.NestedField{ID: i + 1, Name: fmt.Sprintf("c%d", i+1), Type: types[i%2]})
	}
	return fields
}

func benchFile(name string, n int) tree.File {
	f := tree.File{Location: tableLocation + "/" + name, Format: "parquet", RecordCount: 100, FileSizeBytes: 1000}
	for _, c := range benchColumns() {
		s := tree.FieldStats{
			FieldID: c.ID, Lower: tree.Long(int64(n)), Upper: tree.Long(int64(n + 1)),
			Tight: some(true), ValueCount: some(int64(100)), NullCount: some(int64(0)),
		}
		if c.ID%2 == 0 {
			s.Lower, s.Upper = tree.String(fmt.Sprintf("a%09d", n)), tree.String(fmt.Sprintf("b%09d", n))
		}
		f.Stats = append(f.Stats, s)
	}
	return f
}

func some[T any](v T) iceberg.Optional[T] { return iceberg.Optional[T]{Val: v, Valid: true} }

// append appends one file to a copy of the table and returns how long that took and what it read and wrote.
func (t benchTable) append(b *testing.B, name string, check bool) (time.Duration, traffic) {
	b.Helper()
	return t.commit(b, commit.TxnOptions{CheckDuplicates: check, Policy: simple.Never{}}, 0, func(x *commit.Txn) {
		x.Append(benchFile(name, 1))
	})
}

// commit commits a change to a copy of the table, after so many races that it loses.
func (t benchTable) commit(b *testing.B, o commit.TxnOptions, races int, change func(*commit.Txn)) (time.Duration, traffic) {
	b.Helper()
	objects := &countingObjects{Objects: t.objects.Clone()}
	objects.footers = make(map[string]bool)
	catalog := t.catalog.Clone()
	var i fault.Injector
	for n := range races {
		must(b, i.Arm(fault.Fault{Op: fault.Swap, Nth: n + 1, Outcome: "conflict"}))
	}
	table := commit.Open(tableID, i.Catalog(catalog), objects, commit.Options{Env: testtable.Env(2)})
	start := time.Now()
	x, err := table.Begin(b.Context(), o)
	must(b, err)
	change(x)
	result, err := x.Commit(b.Context())
	must(b, err)
	spent := time.Since(start)
	objects.searched = result.LeavesOpened
	return spent, objects.traffic
}

// traffic is what a commit read of leaves and wrote.
type traffic struct {
	// footers are the leaves of which anything was read, searched counts those whose rows were.
	footers             map[string]bool
	searched            int
	leafBytes, putBytes int64
	puts                int
}

// countingObjects counts the traffic to a store.
type countingObjects struct {
	store.Objects
	traffic
}

// GetRange implements [store.Objects].
func (c *countingObjects) GetRange(ctx context.Context, name string, offset int64, p []byte) (int, error) {
	n, err := c.Objects.GetRange(ctx, name, offset, p)
	c.read(name, n)
	return n, err
}

// Get implements [store.Objects].
func (c *countingObjects) Get(ctx context.Context, name string, limitBytes int64) ([]byte, error) {
	data, err := c.Objects.Get(ctx, name, limitBytes)
	c.read(name, len(data))
	return data, err
}

func (c *countingObjects) read(name string, n int) {
	if isLeaf(name) {
		c.footers[name] = true
		c.leafBytes += int64(n)
	}
}

// Put implements [store.Objects].
func (c *countingObjects) Put(ctx context.Context, name string, data []byte) error {
	c.puts++
	c.putBytes += int64(len(data))
	return c.Objects.Put(ctx, name, data)
}
