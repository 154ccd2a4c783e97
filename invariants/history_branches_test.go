package invariants_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// branchedTable is a table to whose branches snapshots are committed in turn; each appends a leaf with one file.
type branchedTable struct {
	meta   metadata.Table
	trees  roots
	leaves leaves
	reads  map[string]int // of roots, by location
}

// Root implements [invariants.RootReader].
func (b *branchedTable) Root(ctx context.Context, s metadata.Snapshot) (tree.Tree, error) {
	b.reads[s.RootManifest.Val]++
	return b.trees.Root(ctx, s)
}

// commit adds a snapshot after the parent, or one that begins a history for 0, and returns its id.
func (b *branchedTable) commit(parent int64) int64 {
	m, old := &b.meta, b.trees[parent]
	m.LastSequenceNumber++
	number := m.LastSequenceNumber
	id := 1000 + number
	name := fmt.Sprintf("metadata/%d.parquet", number)
	rows := []tree.Entry{inLeaf(fmt.Sprintf("data/%d.parquet", number))}
	next := tree.Tree{
		Origin: tree.Origin{TableLocation: tableLocation, SnapshotID: id}, Root: fmt.Sprintf("%s/metadata/root-%d.parquet", tableLocation, number),
		SequenceNumber: number, TimestampMillis: old.TimestampMillis + 1, FirstRowID: m.NextRowID, AddedRows: leafRows,
	}
	p := point(name, tree.Added, m.NextRowID, rows)
	p.Tracking.SnapshotID, p.Tracking.SequenceNumber, p.Tracking.FileSequenceNumber = some(id), some(number), some(number)
	p.Manifest.Val.MinSequenceNumber = number
	for _, e := range old.Rows {
		e.Tracking.Status = tree.Existing
		next.Rows = append(next.Rows, e)
	}
	next.Rows = append(next.Rows, p)
	s := metadata.Snapshot{
		ID: id, SequenceNumber: number, TimestampMillis: next.TimestampMillis, RootManifest: some(next.Root), SchemaID: some(0),
		Summary:    map[string]string{"operation": "append", "total-data-files": fmt.Sprint(len(next.Rows))},
		FirstRowID: some(next.FirstRowID), AddedRows: some(next.AddedRows),
	}
	if parent != 0 {
		next.ParentSnapshotID, s.ParentID = some(parent), some(parent)
	}
	m.NextRowID += leafRows
	m.Snapshots = append(m.Snapshots, s)
	b.trees[id], b.leaves[tableLocation+"/"+name] = next, rows
	return id
}

// storm is the table of B49: four branches that part after the first snapshot, 200 snapshots in turn, and a tag on an
// old one.
func storm() *branchedTable {
	m := *goodMetadata().metadata
	m.Snapshots, m.SnapshotLog, m.LastSequenceNumber, m.NextRowID = nil, nil, 0, 0
	b := &branchedTable{meta: m, trees: make(roots), leaves: make(leaves), reads: make(map[string]int)}
	first := b.commit(0)
	heads := []int64{first, first, first, first}
	for n := range 199 {
		branch := n * n % 4 * 3 % 4 // not one after the other
		if n%3 == 0 {
			branch = n % 4
		}
		heads[branch] = b.commit(heads[branch])
	}
	b.meta.Refs = []metadata.Ref{{Name: "old", SnapshotID: b.meta.Snapshots[9].ID, Type: metadata.Tag}}
	for i, name := range []string{metadata.MainBranch, "b1", "b2", "b3"} {
		b.meta.Refs = append(b.meta.Refs, metadata.Ref{Name: name, SnapshotID: heads[i], Type: metadata.Branch})
	}
	b.meta.CurrentSnapshotID = some(heads[0])
	return b
}

func (b *branchedTable) violations() []invariants.Violation {
	found := slices.Collect(invariants.CheckMetadata("v.metadata.json", b.meta))
	l := invariants.NewLeaves(facts(), b.leaves, invariants.LeafOptions{})
	return append(found, collect(invariants.History(context.Background(), l, b.meta, b))...)
}

// B49: four branches whose sequence numbers interleave are one line each; a root is read once, and once more for each
// line that parts from it.
func TestHistoryOfBranches(t *testing.T) {
	b := storm()
	if found := b.violations(); len(found) > 0 {
		t.Fatalf("not clean:%s", messages(found[:min(len(found), 5)]))
	}
	children := make(map[int64]int)
	for _, s := range b.meta.Snapshots {
		children[s.ParentID.Val]++
	}
	for _, s := range b.meta.Snapshots {
		if got, want := b.reads[s.RootManifest.Val], max(1, children[s.ID]); got > want {
			t.Errorf("root of snapshot %d: read %d times, want %d", s.ID, got, want)
		}
	}
}

// Snapshots between the retained ones may be gone, and metadata may change without a snapshot.
func TestHistoryExpired(t *testing.T) {
	b := storm()
	kept := make(map[int64]bool)
	for _, r := range b.meta.Refs {
		kept[r.SnapshotID] = true
	}
	b.meta.Snapshots = slices.DeleteFunc(b.meta.Snapshots, func(s metadata.Snapshot) bool {
		return !kept[s.ID] && s.SequenceNumber%7 != 0
	})
	b.meta.LastUpdatedMillis++
	b.meta.Properties = map[string]string{"a": "b"}
	b.meta.LastColumnID++
	if found := b.violations(); len(found) > 0 {
		t.Errorf("not clean:%s", messages(found[:min(len(found), 5)]))
	}
}

// Parents that run in a circle do not hide their snapshots, and a wrong total is found in the snapshot that claims it.
func TestHistoryCircle(t *testing.T) {
	b := storm()
	b.meta.Snapshots = b.meta.Snapshots[:3]
	b.meta.Snapshots[0].ParentID = some(b.meta.Snapshots[2].ID)
	b.meta.Snapshots[1].ParentID = some(b.meta.Snapshots[0].ID)
	b.meta.Snapshots[2].ParentID = some(b.meta.Snapshots[1].ID)
	last := &b.meta.Snapshots[2]
	last.Summary = maps.Clone(last.Summary)
	last.Summary["total-data-files"] = "77"
	found := b.violations()
	if !slices.Contains(ids(found), "M-SEQUENCE-ORDER") {
		t.Errorf("no circle:%s", messages(found))
	}
	for _, v := range found {
		if v.ID == "T-TOTALS" && (v.Snapshot != last.ID || v.Found != `"77"`) {
			t.Errorf("wrong place: %s", v.Message())
		}
	}
	if len(b.reads) != 3 || !slices.Contains(ids(found), "T-TOTALS") {
		t.Errorf("roots read: %v; %v", b.reads, ids(found))
	}
}
