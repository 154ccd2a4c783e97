package interop_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/invariants"
)

// scenario is a table that other implementations read.
type scenario struct {
	name    string
	rows    int // the most rows of the root, 0 for no limit
	columns []iceberg.NestedField
	specs   []string
	commits func(w *writer)
	// shapes are the roots that the commits make, see [shape].
	shapes []string
}

// few are the columns of scenarios that are not about types.
var few = columns([]iceberg.Type{iceberg.PrimitiveTypes.Int64, iceberg.PrimitiveTypes.String})

// scenarios are all tables.
var scenarios = slices.Concat(states, changed)

// states cover the states that a root and its leaves can be in.
var states = []scenario{
	{name: "loose-only", columns: few, commits: func(w *writer) {
		w.append(w.numbered(3)...)
		w.append(w.numbered(4)...)
	}, shapes: []string{"3 loose", "7 loose"}},

	{name: "one-push-down", rows: 8, columns: few, commits: func(w *writer) {
		w.append(w.numbered(5)...)
		w.append(w.numbered(5)...)
	}, shapes: []string{"5 loose", "leaf(8) 2 loose"}},

	{name: "many-leaves", rows: 4, columns: few, commits: func(w *writer) {
		for range 4 {
			w.append(w.numbered(9)...)
		}
	}, shapes: []string{
		"leaf(4) leaf(4) 1 loose",
		"leaf(4) leaf(4) leaf(4) leaf(4) leaf(2)",
		"leaf(4) leaf(4) leaf(4) leaf(4) leaf(2) leaf(4) leaf(4) leaf(1)",
		"leaf(4) leaf(4) leaf(4) leaf(4) leaf(2) leaf(4) leaf(4) leaf(1) leaf(4) leaf(4) leaf(1)",
	}},

	{name: "masked-leaf", rows: 8, columns: few, commits: func(w *writer) {
		w.append(w.numbered(9)...)
		w.remove(1, 5)
		w.append(w.numbered(1)...)
		w.remove(0, 7, 8)
	}, shapes: []string{"leaf(8) 1 loose", "leaf(8-2) 1 loose", "leaf(8-2) 2 loose", "leaf(8-4) 1 loose 1 dead"}},

	{name: "emptied-leaf", rows: 4, columns: few, commits: func(w *writer) {
		w.append(w.numbered(5)...)
		w.remove(0, 3)
		w.remove(1, 2)
		w.append(w.numbered(1)...)
	}, shapes: []string{"leaf(4) 1 loose", "leaf(4-2) 1 loose", "dead leaf(4) 1 loose", "2 loose"}},

	{name: "buried-tombstones", rows: 4, columns: few, commits: func(w *writer) {
		w.append(w.numbered(4)...)
		w.replace([]int{0, 1, 2, 3}, w.numbered(4)...)
		w.append(w.numbered(1)...)
	}, shapes: []string{"4 loose", "leaf(4) leaf(4 dead)", "leaf(4) 1 loose"}},

	{name: "two-specs", rows: 6, columns: columns(columnTypes), commits: func(w *writer) {
		w.append(w.numbered(4, w.meta.Specs[1])...)
		w.append(w.numbered(4, w.meta.Specs[2])...)
		w.append(append(w.numbered(2, w.meta.Specs[1]), w.numbered(2)...)...)
		w.remove(1, 9)
	}, specs: []string{"c16, c06", "day(c09), c13, c18, c17, c02"},
		shapes: []string{"4 loose", "leaf(6) 2 loose", "leaf(6) leaf(6)", "leaf(6-1) leaf(6-1)"}},

	{name: "many-types", rows: 5, columns: columns(columnTypes), commits: func(w *writer) {
		w.append(w.numbered(7)...)
		w.append(w.numbered(2)...)
		w.remove(2, 6)
	}, shapes: []string{"leaf(5) 2 loose", "leaf(5) 4 loose", "leaf(5-1) 3 loose 1 dead"}},

	{name: "odd names +%20ü", rows: 4, columns: few, specs: []string{"c02"}, commits: func(w *writer) {
		for _, name := range []string{"with space.parquet", "with%20percent.parquet", "a+b.parquet", "ü/漢字/😀.parquet",
			"day=2026-11-29/x=1%2F2/q?a=b#c.parquet", "'quoted\" & <tagged>.parquet"} {
			w.append(w.file(name, w.meta.Specs[1]))
		}
		w.commit(func(x *commit.Txn) {
			x.Remove(commit.Target{Location: "data/with space.parquet"}, commit.Target{Location: "data/a+b.parquet"})
		})
	}, shapes: []string{
		"1 loose", "2 loose", "3 loose", "4 loose", "leaf(4) 1 loose", "leaf(4) 2 loose", "leaf(4-2) 2 loose",
	}},

	{name: "empty-root", columns: few, commits: func(w *writer) {
		w.commit(func(*commit.Txn) {})
		w.append(w.numbered(2)...)
		w.remove(0, 1)
		w.commit(func(*commit.Txn) {})
		w.append(w.numbered(1)...)
	}, shapes: []string{"", "2 loose", "2 dead", "", "1 loose"}},

	{name: "chains", rows: 4, columns: few, commits: func(w *writer) {
		w.append(w.numbered(6)...)
		w.dvs = true
		w.replace([]int{0, 1}, w.numbered(1)...)
		w.replace([]int{6}, w.numbered(2)...)
		w.replace([]int{7, 2, 5}, w.numbered(1)...)
		w.remove(9, 8)
		w.append(w.numbered(5)...)
	}, shapes: []string{
		"leaf(4) 2 loose", "leaf(4-2) 3 loose", "leaf(4-2) leaf(4) 1 dead", "leaf(4-3) leaf(4-2) 1 loose",
		"leaf(4-3) leaf(4-3) 1 dead", "leaf(4-3) leaf(4-3) leaf(4) 1 loose",
	}},
}

// TestWriteScenarioTables writes the tables, one folder each, and holds them to all invariants. With
// FIRN_SCENARIO_TABLES they go to that folder and stay there.
func TestWriteScenarioTables(t *testing.T) {
	dir := os.Getenv("FIRN_SCENARIO_TABLES")
	if dir == "" {
		dir = t.TempDir()
	}
	dir, err := filepath.Abs(dir)
	must(t, err)
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) { s.write(t, dir) })
	}
}

// write makes the table below a folder and checks it.
func (s scenario) write(t *testing.T, dir string) table {
	t.Helper()
	s.commits(newWriter(t, dir, s.name, s.rows, s.columns, s.specs...))
	x := openTable(t, filepath.Join(dir, s.name))
	var shapes []string
	for _, snapshot := range x.meta.Snapshots {
		root, err := x.Root(t.Context(), snapshot)
		must(t, err)
		shapes = append(shapes, shape(root))
	}
	if diff := cmp.Diff(s.shapes, shapes); diff != "" {
		t.Errorf("roots (-want +got):\n%s", diff)
	}
	for _, v := range x.findings(t) {
		t.Log(v.Severity, v.Message())
		if v.Severity == invariants.Error {
			t.Error(v.Message())
		}
	}
	return x
}
