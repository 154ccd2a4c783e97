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
)

// thinAll is a policy that leaves all statistics of pointers out of the root that it may.
type thinAll struct{}

func (thinAll) Name() string { return "thin-all" }

func (thinAll) Plan(in policy.Input) (policy.Plan, error) {
	var p policy.Plan
	for i := range in.Pointers {
		p.Thinning.Pointers = append(p.Thinning.Pointers, i)
	}
	return p, nil
}

// twoColumns makes a table with leaves of four files, partitioned by tens of one of two columns with statistics.
func twoColumns(t *testing.T) testtable.Store {
	t.Helper()
	s := partitioned(t, 0)
	_, err := s.Open(4, nil).Update(t.Context(), func(m metadata.Table) (metadata.Table, error) {
		return m.EvolveSchema(metadata.AddColumn{Name: "size", Type: iceberg.PrimitiveTypes.Int64})
	})
	if err != nil {
		t.Fatal(err)
	}
	for leaf := range 3 {
		mustCommit(t, s.Open(int64(5+leaf), nil), func(x *commit.Txn) {
			for i := range 4 {
				f := inPartition(leaf*4+i, int64(i)*10)
				size := f.Stats[0]
				size.FieldID = 2
				f.Stats = append(f.Stats, size)
				x.Append(f)
			}
		})
	}
	return s
}

// columnsOf returns of which columns the pointers of a table have statistics.
func columnsOf(t *testing.T, s testtable.Store) (all [][]int) {
	t.Helper()
	x := begin(t, s.Open(91, nil), commit.TxnOptions{}, func(*commit.Txn) {})
	for _, e := range x.Base().Tree.Rows {
		if !e.Manifest.Valid || !e.Tracking.Status.Live() {
			continue
		}
		var ids []int
		for _, f := range e.Stats {
			ids = append(ids, f.FieldID)
		}
		all = append(all, ids)
	}
	return all
}

// TestThin: pointers that lose statistics keep those of the columns that partition the table, masked or not, and over a retry; files
// that filters on other columns ask for are found all the same, and who writes the leaves again restores the statistics.
func TestThin(t *testing.T) {
	s := twoColumns(t)
	before := columnsOf(t, s)
	if len(before) < 3 || slices.ContainsFunc(before, func(ids []int) bool { return len(ids) != 2 }) {
		t.Fatalf("pointers with the columns %v", before)
	}
	prices := func() (p policy.Prices, thin int) {
		in, err := begin(t, s.Open(92, nil), commit.TxnOptions{}, func(*commit.Txn) {}).PlanInput(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range in.Pointers {
			if p.Thin {
				thin++
			}
		}
		return in.Prices, thin
	}
	if p, thin := prices(); thin != 0 || p.ThinPointerBytes != policy.EstimatePrices(1).PointerBytes || p.PointerBytes != policy.EstimatePrices(2).PointerBytes {
		t.Errorf("%d thin pointers, prices %+v", thin, p)
	}
	env := testtable.Env(11)
	now, asked := env.NowMillis, 0
	env.NowMillis = func() int64 { // before the swap of the first attempt
		if asked++; asked == 2 {
			if _, err := begin(t, s.Open(9, nil), commit.TxnOptions{}, func(x *commit.Txn) { x.Remove(testtable.Target(1)) }).Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		return now()
	}
	table := commit.Open(testtable.ID, s.Catalog, s.Objects, commit.Options{Env: env})
	r, err := begin(t, table, commit.TxnOptions{Policy: thinAll{}}, func(x *commit.Txn) { x.Remove(testtable.Target(6)) }).Commit(t.Context())
	if err != nil || r.Attempts != 2 || len(r.Plan.Thinning.Pointers) != len(before) {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, ids := range columnsOf(t, s) {
		if !slices.Equal(ids, []int{1}) {
			t.Errorf("a thin pointer has statistics of the columns %v", ids)
		}
	}
	if _, thin := prices(); thin != len(before) {
		t.Errorf("%d of %d pointers are thin", thin, len(before))
	}
	where := begin(t, s.Open(12, nil), commit.TxnOptions{}, func(x *commit.Txn) {
		x.DeleteWhere(iceberg.LessThan(iceberg.Reference("size"), int64(-1)))
	})
	if r, err := where.Commit(t.Context()); err != nil || r.LeavesOpened != len(before) {
		t.Errorf("a filter that nothing matches opens %d leaves, %v", r.LeavesOpened, err)
	}
	checkLive(t, s, 0, 2, 3, 4, 5, 7, 8, 9, 10, 11)
	again, err := begin(t, s.Open(14, nil), commit.TxnOptions{Policy: thinAll{}, Mode: policy.Maintenance}, func(*commit.Txn) {}).Commit(t.Context())
	if err != nil || !again.NoOp {
		t.Errorf("pointers that are thin are thinned: %+v, %v", again, err)
	}
	o := commit.TxnOptions{Policy: testtable.MergeAll{}, Mode: policy.Maintenance}
	if _, err := begin(t, s.Open(13, nil), o, func(*commit.Txn) {}).Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, ids := range columnsOf(t, s) {
		if !slices.Equal(ids, []int{1, 2}) {
			t.Errorf("a new pointer has statistics of the columns %v", ids)
		}
	}
	checkLive(t, s, 0, 2, 3, 4, 5, 7, 8, 9, 10, 11)
}

// TestMaintenanceThins: a maintenance commit that does nothing but leave statistics out is one.
func TestMaintenanceThins(t *testing.T) {
	s := twoColumns(t)
	o := commit.TxnOptions{Policy: thinAll{}, Mode: policy.Maintenance}
	r, err := begin(t, s.Open(9, nil), o, func(*commit.Txn) {}).Commit(t.Context())
	if err != nil || r.NoOp || r.SnapshotID == 0 || r.LeavesWritten > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, ids := range columnsOf(t, s) {
		if !slices.Equal(ids, []int{1}) {
			t.Errorf("a thin pointer has statistics of the columns %v", ids)
		}
	}
	checkLive(t, s, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
}

// TestPartitionsAmongManyColumns: manifests keep statistics for a hundred columns (F4), and the one by which the table is partitioned is among
// them, wherever it stands: a filter on it opens the leaves that can match.
func TestPartitionsAmongManyColumns(t *testing.T) {
	const last = 130
	s := newStore(t, cap4)
	_, err := s.Open(1, nil).Update(t.Context(), func(m metadata.Table) (metadata.Table, error) {
		for id := 2; id <= last; id++ {
			var err error
			if m, err = m.EvolveSchema(metadata.AddColumn{Name: fmt.Sprint("c", id), Type: iceberg.PrimitiveTypes.Int64}); err != nil {
				return m, err
			}
		}
		spec, err := metadata.ParsePartition(fmt.Sprintf("truncate(10, c%d)", last), m.Schema())
		if err != nil {
			return m, err
		}
		return m.WithSpec(spec)
	})
	if err != nil {
		t.Fatal(err)
	}
	for leaf := range 3 {
		mustCommit(t, s.Open(int64(5+leaf), nil), func(x *commit.Txn) {
			for i := range 4 {
				f := inPartition(leaf*4+i, int64(leaf)*10)
				one := f.Stats[0]
				for id := 2; id <= last; id++ {
					one.FieldID = id
					f.Stats = append(f.Stats, one)
				}
				x.Append(f)
			}
		})
	}
	for _, ids := range columnsOf(t, s) {
		if len(ids) != 100 || ids[98] != 99 || ids[99] != last {
			t.Errorf("a pointer has statistics of the columns %v", ids)
		}
	}
	r, err := begin(t, s.Open(12, nil), commit.TxnOptions{}, func(x *commit.Txn) {
		x.DeleteWhere(iceberg.EqualTo(iceberg.Reference(fmt.Sprint("c", last)), int64(1000)))
	}).Commit(t.Context())
	if err != nil || r.LeavesOpened > 0 {
		t.Errorf("a filter on the partitions' column that nothing matches opens %d leaves: %v", r.LeavesOpened, err)
	}
}
