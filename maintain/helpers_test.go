package maintain_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/tree"
)

// script is a policy that a test writes.
type script func(in policy.Input) []policy.Step

func (script) Name() string { return "script" }

func (s script) Plan(in policy.Input) (policy.Plan, error) { return policy.Plan{Steps: s(in)}, nil }

// push writes all new files into one leaf.
var push = script(func(in policy.Input) []policy.Step {
	step := policy.Step{Kind: policy.Push, Written: -1}
	for i := range in.New {
		step.Members = append(step.Members, policy.Ref{Source: policy.FromNew, Index: i})
	}
	return []policy.Step{step}
})

// fold rewrites the first leaf without what is masked.
var fold = script(func(policy.Input) []policy.Step {
	return []policy.Step{{Kind: policy.Fold, Written: -1, Members: []policy.Ref{{Source: policy.FromPointers}}}}
})

// world is a table whose data files exist, as empty objects.
type world struct {
	*testing.T
	testtable.Store
	table *commit.Table
}

func newWorld(t *testing.T, properties map[string]string) *world {
	t.Helper()
	s, err := testtable.New(t.Context(), properties)
	if err != nil {
		t.Fatal(err)
	}
	return &world{t, s, s.Open(1, nil)}
}

func (w *world) put(names ...string) {
	w.Helper()
	for _, name := range names {
		if err := w.Objects.Put(w.Context(), name, nil); err != nil {
			w.Fatal(err)
		}
	}
}

// commit commits a change under a policy, nil for that of the table.
func (w *world) commit(o commit.TxnOptions, change func(*commit.Txn)) commit.Result {
	w.Helper()
	x, err := w.table.Begin(w.Context(), o)
	if err != nil {
		w.Fatal(err)
	}
	change(x)
	r, err := x.Commit(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// append adds files, which come into being.
func (w *world) append(p policy.Policy, numbers ...int) commit.Result {
	w.Helper()
	return w.appendTo("", p, numbers...)
}

func (w *world) appendTo(branch string, p policy.Policy, numbers ...int) commit.Result {
	w.Helper()
	var files []tree.File
	for _, n := range numbers {
		files = append(files, testtable.File(n))
		w.put(testtable.File(n).Location)
	}
	return w.commit(commit.TxnOptions{Policy: p, Branch: branch}, func(x *commit.Txn) { x.Append(files...) })
}

func (w *world) remove(numbers ...int) commit.Result {
	w.Helper()
	return w.commit(commit.TxnOptions{Policy: simple.Never{}}, func(x *commit.Txn) {
		for _, n := range numbers {
			x.Remove(testtable.Target(n))
		}
	})
}

// deleteRows gives files deletion vectors of one row each, in one Puffin file.
func (w *world) deleteRows(row uint64, numbers ...int) commit.Result {
	w.Helper()
	return w.commit(commit.TxnOptions{Policy: simple.Never{}}, func(x *commit.Txn) {
		for _, n := range numbers {
			x.ExtendDV(testtable.Target(n), rows(w.T, row), commit.DVOptions{})
		}
	})
}

func (w *world) fold() commit.Result {
	w.Helper()
	return w.commit(commit.TxnOptions{Policy: fold, Mode: policy.Maintenance}, func(*commit.Txn) {})
}

func (w *world) update(change func(m metadata.Table) (metadata.Table, error)) {
	w.Helper()
	if _, err := w.table.Update(w.Context(), change); err != nil {
		w.Fatal(err)
	}
}

func (w *world) ref(name, kind string, snapshotID int64) {
	w.Helper()
	w.update(func(m metadata.Table) (metadata.Table, error) {
		return m.CreateRef(metadata.Ref{Name: name, Type: kind, SnapshotID: snapshotID})
	})
}

func (w *world) dropRef(name string) {
	w.Helper()
	w.update(func(m metadata.Table) (metadata.Table, error) { return m.WithoutRef(name) })
}

// keep is the policy that keeps so many snapshots of each branch and no more.
func keep(n int) metadata.ExpiryPolicy {
	return metadata.ExpiryPolicy{KeepLast: n, OlderThanMillis: millis(math.MaxInt64)}
}

func (w *world) expire(o maintain.ExpireOptions) maintain.ExpireReport {
	w.Helper()
	r, err := maintain.Expire(w.Context(), w.table, o)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

func (w *world) head() *commit.Head {
	w.Helper()
	head, err := w.Open(0, nil).Head(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	return head
}

// files returns the names of all objects but the metadata files, without the table's location.
func (w *world) files() []string {
	return slices.DeleteFunc(short(w.Objects.Names()), metadata.IsFileName)
}

// checkReachable checks that what the table reaches exists, and returns what else there is.
func (w *world) checkReachable() (unreached []string) {
	w.Helper()
	reached := make(map[string]bool)
	for o, err := range maintain.Reachable(w.Context(), w.Open(0, nil), w.head()) {
		if err != nil {
			w.Fatal(err)
		}
		if _, err := w.Objects.Stat(w.Context(), o.Location); err != nil {
			w.Errorf("%s is reached: %v", o.Kind, err)
		}
		reached[o.Location] = true
	}
	for _, name := range w.Objects.Names() {
		if !reached[name] {
			unreached = append(unreached, name)
		}
	}
	return unreached
}

func rows(t testing.TB, positions ...uint64) dv.Vector {
	t.Helper()
	v, err := dv.Of(positions...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func millis(n int64) iceberg.Optional[int64] { return iceberg.Optional[int64]{Val: n, Valid: true} }

// short returns locations without the table's.
func short(names []string) []string {
	var list []string
	for _, name := range names {
		list = append(list, strings.TrimPrefix(name, testtable.Location+"/"))
	}
	return list
}

func locations(objects []maintain.Object) []string {
	var names []string
	for _, o := range objects {
		names = append(names, o.Location)
	}
	return names
}

// leaves returns the leaves of a snapshot.
func (w *world) leaves(r commit.Result) []string {
	w.Helper()
	head := w.head()
	s, ok := head.Metadata.Snapshot(r.SnapshotID)
	if !ok {
		w.Fatalf("no snapshot %d", r.SnapshotID)
	}
	t, err := w.table.Tree(w.Context(), head, s)
	if err != nil {
		w.Fatal(err)
	}
	var names []string
	for _, row := range t.Rows {
		if row.Content.IsManifest() {
			names = append(names, tree.Resolve(head.Location, row.Location))
		}
	}
	return names
}

// same compares two lists of names without regard to order.
func same(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// statistics returns the entry of a statistics file in metadata.
func statistics(r commit.Result, name string) string {
	return fmt.Sprintf(`{"snapshot-id":%d,"statistics-path":"metadata/%s.stats","file-size-in-bytes":5}`, r.SnapshotID, name)
}

func bitmapOf(t rapid.TB, data []byte) mdv.Bitmap {
	t.Helper()
	if data == nil {
		return mdv.Bitmap{}
	}
	b, err := mdv.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
