package bound_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/firn-io/firn/policy/bound"
)

// perCommit rounds to whole bytes a commit.
func perCommit(bytes int64, commits int) int64 {
	return (2*bytes + int64(commits)) / (2 * int64(commits))
}

// priced returns the model of 20 statistics columns with another fixed price of leaves.
func priced(filesPerCommit, leafFixedBytes int64) bound.Model {
	m := bound.Default(filesPerCommit)
	m.LeafFixedBytes = leafFixedBytes
	return m
}

// grouped prints a number as docs/policy.md does.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// inDocument looks for a row of a table in docs/policy.md.
func inDocument(t *testing.T, cells ...string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	if row := "\n| " + strings.Join(cells, " | ") + " |\n"; !strings.Contains(string(text), row) {
		t.Errorf("docs/policy.md has no row%s", row)
	}
}

// TestTable has the table of docs/policy.md: bytes a commit beyond the fixed price of the root.
func TestTable(t *testing.T) {
	wide := bound.Model{FilesPerCommit: 10, EntryBytes: 2_500, PointerBytes: 2_600, LeafFixedBytes: 125_000, LeafEntries: 3_300}
	ten := bound.Model{FilesPerCommit: 10, EntryBytes: 168, PointerBytes: 210, LeafFixedBytes: 9_000, LeafEntries: bound.DefaultLeafEntries}
	for _, row := range []struct {
		m                    bound.Model
		commits              int
		unlike               string
		closed, below, bytes int64
	}{
		{bound.Default(1), 20_000, "", 3_964, 6_374, 6_374},
		{bound.Default(10), 20_000, "", 16_547, 23_109, 23_109},
		{bound.Default(100), 20_000, "", 89_125, 106_988, 107_001},
		{bound.Default(1_000), 20_000, "", 588_685, 670_441, 673_625},
		{wide, 20_000, ", d = 2,500, p = 2,600, F = 125,000, L = 3,300", 141_661, 234_799, 234_799},
		{ten, 20_000, ", d = 168, p = 210, F = 9,000", 10_123, 13_498, 13_498},
		{bound.Default(1), 100_000, "", 4_606, 7_141, 7_141},
		{bound.Default(10), 100_000, "", 19_191, 28_065, 28_066},
		{bound.Default(100), 100_000, "", 101_581, 153_514, 153_669},
		{bound.Default(1_000), 100_000, "", 650_682, 1_113_671, 1_131_466},
		{priced(10, 6_000), 100_000, ", F = 6,000", 19_191, 24_436, 24_437},
		{priced(10, 2_000), 100_000, ", F = 2,000", 19_191, 22_746, 22_748},
	} {
		bytes := newProgram(t, row.m, row.commits).Bytes(int64(row.commits))
		below := newProgram(t, row.m.WholeLeaves(), row.commits).Bytes(int64(row.commits))
		closed := closedForm(t, row.m, int64(row.commits))
		got := [3]int64{perCommit(closed, row.commits), perCommit(below, row.commits), perCommit(bytes, row.commits)}
		if want := [3]int64{row.closed, row.below, row.bytes}; got != want {
			t.Errorf("%+v, %d commits: %d, want %d", row.m, row.commits, got, want)
		}
		name := grouped(row.m.FilesPerCommit) + ", " + grouped(int64(row.commits)) + row.unlike
		inDocument(t, name, grouped(row.closed), grouped(row.below), grouped(row.bytes))
	}
}

// TestTableOfLongHorizons has the lower bounds of docs/policy.md.
func TestTableOfLongHorizons(t *testing.T) {
	for _, k := range []int64{1, 10, 100, 1_000} {
		row := []string{grouped(k)}
		p := newProgram(t, bound.Default(k).WholeLeaves(), 10_000_000)
		for _, commits := range []int64{100_000, 1_000_000, 10_000_000} {
			row = append(row, grouped(perCommit(p.Bytes(commits), int(commits))))
		}
		inDocument(t, row...)
	}
}
