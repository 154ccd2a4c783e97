package count_test

import (
	"testing"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/bound"
	"github.com/firn-io/firn/policy/count"
)

// grown counts commits of so many files each, and holds the root and each commit of a writer to their limits of 1 MiB.
func grown(t *testing.T, columns int, pace int64, files ...int64) *count.Stream {
	t.Helper()
	s := &count.Stream{Table: count.Table{Prices: policy.EstimatePrices(columns).Thinned(0)}, Policy: adaptive.Policy{}, Pace: pace}
	for _, n := range files {
		if err := s.Commit(n); err != nil {
			t.Fatal(err)
		}
	}
	if s.LargestRoot > count.RootBytes {
		t.Errorf("%d columns: a root of %d bytes", columns, s.LargestRoot)
	}
	return s
}

// times returns n commits of so many files.
func times(n int, files int64) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = files
	}
	return all
}

// ratio returns what a stream of equal commits wrote, as a multiple of the bound.
func ratio(t *testing.T, s *count.Stream, files int64) float64 {
	t.Helper()
	program, err := bound.NewProgram(count.Bound(files, s.Table.Prices, s.Commits))
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Extend(s.Commits); err != nil {
		t.Fatal(err)
	}
	return float64(s.Bytes) / float64(program.Bytes(s.Commits))
}

// TestAdaptiveIsNearTheBound: without any tuning the cost is near what the cheapest plan with knowledge of the future writes, whatever
// the files of a commit and the width of the statistics. docs/policy.md has longer streams.
func TestAdaptiveIsNearTheBound(t *testing.T) {
	for files, most := range map[int64]float64{1: 1.03, 10: 1.08, 100: 1.11, 1000: 1.01} {
		for _, columns := range []int{0, 10, 50} {
			s := grown(t, columns, 1, times(1000, files)...)
			got := ratio(t, s, files)
			t.Logf("%d files a commit, %d columns: %.3f", files, columns, got)
			if got > most || s.MostRewritten > adaptive.DefaultForegroundBytes {
				t.Errorf("%d files a commit, %d columns: %.3f of the bound, at most %.2f; a writer wrote %d bytes again",
					files, columns, got, most, s.MostRewritten)
			}
		}
	}
}

// TestAdaptiveNeedNotFillLeaves: where a full leaf would not pay to be written again, small leaves become larger ones long before these are
// full, and stay so. If they waited, there would be a hundred of them in the root; if all waited for the same age, they would be written again
// together. Neither shows at one length alone, so lengths in between are held too.
func TestAdaptiveNeedNotFillLeaves(t *testing.T) {
	for _, columns := range []int{10, 50, 75} {
		s := &count.Stream{Table: count.Table{Prices: policy.EstimatePrices(columns)}, Policy: adaptive.Policy{}, Pace: 1}
		for _, at := range []struct {
			commits int64
			most    float64
		}{{200, 1.35}, {250, 1.28}, {400, 1.25}, {630, 1.17}, {800, 1.15}, {1000, 1.12}, {1600, 1.11}, {2500, 1.11}, {3200, 1.11}, {4000, 1.11}, {5000, 1.11}} {
			for s.Commits < at.commits {
				if err := s.Commit(100); err != nil {
					t.Fatal(err)
				}
			}
			got := ratio(t, s, 100)
			t.Logf("%d columns, %d commits: %.3f", columns, s.Commits, got)
			if got > at.most {
				t.Errorf("%d columns, %d commits: %.3f of the bound, at most %.2f", columns, s.Commits, got, at.most)
			}
		}
	}
}

// TestAdaptiveWithoutMaintenance: with nobody to merge large leaves the root keeps its limit, and writers theirs, and it costs less than
// twice the bound.
func TestAdaptiveWithoutMaintenance(t *testing.T) {
	for files, columns := range map[int64]int{3: 50, 10: 50, 100: 100} {
		s := grown(t, columns, 0, times(5000, files)...)
		if got := ratio(t, s, files); got > 2 || s.MostRewritten > adaptive.DefaultForegroundBytes {
			t.Errorf("%d files a commit: %.3f of the bound; a writer wrote %d bytes again", files, got, s.MostRewritten)
		}
	}
}

// TestAdaptiveKeepsTheRootSmall: where the pointers of one leaf a commit would outgrow the root, or one commit alone, and maintenance never
// comes, statistics of pointers make room, and no writer writes more again than he may.
func TestAdaptiveKeepsTheRootSmall(t *testing.T) {
	for i, files := range [][]int64{times(1500, 1000), append(times(500, 1), 50_000)} {
		if s := grown(t, 100, 0, files...); s.MostRewritten > adaptive.DefaultForegroundBytes || i == 0 && s.MostThin == 0 {
			t.Errorf("a writer wrote %d bytes again; %.3f of the files in leaves with thin pointers", s.MostRewritten, s.MostThin)
		}
	}
}

// TestAdaptiveYieldsToTheRoot: where thin pointers alone outgrow the root, the cap of a writer yields to it, up to a full leaf of a table
// of that size.
func TestAdaptiveYieldsToTheRoot(t *testing.T) {
	s := &count.Stream{Table: count.Table{Prices: policy.EstimatePrices(100)}, Policy: adaptive.Policy{}}
	for range 1500 {
		if err := s.Commit(1000); err != nil {
			t.Fatal(err)
		}
	}
	if s.LargestRoot > count.RootBytes || s.MostRewritten > 5*adaptive.DefaultLeafBytes || s.MostRewritten <= adaptive.DefaultForegroundBytes {
		t.Errorf("a root of %d bytes; a writer wrote %d bytes again", s.LargestRoot, s.MostRewritten)
	}
}

// TestThinningIsForATime: as long as it is cheaper than to write leaves again, a root that is full has thin pointers, and it is within
// an eighth of the bound; with maintenance all of them have statistics again in time.
func TestThinningIsForATime(t *testing.T) {
	s := grown(t, 100, 1, times(1000, 1000)...)
	if got := ratio(t, s, 1000); got > 1.12 || s.MostThin < 0.1 || s.MostThin > 0.5 || s.MostRewritten > 0 {
		t.Errorf("%.3f of the bound, %.3f of the files in leaves with thin pointers", got, s.MostThin)
	}
	for s.Commits < 2000 {
		if err := s.Commit(1000); err != nil {
			t.Fatal(err)
		}
	}
	for i := range s.Table.Leaves {
		if s.Table.Leaf(i).Thin {
			t.Fatalf("after %d commits leaf %d of %d still has a thin pointer", s.Commits, i, len(s.Table.Leaves))
		}
	}
}

// TestAdaptiveMakesRoom: maintenance makes room in a root that fills up, so that writers need not, and leaves grow with the table, so
// that it need not often.
func TestAdaptiveMakesRoom(t *testing.T) {
	for _, columns := range []int{50, 100} {
		s := grown(t, columns, 1, times(6000, 1000)...)
		if got := ratio(t, s, 1000); got > 1.15 || s.MostRewritten > adaptive.DefaultForegroundBytes {
			t.Errorf("%d columns: %.3f of the bound; a writer wrote %d bytes again", columns, got, s.MostRewritten)
		}
	}
}

// TestAdaptiveGrowsLeavesInSteps: when leaves become larger with the table, those that were full stay so, and are not written again with
// the files of each commit.
func TestAdaptiveGrowsLeavesInSteps(t *testing.T) {
	p := adaptive.Policy{RootBytes: 128 << 10, LeafBytes: 1 << 20}
	s := &count.Stream{Table: count.Table{Prices: policy.EstimatePrices(20)}, Policy: p, Pace: 1}
	var before, last int64
	for range 10 {
		start := s.Bytes
		for range 1000 {
			if err := s.Commit(100); err != nil {
				t.Fatal(err)
			}
		}
		before, last = last, s.Bytes-start
		if before > 0 && last > 2*before {
			t.Errorf("after %d commits a thousand write %d bytes, those before %d", s.Commits, last, before)
		}
	}
	if s.LargestRoot > p.RootBytes {
		t.Errorf("a root of %d bytes", s.LargestRoot)
	}
}

// TestAdaptiveFollows: when commits become a thousand times as large, or as small, loose files and leaves do not pile up.
func TestAdaptiveFollows(t *testing.T) {
	s := grown(t, 20, 1, append(append(times(300, 1), times(300, 1000)...), times(300, 1)...)...)
	if len(s.Table.Leaves) > 400 || s.MostRewritten > adaptive.DefaultForegroundBytes {
		t.Errorf("%d leaves; a writer wrote %d bytes again", len(s.Table.Leaves), s.MostRewritten)
	}
}

// TestAdaptivePaysForRequests: where a table says what writing one more object counts, fewer leaves are written, for less of bytes and
// objects together, and the default counts bytes alone.
func TestAdaptivePaysForRequests(t *testing.T) {
	const price = 1_300_000
	written := func(p adaptive.Policy) (bytes, objects int64) {
		table := count.Table{Prices: policy.EstimatePrices(20)}
		for range 2000 {
			cost, err := table.Commit(p, 10)
			if err != nil {
				t.Fatal(err)
			}
			bytes, objects = bytes+cost.Bytes(), objects+int64(cost.Leaves)
		}
		return bytes, objects
	}
	bytes, objects := written(adaptive.Policy{})
	paid, fewer := written(adaptive.Policy{RequestBytes: price})
	if fewer*3 > objects || paid <= bytes || paid+fewer*price >= bytes+objects*price {
		t.Errorf("%d bytes and %d leaves without a price, %d and %d with one", bytes, objects, paid, fewer)
	}
}

// BenchmarkAdaptive plans a commit for a root of 4,000 rows.
func BenchmarkAdaptive(b *testing.B) {
	in := policy.Input{
		Mode: policy.Foreground, Prices: policy.EstimatePrices(20).Thinned(1), New: []policy.Item{{Key: "new", Count: 10}},
		History: []policy.Snapshot{{Summary: map[string]string{"firn.policy.files-per-commit": "10"}}},
	}
	for i := range 3900 {
		in.Pointers = append(in.Pointers, policy.Pointer{LiveEntries: 1 + int64(i*i%30_000), Entries: 30_000, FileSizeBytes: 9 << 20})
	}
	in.Loose = make([]policy.Item, 90)
	for i := range in.Loose {
		in.Loose[i].Count = 1
	}
	for b.Loop() {
		if _, err := (adaptive.Policy{}).Plan(in); err != nil {
			b.Fatal(err)
		}
	}
}
