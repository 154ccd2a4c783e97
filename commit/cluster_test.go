package commit_test

import (
	"fmt"
	"slices"
	"strings"
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
	if got, want := ranges(t, s), []string{"1-1: 4", "2-2: 4", "3-3: 4", "4-4: 4"}; !slices.Equal(got, want) {
		t.Errorf("leaves %q, want %q; before %q", got, want, before)
	}
}

// TestCutWherePartitionsBegin: leaves are cut where a partition begins if one does near where they would be cut, and no leaf has more rows
// than its limit.
func TestCutWherePartitionsBegin(t *testing.T) {
	for _, c := range []struct {
		name   string
		sizes  []int
		leaves int
		limit  int64
		want   []string
	}{
		{"a little before and after", []int{13, 11, 12}, 3, 0, []string{"1-1: 13", "2-2: 11", "3-3: 12"}},
		{"too far", []int{18, 18}, 3, 0, []string{"1-1: 12", "1-2: 12", "2-2: 12"}},
		{"more partitions than leaves", []int{4, 5, 4, 5, 4, 5, 4, 5}, 3, 0, []string{"1-2: 13", "3-4: 9", "5-6: 14"}},
		{"no more room", []int{13, 11, 12}, 3, 12, []string{"1-1: 12", "1-2: 12", "3-3: 12"}},
		{"no room for the rest", []int{11, 13, 12}, 3, 12, []string{"1-2: 12", "2-2: 12", "3-3: 12"}},
		{"some room", []int{13, 11, 11}, 3, 12, []string{"1-1: 11", "1-2: 12", "2-3: 12"}},
	} {
		s := partitioned(t, 0)
		n := 0
		mustCommit(t, s.Open(2, nil), func(x *commit.Txn) {
			for i, size := range c.sizes {
				for range size {
					x.Append(inPartition(n, int64(i)*10))
					n++
				}
			}
		})
		o := commit.TxnOptions{Policy: testtable.MergeAll{Leaves: c.leaves}, Mode: policy.Maintenance, Limits: policy.Limits{LeafRows: c.limit}}
		if _, err := begin(t, s.Open(3, nil), o, func(*commit.Txn) {}).Commit(t.Context()); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := ranges(t, s); !slices.Equal(got, c.want) {
			t.Errorf("%s: leaves %q, want %q", c.name, got, c.want)
		}
	}
}

// TestPolicySeesPartitions: a policy is told where the partitions of leaves and of files stand: periods of time by their number, others
// between the bounds of leaves, and files whose partition is not known nowhere; and it knows how old files are.
func TestPolicySeesPartitions(t *testing.T) {
	day := func(n int, v int64) tree.File { // whose day lies in month v
		f := testtable.File(n)
		f.Stats = tree.Stats{{FieldID: 2, Lower: tree.Date(int32(v * 31)), Upper: tree.Date(int32(v * 31))}}
		f.Partition = tree.Tuple{{FieldID: 1000, Value: tree.Int(int32(v))}}
		f.SpecID = iceberg.Optional[int32]{Val: 1, Valid: true}
		return f
	}
	for _, c := range []struct {
		partition string
		of        func(n int, v int64) tree.File
		want      string
	}{
		{"truncate(10, id)", func(n int, v int64) tree.File { return inPartition(n, v*10) }, "1-2 1-3 0-1 1-1 1-2 2-2 2-3 3-3 3-4 0-0"},
		{"month(at)", day, "1-4 1-8 0-1 1-1 3-3 4-4 6-6 8-8 10-10 0-0"},
	} {
		s := newStore(t, nil)
		_, err := s.Open(1, nil).Update(t.Context(), func(m metadata.Table) (metadata.Table, error) {
			m, err := m.EvolveSchema(metadata.AddColumn{Name: "at", Type: iceberg.PrimitiveTypes.Date})
			if err != nil {
				return m, err
			}
			spec, err := metadata.ParsePartition(c.partition, m.Schema())
			if err != nil {
				return m, err
			}
			return m.WithSpec(spec)
		})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		files := func(values ...int64) (all []tree.File) {
			for _, v := range values {
				all = append(all, c.of(n, v))
				n++
			}
			return all
		}
		for i, leaf := range [][]tree.File{files(3, 6, 5), files(10, 3)} {
			x := begin(t, s.Open(int64(2+i), nil), commit.TxnOptions{Policy: pushNew{}}, func(x *commit.Txn) { x.Append(leaf...) })
			if _, err := x.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		unknown := files(3)[0]
		unknown.Partition, unknown.Stats = tree.Tuple{{FieldID: 1000}}, nil
		mustCommit(t, s.Open(5, nil), func(x *commit.Txn) { x.Append(append(files(0, 3, 5, 6, 8, 10, 12), unknown)...) })
		var heard policy.Input
		x := begin(t, s.Open(6, nil), commit.TxnOptions{Policy: asked{&heard}}, func(x *commit.Txn) { x.Append(files(5, 12)...) })
		if _, err := x.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range heard.Pointers {
			got = append(got, fmt.Sprintf("%d-%d", p.First, p.Last))
		}
		slices.Sort(got)
		for _, item := range heard.Loose {
			got = append(got, fmt.Sprintf("%d-%d", item.First, item.Last))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.partition, got, c.want)
		}
		a, b := heard.New[0], heard.Loose[2]
		if a.First != b.First || a.Last != b.Last {
			t.Errorf("%s: a new file stands at %d-%d, a loose one of its partition at %d-%d", c.partition, a.First, a.Last, b.First, b.Last)
		}
		if a.SequenceNumber != heard.SequenceNumber || b.SequenceNumber != heard.SequenceNumber-1 {
			t.Errorf("%s: in commit %d a new file is of commit %d, and one of the commit before of %d", c.partition, heard.SequenceNumber, a.SequenceNumber, b.SequenceNumber)
		}
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
			[]string{"5-5: 1", "1-1: 4", "2-2: 4", "3-3: 4", "4-4: 4"}},
		{"removed files", func(x *commit.Txn) { x.Remove(testtable.Target(0), testtable.Target(5), testtable.Target(6)) }, false, 4,
			[]string{"1-1: 3", "2-2: 3", "3-3: 3", "4-4: 4"}},
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
