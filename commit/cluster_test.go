package commit_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/tree"
)

// inPartition returns data file n in a partition of a table that is partitioned by tens of its column.
func inPartition(n int, partition int64) tree.File {
	f := testtable.File(n)
	f.Stats[0].Lower, f.Stats[0].Upper = tree.Long(partition), tree.Long(partition+int64(n%9))
	f.Partition = tree.Tuple{{FieldID: 1000, Value: tree.Long(partition)}}
	f.SpecID = iceberg.Optional[int32]{Val: 1, Valid: true}
	return f
}

// partitioned makes a table partitioned by tens, with leaves of four files of the partitions 0, 10, 20 and 30.
func partitioned(t *testing.T, leaves int) testtable.Store {
	t.Helper()
	s := newStore(t, cap4)
	_, err := s.Open(1, nil).Update(t.Context(), func(m metadata.Table) (metadata.Table, error) {
		spec, err := metadata.ParsePartition("truncate(10, id)", m.Schema())
		if err != nil {
			return m, err
		}
		return m.WithSpec(spec)
	})
	if err != nil {
		t.Fatal(err)
	}
	table := s.Open(2, nil)
	for leaf := range leaves {
		mustCommit(t, table, func(x *commit.Txn) {
			for i := range 4 {
				x.Append(inPartition(leaf*4+i, int64(i)*10))
			}
		})
	}
	return s
}

// ranges returns the bounds of the leaves of a table in order, as policies see them, and how many live files each has.
func ranges(t *testing.T, s testtable.Store) (all []string) {
	t.Helper()
	x := begin(t, s.Open(90, nil), commit.TxnOptions{}, func(*commit.Txn) {})
	in, err := x.PlanInput(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range in.Pointers {
		all = append(all, fmt.Sprintf("%d-%d: %d", p.First, p.Last, p.LiveEntries))
	}
	return all
}

// TestCut: the rows of several leaves are put into the order of their partitions and cut into leaves that have few of them each.
func TestCut(t *testing.T) {
	s := partitioned(t, 4)
	before := ranges(t, s)
	if len(before) < 3 {
		t.Fatalf("leaves %q", before)
	}
	r, err := begin(t, s.Open(3, nil), commit.TxnOptions{Policy: testtable.MergeAll{Leaves: 4}, Mode: policy.Maintenance}, func(*commit.Txn) {}).
		Commit(t.Context())
	if err != nil || r.LeavesWritten != 4 || r.Plan.Leaves() != 4 {
		t.Fatalf("%+v, %v", r, err)
	}
	checkLive(t, s, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
	if got, want := ranges(t, s), []string{"1-2: 4", "3-4: 4", "5-6: 4", "7-8: 4"}; !slices.Equal(got, want) {
		t.Errorf("leaves %q, want %q; before %q", got, want, before)
	}
}

// TestCutIsKept: a retry keeps the leaves of a step together: with what a winner masked in the old ones, or not at all if one of them
// would have no live row or an old leaf is gone.
func TestCutIsKept(t *testing.T) {
	for _, c := range []struct {
		name   string
		winner func(x *commit.Txn)
		merges bool
		// written are the leaves that the loser writes in all attempts.
		written int
		want    []string
	}{
		{"an append", func(x *commit.Txn) { x.Append(inPartition(50, 40)) }, false, 4,
			[]string{"9-10: 1", "1-2: 4", "3-4: 4", "5-6: 4", "7-8: 4"}},
		{"removed files", func(x *commit.Txn) { x.Remove(testtable.Target(0), testtable.Target(5), testtable.Target(6)) }, false, 4,
			[]string{"1-2: 3", "3-4: 3", "5-6: 3", "7-8: 4"}},
		{"a partition is removed", func(x *commit.Txn) {
			x.Remove(testtable.Target(0), testtable.Target(4), testtable.Target(8), testtable.Target(12))
		}, false, 8, nil},
		{"the leaves are rewritten", func(*commit.Txn) {}, true, 8, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := partitioned(t, 4)
			env := testtable.Env(3)
			now := env.NowMillis
			asked := 0
			env.NowMillis = func() int64 { // between the leaves of the first attempt and its swap
				if asked++; asked == 2 {
					o := commit.TxnOptions{}
					if c.merges {
						o = commit.TxnOptions{Policy: testtable.MergeAll{}, Mode: policy.Maintenance}
					}
					if _, err := begin(t, s.Open(9, nil), o, c.winner).Commit(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				return now()
			}
			table := commit.Open(testtable.ID, s.Catalog, s.Objects, commit.Options{Env: env})
			x := begin(t, table, commit.TxnOptions{Policy: testtable.MergeAll{Leaves: 4}, Mode: policy.Maintenance}, func(*commit.Txn) {})
			r, err := x.Commit(t.Context())
			if err != nil || r.Attempts != 2 || r.LeavesWritten != c.written {
				t.Fatalf("%d attempts, %d leaves, %v", r.Attempts, r.LeavesWritten, err)
			}
			if err := s.Check(t.Context()); err != nil {
				t.Error(err)
			}
			if got := ranges(t, s); c.want != nil && !slices.Equal(got, c.want) {
				t.Errorf("leaves %q, want %q", got, c.want)
			}
			checkNoOrphans(t, s)
		})
	}
}

// TestCutOfSeveralSpecs: leaves with rows of several partition specs, of no partition, without bounds, and of a partition whose column is
// gone by now are cut like others, every row stays, and a retry keeps what was written.
func TestCutOfSeveralSpecs(t *testing.T) {
	s := partitioned(t, 2)
	update := func(change func(m metadata.Table) (metadata.Table, error)) {
		t.Helper()
		if _, err := s.Open(4, nil).Update(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	update(func(m metadata.Table) (metadata.Table, error) {
		return m.EvolveSchema(metadata.AddColumn{Name: "day", Type: iceberg.PrimitiveTypes.Date})
	})
	update(func(m metadata.Table) (metadata.Table, error) {
		day, err := metadata.ParsePartitionField("day")
		if err != nil {
			return m, err
		}
		return m.EvolveSpec(metadata.DropPartitionField{Name: "id_trunc"}, day)
	})
	of := func(n int, spec int32, partition tree.Tuple) tree.File {
		f := testtable.File(n)
		f.SpecID, f.Partition = iceberg.Optional[int32]{Val: spec, Valid: true}, partition
		if n%2 == 0 {
			f.Stats = nil
		}
		return f
	}
	mustCommit(t, s.Open(5, nil), func(x *commit.Txn) {
		for i := range 4 {
			x.Append(of(20+i, 2, tree.Tuple{{FieldID: 1001, Value: tree.Date(int32(20_000 - i))}}))
		}
		x.Append(of(30, 2, tree.Tuple{{FieldID: 1001}}), of(31, 1, tree.Tuple{{FieldID: 1000}}), testtable.File(32))
	})
	update(func(m metadata.Table) (metadata.Table, error) {
		return m.EvolveSpec(metadata.DropPartitionField{Name: "day"})
	})
	update(func(m metadata.Table) (metadata.Table, error) {
		return m.EvolveSchema(metadata.DropColumn{Column: "day"})
	})
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 20, 21, 22, 23, 30, 31, 32}
	checkLive(t, s, all...)

	env := testtable.Env(6)
	now, asked := env.NowMillis, 0
	env.NowMillis = func() int64 { // between the leaves of the first attempt and its swap
		if asked++; asked == 2 {
			mustCommit(t, s.Open(9, nil), func(x *commit.Txn) { x.Remove(testtable.Target(2), testtable.Target(21)) })
		}
		return now()
	}
	table := commit.Open(testtable.ID, s.Catalog, s.Objects, commit.Options{Env: env})
	r, err := begin(t, table, commit.TxnOptions{Policy: testtable.MergeAll{Leaves: 3}, Mode: policy.Maintenance}, func(*commit.Txn) {}).Commit(t.Context())
	if err != nil || r.Attempts != 2 || r.LeavesWritten != 3 {
		t.Fatalf("%d attempts, %d leaves, %v", r.Attempts, r.LeavesWritten, err)
	}
	checkLive(t, s, 0, 1, 3, 4, 5, 6, 7, 20, 22, 23, 30, 31, 32)
	if leaves := ranges(t, s); len(leaves) != 3 {
		t.Errorf("leaves %q", leaves)
	}
	checkNoOrphans(t, s)
}
