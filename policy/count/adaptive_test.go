package count_test

import (
	"testing"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/bound"
	"github.com/firn-io/firn/policy/count"
)

// stream commits files to a table, with maintenance after each commit that leaves something to it if pace is 1, and returns what was
// written, the largest root, and the most that a commit of a writer wrote again.
func stream(t *testing.T, table *count.Table, files []int64, pace int) (bytes, root, rewritten int64) {
	t.Helper()
	p := policy.Adaptive{}
	due := false
	for i, n := range files {
		cost, err := table.Commit(p, n)
		if err != nil {
			t.Fatal(err)
		}
		rewritten = max(rewritten, cost.RewrittenBytes)
		bytes, root = bytes+cost.Bytes(), max(root, cost.RootBytes+table.Prices.RootFixedBytes)
		due = due || len(cost.Deferred) > 0
		if pace > 0 && due && i%pace == 0 {
			due = false
			cost, err := table.Maintain(p)
			if err != nil {
				t.Fatal(err)
			}
			bytes, root = bytes+cost.Bytes(), max(root, cost.RootBytes+table.Prices.RootFixedBytes)
		}
	}
	return bytes, root, rewritten
}

// times returns n commits of so many files.
func times(n int, files int64) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = files
	}
	return all
}

// TestAdaptiveIsNearTheBound: without any tuning the cost is near what the cheapest plan with knowledge of the future writes, whatever
// the files of a commit and the width of the statistics. docs/policy.md has longer streams.
func TestAdaptiveIsNearTheBound(t *testing.T) {
	for files, most := range map[int64]float64{1: 1.06, 10: 1.10, 100: 1.17, 1000: 1.12} {
		for _, columns := range []int{0, 10, 50} {
			const commits = 1000
			prices := policy.EstimatePrices(columns)
			table := &count.Table{Prices: prices}
			bytes, root, rewritten := stream(t, table, times(commits, files), 1)
			m := bound.Model{
				FilesPerCommit: files, EntryBytes: min(prices.LooseBytes, prices.LeafEntryBytes), PointerBytes: prices.PointerBytes,
				LeafFixedBytes: prices.LeafFixedBytes, LeafEntries: 8 << 20 / prices.LeafEntryBytes,
			}
			m.LeafEntries = max(m.LeafEntries, files*commits*prices.PointerBytes>>20)
			program, err := bound.NewProgram(m.WholeLeaves())
			if err != nil {
				t.Fatal(err)
			}
			if err := program.Extend(commits); err != nil {
				t.Fatal(err)
			}
			ratio := float64(bytes) / float64(program.Bytes(commits))
			t.Logf("%d files a commit, %d columns: %.3f", files, columns, ratio)
			if ratio > most || root > 1<<20 || rewritten > 1<<20 {
				t.Errorf("%d files a commit, %d columns: %.3f of the bound, at most %.2f; a root of %d bytes, a writer wrote %d again",
					files, columns, ratio, most, root, rewritten)
			}
		}
	}
}

// TestAdaptiveWithoutMaintenance: with nobody to merge large leaves the root keeps its limit, and writers theirs.
func TestAdaptiveWithoutMaintenance(t *testing.T) {
	for _, files := range []int64{3, 300} {
		table := &count.Table{Prices: policy.EstimatePrices(50)}
		_, root, rewritten := stream(t, table, times(3000, files), 0)
		if root > 1<<20 || rewritten > 1<<20 {
			t.Errorf("%d files a commit: a root of %d bytes, a writer wrote %d again", files, root, rewritten)
		}
	}
}

// TestAdaptiveFollows: when commits become a thousand times as large, or as small, the root keeps its limit, and loose files do not
// pile up.
func TestAdaptiveFollows(t *testing.T) {
	table := &count.Table{Prices: policy.EstimatePrices(20)}
	files := append(append(times(300, 1), times(300, 1000)...), times(300, 1)...)
	_, root, rewritten := stream(t, table, files, 1)
	if root > 1<<20 || rewritten > 1<<20 || len(table.Leaves) > 400 {
		t.Errorf("a root of %d bytes, %d leaves, a writer wrote %d again", root, len(table.Leaves), rewritten)
	}
}
