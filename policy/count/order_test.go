package count_test

import (
	"testing"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/count"
)

// meanOpened is how many leaves have bounds around a partition, on average over all.
func meanOpened(t *count.Table) float64 {
	var sum int64
	for i := range t.Leaves {
		sum += t.Leaf(i).High - t.Leaf(i).Low + 1
	}
	return float64(sum) / float64(t.Partitions())
}

// TestApart: loose files that are told apart are one item each, of one partition, and a policy is told where that stands and how old the file
// is; none is lost.
func TestApart(t *testing.T) {
	seen := 0
	look := looking{inOrder{8, 3}, func(in policy.Input) {
		last := int64(0)
		for _, p := range in.Pointers {
			last = max(last, p.Last)
		}
		for _, list := range [][]policy.Item{in.Loose, in.New} {
			for _, item := range list {
				if seen++; item.Count != 1 || item.First < 0 || item.Last < item.First || item.Last > item.First+1 || item.Last > last+1 ||
					item.SequenceNumber < 1 || item.SequenceNumber > in.SequenceNumber {
					t.Fatalf("%+v among %d bounds in commit %d", item, last, in.SequenceNumber)
				}
			}
		}
	}}
	table := count.Table{Prices: policy.EstimatePrices(3), Pattern: count.Pattern{Seed: 1, Partitions: 64, Apart: true}}
	for range 50 {
		if _, err := table.Apply(look, count.Change{Added: 100, Removed: 7}); err != nil {
			t.Fatal(err)
		}
		if table.Placed() != table.Files {
			t.Fatalf("%d of %d files are placed", table.Placed(), table.Files)
		}
	}
	if seen != 50*100 {
		t.Errorf("%d items", seen)
	}
}

// TestOrder: with a limit for the leaves that plans of one partition open a table holds it, however its files come and at any pace of
// maintenance, its root stays below its limit, and no writer writes more of old leaves again than it may.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		pattern count.Pattern
		pace    int64
		removed int64
	}{
		{count.Pattern{Partitions: 300, Apart: true}, 1, 0},
		{count.Pattern{Partitions: 300, Apart: true}, 10, 20},
		{count.Pattern{Partitions: 5, Apart: true}, 1, 20},
		{count.Pattern{CommitsPerPartition: 30}, 1, 0},
		{count.Pattern{CommitsPerPartition: 7}, 10, 20},
	} {
		s := &count.Stream{Table: count.Table{Prices: policy.EstimatePrices(20), Pattern: c.pattern}, Policy: adaptive.Policy{LeafBytes: 1 << 20, PartitionLeaves: 150}, Pace: c.pace}
		most := 0
		s.See = func(cost count.Cost, mode policy.Mode) {
			if most = max(most, cost.Leaves); mode == policy.Maintenance && cost.Leaves > 64+8 {
				t.Errorf("%+v: a maintenance commit writes %d leaves", c, cost.Leaves)
			}
		}
		for range 600 {
			if err := s.Apply(count.Change{Added: 100, Removed: c.removed}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Table.Maintain(s.Policy); err != nil {
			t.Fatal(err)
		}
		full, partitions := (1<<20)/s.Table.Prices.LeafEntryBytes, s.Table.Partitions()
		perfect := float64(partitions+(s.Table.Files+full-1)/full-1) / float64(partitions)
		t.Logf("%+v: %d leaves, opened %.2f, root %d, rewritten %d, most leaves %d", c, len(s.Table.Leaves), meanOpened(&s.Table), s.LargestRoot, s.MostRewritten, most)
		if opened := meanOpened(&s.Table); opened > 1.5*perfect*1.1 { // a tenth, since full leaves are those of the prices that the table teaches
			t.Errorf("%+v: a plan opens %.2f of %d leaves, in perfect order %.2f", c, opened, len(s.Table.Leaves), perfect)
		}
		if s.LargestRoot > count.RootBytes || s.MostRewritten > 1<<20 {
			t.Errorf("%+v: a root of %d bytes, and a writer writes %d again", c, s.LargestRoot, s.MostRewritten)
		}
	}
}

// TestOrderWithoutMaintenance: where maintenance never comes the root keeps its limit, and the order that is lost comes back with the first few
// maintenance commits.
func TestOrderWithoutMaintenance(t *testing.T) {
	table := count.Table{Prices: policy.EstimatePrices(20), Pattern: count.Pattern{Partitions: 300, Apart: true}}
	p := adaptive.Policy{PartitionLeaves: 150}
	for range 1000 {
		cost, err := table.Commit(p, 100)
		if err != nil {
			t.Fatal(err)
		}
		if size := cost.RootBytes + table.Prices.RootFixedBytes; size > count.RootBytes {
			t.Fatalf("a root of %d bytes", size)
		}
	}
	before := meanOpened(&table)
	if before < 3 {
		t.Fatalf("a plan opens %.2f leaves without any maintenance", before)
	}
	commits := 0
	for ; meanOpened(&table) > 1.5; commits++ {
		if cost, err := table.Maintain(p); err != nil || cost.Leaves == 0 || commits == 3 {
			t.Fatalf("a plan opens %.2f leaves, and %.2f after %d maintenance commits, %v", before, meanOpened(&table), commits, err)
		}
	}
	t.Logf("%.2f, and %.2f after %d maintenance commits", before, meanOpened(&table), commits)
}

// TestNeighborsAreMerged: in a table whose partitions follow time, old leaves are merged with their neighbors and not with the newest ones,
// without any setting: a day is in few leaves, and that costs next to nothing.
func TestNeighborsAreMerged(t *testing.T) {
	for files, most := range map[int64]float64{10: 1.6, 100: 2, 1000: 1.5} {
		var bytes [2]int64
		for i, days := range []int64{0, 100} {
			s := &count.Stream{Table: count.Table{Prices: policy.EstimatePrices(20), Pattern: count.Pattern{CommitsPerPartition: days}}, Policy: adaptive.Policy{}, Pace: 1}
			for range 5000 {
				if err := s.Commit(files); err != nil {
					t.Fatal(err)
				}
			}
			bytes[i] = s.Bytes
			full, partitions := adaptive.DefaultLeafBytes/s.Table.Prices.LeafEntryBytes, s.Table.Partitions()
			perfect := float64(partitions+(s.Table.Files+full-1)/full-1) / float64(partitions)
			if opened := meanOpened(&s.Table); days > 0 && opened > most*perfect {
				t.Errorf("%d files a commit: a plan of one day opens %.2f of %d leaves, in perfect order %.2f", files, opened, len(s.Table.Leaves), perfect)
			}
		}
		if float64(bytes[1]) > 1.03*float64(bytes[0]) {
			t.Errorf("%d files a commit: %d bytes, without partitions %d", files, bytes[1], bytes[0])
		}
	}
}
