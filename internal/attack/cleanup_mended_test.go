package attack_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/dir"
	"github.com/firn-io/firn/store/fault"
)

// grow makes everything below a folder old.
func grow(t *testing.T, folder string) {
	t.Helper()
	old := time.Unix(1, 0)
	if err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, old, old))
	}); err != nil {
		t.Fatal(err)
	}
}

func newTable(t *testing.T, location string, properties map[string]string) metadata.Table {
	t.Helper()
	m, err := metadata.New(metadata.NewTable{
		UUID: uuid.New(), Location: location, Schema: head(t, newYard(t, nil).Store).Metadata.Schema(), TimestampMillis: 1, Properties: properties,
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMendedCatalogInTable: the folder of a dir: catalog is the table's (FIRN_CATALOG=dir:wh FIRN_WAREHOUSE=wh): the entry is an orphan.
func TestMendedCatalogInTable(t *testing.T) {
	folder := t.TempDir()
	c, err := dir.OpenCatalog("dir:" + folder)
	if err != nil {
		t.Fatal(err)
	}
	on := testtable.On{Objects: dir.New(), Catalog: c, ID: testtable.ID, Location: "file://" + folder + "/db/t"}
	if err := on.Make(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	grow(t, folder)
	r, err := maintain.Orphans(t.Context(), on.Open(1, nil), maintain.OrphanOptions{Delete: true})
	if _, lost := on.Open(2, nil).Head(t.Context()); lost != nil {
		t.Errorf("the table is lost: %v; deleted %v, %v", lost, r.Deleted, err)
	}
}

// TestMendedRenamed: a table was renamed, and a new table of its old name has its old place. Its metadata folder is the same, so
// ErrOtherTable does not stop the search.
func TestMendedRenamed(t *testing.T) {
	y := newYard(t, nil)
	y.add(true, 1, 2)
	renamed, fresh := store.TableID{Namespace: "db", Name: "renamed"}, store.TableID{Namespace: "db", Name: "fresh"}
	if err := y.Catalog.Swap(t.Context(), renamed, "", head(t, y.Store).MetadataLocation); err != nil {
		t.Fatal(err)
	}
	table, err := commit.Create(t.Context(), fresh, y.Catalog, y.Objects, newTable(t, testtable.Location, nil), commit.Options{Env: testtable.Env(77)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := maintain.Orphans(t.Context(), table, maintain.OrphanOptions{Delete: true})
	if _, lost := show(t.Context(), commit.Open(renamed, y.Catalog, y.Objects, commit.Options{})); lost != nil {
		t.Errorf("%v; deleted %d objects, %v", lost, len(r.Deleted), err)
	}
}

// TestMendedSharedPuffin: one Puffin file holds statistics and deletion vectors (the format forbids nothing). A candidate that is known
// as a statistics file is not looked for in leaves.
func TestMendedSharedPuffin(t *testing.T) {
	y := newYard(t, nil)
	y.add(true, 1, 2)
	y.commit(commit.TxnOptions{Policy: loose(true)}, func(x *commit.Txn) {
		x.ExtendDV(testtable.Target(1), vector(t, 5), commit.DVOptions{})
	})
	r := y.add(false, 3)
	y.update(listing(r.SnapshotID, y.puffins()[0]))
	y.add(false, 4)
	y.expire(maintain.ExpireOptions{Policy: newest(2)})
	y.expire(maintain.ExpireOptions{Policy: newest(1)})
	y.check()
}

// TestMendedExpiryKeptShrank: two expiries at once. The loser's set of snapshots is the same as planned, but what is kept has shrunk: what
// the plan took for reached is nobody's and stays.
func TestMendedExpiryKeptShrank(t *testing.T) {
	y := newYard(t, nil)
	s1 := y.add(false, 1)
	y.ref("t", metadata.Tag, s1.SnapshotID)
	y.add(false, 2)
	y.remove(1)
	y.add(false, 3)
	i := &fault.Injector{}
	once := false
	i.Before = func(_ context.Context, c fault.Call) error {
		if c.Op == fault.Swap && !once {
			once = true
			other := y.as(9, nil)
			other.update(func(m metadata.Table) (metadata.Table, error) { return m.WithoutRef("t") })
			other.expire(maintain.ExpireOptions{Policy: newest(3)})
		}
		return nil
	}
	y.as(8, i).expire(maintain.ExpireOptions{Policy: newest(1)})
	y.clean()
}

// TestMendedTenLooks: ten looks in a row meet a state that expires while it is read; the run goes on with what it knew long ago and
// deletes a file that was added again.
func TestMendedTenLooks(t *testing.T) {
	y := newYard(t, nil)
	y.add(false, 1)
	y.put(testtable.Location+"/data/f0001a.parquet", testtable.File(2).Location)
	deletes, looks, n := 0, 0, 100
	var i fault.Injector
	i.Before = func(_ context.Context, c fault.Call) error {
		n++
		other := y.as(int64(1000+n), nil)
		switch {
		case c.Op == fault.Delete:
			deletes++
		case c.Op == fault.Load && deletes == 1 && looks < 10:
			if looks++; looks == 1 {
				other.add(false, 2) // the orphan that comes next is live from now on
			}
			other.add(false, 1000+n)
			other.add(false, 2000+n)
		case c.Op == fault.Get && deletes == 1 && strings.Contains(c.Name, "snap-") && head(t, y.Store).Tree.Root != c.Name:
			other.expire(maintain.ExpireOptions{Policy: newest(1)})
		}
		return nil
	}
	_, err := maintain.Orphans(t.Context(), y.Open(7, &i), maintain.OrphanOptions{Delete: true})
	if !y.there(testtable.File(2).Location) {
		t.Errorf("a live file was deleted, %v", err)
	}
}

// TestMendedTrimmedLook: on a table that deletes old metadata files, the file that the catalog names can go between Load and Get: a
// writer that lost a race is told that the table was dropped, and that its outcome is unknown.
func TestMendedTrimmedLook(t *testing.T) {
	y := newYard(t, map[string]string{metadata.PropertyPreviousVersionsMax: "1", metadata.PropertyDeleteAfterCommit: "true"})
	y.add(false, 1)
	var i fault.Injector
	swapped, done := false, false
	i.Before = func(_ context.Context, c fault.Call) error {
		switch {
		case c.Op == fault.Swap && !swapped:
			swapped = true
			y.as(30, nil).add(false, 30)
		case c.Op == fault.Get && swapped && !done:
			done = true
			y.as(40, nil).add(false, 40)
			y.as(41, nil).add(false, 41)
		}
		return nil
	}
	_, err := begin(t, y.Open(5, &i), commit.TxnOptions{Policy: simple.Never{}}, func(x *commit.Txn) { x.Append(testtable.File(2)) }).Commit(t.Context())
	var unknown *commit.UnknownError
	if errors.As(err, &unknown) && unknown.Rule == commit.RuleTableDropped {
		t.Error("the table is there:", err)
	}
}

// TestMendedPrefix: the prefixes of an expiry are not checked, as those of a search for orphans are.
func TestMendedPrefix(t *testing.T) {
	y := newYard(t, nil)
	f := testtable.File(1)
	f.Location = "mem://wh/shared2/f.parquet"
	y.addFiles(false, f)
	y.commit(commit.TxnOptions{Policy: simple.Never{}}, func(x *commit.Txn) { x.Remove(commit.Target{Location: f.Location}) })
	y.add(false, 2)
	_, err := maintain.Expire(t.Context(), y.table, maintain.ExpireOptions{Policy: newest(1), Prefixes: []string{"mem://wh/shared"}})
	if !y.there(f.Location) {
		t.Errorf("deleted outside of the folder mem://wh/shared: %v", err)
	}
}

// TestMendedUnknownTimes: times that a store does not know (zero), or beyond 64 bits of milliseconds, are old; so is everything by a clock
// before 1970 with the greatest age.
func TestMendedUnknownTimes(t *testing.T) {
	for what, at := range map[string]time.Time{"zero": {}, "far": time.Unix(1<<60, 0)} {
		y := newYard(t, nil)
		y.add(false, 1)
		y.Objects.Now = func() time.Time { return at }
		y.put(testtable.Location + "/data/under way.parquet")
		if r := y.orphans(maintain.OrphanOptions{Delete: true}); len(r.Deleted) > 0 {
			t.Error(what, r.Deleted)
		}
	}
	y := newYard(t, nil)
	y.put(testtable.Location + "/data/under way.parquet")
	env := testtable.Env(5)
	env.NowMillis = func() int64 { return -10 }
	r, err := maintain.Orphans(t.Context(), open(y.Store, y.Catalog, env), maintain.OrphanOptions{Delete: true, AgeMillis: some(int64(1<<63 - 1))})
	if len(r.Deleted) > 0 || err != nil {
		t.Error("an overflow:", r.Deleted, err)
	}
}

// TestMendedMovedDuringOrphans: a table that is moved during a search: the search goes on in the old place, where nothing is reached any more.
func TestMendedMovedDuringOrphans(t *testing.T) {
	y := pastTable(t, nil)
	before := y.Objects.Names()
	var i fault.Injector
	i.After = func(_ context.Context, c fault.Call) {
		if c.Op != fault.List {
			return
		}
		for _, name := range before {
			data, _ := y.Objects.Get(t.Context(), name, 0)
			_ = y.Objects.Put(t.Context(), strings.Replace(name, testtable.Location, "mem://wh/moved", 1), data)
		}
		y.update(func(m metadata.Table) (metadata.Table, error) {
			m.Location = iceberg.Optional[string]{Val: "mem://wh/moved", Valid: true}
			return m, nil
		})
	}
	r, err := maintain.Orphans(t.Context(), y.Open(7, &i), maintain.OrphanOptions{Delete: true})
	if len(r.Deleted) > 0 {
		t.Errorf("%d of %d objects deleted in the place that the table had when the search began, %v", len(r.Deleted), len(before), err)
	}
}

// shelf is a catalog whose swaps land and answer something else.
type shelf struct {
	entries map[store.TableID]string
	after   func()
	answer  error
}

func (s *shelf) Load(_ context.Context, id store.TableID) (string, error) {
	if e, ok := s.entries[id]; ok {
		return e, nil
	}
	return "", store.NameError("load", id.String(), store.ErrNotFound)
}

func (s *shelf) Swap(_ context.Context, id store.TableID, old, new string) error {
	if s.entries[id] != old {
		return store.ErrConflict
	}
	s.entries[id] = new
	if after := s.after; after != nil {
		s.after = nil
		after()
	}
	return s.answer
}

// TestMendedCreateRenamed: an earlier copy of a creation's swap landed, the table was renamed at once, the later copy conflicts: Create
// deletes the only metadata file of the renamed table.
func TestMendedCreateRenamed(t *testing.T) {
	y := newYard(t, nil)
	renamed := store.TableID{Namespace: "db", Name: "m"}
	s := &shelf{entries: map[store.TableID]string{}, answer: store.ErrConflict}
	s.after = func() { s.entries[renamed] = s.entries[testtable.ID]; delete(s.entries, testtable.ID) }
	_, err := commit.Create(t.Context(), testtable.ID, s, y.Objects, newTable(t, "mem://wh/n", nil), commit.Options{Env: testtable.Env(3)})
	if !y.there(s.entries[renamed]) {
		t.Error("the renamed table is lost:", err)
	}
}

// TestMendedCreateKind: the creation landed and its answer was lost; before it is looked up others commit and trim the log. Create
// answers with the error of the swap: ErrConflict, "the catalog has a table of this name", or store.ErrUnknown without
// a token, which is not commit.ErrUnknown.
func TestMendedCreateKind(t *testing.T) {
	for _, answer := range []error{store.ErrUnknown, store.ErrConflict} {
		y := newYard(t, nil)
		s := &shelf{entries: map[store.TableID]string{}}
		s.after = func() {
			for n := range 3 {
				mustCommit(t, commit.Open(testtable.ID, s, y.Objects, commit.Options{Env: testtable.Env(int64(5 + n))}), func(x *commit.Txn) { x.Append(testtable.File(n)) })
			}
			s.answer = answer
		}
		m := newTable(t, "mem://wh/n", map[string]string{metadata.PropertyPreviousVersionsMax: "1", metadata.PropertyDeleteAfterCommit: "true"})
		_, err := commit.Create(t.Context(), testtable.ID, s, y.Objects, m, commit.Options{Env: testtable.Env(3)})
		if !errors.Is(err, commit.ErrUnknown) {
			t.Errorf("the table was made, and Create says: %v", err)
		}
	}
}

// TestMendedPanics: panics after the swap was sent: of the swap in Create, of the look in Commit. No error, no token.
func TestMendedPanics(t *testing.T) {
	caught := func(what string, do func() error) {
		defer func() {
			if p := recover(); p != nil {
				t.Errorf("%s: %v", what, p)
			}
		}()
		wantError(t, do(), commit.ErrUnknown, "")
	}
	y := newYard(t, nil)
	var i, j fault.Injector
	if err := errors.Join(i.Arm(fault.Fault{Op: fault.Swap, Outcome: fault.Panic}),
		j.Arm(fault.Fault{Op: fault.Swap, Outcome: fault.LandUnknown}, fault.Fault{Op: fault.Load, Nth: 2, Outcome: fault.Panic})); err != nil {
		t.Fatal(err)
	}
	caught("create", func() error {
		id := store.TableID{Namespace: "db", Name: "n"}
		_, err := commit.Create(t.Context(), id, i.Catalog(y.Catalog), i.Objects(y.Objects), newTable(t, "mem://wh/n", nil), commit.Options{Env: testtable.Env(3)})
		return err
	})
	caught("look", func() error {
		_, err := begin(t, y.Open(5, &j), commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(2)) }).Commit(t.Context())
		return err
	})
}

// TestMendedTemporaryFiles: the temporary file of a writer that was killed in package dir is in no listing: no clean-up finds it, ever.
func TestMendedTemporaryFiles(t *testing.T) {
	folder := t.TempDir()
	on := testtable.On{Objects: dir.New(), Catalog: newYard(t, nil).Catalog, ID: store.TableID{Name: "u"}, Location: "file://" + folder + "/t"}
	temp := folder + "/t/metadata/.firn-tmp-ABCDEF"
	if err := errors.Join(on.Make(t.Context(), nil), os.WriteFile(temp, make([]byte, 100), 0o666)); err != nil {
		t.Fatal(err)
	}
	grow(t, folder)
	r, err := maintain.Orphans(t.Context(), on.Open(1, nil), maintain.OrphanOptions{Delete: true})
	if _, there := os.Stat(temp); there == nil {
		t.Errorf("found %v, %v", r.Deleted, err)
	}
}
