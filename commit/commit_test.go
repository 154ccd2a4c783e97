package commit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/tree"
)

var cap4 = map[string]string{"firn.policy": "cap", "firn.policy.rows": "4"}

// newStore makes a table and commits one append for each batch of files.
func newStore(t *testing.T, properties map[string]string, batches ...[]tree.File) testtable.Store {
	t.Helper()
	s, err := testtable.New(t.Context(), properties)
	if err != nil {
		t.Fatal(err)
	}
	table := s.Open(1, nil)
	for _, batch := range batches {
		mustCommit(t, table, func(x *commit.Txn) { x.Append(batch...) })
	}
	return s
}

func begin(t *testing.T, table *commit.Table, o commit.TxnOptions, change func(*commit.Txn)) *commit.Txn {
	t.Helper()
	x, err := table.Begin(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	change(x)
	return x
}

func mustCommit(t *testing.T, table *commit.Table, change func(*commit.Txn)) commit.Result {
	t.Helper()
	r, err := begin(t, table, commit.TxnOptions{}, change).Commit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkLive compares the live files with numbered ones, after a check of the whole history.
func checkLive(t *testing.T, s testtable.Store, want ...int) {
	t.Helper()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	got, err := s.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, n := range want {
		names = append(names, testtable.File(n).Location)
	}
	if diff := cmp.Diff(names, got); diff != "" {
		t.Errorf("live files (-want +got):\n%s", diff)
	}
}

// checkNoOrphans checks that every object is reachable: metadata files in the log, roots, and leaves of retained roots.
func checkNoOrphans(t *testing.T, s testtable.Store) {
	t.Helper()
	table := s.Open(9, nil)
	head, err := table.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	reachable := map[string]bool{head.MetadataLocation: true}
	for _, entry := range head.Metadata.MetadataLog {
		reachable[tree.Resolve(head.Location, entry.File)] = true
	}
	for _, snapshot := range head.Metadata.Snapshots {
		reachable[tree.Resolve(head.Location, snapshot.RootManifest.Val)] = true
		root, err := table.Tree(t.Context(), head, snapshot)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range root.Rows {
			reachable[tree.Resolve(head.Location, row.Location)] = true
		}
	}
	for _, name := range s.Objects.Names() {
		if !reachable[name] {
			t.Errorf("orphan %s", name)
		}
	}
}

func names(s testtable.Store, part string) []string {
	return slices.DeleteFunc(s.Objects.Names(), func(name string) bool { return !strings.Contains(name, part) })
}

func TestRetryReusesLeaves(t *testing.T) {
	s := newStore(t, cap4, testtable.Files(0, 3))
	x := begin(t, s.Open(2, nil), commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.Files(10, 21)...) })
	for n := range 3 { // three winners
		mustCommit(t, s.Open(int64(3+n), nil), func(x *commit.Txn) { x.Remove(testtable.Target(n)) })
	}
	r, err := x.Commit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Attempts != 2 || r.RootsWritten != 2 {
		t.Errorf("%d attempts, %d roots", r.Attempts, r.RootsWritten)
	}
	leaves := names(s, "-m")
	if len(leaves) != len(r.Plan.Steps) {
		t.Errorf("%d leaves for %d steps: %v", len(leaves), len(r.Plan.Steps), leaves)
	}
	checkLive(t, s, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20)
	checkNoOrphans(t, s)
}

// TestRetryComputesAgain: sequence number, row ids and totals are those of the winner's successor (B07).
func TestRetryComputesAgain(t *testing.T) {
	s := newStore(t, map[string]string{"firn.policy": "never"}, testtable.Files(0, 10))
	x := begin(t, s.Open(2, nil), commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.Files(20, 22)...) })
	mustCommit(t, s.Open(3, nil), func(x *commit.Txn) { x.Append(testtable.Files(10, 15)...) })
	if _, err := x.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	head, err := s.Open(4, nil).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	current, _ := head.Metadata.Current()
	if current.SequenceNumber != 3 || current.FirstRowID.Val != 1500 || head.Metadata.NextRowID != 1700 {
		t.Errorf("sequence number %d, first row id %d, next row id %d", current.SequenceNumber, current.FirstRowID.Val, head.Metadata.NextRowID)
	}
	if got := current.Summary["total-data-files"] + " " + current.Summary["total-records"]; got != "17 1700" {
		t.Errorf("totals %s", got)
	}
	for _, row := range head.Tree.Rows {
		if added := row.Tracking.Status == tree.Added; added != (row.Tracking.SequenceNumber.Val == 3) || added != (row.Tracking.FirstRowID.Val >= 1500) {
			t.Errorf("%s: %s with sequence number %d and row id %d", row.Location, row.Tracking.Status, row.Tracking.SequenceNumber.Val, row.Tracking.FirstRowID.Val)
		}
	}
}

// TestTargetMoved: the winner pushed the loose file into a leaf; it is masked there (S36).
func TestTargetMoved(t *testing.T) {
	s := newStore(t, cap4, testtable.Files(0, 3))
	x := begin(t, s.Open(2, nil), commit.TxnOptions{}, func(x *commit.Txn) { x.Remove(testtable.Target(1)) })
	mustCommit(t, s.Open(3, nil), func(x *commit.Txn) { x.Append(testtable.Files(10, 12)...) })
	if _, err := x.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkLive(t, s, 0, 2, 10, 11)
	head, _ := s.Open(4, nil).Head(t.Context())
	for _, row := range head.Tree.Rows {
		if row.Tracking.Status == tree.Deleted {
			t.Errorf("a tombstone for %s, whose leaf was masked", row.Location)
		}
	}
}

func TestConflicts(t *testing.T) {
	for _, c := range []struct {
		name         string
		ours, theirs func(*commit.Txn)
		rule         commit.Rule
	}{
		{"both remove a loose file", func(x *commit.Txn) { x.Remove(testtable.Target(8)) },
			func(x *commit.Txn) { x.Remove(testtable.Target(8)) }, commit.RuleRemoveGone},
		{"both remove a leaf's file", func(x *commit.Txn) { x.Remove(testtable.Target(1)) },
			func(x *commit.Txn) { x.Remove(testtable.Target(1)) }, commit.RuleRemoveGone},
		{"both replace", func(x *commit.Txn) { x.Replace([]commit.Target{testtable.Target(1)}, testtable.File(20)) },
			func(x *commit.Txn) { x.Replace([]commit.Target{testtable.Target(1)}, testtable.File(21)) }, commit.RuleRemoveGone},
		{"both add", func(x *commit.Txn) { x.Append(testtable.File(20)) },
			func(x *commit.Txn) { x.Append(testtable.File(20)) }, commit.RuleAddExists},
		{"both add, theirs in a leaf", func(x *commit.Txn) { x.Append(testtable.File(20)) },
			func(x *commit.Txn) { x.Append(testtable.Files(20, 29)...) }, commit.RuleAddExists},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t, cap4, testtable.Files(0, 8), testtable.Files(8, 9))
			x := begin(t, s.Open(2, nil), commit.TxnOptions{CheckDuplicates: true}, c.ours)
			mustCommit(t, s.Open(3, nil), c.theirs)
			before, err := s.Live(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			_, err = x.Commit(t.Context())
			var conflict *commit.ConflictError
			if !errors.As(err, &conflict) || conflict.Rule != c.rule || !errors.Is(err, commit.ErrConflict) {
				t.Fatalf("got %v, want a conflict %s", err, c.rule)
			}
			after, err := s.Live(t.Context())
			if err != nil || !slices.Equal(before, after) {
				t.Errorf("the table changed: %v, %v", after, err)
			}
			checkNoOrphans(t, s)
		})
	}
}

func TestRefusals(t *testing.T) {
	negative := testtable.File(20)
	negative.RecordCount = -1
	bad := testtable.File(20)
	bad.Stats[0].Lower, bad.Stats[0].Upper = tree.String("a"), tree.String("b")
	foreign := testtable.File(20)
	foreign.SpecID = iceberg.Optional[int32]{Val: 7, Valid: true}
	for _, c := range []struct {
		name   string
		change func(*commit.Txn)
		is     error
		want   string
	}{
		{"unknown file (S26)", func(x *commit.Txn) { x.Remove(testtable.Target(99)) }, commit.ErrRefused, "no live file of the table"},
		{"removed before (S26)", func(x *commit.Txn) { x.Remove(testtable.Target(3)) }, commit.ErrRefused, "no live file of the table"},
		{"live in the root", func(x *commit.Txn) { x.Append(testtable.File(8)) }, commit.ErrRefused, "live in the table already"},
		{"live in a leaf", func(x *commit.Txn) { x.Append(testtable.File(0)) }, commit.ErrRefused, "live in the table already"},
		{"added twice", func(x *commit.Txn) { x.Append(testtable.File(20), testtable.File(20)) }, commit.ErrRefused, "added and added"},
		{"removed and rewritten", func(x *commit.Txn) {
			x.Remove(testtable.Target(1))
			x.Replace([]commit.Target{testtable.Target(1)}, testtable.File(20))
		}, commit.ErrRefused, "removed and changed"},
		{"removed and added again", func(x *commit.Txn) { x.Replace([]commit.Target{testtable.Target(1)}, testtable.File(1)) },
			commit.ErrRefused, "removed and added"},
		{"negative record count", func(x *commit.Txn) { x.Append(negative) }, commit.ErrRefused, "record"},
		{"unknown spec", func(x *commit.Txn) { x.Append(foreign) }, commit.ErrRefused, "f0020.parquet"},
		{"bounds of another type", func(x *commit.Txn) { x.Append(bad) }, commit.ErrRefused, "its bound a string"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t, cap4, testtable.Files(0, 8), testtable.Files(8, 9))
			mustCommit(t, s.Open(2, nil), func(x *commit.Txn) { x.Remove(testtable.Target(3)) })
			_, err := begin(t, s.Open(3, nil), commit.TxnOptions{CheckDuplicates: true}, c.change).Commit(t.Context())
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %v with %q", err, c.is, c.want)
			}
			checkLive(t, s, 0, 1, 2, 4, 5, 6, 7, 8)
			checkNoOrphans(t, s)
		})
	}
}

func TestNetZero(t *testing.T) {
	s := newStore(t, cap4, testtable.Files(0, 2))
	mustCommit(t, s.Open(2, nil), func(x *commit.Txn) {
		x.Append(testtable.Files(10, 12)...)
		x.Remove(testtable.Target(10))
	})
	checkLive(t, s, 0, 1, 11)
	head, _ := s.Open(3, nil).Head(t.Context())
	for _, row := range head.Tree.Rows {
		if strings.Contains(row.Location, "f0010") {
			t.Errorf("a trace of the file that came and went: %s %s", row.Location, row.Tracking.Status)
		}
	}
}

func TestCommitOnce(t *testing.T) {
	s := newStore(t, nil)
	x := begin(t, s.Open(2, nil), commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(1)) })
	if _, err := x.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Commit(t.Context()); !errors.Is(err, commit.ErrRefused) {
		t.Errorf("a second Commit: %v", err)
	}
	checkLive(t, s, 1)
}

func TestClockJumpsBack(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 1))
	env := testtable.Env(2)
	env.NowMillis = func() int64 { return 5 }
	table := commit.Open(testtable.ID, s.Catalog, s.Objects, commit.Options{Env: env})
	mustCommit(t, table, func(x *commit.Txn) { x.Append(testtable.File(1)) })
	checkLive(t, s, 0, 1) // the history check compares timestamps
}

// TestAppendOpensNoLeaf: an append to a large table costs one root and one metadata file, whatever the leaves
// hold. With the check for duplicates it reads leaves only where statistics do not exclude the file.
func TestAppendOpensNoLeaf(t *testing.T) {
	for _, size := range []int{10, 1000} {
		var batches [][]tree.File
		for n := range 10 {
			batches = append(batches, testtable.Files(n*size, (n+1)*size))
		}
		properties := map[string]string{"firn.policy": "cap", "firn.policy.rows": fmt.Sprint(size)}
		s := newStore(t, properties, batches...)
		for _, duplicates := range []bool{false, true} {
			var log fault.Injector
			n := 99_998
			if duplicates {
				n++
			}
			x := begin(t, s.Open(int64(n), &log), commit.TxnOptions{CheckDuplicates: duplicates, Policy: simple.Never{}},
				func(x *commit.Txn) { x.Append(testtable.File(n)) })
			r, err := x.Commit(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var leafReads, puts int
			for _, call := range log.Calls() {
				if call.Op == fault.GetRange && strings.Contains(call.Name, "-m") {
					leafReads++
				}
				if call.Op == fault.Put {
					puts++
				}
			}
			if r.LeavesOpened != 0 || puts != 2 || !duplicates && leafReads != 0 {
				t.Errorf("size %d, duplicates %t: %d leaves opened, %d reads of leaves, %d puts", size, duplicates, r.LeavesOpened, leafReads, puts)
			}
			t.Logf("10 leaves x %d, check for duplicates %t: %d leaves opened, %d footer reads, %d objects of %d bytes written",
				size, duplicates, r.LeavesOpened, leafReads, puts, r.BytesWritten)
		}
	}
}

// TestHintsOpenNoLeaf: a target that the caller read with the library is found without opening its leaf.
func TestHintsOpenNoLeaf(t *testing.T) {
	s := newStore(t, cap4, testtable.Files(0, 8), testtable.Files(8, 9))
	table := s.Open(2, nil)
	head, err := table.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var targets []commit.Target
	for l, err := range table.Files(t.Context(), head, tree.Projection{}) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(l.Location, "f0002") || strings.Contains(l.Location, "f0008") {
			targets = append(targets, commit.At(l))
		}
	}
	r := mustCommit(t, table, func(x *commit.Txn) { x.Remove(targets...) })
	if r.LeavesOpened != 0 {
		t.Errorf("%d leaves opened", r.LeavesOpened)
	}
	checkLive(t, s, 0, 1, 3, 4, 5, 6, 7)
}

// TestFoundOpensNoMore: once all targets are found no other leaf is opened, though by its bounds it may hold them.
func TestFoundOpensNoMore(t *testing.T) {
	of := func(numbers ...int) (files []tree.File) {
		for _, n := range numbers {
			files = append(files, testtable.File(n))
		}
		return files
	}
	s := newStore(t, cap4, of(0, 2, 4, 6), of(1, 3, 5, 7), of(8))
	r := mustCommit(t, s.Open(2, nil), func(x *commit.Txn) { x.Remove(testtable.Target(2)) })
	if r.LeavesOpened != 1 {
		t.Errorf("%d leaves opened, want the one that holds the file", r.LeavesOpened)
	}
	checkLive(t, s, 0, 1, 3, 4, 5, 6, 7, 8)
}

// TestStaleHint: the deletes of a file to replace have changed since the caller read it.
func TestStaleHint(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 2))
	table := s.Open(2, nil)
	head, err := table.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stale := tree.Located{Entry: head.Tree.Rows[0], Location: testtable.File(0).Location, Origin: head.Tree.Origin}
	stale.Entry.Tracking.ModifiedSnapshotID = iceberg.Optional[int64]{Val: 77, Valid: true}
	x := begin(t, table, commit.TxnOptions{}, func(x *commit.Txn) {
		x.Replace([]commit.Target{commit.At(stale)}, testtable.File(9))
	})
	_, err = x.Commit(t.Context())
	var conflict *commit.ConflictError
	if !errors.As(err, &conflict) || conflict.Rule != commit.RuleRemoveDVRaced {
		t.Errorf("got %v", err)
	}
	x = begin(t, table, commit.TxnOptions{}, func(x *commit.Txn) { x.Remove(commit.At(stale)) })
	if _, err := x.Commit(t.Context()); err != nil {
		t.Errorf("a plain removal: %v", err)
	}
	checkLive(t, s, 1)
}

func TestChanges(t *testing.T) {
	s := newStore(t, cap4, testtable.Files(0, 8), testtable.Files(8, 9))
	table := s.Open(2, nil)
	mustCommit(t, table, func(x *commit.Txn) {
		x.Replace([]commit.Target{testtable.Target(2), testtable.Target(8)}, testtable.File(20))
	})
	head, err := table.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for c, err := range table.Changes(t.Context(), head, tree.Projection{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(c.Kind, " ", strings.TrimPrefix(c.Location, testtable.Location)))
	}
	want := []string{"removed /data/f0002.parquet", "removed /data/f0008.parquet", "added /data/f0020.parquet"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCreateTwice(t *testing.T) {
	s := newStore(t, nil)
	head, err := s.Open(2, nil).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := s.Objects.Names()
	another := head.Metadata
	another.UUID = "99999999-2222-3333-4444-555555555555"
	_, err = commit.Create(t.Context(), testtable.ID, s.Catalog, s.Objects, another, commit.Options{Env: testtable.Env(3)})
	if !errors.Is(err, store.ErrConflict) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, s.Objects.Names()); diff != "" {
		t.Errorf("objects changed: %s", diff)
	}
}

// TestCreateOvertaken: the creation landed, its answer was lost, and another writer committed before the look.
func TestCreateOvertaken(t *testing.T) {
	s := newStore(t, nil)
	head, err := s.Open(2, nil).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	id := store.TableID{Namespace: "db", Name: "other"}
	var i fault.Injector
	arm(t, &i, "swap #1 land-unknown")
	env := testtable.Env(3)
	detach := env.Detach
	env.Detach = func(ctx context.Context, millis int64) (context.Context, context.CancelFunc) {
		other := commit.Open(id, s.Catalog, s.Objects, commit.Options{Env: testtable.Env(4)})
		mustCommit(t, other, func(x *commit.Txn) { x.Append(testtable.File(1)) })
		return detach(ctx, millis)
	}
	m := head.Metadata
	m.UUID = "99999999-2222-3333-4444-555555555555"
	if _, err := commit.Create(t.Context(), id, i.Catalog(s.Catalog), i.Objects(s.Objects), m, commit.Options{Env: env}); err != nil {
		t.Error(err)
	}
	for _, call := range i.Calls() {
		if call.Op == fault.Delete {
			t.Errorf("deleted %s, which the table's log names", call.Name)
		}
	}
}

// TestCreationToken: the token of a creation of unknown outcome answers later, also when the table has moved on.
func TestCreationToken(t *testing.T) {
	s := newStore(t, nil)
	first, err := s.Open(2, nil).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token := commit.Token{Table: testtable.ID, TableUUID: first.Metadata.UUID, Metadata: []string{first.MetadataLocation}}
	for n := range 3 {
		if got, err := s.Open(3, nil).Outcome(t.Context(), token); got != commit.Committed || err != nil {
			t.Errorf("after %d commits: %s, %v", n, got, err)
		}
		mustCommit(t, s.Open(int64(4+n), nil), func(x *commit.Txn) { x.Append(testtable.File(n)) })
	}
}

// TestHintAndLookupInOneLeaf: a target found by its hint is met again when its leaf is opened for another one, or for a
// duplicate.
func TestHintAndLookupInOneLeaf(t *testing.T) {
	located := func(t *testing.T, s testtable.Store, n int) commit.Target {
		table := s.Open(5, nil)
		head, err := table.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for l, err := range table.Files(t.Context(), head, tree.Projection{}) {
			if err != nil {
				t.Fatal(err)
			}
			if l.Location == testtable.File(n).Location {
				return commit.At(l)
			}
		}
		t.Fatalf("file %d is not live", n)
		return commit.Target{}
	}
	between := testtable.File(99)
	between.Location = testtable.File(2).Location + "x" // within the bounds of the leaf
	for name, change := range map[string]func(*testing.T, testtable.Store, *commit.Txn){
		"another target": func(t *testing.T, s testtable.Store, x *commit.Txn) { x.Remove(located(t, s, 1), testtable.Target(2)) },
		"a duplicate": func(t *testing.T, s testtable.Store, x *commit.Txn) {
			x.Replace([]commit.Target{located(t, s, 1)}, between)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t, cap4, testtable.Files(0, 8), testtable.Files(8, 9))
			x := begin(t, s.Open(2, nil), commit.TxnOptions{CheckDuplicates: true}, func(x *commit.Txn) { change(t, s, x) })
			if _, err := x.Commit(t.Context()); err != nil {
				t.Error(err)
			}
			if err := s.Check(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("the other target is gone on a retry", func(t *testing.T) {
		s := newStore(t, cap4, testtable.Files(0, 8), testtable.Files(8, 9))
		x := begin(t, s.Open(2, nil), commit.TxnOptions{}, func(x *commit.Txn) { x.Remove(testtable.Target(1), testtable.Target(2)) })
		mustCommit(t, s.Open(3, nil), func(x *commit.Txn) { x.Remove(testtable.Target(2)) })
		var conflict *commit.ConflictError
		if _, err := x.Commit(t.Context()); !errors.As(err, &conflict) || conflict.Rule != commit.RuleRemoveGone {
			t.Errorf("got %v", err)
		}
	})
}

func ExampleTxn() {
	ctx := context.Background()
	s, err := testtable.New(ctx, nil) // a store in memory with an empty table
	if err != nil {
		fmt.Println(err)
		return
	}
	table := commit.Open(testtable.ID, s.Catalog, s.Objects, commit.Options{})
	txn, err := table.Begin(ctx, commit.TxnOptions{CheckDuplicates: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	txn.Append(tree.File{Location: testtable.Location + "/data/a.parquet", Format: "parquet", RecordCount: 10, FileSizeBytes: 700})
	result, err := txn.Commit(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("committed in attempt", result.Attempts, "with sequence number", result.SequenceNumber)
	// Output:
	// committed in attempt 1 with sequence number 1
}
