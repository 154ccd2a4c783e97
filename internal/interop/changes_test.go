package interop_test

import (
	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/testtable"
)

// changed are scenarios of rows that are deleted, files that are refreshed and come back, and leaves that are rewritten.
var changed = []scenario{
	{name: "deleted-rows", rows: 5, columns: few, commits: func(w *writer) {
		w.append(w.numbered(7)...)
		w.deleteRows([]int{1, 6}, 3)
		w.deleteRows([]int{1, 2, 6}, 5)
		w.deleteRows([]int{1}, 7)
		w.append(w.numbered(4)...)
	}, shapes: []string{
		"leaf(5) 2 loose", "leaf(5-1) 3 loose 1 dead", "leaf(5-2) leaf(4) 2 dead", "leaf(5-2) leaf(4-1) 1 loose",
		"leaf(5-2) leaf(4-1) leaf(5)",
	}},

	{name: "rewritten-leaves", rows: 4, columns: few, commits: func(w *writer) {
		w.append(w.numbered(9)...)
		w.remove(1, 2, 5)
		w.deleteRows([]int{0}, 2)
		w.rewrite(func(*commit.Txn) {})
		w.rewrite(func(x *commit.Txn) { // a removed and a changed file in the leaf that is rewritten
			x.Remove(targets([]int{4})...)
			x.ExtendDV(targets([]int{0})[0], positions(4), commit.DVOptions{})
		})
		w.append(w.numbered(1)...)
	}, shapes: []string{
		"leaf(4) leaf(4) 1 loose", "leaf(4-2) leaf(4-1) 1 loose", "leaf(4-3) leaf(4-1) 2 loose", "leaf(6)",
		"leaf(5) 2 dead", "leaf(5) 1 loose",
	}},

	{name: "refreshed-and-restored", rows: 4, columns: few, commits: func(w *writer) {
		w.append(w.numbered(6)...)
		w.commit(func(x *commit.Txn) {
			x.Refresh(targets([]int{1})[0], nil)
			x.Refresh(targets([]int{5})[0], nil)
		})
		w.deleteRows([]int{2}, 1)
		w.remove(0, 4)
		w.append(w.numbered(3)...)
		w.commit(func(x *commit.Txn) { x.Restore(x.Base().Metadata.Snapshots[1].ID) })
		w.append(w.numbered(1)...)
	}, shapes: []string{
		"leaf(4) 2 loose", "leaf(4-1) 3 loose", "leaf(4-2) leaf(4)", "leaf(4-3) leaf(4-1)", "leaf(4-3) leaf(4-1) leaf(3)",
		"leaf(4-3) leaf(4-2) dead leaf(3) leaf(3)", "leaf(4-3) leaf(4-2) leaf(3) 1 loose",
	}},
}

func positions(rows ...uint64) dv.Vector {
	v, err := dv.Of(rows...)
	if err != nil {
		panic(err)
	}
	return v
}

// deleteRows deletes one row of each of some files.
func (w *writer) deleteRows(numbers []int, row uint64) {
	w.commit(func(x *commit.Txn) {
		for _, t := range targets(numbers) {
			x.ExtendDV(t, positions(row), commit.DVOptions{})
		}
	})
}

// rewrite commits a change with a policy that merges all leaves, and all loose files, into one.
func (w *writer) rewrite(change func(*commit.Txn)) {
	w.t.Helper()
	x, err := w.table.Begin(w.t.Context(), commit.TxnOptions{Policy: testtable.MergeAll{}})
	must(w.t, err)
	change(x)
	_, err = x.Commit(w.t.Context())
	must(w.t, err)
}
