package invariants

import (
	"fmt"
	"maps"
	"slices"
)

var commitInvariants = []Invariant{
	{
		ID: "C-ADDED", Scope: ScopeCommit, NeedsPromise: true, Depth: AllLeaves, Severity: Error, Firmness: Derived, Rule: "rules 1.9, 6.1, IV21",
		Statement: "The files that a commit brings are those that the transaction added, each with the rows, the size and the deleted " +
			"rows that it has.",
		Symptom: "Data is missing that its writer was told is there, or is there although nobody added it.",
		Advice:  "Add what is missing again; find the files that nobody added in the log of the engine before they are removed.",
		check:   checker{commit: checkPromisedAdded},
	},
	{
		ID: "C-REMOVED", Scope: ScopeCommit, NeedsPromise: true, Depth: AllLeaves, Severity: Error, Firmness: Derived, Rule: "rules 1.9, 6.1, IV21",
		Statement: "Each file that a transaction removed was live in the parent and is not in the child.",
		Symptom:   "Data is still read that its owner was told is gone.",
		Advice:    "Remove the file again, by a writer that resolves it against the parent.",
		check:     checker{commit: checkPromisedRemoved},
	},
	{
		ID: "C-KEPT", Scope: ScopeCommit, NeedsPromise: true, Depth: AllLeaves, Severity: Error, Firmness: Derived, Rule: "rules 1.9, 6.1, IV21",
		Statement: "Each file of the parent that a transaction did not remove is live in the child.",
		Symptom:   "Data of others is gone, well told or not.",
		Advice:    "Restore the file from the parent snapshot.",
		check:     checker{commit: checkPromisedKept},
	},
	{
		ID: "C-DELETES", Scope: ScopeCommit, NeedsPromise: true, Depth: AllLeaves, Severity: Error, Firmness: Derived, Rule: "rules 10.1, 10.4, IV21",
		Statement: "Each file whose rows a transaction deleted has as many deleted rows as it promised, and every other one keeps its " +
			"deletion vector.",
		Symptom: "Deleted rows are still read, or rows are gone that nobody deleted.",
		Advice:  "Delete the missing rows again; rows that are gone come back with a restore of the file.",
		check:   checker{commit: checkPromisedDeletes},
	},
	{
		ID: "C-OPERATION", Scope: ScopeCommit, Depth: AllLeaves, Severity: Warning, Firmness: Open, Rule: "rules 14.1, IV21",
		Statement: "The operation that a summary names fits the change: append takes no file and no row away, delete brings no file, " +
			"replace leaves as many rows as there were.",
		Symptom: "Incremental readers pass the snapshot over, or read it as what it is not.",
		Advice:  "Name the operation by what changed; overwrite fits every change.",
		check:   checker{commit: checkOperationFits},
	},
	{
		ID: "C-REPORTED", Scope: ScopeCommit, Depth: AllLeaves, Severity: Warning, Firmness: Open, Rule: "rules 14.1, IV16, IV21",
		Statement: "What the summary of a commit reports as added and deleted or removed is what the commit brought and took: data files, " +
			"records, bytes, delete files, position deletes and deletion vectors.",
		Symptom: "Reports are wrong, and so are totals that a later writer derives from them.",
		Advice:  "Count the difference of the live files; leave a count out where it is not known.",
		check:   checker{commit: checkReported},
	},
	{
		ID: "C-SUMMARY", Scope: ScopeCommit, NeedsPromise: true, Depth: AllLeaves, Severity: Error, Firmness: Derived, Rule: "rules 14.1, IV21",
		Statement: "The summary of a commit names the operation and has the fields that the transaction was to put there, with their values.",
		Symptom:   "A program that marks its commits does not find them, and may commit the same data twice.",
		Advice:    "Write the fields of the transaction on each attempt.",
		check:     checker{commit: checkPromisedSummary},
	},
}

func checkPromisedAdded(in *commitInput, r reporter) {
	come := make(map[string]*arrival)
	for a := range in.come() {
		come[a.location] = a
	}
	promised := make(map[string]bool)
	for _, p := range in.promise.Added {
		location := resolve(in.location, p.Location)
		promised[location] = true
		a, there := come[location]
		if !there {
			r.report("location", "a new file "+location, "none")
			continue
		}
		for _, n := range []struct {
			field           string
			promised, found int64
		}{
			{"record_count", p.RecordCount, a.recordCount},
			{"file_size_in_bytes", p.SizeBytes, a.sizeBytes},
			{"deletion_vector.cardinality", p.DeletedRows, a.deletedRows()},
		} {
			if n.promised != n.found {
				r.at(a.object, a.row).report(n.field, n.promised, n.found)
			}
		}
	}
	for a := range in.come() {
		if !promised[a.location] {
			r.at(a.object, a.row).report("location", "a file that the transaction added", a.location)
		}
	}
}

// removed returns the resolved locations of the files that the transaction removed.
func (in *commitInput) removed() map[string]bool {
	removed := make(map[string]bool)
	for _, location := range in.promise.Removed {
		removed[resolve(in.location, location)] = true
	}
	return removed
}

func checkPromisedRemoved(in *commitInput, r reporter) {
	for _, location := range slices.Sorted(maps.Keys(in.removed())) {
		b, before := in.before.by[location]
		a, after := in.after.by[location]
		switch {
		case !before:
			r.report("location", "a file of the parent, for the transaction removed it", location)
		case after && a.fileSequence == b.fileSequence:
			r.at(a.object, a.row).report("location", "no such file, for the transaction removed it", location)
		}
	}
}

func checkPromisedKept(in *commitInput, r reporter) {
	removed := in.removed()
	for b := range in.gone() {
		if !removed[b.location] {
			r.report("location", fmt.Sprintf("%s, live in %s row %d of the parent", b.location, b.object, b.row), "no such file")
		}
	}
}

func checkPromisedDeletes(in *commitInput, r reporter) {
	promised := make(map[string]int64)
	for _, p := range in.promise.Deletes {
		promised[resolve(in.location, p.Location)] = p.DeletedRows
	}
	for b, a := range in.kept() {
		rows, changes := promised[b.location]
		delete(promised, b.location)
		switch {
		case changes && a.deletedRows() != rows:
			r.at(a.object, a.row).report("deletion_vector", fmt.Sprintf("%d deleted rows", rows), printDV(a.dv))
		case !changes && printDV(a.dv) != printDV(b.dv):
			r.at(a.object, a.row).report("deletion_vector", printDV(b.dv), printDV(a.dv))
		}
	}
	for _, location := range slices.Sorted(maps.Keys(promised)) {
		r.report("location", fmt.Sprintf("%s with %d deleted rows", location, promised[location]), "no file that stays")
	}
}

// counted adds up files that come or go. A changed deletion vector goes and comes; its file does not.
type counted struct{ files, records, bytes, vectors, vectorBytes, deletes int64 }

func (n *counted) file(f *file) {
	n.files, n.records, n.bytes = n.files+1, sum(n.records, f.recordCount), sum(n.bytes, f.sizeBytes)
	n.vector(f)
}

func (n *counted) vector(f *file) {
	if f.dv != nil {
		n.vectors, n.vectorBytes, n.deletes = n.vectors+1, sum(n.vectorBytes, f.dv.SizeBytes), sum(n.deletes, f.dv.Cardinality)
	}
}

func (n *counted) add(o counted) {
	n.files, n.records, n.bytes = n.files+o.files, sum(n.records, o.records), sum(n.bytes, o.bytes)
	n.vectors, n.vectorBytes, n.deletes = n.vectors+o.vectors, sum(n.vectorBytes, o.vectorBytes), sum(n.deletes, o.deletes)
}

// sums sums up what the commit brought and took.
func (in *commitInput) sums() commitSums {
	if in.summed != nil {
		return *in.summed
	}
	var s commitSums
	for f := range in.come() {
		s.came.file(&f.file)
	}
	for f := range in.gone() {
		s.went.file(&f.file)
		s.takes = true
	}
	for b, a := range in.kept() {
		if printDV(b.dv) != printDV(a.dv) {
			s.came.vector(&a.file)
			s.went.vector(&b.file)
			s.takes = true
		}
	}
	return s
}

func checkOperationFits(in *commitInput, r reporter) {
	operation := in.summary["operation"]
	sums := in.sums()
	came, went := sums.came, sums.went
	before, after := went.records-went.deletes, came.records-came.deletes
	switch {
	case operation == "append" && sums.takes:
		r.report("summary.operation", "overwrite or another operation, for files or rows went", "append")
	case operation == "delete" && came.files > 0:
		r.report("summary.operation", "overwrite or another operation, for files came", "delete")
	case operation == "replace" && before != after:
		r.report("summary.operation", fmt.Sprintf("overwrite or another operation, for %d rows became %d", before, after), "replace")
	}
}

// checkReported judges what is claimed. Iceberg counts the bytes of deletion vectors as bytes of files; others do not.
func checkReported(in *commitInput, r reporter) {
	sums := in.sums()
	came, went := sums.came, sums.went
	for _, n := range []total{
		{"added-data-files", []int64{came.files}},
		{"added-records", []int64{came.records}},
		{"added-files-size", []int64{came.bytes, sum(came.bytes, came.vectorBytes)}},
		{"added-delete-files", []int64{came.vectors}},
		{"added-position-deletes", []int64{came.deletes}},
		{"added-dvs", []int64{came.vectors}},
		{"deleted-data-files", []int64{went.files}},
		{"deleted-records", []int64{went.records}},
		{"removed-files-size", []int64{went.bytes, sum(went.bytes, went.vectorBytes)}},
		{"removed-delete-files", []int64{went.vectors}},
		{"removed-position-deletes", []int64{went.deletes}},
		{"removed-dvs", []int64{went.vectors}},
	} {
		n.judge(in.summary, r)
	}
}

func checkPromisedSummary(in *commitInput, r reporter) {
	if in.summary == nil {
		return
	}
	if want, got := in.promise.Operation, in.summary["operation"]; want != "" && got != want {
		r.report("summary.operation", want, fmt.Sprintf("%q", got))
	}
	for _, key := range slices.Sorted(maps.Keys(in.promise.Summary)) {
		if got, there := in.summary[key]; !there || got != in.promise.Summary[key] {
			r.report("summary."+key, fmt.Sprintf("%q", in.promise.Summary[key]), fmt.Sprintf("%q", got))
		}
	}
}
