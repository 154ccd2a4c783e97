package compare

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/firn-io/firn/policy/count"
)

// liveFiles are the live data files of a table, of which some are drawn as [count.Pattern] says: here each file is one, where the
// counting model knows groups.
type liveFiles struct {
	pattern count.Pattern
	random  *rand.Rand
	files   []*liveFile // by when they came; removed ones stay for a while
	hot     []*liveFile
	live    int
	hotGone int
	added   int64
}

// liveFile is a data file.
type liveFile struct {
	number, commit, partition int64
	// vectors counts its deletion vectors.
	vectors   int64
	hot, gone bool
}

// What [count.Hot] means, in percent.
const (
	hotFiles = 5
	hotHits  = 80
)

func newLiveFiles(p count.Pattern) *liveFiles {
	return &liveFiles{pattern: p, random: rand.New(rand.NewPCG(p.Seed, 0x7265616c))}
}

// add makes a new file of a commit.
func (l *liveFiles) add(commit int64) *liveFile {
	l.added++
	f := &liveFile{number: l.added, commit: commit}
	switch p := l.pattern; {
	case p.CommitsPerPartition > 0:
		f.partition = (commit - 1) / p.CommitsPerPartition
	case p.Partitions > 0:
		f.partition = l.random.Int64N(p.Partitions)
	}
	if l.pattern.Skew == count.Hot && l.added*hotFiles/100 > (l.added-1)*hotFiles/100 {
		f.hot = true
		l.hot = append(l.hot, f)
	}
	l.files = append(l.files, f)
	l.live++
	return f
}

// draw returns so many different live files for which ok is true, or as many as there are.
func (l *liveFiles) draw(n int64, ok func(*liveFile) bool) []*liveFile {
	var drawn []*liveFile
	seen := make(map[*liveFile]bool)
	for tries := 0; int64(len(drawn)) < min(n, int64(l.live)) && tries < 100*int(n)+1000; tries++ {
		f := l.one()
		if !f.gone && !seen[f] && ok(f) {
			seen[f] = true
			drawn = append(drawn, f)
		}
	}
	return drawn
}

// one draws a file, which may be gone.
func (l *liveFiles) one() *liveFile {
	switch l.pattern.Skew {
	case count.Recent:
		rank := int(math.Exp(l.random.Float64()*math.Log(float64(len(l.files))+1))) - 1
		return l.files[len(l.files)-1-min(rank, len(l.files)-1)]
	case count.Hot:
		if len(l.hot) > 0 && l.random.IntN(100) < hotHits {
			return l.hot[l.random.IntN(len(l.hot))]
		}
	}
	return l.files[l.random.IntN(len(l.files))]
}

// remove lets files go.
func (l *liveFiles) remove(files []*liveFile) {
	for _, f := range files {
		f.gone = true
		l.live--
		if f.hot {
			l.hotGone++
		}
	}
	isGone := func(f *liveFile) bool { return f.gone }
	if len(l.files) > 2*l.live {
		l.files = slices.DeleteFunc(l.files, isGone)
	}
	if 2*l.hotGone > len(l.hot) {
		l.hot, l.hotGone = slices.DeleteFunc(l.hot, isGone), 0
	}
}
