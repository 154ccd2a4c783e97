package maintain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/tree"
)

func file(n int) string { return testtable.File(n).Location }

// TestB28 expires a branch and then a tag: each time exactly what only they reached goes.
func TestB28(t *testing.T) {
	w := newWorld(t, nil)
	s1 := w.append(push, 1, 2)
	l1 := w.leaves(s1)[0]
	w.ref("t", metadata.Tag, s1.SnapshotID)
	w.ref("b", metadata.Branch, s1.SnapshotID)
	s2 := w.remove(1)
	w.fold()
	s4 := w.appendTo("b", simple.Never{}, 7)

	w.dropRef("b")
	a := w.expire(maintain.ExpireOptions{Policy: keep(3)})
	same(t, "step A", locations(a.Deleted), s4.RootLocation, file(7))
	if diff := cmp.Diff([]int64{s4.SnapshotID}, a.Snapshots); diff != "" {
		t.Error(diff)
	}

	w.dropRef("t")
	b := w.expire(maintain.ExpireOptions{Policy: keep(1)})
	same(t, "step B", locations(b.Deleted), s1.RootLocation, s2.RootLocation, l1, file(1))
	if diff := cmp.Diff([]int64{s1.SnapshotID, s2.SnapshotID}, b.Snapshots); diff != "" {
		t.Error(diff)
	}
	same(t, "left over", w.checkReachable())
}

// TestS44 shares a leaf between five roots: it stays as long as one of them does, and a masked data file as long as an
// older root shows it.
func TestS44(t *testing.T) {
	w := newWorld(t, nil)
	leaf := w.leaves(w.append(push, 1, 2, 3))[0] // snapshot 1
	w.append(simple.Never{}, 4)                  // 2
	w.remove(1)                                  // 3
	w.append(simple.Never{}, 5)                  // 4
	w.remove(2)                                  // 5
	w.fold()                                     // 6
	w.append(simple.Never{}, 6)                  // 7
	for _, c := range []struct {
		keep          int
		leaf          bool
		first, second bool // whether data files 1 and 2 are there
	}{
		{6, true, true, true},
		{5, true, true, true},    // snapshot 3 removed file 1 itself
		{4, true, false, true},   // snapshot 4 only masks it
		{3, true, false, true},   // snapshot 5 removed file 2 itself
		{2, false, false, false}, // the fold needs neither
	} {
		w.expire(maintain.ExpireOptions{Policy: keep(c.keep)})
		names := w.Objects.Names()
		got := [3]bool{slices.Contains(names, leaf), slices.Contains(names, file(1)), slices.Contains(names, file(2))}
		if got != [3]bool{c.leaf, c.first, c.second} {
			t.Errorf("keep %d: leaf and files 1 and 2: %v", c.keep, got)
		}
		same(t, "left over", w.checkReachable())
	}
}

// TestB13 shares a Puffin file between two data files: it stays while one of its blobs is live.
func TestB13(t *testing.T) {
	w := newWorld(t, nil)
	w.append(simple.Never{}, 1, 2)
	w.deleteRows(3, 1, 2)
	var x1 string
	for _, name := range w.Objects.Names() {
		if strings.HasSuffix(name, ".puffin") {
			x1 = name
		}
	}
	for _, c := range []struct {
		old, new int
		stays    bool
	}{{1, 9, true}, {2, 10, false}} {
		w.put(file(c.new))
		w.commit(commit.TxnOptions{Policy: simple.Never{}}, func(x *commit.Txn) {
			f := testtable.File(c.new)
			f.RecordCount, f.Stats = 99, nil
			x.Rewrite([]commit.Target{testtable.Target(c.old)}, append(testtable.Files(0, 0), f), w.head().Tree.Origin.SnapshotID)
		})
		r := w.expire(maintain.ExpireOptions{Policy: keep(1)})
		if got := slices.Contains(w.Objects.Names(), x1); got != c.stays {
			t.Errorf("after the compaction of file %d the Puffin file is there: %t", c.old, got)
		}
		if !c.stays && !slices.Contains(r.Deleted, maintain.Object{Kind: maintain.PuffinFile, Location: x1}) {
			t.Errorf("not reported: %v", r.Deleted)
		}
		if err := w.Check(t.Context()); err != nil {
			t.Error(err)
		}
		same(t, "left over", w.checkReachable())
	}
	for l, err := range w.table.Files(t.Context(), w.head(), tree.Full) {
		if err != nil || l.Entry.DeletionVector.Valid {
			t.Errorf("%s: %v", l.Location, err)
		}
	}
}

// TestTombstones: a file that a retained snapshot removed stays, whether by a row of the root, by a position in a leaf or
// with its whole leaf; it goes with that snapshot.
func TestTombstones(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy policy.Policy
		gone   []int
	}{
		{"loose", simple.Never{}, []int{1}},
		{"in a leaf", push, []int{1}},
		{"a whole leaf", push, []int{1, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.append(c.policy, 1, 2)
			w.remove(c.gone...)
			w.expire(maintain.ExpireOptions{Policy: keep(1)})
			if !slices.Contains(w.Objects.Names(), file(1)) {
				t.Error("the file is gone, and the snapshot that removed it is not")
			}
			same(t, "left over", w.checkReachable())
			w.append(simple.Never{}, 5)
			w.expire(maintain.ExpireOptions{Policy: keep(1)})
			for _, n := range c.gone {
				if slices.Contains(w.Objects.Names(), file(n)) {
					t.Errorf("file %d is there, and the snapshot that removed it is not", n)
				}
			}
			same(t, "left over", w.checkReachable())
		})
	}
}

// TestVectorOfTombstone: the deletion vector of a removed file goes before the file does (MN1).
func TestVectorOfTombstone(t *testing.T) {
	w := newWorld(t, nil)
	w.put(file(1), file(2))
	w.commit(commit.TxnOptions{Policy: push}, func(x *commit.Txn) {
		x.Append(testtable.Files(1, 3)...)
		x.ExtendDV(testtable.Target(1), rows(t, 3), commit.DVOptions{})
	})
	w.remove(1)
	r := w.expire(maintain.ExpireOptions{Policy: keep(1)})
	kinds := maintain.Totals(r.Deleted)
	if len(kinds) != 2 || kinds[0].Kind != maintain.PuffinFile || kinds[1].Kind != maintain.RootManifest {
		t.Errorf("deleted %v", r.Deleted)
	}
	same(t, "left over", w.checkReachable())
}

// history makes snapshots of all kinds: each of them lets something go when it expires.
func history(t *testing.T) *world {
	w := newWorld(t, nil)
	w.append(push, 1, 2, 3)
	w.append(simple.Never{}, 4, 5)
	w.deleteRows(7, 4, 2)
	w.remove(1, 5)
	w.fold()
	w.deleteRows(8, 4)
	return w
}

func TestDryRun(t *testing.T) {
	w := history(t)
	before := w.Objects.Names()
	location := w.head().MetadataLocation
	planned := w.expire(maintain.ExpireOptions{Policy: keep(1), DryRun: true})
	if diff := cmp.Diff(before, w.Objects.Names()); diff != "" || w.head().MetadataLocation != location {
		t.Error("the dry run changed the table", diff)
	}
	done := w.expire(maintain.ExpireOptions{Policy: keep(1)})
	if len(planned.Remaining) == 0 || len(planned.Deleted) != 0 {
		t.Errorf("the plan: %+v", planned)
	}
	if diff := cmp.Diff(planned.Remaining, done.Deleted); diff != "" {
		t.Errorf("planned and done differ:\n%s", diff)
	}
	if diff := cmp.Diff(planned.Snapshots, done.Snapshots); diff != "" {
		t.Errorf("planned and done differ:\n%s", diff)
	}
	if !slices.IsSortedFunc(done.Deleted, func(a, b maintain.Object) int { return int(a.Kind) - int(b.Kind) }) {
		t.Errorf("order of deletion: %v", done.Deleted)
	}
	var objects int
	for _, total := range maintain.Totals(done.Deleted) {
		objects += total.Objects
		t.Logf("%d of kind %s, %d bytes", total.Objects, total.Kind, total.SizeBytes)
	}
	if objects != len(done.Deleted) {
		t.Errorf("totals count %d objects of %d", objects, len(done.Deleted))
	}
}

// TestLimit: runs that may delete two objects each end where one without a limit does.
func TestLimit(t *testing.T) {
	whole, parts := history(t), history(t)
	whole.expire(maintain.ExpireOptions{Policy: keep(1)})
	deleted, remaining := 0, -1
	for remaining != 0 {
		r := parts.expire(maintain.ExpireOptions{Policy: keep(1), MaxDeletes: 2, Resume: true})
		if len(r.Deleted) > 2 || remaining > 0 && len(r.Deleted)+len(r.Remaining) != remaining {
			t.Fatalf("deleted %d, %d remain of %d", len(r.Deleted), len(r.Remaining), remaining)
		}
		deleted, remaining = deleted+len(r.Deleted), len(r.Remaining)
	}
	if deleted < 5 {
		t.Errorf("%d objects are too few for a test", deleted)
	}
	if diff := cmp.Diff(whole.files(), parts.files()); diff != "" {
		t.Errorf("in one run and in several:\n%s", diff)
	}
	same(t, "left over", parts.checkReachable())
}

// TestKeepFiles: the metadata changes alone, and a later run takes up the rest.
func TestKeepFiles(t *testing.T) {
	w := history(t)
	before := w.files()
	r := w.expire(maintain.ExpireOptions{Policy: keep(1), KeepFiles: true})
	if len(r.Snapshots) == 0 || len(w.head().Metadata.Snapshots) != 1 {
		t.Errorf("%d snapshots of %d went", len(r.Snapshots), len(w.head().Metadata.Snapshots))
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Error(diff)
	}
	if r := w.expire(maintain.ExpireOptions{Policy: keep(1), Resume: true}); len(r.Deleted) == 0 {
		t.Error("nothing was taken up")
	}
	same(t, "left over", w.checkReachable())
}

// TestNothingToExpire publishes nothing.
func TestNothingToExpire(t *testing.T) {
	w := history(t)
	before := w.Objects.Names()
	r := w.expire(maintain.ExpireOptions{})
	if !r.Commit.NoOp || len(r.Snapshots)+len(r.Deleted) > 0 {
		t.Errorf("%+v", r)
	}
	if diff := cmp.Diff(before, w.Objects.Names()); diff != "" {
		t.Error(diff)
	}
}

// TestMissingRoot: a snapshot whose root is lost can go.
func TestMissingRoot(t *testing.T) {
	w := newWorld(t, nil)
	s1 := w.append(push, 1)
	w.append(simple.Never{}, 2)
	if err := w.Objects.Delete(t.Context(), s1.RootLocation); err != nil {
		t.Fatal(err)
	}
	r := w.expire(maintain.ExpireOptions{Policy: keep(1)})
	if len(r.Warnings) != 1 || len(r.Snapshots) != 1 {
		t.Errorf("%+v", r)
	}
}

// TestStatistics: a statistics file goes with its snapshot.
func TestStatistics(t *testing.T) {
	w := newWorld(t, nil)
	s1 := w.append(push, 1)
	s2 := w.append(simple.Never{}, 2)
	w.put(testtable.Location+"/metadata/s1.stats", testtable.Location+"/metadata/s2.stats", testtable.Location+"/metadata/p1.stats")
	w.update(func(m metadata.Table) (metadata.Table, error) {
		m.Unknown = append(slices.Clone(m.Unknown),
			metadata.Member{Name: "statistics", JSON: statistics(s1, "s1") + statistics(s2, "s2")},
			metadata.Member{Name: "partition-statistics", JSON: statistics(s1, "p1")})
		for i := range m.Unknown {
			m.Unknown[i].JSON = "[" + strings.ReplaceAll(m.Unknown[i].JSON, "}{", "},{") + "]"
		}
		return m, nil
	})
	same(t, "orphans", locations(w.orphans(maintain.OrphanOptions{}).Remaining))
	r := w.expire(maintain.ExpireOptions{Policy: keep(1)})
	var gone []string
	for _, o := range r.Deleted {
		if o.Kind == maintain.StatisticsFile {
			gone = append(gone, o.Location)
		}
	}
	same(t, "statistics", short(gone), "metadata/s1.stats", "metadata/p1.stats")
	same(t, "left over", w.checkReachable())
}

// TestRefs: a branch and a tag that have grown too old go, and what only they reached.
func TestRefs(t *testing.T) {
	w := newWorld(t, nil)
	s1 := w.append(push, 1)
	w.ref("old", metadata.Tag, s1.SnapshotID)
	w.ref("b", metadata.Branch, s1.SnapshotID)
	w.appendTo("b", simple.Never{}, 7)
	w.remove(1)
	w.append(simple.Never{}, 2)
	p := keep(1)
	p.MaxRefAgeMillis = 1
	r := w.expire(maintain.ExpireOptions{Policy: p})
	if diff := cmp.Diff([]string{"b", "old"}, r.Refs); diff != "" {
		t.Error(diff)
	}
	if len(w.head().Metadata.Refs) != 1 || slices.Contains(w.Objects.Names(), file(7)) || slices.Contains(w.Objects.Names(), file(1)) {
		t.Errorf("left: %v", w.files())
	}
	same(t, "left over", w.checkReachable())
}
