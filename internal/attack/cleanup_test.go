package attack_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

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
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/tree"
)

// yard is a table whose data files exist, as empty objects, and that is cleaned up.
type yard struct {
	t rapid.TB
	testtable.Store
	table *commit.Table
}

// newYard makes a table.
func newYard(t rapid.TB, properties map[string]string) *yard {
	t.Helper()
	s, err := testtable.New(context.Background(), properties)
	if err != nil {
		t.Fatal(err)
	}
	return &yard{t, s, s.Open(1, nil)}
}

// as is the same table, opened by somebody else through an injector.
func (y *yard) as(seed int64, i *fault.Injector) *yard { return &yard{y.t, y.Store, y.Open(seed, i)} }

// put makes objects that are not there yet.
func (y *yard) put(names ...string) {
	y.t.Helper()
	for _, name := range names {
		if err := y.Objects.Put(context.Background(), name, []byte("data")); err != nil && !errors.Is(err, store.ErrExists) {
			y.t.Fatal(err)
		}
	}
}

// commit commits a change that must succeed.
func (y *yard) commit(o commit.TxnOptions, change func(*commit.Txn)) commit.Result {
	y.t.Helper()
	x, err := y.table.Begin(context.Background(), o)
	if err != nil {
		y.t.Fatal(err)
	}
	change(x)
	r, err := x.Commit(context.Background())
	if err != nil {
		y.t.Fatal(err)
	}
	return r
}

// add appends files, each row by itself in the root or all in one leaf.
func (y *yard) add(leaf bool, numbers ...int) commit.Result {
	y.t.Helper()
	var files []tree.File
	for _, n := range numbers {
		files = append(files, testtable.File(n))
	}
	return y.addFiles(leaf, files...)
}

func (y *yard) addFiles(leaf bool, files ...tree.File) commit.Result {
	y.t.Helper()
	for _, f := range files {
		y.put(tree.Resolve(testtable.Location, f.Location))
	}
	return y.commit(commit.TxnOptions{Policy: loose(leaf)}, func(x *commit.Txn) { x.Append(files...) })
}

// loose is a policy that leaves everything in the root, or else writes all new files into one leaf.
func loose(leaf bool) policy.Policy {
	if !leaf {
		return simple.Never{}
	}
	return stepping(func(in policy.Input) (step policy.Step) {
		step.Kind = policy.Push
		for i := range in.New {
			step.Members = append(step.Members, policy.Ref{Source: policy.FromNew, Index: i})
		}
		return step
	})
}

// folding is a policy that folds the pointer of an index, if it has a live row.
func folding(which int) policy.Policy {
	return stepping(func(in policy.Input) (step policy.Step) {
		if which < len(in.Pointers) && in.Pointers[which].LiveEntries > 0 {
			step = policy.Step{Kind: policy.Fold, Members: []policy.Ref{{Source: policy.FromPointers, Index: which}}}
		}
		return step
	})
}

// stepping is a policy of one step, if that has members, which keeps what an earlier attempt wrote.
func stepping(next func(policy.Input) policy.Step) policy.Policy {
	return planner(func(in policy.Input) (policy.Plan, error) {
		plan, err := simple.Never{}.Plan(in)
		if step := next(in); len(plan.Steps) == 0 && len(step.Members) > 0 {
			step.Written = -1
			plan.Steps = append(plan.Steps, step)
		}
		return plan, err
	})
}

func (y *yard) remove(numbers ...int) commit.Result {
	y.t.Helper()
	return y.commit(commit.TxnOptions{Policy: simple.Never{}}, func(x *commit.Txn) {
		for _, n := range numbers {
			x.Remove(testtable.Target(n))
		}
	})
}

// rows deletes one row of each file, with one Puffin file for all.
func (y *yard) rows(row uint64, numbers ...int) commit.Result {
	y.t.Helper()
	return y.commit(commit.TxnOptions{Policy: simple.Never{}}, func(x *commit.Txn) {
		for _, n := range numbers {
			x.ExtendDV(testtable.Target(n), vector(y.t, row), commit.DVOptions{})
		}
	})
}

func vector(t rapid.TB, rows ...uint64) dv.Vector {
	t.Helper()
	v, err := dv.Of(rows...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (y *yard) update(change commit.MetadataChange) {
	y.t.Helper()
	if _, err := y.table.Update(context.Background(), change); err != nil {
		y.t.Fatal(err)
	}
}

// newest keeps so many snapshots of each branch and no more.
func newest(n int) metadata.ExpiryPolicy {
	return metadata.ExpiryPolicy{KeepLast: n, OlderThanMillis: some(int64(math.MaxInt64))}
}

// refsToo lets branches and tags go too, and all of main but its head.
var refsToo = metadata.ExpiryPolicy{KeepLast: 1, OlderThanMillis: some(int64(math.MaxInt64)), MaxRefAgeMillis: 1}

func (y *yard) expire(o maintain.ExpireOptions) maintain.ExpireReport {
	y.t.Helper()
	r, err := maintain.Expire(context.Background(), y.table, o)
	if err != nil {
		y.t.Fatal(err)
	}
	return r
}

// everything are the options with which a search finds all that is not reached.
var everything = maintain.OrphanOptions{Delete: true, Force: true, AgeMillis: some(int64(0))}

func (y *yard) orphans(o maintain.OrphanOptions) maintain.OrphanReport {
	y.t.Helper()
	r, err := maintain.Orphans(context.Background(), y.table, o)
	if err != nil {
		y.t.Fatal(err)
	}
	return r
}

// there reports whether an object exists.
func (y *yard) there(name string) bool {
	_, err := y.Objects.Stat(context.Background(), name)
	return err == nil
}

// puffins are the files of deletion vectors.
func (y *yard) puffins() []string {
	return slices.DeleteFunc(y.Objects.Names(), func(name string) bool { return !strings.HasSuffix(name, ".puffin") })
}

// check holds the table to all invariants, and the store to the table. It returns the objects that nothing shows.
func (y *yard) check() (rest []string) {
	y.t.Helper()
	if err := y.Check(context.Background()); err != nil {
		y.t.Error(err)
	}
	shown, err := show(context.Background(), y.Open(0, nil))
	if err != nil {
		y.t.Error(err)
	}
	for _, name := range y.Objects.Names() {
		if !shown[name] {
			rest = append(rest, name)
		}
	}
	return rest
}

// clean is check for a table of which nothing may be left over.
func (y *yard) clean() {
	y.t.Helper()
	if diff := cmp.Diff([]string(nil), y.check()); diff != "" {
		y.t.Errorf("left over:\n%s", diff)
	}
}

// show reads everything that a table shows, without the help of package maintain: every retained snapshot with its live
// files, its deletion vectors and its change feed, and the metadata files of the log. It fails if any of it is gone.
func show(ctx context.Context, table *commit.Table) (map[string]bool, error) {
	head, err := table.Head(ctx)
	if err != nil {
		return nil, err
	}
	shown := map[string]bool{head.MetadataLocation: true}
	for _, entry := range head.Metadata.MetadataLog {
		shown[tree.Resolve(head.Location, entry.File)] = true
	}
	for _, name := range statistics(head.Metadata) {
		shown[tree.Resolve(head.Location, name)] = true
	}
	var problems []error
	for _, s := range head.Metadata.Snapshots {
		if err := showSnapshot(ctx, table, *head, s, shown); err != nil {
			problems = append(problems, fmt.Errorf("snapshot %d: %w", s.ID, err))
		}
	}
	for name := range shown {
		if _, err := table.Objects().Stat(ctx, name); err != nil {
			problems = append(problems, fmt.Errorf("shown and gone: %w", err))
		}
	}
	return shown, errors.Join(problems...)
}

func showSnapshot(ctx context.Context, table *commit.Table, at commit.Head, s metadata.Snapshot, shown map[string]bool) error {
	var err error
	if at.Tree, err = table.Tree(ctx, &at, s); err != nil {
		return err
	}
	shown[at.Tree.Root] = true
	for l, err := range table.Files(ctx, &at, tree.Full) {
		if err != nil {
			return err
		}
		shown[l.Location] = true
		if place := l.Entry.DeletionVector; place.Valid {
			name := tree.Resolve(at.Location, place.Val.Location)
			shown[name] = true
			if _, err := dv.Read(ctx, table.Objects(), place.Val, name, l.Entry.RecordCount, dv.Limits{}); err != nil {
				return err
			}
		}
	}
	if err := showTombstones(ctx, table, at.Tree, shown); err != nil {
		return err
	}
	if _, retained := at.Metadata.Snapshot(at.Tree.ParentSnapshotID.Val); at.Tree.ParentSnapshotID.Valid && !retained {
		return nil
	}
	for c, err := range table.Changes(ctx, &at, tree.Projection{}) {
		if err != nil {
			return fmt.Errorf("change feed: %w", err)
		}
		shown[c.Location] = true
	}
	return nil
}

// showTombstones shows the leaves of a root, and the files that its snapshot itself removed.
func showTombstones(ctx context.Context, table *commit.Table, t tree.Tree, shown map[string]bool) error {
	own := func(id int64) bool { return id == t.Origin.SnapshotID }
	for _, row := range t.Rows {
		name := tree.Resolve(t.Origin.TableLocation, row.Location)
		if !row.Content.IsManifest() {
			shown[name] = shown[name] || own(row.Tracking.SnapshotID.Val)
			continue
		}
		shown[name] = true
		taken, err := positions(row)
		if err != nil {
			return err
		}
		for member, err := range table.Leaves().Leaf(ctx, t.Origin, row, tree.Projection{}) {
			if err != nil {
				return err
			}
			buried := own(member.Entry.Tracking.SnapshotID.Val) && !member.Entry.Tracking.Status.Live()
			if buried || own(row.Tracking.ModifiedSnapshotID.Val) && taken.Contains(uint32(member.Position)) {
				shown[tree.Resolve(t.Origin.TableLocation, member.Entry.Location)] = true
			}
		}
	}
	return nil
}

// positions are those that a pointer says were deleted or replaced.
func positions(row tree.Entry) (all mdv.Bitmap, err error) {
	for _, data := range [][]byte{row.Tracking.DeletedPositions, row.Tracking.ReplacedPositions} {
		if data == nil {
			continue
		}
		b, err := mdv.Parse(data)
		if err != nil {
			return all, err
		}
		all = all.Union(b)
	}
	return all, nil
}

// listing makes a file the statistics of a snapshot.
func listing(snapshotID int64, name string) commit.MetadataChange {
	return func(m metadata.Table) (metadata.Table, error) {
		if _, ok := m.Snapshot(snapshotID); !ok {
			return m, errors.New("the snapshot has gone")
		}
		m.Unknown = slices.DeleteFunc(slices.Clone(m.Unknown), func(member metadata.Member) bool { return member.Name == "statistics" })
		text := fmt.Sprintf(`[{"snapshot-id":%d,"statistics-path":%q,"file-size-in-bytes":4}]`, snapshotID, name)
		m.Unknown = append(m.Unknown, metadata.Member{Name: "statistics", JSON: text})
		return m, nil
	}
}

// statistics returns the statistics files of a table, as they are stored.
func statistics(m metadata.Table) (names []string) {
	for _, member := range m.Unknown {
		for _, part := range strings.Split(member.JSON, `"statistics-path":"`)[1:] {
			name, _, _ := strings.Cut(part, `"`)
			names = append(names, name)
		}
	}
	return names
}
