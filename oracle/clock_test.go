package oracle_test

import (
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/oracle"
)

// TestB50SnapshotOfTheFuture: a snapshot that is more than a minute ahead of the checker's clock is a warning, if the
// check knows the time.
func TestB50SnapshotOfTheFuture(t *testing.T) {
	s, err := testtable.New(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	table := s.Open(1, nil)
	x, err := table.Begin(t.Context(), commit.TxnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	head, err := table.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := head.Tree.TimestampMillis
	for now, want := range map[int64]int{0: 0, at: 0, at - 60_000: 0, at - 60_001: 1} {
		n := 0
		for f, err := range oracle.Check(t.Context(), oracle.Target{Objects: s.Objects, Metadata: head.MetadataLocation}, oracle.Options{NowMillis: now}) {
			if err != nil {
				t.Fatal(err)
			}
			if f.Rule != "M-FUTURE" || f.Severity != oracle.Warning || f.Snapshot != head.Tree.Origin.SnapshotID {
				t.Errorf("%+v", f)
			}
			n++
		}
		if n != want {
			t.Errorf("at %d: %d findings, want %d", now-at, n, want)
		}
	}
}
