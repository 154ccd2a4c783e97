package kill_test

import (
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/tree"
)

// verify holds the table against what the writers were told.
func verify(t *testing.T, on testtable.On, l *ledger) {
	t.Helper()
	if err := on.Check(t.Context()); err != nil {
		t.Error(err)
	}
	table := on.Open(1, nil)
	head, err := table.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkLine(t, head)
	live, untold := liveFiles(t, table, head), 0
	for file, snapshots := range live {
		want, acknowledged := l.acknowledged[file]
		switch {
		case len(snapshots) != 1:
			t.Errorf("%s is live %d times", file, len(snapshots))
		case acknowledged && snapshots[0] != want:
			t.Errorf("%s is of snapshot %d, and its writer was told %d", file, snapshots[0], want)
		case l.interrupted[file]:
			untold++
		case !l.swapped[file]:
			t.Errorf("%s is live, and nobody was about to add it", file)
		}
	}
	for file := range l.swapped {
		if len(live[file]) == 0 {
			t.Errorf("%s is lost, and its swap was acknowledged; snapshot %d", file, l.acknowledged[file])
		}
	}
	got := len(head.Metadata.Snapshots)
	if got != len(l.swapped)+untold || got != len(live) || untold > l.kills {
		t.Errorf("%d snapshots and %d live files for %d swaps and %d of which nobody was told, after %d kills",
			got, len(live), len(l.swapped), untold, l.kills)
	}
	t.Logf("%d snapshots, %d swaps acknowledged, %d commits acknowledged, %d kills before the end of %d appends, of which %d had landed",
		got, len(l.swapped), len(l.acknowledged), l.kills, len(l.interrupted), untold)
}

// checkLine checks that the snapshots are one line, in the order of their sequence numbers, which have no gap.
func checkLine(t *testing.T, head *commit.Head) {
	t.Helper()
	var parent int64
	for i, s := range head.Metadata.Snapshots {
		if s.SequenceNumber != int64(i+1) || s.ParentID.Val != parent || s.ParentID.Valid != (i > 0) {
			t.Errorf("snapshot %d: sequence number %d, parent %v, want %d and %d", s.ID, s.SequenceNumber, s.ParentID, i+1, parent)
		}
		parent = s.ID
	}
	if current, _ := head.Snapshot(); current.ID != parent {
		t.Errorf("the current snapshot is %d, the last one %d", current.ID, parent)
	}
}

// liveFiles returns the live files with the snapshots that added them.
func liveFiles(t *testing.T, table *commit.Table, head *commit.Head) map[string][]int64 {
	t.Helper()
	live := make(map[string][]int64)
	for l, err := range table.Files(t.Context(), head, tree.Full) {
		if err != nil {
			t.Fatal(err)
		}
		live[l.Location] = append(live[l.Location], l.Entry.Tracking.SnapshotID.Val)
	}
	return live
}
