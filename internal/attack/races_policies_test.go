package attack_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/tree"
)

// TestPoliciesOnRetries: a policy that plans well at first, and badly when another writer was faster, spoils nothing.
func TestPoliciesOnRetries(t *testing.T) {
	merge := func(written int, members ...policy.Ref) []policy.Step {
		return []policy.Step{{Kind: policy.Merge, Members: members, Written: written}}
	}
	fold := func(leaf policy.Ref) policy.Step {
		return policy.Step{Kind: policy.Fold, Members: []policy.Ref{leaf}, Written: -1}
	}
	leaf, other, fresh := ref(policy.FromPointers, 0), ref(policy.FromPointers, 1), ref(policy.FromNew, 0)
	for _, c := range []struct {
		name, part string
		then       []policy.Step
	}{
		{"writes the same leaf again", "could be kept", merge(-1, leaf, fresh)},
		{"forgets the leaf", "could be kept", nil},
		{"keeps it in another order", "other members", merge(0, fresh, leaf)},
		{"keeps it for another leaf", "other members", merge(0, other, fresh)},
		{"keeps it twice", "places an item", append(merge(0, leaf, fresh), merge(0, leaf, fresh)...)},
		{"keeps it and folds the old one too", "places an item", append(merge(0, leaf, fresh), fold(leaf))},
		{"folds a leaf that is not there", "no item 9", append(merge(0, leaf, fresh), fold(ref(policy.FromPointers, 9)))},
		{"keeps a leaf that nobody wrote", "nobody wrote", merge(1, leaf, fresh)},
	} {
		s := newStore(t, leafOf(2), testtable.Files(0, 4))
		calls := 0
		p := planner(func(policy.Input) (policy.Plan, error) {
			if calls++; calls == 1 {
				return policy.Plan{Steps: merge(-1, leaf, fresh)}, nil
			}
			return policy.Plan{Steps: c.then}, nil
		})
		x := begin(t, s.Open(5, nil), commit.TxnOptions{Policy: p}, func(x *commit.Txn) { x.Append(testtable.File(7)) })
		mustCommit(t, s.Open(6, nil), func(x *commit.Txn) { x.Remove(testtable.Target(1)) })
		before := s.Objects.Names()
		_, err := x.Commit(t.Context())
		wantError(t, err, commit.ErrRefused, c.part)
		if !slices.Equal(before, s.Objects.Names()) {
			t.Errorf("%s: objects are left", c.name)
		}
		wantLive(t, s, name(0), name(2), name(3))
	}
}

// TestPanicsOnRetries: a store that panics before the swap of a retry leaves the table as the winner left it.
func TestPanicsOnRetries(t *testing.T) {
	for at := 6; ; at++ { // the calls before are those of the first attempt
		s := newStore(t, leafOf(2), testtable.Files(0, 4))
		h := &hooked{Objects: s.Objects, Catalog: s.Catalog, at: at, hook: func() { panic("boom") }}
		x := begin(t, commit.Open(testtable.ID, h, h, commit.Options{Env: testtable.Env(5)}), commit.TxnOptions{CheckDuplicates: true},
			func(x *commit.Txn) { x.Append(testtable.File(7)); x.Remove(testtable.Target(0)) })
		mustCommit(t, s.Open(6, nil), func(x *commit.Txn) { x.Remove(testtable.Target(1)) })
		err := errors.New("panicked")
		func() {
			defer func() { _ = recover() }()
			_, err = x.Commit(t.Context())
		}()
		if err == nil {
			wantLive(t, s, name(2), name(3), name(7))
		} else {
			wantLive(t, s, name(0), name(2), name(3))
		}
		if h.n < at {
			break
		}
	}
}

// TestSnapshotIDOfAnExpiredOne: a writer that draws the id by which a file says that it was modified would modify it
// without a trace, so that others take it for unchanged.
func TestSnapshotIDOfAnExpiredOne(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 2))
	extend := func(names, position int64) error {
		env := testtable.Env(names)
		env.NewSnapshotID = func() int64 { return 7 }
		rows, err := dv.Of(uint64(position))
		if err != nil {
			t.Fatal(err)
		}
		_, err = begin(t, open(s, s.Catalog, env), commit.TxnOptions{}, func(x *commit.Txn) {
			x.ExtendDV(testtable.Target(0), rows, commit.DVOptions{})
		}).Commit(t.Context())
		return err
	}
	if err := extend(30, 1); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, s.Open(20, nil), func(x *commit.Txn) { x.Append(testtable.File(5)) })
	if _, err := s.Open(21, nil).Update(t.Context(), func(m metadata.Table) (metadata.Table, error) {
		e, err := m.Expired(metadata.ExpiryPolicy{KeepLast: 1, OlderThanMillis: some(int64(1) << 60)}, 1<<60)
		if err != nil {
			return m, err
		}
		return m.Expire(e)
	}); err != nil {
		t.Fatal(err)
	}
	wantError(t, extend(31, 2), commit.ErrSelfCheck, "R-MODIFIED")
	wantLive(t, s, name(0), name(1), name(5))
}

// TestWideFiles: files with rows beyond every other limit keep their vectors through a lost race.
func TestWideFiles(t *testing.T) {
	const wide = int64(1) << 40
	f := testtable.File(0)
	f.RecordCount, f.Stats = wide, nil
	s := newStore(t, leafOf(2), []tree.File{f, testtable.File(1)})
	rows := func(positions ...uint64) dv.Vector {
		v, err := dv.Of(positions...)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	merge := commit.DVOptions{MergeRaced: true}
	wantError(t, try(t, s, commit.TxnOptions{}, func(x *commit.Txn) {
		x.ExtendDV(testtable.Target(0), rows(uint64(wide)), merge)
	}), commit.ErrRefused, "")
	wantError(t, try(t, s, commit.TxnOptions{}, func(x *commit.Txn) {
		x.ExtendDV(testtable.Target(0), dv.Vector{}, merge)
	}), commit.ErrRefused, "no rows")
	x := begin(t, s.Open(5, nil), commit.TxnOptions{}, func(x *commit.Txn) {
		x.ExtendDV(testtable.Target(0), rows(uint64(wide)-1), merge)
	})
	mustCommit(t, s.Open(6, nil), func(x *commit.Txn) { x.ExtendDV(testtable.Target(0), rows(0, 1<<33), merge) })
	if _, err := x.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, l := range located(t, s) {
		if l.Location == f.Location && l.Entry.DeletionVector.Val.Cardinality != 3 {
			t.Errorf("%d rows are deleted, want 3", l.Entry.DeletionVector.Val.Cardinality)
		}
	}
	wantLive(t, s, name(0), name(1))
}
