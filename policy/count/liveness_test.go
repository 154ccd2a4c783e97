package count_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/policy/simple"
)

// TestEveryPolicyKeepsEveryFile: whatever the commits, each file stays in the table exactly once, in a leaf or loose; no leaf is beyond
// its limit, and the root of adaptive stays below its own however seldom maintenance comes (S43).
func TestEveryPolicyKeepsEveryFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.SampledFrom([]int64{0, 1, 1, 2, 10, 50, 300, 2000}), 20, 150).Draw(t, "files of commits")
		pace := rapid.IntRange(0, 20).Draw(t, "maintenance after")
		pattern := rapid.SampledFrom([]count.Pattern{{}, {Partitions: 50}, {Partitions: 3, Apart: true}, {Partitions: 50, Apart: true}, {CommitsPerPartition: 9}}).Draw(t, "partitions")
		small := adaptive.Policy{RootBytes: 40_000, ForegroundBytes: 20_000, LeafBytes: 100_000}
		ordered := small
		ordered.PartitionLeaves = 120
		for _, p := range []policy.Policy{
			simple.Never{}, simple.Cap{Rows: 100}, simple.WhenFull{RootBytes: 30_000}, simple.Sqrt{}, simple.Tiered{}, simple.Leveled{}, small, ordered,
		} {
			table := count.Table{Prices: policy.EstimatePrices(3).Thinned(0), Limits: policy.Limits{LeafRows: 5000}, Pattern: pattern}
			var sum int64
			for i, n := range sizes {
				cost, err := table.Commit(p, n)
				if err != nil {
					t.Fatalf("%s: %v", p.Name(), err)
				}
				sum += n
				if pace > 0 && i%pace == 0 {
					if _, err := table.Maintain(p); err != nil {
						t.Fatalf("%s: %v", p.Name(), err)
					}
				}
				if table.Files != sum || table.Placed() != sum {
					t.Fatalf("%s: %d files were committed, the table has %d, %d of them placed", p.Name(), sum, table.Files, table.Placed())
				}
				for _, rows := range table.Leaves {
					if rows < 1 || rows > 5000 {
						t.Fatalf("%s: a leaf of %d files", p.Name(), rows)
					}
				}
				if root := cost.RootBytes + table.Prices.RootFixedBytes; p.Name() == small.Name() && root > small.RootBytes {
					t.Fatalf("a root of %d bytes after %d commits", root, i+1)
				}
			}
		}
	})
}
