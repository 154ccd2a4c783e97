package policy_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/firn-io/firn/policy"
)

// counted is a table of which only numbers are kept: what a policy makes of it costs what the model of docs/policy.md says.
type counted struct {
	leaves []int64
	loose  []policy.Item
	bytes  float64 // beyond the roots' fixed price
}

// prices are those of 20 columns with statistics.
const (
	entryBytes, pointerBytes, leafFixedBytes = 276, 340, 19_000
	fullLeaf                                 = 30_393
)

// commit adds files and does what the policy plans.
func (c *counted) commit(t *testing.T, p policy.Policy, files int64) {
	t.Helper()
	in := policy.Input{
		Mode: policy.Foreground, Limits: policy.Limits{LeafRows: fullLeaf}, Loose: c.loose,
		Prices: policy.Prices{
			RootFixedBytes: leafFixedBytes, LeafFixedBytes: leafFixedBytes, LooseBytes: entryBytes, PointerBytes: pointerBytes,
			LeafEntryBytes: entryBytes,
		},
		New: []policy.Item{{Key: "new", Count: files}},
	}
	in.Pointers = make([]policy.Pointer, len(c.leaves))
	for i, n := range c.leaves {
		in.Pointers[i] = policy.Pointer{LiveEntries: n, Entries: n}
	}
	plan, err := p.Plan(in)
	if err != nil {
		t.Fatal(err)
	}
	gone := make(map[policy.Ref]bool)
	var fresh []int64
	for _, step := range plan.Steps {
		var rows int64
		for _, ref := range step.Members {
			item, err := in.Item(ref)
			if err != nil {
				t.Fatal(err)
			}
			rows += item.Count
			gone[ref] = true
		}
		fresh = append(fresh, rows)
		c.bytes += leafFixedBytes + entryBytes*float64(rows)
	}
	c.keep(in, gone, fresh)
}

// keep makes the table what no step took, and the new leaves.
func (c *counted) keep(in policy.Input, gone map[policy.Ref]bool, fresh []int64) {
	var leaves []int64
	for i, n := range c.leaves {
		if !gone[policy.Ref{Source: policy.FromPointers, Index: i}] {
			leaves = append(leaves, n)
		}
	}
	c.leaves, c.loose = append(leaves, fresh...), nil
	var rows int64
	for source, items := range map[policy.Source][]policy.Item{policy.FromLoose: in.Loose, policy.FromNew: in.New} {
		for i, item := range items {
			if !gone[policy.Ref{Source: source, Index: i}] {
				rows += item.Count
			}
		}
	}
	if rows > 0 {
		c.loose = []policy.Item{{Key: "loose", Count: rows}}
	}
	c.bytes += float64(entryBytes*rows + pointerBytes*int64(len(c.leaves)))
}

// TestCosts holds policies to the bytes per commit that the theory works out for them: of tiers with the best batch and ratio to
// the byte, of the others, which it has with the price of the root and in thousands, to a hundredth.
func TestCosts(t *testing.T) {
	document, err := os.ReadFile("../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name           string
		policy         policy.Policy
		files, commits int64
		want, within   float64
	}{
		{"`tiered`, batch 14, ratio 2", policy.Tiered{Batch: 14, Ratio: 2}, 1, 20_000, 6_422, 0},
		{"`tiered`, batch 31, ratio 9", policy.Tiered{Batch: 31, Ratio: 9}, 10, 20_000, 23_719, 0},
		{"`tiered`, batch 112, ratio 107", policy.Tiered{Batch: 112, Ratio: 107}, 100, 20_000, 111_801, 0},
		{"`tiered`, batch 1000, ratio 30", policy.Tiered{Batch: 1000, Ratio: 30}, 1000, 20_000, 679_637, 0},
		{"`leveled`, batch 400", policy.Leveled{Batch: 400, LeafRows: fullLeaf}, 10, 100_000, 185_000 - leafFixedBytes, 0.011},
		{"`leveled`, batch 1600", policy.Leveled{Batch: 1600, LeafRows: fullLeaf}, 10, 100_000, 272_000 - leafFixedBytes, 0.011},
		{"`sqrt`", policy.Sqrt{}, 10, 100_000, 427_000 - leafFixedBytes, 0.011},
		{"`when-full`", policy.WhenFull{}, 10, 100_000, 4_210_000 - leafFixedBytes, 0.011},
	} {
		var table counted
		for range c.commits {
			table.commit(t, c.policy, c.files)
		}
		got := math.Round(table.bytes / float64(c.commits))
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
