package commit_test

import (
	"context"
	"errors"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/store"
)

// TestShortLog: a table that keeps one older metadata file, and deletes the others, still tells a writer that it lost.
func TestShortLog(t *testing.T) {
	properties := map[string]string{
		"firn.policy": "never", "write.metadata.previous-versions-max": "1", "write.metadata.delete-after-commit.enabled": "true",
	}
	s := newStore(t, properties, testtable.Files(0, 2))
	x := begin(t, s.Open(2, nil), commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(50)) })
	for n := range 4 {
		mustCommit(t, s.Open(int64(3+n), nil), func(x *commit.Txn) { x.Append(testtable.File(10 + n)) })
	}
	r, err := x.Commit(t.Context())
	if err != nil || r.Attempts != 2 {
		t.Fatalf("%d attempts, %v", r.Attempts, err)
	}
	if files := names(s, "metadata.json"); len(files) != 2 {
		t.Errorf("metadata files %q", files)
	}
	checkLive(t, s, 0, 1, 10, 11, 12, 13, 50)
}

// instead answers the first swap with an error and does not send it.
type instead struct {
	store.Catalog
	answer func() error
}

func (c *instead) Swap(ctx context.Context, id store.TableID, old, new string) error {
	if answer := c.answer; answer != nil {
		c.answer = nil
		return answer()
	}
	return c.Catalog.Swap(ctx, id, old, new)
}

// TestNothingShowsTheBase: others trimmed the base from the log and expired it with the snapshot after it, so that nothing in
// the table shows that it moved past the base. A transaction none of whose swaps can have landed goes on (F32); one that lost
// a swap by a conflict cannot know whether an earlier copy of it landed.
func TestNothingShowsTheBase(t *testing.T) {
	properties := map[string]string{
		choose.PropertyPolicy: "cap", choose.PropertyRows: "4",
		"write.metadata.previous-versions-max": "1", "write.metadata.delete-after-commit.enabled": "true",
	}
	for _, c := range []struct {
		name string
		// answer of the first swap; without one the others are faster than the transaction's first attempt.
		answer  error
		unknown bool
	}{
		{"no swap was sent", nil, false},
		{"the swap was throttled", store.ErrThrottled, false},
		{"the swap met another location", store.ErrConflict, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t, properties, testtable.Files(0, 4), testtable.Files(4, 8))
			catalog := &instead{Catalog: s.Catalog}
			table := commit.Open(testtable.ID, catalog, s.Objects, commit.Options{Env: testtable.Env(2)})
			x := begin(t, table, commit.TxnOptions{}, func(x *commit.Txn) { x.Remove(testtable.Target(1)) })
			if c.answer != nil {
				catalog.answer = func() error {
					overtake(t, s)
					return c.answer
				}
			} else {
				overtake(t, s)
			}
			_, err := x.Commit(t.Context())
			if c.unknown {
				if !errors.Is(err, commit.ErrUnknown) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			checkLive(t, s, 0, 2, 3, 4, 5, 6, 7, 10, 11, 12)
		})
	}
}

// overtake commits several times, rewrites all leaves, and keeps the last snapshot alone.
func overtake(t *testing.T, s testtable.Store) {
	t.Helper()
	for n := range 3 {
		mustCommit(t, s.Open(int64(3+n), nil), func(x *commit.Txn) { x.Append(testtable.File(10 + n)) })
	}
	merge := begin(t, s.Open(7, nil), commit.TxnOptions{Policy: testtable.MergeAll{}, Mode: policy.Maintenance}, func(*commit.Txn) {})
	if _, err := merge.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	expiry := metadata.ExpiryPolicy{KeepLast: 1}
	expiry.OlderThanMillis.Val, expiry.OlderThanMillis.Valid = 1<<50, true
	if _, err := maintain.Expire(t.Context(), s.Open(8, nil), maintain.ExpireOptions{Policy: expiry}); err != nil {
		t.Fatal(err)
	}
}
