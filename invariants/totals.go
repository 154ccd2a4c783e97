package invariants

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/firn-io/firn/tree"
)

var totalsInvariants = []Invariant{
	{
		ID: "T-TOTALS", Scope: ScopeTree, Depth: AllLeaves, Severity: Warning, Firmness: Open, Rule: "rules 14.1, B10",
		Statement: "The totals that the summary of a snapshot claims are those of its live files: total-data-files, " +
			"total-records and total-files-size, with or without deletion vectors; total-delete-files, total-position-deletes " +
			"and total-equality-deletes, a deletion vector being one file with as many deletes as rows.",
		Symptom: "Reports and planners that go by the totals are wrong, and so are the totals of every later snapshot.",
		Advice:  "Leave a total out where it is not known; the next writer can count the files and begin again.",
		check:   checker{totals: checkTotals},
	},
}

// CheckTotals compares what the summary of a snapshot claims with its tree, the one rule of scope tree for which the
// tree alone is not enough. It opens every leaf of live data files; those that l has read are not read again. A total
// that is not claimed, or not known because a leaf was passed over or the table has delete files of before v4, is not
// judged (IV16).
func CheckTotals(ctx context.Context, l *Leaves, t tree.Tree, summary map[string]string) iter.Seq2[Violation, error] {
	return func(yield func(Violation, error) bool) {
		in := &treeInput{snapshot: newSnapshot(t), storage: l.storage}
		in.summary = summary
		l.check(yield, func(c check) error {
			open := func(p *pointer) (*readLeaf, error) { return l.open(ctx, in.snapshot, p) }
			err := in.open(open, AllLeaves, func(*readLeaf, *openLeaf) bool { return true })
			if err == nil {
				c.totals(in)
			}
			return err
		})
	}
}

func (c check) totals(in *treeInput) {
	if in.closed || in.summary == nil {
		return
	}
	c.run(totalsRules, in.place(-1), func(f *checker, r reporter) {
		f.totals(in, r)
	})
}

// total is a number of a summary and what it may be.
type total struct {
	key string
	may []int64
}

func checkTotals(in *treeInput, r reporter) {
	for _, t := range in.expected() {
		t.judge(in.summary, r)
	}
}

// judge reports a claim that is not what it may be. What is not claimed is not judged.
func (t total) judge(summary map[string]string, r reporter) {
	claim, claimed := summary[t.key]
	if !claimed {
		return
	}
	if n, err := strconv.ParseInt(claim, 10, 64); err != nil || !slices.Contains(t.may, n) {
		r.report("summary."+t.key, t.may[0], fmt.Sprintf("%q", claim))
	}
}

// expected counts the live files. Iceberg counts the bytes of deletion vectors as bytes of files; others do not.
func (in *treeInput) expected() []total {
	var n liveSums
	if in.walked != nil {
		n = in.walked.sums
	} else {
		for _, f := range in.live() {
			n.add(f)
		}
	}
	totals := []total{
		{"total-data-files", []int64{n.files}},
		{"total-records", []int64{n.records}},
		{"total-files-size", []int64{sum(n.bytes, n.vectorBytes), n.bytes}},
	}
	if slices.ContainsFunc(in.pointers, func(p *pointer) bool { return p.live() && p.entry.Content == tree.DeleteManifest }) {
		return totals[:2] // files of deletes count too, and they are not read
	}
	return append(totals,
		total{"total-delete-files", []int64{n.vectors}},
		total{"total-position-deletes", []int64{n.deletes}},
		total{"total-equality-deletes", []int64{0}},
	)
}

// liveSums are sums over live files.
type liveSums struct{ files, records, bytes, vectors, vectorBytes, deletes int64 }

func (n *liveSums) add(f *file) {
	n.files, n.records, n.bytes = n.files+1, sum(n.records, f.recordCount), sum(n.bytes, f.sizeBytes)
	if f.dv != nil {
		n.vectors, n.vectorBytes, n.deletes = n.vectors+1, sum(n.vectorBytes, f.dv.SizeBytes), sum(n.deletes, f.dv.Cardinality)
	}
}
