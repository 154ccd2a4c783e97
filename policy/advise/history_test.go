package advise_test

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/advise"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/tree"
)

// world is a real table in memory.
type world struct {
	*testing.T
	testtable.Store
	table *commit.Table
	next  int
}

func newWorld(t *testing.T, properties map[string]string) *world {
	t.Helper()
	s, err := testtable.New(t.Context(), properties)
	if err != nil {
		t.Fatal(err)
	}
	return &world{t, s, s.Open(1, nil), 0}
}

// commit adds so many files, removes some by their numbers, and deletes a row of others.
func (w *world) commit(added int, removed, modified []int, row uint64) {
	w.Helper()
	x, err := w.table.Begin(w.Context(), commit.TxnOptions{})
	if err != nil {
		w.Fatal(err)
	}
	x.Append(testtable.Files(w.next, w.next+added)...)
	w.next += added
	for _, n := range removed {
		x.Remove(testtable.Target(n))
	}
	for _, n := range modified {
		v, err := dv.Of(row)
		if err != nil {
			w.Fatal(err)
		}
		x.ExtendDV(testtable.Target(n), v, commit.DVOptions{})
	}
	if _, err := x.Commit(w.Context()); err != nil {
		w.Fatal(err)
	}
}

func (w *world) maintain() {
	w.Helper()
	if r, err := maintain.Maintain(w.Context(), w.table, maintain.MaintainOptions{}); err != nil || r.NoOp {
		w.Fatalf("%+v, %v", r, err)
	}
}

// source is the table with its metadata as a test changes it.
func (w *world) source(change func(m *metadata.Table)) (s advise.Source, current int64) {
	w.Helper()
	head, err := w.table.Head(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	m := head.Metadata
	m.Snapshots = append([]metadata.Snapshot(nil), m.Snapshots...)
	if change != nil {
		change(&m)
	}
	return advise.Source{
		Metadata: m, Prices: policy.EstimatePrices(1),
		Tree: func(ctx context.Context, s metadata.Snapshot) (tree.Tree, error) {
			return treeio.Tree(ctx, treeio.Parquet{}, w.Objects, m, head.Location, s)
		},
		RootBytes: func(ctx context.Context, root string) (int64, error) {
			info, err := w.Objects.Stat(ctx, root)
			return info.SizeBytes, err
		},
		Leaves: treeio.Parquet{}.Leaves(w.Objects),
	}, head.Tree.Origin.SnapshotID
}

func (w *world) read(change func(m *metadata.Table)) advise.History {
	w.Helper()
	s, current := w.source(change)
	h, err := advise.Read(w.Context(), s, current)
	if err != nil {
		w.Fatal(err)
	}
	return h
}

// withoutCounts takes away what summaries say of files, as those of another engine may.
func withoutCounts(m *metadata.Table) {
	for i := range m.Snapshots {
		m.Snapshots[i].Summary = map[string]string{"operation": m.Snapshots[i].Operation()}
	}
}

// TestReplayIsWhatTheTableDid: a table that only grew, replayed under the policy that it had, costs what it wrote, object for object; what
// that is in real bytes is the length of its roots and leaves. Where the counting model does not split the files of a commit, commits of
// one file show it.
func TestReplayIsWhatTheTableDid(t *testing.T) {
	for _, properties := range []map[string]string{
		{"firn.policy": "never"}, {"firn.policy": "cap", "firn.policy.rows": "7"}, {"firn.policy": "sqrt"},
		{"firn.policy": "tiered", "firn.policy.batch": "4", "firn.policy.ratio": "3"}, {"firn.policy": "leveled", "firn.policy.batch": "5", "firn.policy.leaf-rows": "20"},
	} {
		w := newWorld(t, properties)
		for _, n := range []int{1, 5, 2, 9, 1, 1, 1, 3, 8, 2, 2, 1, 4} {
			if properties["firn.policy"] == "cap" {
				n = 1
			}
			w.commit(n, nil, nil, 0)
		}
		h := w.read(nil)
		p, err := choose.ForTable(properties)
		if err != nil {
			t.Fatal(err)
		}
		got, err := h.Replay(t.Context(), p, advise.AsItCame)
		if err != nil {
			t.Fatal(err)
		}
		got.MostRewrittenBytes = 0
		if diff := cmp.Diff(h.Counted, got); diff != "" || h.Older || len(h.Commits) != 13 {
			t.Errorf("%v: %d commits (-the table +replayed)\n%s", properties, len(h.Commits), diff)
		}
		var bytes, objects int64
		for _, name := range w.Objects.Names() {
			if strings.Contains(name, "/metadata/") && strings.HasSuffix(name, ".parquet") {
				info, err := w.Objects.Stat(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				bytes, objects = bytes+info.SizeBytes, objects+1
			}
		}
		if h.Measured.Bytes() != bytes || h.Measured.Objects() != objects || h.Counted.Objects() != objects {
			t.Errorf("%v: %+v, the table has %d objects of %d bytes", properties, h.Measured, objects, bytes)
		}
	}
}

// churn commits files, and removes and modifies some.
func churn(t *testing.T, properties map[string]string) (w *world, changes []count.Change) {
	t.Helper()
	w = newWorld(t, properties)
	r := rand.New(rand.NewPCG(1, 2))
	var live []int
	take := func() int {
		i := r.IntN(len(live))
		n := live[i]
		live = append(live[:i], live[i+1:]...)
		return n
	}
	for i := range 25 {
		c := count.Change{Added: int64(r.IntN(6))}
		if i == 0 {
			c.Added = 20
		}
		var removed, modified []int
		if i > 0 {
			for range r.IntN(4) {
				removed = append(removed, take())
			}
			for range r.IntN(3) {
				modified = append(modified, take())
			}
		}
		if c.Removed, c.Modified = int64(len(removed)), int64(len(modified)); c.Files() == 0 {
			continue
		}
		from := w.next
		w.commit(int(c.Added), removed, modified, uint64(i))
		live = append(live, modified...)
		for n := from; n < w.next; n++ {
			live = append(live, n)
		}
		changes = append(changes, c)
	}
	return w, changes
}

// changesOf are the changes of the writers of a history.
func changesOf(h advise.History) (changes []count.Change) {
	for _, c := range h.Commits {
		if !c.Maintenance() {
			changes = append(changes, c.Change)
		}
	}
	return changes
}

// TestReadTellsWhatChanged: by the summaries and, where they say nothing, by the manifests.
func TestReadTellsWhatChanged(t *testing.T) {
	for _, name := range []string{"never", "tiered"} {
		w, want := churn(t, map[string]string{"firn.policy": name, "firn.policy.batch": "6", "firn.policy.ratio": "3"})
		for from, change := range map[string]func(m *metadata.Table){"summaries": nil, "manifests": withoutCounts} {
			h := w.read(change)
			if diff := cmp.Diff(want, changesOf(h)); diff != "" {
				t.Errorf("%s, by the %s (-want +got)\n%s", name, from, diff)
			}
			for _, c := range h.Commits {
				if c.Read != (from == "manifests") {
					t.Errorf("%s, by the %s: %+v", name, from, c)
				}
			}
			if diff := cmp.Diff(want, h.Trace()); diff != "" {
				t.Errorf("%s: the trace (-want +got)\n%s", name, diff)
			}
		}
	}
}

// TestReadDoesNotBelieveEverything: a summary that does not fit its totals, or that no table can have, is not believed, and the manifests
// are asked.
func TestReadDoesNotBelieveEverything(t *testing.T) {
	w, want := churn(t, map[string]string{"firn.policy": "never"})
	for _, lie := range []map[string]string{
		{"added-data-files": "999"}, {"deleted-data-files": "-1"}, {"total-data-files": "1e3"}, {"added-dvs": "x"},
		{"added-data-files": "99999999999999999999", "total-data-files": "99999999999999999999"},
		{"added-data-files": "90", "deleted-data-files": "0", "total-data-files": "consistent"},
	} {
		h := w.read(func(m *metadata.Table) {
			s := &m.Snapshots[5]
			s.Summary = maps.Clone(s.Summary)
			maps.Copy(s.Summary, lie)
			if s.Summary["total-data-files"] == "consistent" {
				before, err := strconv.Atoi(m.Snapshots[4].Summary["total-data-files"])
				if err != nil {
					t.Fatal(err)
				}
				s.Summary["total-data-files"] = strconv.Itoa(before + 90)
			}
		})
		if diff := cmp.Diff(want, changesOf(h)); diff != "" || !h.Commits[5].Read || h.Commits[3].Read {
			t.Errorf("%v: (-want +got)\n%s", lie, diff)
		}
	}
}

// TestReadBeginsWhereSnapshotsAreRetained: what expired is not counted, and the table of the oldest snapshot is there from the start; so
// it is where the snapshots before have no root manifest.
func TestReadBeginsWhereSnapshotsAreRetained(t *testing.T) {
	w, want := churn(t, map[string]string{"firn.policy": "tiered", "firn.policy.batch": "6", "firn.policy.ratio": "3"})
	const oldest = 9
	whole := w.read(nil)
	var live int64
	for _, c := range want[:oldest+1] {
		live += c.Added - c.Removed
	}
	for name, change := range map[string]func(m *metadata.Table){
		"expired":    func(m *metadata.Table) { m.Snapshots = m.Snapshots[oldest:] },
		"older form": func(m *metadata.Table) { m.Snapshots[oldest-1].RootManifest.Valid = false },
		"no parent": func(m *metadata.Table) {
			m.Snapshots = m.Snapshots[oldest:]
			m.Snapshots[0].ParentID.Valid = false
		},
	} {
		h := w.read(change)
		if diff := cmp.Diff(want[oldest+1:], changesOf(h)); diff != "" || !h.Older {
			t.Errorf("%s: %t (-want +got)\n%s", name, h.Older, diff)
		}
		sum := h.Start.Loose
		for _, files := range h.Start.Leaves {
			sum += files
		}
		if sum != live || len(h.Start.Leaves) == 0 || h.Trace()[0] != (count.Change{Added: live}) {
			t.Errorf("%s: begins with %+v, want %d files", name, h.Start, live)
		}
		if h.Measured.EndRootBytes != whole.Measured.EndRootBytes || h.Counted.EndLeafBytes != whole.Counted.EndLeafBytes || h.Measured.Bytes() >= whole.Measured.Bytes() {
			t.Errorf("%s: %+v, of the whole history %+v", name, h.Measured, whole.Measured)
		}
		for _, p := range builtIn {
			if o, err := h.Replay(t.Context(), p, 3); err != nil || o.Commits != int64(len(want)-oldest-1) || o.Bytes() == 0 {
				t.Errorf("%s, %s: %+v, %v", name, p.Name(), o, err)
			}
		}
	}
}

// builtIn are policies with settings so small that they have much to do.
var builtIn = []policy.Policy{
	simple.Never{}, simple.Cap{Rows: 8}, simple.WhenFull{RootBytes: 10_000, LeafBytes: 5000}, simple.Sqrt{}, simple.Tiered{Batch: 4, Ratio: 3},
	simple.Leveled{Batch: 5, LeafRows: 40}, adaptive.Policy{},
}

// TestMaintenanceComesAsItCame: a snapshot that changes no file is maintenance, and is a chance for other policies too.
func TestMaintenanceComesAsItCame(t *testing.T) {
	w := newWorld(t, map[string]string{"firn.policy": "leveled", "firn.policy.batch": "1", "firn.policy.leaf-rows": "1000"})
	lazy := func(o commit.TxnOptions) {
		x, err := w.table.Begin(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		x.Append(testtable.Files(w.next, w.next+4)...)
		w.next += 4
		if _, err := x.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		lazy(commit.TxnOptions{Policy: simple.Never{}})
		w.maintain()
	}
	h := w.read(nil)
	if len(h.Commits) != 6 || h.Counted.Maintenance != 3 || h.Measured.Commits != 3 || len(h.Trace()) != 3 {
		t.Fatalf("%+v", h)
	}
	atMaintenance := onlyMaintenance{simple.Leveled{Batch: 1, LeafRows: 1000}}
	for every, want := range map[int64]int64{advise.AsItCame: 3, 0: 0, 1: 0} { // nothing was deferred
		o, err := h.Replay(t.Context(), atMaintenance, every)
		if err != nil || o.Maintenance != want || o.Commits != 3 {
			t.Errorf("every %d: %+v, %v", every, o, err)
		}
		if every == advise.AsItCame && o.Bytes() != h.Counted.Bytes() {
			t.Errorf("%+v, the table %+v", o, h.Counted)
		}
	}
}

// onlyMaintenance does what a policy does, but nothing in commits of writers.
type onlyMaintenance struct{ policy.Policy }

func (p onlyMaintenance) Plan(in policy.Input) (policy.Plan, error) {
	if in.Mode == policy.Foreground {
		return simple.Never{}.Plan(in)
	}
	return p.Policy.Plan(in)
}

// TestReadFails where a root, its length or a leaf cannot be read, and says of a bitmap that is none where it stands.
func TestReadFails(t *testing.T) {
	w, _ := churn(t, map[string]string{"firn.policy": "tiered", "firn.policy.batch": "6", "firn.policy.ratio": "3"})
	broken := errors.New("broken")
	for name, spoil := range map[string]func(s *advise.Source){
		"a root": func(s *advise.Source) {
			s.Tree = func(context.Context, metadata.Snapshot) (tree.Tree, error) { return tree.Tree{}, broken }
		},
		"its length": func(s *advise.Source) {
			s.RootBytes = func(context.Context, string) (int64, error) { return 0, broken }
		},
		"a root bitmap": func(s *advise.Source) { s.Tree = spoiledBitmap(s.Tree) },
	} {
		s, current := w.source(nil)
		spoil(&s)
		_, err := advise.Read(t.Context(), s, current)
		if err == nil || name != "a root bitmap" && !errors.Is(err, broken) || name == "a root bitmap" && !strings.Contains(err.Error(), ", row ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s, current := w.source(func(m *metadata.Table) {
		for i := range m.Snapshots {
			m.Snapshots[i].RootManifest.Valid = false
		}
	})
	if _, err := advise.Read(t.Context(), s, current); err == nil || !strings.Contains(err.Error(), "no root manifest") {
		t.Errorf("a table of an older version: %v", err)
	}
	if _, err := advise.Read(t.Context(), s, 7); err == nil {
		t.Error("a snapshot that is not there has a history")
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.read(nil).Replay(canceled, simple.Never{}, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// spoiledBitmap gives the first pointer of each root a bitmap that is none.
func spoiledBitmap(read func(context.Context, metadata.Snapshot) (tree.Tree, error)) func(context.Context, metadata.Snapshot) (tree.Tree, error) {
	return func(ctx context.Context, s metadata.Snapshot) (tree.Tree, error) {
		root, err := read(ctx, s)
		root.Rows = append([]tree.Entry(nil), root.Rows...)
		for i := range root.Rows {
			if root.Rows[i].Content.IsManifest() {
				root.Rows[i].Manifest.Val.DV = []byte{0xff}
				break
			}
		}
		return root, err
	}
}

// TestReplayWithDeletesIsNear: which files were removed and modified is drawn by chance, and what that costs is near what the table wrote.
func TestReplayWithDeletesIsNear(t *testing.T) {
	for _, properties := range []map[string]string{
		{"firn.policy": "never"}, {"firn.policy": "tiered", "firn.policy.batch": "6", "firn.policy.ratio": "3"},
		{"firn.policy": "leveled", "firn.policy.batch": "5", "firn.policy.leaf-rows": "30"},
	} {
		w, _ := churn(t, properties)
		h := w.read(nil)
		p, err := choose.ForTable(properties)
		if err != nil {
			t.Fatal(err)
		}
		o, err := h.Replay(t.Context(), p, advise.AsItCame)
		if err != nil {
			t.Fatal(err)
		}
		off := float64(o.Bytes())/float64(h.Counted.Bytes()) - 1
		t.Logf("%s: %d bytes replayed, %d counted: %+.1f %%; objects %d and %d", p.Name(), o.Bytes(), h.Counted.Bytes(), 100*off, o.Objects(), h.Counted.Objects())
		if off < -0.03 || off > 0.03 {
			t.Errorf("%s: %d bytes replayed, the table wrote %d", p.Name(), o.Bytes(), h.Counted.Bytes())
		}
	}
}
