package attack_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"slices"

	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/tree"
)

// rowWorld is one table whose data files hold numbered rows. It knows which rows each file holds, sees every swap of
// the catalog, and holds the rows of each new snapshot against those of its parent and what its transaction meant to
// do. It believes nothing that a commit says.
type rowWorld struct {
	store   testtable.Store
	transit fault.Transit
	// content are the rows of each file by location, and origin is of which row another one is a newer state.
	content map[string][]int
	origin  map[int]int
	// live are the live rows of each snapshot, by id.
	live    map[int64]map[int]bool
	intents map[int64]*rowIntent
	// deleted are the objects that somebody deleted.
	deleted map[string]bool
	// published are the metadata files that the catalog ever named, denied those of commits that were reported as failed.
	published, denied map[string]bool
	rows, files       int
	r                 *rand.Rand
	steps, problems   []string
}

// rowIntent is what a transaction means to do.
type rowIntent struct {
	gone, come []int
	// meant are the rows that a user meant to delete or to update, whatever state they are in.
	meant    []int
	restored int64
}

// log notes a step, for people.
func (w *rowWorld) log(format string, args ...any) {
	w.steps = append(w.steps, fmt.Sprintf(format, args...))
}

func (w *rowWorld) problem(format string, args ...any) {
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

// witness is the catalog below all faults.
type witness struct {
	store.Catalog
	world *rowWorld
}

func (c witness) Swap(ctx context.Context, id store.TableID, old, new string) error {
	err := c.Catalog.Swap(ctx, id, old, new)
	if err == nil {
		c.world.sees(context.WithoutCancel(ctx), new)
	}
	return err
}

// remover notes what is deleted.
type remover struct {
	store.Objects
	world *rowWorld
}

func (o remover) Delete(ctx context.Context, name string) error {
	o.world.deleted[name] = true
	return o.Objects.Delete(ctx, name)
}

// sees judges the snapshots of a metadata file that were not seen before.
func (w *rowWorld) sees(ctx context.Context, name string) {
	w.published[name] = true
	if w.denied[name] {
		w.problem("%s landed after its commit was reported as failed", name)
	}
	table := w.store.Open(0, nil)
	m, err := table.Metadata(ctx, name)
	if err != nil {
		w.problem("metadata: %v", err)
		return
	}
	for _, s := range m.Snapshots {
		if w.live[s.ID] == nil {
			w.judge(ctx, m, s)
		}
	}
	for ref := range m.AllRefs() {
		if _, ok := m.Snapshot(ref.SnapshotID); !ok {
			w.problem("%s names snapshot %d, which is not listed", ref.Name, ref.SnapshotID)
		}
	}
}

// judge compares the rows of a snapshot with what they should be.
func (w *rowWorld) judge(ctx context.Context, m metadata.Table, s metadata.Snapshot) {
	got, err := w.rowsOf(ctx, m, s)
	if err != nil {
		w.problem("snapshot %d: %v", s.ID, err)
	}
	w.live[s.ID] = got
	in := w.intents[s.ID]
	if in == nil {
		w.problem("snapshot %d: nobody made it", s.ID)
		return
	}
	want := maps.Clone(w.live[s.ParentID.Val])
	if in.restored != 0 {
		want = maps.Clone(w.live[in.restored])
	}
	if want == nil {
		want = make(map[int]bool)
	}
	for _, row := range in.gone {
		delete(want, row)
	}
	for _, row := range in.come {
		want[row] = true
	}
	if lost, revived := without(want, got), without(got, want); len(lost)+len(revived) > 0 {
		w.problem("snapshot %d: rows %v are lost, rows %v are live and should not be", s.ID, lost, revived)
	}
	w.judgeStates(s, in)
}

// judgeStates checks that no row has two states, that an update is one of a row that was there, and that what was to be
// deleted lives on in no newer state.
func (w *rowWorld) judgeStates(s metadata.Snapshot, in *rowIntent) {
	states := make(map[int]int)
	for _, row := range without(w.live[s.ID], nil) {
		if other, twice := states[w.origin[row]]; twice {
			w.problem("snapshot %d: rows %d and %d are two states of one row", s.ID, other, row)
		}
		states[w.origin[row]] = row
	}
	for _, row := range in.meant {
		now, lives := states[w.origin[row]]
		ours := slices.Contains(in.come, now)
		if lives && !ours || ours && !w.live[s.ParentID.Val][row] {
			w.problem("snapshot %d: row %d was to go, or to be updated: now it is %d, before it was live: %t",
				s.ID, row, now, w.live[s.ParentID.Val][row])
		}
	}
}

// without returns the rows of one set that another lacks, sorted.
func without(set, other map[int]bool) []int {
	var rows []int
	for row := range set {
		if !other[row] {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	return rows
}

// rowsOf returns the live rows of a snapshot.
func (w *rowWorld) rowsOf(ctx context.Context, m metadata.Table, s metadata.Snapshot) (map[int]bool, error) {
	codec := treeio.Parquet{}
	t, err := treeio.Tree(ctx, codec, w.store.Objects, m, testtable.Location, s)
	if err != nil {
		return nil, err
	}
	rows := make(map[int]bool)
	for l, err := range tree.Live(ctx, t, tree.Full, codec.Leaves(w.store.Objects)) {
		if err != nil {
			return nil, err
		}
		left, err := w.left(ctx, l)
		if err != nil {
			return nil, err
		}
		if w.deleted[l.Location] {
			return rows, fmt.Errorf("%s is live and was deleted", l.Location)
		}
		for _, row := range left {
			if rows[row] {
				return rows, fmt.Errorf("row %d is live twice, the second time in %s", row, l.Location)
			}
			rows[row] = true
		}
	}
	return rows, nil
}

// readable checks that all retained snapshots can be read, and have the rows that they had.
func (w *rowWorld) readable(ctx context.Context) {
	head, err := w.store.Open(0, nil).Head(ctx)
	if err != nil {
		w.problem("head: %v", err)
	}
	for _, s := range head.Metadata.Snapshots {
		if rows, err := w.rowsOf(ctx, head.Metadata, s); err != nil || !maps.Equal(rows, w.live[s.ID]) {
			w.problem("snapshot %d has other rows than it had: %v", s.ID, err)
		}
	}
	if err := w.store.Check(ctx); err != nil {
		w.problem("%v", err)
	}
}

// left returns the rows of a file that are not deleted.
func (w *rowWorld) left(ctx context.Context, l tree.Located) ([]int, error) {
	var deleted dv.Vector
	if v := l.Entry.DeletionVector; v.Valid {
		var err error
		deleted, err = dv.Read(ctx, w.store.Objects, v.Val, tree.Resolve(testtable.Location, v.Val.Location), l.Entry.RecordCount, dv.Limits{})
		if err != nil {
			return nil, err
		}
	}
	var rows []int
	for i, row := range w.content[l.Location] {
		if !deleted.Contains(uint64(i)) {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// newFile makes a file of these rows.
func (w *rowWorld) newFile(rows []int) tree.File {
	w.files++
	f := testtable.File(w.files)
	f.RecordCount = int64(len(rows))
	f.Stats = nil
	w.content[f.Location] = rows
	return f
}

// newRows makes rows that are states of no other one, or a newer state of each of some.
func (w *rowWorld) newRows(n int, states ...int) []int {
	var rows []int
	for i := range max(n, len(states)) {
		w.rows++
		rows = append(rows, w.rows)
		w.origin[w.rows] = w.rows
		if len(states) > 0 {
			w.origin[w.rows] = w.origin[states[i]]
		}
	}
	return rows
}
