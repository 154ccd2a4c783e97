package invariants_test

import (
	"strings"
	"testing"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

var historyExamples = []example{
	{"H-ROW-ID-BORN", goodGap, func(s *sample) { s.at(104).Rows[0].Tracking.FirstRowID = some(int64(50)) }},
	{"H-ROW-ID-BORN", goodGap, func(s *sample) { s.at(104).Rows[1].Tracking.FirstRowID = some(int64(47)) }},
	{"H-ROW-ID-BACK", goodBack, func(s *sample) { s.at(103).Rows[1].Tracking.FirstRowID = some(int64(45)) }},
	{"H-ROW-ID-REUSED", goodBack, func(s *sample) { s.at(103).Rows[1].Location = "data/w.parquet" }},
	{"H-ROW-ID-REUSED", goodSwap, func(s *sample) { s.at(childID).Rows[3].Tracking.FirstRowID = some(int64(37)) }},
}

// commitsInHistory are examples of the rules of scope commit that need no promise.
var commitsInHistory = []example{
	{"C-REPORTED", goodBack, func(s *sample) { s.metadata.Snapshots[1].Summary["deleted-records"] = "6" }},
	{"C-REPORTED", goodBack, func(s *sample) { s.metadata.Snapshots[0].Summary["added-data-files"] = "0" }},
	{"C-OPERATION", goodBack, func(s *sample) { s.metadata.Snapshots[1].Summary["operation"] = "append" }},
	{"C-OPERATION", goodBack, func(s *sample) { s.metadata.Snapshots[2].Summary["operation"] = "replace" }},
}

// at returns the tree of a snapshot of the line, to change it.
func (s *sample) at(id int64) *tree.Tree {
	t := s.line[id]
	t.Rows = append([]tree.Entry(nil), t.Rows...)
	s.line[id] = t
	return &t
}

// lined makes a history of trees, whose parents are as the trees say.
func lined(files leaves, trees ...tree.Tree) *sample {
	m := *goodMetadata().metadata
	m.Snapshots, m.SnapshotLog, m.Refs = nil, nil, nil
	line := make(roots)
	for _, t := range trees {
		line[t.Origin.SnapshotID] = t
		m.Snapshots = append(m.Snapshots, metadata.Snapshot{
			ID: t.Origin.SnapshotID, ParentID: t.ParentSnapshotID, SequenceNumber: t.SequenceNumber, TimestampMillis: t.TimestampMillis,
			RootManifest: some(t.Root), Summary: map[string]string{"operation": "overwrite"}, SchemaID: some(0),
			FirstRowID: some(t.FirstRowID), AddedRows: some(t.AddedRows),
		})
	}
	last := m.Snapshots[len(m.Snapshots)-1]
	m.CurrentSnapshotID, m.LastSequenceNumber, m.NextRowID = some(last.ID), last.SequenceNumber, last.FirstRowID.Val+last.AddedRows.Val
	m.Refs = []metadata.Ref{{Name: metadata.MainBranch, SnapshotID: last.ID, Type: metadata.Branch}}
	return &sample{table: facts(), metadata: &m, line: line, leaves: files}
}

// goodBack is a line of three snapshots: file b goes with the second, and comes back with its row ids in the third.
func goodBack() *sample {
	s := next(keptL1(), keptA(), oldState(keptB(), tree.Deleted))
	first, second := *s.parent, *s.tree
	s = s.then(0)
	back := byChild(keptB(), 35)
	back.Tracking.SnapshotID, back.Tracking.SequenceNumber, back.Tracking.FileSequenceNumber = some(int64(103)), some(int64(1)), some(int64(3))
	s.addRow(back)
	s.addRow(keptA())
	s = lined(s.leaves, first, second, *s.tree)
	for i, counts := range []string{"added-data-files=5", "deleted-records=5", "added-records=5"} {
		key, value, _ := strings.Cut(counts, "=")
		s.metadata.Snapshots[i].Summary[key] = value
	}
	return s
}

// goodGap is a line whose second and third snapshots have expired; the loose files are those of the first one.
func goodGap() *sample {
	s := next(keptA(), keptB())
	child := s.tree
	child.Origin.SnapshotID, child.ParentSnapshotID, child.SequenceNumber = 104, some(int64(103)), 4
	child.FirstRowID = 60
	return lined(s.leaves, *s.parent, *child)
}

// goodSwap is a line of two snapshots: the second deletes file b and adds one with older data and unused row ids.
func goodSwap() *sample {
	s := next(keptL1(), keptA(), oldState(keptB(), tree.Deleted), restored(loose("data/w.parquet", tree.Added, 0), 45))
	return lined(s.leaves, *s.parent, *s.tree)
}

// goodBranches are two branches: on one a file came and went, on the other a file has row ids that overlap with its.
func goodBranches() *sample {
	s := next(keptL1(), keptA(), keptB(), newFile())
	s.tree.AddedRows = looseRows
	first, second := *s.parent, *s.tree
	third := *s.then(0, 1, 2).tree
	third.Rows = append(third.Rows, newFile())
	gone := &third.Rows[3]
	gone.Tracking.Status, gone.Tracking.SnapshotID = tree.Deleted, some(int64(103))
	other := childTree(keptL1(), keptA(), keptB(), restored(loose("data/w.parquet", tree.Added, 0), 52))
	other.Origin.SnapshotID, other.Root = 104, tableLocation+"/metadata/root-4.parquet"
	other.SequenceNumber, other.TimestampMillis, other.FirstRowID = 4, 2000, 60
	w := &other.Rows[3]
	w.Tracking.SnapshotID, w.Tracking.FileSequenceNumber = some(int64(104)), some(int64(4))
	return lined(s.leaves, first, second, third, other)
}

// A file that left one branch says nothing about another one, whichever is checked first.
func TestHistoryLeavesBranches(t *testing.T) {
	s := goodBranches()
	if found := s.violations(invariants.AllLeaves); len(found) > 0 {
		t.Errorf("not clean:%s", messages(found))
	}
	after := s.line[104] // now on the branch on which the file went
	after.ParentSnapshotID, after.TimestampMillis = some(int64(103)), 4000
	s.line[104] = after
	s.metadata.Snapshots[3].ParentID, s.metadata.Snapshots[3].TimestampMillis = some(int64(103)), 4000
	if found := s.violations(invariants.AllLeaves); len(found) != 1 || found[0].ID != "H-ROW-ID-REUSED" ||
		found[0].Expected != "other row ids than 50 to 54, which another file had in snapshot 102" {
		t.Errorf("on one line:%s", messages(found))
	}
}
