package metadata_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/metadata"
	"github.com/google/go-cmp/cmp"
)

// forked has the snapshots 1, 2, 3 on main, and 4, 5 on the branch b, which starts at 2; a tag t is at 1.
func forked(t testing.TB) metadata.Table {
	t.Helper()
	m := empty(t)
	for id := int64(1); id <= 2; id++ {
		m = commit(t, m, id, "main", 100*id)
	}
	var err error
	for _, ref := range []metadata.Ref{{Name: "t", Type: metadata.Tag, SnapshotID: 1}, {Name: "b", Type: metadata.Branch, SnapshotID: 2}} {
		if m, err = m.CreateRef(ref); err != nil {
			t.Fatal(err)
		}
	}
	return commit(t, commit(t, commit(t, m, 3, "main", 300), 4, "b", 400), 5, "b", 500)
}

func TestRefs(t *testing.T) {
	m := forked(t)
	m.Refs = []metadata.Ref{m.Refs[2], m.Refs[0], m.Refs[1]}
	var names []string
	for ref := range m.AllRefs() {
		names = append(names, ref.Name)
	}
	if !slices.Equal(names, []string{"b", "main", "t"}) {
		t.Errorf("refs %v", names)
	}
	for _, name := range names {
		if _, err := m.CreateRef(metadata.Ref{Name: name, Type: metadata.Tag, SnapshotID: 1}); err == nil {
			t.Errorf("created %s twice", name)
		}
	}
	if _, err := m.MoveRef("none", 1); err == nil {
		t.Error("moved a ref that is not there")
	}
	if _, err := m.WithRetention("none", metadata.Retention{}); err == nil {
		t.Error("kept a ref that is not there")
	}
}

func TestFastForward(t *testing.T) {
	m := forked(t)
	m, err := m.WithRetention("main", metadata.Retention{MinSnapshotsToKeep: optional(3), MaxSnapshotAgeMillis: optional[int64](9)})
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.MoveRef("main", 2); err != nil { // as a rollback does
		t.Fatal(err)
	}
	m, err = m.Successor("x", 900).FastForward("main", 5)
	if err != nil {
		t.Fatal(err)
	}
	want := metadata.Ref{Name: "main", Type: metadata.Branch, SnapshotID: 5, MinSnapshotsToKeep: optional(3), MaxSnapshotAgeMillis: optional[int64](9)}
	main, _ := m.Ref("main")
	if diff := cmp.Diff(want, main); diff != "" {
		t.Errorf("main (-want +got):\n%s", diff)
	}
	log := []metadata.SnapshotLogEntry{{SnapshotID: 1, TimestampMillis: 100}, {SnapshotID: 2, TimestampMillis: 200},
		{SnapshotID: 3, TimestampMillis: 300}, {SnapshotID: 2, TimestampMillis: 500}, {SnapshotID: 5, TimestampMillis: 900}}
	if diff := cmp.Diff(log, m.SnapshotLog); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	if again, err := m.FastForward("main", 5); err != nil || !again.Equal(m) {
		t.Errorf("to its head: %v", err)
	}
	for _, test := range []struct {
		branch string
		to     int64
		want   string
	}{
		{"main", 3, "does not descend"}, {"main", 4, "does not descend"}, {"main", 9, "not among the snapshots"},
		{"none", 5, "there is none"}, {"t", 5, "it is a tag"},
	} {
		_, err := m.FastForward(test.branch, test.to)
		if err == nil || !strings.Contains(err.Error(), test.want) || errors.Is(err, metadata.ErrNotDescendant) != (test.want == "does not descend") {
			t.Errorf("%s to %d: %v", test.branch, test.to, err)
		}
	}
}

func TestRetention(t *testing.T) {
	m := forked(t)
	for _, test := range []struct {
		name string
		r    metadata.Retention
		ok   bool
	}{
		{"b", metadata.Retention{MinSnapshotsToKeep: optional(1), MaxSnapshotAgeMillis: optional[int64](1), MaxAgeMillis: optional[int64](1)}, true},
		{"t", metadata.Retention{MaxAgeMillis: optional[int64](1)}, true},
		{"t", metadata.Retention{}, true},
		{"t", metadata.Retention{MinSnapshotsToKeep: optional(1)}, false},
		{"t", metadata.Retention{MaxSnapshotAgeMillis: optional[int64](1)}, false},
		{"b", metadata.Retention{MinSnapshotsToKeep: optional(0)}, false},
		{"b", metadata.Retention{MaxSnapshotAgeMillis: optional[int64](-1)}, false},
		{"b", metadata.Retention{MaxAgeMillis: optional[int64](0)}, false},
	} {
		after, err := m.WithRetention(test.name, test.r)
		if (err == nil) != test.ok {
			t.Errorf("%s %v: %v", test.name, test.r, err)
		}
		if err != nil {
			continue
		}
		ref, _ := commit(t, after, 6, "b", 600).Ref(test.name)
		got := metadata.Retention{MinSnapshotsToKeep: ref.MinSnapshotsToKeep, MaxSnapshotAgeMillis: ref.MaxSnapshotAgeMillis, MaxAgeMillis: ref.MaxAgeMillis}
		if diff := cmp.Diff(test.r, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestLineage(t *testing.T) {
	m := forked(t)
	line, err := m.Lineage(5)
	if err != nil || len(line) != 4 || line[0].ID != 5 || line[3].ID != 1 {
		t.Errorf("of 5: %v, %v", line, err)
	}
	for _, test := range []struct {
		ancestor, descendant int64
		want                 bool
	}{{1, 5, true}, {5, 5, true}, {3, 5, false}, {5, 1, false}, {9, 5, false}, {1, 9, false}} {
		if got := m.IsAncestor(test.ancestor, test.descendant); got != test.want {
			t.Errorf("%d of %d: %v", test.ancestor, test.descendant, got)
		}
	}
	if _, err := m.Lineage(9); err == nil {
		t.Error("the line of a snapshot that is not there")
	}
	expired := m
	expired.Snapshots = m.Snapshots[1:]
	if line, err := expired.Lineage(5); err != nil || len(line) != 3 || !expired.IsAncestor(1, 5) {
		t.Errorf("with 1 expired: %v, %v", line, err)
	}
	cyclic := m
	cyclic.Snapshots = slices.Clone(m.Snapshots)
	cyclic.Snapshots[0].ParentID = optional[int64](4)
	for _, err := range []error{
		func() error { _, err := cyclic.Lineage(5); return err }(),
		func() error { _, err := cyclic.FastForward("b", 5); return err }(),
		func() error { _, err := cyclic.Expired(metadata.ExpiryPolicy{}, 0); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), "form a cycle") {
			t.Errorf("in a cycle: %v", err)
		}
	}
}

// B49: commits to different branches share the table's counters, and each branch is a line of its own.
func TestB49Branches(t *testing.T) {
	m := empty(t)
	branches := []string{"a", "b", "c", "main"}
	for id := int64(1); id <= 200; id++ {
		m = commit(t, m, id, branches[id%4], 1000-id) // and the clock runs backwards
	}
	if m.LastSequenceNumber != 200 || m.NextRowID != 2000 || len(m.SnapshotLog) != 50 || len(m.Problems()) != 0 {
		t.Errorf("sequence number %d, row id %d, %d log entries, %v", m.LastSequenceNumber, m.NextRowID, len(m.SnapshotLog), m.Problems())
	}
	for i, branch := range branches {
		ref, _ := m.Ref(branch)
		line, err := m.Lineage(ref.SnapshotID)
		if err != nil || len(line) != 50 {
			t.Fatalf("%s: %d, %v", branch, len(line), err)
		}
		for j, s := range line {
			if s.ID%4 != int64(i) || j > 0 && s.TimestampMillis >= line[j-1].TimestampMillis {
				t.Errorf("%s: snapshot %d at %d", branch, s.ID, s.TimestampMillis)
			}
		}
	}
}

// B50: whatever the clock says, the snapshot can be committed: to a branch, and as the first one of a new branch
// that starts at the table's last snapshot.
func TestB50Clocks(t *testing.T) {
	m := commit(t, empty(t), 1, "main", 1_000_000)
	for _, clock := range []int64{970_000, 941_000, 939_000, 400_000, 1_000_000, 1_600_000} {
		for _, branch := range []string{"main", "new"} {
			s := next(m, 2, branch, clock)
			s.ParentID = optional[int64](1)
			s.TimestampMillis = m.TimestampAfter(s.ParentID, clock)
			after, err := m.WithSnapshot(s, branch, "x")
			if err != nil || after.LastUpdatedMillis != max(clock, 1_000_001) || len(after.Problems()) != 0 {
				t.Errorf("%s at %d: updated %d, %v, %v", branch, clock, after.LastUpdatedMillis, err, after.Problems())
			}
		}
	}
}
