package attack_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

// pastTable is a table with something of everything that an expiry lets go or keeps: files in the root and in leaves, masked
// and folded, deletion vectors that share a Puffin file, a tag, a branch, statistics.
func pastTable(t *testing.T, properties map[string]string) *yard {
	t.Helper()
	y := newYard(t, properties)
	s1 := y.add(true, 1, 2, 3, 4)
	s2 := y.add(false, 5, 6)
	y.rows(7, 2, 5)
	y.ref("b", metadata.Branch, s2.SnapshotID)
	y.commit(commit.TxnOptions{Branch: "b", Policy: simple.Never{}}, func(x *commit.Txn) { x.Remove(testtable.Target(3)) })
	s3 := y.remove(1)
	y.ref("t", metadata.Tag, s3.SnapshotID)
	y.put(tree.Resolve(testtable.Location, "metadata/s1.stats"))
	y.update(listing(s1.SnapshotID, "metadata/s1.stats"))
	y.commit(commit.TxnOptions{Mode: policy.Maintenance, Policy: folding(0)}, func(*commit.Txn) {})
	y.rows(8, 2, 6)
	y.remove(5)
	return y
}

func (y *yard) ref(name, kind string, snapshotID int64) {
	y.t.Helper()
	y.update(func(m metadata.Table) (metadata.Table, error) {
		return m.CreateRef(metadata.Ref{Name: name, Type: kind, SnapshotID: snapshotID})
	})
}

// clone is the same table in a copy of its store, whose objects have the time of day of the table from now on.
func (y *yard) clone() *yard {
	c := &yard{y.t, y.Clone(), nil}
	clock := testtable.Env(5)
	c.Objects.Now = func() time.Time { return time.UnixMilli(clock.NowMillis()) }
	c.table = c.Open(1, nil)
	return c
}

// underWay are changes that are under way while a table is cleaned up; each begins on the state that it is given.
var underWay = map[string]struct {
	options commit.TxnOptions
	change  func(*commit.Txn)
}{
	"restore": {commit.TxnOptions{Policy: loose(true)}, func(x *commit.Txn) { x.Restore(x.Base().Metadata.Snapshots[0].ID) }},
	"append":  {commit.TxnOptions{Policy: loose(true)}, func(x *commit.Txn) { x.Append(testtable.File(50), testtable.File(51)) }},
	"rows": {commit.TxnOptions{}, func(x *commit.Txn) {
		x.ExtendDV(testtable.Target(4), row9, commit.DVOptions{MergeRaced: true})
		x.ExtendDV(testtable.Target(2), row9, commit.DVOptions{MergeRaced: true})
	}},
	"fold": {commit.TxnOptions{Mode: policy.Maintenance, Policy: folding(0)}, func(*commit.Txn) {}},
	"rewrite": {commit.TxnOptions{}, func(x *commit.Txn) {
		x.Rewrite([]commit.Target{testtable.Target(4)}, []tree.File{plain(60)}, x.Base().Tree.Origin.SnapshotID)
	}},
	"branch": {commit.TxnOptions{Branch: "b"}, func(x *commit.Txn) { x.Append(testtable.File(52)); x.Remove(testtable.Target(1)) }},
}

// row9 is the ninth row.
var row9, _ = dv.Of(9)

// plain is a file without statistics.
func plain(n int) tree.File {
	f := testtable.File(n)
	f.Stats = nil
	return f
}

// staged makes the objects of the files that [underWay] adds.
func (y *yard) staged() {
	for _, n := range []int{50, 51, 52, 60} {
		y.put(testtable.File(n).Location)
	}
}

// TestCommitsDuringExpiry: what began before an expiry commits before each call of it.
func TestCommitsDuringExpiry(t *testing.T) {
	base := pastTable(t, nil)
	for name, u := range underWay {
		t.Run(name, func(t *testing.T) {
			run := func(at int) (calls int) {
				y := base.clone()
				y.t = t
				y.staged()
				x := begin(t, y.Open(3, nil), u.options, u.change)
				var i fault.Injector
				i.Before = func(context.Context, fault.Call) error {
					if calls++; calls == at {
						if _, err := x.Commit(t.Context()); err != nil && !errors.Is(err, commit.ErrConflict) {
							t.Errorf("call %d: %v", at, err)
						}
					}
					return nil
				}
				y.as(2, &i).expire(maintain.ExpireOptions{Policy: refsToo})
				y.leaveNothing(t, at)
				return calls
			}
			for at, calls := 1, run(0); at <= calls; at++ {
				run(at)
			}
		})
	}
}

// leaveNothing checks a table, and that a last clean-up leaves what it shows and nothing else.
func (y *yard) leaveNothing(t *testing.T, at int) {
	t.Helper()
	before := t.Failed()
	y.check()
	y.as(9, nil).orphans(everything)
	y.clean()
	if t.Failed() && !before {
		t.Errorf("call %d", at)
	}
}

// TestExpiryDuringCommits: before each call of a commit others commit, fold what it began on, and let its base expire.
func TestExpiryDuringCommits(t *testing.T) {
	base := pastTable(t, nil)
	for name, u := range underWay {
		t.Run(name, func(t *testing.T) {
			run := func(at int) (calls int) {
				y := base.clone()
				y.t = t
				y.staged()
				var i fault.Injector
				i.Before = func(context.Context, fault.Call) error {
					if calls++; calls == at {
						other := y.as(4, nil)
						other.add(true, 80, 81)
						other.commit(commit.TxnOptions{Mode: policy.Maintenance, Policy: folding(0)}, func(*commit.Txn) {})
						other.remove(81)
						other.expire(maintain.ExpireOptions{Policy: newest(1)})
						other.orphans(maintain.OrphanOptions{Delete: true})
					}
					return nil
				}
				table := y.Open(3, &i)
				x, err := table.Begin(t.Context(), u.options)
				if err == nil {
					u.change(x)
					_, err = x.Commit(t.Context())
				}
				if err != nil && (at == 0 || errors.Is(err, commit.ErrUnknown)) {
					t.Errorf("call %d: %v", at, err)
				}
				y.leaveNothing(t, at)
				return calls
			}
			for at, calls := 1, run(0); at <= calls; at++ {
				run(at)
			}
		})
	}
}

// TestExpiryCrashesTwice: an expiry crashes at each call, and the one that takes it up crashes too.
func TestExpiryCrashesTwice(t *testing.T) {
	for name, properties := range map[string]map[string]string{
		"long log": nil, "short log": {metadata.PropertyPreviousVersionsMax: "1", metadata.PropertyDeleteAfterCommit: "true"},
	} {
		t.Run(name, func(t *testing.T) {
			base := pastTable(t, properties)
			crash := func(y *yard, seed int64, at int, o fault.Outcome) int {
				var i fault.Injector
				if err := i.Arm(fault.Fault{Nth: at + 1, Outcome: o}); err != nil {
					t.Fatal(err)
				}
				_, _ = maintain.Expire(t.Context(), y.Open(seed, &i), maintain.ExpireOptions{Policy: refsToo, Resume: true})
				return len(i.Calls())
			}
			calls := crash(base.clone(), 2, 100_000, fault.Crash)
			for first := 0; first < calls; first += 4 {
				for second := first % 11; second < calls; second += 11 {
					y := base.clone()
					crash(y, 2, first, fault.Crash)
					y.check()
					crash(y, 3, second, fault.Crash)
					y.check()
					if crash(y, 4, 100_000, fault.Crash); properties != nil {
						y.as(5, nil).orphans(everything)
					}
					rest := slices.DeleteFunc(y.check(), metadata.IsFileName)
					if len(rest) > 0 {
						t.Fatalf("crashes at %d and %d leave %q", first, second, rest)
					}
				}
			}
		})
	}
}

// TestLateExpiry: the swap of an expiry lands late, after somebody has made a tag at a snapshot that goes, or before.
func TestLateExpiry(t *testing.T) {
	for _, tagged := range []bool{false, true} {
		y := pastTable(t, nil)
		oldest := head(t, y.Store).Metadata.Snapshots[0].ID
		var i fault.Injector
		if err := i.Arm(fault.Fault{Op: fault.Swap, Outcome: fault.Late}, fault.Fault{Op: fault.Load, Nth: 3, Outcome: fault.Fail}); err != nil {
			t.Fatal(err)
		}
		before := y.Objects.Names()
		r, err := maintain.Expire(t.Context(), y.Open(2, &i), maintain.ExpireOptions{Policy: newest(1)})
		var unknown *commit.UnknownError
		if !errors.As(err, &unknown) || len(r.Deleted) > 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		if tagged {
			y.ref("late", metadata.Tag, oldest)
		}
		i.Release()
		want := map[bool]commit.Outcome{false: commit.Committed, true: commit.NotCommitted}[tagged]
		if got, err := y.Open(3, nil).Outcome(t.Context(), unknown.Token); got != want || err != nil {
			t.Errorf("tagged %t: %s, %v", tagged, got, err)
		}
		if _, kept := head(t, y.Store).Metadata.Snapshot(oldest); kept != tagged {
			t.Errorf("tagged %t, kept %t", tagged, kept)
		}
		for _, name := range before {
			if !y.there(name) {
				t.Errorf("%s is gone", name)
			}
		}
		y.as(4, nil).expire(maintain.ExpireOptions{Policy: newest(1), Resume: true})
		y.leaveNothing(t, 0)
	}
}

// TestAddedAgain: a location that was removed long ago is added again before each call of an expiry.
func TestAddedAgain(t *testing.T) {
	base := pastTable(t, nil)
	run := func(at int) (calls int) {
		y := base.clone()
		var i fault.Injector
		skip := false
		i.Before = func(_ context.Context, c fault.Call) error {
			if calls++; calls == at {
				if skip = c.Op == fault.Delete || !y.there(testtable.File(5).Location); !skip { // what is gone cannot be called back
					y.as(3, nil).commit(commit.TxnOptions{Policy: loose(true)}, func(x *commit.Txn) { x.Append(testtable.File(5)) })
				}
			}
			return nil
		}
		y.as(2, &i).expire(maintain.ExpireOptions{Policy: refsToo})
		if !skip {
			y.leaveNothing(t, at)
		}
		return calls
	}
	for at, calls := 1, run(0); at <= calls; at++ {
		run(at)
	}
}

// TestTornObjects: an object of which half is there stops a clean-up, or makes it delete no more than it would have.
func TestTornObjects(t *testing.T) {
	base := pastTable(t, nil)
	base.put(testtable.Location+"/data/stray.parquet", testtable.Location+"/metadata/stray.parquet")
	runs := map[string]func(*commit.Table) []maintain.Object{
		"expire": func(table *commit.Table) []maintain.Object {
			r, _ := maintain.Expire(t.Context(), table, maintain.ExpireOptions{Policy: refsToo, Resume: true})
			return r.Deleted
		},
		"orphans": func(table *commit.Table) []maintain.Object {
			r, _ := maintain.Orphans(t.Context(), table, maintain.OrphanOptions{Delete: true})
			return r.Deleted
		},
	}
	for name, run := range runs {
		allowed := make(map[string]bool)
		for _, o := range run(base.clone().Open(2, nil)) {
			allowed[o.Location] = true
		}
		if len(allowed) == 0 {
			t.Errorf("%s: nothing goes", name)
		}
		for _, torn := range base.Objects.Names() {
			for _, bytes := range []int{0, 1, 40, 400} {
				y := base.clone()
				tearObject(t, y.Objects, torn, bytes)
				for _, o := range run(y.Open(2, nil)) {
					if !allowed[o.Location] {
						t.Errorf("%s with %d bytes of %s deletes %s", name, bytes, torn, o.Location)
					}
				}
			}
		}
	}
}

// tearObject leaves the first bytes of an object.
func tearObject(t *testing.T, objects *mem.Objects, name string, bytes int) {
	t.Helper()
	data, err := objects.Get(t.Context(), name, 0)
	if err == nil {
		err = errors.Join(objects.Delete(t.Context(), name), objects.Put(t.Context(), name, data[:min(bytes, len(data))]))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestBrokenListings: a listing that ends early, with an error, deletes nothing; one that leaves the newest object out
// deletes nothing that is reached.
func TestBrokenListings(t *testing.T) {
	base := pastTable(t, nil)
	base.put(testtable.Location + "/data/stray.parquet")
	for n := range len(base.Objects.Names()) + 2 {
		for _, f := range []fault.Fault{{Op: fault.List, Outcome: fault.Break, Number: n}, {Op: fault.List, Outcome: fault.Stale}} {
			y := base.clone()
			for range n { // another object is the newest each time
				y.Objects = newestLast(t, y.Objects)
			}
			var i fault.Injector
			if err := i.Arm(f); err != nil {
				t.Fatal(err)
			}
			r, err := maintain.Orphans(t.Context(), y.Open(2, &i), maintain.OrphanOptions{Delete: true})
			if (f.Outcome == fault.Break) != (err != nil) || err != nil && len(r.Deleted) > 0 {
				t.Errorf("%v: %+v, %v", f, r.Deleted, err)
			}
			y.check()
		}
	}
}

// newestLast returns a store with the same objects, of which the oldest is the newest.
func newestLast(t *testing.T, objects *mem.Objects) *mem.Objects {
	t.Helper()
	at := make(map[string]time.Time)
	for info, err := range objects.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		at[info.Name] = info.Modified
	}
	names := slices.SortedFunc(maps.Keys(at), func(a, b string) int { return at[a].Compare(at[b]) })
	turned := &mem.Objects{}
	for _, name := range append(names[1:], names[0]) {
		data, err := objects.Get(t.Context(), name, 0)
		if err == nil {
			err = turned.Put(t.Context(), name, data)
		}
		if err != nil {
			t.Fatal(fmt.Errorf("turn: %w", err))
		}
	}
	return turned
}
