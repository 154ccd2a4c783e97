package bound

import (
	"fmt"
	"math"
	"slices"
)

// Limited returns what no plan goes below whose roots have at most [Model.RootPointers] pointers, for each horizon from 0 to so many
// commits. Leaves may be of any size, so that it is a bound for plans with larger leaves than the model's too, and loose files take
// no room in the root.
//
// Let A(n, r) be the least for n commits with at most r pointers at once. Until the commit j that makes the oldest component of the
// end there may be r of them, and after it one less beside that component:
//
//	A(n, 0) = k*l*n*(n+1)/2,
//	A(n, r) = min( A(n, 0), min over j of A(j-1, r) + A(n-j, r-1) + k*d*j + F + p*(n-j+1) ), A(0, r) = 0
//
// where l is the price of a loose file. It is found as [Program] finds its own: by walks on the lower convex hulls of A(., r) and
// A(., r-1). One more pointer is tried until that changes nothing.
//
// Commits stay whole, which is no restriction here. Look at one file of each commit, the i-th: its plan is one of whole commits if all
// of its prices but those of leaves are taken k times, and never has more pointers than there are. What the k of these plans cost is on
// average what the plan costs, or less: files cost the same, and a leaf or pointer is counted once for each i of which it has files.
// So one of the k costs no more. That consecutive components are optimal rests on search, as it does for [Program].
func (m Model) Limited(commits int) ([]int64, error) {
	err := m.check(int64(commits), func(n float64) float64 {
		// Twice what it costs to write all files in each commit.
		return n * n * (2*float64(m.FilesPerCommit)*float64(m.EntryBytes) + float64(m.LeafFixedBytes) + float64(m.PointerBytes))
	})
	if err != nil {
		return nil, err
	}
	if commits > MaxProgramCommits {
		return nil, fmt.Errorf("bound: %d commits, with a limit of pointers there may be %d", commits, MaxProgramCommits)
	}
	loose := make([]int64, commits+1)
	for n := range loose {
		loose[n] = m.looseBytes(int64(n))
	}
	before := newLevel(loose)
	for r := int64(0); m.RootPointers == 0 || r < m.RootPointers; r++ {
		now := m.level(before, loose)
		if slices.Equal(now.bytes, before.bytes) {
			break
		}
		before = now
	}
	return before.bytes, nil
}

// level is A(., r) for one r.
type level struct {
	bytes []int64
	lower hull
}

func newLevel(bytes []int64) *level {
	l := &level{bytes: bytes}
	for _, b := range bytes {
		l.lower.add(b)
	}
	return l
}

// level returns A(., r) from A(., r-1).
func (m Model) level(before *level, loose []int64) *level {
	l := &level{bytes: make([]int64, 1, len(loose))}
	l.lower.add(0)
	near := 1
	for n := 1; n < len(loose); n++ {
		var bytes int64
		bytes, near = m.oldest(l, before, n, near, loose[n])
		l.bytes = append(l.bytes, bytes)
		l.lower.add(bytes)
	}
	return l
}

// oldest returns the best plan for n commits, at most best, and where the lower curve of the choices of the oldest component is lowest.
// The walk begins near some choice; see [Program].
func (m Model) oldest(now, before *level, n, start int, best int64) (bytes int64, near int) {
	perCommit := m.batchBytes() - m.PointerBytes
	fixed := m.LeafFixedBytes + m.PointerBytes*(int64(n)+1)
	lowest := int64(math.MaxInt64)
	look := func(j int) int64 {
		rest := fixed + perCommit*int64(j)
		low := now.lower.floor[j-1] + before.lower.floor[n-j] + rest
		if low < best {
			best = min(best, now.bytes[j-1]+before.bytes[n-j]+rest)
		}
		if low < lowest {
			lowest, near = low, j
		}
		return low
	}
	slope := func(j int) int64 { return compareShifted(now.lower.slopes[j-1], perCommit, before.lower.slopes[n-j-1]) }
	low := look(start)
	for j, at := start, low; j < n && (at < best || slope(j) < 0); {
		j++
		at = look(j)
	}
	for j, at := start, low; j > 1 && (at < best || slope(j-1) > 0); {
		j--
		at = look(j)
	}
	return best, near
}
