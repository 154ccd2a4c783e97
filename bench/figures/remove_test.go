package main_test

import (
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/tree"
)

// BenchmarkRemove removes one file from a table of ten leaves, or deletes rows of it: as a scan found it, and by its
// name, which stands between those of every leaf; also after three lost races. It counts what is read of the leaves.
func BenchmarkRemove(b *testing.B) {
	table := newBenchTable(b, 1000)
	const name = "data/000059.parquet" // in the leaf that is searched last
	rows, err := dv.Of(3)
	must(b, err)
	remove := func(x *commit.Txn, t commit.Target) { x.Remove(t) }
	deleteRows := func(x *commit.Txn, t commit.Target) { x.ExtendDV(t, rows, commit.DVOptions{}) }
	for _, c := range []struct {
		name   string
		hint   bool
		races  int
		change func(*commit.Txn, commit.Target)
	}{
		{"remove/hint", true, 0, remove},
		{"remove/hint/races=3", true, 3, remove},
		{"remove/name", false, 0, remove},
		{"remove/name/races=3", false, 3, remove},
		{"delete-rows/hint", true, 0, deleteRows},
		{"delete-rows/name", false, 0, deleteRows},
	} {
		b.Run(c.name, func(b *testing.B) {
			target := commit.Target{Location: name}
			if c.hint {
				target = commit.At(table.find(b, tableLocation+"/"+name))
			}
			var seen traffic
			for b.Loop() {
				_, seen = table.commit(b, commit.TxnOptions{Policy: simple.Never{}}, c.races, func(x *commit.Txn) {
					c.change(x, target)
				})
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(seen.searched), "searched")
			b.ReportMetric(float64(seen.leafBytes), "leaf-B")
			b.ReportMetric(float64(seen.leafBytes)/float64(table.leafBytes), "leaf-share")
			b.ReportMetric(float64(seen.puts), "puts")
			b.ReportMetric(float64(seen.putBytes), "put-B")
		})
	}
}

// find returns a live file as a scan finds it, read in full.
func (t benchTable) find(b *testing.B, location string) tree.Located {
	b.Helper()
	table := commit.Open(tableID, t.catalog, t.objects, commit.Options{})
	head, err := table.Head(b.Context())
	must(b, err)
	for l, err := range table.Files(b.Context(), head, tree.Full) {
		must(b, err)
		if l.Location == location {
			return l
		}
	}
	b.Fatalf("%s is not live", location)
	return tree.Located{}
}
