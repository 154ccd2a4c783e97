package count_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/policy/simple"
)

// policies are all of them, with limits that matter in small tables.
func policies() []policy.Policy {
	return []policy.Policy{
		simple.Never{}, simple.Cap{Rows: 100}, simple.WhenFull{RootBytes: 30_000}, simple.Sqrt{}, simple.Tiered{}, simple.Leveled{},
		adaptive.Policy{RootBytes: 60_000, ForegroundBytes: 20_000, LeafBytes: 100_000},
	}
}

// TestFilesThatGo: whatever is removed and modified, each policy keeps every file that is left exactly once, every row of a leaf is
// live or masked, what a root takes is the sum of its parts, and what is retained is at least what the last snapshot reaches.
func TestFilesThatGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		changes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) count.Change {
			few := rapid.SampledFrom([]int64{0, 0, 1, 2, 10, 300})
			return count.Change{Added: few.Draw(t, "added"), Removed: few.Draw(t, "removed"), Modified: few.Draw(t, "modified")}
		}), 20, 120).Draw(t, "changes")
		pace := rapid.IntRange(0, 10).Draw(t, "maintenance after")
		pattern := count.Pattern{
			Seed: rapid.Uint64().Draw(t, "seed"), Skew: rapid.SampledFrom([]count.Skew{count.Uniform, count.Recent, count.Hot}).Draw(t, "skew"),
			Partitions: rapid.SampledFrom([]int64{0, 7}).Draw(t, "partitions"),
		}
		for _, p := range policies() {
			table := count.Table{Prices: policy.EstimatePrices(3).Thinned(0), Limits: policy.Limits{LeafRows: 5000}, Pattern: pattern}
			retained := count.NewRetained(5)
			var files int64
			for i, c := range changes {
				cost, err := table.Apply(p, c)
				if err != nil {
					t.Fatalf("%s: %v", p.Name(), err)
				}
				files += c.Added - min(files, c.Removed)
				check(t, p.Name(), &table, files, cost)
				retained.Add(cost.RootBytes, table.LeafBytes(), cost.LeafBytes)
				if pace > 0 && i%pace == 0 {
					if cost, err = table.Maintain(p); err != nil {
						t.Fatalf("%s: %v", p.Name(), err)
					}
					if cost.Bytes() > 0 {
						check(t, p.Name(), &table, files, cost)
						retained.Add(cost.RootBytes, table.LeafBytes(), cost.LeafBytes)
					}
				}
				if retained.Bytes() < table.LeafBytes()+cost.RootBytes {
					t.Fatalf("%s: %d bytes are retained, the last snapshot has %d", p.Name(), retained.Bytes(), table.LeafBytes())
				}
			}
		}
	})
}

// check holds a table to what must be true after every commit.
func check(t *rapid.T, name string, table *count.Table, files int64, cost count.Cost) {
	if table.Files != files || table.Placed() != files {
		t.Fatalf("%s: %d files are live, the table has %d, %d of them placed", name, files, table.Files, table.Placed())
	}
	var live, bytes, masks, thin int64
	for i, n := range table.Leaves {
		l := table.Leaf(i)
		if l.Live != n || n < 0 || n > l.Rows || l.Rows < 1 || l.Rows > 5000 {
			t.Fatalf("%s: a leaf of %d files says %+v", name, n, l)
		}
		live, bytes = live+n, bytes+l.Bytes
		if l.Thin {
			thin++
		}
		masks += count.MaskBytes(l.Rows, l.Rows-n)
	}
	switch p := table.Prices; {
	case live+table.Loose() != files || bytes != table.LeafBytes():
		t.Fatalf("%s: %d files in leaves of %d bytes, of %d and %d", name, live, bytes, files, table.LeafBytes())
	case cost.RootBytes != (table.Loose()+cost.Tombstones)*p.LooseBytes+(int64(len(table.Leaves))-thin)*p.PointerBytes+thin*p.Pointer(true)+cost.MaskBytes:
		t.Fatalf("%s: a root of %d bytes: %+v", name, cost.RootBytes, cost)
	case cost.Leaves != cost.Pushed+cost.Merged+cost.Folded+cost.Buried:
		t.Fatalf("%s: %+v", name, cost)
	}
}

// TestSkew: young files go first where they are more likely, and files that are hot gather in young leaves, since each that is hit
// moves there.
func TestSkew(t *testing.T) {
	masked := func(skew count.Skew) (young, all int64) {
		s := &count.Stream{Policy: simple.Sqrt{}, Table: count.Table{Prices: policy.EstimatePrices(3), Pattern: count.Pattern{Seed: 3, Skew: skew}}}
		for range 2000 {
			if err := s.Apply(count.Change{Added: 10, Modified: 5}); err != nil {
				t.Fatal(err)
			}
		}
		n := len(s.Table.Leaves)
		for i := range n {
			l := s.Table.Leaf(i)
			all += l.Rows - l.Live
			if i >= n*3/4 {
				young += l.Rows - l.Live
			}
		}
		return young, all
	}
	even, all := masked(count.Uniform)
	if recent, sum := masked(count.Recent); recent*all < 2*even*sum {
		t.Errorf("%d of %d masked rows are in young leaves, %d of %d where any file is as likely", recent, sum, even, all)
	}
	if hot, sum := masked(count.Hot); hot*all < even*sum*11/10 {
		t.Errorf("hot: %d of %d masked rows are in young leaves, %d of %d where any file is as likely", hot, sum, even, all)
	}
}

// TestClone: a clone goes on as the table would have, and leaves the table alone.
func TestClone(t *testing.T) {
	pattern := count.Pattern{Seed: 7, Skew: count.Recent, Partitions: 9}
	for _, p := range policies() {
		table := &count.Table{Prices: policy.EstimatePrices(3), Pattern: pattern}
		goOn := func(t *testing.T, table *count.Table, n int) (sum int64) {
			t.Helper()
			for range n {
				cost, err := table.Apply(p, count.Change{Added: 12, Removed: 3, Modified: 4})
				if err != nil {
					t.Fatal(err)
				}
				sum += cost.Bytes()
			}
			return sum
		}
		goOn(t, table, 300)
		clone := table.Clone()
		want := goOn(t, clone, 300)
		if got := goOn(t, table, 300); got != want || table.Files != clone.Files || len(table.Leaves) != len(clone.Leaves) {
			t.Errorf("%s: the clone wrote %d bytes, the table %d", p.Name(), want, got)
		}
	}
}

// TestMaskedLeaves: a leaf that has lost all files is in the root of the commit that took the last one, and not after it.
func TestMaskedLeaves(t *testing.T) {
	table := count.Table{Prices: policy.EstimatePrices(3)}
	for _, step := range []struct {
		change count.Change
		leaves int
	}{
		{count.Change{Added: 100}, 1}, {count.Change{Removed: 99}, 1}, {count.Change{Removed: 1, Added: 3}, 1}, {count.Change{Added: 1}, 0},
	} {
		if _, err := table.Apply(simple.Cap{Rows: 50}, step.change); err != nil {
			t.Fatal(err)
		}
		if len(table.Leaves) != step.leaves {
			t.Errorf("after %+v: %d leaves, want %d", step.change, len(table.Leaves), step.leaves)
		}
	}
	if table.LeafBytes() != 0 {
		t.Errorf("%d bytes of leaves without one", table.LeafBytes())
	}
}

// TestPartitions: a partition of a stretch of commits is where these are, and one by chance anywhere.
func TestPartitions(t *testing.T) {
	for _, pattern := range []count.Pattern{{CommitsPerPartition: 10}, {Partitions: 20}} {
		table := count.Table{Prices: policy.EstimatePrices(3), Pattern: pattern}
		for range 200 {
			if _, err := table.Commit(simple.Cap{Rows: 50}, 10); err != nil {
				t.Fatal(err)
			}
		}
		if table.Partitions() != 20 {
			t.Errorf("%d partitions", table.Partitions())
		}
		var opened int64
		for i := range table.Leaves {
			l := table.Leaf(i)
			if l.Low > l.High || l.High >= 20 || l.First > l.Last {
				t.Errorf("%+v", l)
			}
			opened += l.High - l.Low + 1
		}
		all := int64(len(table.Leaves)) * 20
		if byTime := pattern.CommitsPerPartition > 0; byTime && opened > all/5 || !byTime && opened < all*4/5 {
			t.Errorf("%+v: %d of %d leaves are opened for one partition each", pattern, opened, all)
		}
	}
}

// TestSpread holds what is counted to sorted figures.
func TestSpread(t *testing.T) {
	for _, n := range []int64{0, 1, 2, 100, 4096, 4097, 100_000} {
		var s count.Spread
		for i := range n { // the numbers of 0 to n, in another order
			s.Add(i * 7919 % max(1, n))
		}
		for _, share := range []float64{0.5, 0.99, 1} {
			want := max(0, int64(share*float64(n)+0.9999999)-1)
			if got := s.Quantile(share); got < want-want/64 || got > want+want/64 {
				t.Errorf("%d figures: the quantile %g is %d, want %d", n, share, got, want)
			}
		}
		if n > 0 && (s.Mean() != float64(n-1)/2 || s.Max() != n-1 || s.Len() != n) {
			t.Errorf("%d figures: mean %g, largest %d, %d of them", n, s.Mean(), s.Max(), s.Len())
		}
	}
}

// TestRetained holds the window to a list of what each snapshot reaches.
func TestRetained(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.IntRange(1, 6).Draw(t, "window")
		r := count.NewRetained(window)
		leaves := map[int]int64{} // by number
		var roots []int64
		var reached []map[int]bool
		sizes := map[int]int64{}
		for n := range rapid.IntRange(1, 30).Draw(t, "snapshots") {
			for l := range 30 {
				if leaves[l] > 0 && rapid.IntRange(0, 3).Draw(t, "gone") == 0 {
					delete(leaves, l)
				}
			}
			size := rapid.Int64Range(1, 100).Draw(t, "size")
			leaves[n], sizes[n] = size, size
			now, bytes := map[int]bool{}, int64(0)
			for l := range leaves {
				now[l] = true
				bytes += leaves[l]
			}
			roots, reached = append(roots, int64(n)), append(reached, now)
			r.Add(int64(n), bytes, size)
			var want int64
			all := map[int]bool{}
			for i := max(0, n+1-window); i <= n; i++ {
				want += roots[i]
				for l := range reached[i] {
					all[l] = true
				}
			}
			for l := range all {
				want += sizes[l]
			}
			if r.Bytes() != want {
				t.Fatalf("%d bytes, want %d", r.Bytes(), want)
			}
		}
	})
}
