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
)

func (w *world) orphans(o maintain.OrphanOptions) maintain.OrphanReport {
	w.Helper()
	r, err := maintain.Orphans(w.Context(), w.table, o)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// stray are objects that no table reaches.
var stray = []string{
	testtable.Location + "/data/stray 1.parquet",
	testtable.Location + "/data/stray%201.parquet",
	testtable.Location + "/metadata/00009-x.metadata.json",
	testtable.Location + "/metadata/snap-1-stray.parquet",
}

// TestOrphans finds exactly what is not reached, tells of it first, and deletes it when that is asked for.
func TestOrphans(t *testing.T) {
	w := history(t)
	w.put(stray...)
	w.put(testtable.Location+"2/data/other.parquet", "mem://wh/elsewhere.parquet")
	before := w.Objects.Names()
	dry := w.orphans(maintain.OrphanOptions{})
	same(t, "a dry run", locations(dry.Remaining), stray...)
	if diff := cmp.Diff(before, w.Objects.Names()); diff != "" {
		t.Error("the dry run deleted", diff)
	}
	if dry.Listed != len(before)-2 || dry.Young != 0 {
		t.Errorf("listed %d of %d, young %d", dry.Listed, len(before)-2, dry.Young)
	}
	first := w.orphans(maintain.OrphanOptions{Delete: true, MaxDeletes: 3})
	second := w.orphans(maintain.OrphanOptions{Delete: true, MaxDeletes: 3})
	if len(first.Deleted) != 3 || len(first.Remaining) != 1 || len(second.Deleted) != 1 || len(second.Remaining) != 0 {
		t.Errorf("deleted %d and %d", len(first.Deleted), len(second.Deleted))
	}
	same(t, "deleted", append(locations(first.Deleted), locations(second.Deleted)...), stray...)
	if len(w.Objects.Names()) != len(before)-len(stray) {
		t.Error("more is gone than was reported")
	}
	if r := w.orphans(maintain.OrphanOptions{Prefixes: []string{"mem://wh/t2/"}}); len(r.Remaining) != 1 {
		t.Errorf("another prefix: %v", r.Remaining)
	}
	w.checkReachable()
}

// TestLoggedMetadata: metadata files that the log lists stay, those that it has lost do not.
func TestLoggedMetadata(t *testing.T) {
	w := newWorld(t, map[string]string{metadata.PropertyPreviousVersionsMax: "2"})
	for n := range 4 {
		w.append(simple.Never{}, n)
	}
	want := []string{w.head().MetadataLocation}
	for _, entry := range w.head().Metadata.MetadataLog {
		want = append(want, testtable.Location+"/"+entry.File)
	}
	w.orphans(maintain.OrphanOptions{Delete: true})
	same(t, "metadata files", slices.DeleteFunc(w.Objects.Names(), func(n string) bool { return !metadata.IsFileName(n) }), want...)
	if len(want) != 3 {
		t.Errorf("the log has %d files", len(want)-1)
	}
}

// TestAge: objects that are younger than the age stay, an age of 0 must be forced.
func TestAge(t *testing.T) {
	w := newWorld(t, nil)
	now := w.table.NowMillis()
	for i, hours := range []int64{0, 1, 71, 73} {
		w.Objects.Now = func() time.Time { return time.UnixMilli(now - hours*3_600_000) }
		w.put(stray[i])
	}
	for _, c := range []struct {
		options maintain.OrphanOptions
		want    []string
	}{
		{maintain.OrphanOptions{}, stray[3:]},
		{maintain.OrphanOptions{AgeMillis: millis(70 * 3_600_000)}, stray[2:]},
		{maintain.OrphanOptions{AgeMillis: millis(1)}, stray},
		{maintain.OrphanOptions{AgeMillis: millis(0), Force: true}, stray},
	} {
		r := w.orphans(c.options)
		same(t, "orphans", locations(r.Remaining), c.want...)
		if r.Young != len(stray)-len(c.want) {
			t.Errorf("%d are young", r.Young)
		}
	}
	for _, o := range []maintain.OrphanOptions{
		{AgeMillis: millis(0)}, {AgeMillis: millis(-1)}, {MaxDeletes: -1}, {Prefixes: []string{"mem://wh/t"}},
	} {
		if _, err := maintain.Orphans(t.Context(), w.table, o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// TestCommitUnderWay runs between any two store calls of a commit: what it has written is young and stays.
func TestCommitUnderWay(t *testing.T) {
	base := history(t)
	run := func(at int) (calls int) {
		w := &world{t, base.Clone(), nil}
		clock := testtable.Env(5)
		w.Objects.Now = func() time.Time { return time.UnixMilli(clock.NowMillis()) }
		var i fault.Injector
		i.Before = func(context.Context, fault.Call) error {
			if len(i.Calls()) == at {
				cleaner := &world{t, w.Store, w.Open(7, nil)}
				cleaner.orphans(maintain.OrphanOptions{Delete: true})
			}
			return nil
		}
		w.table = w.Open(3, &i)
		w.append(push, 30, 31)
		w.deleteRows(9, 4)
		if err := w.Check(t.Context()); err != nil {
			t.Error(err)
		}
		same(t, "left over", w.checkReachable())
		return len(i.Calls())
	}
	for at, calls := 0, run(-1); at < calls; at++ {
		run(at)
	}
}

// TestReferencedSince: an old object that a commit refers to since the listing stays, however late it comes.
func TestReferencedSince(t *testing.T) {
	base := history(t)
	base.put(file(40), file(41), file(42))
	run := func(at int) int {
		w := &world{t, base.Clone(), nil}
		var i fault.Injector
		calls := 0
		i.Before = func(_ context.Context, c fault.Call) error {
			if calls++; calls == at && c.Op != fault.Delete { // a delete cannot be called back
				late := &world{t, w.Store, w.Open(3, nil)}
				late.commit(commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(41)) })
			}
			return nil
		}
		w.table = w.Open(7, &i)
		r := w.orphans(maintain.OrphanOptions{Delete: true})
		gone := slices.Contains(locations(r.Deleted), file(41))
		added, err := w.Live(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if at <= calls && i.Calls()[max(at-1, 0)].Op == fault.Delete {
			return calls
		}
		if !gone && !slices.Contains(added, file(41)) {
			t.Errorf("call %d: file 41 is neither deleted nor live", at)
		}
		if gone && slices.Contains(added, file(41)) && !deletedBefore(i.Calls(), at, file(41)) {
			t.Errorf("call %d: file 41 was deleted after it was added", at)
		}
		return calls
	}
	for at, calls := 1, run(0); at <= calls; at++ {
		run(at)
	}
}

// deletedBefore reports whether an object was deleted before the n-th call.
func deletedBefore(calls []fault.Call, n int, name string) bool {
	return slices.ContainsFunc(calls[:n-1], func(c fault.Call) bool { return c.Op == fault.Delete && c.Name == name })
}

// TestOtherTable: metadata files of another table below the location stop the run.
func TestOtherTable(t *testing.T) {
	w := history(t)
	w.put(stray...)
	w.put(testtable.Location + "/nested/metadata/00000-y.metadata.json")
	before := w.Objects.Names()
	_, err := maintain.Orphans(t.Context(), w.table, maintain.OrphanOptions{Delete: true})
	if !errors.Is(err, maintain.ErrOtherTable) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, w.Objects.Names()); diff != "" {
		t.Error(diff)
	}
}

// TestReplacedTable: a table that is replaced by another one of the same name during the run ends it.
func TestReplacedTable(t *testing.T) {
	w, other := history(t), newWorld(t, nil)
	w.put(stray...)
	m := other.head().Metadata
	m.UUID = "99999999-2222-3333-4444-555555555555"
	data, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	name := testtable.Location + "/metadata/00000-other.metadata.json"
	if err := w.Objects.Put(t.Context(), name, data); err != nil {
		t.Fatal(err)
	}
	old := w.head().MetadataLocation
	var i fault.Injector
	i.After = func(ctx context.Context, c fault.Call) {
		if c.Op == fault.List {
			if err := w.Catalog.Swap(ctx, testtable.ID, old, name); err != nil {
				t.Error(err)
			}
		}
	}
	r, err := maintain.Orphans(t.Context(), w.Open(7, &i), maintain.OrphanOptions{Delete: true})
	if err == nil || len(r.Deleted) > 0 {
		t.Errorf("got %+v, %v", r, err)
	}
}
