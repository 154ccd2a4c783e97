package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/policy/simple"
)

// TestTables counts small cells, and holds what is printed to what was counted: each cell has its row, the bound is below what is
// written, and a cell beyond its limit is named.
func TestTables(t *testing.T) {
	rows, err := grid([]int64{1, 10}, []int{0, 20}, []int64{50, 200})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 8 {
		t.Fatalf("%d cells, want 8", len(rows))
	}
	for _, r := range rows {
		if r.lower <= 0 || r.closed > r.lower || r.adaptive < r.lower || r.best < r.lower || r.fixed < r.best {
			t.Errorf("%+v", r)
		}
	}
	rows[0].adaptive = 2 * rows[0].bound()
	rows[1].limited = 2 * rows[1].lower
	text := markdown(rows)
	if strings.Count(text, "\n| ") != len(rows)+2 || !strings.Contains(text, "1 files a commit, 0 columns, 50 commits: 2.000, at most 1.03") ||
		!strings.Contains(text, fmt.Sprintf("| %.0f | %.0f |", rows[1].lower, rows[1].limited)) {
		t.Error(text)
	}
	text, err = long([]longStream{{7, 20, 300}, {30, 0, 200}})
	if err != nil || strings.Count(text, "\n| ") != 4 || !strings.Contains(text, "| 7 | 20 | 300 | 2100 |") {
		t.Error(text, err)
	}
	text, err = paces([]int64{1, 30}, []int{20, 0}, 100)
	if err != nil || strings.Count(text, "\n| ") != 6 || !strings.Contains(text, "| 30 | 0 | ") {
		t.Error(text, err)
	}
	text, err = compare(100)
	if err != nil || strings.Count(text, "\n| ") != 13 || !strings.Contains(text, "| `adaptive` | never |") ||
		!strings.Contains(text, "| version 3, merge append | never |") || !strings.Contains(text, "3 figures have a limit, 3 missed it") {
		t.Error(text, err)
	}
}

// TestPeers: each row has its number of files, each cell its three numbers, and narrow tables cost less in version 4.
func TestPeers(t *testing.T) {
	text, err := peers([]int64{2, 30}, []int{0, 10}, 60)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 6 || !strings.HasPrefix(lines[4], "| 2 | ") || !strings.HasPrefix(lines[5], "| 30 | ") || strings.Count(text, "(") != 5 {
		t.Error(text)
	}
	var times float64
	if _, err := fmt.Sscanf(lines[4], "| 2 | %f (", &times); err != nil || times < 2 {
		t.Errorf("%v, %s", err, text)
	}
}

// TestReferences: a figure that is missed is named, and one that is just held is not.
func TestReferences(t *testing.T) {
	text := references(map[string]float64{"adaptive": 10, "when-full": 800, "cap": 799, mergeAppend: 9})
	for _, want := range []string{
		"3 figures have a limit, 2 missed it", "- when-full: 80.00 times adaptive, at least 80: held\n",
		"- cap: 79.90 times adaptive, at least 80: missed\n", "- version 3, merge append: 0.90 times adaptive, at least 1: missed\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
}

// TestTiersAreThePolicy holds the short way of counting to the policy itself, to the byte.
func TestTiersAreThePolicy(t *testing.T) {
	prices := policy.EstimatePrices(20)
	for _, files := range []int64{1, 7, 100, 1000} {
		for _, tier := range []simple.Tiered{{}, {Batch: 1, Ratio: 2}, {Batch: 13, Ratio: 3}, {Batch: 250, Ratio: 2}, {Batch: 1100, Ratio: 5}} {
			for _, full := range []int64{1_050, 4_000, policy.MaxLeafRows} {
				for _, commits := range []int64{1, 30, 999, 1_500} {
					s := &count.Stream{Table: count.Table{Prices: prices, Limits: policy.Limits{LeafRows: full}}, Policy: tier}
					if err := run(s, files, commits, 0); err != nil {
						t.Fatal(err)
					}
					if got, err := tiered(tier, prices, full, files, commits, 0); err != nil || got != s.Bytes {
						t.Fatalf("%+v, leaves of %d, %d commits of %d files: %d bytes, %v, the policy writes %d", tier, full, commits, files, got, err, s.Bytes)
					}
				}
			}
		}
	}
}
