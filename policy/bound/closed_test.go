package bound_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/policy/bound"
)

// recursion is the recursion that the closed form solves, for all horizons up to n.
func recursion(left, right int64, n int) []int64 {
	a := make([]int64, n+1)
	for n := 1; n < len(a); n++ {
		a[n] = math.MaxInt64
		for j := 1; j <= n; j++ {
			a[n] = min(a[n], a[j-1]+a[n-j]+left*int64(j)+right*int64(n-j+1))
		}
	}
	return a
}

// loosePrice is the price of a loose file.
func loosePrice(m bound.Model) int64 { return cmp.Or(m.LooseBytes, m.EntryBytes) }

func closedForm(t interface{ Fatal(...any) }, m bound.Model, commits int64) int64 {
	bytes, err := m.ClosedForm(commits)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

func TestClosedFormIsTheRecursion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := bound.Model{
			FilesPerCommit: rapid.Int64Range(1, 50).Draw(t, "k"), EntryBytes: rapid.Int64Range(1, 50).Draw(t, "d"),
			PointerBytes: rapid.Int64Range(1, 400).Draw(t, "p"), LeafEntries: 1, LooseBytes: rapid.Int64Range(0, 99).Draw(t, "l"),
		}
		left, right := m.FilesPerCommit*m.EntryBytes, min(m.PointerBytes, m.FilesPerCommit*loosePrice(m))
		for n, want := range recursion(left, right, rapid.IntRange(0, 150).Draw(t, "commits")) {
			if got := closedForm(t, m, int64(n)); got != want {
				t.Fatalf("%+v, %d commits: %d, the recursion has %d", m, n, got, want)
			}
		}
	})
}

// TestClosedFormOfCompleteTrees has equal prices to both sides: the best tree is the complete one.
func TestClosedFormOfCompleteTrees(t *testing.T) {
	m := bound.Model{FilesPerCommit: 3, EntryBytes: 7, PointerBytes: 21, LeafEntries: 1}
	for height := 1; height < 48; height++ {
		nodes := int64(1)<<height - 1
		edges := int64(height-2)<<height + 2
		if got, want := closedForm(t, m, nodes), 21*(2*nodes+edges); got != want {
			t.Errorf("height %d: %d, want %d", height, got, want)
		}
	}
}

// TestClosedFormFigures has entries a commit, at one entry a pointer: docs/policy.md prints them.
func TestClosedFormFigures(t *testing.T) {
	for k, want := range map[int64]string{1: "13.4 16.7 20.0", 10: "52.1 64.9 77.7", 100: "288.2 352.4 423.3"} {
		m := bound.Model{FilesPerCommit: k, EntryBytes: 1, PointerBytes: 1, LeafEntries: 1}
		var got []string
		for _, commits := range []int64{1e4, 1e5, 1e6} {
			got = append(got, fmt.Sprintf("%.1f", float64(closedForm(t, m, commits))/float64(commits)))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("k = %d: %s, want %s", k, strings.Join(got, " "), want)
		}
		inDocument(t, append([]string{grouped(k)}, got...)...)
	}
}

// TestClosedFormByLevels takes the nodes of the tree one price after the other, for horizons that the recursion does not
// reach.
func TestClosedFormByLevels(t *testing.T) {
	const commits = 100_000_000
	for _, k := range []int64{1, 10, 1_000} {
		m := bound.Default(k)
		left := k * m.EntryBytes
		right := min(left, m.PointerBytes)
		want, rest := commits*(left+right), int64(commits)
		for _, l := range levels(left, right, commits) {
			taken := min(rest, l.nodes)
			want, rest = want+taken*l.price, rest-taken
		}
		if got := closedForm(t, m, commits); got != want || rest > 0 {
			t.Errorf("k = %d: %d, by levels %d without %d nodes", k, got, want, rest)
		}
	}
}

type level struct{ price, nodes int64 }

// levels returns the nodes that are reached by i edges to the left and j to the right, for each i and j that count, in the
// order of their price. Their number is Pascal's, at most limit.
func levels(left, right, limit int64) []level {
	const most = 12_000 // edges to the right
	var all []level
	row := make([]int64, most)
	row[0] = 1
	for i := range int64(30) {
		for j := range int64(most) {
			if j > 0 {
				row[j] = min(row[j]+row[j-1], limit)
			}
			all = append(all, level{i*left + j*right, row[j]})
		}
	}
	slices.SortFunc(all, func(a, b level) int { return cmp.Compare(a.price, b.price) })
	return all
}

// TestClosedFormIsCountable asks for what fits into 64 bits, and for what does not.
func TestClosedFormIsCountable(t *testing.T) {
	m := bound.Default(1000)
	previous := int64(0)
	for commits := int64(1); ; commits *= 7 {
		got, err := m.ClosedForm(commits)
		if errors.Is(err, bound.ErrTooLarge) && commits > 1e10 {
			break
		}
		if err != nil || got/commits < previous {
			t.Fatalf("%d commits: %d, %v; a seventh of them have %d a commit", commits, got, err, previous)
		}
		previous = got / commits
	}
	for _, m := range []bound.Model{
		{FilesPerCommit: bound.Uncapped, EntryBytes: math.MaxInt64, PointerBytes: 1, LeafEntries: 1},
		{FilesPerCommit: 1, EntryBytes: 1 << 57, PointerBytes: math.MaxInt64, LeafEntries: 1},
		{FilesPerCommit: 1, EntryBytes: 1, PointerBytes: math.MaxInt64, LooseBytes: math.MaxInt64, LeafEntries: 1},
	} {
		if got, err := m.ClosedForm(1); !errors.Is(err, bound.ErrTooLarge) {
			t.Errorf("%+v: %d, %v", m, got, err)
		}
	}
	if _, err := m.ClosedForm(-1); err == nil || !strings.Contains(err.Error(), "commits: -1") {
		t.Errorf("a negative horizon: %v", err)
	}
}
