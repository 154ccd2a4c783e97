package crash_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/tree"
)

// start makes a table with two full leaves, one small one, and loose files: 0 to 11.
func start(t *testing.T) testtable.Store {
	t.Helper()
	s, err := testtable.New(t.Context(), map[string]string{"firn.policy": "cap", "firn.policy.rows": "4"})
	if err != nil {
		t.Fatal(err)
	}
	table := s.Open(1, nil)
	for _, batch := range [][]tree.File{testtable.Files(0, 5), testtable.Files(5, 11), testtable.Files(11, 12)} {
		x, err := table.Begin(t.Context(), commit.TxnOptions{CheckDuplicates: true})
		if err != nil {
			t.Fatal(err)
		}
		x.Append(batch...)
		if _, err := x.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// kinds are the kinds of commit, by name.
var kinds = []struct {
	name   string
	change func(*commit.Txn)
}{
	{"nothing", func(*commit.Txn) {}},
	{"append loose", func(x *commit.Txn) { x.Append(testtable.File(20)) }},
	{"append with push-down", func(x *commit.Txn) { x.Append(testtable.Files(20, 29)...) }},
	{"remove loose", func(x *commit.Txn) { x.Remove(testtable.Target(11)) }},
	{"remove in leaf", func(x *commit.Txn) { x.Remove(testtable.Target(1), testtable.Target(6)) }},
	{"remove all of a leaf", func(x *commit.Txn) {
		x.Remove(testtable.Target(0), testtable.Target(1), testtable.Target(2), testtable.Target(3))
	}},
	{"replace", func(x *commit.Txn) {
		x.Replace([]commit.Target{testtable.Target(2), testtable.Target(11)}, testtable.Files(20, 22)...)
	}},
}

// live returns the live files of the current snapshot, after a check of the whole history.
func live(t *testing.T, s testtable.Store) []string {
	t.Helper()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	names, err := s.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// run commits one kind of change through an injector and returns the error.
func run(t *testing.T, s testtable.Store, i *fault.Injector, change func(*commit.Txn)) error {
	x, err := s.Open(2, i).Begin(t.Context(), commit.TxnOptions{CheckDuplicates: true})
	if err != nil {
		return err
	}
	change(x)
	_, err = x.Commit(t.Context())
	return err
}

// TestCrash tries every outcome at every store call of every kind of commit.
func TestCrash(t *testing.T) {
	base := start(t)
	before := live(t, base)
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			calm := base.Clone()
			var log fault.Injector
			if err := run(t, calm, &log, kind.change); err != nil {
				t.Fatal(err)
			}
			after := live(t, calm)
			tried := fault.Single(log.Calls())
			old, updated := 0, 0
			for _, f := range tried {
				if try(t, base.Clone(), f, kind.change, before, after) {
					updated++
				} else {
					old++
				}
			}
			t.Logf("%d store calls x outcomes = %d disturbed commits: %d left the table at the old snapshot, %d at the new one",
				len(log.Calls()), len(tried), old, updated)
		})
	}
}

// try makes one disturbed commit and reports whether the table is at the new snapshot.
func try(t *testing.T, s testtable.Store, f fault.Fault, change func(*commit.Txn), before, after []string) bool {
	t.Helper()
	var i fault.Injector
	if err := i.Arm(f); err != nil {
		t.Fatal(err)
	}
	head := func() string {
		name, err := s.Catalog.Load(t.Context(), testtable.ID)
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	start := head()
	err := run(t, s, &i, change)
	moved := head() != start
	want := before
	if moved {
		want = after
	}
	if diff := cmp.Diff(want, live(t, s)); diff != "" {
		t.Errorf("%s: neither the old nor the new state: %s", f, diff)
	}
	switch {
	case err == nil && !moved:
		t.Errorf("%s: reported as committed, the table is at the old snapshot", f)
	case err != nil && moved && !errors.Is(err, commit.ErrUnknown):
		t.Errorf("%s: reported as not committed, the table is at the new snapshot: %v", f, err)
	}
	return moved
}
