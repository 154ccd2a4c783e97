package sim

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// limited is a run under the policy adaptive with limits that its table comes to.
func limited(t *testing.T, seed uint64) Config {
	t.Helper()
	p, err := ProfileByName("cdc")
	if err != nil {
		t.Fatal(err)
	}
	p.Append, p.MaxFiles = 60, 12
	return Config{
		Seed: seed, Profile: p, Writers: 3, Commits: 200, Policy: "adaptive", RowBytes: 250, Properties: map[string]string{
			choose.PropertyRootBytes: "12000", choose.PropertyLeafBytes: "20000", choose.PropertyForegroundBytes: "6000",
		},
	}
}

// heavy is a codec whose roots are longer than anybody thinks.
type heavy struct{ *Codec }

func (c heavy) PutRoot(ctx context.Context, objects store.Objects, name string, s manifestio.Schema, rows []tree.Entry) (int64, error) {
	n, err := c.Codec.PutRoot(ctx, objects, name, s, rows)
	if m := c.manifests[name]; m != nil {
		m.bytes = 3 * n
	}
	return 3 * n, err
}

// TestRootLimit: roots that are longer than the policy reckons are found.
func TestRootLimit(t *testing.T) {
	w, err := NewWorld(limited(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	w.codec = heavy{w.codec.(*Codec)}
	for _, x := range w.writers {
		x.forget()
	}
	r, err := w.run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Violations) == 0 || r.Violations[0].Check != checkRoot {
		t.Errorf("found %v, want %s", r.Violations, checkRoot)
	}
}

// TestRootLimitOfWideRows: a table whose rows take more than estimated keeps the limit of its root when it has no leaf that teaches it what
// they take.
func TestRootLimitOfWideRows(t *testing.T) {
	const limit = 300_000
	c := limited(t, 4)
	c.Profile.Columns, c.Profile.MostFiles, c.Commits, c.RowBytes = 8, 500, 500, 900
	c.Properties = map[string]string{choose.PropertyRootBytes: strconv.Itoa(limit), choose.PropertyRequestBytes: "60000000"}
	w, err := NewWorld(c)
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.run(t.Context(), nil)
	if err != nil || len(r.Violations) > 0 {
		t.Fatal(r.Violations, err)
	}
	if r.Largest.RootBytes > limit || r.Largest.RootBytes < limit/2 {
		t.Errorf("a root of %d bytes, at most %d", r.Largest.RootBytes, limit)
	}
}

// TestForegroundLimit: commits that were planned with one limit break a lower one, unless the root has no room and the plan says so.
func TestForegroundLimit(t *testing.T) {
	for _, test := range []struct {
		limit, root int64
		said, found bool
	}{
		{6000, 1 << 40, false, false},
		{100, 1 << 40, true, true},
		{100, 1, true, false},
		{100, 1, false, true},
	} {
		found, most := false, int64(0)
		before := named{}
		_, err := Watch(t.Context(), limited(t, 2), func(w *World, _ Action) error {
			defer func() { before = named{w.metadata, w.name, nil} }()
			s, there := w.metadata.Current()
			if _, known := before.Snapshot(s.ID); !there || known || w.intents[s.ID].began != before.name {
				return nil
			}
			on := before
			on.Properties = map[string]string{
				choose.PropertyPolicy: "adaptive", choose.PropertyForegroundBytes: strconv.FormatInt(test.limit, 10),
				choose.PropertyRootBytes: strconv.FormatInt(test.root, 10),
			}
			w.saidRoot[s.ID] = test.said
			parent, child := w.trees[s.ParentID.Val], w.trees[s.ID]
			d, err := w.diff(t.Context(), parent, child)
			if err != nil {
				return err
			}
			had, largest := len(w.violations), w.largest
			err = w.compareLimits(t.Context(), commitStep{w.intents[s.ID], on, s, parent, child, d.changes()})
			for _, v := range w.violations[had:] {
				found = found || v.Check == checkForeground
			}
			w.violations, most = w.violations[:had], max(most, w.largest.RewrittenBytes)
			w.largest = largest
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if found != test.found {
			t.Errorf("%+v: found %t", test, found)
		}
		if test.limit > 100 && most < test.limit/2 {
			t.Errorf("no commit comes near %d bytes: the most are %d", test.limit, most)
		}
	}
}

// TestThinnedPointers: roots near their limit have thin pointers, and one that has lost the statistics of a column by which the table is
// partitioned is found.
func TestThinnedPointers(t *testing.T) {
	config := limited(t, 3)
	config.Profile.Columns, config.Profile.Spec, config.Commits = 6, 2, 400
	config.Properties[choose.PropertyRootBytes] = "12500"
	tried, last := 0, Largest{}
	_, err := Watch(t.Context(), config, func(w *World, _ Action) error {
		last = w.largest
		s, there := w.metadata.Current()
		child, retained := w.trees[s.ID]
		c := commitStep{on: named{w.metadata, w.name, nil}, s: s, before: child}
		if !there || !retained || c.partitioned() == 0 || tried == 20 {
			return nil
		}
		for _, keep := range []bool{true, false} {
			c.after = child
			c.after.Rows = slices.Clone(child.Rows)
			lost := false
			for i := range c.after.Rows {
				e := &c.after.Rows[i]
				if !e.Content.IsManifest() {
					continue
				}
				e.Stats = slices.DeleteFunc(slices.Clone(e.Stats), func(f tree.FieldStats) bool {
					drop := (c.partitioned()&(1<<f.FieldID) != 0) != keep
					lost = lost || drop && !keep
					return drop
				})
			}
			had := len(w.violations)
			w.compareThinned(c)
			found := len(w.violations) > had
			w.violations = w.violations[:had]
			if found != lost {
				t.Errorf("statistics of the partitions' columns kept: %t, found: %t", keep, found)
			}
			if lost {
				tried++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if tried == 0 || last.Thinned == 0 {
		t.Errorf("%d roots with pointers of a partitioned table, %d thinned pointers", tried, last.Thinned)
	}
}
