package cli_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/internal/treetext"
)

func TestTree(t *testing.T) {
	for _, test := range []struct {
		golden, table string
		flags         []string
	}{
		{"tree", "mdv", nil},
		{"tree-leaves", "two-specs", []string{"--leaves"}},
		{"tree-old", "mdv", []string{"~3"}},
	} {
		args := slices.Concat([]string{"tree"}, fixture(test.table), test.flags)
		compare(t, test.golden, do(t, args...))
	}
}

// TestLongTree prints everything: it can be read back.
func TestLongTree(t *testing.T) {
	for _, table := range []string{"loose-only", "leaves", "mdv", "row-ids"} {
		text := do(t, slices.Concat([]string{"tree", "--leaves", "--long"}, fixture(table))...)
		doc, err := treetext.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", table, err)
			continue
		}
		if again := doc.Format(treetext.Options{}); again != text {
			t.Errorf("%s: read back and printed again, the tree is another", table)
		}
	}
}

func TestTreeOfAnEmptyTable(t *testing.T) {
	newTable(t)
	if lines := strings.Count(do(t, "tree", "a.b"), "\n"); lines != 1 {
		t.Errorf("%d lines, want the header only", lines)
	}
}
