package bound_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/policy/bound"
)

func newSearch(t *testing.T, files int) *bound.Search {
	t.Helper()
	s, err := bound.NewSearch(files)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func searched(t interface{ Fatal(...any) }, s *bound.Search, m bound.Model, commits int) []int64 {
	bytes, err := s.Bytes(m, commits)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// grid calls visit with thousands of models of small numbers.
func grid(k int64, visit func(bound.Model)) {
	for _, d := range []int64{1, 2, 5} {
		for _, p := range []int64{1, 2, 3, 7, 20, 60} {
			for _, f := range []int64{0, 1, 3, 10, 30, 100} {
				for _, l := range []int64{1, 2, 3, 4, 5, 6, 8, 9, 10, 12, bound.Uncapped} {
					m := bound.Model{FilesPerCommit: k, EntryBytes: d, PointerBytes: p, LeafFixedBytes: f, LeafEntries: l}
					visit(m)
					m.LooseBytes = 1 + (p+f+l)%(2*d+1)
					visit(m)
				}
			}
		}
	}
}

// wholeCommits says of a model whether its leaves can be full without the files of a commit standing apart.
func wholeCommits(m bound.Model, commits int) bool {
	k, l := m.FilesPerCommit, m.LeafEntries
	return l%k == 0 || k%l == 0 || l >= k*int64(commits)
}

// TestSearch settles whether plans of consecutive, whole commits are the best there are: they are, where leaves can be full
// of whole commits.
func TestSearch(t *testing.T) {
	for k, commits := range map[int64]int{1: 22, 2: 11, 3: 7, 4: 6, 6: 4} {
		s := newSearch(t, int(k)*commits)
		models, dearer, worst := 0, 0, 1.0
		grid(k, func(m bound.Model) {
			best, program, below := searched(t, s, m, commits), newProgram(t, m, commits), newProgram(t, m.WholeLeaves(), commits)
			models++
			split := false
			for n, bytes := range best {
				got := program.Bytes(int64(n))
				if got < bytes || got > bytes && wholeCommits(m, n) {
					t.Fatalf("%+v, %d commits: the program has %d, the search %d", m, n, got, bytes)
				}
				if below.Bytes(int64(n)) > bytes {
					t.Fatalf("%+v, %d commits: the program for whole leaves has %d, the search %d", m, n, below.Bytes(int64(n)), bytes)
				}
				if floor, err := m.Floor(int64(n)); err != nil || floor > bytes {
					t.Fatalf("%+v, %d commits: a floor of %d, %v, the search has %d", m, n, floor, err, bytes)
				}
				split = split || got > bytes
				worst = max(worst, float64(got)/float64(max(bytes, 1)))
			}
			if split {
				dearer++
			}
		})
		t.Logf("k = %d: %d models, the program is dearer in %d, by up to %.4f", k, models, dearer, worst)
		if k > 1 && dearer == 0 {
			t.Errorf("k = %d: the program is never dearer than the search: the package documentation says it is", k)
		}
	}
}

// TestSplitCommit has a small example of a plan that splits a commit: with k = 2 and L = 3 the second commit fills a leaf and
// leaves one file loose, which fills a leaf with those of the third: 2 + (3 + 1 + 1) + (3 + 2) + (2 + 2) bytes.
func TestSplitCommit(t *testing.T) {
	m := bound.Model{FilesPerCommit: 2, EntryBytes: 1, PointerBytes: 1, LeafEntries: 3}
	best, program := searched(t, newSearch(t, 8), m, 4), newProgram(t, m, 4)
	for n, want := range []struct{ program, best int64 }{{0, 0}, {2, 2}, {6, 6}, {11, 11}, {17, 16}} {
		if program.Bytes(int64(n)) != want.program || best[n] != want.best {
			t.Errorf("%d commits: the program has %d, the search %d, want %d", n, program.Bytes(int64(n)), best[n], want)
		}
	}
}

// TestSearchOfLongHistories does the same for fewer models, with more levels of merges.
func TestSearchOfLongHistories(t *testing.T) {
	const files = 34
	s := newSearch(t, files)
	for _, k := range []int64{1, 2} {
		for _, d := range []int64{1, 4} {
			for _, p := range []int64{1, 5} {
				for _, f := range []int64{0, 6, 40} {
					for _, commits := range []int64{7, 1_000} {
						m := bound.Model{FilesPerCommit: k, EntryBytes: d, PointerBytes: p, LeafFixedBytes: f, LeafEntries: k * commits}
						horizon := files / int(k)
						best, program := searched(t, s, m, horizon), newProgram(t, m, horizon)
						for n, bytes := range best {
							if program.Bytes(int64(n)) != bytes {
								t.Fatalf("%+v, %d commits: the program has %d, the search %d", m, n, program.Bytes(int64(n)), bytes)
							}
						}
					}
				}
			}
		}
	}
}

// TestSearchOfConsecutiveFiles settles that only whole commits are in question: if files may stand in leaves in the order
// in which they came alone, but commits may be split, the best plan is as good.
func TestSearchOfConsecutiveFiles(t *testing.T) {
	for k, commits := range map[int64]int{1: 9, 2: 4, 3: 3, 4: 2} {
		s := newSearch(t, int(k)*commits)
		grid(k, func(m bound.Model) {
			want, got := searched(t, s, m, commits), consecutive(m, commits)
			if !slices.Equal(want, got) {
				t.Fatalf("%+v: consecutive files %d, the search has %d", m, got, want)
			}
		})
	}
}

// consecutive searches over all plans in which leaves, and loose files after them, hold the files in the order in which they
// came. A tree is then a list of sizes, and what is rewritten its end.
func consecutive(m bound.Model, commits int) []int64 {
	spent, horizons := map[string]int64{"": 0}, []int64{0}
	for t := 1; t <= commits; t++ {
		files := t * int(m.FilesPerCommit)
		reached := make(map[string]int64)
		for tree, bytes := range spent {
			for end := 0; end <= len(tree); end++ {
				build(m, reached, tree[:end], bytes, files)
			}
		}
		best := int64(math.MaxInt64)
		for tree, bytes := range reached {
			reached[tree] = bytes + loosePrice(m)*int64(files-inLeaves(tree)) + m.PointerBytes*int64(len(tree))
			best = min(best, reached[tree])
		}
		spent, horizons = reached, append(horizons, best)
	}
	return horizons
}

// build reaches all trees that begin with those leaves.
func build(m bound.Model, reached map[string]int64, tree string, bytes int64, files int) {
	if known, ok := reached[tree]; ok && known <= bytes {
		return
	}
	reached[tree] = bytes
	for size := 1; int64(size) <= m.LeafEntries && inLeaves(tree)+size <= files; size++ {
		build(m, reached, tree+string(rune(size)), bytes+m.LeafFixedBytes+m.EntryBytes*int64(size), files)
	}
}

func inLeaves(tree string) int {
	sum := 0
	for _, size := range tree {
		sum += int(size)
	}
	return sum
}

// TestSearchTellsFilesApart holds the search, which knows sizes only, to one that knows every file by name: a tree is then a
// partition of the files into loose ones and leaves, and a commit may lead from any tree to any other.
func TestSearchTellsFilesApart(t *testing.T) {
	s := newSearch(t, 6)
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.Int64Range(1, 3).Draw(t, "k")
		m := bound.Model{
			FilesPerCommit: k, EntryBytes: rapid.Int64Range(1, 9).Draw(t, "d"), PointerBytes: rapid.Int64Range(1, 30).Draw(t, "p"),
			LeafFixedBytes: rapid.Int64Range(0, 40).Draw(t, "F"), LeafEntries: rapid.Int64Range(1, 7).Draw(t, "L"),
			LooseBytes: rapid.Int64Range(0, 12).Draw(t, "l"), RootPointers: rapid.Int64Range(0, 4).Draw(t, "pointers"),
		}
		commits := 6 / int(k)
		want, got := byName(m, commits), searched(t, s, m, commits)
		if !slices.Equal(want, got) {
			t.Fatalf("%+v: the search has %d, by name %d", m, got, want)
		}
	})
}

// byName is the search by name. A tree is a word with a letter for each file: '-' if it is loose, else its leaf's.
func byName(m bound.Model, commits int) []int64 {
	spent, horizons := map[string]int64{"": 0}, []int64{0}
	for t := 1; t <= commits; t++ {
		reached := make(map[string]int64)
		best := int64(math.MaxInt64)
		for _, tree := range words("", t*int(m.FilesPerCommit), 0) {
			bytes, ok := cheapestStep(m, spent, tree)
			if !ok || m.RootPointers > 0 && len(leavesOf(tree)) > int(m.RootPointers) {
				continue
			}
			bytes += m.PointerBytes*int64(len(leavesOf(tree))) + loosePrice(m)*int64(strings.Count(tree, "-"))
			reached[tree], best = bytes, min(best, bytes)
		}
		spent, horizons = reached, append(horizons, best)
	}
	return horizons
}

// words returns all trees of n files that begin with a word in which so many leaves occur.
func words(word string, n, leaves int) []string {
	if len(word) == n {
		return []string{word}
	}
	all := words(word+"-", n, leaves)
	for leaf := range leaves + 1 {
		all = append(all, words(word+string(rune('a'+leaf)), n, max(leaves, leaf+1))...)
	}
	return all
}

var leavesOnce = make(map[string]map[string]bool)

// leavesOf returns the leaves of a tree: the positions of their files.
func leavesOf(tree string) map[string]bool {
	if leaves, ok := leavesOnce[tree]; ok {
		return leaves
	}
	leaves := make(map[string]bool)
	leavesOnce[tree] = leaves
	for leaf := 'a'; leaf <= 'z'; leaf++ {
		var files []byte
		for i, letter := range tree {
			if letter == leaf {
				files = append(files, byte('0'+i))
			}
		}
		if len(files) > 0 {
			leaves[string(files)] = true
		}
	}
	return leaves
}

// cheapestStep returns the least that leads to a tree: of its leaves, those that the tree before had are there already.
func cheapestStep(m bound.Model, spent map[string]int64, tree string) (int64, bool) {
	leaves := leavesOf(tree)
	best := int64(math.MaxInt64)
	for before, bytes := range spent {
		old := leavesOf(before)
		for leaf := range leaves {
			if int64(len(leaf)) > m.LeafEntries {
				return 0, false
			}
			if !old[leaf] {
				bytes += m.LeafFixedBytes + m.EntryBytes*int64(len(leaf))
			}
		}
		best = min(best, bytes)
	}
	return best, true
}

func TestSearchRefuses(t *testing.T) {
	if _, err := bound.NewSearch(bound.MaxSearchFiles + 1); err == nil {
		t.Error("too many files are taken")
	}
	s := newSearch(t, 5)
	for m, text := range map[bound.Model]string{
		bound.Default(3): "2 commits of 3 files, the search knows 5 files",
		{FilesPerCommit: 2, EntryBytes: math.MaxInt64 / 2, PointerBytes: 1, LeafEntries: 1}: "too large",
		{}: "files per commit: 0",
	} {
		if _, err := s.Bytes(m, 2); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%+v: %v, want %q", m, err, text)
		}
	}
}
