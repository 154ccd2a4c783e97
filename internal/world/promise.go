package world

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// compareCommit holds a snapshot and its summary against what its transaction was to do, by the rules of scope commit.
func (w *World) compareCommit(ctx context.Context, head *commit.Head, parent, child tree.Tree, before model, s metadata.Snapshot) (string, error) {
	var out strings.Builder
	promise := before.promise(w.states[s.ID])
	for v, err := range invariants.CheckCommit(ctx, w.leaves(head), promise, parent, child, s.Summary) {
		if err != nil {
			return out.String(), err
		}
		if madeUp(v) {
			continue
		}
		out.WriteString(w.problem("snapshot %d: %s", s.ID, v.Message()))
	}
	return out.String(), nil
}

// madeUp reports whether a violation is of what scripts make up: they compact into files of any number of rows.
func madeUp(v invariants.Violation) bool {
	return v.ID == "C-OPERATION" && v.Found == metadata.OpReplace
}

// promise returns what a transaction promised that leads from one model to another.
func (m model) promise(to model) invariants.Promise {
	var p invariants.Promise
	for _, name := range slices.Sorted(maps.Keys(m)) {
		before := m[name]
		after, kept := to[name]
		switch {
		case !kept || before.fileSequence != after.fileSequence:
			p.Removed = append(p.Removed, name)
		case before.deleted != after.deleted:
			p.Deletes = append(p.Deletes, invariants.PromisedDeletes{Location: name, DeletedRows: after.deletedRows()})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(to)) {
		after := to[name]
		if before, kept := m[name]; !kept || before.fileSequence != after.fileSequence {
			p.Added = append(p.Added, invariants.PromisedFile{
				Location: name, RecordCount: after.records, SizeBytes: after.size, DeletedRows: after.deletedRows(),
			})
		}
	}
	return p
}

// deletedRows counts the deleted rows, also of a deletion vector that a script made up.
func (k known) deletedRows() int64 {
	var n int64
	if rows, err := dv.ParseText(k.deleted); err == nil {
		return rows.Cardinality()
	}
	fmt.Sscanf(k.deleted, "%d rows at ", &n) // what World.deletedRows prints of one that is not there
	return n
}
