package count

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Pattern says which files are removed and modified, and which partitions they have. The zero Pattern takes any file with the same
// chance, in a table without partitions.
type Pattern struct {
	// Seed decides what is drawn.
	Seed uint64
	Skew Skew
	// Partitions are those that new files are spread over by chance; 0 is none. Where CommitsPerPartition is set instead, a partition
	// has the files of so many commits, as days have.
	Partitions, CommitsPerPartition int64
	// Apart tells loose files of partitions by chance apart, as policies see them in a real table: each is an item, and no group. That takes
	// memory and time for each.
	Apart bool
}

// Skew says which files are removed and modified.
type Skew uint8

// The skews.
const (
	// Uniform takes any file with the same chance.
	Uniform Skew = iota
	// Recent takes young files: one is as likely among the last ten as among the ninety before, or the nine hundred before these.
	Recent
	// Hot takes four of five files from a twentieth of all, whose files are spread over all commits.
	Hot
)

// What [Hot] means, in percent.
const (
	hotFiles = 5
	hotHits  = 80
)

// group is files of which only numbers are known.
type group struct {
	live, hot int64
	// first and last are the commits that added them, mean the mean of these.
	first, last int64
	mean        float64
	// low and high are their partitions.
	low, high int64
	// since is the mean of the snapshots that added them.
	since float64
}

// with returns both groups as one.
func (g group) with(other group) group {
	if g.live == 0 {
		return other
	}
	if other.live == 0 {
		return g
	}
	all := float64(g.live + other.live)
	return group{
		live: g.live + other.live, hot: g.hot + other.hot, first: min(g.first, other.first), last: max(g.last, other.last),
		mean: g.mean*(float64(g.live)/all) + other.mean*(float64(other.live)/all), low: min(g.low, other.low), high: max(g.high, other.high),
		since: g.since*(float64(g.live)/all) + other.since*(float64(other.live)/all),
	}
}

// leaf is a leaf with its live files.
type leaf struct {
	group
	// rows are all of its rows, deleted and replaced those that this commit masks.
	rows, deleted, replaced int64
	maskBytes               int64
}

// Leaf is what a scan may know of a leaf.
type Leaf struct {
	Live, Rows, Bytes int64
	// Low and High are bounds of the partitions of its files, First and Last of the commits that added them.
	Low, High, First, Last int64
	// Thin says that its pointer lacks the statistics of columns that the table is not partitioned by.
	Thin bool
}

// Leaf describes a leaf.
func (t *Table) Leaf(i int) Leaf {
	l := &t.leaves[i]
	return Leaf{l.live, l.rows, t.pointers[i].FileSizeBytes, l.low, l.high, l.first, l.last, t.pointers[i].Thin}
}

// LeafBytes are the bytes of all leaves.
func (t *Table) LeafBytes() int64 { return t.leafBytes }

// Commits are those of writers so far.
func (t *Table) Commits() int64 { return t.now }

// drawing is what chance needs. Its slices are used again.
type drawing struct {
	random *rand.Rand
	source *rand.PCG
	// added are all files that were ever added, of which every twentieth is hot.
	added int64
	ranks []float64
	// weights and hits are those of each group.
	weights, hits []int64
	// byAge lists the leaves, the newest first, if it is known.
	byAge []int
}

// start makes the source of chance.
func (d *drawing) start(seed uint64) {
	if d.random == nil {
		d.source = rand.NewPCG(seed, 0x636f756e74)
		d.random = rand.New(d.source)
	}
}

// between returns bounds of so many numbers from low to high, drawn each with the same chance.
func (d *drawing) between(n, low, high int64) (first, last int64) {
	if low == high || n == 0 {
		return low, high
	}
	room := float64(high - low + 1)
	if n == 1 {
		first = min(high, low+int64(room*d.random.Float64()))
		return first, first
	}
	least := 1 - math.Pow(1-d.random.Float64(), 1/float64(n))
	most := least + (1-least)*math.Pow(d.random.Float64(), 1/float64(n-1))
	return min(high, low+int64(room*least)), min(high, low+int64(room*most))
}

// arrive makes new files.
func (t *Table) arrive(n int64) []group {
	if n == 0 {
		return nil
	}
	g := group{live: n, first: t.now, last: t.now, mean: float64(t.now), since: float64(t.snapshot + 1)}
	d := &t.drawing
	if t.Pattern.Skew == Hot {
		g.hot = (d.added+n)*hotFiles/100 - d.added*hotFiles/100
	}
	d.added += n
	switch p := t.Pattern; {
	case p.CommitsPerPartition > 0:
		g.low = (t.now - 1) / p.CommitsPerPartition
		g.high = g.low
	case p.Partitions > 0:
		d.start(p.Seed)
		if p.Apart {
			return d.apart(g, p.Partitions)
		}
		g.low, g.high = d.between(n, 0, p.Partitions-1)
	}
	return []group{g}
}

// apart returns the files of a group one by one, each of a partition by chance.
func (d *drawing) apart(g group, partitions int64) []group {
	all := make([]group, g.live)
	for i := range all {
		one := g
		one.live, one.hot = 1, int64(i+1)*g.hot/g.live-int64(i)*g.hot/g.live
		one.low, _ = d.between(1, 0, partitions-1)
		one.high = one.low
		all[i] = one
	}
	return all
}

// Partitions is the number of partitions that the table has.
func (t *Table) Partitions() int64 {
	if p := t.Pattern; p.CommitsPerPartition > 0 {
		return (max(1, t.now) + p.CommitsPerPartition - 1) / p.CommitsPerPartition
	}
	return max(1, t.Pattern.Partitions)
}

// hit draws live files and does something to them, group by group: loose files come first, then leaves. It returns the sum of what
// that returned.
func (t *Table) hit(n int64, do func(t *Table, i int, n, hot int64) int64) int64 {
	if n == 0 || t.Files == 0 {
		return 0
	}
	t.drawing.start(t.Pattern.Seed)
	var sum int64
	if t.Pattern.Skew == Hot {
		hot := n * hotHits / 100
		if t.drawing.random.Int64N(100) < n*hotHits%100 {
			hot++
		}
		n -= t.spread(hot, false, func(g *group) int64 { return g.hot }, func(i int, n int64) { sum += do(t, i, n, n) })
		n -= t.spread(n, false, func(g *group) int64 { return g.live - g.hot }, func(i int, n int64) { sum += do(t, i, n, 0) })
		t.spread(n, false, func(g *group) int64 { return g.hot }, func(i int, n int64) { sum += do(t, i, n, n) })
		return sum
	}
	t.spread(n, t.Pattern.Skew == Recent, func(g *group) int64 { return g.live }, func(i int, n int64) { sum += do(t, i, n, 0) })
	return sum
}

// mostDraws bounds what is drawn at once: of more files each draw stands for several.
const mostDraws = 4096

// spread draws files out of the groups, of which each has its weight of them, and returns how many it found. Young ones are more likely
// if recent is true.
func (t *Table) spread(n int64, recent bool, weight func(*group) int64, do func(i int, n int64)) int64 {
	d, groups := &t.drawing, len(t.loose)+len(t.leaves)
	d.weights = d.weights[:0]
	var all int64
	for i := range t.loose {
		w := weight(&t.loose[i])
		d.weights, all = append(d.weights, w), all+w
	}
	for i := range t.leaves {
		w := weight(&t.leaves[i].group)
		d.weights, all = append(d.weights, w), all+w
	}
	if n = min(n, all); n == 0 {
		return 0
	}
	d.rank(int(min(n, mostDraws)), float64(all), recent)
	d.hits = append(d.hits[:0], make([]int64, groups)...)
	if recent {
		t.sortByAge()
	}
	order := func(at int) int {
		switch {
		case !recent:
			return at
		case at < len(t.loose):
			return len(t.loose) - 1 - at
		}
		return len(t.loose) + d.byAge[at-len(t.loose)]
	}
	draws, next, seen, carry := int64(len(d.ranks)), int64(0), int64(0), int64(0)
	for at := range groups {
		i := order(at)
		w := d.weights[i]
		for seen += w; next < draws && d.ranks[next] < float64(seen); next++ {
			carry += n*(next+1)/draws - n*next/draws
		}
		d.hits[i] = min(carry, w)
		carry -= d.hits[i]
	}
	carry += n - n*next/draws // ranks that rounding put beyond the last file
	for i := range groups {
		if carry > 0 { // more than one group had
			more := min(carry, d.weights[i]-d.hits[i])
			d.hits[i] += more
			carry -= more
		}
		if d.hits[i] > 0 {
			do(i, d.hits[i])
		}
	}
	return n
}

// rank draws so many numbers below all, ascending: what adds up of gaps is what sorting would give.
func (d *drawing) rank(n int, all float64, recent bool) {
	d.ranks = d.ranks[:0]
	sum := 0.0
	for range n {
		sum += d.random.ExpFloat64()
		d.ranks = append(d.ranks, sum)
	}
	sum += d.random.ExpFloat64()
	for i, r := range d.ranks {
		if r /= sum; recent {
			d.ranks[i] = math.Exp(r*math.Log(all+1)) - 1
		} else {
			d.ranks[i] = r * all
		}
	}
}

// sortByAge lists the leaves by when their files came.
func (t *Table) sortByAge() {
	d := &t.drawing
	if len(d.byAge) == len(t.leaves) {
		return
	}
	d.byAge = d.byAge[:0]
	for i := range t.leaves {
		d.byAge = append(d.byAge, i)
	}
	slices.SortFunc(d.byAge, func(a, b int) int { return cmp.Or(cmp.Compare(t.leaves[b].mean, t.leaves[a].mean), a-b) })
}
