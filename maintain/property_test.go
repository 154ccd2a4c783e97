package maintain_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/tree"
)

// model is a world under random changes.
type model struct {
	*world
	live []int
	next int
	row  uint64
}

// pick takes some of the live files.
func (m *model) pick(r *rapid.T) []int {
	n := rapid.IntRange(1, min(3, len(m.live))).Draw(r, "count")
	return rapid.Permutation(m.live).Draw(r, "files")[:n]
}

// step changes the table in a random way.
func (m *model) step(r *rapid.T) {
	what := rapid.SampledFrom([]string{"append", "append", "remove", "rows", "fold", "rewrite", "restore"}).Draw(r, "change")
	if len(m.live) == 0 {
		what = "append"
	}
	switch what {
	case "append":
		n := rapid.IntRange(1, 4).Draw(r, "files")
		var added []int
		for range n {
			m.next++
			added = append(added, m.next)
		}
		m.append(nil, added...)
		m.live = append(m.live, added...)
	case "remove":
		gone := m.pick(r)
		m.commit(commit.TxnOptions{}, func(x *commit.Txn) {
			for _, n := range gone {
				x.Remove(testtable.Target(n))
			}
		})
		m.live = slices.DeleteFunc(m.live, func(n int) bool { return slices.Contains(gone, n) })
	case "rows":
		m.row++
		m.deleteRows(m.row, m.pick(r)...)
	case "fold":
		m.tidy(r)
	case "rewrite":
		m.rewrite(r)
	case "restore":
		m.restore(r)
	}
}

// tidy folds a random leaf, if there is one.
func (m *model) tidy(r *rapid.T) {
	which := rapid.IntRange(0, 5).Draw(r, "leaf")
	m.commit(commit.TxnOptions{Mode: policy.Maintenance, Policy: script(func(in policy.Input) []policy.Step {
		if which >= len(in.Pointers) || in.Pointers[which].LiveEntries == 0 {
			return nil
		}
		return []policy.Step{{Kind: policy.Fold, Written: -1, Members: []policy.Ref{{Source: policy.FromPointers, Index: which}}}}
	})}, func(*commit.Txn) {})
}

// rewrite compacts some files into one.
func (m *model) rewrite(r *rapid.T) {
	old := m.pick(r)
	m.next++
	m.put(file(m.next))
	m.commit(commit.TxnOptions{}, func(x *commit.Txn) {
		var targets []commit.Target
		for _, n := range old {
			targets = append(targets, testtable.Target(n))
		}
		f := testtable.File(m.next)
		f.Stats = nil
		x.Rewrite(targets, []tree.File{f}, x.Base().Tree.Origin.SnapshotID)
	})
	m.live = slices.DeleteFunc(m.live, func(n int) bool { return slices.Contains(old, n) })
	m.live = append(m.live, m.next)
}

// restore goes back to a retained snapshot.
func (m *model) restore(r *rapid.T) {
	snapshots := m.head().Metadata.Snapshots
	s := rapid.SampledFrom(snapshots).Draw(r, "snapshot")
	m.commit(commit.TxnOptions{}, func(x *commit.Txn) { x.Restore(s.ID) })
	names, err := m.Live(m.Context())
	if err != nil {
		r.Fatal(err)
	}
	m.live = nil
	for n := 1; n <= m.next; n++ {
		if slices.Contains(names, file(n)) {
			m.live = append(m.live, n)
		}
	}
}

// check holds the store to the table: what each retained snapshot shows is there, its change feed can be read where its
// parent is retained, and all the rest is told of by a tombstone. It does not rely on the package's own reachability.
func (m *model) check(r *rapid.T) {
	head := m.head()
	shown := make(map[string]bool)
	for _, s := range head.Metadata.Snapshots {
		t, err := m.table.Tree(m.Context(), head, s)
		if err != nil {
			r.Fatal(err)
		}
		shown[t.Root] = true
		at := *head
		at.Tree = t
		for _, row := range t.Rows {
			if row.Content.IsManifest() {
				shown[tree.Resolve(head.Location, row.Location)] = true
			}
		}
		for l, err := range m.table.Files(m.Context(), &at, tree.Full) {
			m.show(r, shown, l, err)
			if l.Entry.DeletionVector.Valid {
				shown[tree.Resolve(head.Location, l.Entry.DeletionVector.Val.Location)] = true
			}
		}
		parent := t.ParentSnapshotID
		if _, ok := head.Metadata.Snapshot(parent.Val); parent.Valid && !ok {
			m.tombstones(r, shown, t)
			continue
		}
		for _, err := range m.table.Changes(m.Context(), &at, tree.Projection{}) {
			if err != nil {
				r.Fatal(err)
			}
		}
	}
	shown[head.MetadataLocation] = true
	for _, entry := range head.Metadata.MetadataLog {
		shown[tree.Resolve(head.Location, entry.File)] = true
	}
	for name := range shown {
		if _, err := m.Objects.Stat(m.Context(), name); err != nil {
			r.Errorf("shown and gone: %v", err)
		}
	}
	for _, name := range m.Objects.Names() {
		if !shown[name] {
			r.Errorf("%s is there and nothing shows it", name)
		}
	}
}

func (m *model) show(r *rapid.T, shown map[string]bool, l tree.Located, err error) {
	if err != nil {
		r.Fatal(err)
	}
	shown[l.Location] = true
}

// tombstones notes the files that a snapshot without its parent removed: rows of its own, and everything in leaves that
// it modified whose position its delta bitmaps have.
func (m *model) tombstones(r *rapid.T, shown map[string]bool, t tree.Tree) {
	for _, row := range t.Rows {
		own := row.Tracking.SnapshotID.Val == t.Origin.SnapshotID
		switch {
		case !row.Content.IsManifest():
			if own && !row.Tracking.Status.Live() {
				shown[tree.Resolve(t.Origin.TableLocation, row.Location)] = true
			}
		case row.Tracking.ModifiedSnapshotID.Val == t.Origin.SnapshotID, own:
			taken := bitmapOf(r, row.Tracking.DeletedPositions).Union(bitmapOf(r, row.Tracking.ReplacedPositions))
			for member, err := range m.table.Leaves().Leaf(m.Context(), t.Origin, row, tree.Projection{}) {
				if err != nil {
					r.Fatal(err)
				}
				dead := own && !member.Entry.Tracking.Status.Live()
				if dead || taken.Contains(uint32(member.Position)) {
					shown[tree.Resolve(t.Origin.TableLocation, member.Entry.Location)] = true
				}
			}
		}
	}
}

// TestHistories makes random histories and expires them in random ways.
func TestHistories(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := &model{world: newWorld(t, map[string]string{"firn.policy": "cap", "firn.policy.rows": "4"})}
		for range rapid.IntRange(1, 4).Draw(r, "rounds") {
			for range rapid.IntRange(1, 8).Draw(r, "steps") {
				m.step(r)
			}
			kept := keep(rapid.IntRange(1, 6).Draw(r, "keep"))
			before := m.live
			_, err := maintain.Expire(t.Context(), m.table, maintain.ExpireOptions{
				Policy: kept, MaxDeletes: rapid.IntRange(0, 5).Draw(r, "limit"),
			})
			if err != nil {
				r.Fatal(err)
			}
			if rapid.Bool().Draw(r, "resume") {
				m.expire(maintain.ExpireOptions{Policy: kept, Resume: true})
			} else {
				m.orphans(maintain.OrphanOptions{Delete: true})
			}
			m.check(r)
			names, err := m.Live(t.Context())
			if err != nil || len(names) != len(before) {
				r.Errorf("live: %v, %v", names, err)
			}
			if err := m.Check(t.Context()); err != nil {
				r.Error(err)
			}
		}
	})
}
