package commit_test

import (
	"slices"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
)

// TestPolicySeesTheLine: a policy sees the snapshots that its commit continues, those of other branches not, and how old leaves are.
func TestPolicySeesTheLine(t *testing.T) {
	s := newStore(t, cap4, testtable.Files(0, 4), testtable.Files(4, 8), testtable.Files(8, 9))
	changeMetadata(t, s, func(m metadata.Table) (metadata.Table, error) {
		return m.WithRef(metadata.Ref{Name: "old", Type: metadata.Branch, SnapshotID: m.Snapshots[0].ID})
	})
	mustCommit(t, s.Open(2, nil), func(x *commit.Txn) { x.Append(testtable.File(9)) })
	for branch, want := range map[string][]int64{"main": {1, 2, 3, 4}, "old": {1}} {
		var heard policy.Input
		x := begin(t, s.Open(3, nil), commit.TxnOptions{Branch: branch, Policy: asked{&heard}},
			func(x *commit.Txn) { x.Append(testtable.File(20)) })
		if _, err := x.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		var line []int64
		for _, s := range heard.History {
			line = append(line, s.SequenceNumber)
		}
		if !slices.Equal(line, want) || heard.SequenceNumber < 5 {
			t.Errorf("%s: snapshots %v, want %v; the commit has number %d", branch, line, want, heard.SequenceNumber)
		}
		for _, p := range heard.Pointers {
			if p.SequenceNumber < 1 || p.SequenceNumber > line[len(line)-1] {
				t.Errorf("%s: a leaf of snapshot %d in a line %v", branch, p.SequenceNumber, line)
			}
		}
		if branch == "main" && len(heard.Pointers) == 0 {
			t.Error("there are no leaves")
		}
	}
}

// TestPolicySeesTheNewest: of a long line a policy sees the newest snapshots.
func TestPolicySeesTheNewest(t *testing.T) {
	s := newStore(t, nil)
	table := s.Open(2, nil)
	for n := range policy.MaxHistory + 5 {
		mustCommit(t, table, func(x *commit.Txn) { x.Append(testtable.File(n)) })
	}
	var heard policy.Input
	x := begin(t, table, commit.TxnOptions{Policy: asked{&heard}}, func(x *commit.Txn) { x.Append(testtable.File(500)) })
	if _, err := x.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := len(heard.History)
	if n != policy.MaxHistory || heard.History[n-1].SequenceNumber != policy.MaxHistory+5 {
		t.Errorf("%d snapshots, the last is %d", n, heard.History[n-1].SequenceNumber)
	}
}
