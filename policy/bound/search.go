package bound

import (
	"fmt"
	"math"
	"slices"
)

// MaxSearchFiles is the most files that a [Search] takes.
const MaxSearchFiles = 48

// Search finds what the cheapest of all plans writes, for a few files. Files are alike in the model, so a tree is no
// more than the sizes of its leaves and a number of loose files, and the search goes through all such trees: the partitions
// of at most so many files. In each commit any leaves may be dissolved and any files that are loose, new or set free may go
// into any new leaves.
//
// It is what [Program] is held to, and too slow for anything else: 40 files have 215,308 partitions. The zero Search knows
// no files; [NewSearch] makes one, for any number of models.
type Search struct {
	files int
	// The trees, by the files in their leaves.
	inLeaves, leaves []int64
	// more lists for each tree those with one leaf more, by the size of that leaf.
	more [][]larger
	// upTo is the number of trees with at most so many files in leaves.
	upTo []int
}

// larger is a tree with one more leaf.
type larger struct {
	size int64
	tree int
}

// NewSearch returns the search for up to so many files, at most [MaxSearchFiles].
func NewSearch(files int) (*Search, error) {
	if files < 0 || files > MaxSearchFiles {
		return nil, fmt.Errorf("bound: %d files, a search takes 0 to %d", files, MaxSearchFiles)
	}
	s := &Search{files: files}
	var shapes []string
	numbers := make(map[string]int)
	for n := range files + 1 {
		partitions(n, n, nil, func(sizes []byte) {
			numbers[string(sizes)] = len(shapes)
			shapes = append(shapes, string(sizes))
			s.inLeaves, s.leaves = append(s.inLeaves, int64(n)), append(s.leaves, int64(len(sizes)))
		})
		s.upTo = append(s.upTo, len(shapes))
	}
	s.more = make([][]larger, len(shapes))
	for i, shape := range shapes {
		for size := 1; int(s.inLeaves[i])+size <= files; size++ {
			with := append([]byte(shape), byte(size))
			slices.SortFunc(with, func(a, b byte) int { return int(b) - int(a) })
			s.more[i] = append(s.more[i], larger{int64(size), numbers[string(with)]})
		}
	}
	return s, nil
}

// partitions yields all ways to write n as a sum, largest part first and none above most.
func partitions(n, most int, parts []byte, yield func([]byte)) {
	if n == 0 {
		yield(parts)
		return
	}
	for part := min(n, most); part > 0; part-- {
		partitions(n-part, part, append(parts, byte(part)), yield)
	}
}

// Bytes returns what the cheapest plan writes beyond the fixed price of the roots, for each horizon from 0 to so many
// commits.
func (s *Search) Bytes(m Model, commits int) ([]int64, error) {
	if err := s.check(m, commits, 1); err != nil {
		return nil, err
	}
	spent, horizons := []int64{0}, []int64{0}
	for t := 1; t <= commits; t++ {
		spent = s.commit(m, spent, int64(t)*m.FilesPerCommit)
		horizons = append(horizons, slices.Min(spent))
	}
	return horizons, nil
}

// Weighted returns the least that a plan writes if a byte of the first commit counts as counts[0], one of the second as counts[1], and on.
// They must not be negative.
func (s *Search) Weighted(m Model, counts []int64) (int64, error) {
	if err := s.check(m, len(counts), slices.Max(append(counts, 0))); err != nil {
		return 0, err
	}
	spent := []int64{0}
	for t, count := range counts {
		dearer := m
		dearer.EntryBytes, dearer.LooseBytes = m.EntryBytes*count, m.looseFile()*count
		dearer.PointerBytes, dearer.LeafFixedBytes = m.PointerBytes*count, m.LeafFixedBytes*count
		spent = s.commit(dearer, spent, int64(t+1)*m.FilesPerCommit)
	}
	return slices.Min(spent), nil
}

// check reports whether the search can go through so many commits, of which a byte counts at most so much.
func (s *Search) check(m Model, commits int, most int64) error {
	err := m.check(int64(commits), func(n float64) float64 {
		files := n * float64(m.FilesPerCommit)
		return float64(most) * n * files * (float64(m.EntryBytes) + float64(m.looseFile()) + float64(m.LeafFixedBytes) + float64(m.PointerBytes))
	})
	if err != nil {
		return err
	}
	if int64(commits) > int64(s.files)/m.FilesPerCommit {
		return fmt.Errorf("bound: %d commits of %d files, the search knows %d files", commits, m.FilesPerCommit, s.files)
	}
	return nil
}

// commit returns the least that was spent until the next commit for each tree that it may leave, from the same for the
// trees before.
func (s *Search) commit(m Model, before []int64, files int64) []int64 {
	spent := slices.Clone(before)
	// Trees come in the order of their files in leaves: to dissolve all at once goes down, to build up.
	for i := len(spent) - 1; i >= 0; i-- {
		for _, from := range s.more[i] {
			if from.tree >= len(before) {
				break
			}
			spent[i] = min(spent[i], spent[from.tree])
		}
	}
	const unknown = math.MaxInt64
	for len(spent) < s.upTo[files] {
		spent = append(spent, unknown)
	}
	for i := range spent {
		if spent[i] == unknown { // a leaf of it is above the cap
			continue
		}
		for _, to := range s.more[i] {
			if to.size > m.LeafEntries || s.inLeaves[i]+to.size > files {
				break
			}
			spent[to.tree] = min(spent[to.tree], spent[i]+m.LeafFixedBytes+m.EntryBytes*to.size)
		}
	}
	for i := range spent {
		switch {
		case spent[i] == unknown:
		case m.RootPointers > 0 && s.leaves[i] > m.RootPointers:
			spent[i] = unknown
		default:
			spent[i] += m.looseFile()*(files-s.inLeaves[i]) + m.PointerBytes*s.leaves[i]
		}
	}
	return spent
}
