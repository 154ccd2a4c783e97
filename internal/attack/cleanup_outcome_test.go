package attack_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/store/mem"
)

// lost commits the removal of file 1 in such a way that nobody learns what came of it, and returns its token.
func (y *yard) lost(t *testing.T, swap fault.Outcome) (commit.Token, *fault.Injector) {
	t.Helper()
	i := &fault.Injector{}
	if err := i.Arm(fault.Fault{Op: fault.Swap, Outcome: swap}, fault.Fault{Op: fault.Load, Nth: 2, Outcome: fault.Fail}); err != nil {
		t.Fatal(err)
	}
	x := begin(t, y.Open(5, i), commit.TxnOptions{}, func(x *commit.Txn) { x.Remove(testtable.Target(1)) })
	_, err := x.Commit(t.Context())
	var unknown *commit.UnknownError
	if !errors.As(err, &unknown) {
		t.Fatal(err)
	}
	return unknown.Token, i
}

// renamable is a catalog that can forget entries.
type renamable struct {
	store.Catalog
	gone map[store.TableID]bool
}

func (r renamable) Load(ctx context.Context, id store.TableID) (string, error) {
	if r.gone[id] {
		return "", store.NameError("load", id.String(), store.ErrNotFound)
	}
	return r.Catalog.Load(ctx, id)
}

// laterOn are things that happen to a table before somebody asks what became of a commit. Each says what may be answered
// if the commit landed, and if it did not; otherwise the answer is committed or not committed.
var laterOn = map[string]struct {
	do              func(t *testing.T, y *yard, base string)
	landed, dropped []commit.Outcome
}{
	"nothing": {func(*testing.T, *yard, string) {}, nil, []commit.Outcome{commit.Unknown}},
	"others commit": {func(_ *testing.T, y *yard, _ string) {
		y.add(false, 20)
		y.add(true, 21)
	}, nil, nil},
	"it expires": {func(_ *testing.T, y *yard, _ string) {
		y.add(false, 20)
		y.add(false, 21)
		y.expire(maintain.ExpireOptions{Policy: newest(1)})
		y.orphans(everything)
	}, nil, nil},
	"a rollback of main": {func(t *testing.T, y *yard, _ string) {
		y.add(false, 20)
		y.update(func(m metadata.Table) (metadata.Table, error) {
			return m.MoveRef(metadata.MainBranch, m.Snapshots[0].ID)
		})
		y.expire(maintain.ExpireOptions{Policy: newest(1)})
		y.orphans(everything)
	}, nil, nil},
	"an entry put back": {func(t *testing.T, y *yard, base string) {
		y.add(false, 20)
		now, err := y.Catalog.Load(t.Context(), testtable.ID)
		if err == nil {
			err = y.Catalog.Swap(t.Context(), testtable.ID, now, base)
		}
		if err != nil {
			t.Fatal(err)
		}
	}, []commit.Outcome{commit.Unknown}, []commit.Outcome{commit.Unknown}},
	"a short log": {func(_ *testing.T, y *yard, _ string) {
		y.update(func(m metadata.Table) (metadata.Table, error) {
			return m.WithProperties(map[string]string{
				metadata.PropertyPreviousVersionsMax: "1", metadata.PropertyDeleteAfterCommit: "true",
			}), nil
		})
		y.add(false, 20)
		y.add(false, 21)
		y.expire(maintain.ExpireOptions{Policy: newest(1)})
	}, []commit.Outcome{commit.Unknown}, []commit.Outcome{commit.Unknown}},
	"another table": {func(t *testing.T, y *yard, _ string) {
		m := head(t, y.Store).Metadata
		m.UUID = uuid.NewString()
		m.MetadataLog = nil
		data, err := m.Marshal()
		name := testtable.Location + "/metadata/00000-other.metadata.json"
		old, loadErr := y.Catalog.Load(t.Context(), testtable.ID)
		if err = errors.Join(err, loadErr, y.Objects.Put(t.Context(), name, data), y.Catalog.Swap(t.Context(), testtable.ID, old, name)); err != nil {
			t.Fatal(err)
		}
	}, []commit.Outcome{commit.Unknown}, []commit.Outcome{commit.Unknown}},
}

// TestOutcomeLater asks what became of a commit after all sorts of things have happened to its table.
func TestOutcomeLater(t *testing.T) {
	for name, c := range laterOn {
		for _, swap := range []fault.Outcome{fault.LandUnknown, fault.LandConflict, fault.LandPanic, fault.Unknown, fault.Late, fault.Panic, fault.Conflict} {
			t.Run(fmt.Sprintf("%s/%s", name, swap), func(t *testing.T) {
				y := newYard(t, nil)
				y.add(true, 1, 2, 3)
				base := head(t, y.Store).MetadataLocation
				token, i := y.lost(t, swap)
				landed := head(t, y.Store).MetadataLocation != base
				c.do(t, &yard{t, y.Store, y.Open(7, nil)}, base)
				i.Release()
				want, allowed := commit.NotCommitted, c.dropped
				if name == "nothing" || name == "an entry put back" {
					landed = landed || swap == fault.Late
				}
				if landed {
					want, allowed = commit.Committed, c.landed
				}
				if landed && swap == fault.Late {
					allowed = nil // it lands at the end
				}
				if allowed == nil {
					allowed = []commit.Outcome{want}
				}
				got, err := y.Open(8, nil).Outcome(t.Context(), token)
				if err != nil || !slices.Contains(allowed, got) {
					t.Errorf("landed %t: %s, %v, want %v", landed, got, err, allowed)
				}
			})
		}
	}
}

// TestOutcomeOfRenamed: the entry of a table goes while a commit is under way. Nothing is deleted.
func TestOutcomeOfRenamed(t *testing.T) {
	for _, lands := range []bool{false, true} {
		y := newYard(t, nil)
		y.add(true, 1, 2)
		r := renamable{y.Catalog, map[store.TableID]bool{}}
		catalog := liar{Catalog: r, swap: func(ctx context.Context, id store.TableID, old, new string) error {
			r.gone[id] = true
			if !lands {
				return store.NameError("swap", id.String(), store.ErrNotFound)
			}
			return errors.Join(store.ErrConflict, y.Catalog.Swap(ctx, id, old, new))
		}}
		before := len(y.Objects.Names())
		_, err := begin(t, open(y.Store, catalog, testtable.Env(5)), commit.TxnOptions{}, func(x *commit.Txn) { x.Remove(testtable.Target(1)) }).Commit(t.Context())
		wantError(t, err, commit.ErrUnknown, "table-dropped")
		if len(y.Objects.Names()) != before+2 {
			t.Errorf("objects %d, then %d", before, len(y.Objects.Names()))
		}
		y.check()
	}
}

// TestCreateRaces makes one table twice at a time, with every answer that a catalog may give to the first.
func TestCreateRaces(t *testing.T) {
	ctx := t.Context()
	for _, outcome := range append(fault.Possible(fault.Swap), "") {
		if strings.Contains(string(outcome), "panic") || outcome == fault.Missing || strings.Contains(string(outcome), "crash") {
			continue
		}
		for _, when := range []string{"never", "before", "after"} {
			objects, catalog := &mem.Objects{}, &mem.Catalog{}
			create := func(seed int64, i *fault.Injector) (string, error) {
				m := head(t, newYard(t, nil).Store).Metadata
				m.UUID = uuid.NewSHA1(uuid.Nil, []byte{byte(seed)}).String()
				_, err := commit.Create(ctx, testtable.ID, i.Catalog(catalog), i.Objects(objects), m, commit.Options{Env: testtable.Env(seed)})
				return m.UUID, err
			}
			second := error(nil)
			i := &fault.Injector{}
			if outcome != "" {
				if err := i.Arm(fault.Fault{Op: fault.Swap, Outcome: outcome}); err != nil {
					t.Fatal(err)
				}
			}
			race := func(now string) func(context.Context, fault.Call) {
				return func(_ context.Context, c fault.Call) {
					if c.Op == fault.Swap && when == now {
						_, second = create(2, &fault.Injector{})
					}
				}
			}
			i.Before = func(ctx context.Context, c fault.Call) error { race("before")(ctx, c); return nil }
			i.After = race("after")
			id, err := create(1, i)
			i.Release()
			m, loadErr := commit.Open(testtable.ID, catalog, objects, commit.Options{}).Head(ctx)
			if loadErr != nil && !errors.Is(loadErr, store.ErrNotFound) || loadErr != nil && strings.Contains(loadErr.Error(), "metadata") {
				t.Errorf("%s, %s: the table is lost: %v", outcome, when, loadErr)
				continue
			}
			made := loadErr == nil && m.Metadata.UUID == id
			switch {
			case err == nil && !made, err != nil && made && !errors.Is(err, commit.ErrUnknown), second == nil && made && when != "never":
				t.Errorf("%s, %s: made %t, told %v, the other %v", outcome, when, made, err, second)
			}
		}
	}
}

// TestNeighbors: tables whose locations begin like another's. A search in one of them takes nothing of the others, or is
// refused.
func TestNeighbors(t *testing.T) {
	places := []string{"mem://wh/t", "mem://wh/t2", "mem://wh/t/", "mem://wh/t/nested", "mem://wh/t%2F", "mem://wh", "mem://wh/t/data"}
	s := testtable.Store{Objects: &mem.Objects{}, Catalog: &mem.Catalog{}}
	var tables []testtable.On
	for n, location := range places {
		on := testtable.On{Objects: s.Objects, Catalog: s.Catalog, ID: store.TableID{Namespace: "db", Name: fmt.Sprint(n)}, Location: location}
		if err := on.Make(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		f := testtable.File(n)
		f.Location = location + "/data/f.parquet"
		if err := s.Objects.Put(t.Context(), f.Location, nil); err != nil {
			t.Fatal(err)
		}
		mustCommit(t, on.Open(int64(n), nil), func(x *commit.Txn) { x.Append(f) })
		tables = append(tables, on)
	}
	for n, on := range tables {
		_, err := maintain.Orphans(t.Context(), on.Open(int64(50+n), nil), everything)
		refused := slices.ContainsFunc(places, func(other string) bool { return other != on.Location && strings.HasPrefix(other, on.Location+"/") }) ||
			on.Location == "mem://wh/t"
		if refused != errors.Is(err, maintain.ErrOtherTable) {
			t.Errorf("%s: %v", on.Location, err)
		}
		mustCommit(t, on.Open(int64(60+n), nil), func(x *commit.Txn) { x.Remove(commit.Target{Location: on.Location + "/data/f.parquet"}) })
		if n%2 == 0 {
			mustCommit(t, on.Open(int64(70+n), nil), func(x *commit.Txn) {})
			if _, err := maintain.Expire(t.Context(), on.Open(int64(80+n), nil), maintain.ExpireOptions{Policy: newest(1)}); err != nil {
				t.Error(err)
			}
		}
		for m, other := range tables {
			if _, err := show(t.Context(), other.Open(int64(90+m), nil)); err != nil {
				t.Errorf("after %s: %s: %v", on.Location, other.Location, err)
			}
		}
	}
}

// TestOutsideFolder: files by absolute names, with dots, and in other schemes and places. An expiry of what removed them
// deletes none that lies outside of the table's folder, and tells of each.
func TestOutsideFolder(t *testing.T) {
	outside := []string{"mem://wh/t/../u/a.parquet", "mem://wh/u/a.parquet", "mem://wh/tt/a.parquet", "mem://wh2/t/b.parquet", "MEM://wh/t/c.parquet", "mem:/wh/t/d.parquet"}
	y := newYard(t, nil)
	var targets []commit.Target
	for n, name := range outside {
		f := testtable.File(n)
		f.Location = name
		y.addFiles(n%2 == 0, f)
		targets = append(targets, commit.Target{Location: name})
	}
	y.commit(commit.TxnOptions{Policy: simple.Never{}}, func(x *commit.Txn) { x.Remove(targets...) })
	y.add(false, 9)
	r := y.expire(maintain.ExpireOptions{Policy: newest(1)})
	var told []string
	for _, o := range r.Outside {
		told = append(told, o.Location)
	}
	for _, name := range outside[1:] {
		if !y.there(name) || !slices.Contains(told, name) {
			t.Errorf("%s: there %t, told %q", name, y.there(name), told)
		}
	}
	y.check()
}

// TestCleanUpClocks: the clocks of store and cleaner differ by less than the age, and objects are of the future. What a
// commit under way has written stays at each of its calls.
func TestCleanUpClocks(t *testing.T) {
	const hour = int64(3_600_000)
	base := pastTable(t, nil)
	for _, skew := range []int64{-71 * hour, 71 * hour, -1000 * hour} {
		run := func(at int) (calls int) {
			y := base.clone()
			y.staged()
			env := testtable.Env(6)
			now := env.NowMillis
			env.NowMillis = func() int64 { return now() + skew }
			var i fault.Injector
			i.Before = func(context.Context, fault.Call) error {
				if calls++; calls == at {
					if _, err := maintain.Orphans(t.Context(), open(y.Store, y.Catalog, env), maintain.OrphanOptions{Delete: true}); err != nil {
						t.Error(err)
					}
				}
				return nil
			}
			mustCommit(t, y.Open(3, &i), underWay["append"].change)
			y.check()
			return calls
		}
		for at, calls := 1, run(0); at <= calls; at++ {
			run(at)
		}
	}
	y := pastTable(t, nil)
	y.Objects.Now = func() time.Time { return time.UnixMilli(math.MaxInt64) }
	y.put(testtable.Location + "/data/of the future.parquet")
	for _, age := range []int64{1, math.MaxInt64} {
		if r := y.orphans(maintain.OrphanOptions{Delete: true, AgeMillis: some(age)}); slices.ContainsFunc(r.Deleted, func(o maintain.Object) bool {
			return strings.Contains(o.Location, "future")
		}) {
			t.Errorf("age %d: %v", age, r.Deleted)
		}
	}
}

// TestDeletesThatLie: the store says of deletes that they failed and did them, or did them not, or panics; and does some
// late. A clean-up that is run again ends clean, and nobody is told of a deletion that did not happen.
func TestDeletesThatLie(t *testing.T) {
	base := pastTable(t, nil)
	for _, outcome := range []fault.Outcome{fault.LandUnknown, fault.LandFail, fault.Unknown, fault.Fail, fault.Panic, fault.LandPanic, fault.Late} {
		for nth := range 8 {
			y := base.clone()
			var i fault.Injector
			if err := i.Arm(fault.Fault{Op: fault.Delete, Nth: nth, Outcome: outcome}); err != nil {
				t.Fatal(err)
			}
			r, err := maintain.Expire(t.Context(), y.Open(2, &i), maintain.ExpireOptions{Policy: refsToo})
			if err != nil || len(r.Failed) == 0 {
				t.Errorf("%s of delete %d: %+v, %v", outcome, nth, r.Sweep, err)
			}
			for _, o := range r.Deleted {
				if y.there(o.Location) {
					t.Errorf("%s of delete %d: %s is there", outcome, nth, o.Location)
				}
			}
			y.check()
			y.as(3, nil).expire(maintain.ExpireOptions{Policy: refsToo, Resume: true})
			i.Release()
			if rest := y.check(); len(rest) > 0 {
				t.Errorf("%s of delete %d leaves %q", outcome, nth, rest)
			}
		}
	}
}
