package attack_test

import (
	"context"
	"errors"
	"math/rand"
	"strings"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store/fault"
)

// rowFaults are what may befall a writer.
var rowFaults = []string{
	"swap #1 land-unknown", "swap #1 land-conflict", "swap #2 land-unknown", "swap #1 unknown", "swap #2 unknown",
	"swap #1 conflict", "swap #1 late 2", "swap #1 late 5", "swap #1 late manual", "swap #2 late manual", "swap #1 http-429",
	"swap #1 panic", "swap #1 land-panic", "swap #2 land-http-504", "put #2 late 3", "delete fail", "load #2 fail", "get #3 fail",
}

// parks are the calls before which a writer may stop.
var parks = []fault.Op{fault.Swap, fault.Swap, fault.Put, fault.Get, fault.Load, fault.Delete}

// newRowWorld makes a table with some files.
func newRowWorld(ctx context.Context, t testing.TB, seed int64) *rowWorld {
	w := &rowWorld{
		content: make(map[string][]int), origin: make(map[int]int), live: make(map[int64]map[int]bool),
		intents: make(map[int64]*rowIntent), published: make(map[string]bool), denied: make(map[string]bool), deleted: make(map[string]bool),
		store: newStore(t, map[string]string{"commit.retry.num-retries": "8"}), r: rand.New(rand.NewSource(seed)),
	}
	x := w.writer(1)
	x.intent = new(rowIntent)
	mustCommit(t, x.table, func(txn *commit.Txn) {
		for range 3 {
			x.append(txn, w.newRows(1+w.r.Intn(3)))
		}
	})
	return w
}

// turn lets a writer do one thing. It reports whether another one is to take its place.
func (x *rowWriter) turn(ctx context.Context, t testing.TB, branch string) (over bool) {
	w := x.world
	switch {
	case x.next != nil:
		x.step(parks[w.r.Intn(len(parks))])
	case x.token != nil:
		x.outcome(ctx)
		if w.r.Intn(2) == 0 {
			w.transit.Release()
		}
		return x.token == nil || w.r.Intn(3) == 0
	case x.read == nil || w.r.Intn(2) == 0:
		if err := x.look(ctx, branch); err != nil {
			w.log("%s: %v", x.name, err) // there is no such branch
		}
	default:
		txn, err := x.begin(ctx)
		if err != nil {
			w.log("%s: %v", x.name, err)
			return false
		}
		if w.r.Intn(3) == 0 {
			f, err := fault.Parse(rowFaults[w.r.Intn(len(rowFaults))])
			if err != nil {
				t.Fatal(err)
			}
			w.log("  fault %s", f)
			if err := x.calls.Arm(f); err != nil {
				t.Fatal(err)
			}
		}
		x.start(ctx, txn)
		x.step(parks[w.r.Intn(len(parks))])
	}
	return false
}

// metadataChange draws a change of the metadata alone: branches, and rollbacks.
func metadataChange(r *rand.Rand, m metadata.Table) commit.MetadataChange {
	id, kind := m.Snapshots[r.Intn(len(m.Snapshots))].ID, r.Intn(4)
	return func(m metadata.Table) (metadata.Table, error) {
		switch kind {
		case 0:
			return m.CreateRef(metadata.Ref{Name: "b", Type: metadata.Branch, SnapshotID: id})
		case 1:
			return m.WithoutRef("b")
		case 2:
			return m.MoveRef(metadata.MainBranch, id)
		}
		to, ok := m.Ref("b")
		if !ok {
			return m, errors.New("there is no branch")
		}
		return m.FastForward(metadata.MainBranch, to.SnapshotID)
	}
}

// other is a program that changes the metadata, or expires snapshots and deletes what only they reached.
func (w *rowWorld) other(ctx context.Context, table *commit.Table) error {
	if w.r.Intn(4) == 0 {
		o := maintain.ExpireOptions{Policy: metadata.ExpiryPolicy{KeepLast: 1 + w.r.Intn(3), OlderThanMillis: some(int64(1) << 60)}}
		r, err := maintain.Expire(ctx, table, o)
		w.log("expire: %d", r.Snapshots)
		return err
	}
	head, err := table.Head(ctx)
	if err == nil {
		_, err = table.Update(ctx, metadataChange(w.r, head.Metadata))
	}
	return err
}

// races runs writers against each other, and what changes the metadata beside them, to the end of all of them.
func (w *rowWorld) races(ctx context.Context, t testing.TB) {
	last := int64(10)
	fresh := func() *rowWriter { last++; return w.writer(last) }
	writers := []*rowWriter{fresh(), fresh(), fresh()}
	table := commit.Open(testtable.ID, witness{w.store.Catalog, w}, remover{w.store.Objects, w}, commit.Options{Env: testtable.Env(2)})
	for range 30 + w.r.Intn(30) {
		if w.r.Intn(8) == 0 {
			w.log("metadata: %v", w.other(ctx, table))
			continue
		}
		i, branch := w.r.Intn(len(writers)), metadata.MainBranch
		if w.r.Intn(4) == 0 {
			branch = "b"
		}
		if writers[i].turn(ctx, t, branch) {
			writers[i] = fresh()
		}
	}
	for _, x := range writers {
		if x.next != nil {
			x.step("")
		}
	}
	w.transit.Release()
	for _, x := range writers {
		if x.token != nil {
			x.outcome(ctx)
		}
	}
	w.readable(ctx)
}

// TestRowRaces sets writers against each other that delete, update, rewrite and restore rows, through a policy that moves
// entries at random, under faults, beside rollbacks, branches and expiry. No row is lost, comes back or has two states,
// and no commit is other than what its writer was told.
func TestRowRaces(t *testing.T) {
	for seed := range int64(40) {
		w := newRowWorld(t.Context(), t, seed)
		w.races(t.Context(), t)
		if len(w.problems) > 0 {
			t.Fatalf("seed %d:\n%s\n%s", seed, strings.Join(w.steps, "\n"), strings.Join(w.problems, "\n"))
		}
	}
}
