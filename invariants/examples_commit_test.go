package invariants_test

import (
	"testing"

	"github.com/firn-io/firn/invariants"
)

var commitExamples = []example{
	{"C-ADDED", goodCommit, func(s *sample) { s.promise.Added[0].RecordCount++ }},
	{"C-ADDED", goodCommit, func(s *sample) { s.promise.Added[0].SizeBytes++ }},
	{"C-ADDED", goodCommit, func(s *sample) { s.promise.Added[0].DeletedRows++ }},
	{"C-ADDED", goodCommit, func(s *sample) { s.promise.Added = nil }},
	{"C-ADDED", goodCommit, func(s *sample) {
		s.promise.Added = append(s.promise.Added, invariants.PromisedFile{Location: "data/m.parquet"})
	}},
	{"C-REMOVED", goodCommit, func(s *sample) { s.promise.Removed = append(s.promise.Removed, "data/z.parquet") }},
	{"C-REMOVED", goodCommit, func(s *sample) { s.promise.Removed = append(s.promise.Removed, "data/w.parquet") }},
	{"C-KEPT", goodCommit, func(s *sample) { s.promise.Removed = nil }},
	{"C-DELETES", goodCommit, func(s *sample) { s.promise.Deletes[0].DeletedRows++ }},
	{"C-DELETES", goodCommit, func(s *sample) { s.promise.Deletes = nil }},
	{"C-DELETES", goodCommit, func(s *sample) {
		s.promise.Deletes = append(s.promise.Deletes, invariants.PromisedDeletes{Location: "data/x.parquet", DeletedRows: 1})
	}},
	{"C-OPERATION", goodCommit, func(s *sample) { s.promise.Operation, s.summary["operation"] = "", "append" }},
	{"C-OPERATION", goodCommit, func(s *sample) { s.promise.Operation, s.summary["operation"] = "", "delete" }},
	{"C-OPERATION", goodCommit, func(s *sample) { s.promise.Operation, s.summary["operation"] = "", "replace" }},
	{"C-REPORTED", goodCommit, func(s *sample) { s.summary["added-data-files"] = "2" }},
	{"C-REPORTED", goodCommit, func(s *sample) { s.summary["added-records"] = "15" }},
	{"C-REPORTED", goodCommit, func(s *sample) { s.summary["added-files-size"] = "1001" }},
	{"C-REPORTED", goodCommit, func(s *sample) { s.summary["added-delete-files"] = "0" }},
	{"C-REPORTED", goodCommit, func(s *sample) { s.summary["added-position-deletes"] = "one" }},
	{"C-REPORTED", goodCommit, func(s *sample) { s.summary["added-dvs"] = "2" }},
	{"C-REPORTED", goodCommit, func(s *sample) { s.summary["deleted-data-files"] = "2" }},
	{"C-REPORTED", goodCommit, func(s *sample) { s.summary["deleted-records"] = "11" }},
	{"C-REPORTED", goodCommit, func(s *sample) { s.summary["removed-files-size"] = "0" }},
	{"C-REPORTED", goodCommit, func(s *sample) { s.summary["removed-dvs"] = "1" }},
	{"C-SUMMARY", goodCommit, func(s *sample) { s.promise.Operation = "delete" }},
	{"C-SUMMARY", goodCommit, func(s *sample) { s.promise.Summary["job"] = "18" }},
	{"C-SUMMARY", goodCommit, func(s *sample) { delete(s.summary, "job") }},
}

// goodCommit is a transaction that removes file x of leaf L1, deletes a row of y and adds file n, and what came of it.
func goodCommit() *sample {
	s := next(masked(keptL1(), set(0, 1), set(0), set(1)), keptA(), keptB(), withDV(modified(settledY()), 1), newFile())
	s.tree.AddedRows = looseRows
	s.promise = &invariants.Promise{
		Added:     []invariants.PromisedFile{{Location: "data/n.parquet", RecordCount: looseRows, SizeBytes: 1000}},
		Removed:   []string{tableLocation + "/data/x.parquet"},
		Deletes:   []invariants.PromisedDeletes{{Location: "data/y.parquet", DeletedRows: 1}},
		Operation: "overwrite", Summary: map[string]string{"job": "17"},
	}
	s.summary = map[string]string{
		"operation": "overwrite", "job": "17", "added-data-files": "1", "added-records": "5", "added-files-size": "1044",
		"added-delete-files": "1", "added-position-deletes": "1", "added-dvs": "1",
		"deleted-data-files": "1", "deleted-records": "10", "removed-files-size": "1000",
		"total-data-files": "5", "total-records": "35", "total-position-deletes": "1",
	}
	return s
}

// Promises that are kept: nothing, a file born with deleted rows, a fold that replaces, and a restore.
func TestCleanCommits(t *testing.T) {
	for name, c := range map[string]struct {
		sample  func() *sample
		promise invariants.Promise
		summary map[string]string
	}{
		"nothing":                {func() *sample { return next(keptL1(), keptA(), keptB()) }, invariants.Promise{}, nil},
		"the summary is unknown": {goodCommit, *goodCommit().promise, nil},
		"append": {func() *sample {
			n := withDV(newFile(), 2)
			n.Tracking.ModifiedSnapshotID = some(childID)
			s := next(keptL1(), keptA(), keptB(), n)
			s.tree.AddedRows = looseRows
			return s
		}, invariants.Promise{
			Added:     []invariants.PromisedFile{{Location: "data/n.parquet", RecordCount: looseRows, SizeBytes: 1000, DeletedRows: 2}},
			Operation: "append",
		}, map[string]string{"operation": "append", "added-files-size": "1000", "added-dvs": "1"}},
		"moved": {func() *sample {
			return next(masked(keptL1(), set(0), nil, nil), keptA(), keptB(), settledX())
		}, invariants.Promise{Operation: "replace"}, map[string]string{"operation": "replace"}},
		"restored": {func() *sample { return nextTakenBack(10) }, invariants.Promise{
			Removed: []string{"data/y.parquet"}, Added: []invariants.PromisedFile{{Location: "data/y.parquet", RecordCount: leafRows, SizeBytes: 1000}},
		}, map[string]string{"operation": "overwrite", "removed-dvs": "1", "removed-position-deletes": "2"}},
	} {
		s := c.sample()
		l := invariants.NewLeaves(s.table, s.leaves, invariants.LeafOptions{})
		if found := collect(invariants.CheckCommit(t.Context(), l, c.promise, *s.parent, *s.tree, c.summary)); len(found) > 0 {
			t.Errorf("%s:%s", name, messages(found))
		}
	}
}
