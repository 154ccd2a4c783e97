package bound_test

import (
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

// TestTable has the table of docs/policy.md: bytes a commit beyond the fixed price of the root.
func TestTable(t *testing.T) {
	wide := bound.Model{FilesPerCommit: 10, EntryBytes: 2_500, PointerBytes: 2_600, LeafFixedBytes: 125_000, LeafEntries: 3_300}
	ten := bound.Model{FilesPerCommit: 10, EntryBytes: 168, PointerBytes: 210, LeafFixedBytes: 9_000, LeafEntries: bound.DefaultLeafEntries}
	for _, row := range []struct {
		m                    bound.Model
		commits              int
		closed, below, bytes int64
	}{
		{bound.Default(1), 20_000, 3_964, 6_374, 6_374},
		{bound.Default(10), 20_000, 16_547, 23_109, 23_109},
		{bound.Default(100), 20_000, 89_125, 106_988, 107_001},
		{bound.Default(1_000), 20_000, 588_685, 670_441, 673_625},
		{wide, 20_000, 141_661, 234_799, 234_799},
		{ten, 20_000, 10_123, 13_498, 13_498},
		{bound.Default(1), 100_000, 4_606, 7_141, 7_141},
		{bound.Default(10), 100_000, 19_191, 28_065, 28_066},
		{bound.Default(100), 100_000, 101_581, 153_514, 153_669},
		{bound.Default(1_000), 100_000, 650_682, 1_113_671, 1_131_466},
		{priced(10, 6_000), 100_000, 19_191, 24_436, 24_437},
		{priced(10, 2_000), 100_000, 19_191, 22_746, 22_748},
	} {
		bytes := newProgram(t, row.m, row.commits).Bytes(int64(row.commits))
		below := newProgram(t, row.m.WholeLeaves(), row.commits).Bytes(int64(row.commits))
		closed := closedForm(t, row.m, int64(row.commits))
		got := [3]int64{perCommit(closed, row.commits), perCommit(below, row.commits), perCommit(bytes, row.commits)}
		if want := [3]int64{row.closed, row.below, row.bytes}; got != want {
			t.Errorf("%+v, %d commits: %d, want %d", row.m, row.commits, got, want)
		}
	}
}
