package attack_test

import (
	"math"
	"slices"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/tree"
)

// located returns the live files of the current snapshot.
func located(t *testing.T, s testtable.Store) []tree.Located {
	t.Helper()
	table := s.Open(60, nil)
	var all []tree.Located
	for l, err := range table.Files(t.Context(), head(t, s), tree.Full) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	return all
}

// TestHintPositions: a hint beyond its leaf is no hint, also where its position has the low bits of another row's.
func TestHintPositions(t *testing.T) {
	base := newStore(t, leafOf(3), testtable.Files(0, 3))
	for _, position := range []int64{3, 1 << 21, 1 << 32, 1<<32 + 1, -1, math.MinInt64 + 1, math.MaxInt64} {
		s := base.Clone()
		l := located(t, s)[0]
		l.Position = position
		if err := try(t, s, commit.TxnOptions{}, func(x *commit.Txn) { x.Remove(commit.At(l)) }); err != nil {
			t.Errorf("position %d: %v", position, err)
		}
		wantLive(t, s, name(1), name(2))
	}
}

// TestForeignHints: hints of other tables, files and numbers are refused.
func TestForeignHints(t *testing.T) {
	s := newStore(t, leafOf(3), testtable.Files(0, 3))
	all := located(t, s)
	for _, c := range []struct {
		part   string
		target commit.Target
	}{
		{"another table or file", commit.Target{Location: name(1), Hint: &all[0]}},
		{"another table or file", func() commit.Target {
			l := all[0]
			l.Origin.TableUUID = "22222222-2222-3333-4444-555555555555"
			return commit.At(l)
		}()},
		{"another sequence number", commit.Target{Location: name(0), FileSequenceNumber: some(int64(77)), Hint: &all[0]}},
	} {
		wantError(t, try(t, s, commit.TxnOptions{}, func(x *commit.Txn) { x.Remove(c.target) }), commit.ErrRefused, c.part)
	}
	wantLive(t, s, name(0), name(1), name(2))
}

// TestStaleHints: the file has moved, is gone, or came back as another file since the hint was read.
func TestStaleHints(t *testing.T) {
	remove := func(x *commit.Txn) { x.Remove(testtable.Target(0)) }
	add := func(x *commit.Txn) { x.Append(testtable.File(0)) }
	for what, c := range map[string]struct {
		since []func(*commit.Txn)
		kind  error
		live  []string
	}{
		"nothing happened":            {nil, nil, []string{name(1), name(2)}},
		"gone":                        {[]func(*commit.Txn){remove}, commit.ErrRefused, []string{name(1), name(2)}},
		"came back as another file":   {[]func(*commit.Txn){remove, add}, commit.ErrRefused, []string{name(0), name(1), name(2)}},
		"its leaf has lost all files": {[]func(*commit.Txn){func(x *commit.Txn) { x.Remove(testtable.Target(0), testtable.Target(1), testtable.Target(2)) }}, commit.ErrRefused, nil},
	} {
		s := newStore(t, leafOf(3), testtable.Files(0, 3))
		hint := located(t, s)[0]
		for i, change := range c.since {
			mustCommit(t, s.Open(int64(20+i), nil), change)
		}
		err := try(t, s, commit.TxnOptions{}, func(x *commit.Txn) { x.Remove(commit.At(hint)) })
		if (err == nil) != (c.kind == nil) {
			t.Errorf("%s: %v", what, err)
		}
		wantLive(t, s, c.live...)
	}
}

// TestHintOfATombstone: the change feed gives the old state of a removed file; that is no file to remove.
func TestHintOfATombstone(t *testing.T) {
	s := newStore(t, map[string]string{"firn.policy": "cap", "firn.policy.rows": "2"}, testtable.Files(0, 2))
	table := s.Open(3, nil)
	mustCommit(t, table, func(x *commit.Txn) {
		x.Remove(testtable.Target(0), testtable.Target(1))
		x.Append(testtable.Files(5, 7)...)
	})
	tombstones := 0
	for c, err := range table.Changes(t.Context(), head(t, s), tree.Full) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Kind != tree.FileRemoved || c.Before.Val.Manifest == "" {
			continue
		}
		tombstones++
		err := try(t, s, commit.TxnOptions{}, func(x *commit.Txn) { x.Remove(commit.At(c.Before.Val)) })
		wantError(t, err, commit.ErrRefused, "no live file")
	}
	if tombstones == 0 {
		t.Error("no tombstone in a leaf")
	}
	wantLive(t, s, name(5), name(6))
}

// TestInputsAreCopied: what a caller does to a file or a hint after a commit changes no tree.
func TestInputsAreCopied(t *testing.T) {
	s := newStore(t, leafOf(3))
	f := testtable.File(0)
	table := s.Open(5, nil)
	mustCommit(t, table, func(x *commit.Txn) { x.Append(f) })
	f.Stats[0].Lower, f.Stats[0].ValueCount = tree.String("spoiled"), some(int64(-1))
	all := located(t, s)
	for i := range all {
		all[i].Entry.Location = "spoiled"
	}
	mustCommit(t, table, func(x *commit.Txn) { x.Append(testtable.File(1)) })
	wantLive(t, s, name(0), name(1))
	if slices.ContainsFunc(located(t, s), func(l tree.Located) bool { return l.Entry.Stats[0].ValueCount.Val != 100 }) {
		t.Error("the statistics were spoiled")
	}
}
