package simple_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/policy/internal/policytest"
	"github.com/firn-io/firn/policy/simple"
)

const fullLeaf = 30_393

// TestCosts holds policies to the bytes per commit that the theory works out for them: of tiers with the best batch and ratio to
// the byte, of the others, which it has with the price of the root and in thousands, to a hundredth.
func TestCosts(t *testing.T) {
	document, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name           string
		policy         policy.Policy
		files, commits int64
		want, within   float64
	}{
		{"`tiered`, batch 14, ratio 2", simple.Tiered{Batch: 14, Ratio: 2}, 1, 20_000, 6_422, 0},
		{"`tiered`, batch 31, ratio 9", simple.Tiered{Batch: 31, Ratio: 9}, 10, 20_000, 23_719, 0},
		{"`tiered`, batch 112, ratio 107", simple.Tiered{Batch: 112, Ratio: 107}, 100, 20_000, 111_801, 0},
		{"`tiered`, batch 1000, ratio 30", simple.Tiered{Batch: 1000, Ratio: 30}, 1000, 20_000, 679_637, 0},
		{"`leveled`, batch 400", simple.Leveled{Batch: 400, LeafRows: fullLeaf}, 10, 100_000, 185_000 - 19_000, 0.011},
		{"`leveled`, batch 1600", simple.Leveled{Batch: 1600, LeafRows: fullLeaf}, 10, 100_000, 272_000 - 19_000, 0.011},
		{"`sqrt`", simple.Sqrt{}, 10, 100_000, 427_000 - 19_000, 0.011},
		{"`when-full`", simple.WhenFull{}, 10, 100_000, 4_210_000 - 19_000, 0.011},
	} {
		table := count.Table{Prices: policytest.Prices, Limits: policy.Limits{LeafRows: fullLeaf}}
		var sum int64
		for range c.commits {
			cost, err := table.Commit(c.policy, c.files)
			if err != nil {
				t.Fatal(err)
			}
			sum += cost.Bytes()
		}
		got := math.Round(float64(sum) / float64(c.commits))
		if off := math.Abs(got - c.want); off > max(1, c.want*c.within) {
			t.Errorf("%+v, %d files a commit: %.0f bytes a commit, want %.0f", c.policy, c.files, got, c.want)
		}
		row := fmt.Sprintf("| %s | %s, %s | %s |", c.name, thousands(c.files), thousands(c.commits), thousands(int64(got)))
		if !strings.Contains(string(document), row) {
			t.Errorf("docs/policy.md lacks the line %s", row)
		}
	}
}

// thousands prints a number as documents do.
func thousands(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return thousands(n/1000) + fmt.Sprintf(",%03d", n%1000)
}
