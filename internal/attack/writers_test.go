package attack_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/store"
)

// TestSnapshotIDTwice: two writers draw one snapshot id. The one that loses must not take the other's for its own.
func TestSnapshotIDTwice(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 1))
	env := testtable.Env(8)
	env.NewSnapshotID = testtable.Env(7).NewSnapshotID
	x := begin(t, open(s, s.Catalog, env), commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(20)) })
	mustCommit(t, s.Open(7, nil), func(x *commit.Txn) { x.Append(testtable.File(10)) })
	_, err := x.Commit(t.Context())
	wantError(t, err, commit.ErrUnknown, "snapshot 7001")
	wantLive(t, s, name(0), name(10))
}

// TestNamesTwice: two writers draw the same names. The loser must not remove the winner's objects.
func TestNamesTwice(t *testing.T) {
	for _, properties := range []map[string]string{nil, leafOf(3)} {
		s := newStore(t, properties, testtable.Files(0, 1))
		x := begin(t, s.Open(7, nil), commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(20)) })
		mustCommit(t, s.Open(7, nil), func(x *commit.Txn) { x.Append(testtable.File(10)) })
		_, err := x.Commit(t.Context())
		wantError(t, err, store.ErrExists, "exists")
		wantLive(t, s, name(0), name(10))
	}
}

// TestIDsRunOut: a source of snapshot ids that gives only one that is taken, or none that is positive, ends.
func TestIDsRunOut(t *testing.T) {
	for _, id := range []int64{1001, 0, math.MinInt64} {
		s := newStore(t, nil, testtable.Files(0, 1))
		env := testtable.Env(5)
		env.NewSnapshotID = func() int64 { return id }
		_, err := begin(t, open(s, s.Catalog, env), commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(1)) }).Commit(t.Context())
		wantError(t, err, nil, "no new snapshot id")
		wantLive(t, s, name(0))
	}
}

// TestRefusedButLanded: a layer sent the swap twice, and the second copy was refused.
func TestRefusedButLanded(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 1))
	catalog := liar{Catalog: s.Catalog, swap: func(ctx context.Context, id store.TableID, old, new string) error {
		return errors.Join(store.ErrRefused, s.Catalog.Swap(ctx, id, old, new))
	}}
	_, err := begin(t, open(s, catalog, testtable.Env(5)), commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(1)) }).Commit(t.Context())
	if err != nil {
		t.Error(err)
	}
	wantLive(t, s, name(0), name(1))
}

// TestCatalogLies: a catalog that breaks its contract may lie about one commit, but the table stays what it was.
func TestCatalogLies(t *testing.T) {
	base := newStore(t, nil, testtable.Files(0, 1))
	stale, err := base.Catalog.Load(t.Context(), testtable.ID)
	if err != nil {
		t.Fatal(err)
	}
	mustCommit(t, base.Open(3, nil), func(x *commit.Txn) { x.Append(testtable.File(1)) })
	answer := func(name string) func(context.Context, store.TableID) (string, error) {
		return func(context.Context, store.TableID) (string, error) { return name, nil }
	}
	for what, c := range map[string]struct {
		catalog liar
		kind    error
		part    string
	}{
		"an old entry for ever": {liar{load: answer(stale)}, commit.ErrUnknown, "unknown"},
		"an empty entry":        {liar{load: answer("")}, store.ErrNotFound, ""},
		"a manifest":            {liar{load: answer(head(t, base).Tree.Root)}, nil, "metadata"},
		"done, but it is not": {liar{swap: func(context.Context, store.TableID, string, string) error {
			return nil
		}}, nil, ""},
	} {
		s := base.Clone()
		c.catalog.Catalog = s.Catalog
		x, err := open(s, c.catalog, testtable.Env(5)).Begin(t.Context(), commit.TxnOptions{})
		if err == nil {
			x.Append(testtable.File(7))
			_, err = x.Commit(t.Context())
		}
		if c.kind != nil || c.part != "" {
			wantError(t, err, c.kind, c.part)
		}
		if got := live(t, s); !slices.Equal(got, []string{name(0), name(1)}) {
			t.Errorf("%s: live files %q", what, got)
		}
		wantLive(t, s, name(0), name(1))
	}
}

// TestClocks: no clock makes a snapshot that is not later than its parent.
func TestClocks(t *testing.T) {
	for _, now := range []int64{0, -5, math.MinInt64, math.MaxInt64} {
		s := newStore(t, nil, testtable.Files(0, 1))
		env := testtable.Env(5)
		env.NowMillis = func() int64 { return now }
		for n := 1; n < 3; n++ {
			x := begin(t, open(s, s.Catalog, env), commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(n)) })
			if _, err := x.Commit(t.Context()); err != nil && now != math.MaxInt64 {
				t.Errorf("clock %d: %v", now, err)
			}
		}
		if ids := findings(t, s); len(ids) > 0 {
			t.Errorf("clock %d: %v", now, ids)
		}
	}
}

// TestWaits: no property makes a writer wait a negative time.
func TestWaits(t *testing.T) {
	for _, least := range []int64{0, 1, 1 << 31, 1 << 62, math.MaxInt64} {
		s := newStore(t, map[string]string{"commit.retry.min-wait-ms": fmt.Sprint(least), "commit.retry.num-retries": "70"})
		env := testtable.Env(5)
		last := int64(0)
		env.Sleep = func(_ context.Context, millis int64) error {
			if millis < last {
				t.Errorf("least %d: waits %d after %d", least, millis, last)
			}
			last = millis
			return nil
		}
		fail := func(context.Context, store.TableID, string, string) error { return store.ErrConflict }
		_, err := begin(t, open(s, liar{Catalog: s.Catalog, swap: fail}, env), commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(1)) }).Commit(t.Context())
		wantError(t, err, commit.ErrUnknown, "71 attempts")
	}
}

// change is what the tests below commit while they are disturbed: it reads, masks and writes leaves.
func change(ctx context.Context, h *hooked) error {
	table := commit.Open(testtable.ID, h, h, commit.Options{Env: testtable.Env(5)})
	x, err := table.Begin(ctx, commit.TxnOptions{CheckDuplicates: true})
	if err != nil {
		return err
	}
	x.Append(testtable.File(20))
	x.Remove(testtable.Target(1))
	_, err = x.Commit(ctx)
	return err
}

// everyCall runs a disturbed change once for each call that it makes, the hook before and after the call.
func everyCall(t *testing.T, run func(t *testing.T, s testtable.Store, h *hooked)) {
	t.Helper()
	base := newStore(t, leafOf(2), testtable.Files(0, 4))
	for _, after := range []bool{false, true} {
		for at := 1; ; at++ {
			s := base.Clone()
			h := &hooked{Objects: s.Objects, Catalog: s.Catalog, at: at, after: after}
			run(t, s, h)
			if h.n < at {
				break
			}
		}
	}
}

// TestCancelAtEveryCall: the caller's context ends at each call in turn.
func TestCancelAtEveryCall(t *testing.T) {
	everyCall(t, func(t *testing.T, s testtable.Store, h *hooked) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h.hook = cancel
		before := s.Objects.Names()
		switch err := change(ctx, h); {
		case err == nil:
			wantLive(t, s, name(0), name(2), name(3), name(20))
		case errors.Is(err, commit.ErrUnknown):
			t.Errorf("call %d: unknown: %v", h.at, err)
		default:
			wantLive(t, s, name(0), name(1), name(2), name(3))
			if !slices.Equal(before, s.Objects.Names()) {
				t.Errorf("call %d: objects are left", h.at)
			}
		}
	})
}

// TestWinnerAtEveryCall: another writer commits at each call in turn.
func TestWinnerAtEveryCall(t *testing.T) {
	for _, winner := range []struct {
		change func(*commit.Txn)
		live   []string
		kind   error
	}{
		{func(x *commit.Txn) { x.Append(testtable.File(30)) }, []string{name(0), name(2), name(3), name(20), name(30)}, nil},
		{func(x *commit.Txn) { x.Remove(testtable.Target(0)) }, []string{name(2), name(3), name(20)}, nil},
		{func(x *commit.Txn) { x.Remove(testtable.Target(1)) }, []string{name(0), name(2), name(3)}, commit.ErrConflict},
		{func(x *commit.Txn) { x.Append(testtable.File(20)) }, []string{name(0), name(1), name(2), name(3), name(20)}, commit.ErrConflict},
	} {
		everyCall(t, func(t *testing.T, s testtable.Store, h *hooked) {
			raced := false
			h.hook = func() {
				raced = true
				x, err := s.Open(70, nil).Begin(t.Context(), commit.TxnOptions{CheckDuplicates: true})
				if err != nil {
					t.Fatal(err)
				}
				winner.change(x)
				_, _ = x.Commit(t.Context()) // it may come too late
			}
			err := change(t.Context(), h)
			got := live(t, s)
			if err == nil && winner.kind == nil && raced && !slices.Equal(got, winner.live) {
				t.Errorf("call %d: live files %q, want %q", h.at, got, winner.live)
			}
			if err != nil && (winner.kind == nil || !slices.Equal(got, winner.live)) {
				t.Errorf("call %d: %v, live files %q", h.at, err, got)
			}
			if ids := findings(t, s); len(ids) > 0 {
				t.Errorf("call %d: %v", h.at, ids)
			}
		})
	}
}
