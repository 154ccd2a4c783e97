package main

import (
	"strings"
	"testing"
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
	rows[0].adaptive = 2 * rows[0].lower
	text := markdown(rows)
	if strings.Count(text, "\n| ") != len(rows)+2 || !strings.Contains(text, "1 files a commit, 0 columns, 50 commits: 2.000, at most 1.03") {
		t.Error(text)
	}
	text, err = compare(100)
	if err != nil || strings.Count(text, "\n| ") != 13 || !strings.Contains(text, "| `adaptive` | never |") ||
		!strings.Contains(text, "| version 3, merge append | never |") {
		t.Error(text, err)
	}
}
