package crash_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/tree"
)

// TestCrash tries every outcome at every store call of every kind of change, on every combination of catalog and
// store: the table is at the old or the new state afterwards, what was reported is true, and the orphans that
// maintain finds are exactly the objects that nothing reaches. Away from memory, all of it is tried with FIRN_CRASH=all,
// and every twentieth disturbance without.
func TestCrash(t *testing.T) {
	for _, where := range places {
		t.Run(where.name, func(t *testing.T) {
			p := where.open(t)
			p.base = p.table()
			check(t, build(t.Context(), p.base))
			before := state(t, p.base)
			tried, updated := 0, 0
			for _, k := range kinds {
				t.Run(k.name, func(t *testing.T) {
					calm := p.copy(t)
					var log fault.Injector
					check(t, k.do(t.Context(), calm.Open(2, &log)))
					after := state(t, calm)
					if where.name == "memory" {
						if orphans := unreached(t, calm); len(orphans) > 0 {
							t.Errorf("left behind by an undisturbed change: %q", orphans)
						}
					}
					p.drop(t, calm)
					old, now := 0, 0
					for _, f := range faults(where.name, log.Calls()) {
						if p.try(t, k, f, before, after) {
							now++
						} else {
							old++
						}
					}
					tried, updated = tried+old+now, updated+now
					t.Logf("%d store calls, disturbed in %d ways: %d left the table at the old state, %d at the new one",
						len(log.Calls()), old+now, old, now)
				})
			}
			t.Logf("%d disturbed changes, %d of them made", tried, updated)
		})
	}
}

// faults are the faults that are tried.
func faults(place string, calls []fault.Call) []fault.Fault {
	all := fault.Single(calls)
	if place == "memory" || os.Getenv("FIRN_CRASH") == "all" {
		return all
	}
	n := 0
	return slices.DeleteFunc(all, func(fault.Fault) bool { n++; return n%20 != len(calls)%20 })
}

// try makes one disturbed change and reports whether the table is at the new state.
func (p *place) try(t *testing.T, k kind, f fault.Fault, before, after []string) bool {
	t.Helper()
	o := p.copy(t)
	defer p.drop(t, o)
	var i fault.Injector
	check(t, i.Arm(f))
	head := func() string {
		name, err := p.catalog.Load(t.Context(), o.ID)
		check(t, err)
		return name
	}
	start := head()
	err := k.do(t.Context(), o.Open(2, &i))
	moved := head() != start
	want := before
	if moved {
		want = after
	}
	if diff := cmp.Diff(want, state(t, o)); diff != "" {
		t.Errorf("%s: neither the old nor the new state: %s", f, diff)
	}
	switch {
	case err == nil && !moved:
		t.Errorf("%s: reported as committed, the table is at the old state", f)
	case err != nil && moved && !k.sweeps && !errors.Is(err, commit.ErrUnknown):
		t.Errorf("%s: reported as not committed, the table is at the new state: %v", f, err)
	}
	now := commit.Open(o.ID, o.Catalog, o.Objects, commit.Options{Location: o.Location}) // with the clock of the store
	report, err := maintain.Orphans(t.Context(), now, maintain.OrphanOptions{
		AgeMillis: iceberg.Optional[int64]{Valid: true}, Force: true,
	})
	check(t, err)
	var found []string
	for _, object := range report.Remaining {
		found = append(found, object.Location)
	}
	slices.Sort(found)
	if diff := cmp.Diff(unreached(t, o), found); diff != "" {
		t.Errorf("%s: orphans (-left behind +found):\n%s", f, diff)
	}
	return moved
}

// state describes a table without ids: the live files of each branch with the number of their deleted rows, schema,
// specs, properties and the number of snapshots. It holds the history to all invariants.
func state(t *testing.T, o testtable.On) []string {
	t.Helper()
	if err := o.Check(t.Context()); err != nil {
		t.Error(err)
	}
	table := o.Open(0, nil)
	head, err := table.Head(t.Context())
	check(t, err)
	m := head.Metadata
	all := []string{
		fmt.Sprintf("schema %v, specs %d, snapshots %d", m.Schema(), len(m.Specs), len(m.Snapshots)),
	}
	for _, key := range slices.Sorted(maps.Keys(m.Properties)) {
		all = append(all, "property "+key+"="+m.Properties[key])
	}
	for _, ref := range m.Refs {
		s, _ := m.Snapshot(ref.SnapshotID)
		x, err := table.Tree(t.Context(), head, s)
		check(t, err)
		var live []string
		for l, err := range tree.Live(t.Context(), x, tree.Full, table.Leaves()) {
			check(t, err)
			live = append(live, fmt.Sprintf("%s %s %d", ref.Name, l.Location, l.Entry.DeletionVector.Val.Cardinality))
		}
		slices.Sort(live)
		all = append(all, live...)
	}
	return all
}

// unreached returns the objects of a table that nothing reaches, found in the dumbest way.
func unreached(t *testing.T, o testtable.On) []string {
	t.Helper()
	table := o.Open(0, nil)
	head, err := table.Head(t.Context())
	check(t, err)
	reached := map[string]bool{head.MetadataLocation: true}
	name := func(stored string) { reached[tree.Resolve(o.Location, stored)] = true }
	for _, entry := range head.Metadata.MetadataLog {
		name(entry.File)
	}
	entry := func(e tree.Entry) {
		name(e.Location)
		name(e.DeletionVector.Val.Location)
	}
	for _, s := range head.Metadata.Snapshots {
		name(s.RootManifest.Val)
		x, err := table.Tree(t.Context(), head, s)
		check(t, err)
		for _, row := range x.Rows {
			entry(row)
			if !row.Manifest.Valid {
				continue
			}
			for leaf, err := range table.Leaves().Leaf(t.Context(), x.Origin, row, tree.Full) {
				check(t, err)
				entry(leaf.Entry)
			}
		}
	}
	var names []string
	for _, name := range list(t, o) {
		if !reached[name] {
			names = append(names, name)
		}
	}
	return names
}
