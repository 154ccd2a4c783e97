package maintain_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/tree"
)

// runs are the two ways to delete, each on a table that has something for it.
var runs = map[string]struct {
	start func(*testing.T) *world
	run   func(context.Context, *commit.Table) error
}{
	"expire": {history, func(ctx context.Context, table *commit.Table) error {
		_, err := maintain.Expire(ctx, table, maintain.ExpireOptions{Policy: keep(2), Resume: true})
		return err
	}},
	"orphans": {func(t *testing.T) *world {
		w := history(t)
		w.put(stray...)
		return w
	}, func(ctx context.Context, table *commit.Table) error {
		_, err := maintain.Orphans(ctx, table, maintain.OrphanOptions{Delete: true})
		return err
	}},
}

// TestCrash disturbs each store call of a run in each way: the table can be read afterwards and has all that it reaches,
// and a second run ends where an undisturbed one does. A store that panics is one of the ways (B40).
func TestCrash(t *testing.T) {
	for name, c := range runs {
		t.Run(name, func(t *testing.T) {
			base := c.start(t)
			live, err := base.Live(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			calm := &world{t, base.Clone(), nil}
			var log fault.Injector
			if err := c.run(t.Context(), calm.Open(2, &log)); err != nil {
				t.Fatal(err)
			}
			faults := fault.Single(log.Calls())
			for _, call := range log.Calls() {
				if call.Op == fault.Delete {
					faults = append(faults, fault.Fault{Op: fault.Delete, Name: call.Name, Nth: 1, Outcome: fault.Panic},
						fault.Fault{Op: fault.Delete, Name: call.Name, Nth: 1, Outcome: fault.LandPanic})
				}
			}
			for _, f := range faults {
				w := &world{t, base.Clone(), nil}
				var i fault.Injector
				if err := i.Arm(f); err != nil {
					t.Fatal(err)
				}
				_ = c.run(t.Context(), w.Open(2, &i))
				w.checkReachable()
				if err := w.Check(t.Context()); err != nil {
					t.Errorf("%s: %v", f, err)
				}
				if err := c.run(t.Context(), w.Open(3, nil)); err != nil {
					t.Errorf("%s: the second run: %v", f, err)
				}
				if diff := cmp.Diff(calm.files(), w.files()); diff != "" {
					t.Errorf("%s: after the second run (-calm +disturbed):\n%s", f, diff)
				}
				if got, err := w.Live(t.Context()); err != nil || !slices.Equal(got, live) {
					t.Errorf("%s: live files %v, %v", f, got, err)
				}
				w.table = w.Open(4, nil)
				w.orphans(maintain.OrphanOptions{Delete: true})
				same(t, f.String()+": left over", w.checkReachable())
			}
			t.Logf("%d store calls, %d disturbed runs", len(log.Calls()), len(faults))
		})
	}
}

// TestUnknownOutcome deletes nothing while it is not known whether the snapshots are gone.
func TestUnknownOutcome(t *testing.T) {
	w := history(t)
	before := w.files()
	var i fault.Injector
	if err := i.Arm(fault.Fault{Op: fault.Swap, Outcome: fault.Unknown}); err != nil {
		t.Fatal(err)
	}
	r, err := maintain.Expire(t.Context(), w.Open(2, &i), maintain.ExpireOptions{Policy: keep(1)})
	if !errors.Is(err, commit.ErrUnknown) || len(r.Deleted)+len(r.Snapshots) > 0 {
		t.Errorf("got %+v, %v", r, err)
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Error(diff)
	}
}

// TestDeletionsFail: what cannot be deleted is reported, and a later run takes it up.
func TestDeletionsFail(t *testing.T) {
	w := history(t)
	var i fault.Injector
	if err := i.Arm(fault.Fault{Op: fault.Delete, Name: "*/data/*", Outcome: fault.Fail}); err != nil {
		t.Fatal(err)
	}
	r, err := maintain.Expire(t.Context(), w.Open(2, &i), maintain.ExpireOptions{Policy: keep(1)})
	if err != nil || len(r.Failed) == 0 || len(r.Deleted) > 0 || len(r.Remaining) == 0 {
		t.Errorf("failed %v, deleted %v, remaining %v: %v", r.Failed, r.Deleted, r.Remaining, err)
	}
	for _, f := range r.Failed {
		if f.Err == nil || f.Kind != maintain.DataFile && f.Kind != maintain.PuffinFile {
			t.Errorf("%+v", f)
		}
	}
	w.orphans(maintain.OrphanOptions{Delete: true})
	same(t, "left over", w.checkReachable())
}

// TestCanceled: a context that ends stops the run and says what remains.
func TestCanceled(t *testing.T) {
	w := history(t)
	ctx, cancel := context.WithCancel(t.Context())
	var i fault.Injector
	i.After = func(_ context.Context, c fault.Call) {
		if c.Op == fault.Delete {
			cancel()
		}
	}
	r, err := maintain.Expire(ctx, w.Open(2, &i), maintain.ExpireOptions{Policy: keep(1)})
	if !errors.Is(err, context.Canceled) || len(r.Deleted) != 1 || len(r.Remaining) == 0 || r.Commit.MetadataLocation == "" {
		t.Errorf("got %+v, %v", r, err)
	}
	w.checkReachable()
}

// TestLostRace: a winner that comes before the swap makes one more snapshot go, and what that one reached goes too.
func TestLostRace(t *testing.T) {
	w := history(t)
	var i fault.Injector
	i.Before = func(_ context.Context, c fault.Call) error {
		if c.Op == fault.Swap && w.table != nil {
			other := &world{t, w.Store, w.Open(3, nil)}
			w.table = nil // once
			other.remove(3)
		}
		return nil
	}
	r, err := maintain.Expire(t.Context(), w.Open(2, &i), maintain.ExpireOptions{Policy: keep(2)})
	if err != nil || r.Commit.Attempts != 2 || len(r.Snapshots) != 5 {
		t.Errorf("got %+v, %v", r, err)
	}
	same(t, "left over", w.checkReachable())
}

// TestShownSince: a snapshot of another engine that comes after the swap shows a file of a leaf again that all others
// mask: the file stays.
func TestShownSince(t *testing.T) {
	w := newWorld(t, nil)
	w.append(push, 1, 2)
	w.remove(1)
	w.append(simple.Never{}, 3)
	var i fault.Injector
	i.After = func(_ context.Context, c fault.Call) {
		if c.Op == fault.Swap {
			w.rewriteRoot(func(rows []tree.Entry) {
				for n := range rows {
					rows[n].Manifest.Val.DV = nil
				}
			})
		}
	}
	if _, err := maintain.Expire(t.Context(), w.Open(2, &i), maintain.ExpireOptions{Policy: keep(1)}); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(w.Objects.Names(), file(1)) {
		t.Error("file 1 is gone and live")
	}
	w.checkReachable()
}

// others are what another writer may do at any moment.
var others = map[string]func(*world){
	"append":    func(w *world) { w.append(push, 50, 51) },
	"remove":    func(w *world) { w.remove(3) },
	"fold":      func(w *world) { w.fold() },
	"vector":    func(w *world) { w.deleteRows(20, 4) },
	"expire":    func(w *world) { w.expire(maintain.ExpireOptions{Policy: keep(1)}) },
	"orphans":   func(w *world) { w.orphans(maintain.OrphanOptions{Delete: true}) },
	"old files": func(w *world) { w.commit(commit.TxnOptions{}, func(x *commit.Txn) { x.Restore(oldest(w)) }) },
	"tag": func(w *world) {
		w.ref("t", metadata.Tag, oldest(w))
	},
	"branch": func(w *world) {
		w.ref("b", metadata.Branch, oldest(w))
		w.appendTo("b", simple.Never{}, 60)
	},
}

func oldest(w *world) int64 { return w.head().Metadata.Snapshots[0].ID }

// TestRace lets another writer do each of these things before each store call of a run. The run may lose, but the table
// keeps all that it reaches, and nothing is left behind.
func TestRace(t *testing.T) {
	for name, c := range runs {
		for what, other := range others {
			t.Run(name+"/"+what, func(t *testing.T) {
				base := c.start(t)
				run := func(at int) []fault.Call {
					w := &world{t, base.Clone(), nil}
					clock := testtable.Env(5)
					w.Objects.Now = func() time.Time { return time.UnixMilli(clock.NowMillis()) }
					var i fault.Injector
					calls := 0
					i.Before = func(context.Context, fault.Call) error {
						if calls++; calls == at {
							other(&world{t, w.Store, w.Open(3, nil)})
						}
						return nil
					}
					if err := c.run(t.Context(), w.Open(2, &i)); err != nil {
						t.Errorf("call %d: %v", at, err)
					}
					w.checkReachable()
					if err := w.Check(t.Context()); err != nil {
						t.Errorf("call %d: %v", at, err)
					}
					w.table = w.Open(4, nil)
					w.orphans(maintain.OrphanOptions{Delete: true, AgeMillis: millis(0), Force: true})
					same(t, "left over", w.checkReachable())
					return i.Calls()
				}
				var last fault.Call
				for n, call := range run(0) {
					if call.Op != last.Op || call.Name != last.Name { // the reads of one object are one moment
						run(n + 1)
					}
					last = call
				}
			})
		}
	}
}
