package bound_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/policy/bound"
)

func expected(t interface{ Fatal(...any) }, m bound.Model, e bound.Ends) float64 {
	ratio, err := m.Expected(e)
	if err != nil {
		t.Fatal(err)
	}
	return ratio
}

// TestExpectedIsTheSearch holds the plan for commits that count differently to the search over every plan. Chances in proportion to A(n)
// let the commits count whole numbers.
func TestExpectedIsTheSearch(t *testing.T) {
	s := newSearch(t, 24)
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.Int64Range(1, 4).Draw(t, "k")
		m := bound.Model{
			FilesPerCommit: k, EntryBytes: rapid.Int64Range(1, 5).Draw(t, "d"), PointerBytes: rapid.Int64Range(1, 40).Draw(t, "p"),
			LeafFixedBytes: rapid.Int64Range(0, 60).Draw(t, "F"), LooseBytes: rapid.Int64Range(0, 9).Draw(t, "l"),
			LeafEntries: bound.Uncapped,
		}
		commits := rapid.IntRange(1, 24/int(k)).Draw(t, "commits")
		program := newProgram(t, m, commits)
		ends, counts, sum := make(bound.Ends, commits+1), make([]int64, commits), 0.0
		for n := commits; n > 0; n-- {
			share := rapid.Int64Range(0, 3).Draw(t, "share")
			if n == commits {
				share++
			}
			ends[n] = float64(share * program.Bytes(int64(n)))
			sum += ends[n]
			for before := range n {
				counts[before] += share
			}
		}
		want, err := s.Weighted(m, counts)
		if err != nil {
			t.Fatal(err)
		}
		if got := expected(t, m, ends) * sum; math.Abs(got-float64(want)) > 1e-6*float64(want) {
			t.Fatalf("%+v, %v: %.3f, the search has %d", m, ends, got, want)
		}
	})
}

// writtenAtOnce is the recursion of Expected for commits from after a up to b, with a cap of leaves: each component is written in the commit that
// adds the last of its files.
func writtenAtOnce(m bound.Model, counts []int64, a, b int) int64 {
	if a == b {
		return 0
	}
	least, pointers := int64(0), int64(0)
	for t := a; t < b; t++ {
		least += counts[t] * m.FilesPerCommit * loosePrice(m) * int64(t-a+1)
	}
	for j := b; j > a; j-- {
		pointers += counts[j-1] * m.PointerBytes
		files := m.FilesPerCommit * int64(j-a)
		leaves := (files-1)/m.LeafEntries + 1
		least = min(least, writtenAtOnce(m, counts, a, j-1)+writtenAtOnce(m, counts, j, b)+
			counts[j-1]*(files*m.EntryBytes+leaves*m.LeafFixedBytes)+leaves*pointers)
	}
	return least
}

// TestCapsLetLeavesWait has the small example of docs/policy.md: with a cap of leaves, and commits that count differently, the best plan writes a
// leaf while later files stay loose.
func TestCapsLetLeavesWait(t *testing.T) {
	m := bound.Model{FilesPerCommit: 1, EntryBytes: 1, PointerBytes: 1, LeafFixedBytes: 1, LeafEntries: 2}
	counts := []int64{2, 2, 1, 1, 1, 1}
	best, err := newSearch(t, 6).Weighted(m, counts)
	if atOnce := writtenAtOnce(m, counts, 0, 6); err != nil || best != 23 || atOnce != 24 {
		t.Errorf("%d, %v, written at once %d", best, err, atOnce)
	}
	m.LeafEntries = bound.Uncapped
	best, err = newSearch(t, 6).Weighted(m, counts)
	if atOnce := writtenAtOnce(m, counts, 0, 6); err != nil || best != atOnce {
		t.Errorf("without a cap %d, %v, written at once %d", best, err, atOnce)
	}
}

// TestWeightedOnce: if each byte counts once, the search is the same.
func TestWeightedOnce(t *testing.T) {
	s := newSearch(t, 8)
	grid(2, func(m bound.Model) {
		once, err := s.Weighted(m, []int64{1, 1, 1, 1})
		if want := searched(t, s, m, 4)[4]; err != nil || once != want {
			t.Fatalf("%+v: %d, %v, want %d", m, once, err, want)
		}
	})
}

// TestExpectedOfOneEnd: who knows the end writes no more than necessary, and chances are of no matter but to each other.
func TestExpectedOfOneEnd(t *testing.T) {
	m := bound.Default(10)
	ends := make(bound.Ends, 101)
	ends[100] = 7
	if got := expected(t, m, ends); math.Abs(got-1) > 1e-9 {
		t.Errorf("%v times what is necessary", got)
	}
	ends[10] = 3
	twice := make(bound.Ends, 101)
	twice[100], twice[10] = 14, 6
	if a, b := expected(t, m, ends), expected(t, m, twice); a <= 1 || math.Abs(a-b) > 1e-12 {
		t.Errorf("%v and %v times what is necessary", a, b)
	}
}

// likeEnds are ends of which any growth by a factor is as likely as any other.
func likeEnds(from, to int) bound.Ends {
	e := make(bound.Ends, to+1)
	for n := from; n <= to; n++ {
		e[n] = 1 / float64(n)
	}
	return e
}

// hundredths prints a ratio, never more than it is.
func hundredths(ratio float64) string { return fmt.Sprintf("%.2f", math.Floor(ratio*100)/100) }

// TestHardEnds has the table of docs/policy.md: what no policy goes below that does not know the end, on average and at the worst end.
func TestHardEnds(t *testing.T) {
	for _, row := range []struct {
		files    int64
		from, to int
	}{{1, 30, 300}, {10, 30, 500}, {100, 30, 300}, {100, 100, 600}} {
		m := bound.Default(row.files)
		hard, err := m.HardEnds(row.from, row.to)
		if err != nil {
			t.Fatal(err)
		}
		for n, chance := range hard {
			if chance != 0 && n < row.from {
				t.Errorf("%d files a commit: may end after %d commits", row.files, n)
			}
		}
		mean, worst := expected(t, m, likeEnds(row.from, row.to)), expected(t, m, hard)
		t.Logf("%+v: %.4f, %.4f", row, mean, worst)
		inDocument(t, grouped(row.files), fmt.Sprintf("%d to %d", row.from, row.to), hundredths(mean), hundredths(worst))
	}
}

func TestExpectedRefuses(t *testing.T) {
	m := bound.Default(1)
	for text, ends := range map[string]bound.Ends{
		"0 commits, want": {0}, "2001 commits": make(bound.Ends, bound.MaxEnd+2), "after 0 commits is 1": {1, 1}, "after 1 commits is -1": {0, -1, 2},
		"are 0 together": {0, 0, 0}, "is NaN": {0, math.NaN()}, "are +Inf together": {0, math.Inf(1)},
	} {
		if _, err := m.Expected(ends); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %q", err, text)
		}
	}
	if _, err := (bound.Model{}).Expected(bound.Ends{0, 1}); err == nil || !strings.Contains(err.Error(), "files per commit: 0") {
		t.Errorf("an invalid model: %v", err)
	}
	for _, r := range [][2]int{{0, 5}, {6, 5}, {1, bound.MaxEnd + 1}} {
		if _, err := m.HardEnds(r[0], r[1]); err == nil {
			t.Errorf("ends from %d to %d are taken", r[0], r[1])
		}
	}
}
