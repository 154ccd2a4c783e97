package commit_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

func rows(t *testing.T, positions ...uint64) dv.Vector {
	t.Helper()
	v, err := dv.Of(positions...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// file returns a live file of the current snapshot.
func file(t *testing.T, s testtable.Store, n int) tree.Located {
	t.Helper()
	table := s.Open(9, nil)
	head, err := table.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for l, err := range table.Files(t.Context(), head, tree.Full) {
		if err != nil {
			t.Fatal(err)
		}
		if l.Location == testtable.File(n).Location {
			return l
		}
	}
	t.Fatalf("file %d is not live", n)
	return tree.Located{}
}

// deletedRows reads the deletion vector of a live file.
func deletedRows(t *testing.T, s testtable.Store, n int) string {
	t.Helper()
	l := file(t, s, n)
	if !l.Entry.DeletionVector.Valid {
		return ""
	}
	v, err := dv.Read(t.Context(), s.Objects, l.Entry.DeletionVector.Val, l.Revision().DeletionVector.Val.Location, l.Entry.RecordCount, dv.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v.String()
}

func TestExtendDV(t *testing.T) {
	s := newStore(t, cap4, testtable.Files(0, 6), testtable.Files(6, 8))
	table := s.Open(2, nil)
	for n, want := range []string{"3", "3,5", "3,5,7"} {
		r := mustCommit(t, table, func(x *commit.Txn) {
			for _, f := range []int{1, 7} { // one in a leaf, one loose
				x.ExtendDV(testtable.Target(f), rows(t, uint64(3+2*n)), commit.DVOptions{})
			}
		})
		if r.VectorsWritten != 1 {
			t.Errorf("%d Puffin files", r.VectorsWritten)
		}
		for _, f := range []int{1, 7} {
			if got := deletedRows(t, s, f); got != want {
				t.Errorf("file %d: deleted rows %s, want %s", f, got, want)
			}
		}
		checkLive(t, s, 0, 1, 2, 3, 4, 5, 6, 7)
	}
	head, err := table.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	current, _ := head.Snapshot()
	if current.Operation() != "delete" || current.Summary["total-position-deletes"] != "6" || current.Summary["added-dvs"] != "2" ||
		current.Summary["removed-dvs"] != "2" || current.Summary["total-records"] != "800" {
		t.Errorf("summary %v", current.Summary)
	}
}

func TestDVCoversAll(t *testing.T) {
	s := newStore(t, cap4, testtable.Files(0, 6))
	all, err := dv.Range(0, 100)
	if err != nil {
		t.Fatal(err)
	}
	table := s.Open(2, nil)
	r := mustCommit(t, table, func(x *commit.Txn) {
		x.ExtendDV(testtable.Target(1), all, commit.DVOptions{})
		x.ExtendDV(testtable.Target(5), all, commit.DVOptions{KeepEmptied: true})
	})
	if !slices.Contains(r.Events, commit.Event{Rule: commit.RuleDVFull, Location: testtable.File(1).Location}) {
		t.Errorf("events %v", r.Events)
	}
	checkLive(t, s, 0, 2, 3, 4, 5)
}

func TestSetDVMustContainTheOldOne(t *testing.T) {
	s := newStore(t, cap4, testtable.Files(0, 6))
	table := s.Open(2, nil)
	mustCommit(t, table, func(x *commit.Txn) { x.SetDV(testtable.Target(1), rows(t, 4), commit.DVOptions{}) })
	_, err := begin(t, table, commit.TxnOptions{}, func(x *commit.Txn) {
		x.SetDV(testtable.Target(1), rows(t, 5), commit.DVOptions{})
	}).Commit(t.Context())
	if !errors.Is(err, commit.ErrRefused) {
		t.Errorf("got %v", err)
	}
	if got := deletedRows(t, s, 1); got != "4" {
		t.Errorf("deleted rows %s", got)
	}
}

func TestRefresh(t *testing.T) {
	s := newStore(t, cap4, testtable.Files(0, 6), testtable.Files(6, 7))
	better := testtable.File(1).Stats
	better[0].Upper = tree.Long(1)
	table := s.Open(2, nil)
	for range 2 {
		mustCommit(t, table, func(x *commit.Txn) {
			x.Refresh(testtable.Target(1), better)
			x.Refresh(testtable.Target(6), better)
		})
		checkLive(t, s, 0, 1, 2, 3, 4, 5, 6)
		for _, n := range []int{1, 6} {
			l := file(t, s, n)
			if l.Entry.Stats[0].Upper != tree.Long(1) || l.Entry.Tracking.Status != tree.Existing {
				t.Errorf("file %d: %v %v", n, l.Entry.Tracking.Status, l.Entry.Stats)
			}
		}
	}
}

func TestFoldAndMerge(t *testing.T) {
	s := newStore(t, cap4, testtable.Files(0, 4), testtable.Files(4, 8), testtable.Files(8, 10))
	table := s.Open(2, nil)
	mustCommit(t, table, func(x *commit.Txn) { x.Remove(testtable.Target(1), testtable.Target(6)) })
	before := file(t, s, 2)
	x := begin(t, table, commit.TxnOptions{Policy: testtable.MergeAll{}, Mode: policy.Maintenance}, func(*commit.Txn) {})
	r, err := x.Commit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.LeavesWritten != 1 || r.NoOp {
		t.Errorf("%+v", r)
	}
	checkLive(t, s, 0, 2, 3, 4, 5, 7, 8, 9)
	after := file(t, s, 2)
	if after.Entry.Tracking.Status != tree.Existing || after.Entry.Tracking.FirstRowID != before.Entry.Tracking.FirstRowID ||
		after.Manifest == before.Manifest {
		t.Errorf("file 2: %+v, before %+v", after, before)
	}
	// A file that is removed, and one that is changed, by the commit that rewrites their leaf.
	r, err = begin(t, table, commit.TxnOptions{Policy: testtable.MergeAll{}}, func(x *commit.Txn) {
		x.Remove(testtable.Target(3))
		x.ExtendDV(testtable.Target(4), rows(t, 1), commit.DVOptions{})
	}).Commit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkLive(t, s, 0, 2, 4, 5, 7, 8, 9)
	head, _ := table.Head(t.Context())
	var told []string
	for c, err := range table.Changes(t.Context(), head, tree.Projection{}) {
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, c.Kind.String()+" "+c.Location)
	}
	if want := []string{"removed " + testtable.File(3).Location, "deletes " + testtable.File(4).Location}; !slices.Equal(told, want) {
		t.Errorf("change feed %q, want %q", told, want)
	}
}

func TestRestore(t *testing.T) {
	s := newStore(t, cap4, testtable.Files(0, 6))
	table := s.Open(2, nil)
	r := mustCommit(t, table, func(x *commit.Txn) { x.ExtendDV(testtable.Target(2), rows(t, 1), commit.DVOptions{}) })
	before := file(t, s, 2)
	mustCommit(t, table, func(x *commit.Txn) {
		x.Remove(testtable.Target(0), testtable.Target(5))
		x.ExtendDV(testtable.Target(3), rows(t, 1), commit.DVOptions{})
		x.Append(testtable.Files(10, 12)...)
	})
	mustCommit(t, table, func(x *commit.Txn) { x.Append(testtable.Files(12, 17)...) })
	mustCommit(t, table, func(x *commit.Txn) { x.Restore(r.SnapshotID) })
	checkLive(t, s, 0, 1, 2, 3, 4, 5)
	if got := deletedRows(t, s, 2) + " " + deletedRows(t, s, 3); got != "1 " {
		t.Errorf("deleted rows %q", got)
	}
	if after := file(t, s, 2); after.Entry.Tracking.FirstRowID != before.Entry.Tracking.FirstRowID {
		t.Errorf("row ids %v, before %v", after.Entry.Tracking.FirstRowID, before.Entry.Tracking.FirstRowID)
	}
}

func TestDeleteWhere(t *testing.T) {
	s := newStore(t, cap4, testtable.Files(0, 10), testtable.Files(10, 12))
	table := s.Open(2, nil)
	below := iceberg.LessThan(iceberg.Reference("id"), int64(5))
	_, err := begin(t, table, commit.TxnOptions{}, func(x *commit.Txn) { x.DeleteWhere(below) }).Commit(t.Context())
	if !errors.Is(err, commit.ErrRefused) || !strings.Contains(err.Error(), testtable.File(4).Location) {
		t.Errorf("file 4 has 4 and 5: got %v", err)
	}
	mustCommit(t, table, func(x *commit.Txn) { x.Remove(testtable.Target(4)) })
	mustCommit(t, table, func(x *commit.Txn) { x.DeleteWhere(below) })
	checkLive(t, s, 5, 6, 7, 8, 9, 10, 11)
}

// TestFilterRaced: a file that another writer added and that the filter may match is a conflict, or is left alone.
func TestFilterRaced(t *testing.T) {
	for _, c := range []struct {
		isolation commit.Isolation
		theirs    []tree.File
		conflict  bool
	}{
		{commit.Serializable, testtable.Files(2, 3), true},
		{commit.Serializable, testtable.Files(0, 6), true},
		{commit.Serializable, testtable.Files(40, 41), false},
		{commit.SnapshotIsolation, testtable.Files(2, 3), false},
	} {
		s := newStore(t, cap4, testtable.Files(20, 26))
		x := begin(t, s.Open(2, nil), commit.TxnOptions{Isolation: c.isolation}, func(x *commit.Txn) {
			x.DeleteWhere(iceberg.LessThan(iceberg.Reference("id"), int64(5)))
			x.Append(testtable.File(30))
		})
		mustCommit(t, s.Open(3, nil), func(x *commit.Txn) { x.Append(c.theirs...) })
		_, err := x.Commit(t.Context())
		var conflict *commit.ConflictError
		if got := errors.As(err, &conflict) && conflict.Rule == commit.RuleFilterRaced; got != c.conflict || !got && err != nil {
			t.Errorf("%v, %s: %v", c.isolation, c.theirs[0].Location, err)
		}
	}
}

// TestBranches: a branch has a line of its own, whoever commits to others.
func TestBranches(t *testing.T) {
	s := newStore(t, cap4, testtable.Files(0, 3))
	table := s.Open(2, nil)
	head, err := table.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := table.Begin(t.Context(), commit.TxnOptions{Branch: "b"}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a missing branch: %v", err)
	}
	r, err := table.Update(t.Context(), func(m metadata.Table) (metadata.Table, error) {
		return m.WithRef(metadata.Ref{Name: "b", Type: metadata.Branch, SnapshotID: head.Tree.Origin.SnapshotID})
	})
	if err != nil || r.Attempts != 1 || r.RootsWritten != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	x := begin(t, table, commit.TxnOptions{Branch: "b"}, func(x *commit.Txn) { x.Append(testtable.Files(10, 12)...) })
	mustCommit(t, s.Open(3, nil), func(x *commit.Txn) { x.Append(testtable.Files(20, 22)...) })
	if r, err = x.Commit(t.Context()); err != nil || r.Attempts != 2 || r.SequenceNumber != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	checkLive(t, s, 0, 1, 2, 20, 21)
	branch, err := table.HeadOf(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	if branch.Tree.ParentSnapshotID.Val != head.Tree.Origin.SnapshotID {
		t.Errorf("the parent is %d", branch.Tree.ParentSnapshotID.Val)
	}
	n := 0
	for _, err := range table.Files(t.Context(), branch, tree.Projection{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 5 {
		t.Errorf("%d files on the branch", n)
	}
}

// TestUpdateRaced: a change of the metadata is made again to what a winner published, or is a conflict.
func TestUpdateRaced(t *testing.T) {
	add := func(name string) commit.MetadataChange {
		return func(m metadata.Table) (metadata.Table, error) {
			return m.EvolveSchema(metadata.AddColumn{Name: name, Type: iceberg.PrimitiveTypes.String})
		}
	}
	for _, theirs := range []string{"other", "mine"} {
		s := newStore(t, nil, testtable.Files(0, 1))
		first := true
		race := func(m metadata.Table) (metadata.Table, error) {
			if first {
				first = false
				if _, err := s.Open(3, nil).Update(t.Context(), add(theirs)); err != nil {
					t.Fatal(err)
				}
			}
			return m, nil
		}
		r, err := s.Open(2, nil).Update(t.Context(), race, add("mine"))
		var conflict *commit.ConflictError
		switch {
		case theirs == "other" && (err != nil || r.Attempts != 2):
			t.Errorf("%+v, %v", r, err)
		case theirs == "mine" && (!errors.As(err, &conflict) || conflict.Rule != commit.RuleUpdateRaced):
			t.Errorf("got %v", err)
		}
		checkNoOrphans(t, s)
	}
}

// TestNothingToDo: a maintenance transaction for which there is nothing to do publishes nothing.
func TestNothingToDo(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 1))
	before := s.Objects.Names()
	r, err := begin(t, s.Open(2, nil), commit.TxnOptions{Mode: policy.Maintenance}, func(*commit.Txn) {}).Commit(t.Context())
	if err != nil || !r.NoOp || r.SnapshotID != 0 || !slices.Equal(before, s.Objects.Names()) {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = s.Open(2, nil).Update(t.Context(), func(m metadata.Table) (metadata.Table, error) { return m, nil })
	if err != nil || !r.NoOp || !slices.Equal(before, s.Objects.Names()) {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestBaseExpires: what the base names is deleted while a commit is under way, for a winner rewrote the leaf and expired
// the snapshot. The commit goes on from the winner's state. Where there is no winner the missing leaf is an error.
func TestBaseExpires(t *testing.T) {
	for _, raced := range []bool{true, false} {
		s := newStore(t, cap4, testtable.Files(0, 4), testtable.Files(4, 8))
		x := begin(t, s.Open(2, nil), commit.TxnOptions{}, func(x *commit.Txn) { x.Remove(testtable.Target(1)) })
		gone := names(s, "-m")
		if raced {
			y := begin(t, s.Open(3, nil), commit.TxnOptions{Policy: testtable.MergeAll{}, Mode: policy.Maintenance}, func(*commit.Txn) {})
			if _, err := y.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, leaf := range gone {
			if err := s.Objects.Delete(t.Context(), leaf); err != nil {
				t.Fatal(err)
			}
		}
		_, err := x.Commit(t.Context())
		if !raced {
			if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("no winner: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Live(t.Context())
		if err != nil || len(got) != 7 || slices.Contains(got, testtable.File(1).Location) {
			t.Errorf("live %q, %v", got, err)
		}
	}
}
