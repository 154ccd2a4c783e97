package world

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/metadata"
)

// Each way in which a metadata file may not follow the one before it is told of.
func TestWrongStep(t *testing.T) {
	const location, old = defaultLocation, defaultLocation + "/metadata/00001-a.metadata.json"
	first, err := metadata.New(metadata.NewTable{
		UUID: new(environment).newUUID(), Location: location, Schema: schema(),
	})
	if err != nil {
		t.Fatal(err)
	}
	commit := func(m metadata.Table, id int64, previous string) metadata.Table {
		parent := m.CurrentSnapshotID
		m, err := m.WithSnapshot(metadata.Snapshot{
			ID: id, ParentID: parent, SequenceNumber: id, TimestampMillis: id, RootManifest: iceberg.Optional[string]{Val: "root", Valid: true},
			Summary:    map[string]string{"operation": metadata.OpAppend},
			FirstRowID: iceberg.Optional[int64]{Val: m.NextRowID, Valid: true}, AddedRows: iceberg.Optional[int64]{Val: 5, Valid: true},
		}, metadata.MainBranch, previous)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	before := commit(first, 1, "metadata/00000-a.metadata.json")
	if before, err = before.CreateRef(metadata.Ref{Name: "t", Type: metadata.Tag, SnapshotID: 1}); err != nil {
		t.Fatal(err)
	}
	after := func() metadata.Table {
		m := commit(before, 2, "metadata/00001-a.metadata.json")
		m.Refs, m.Snapshots, m.MetadataLog = slices.Clone(m.Refs), slices.Clone(m.Snapshots), slices.Clone(m.MetadataLog)
		return m
	}
	for _, c := range []struct {
		change func(m *metadata.Table)
		want   string
	}{
		{func(*metadata.Table) {}, ""},
		{func(m *metadata.Table) { m.MetadataLog = m.MetadataLog[:1] }, "does not end with the file before it"},
		{func(m *metadata.Table) { m.MetadataLog = nil }, "does not end with the file before it"},
		{func(m *metadata.Table) { m.LastSequenceNumber = 0 }, "last-sequence-number was turned back"},
		{func(m *metadata.Table) { m.NextRowID = 0 }, "next-row-id was turned back"},
		{func(m *metadata.Table) { m.Snapshots = append(m.Snapshots, metadata.Snapshot{ID: 9}) }, "2 snapshots were added"},
		{func(m *metadata.Table) { m.Snapshots = m.Snapshots[1:] }, "let go the snapshots [1]"},
		{func(m *metadata.Table) { m.Refs = before.Refs }, "of snapshot 2 changed the refs []"},
		{func(m *metadata.Table) { m.Refs = m.Refs[:1] }, "of snapshot 2 changed the refs"},
		{func(m *metadata.Table) { m.Refs[1].SnapshotID = 2 }, "of snapshot 2 changed the refs"},
		{func(m *metadata.Table) { m.Snapshots[1].ParentID.Valid, m.Snapshots[1].ParentID.Val = false, 0 }, "does not follow the head of its branch"},
		{func(m *metadata.Table) { m.SnapshotLog = before.SnapshotLog }, "the snapshot log does not tell"},
		{func(m *metadata.Table) { m.Properties = map[string]string{"a": "b"} }, "changed more than snapshots and refs"},
		{func(m *metadata.Table) { m.Specs = nil }, "changed more than snapshots and refs"},
	} {
		m := after()
		c.change(&m)
		wrong := wrongStep(location, old, before, m)
		if c.want == "" && len(wrong) > 0 || c.want != "" && (len(wrong) != 1 || !strings.Contains(wrong[0], c.want)) {
			t.Errorf("want %q, got %q", c.want, wrong)
		}
	}
}

// A metadata file that the log names and that is gone is told of.
func TestFileOfLogGone(t *testing.T) {
	w := New(Options{})
	w.Run("table cap=4\nadd a\ncommit\nadd b\ncommit\ncheck\n")
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	for _, name := range w.objects.Names() {
		if strings.Contains(name, "/00001-") {
			if err := w.objects.Delete(context.Background(), name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if out := w.Do("check"); !strings.Contains(out, "WRONG: metadata: a file of the log: ") {
		t.Errorf("got %s", out)
	}
}
