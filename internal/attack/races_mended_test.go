package attack_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/internal/world"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
)

// TestMendedScripts: each script showed a fault that was mended; want is what is to be printed, never is what was.
func TestMendedScripts(t *testing.T) {
	for _, c := range []struct{ name, script, want, never string }{
		{"rewrite as of a snapshot that was rolled back: row 3 of f1 is live in snapshot 1 and lost in snapshot 3", `
table policy=never
add f1 rows=10
commit
extend f1 rows=3
commit
rollback 1
compact f1 into f2 asof=2 rows=9
commit`, "error", "snapshot 3"},
		{"rewrite as of a branch's snapshot that is newer than main's deletes: row 3 of f1 is deleted and comes back", `
table policy=never
add f1 rows=10
commit
branch create b at=1
extend f1 rows=3
commit
begin branch=b
add g1 rows=10
commit
compact f1 into f2 asof=3 rows=10
commit`, "error", "snapshot 4"},
		{"restore where a location was used again, in the root", `
table policy=never
add f1 rows=10
commit
remove f1
commit
add f1 rows=10
commit
restore 1
commit`, "snapshot 4", "self-check"},
		{"restore where a location was used again, in a leaf: committed, and an error of the history", `
table cap=1
add f1 rows=10
commit
remove f1
commit
add f1 f2 rows=10
commit
restore 1
commit`, "snapshot 4", "X-ROW-ID-REUSED"},
		{"serializable: each removes one file because the other one is there", `
table policy=never
add f1 f2 rows=10
commit
depend "id >= 0" by=a
remove f1 by=a
depend "id >= 0" by=b
remove f2 by=b
commit by=b
commit by=a`, "filter-raced", "snapshot 3"},
		{"serializable: a sum of rows that a winner deletes", `
table policy=never
add f1 rows=10
commit
depend "id >= 0" by=a
add sum rows=1 by=a
extend f1 rows=1,2 by=b
commit by=b
commit by=a`, "filter-raced", "snapshot 3"},
		{"serializable on a branch that is pointed to another line, the base expired: the file old is not noticed", `
table policy=never
add f1 rows=10
commit
branch create c at=1
branch create b at=1
begin branch=c
add old rows=10 stats={1:{lower=long(1),upper=long(5),tight=true,values=10,nulls=0}}
commit
begin branch=b
add b1 rows=10
commit
begin branch=c
add c2 rows=10 stats={1:{lower=long(100),upper=long(500),tight=true,values=10,nulls=0}}
commit
begin branch=c
add c3 rows=10 stats={1:{lower=long(100),upper=long(500),tight=true,values=10,nulls=0}}
commit
begin branch=b by=a
depend "id < 50" by=a
add a1 rows=10 by=a
step a until=swap
branch drop b by=d
branch create b at=5 by=d
expire keep=1 by=d
step a`, "filter-raced", "snapshot 6"},
		{"a winner's snapshot that expires while it is read ends a change that nothing speaks against", `
table cap=2
add f1..f4 rows=10
commit
extend f1 rows=1 by=a
step a until=swap
add g1 by=b
commit by=b
step a until=load
merge L1 L2 by=b
commit by=b
step a until=get
add g2 by=b
commit by=b
expire keep=1 by=b
step a`, "snapshot 2", "not found"},
		{"a spec that is forgotten while another is added is the caller's conflict, not a fault of the engine", `
table policy=never partition="day(ts)"
spec add "bucket(4, id)"
add f1 rows=10 spec=1 partition={1000:date(5),1001:int(1)}
commit
add g1 rows=10 spec=0 partition={1000:date(5)} by=a
step a until=swap
spec add "name" by=b
spec drop name by=b
spec forget 0 by=b
step a`, "add-schema", "self-check"},
		{"a hint that is older than the snapshot whose deletes were applied is no race", `
table policy=never
add f1 rows=10
commit
extend f1 rows=3
commit
compact f1 into f2 asof=2 at=1 rows=9
commit`, "snapshot 3", "remove-dv-raced"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := world.New(world.Options{}).Run(c.script)
			if !strings.Contains(out, c.want) || strings.Contains(out, c.never) {
				t.Errorf("want %q and not %q in\n%s", c.want, c.never, out)
			}
		})
	}
}

// trimming are the properties of a table that keeps one older metadata file.
var trimming = map[string]string{"write.metadata.delete-after-commit.enabled": "true", "write.metadata.previous-versions-max": "1"}

// TestTrimmedWhileItIsRead: a metadata file that is trimmed between the look at the catalog and its reading is no table that
// was dropped.
func TestTrimmedWhileItIsRead(t *testing.T) {
	s := newStore(t, trimming, testtable.Files(0, 1))
	n := 0
	c := liar{Catalog: s.Catalog, load: func(ctx context.Context, id store.TableID) (string, error) {
		name, err := s.Catalog.Load(ctx, id)
		if n++; n == 2 {
			for i := range 2 {
				mustCommit(t, s.Open(int64(80+i), nil), func(x *commit.Txn) { x.Append(testtable.File(40 + i)) })
			}
		}
		return name, err
	}}
	x := begin(t, open(s, c, testtable.Env(5)), commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(20)) })
	mustCommit(t, s.Open(70, nil), func(x *commit.Txn) { x.Append(testtable.File(30)) })
	_, err := x.Commit(t.Context())
	var u *commit.UnknownError
	if errors.As(err, &u) && u.Rule == commit.RuleTableDropped {
		t.Errorf("the table is there: %v", err)
	}
	n = 1
	if _, err := open(s, liar{Catalog: s.Catalog, load: func(ctx context.Context, id store.TableID) (string, error) {
		name, err := s.Catalog.Load(ctx, id)
		if n++; n == 2 {
			for i := range 2 {
				mustCommit(t, s.Open(int64(90+i), nil), func(x *commit.Txn) { x.Append(testtable.File(50 + i)) })
			}
		}
		return name, err
	}}, testtable.Env(6)).Begin(t.Context(), commit.TxnOptions{}); errors.Is(err, store.ErrNotFound) {
		t.Errorf("the table is there: %v", err)
	}
}

// TestExpiredWhileItIsRead: a snapshot that expires between the look at the catalog and the reading of its root is no table
// that is broken; a root that is gone from the current state is, and is not looked for without end.
func TestExpiredWhileItIsRead(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 1))
	n := 0
	c := liar{Catalog: s.Catalog, load: func(ctx context.Context, id store.TableID) (string, error) {
		name, err := s.Catalog.Load(ctx, id)
		if n++; n == 1 {
			mustCommit(t, s.Open(80, nil), func(x *commit.Txn) { x.Append(testtable.File(40)) })
			if _, err := maintain.Expire(ctx, s.Open(81, nil), maintain.ExpireOptions{Policy: metadata.ExpiryPolicy{
				KeepLast: 1, OlderThanMillis: iceberg.Optional[int64]{Val: math.MaxInt64, Valid: true},
			}}); err != nil {
				t.Fatal(err)
			}
		}
		return name, err
	}}
	head, err := open(s, c, testtable.Env(5)).Head(t.Context())
	if err != nil {
		t.Fatalf("the table is there: %v", err)
	}
	if n != 2 {
		t.Errorf("%d looks at the catalog, want 2", n)
	}
	if err := s.Objects.Delete(t.Context(), head.Tree.Root); err != nil {
		t.Fatal(err)
	}
	n = 1
	if _, err := open(s, c, testtable.Env(6)).Head(t.Context()); !errors.Is(err, store.ErrNotFound) || n != 3 {
		t.Errorf("%d looks, and %v, want 2 more and that the root is not found", n-1, err)
	}
}

// TestNoBranchWhileOthersCommit: that a state has no such branch, or a tag of that name, is the answer after one look, however
// fast the table changes.
func TestNoBranchWhileOthersCommit(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 1))
	if _, err := s.Open(3, nil).Update(t.Context(), func(m metadata.Table) (metadata.Table, error) {
		return m.CreateRef(metadata.Ref{Name: "tag", Type: metadata.Tag, SnapshotID: m.CurrentSnapshotID.Val})
	}); err != nil {
		t.Fatal(err)
	}
	n := 0
	c := liar{Catalog: s.Catalog, load: func(ctx context.Context, id store.TableID) (string, error) {
		name, err := s.Catalog.Load(ctx, id)
		n++
		mustCommit(t, s.Open(int64(80+n), nil), func(x *commit.Txn) { x.Append(testtable.File(40 + n)) })
		return name, err
	}}
	for branch, want := range map[string]error{"none": store.ErrNotFound, "tag": commit.ErrRefused} {
		for begins, ask := range map[string]func(*commit.Table) error{
			"a look": func(table *commit.Table) error { _, err := table.HeadOf(t.Context(), branch); return err },
			"a transaction": func(table *commit.Table) error {
				_, err := table.Begin(t.Context(), commit.TxnOptions{Branch: branch})
				return err
			},
		} {
			before := n
			if err := ask(open(s, c, testtable.Env(5))); !errors.Is(err, want) || n != before+1 {
				t.Errorf("%s at the branch %q: %d looks, and %v; want 1, and %v", begins, branch, n-before, err, want)
			}
		}
	}
}

// TestPanicOfTheLook: a store that panics when the outcome of a swap is looked up takes the token with it.
func TestPanicOfTheLook(t *testing.T) {
	for at := 8; at <= 9; at++ { // the calls after the swap: load, and get of the metadata
		s := newStore(t, leafOf(2), testtable.Files(0, 3))
		h := &hooked{Objects: s.Objects, Catalog: s.Catalog, at: at, hook: func() { panic("boom") }}
		c := liar{Catalog: h, swap: func(ctx context.Context, id store.TableID, old, new string) error {
			return errors.Join(h.Swap(ctx, id, old, new), store.ErrUnknown)
		}}
		x := begin(t, commit.Open(testtable.ID, c, h, commit.Options{Env: testtable.Env(5)}), commit.TxnOptions{},
			func(x *commit.Txn) { x.Append(testtable.File(20)) })
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("call %d: panic %v escaped, live files %q", at, p, live(t, s))
				}
			}()
			_, err := x.Commit(t.Context())
			if err != nil {
				wantError(t, err, commit.ErrUnknown, "unknown")
			}
		}()
	}
}
