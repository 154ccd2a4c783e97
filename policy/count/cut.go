package count

import (
	"cmp"
	"math"
	"slices"

	"github.com/firn-io/firn/policy"
)

// cut spreads the files of groups over so many leaves, by the order of their partitions. Of a group no more is known than its bounds: its
// files are taken to be spread evenly between them.
func (t *Table) cut(groups []group, rows int64, n int) []leaf {
	var all group
	for _, g := range groups {
		all = all.with(g)
	}
	n = int(max(1, min(int64(n), rows)))
	if n == 1 {
		return []leaf{{group: all, rows: rows}}
	}
	cuts := make([]cut, n+1)
	for i := range cuts {
		cuts[i].share = float64(i) / float64(n)
	}
	if all.live > 0 { // tombstones have no order here
		cuts = quantiles(groups, n)
	}
	leaves, hot := make([]leaf, n), int64(0)
	for i := range leaves {
		part := func(whole int64) int64 { return cuts[i+1].of(whole) - cuts[i].of(whole) }
		l := leaf{group: all, rows: part(rows)}
		l.live = part(all.live)
		l.hot = min(cuts[i+1].of(all.hot)-hot, l.live)
		hot += l.hot
		if leaves[i] = l; all.live == 0 {
			continue
		}
		l.low, l.high = max(all.low, int64(cuts[i].at)), min(all.high, cuts[i+1].before())
		if p := t.Pattern.CommitsPerPartition; p > 0 { // the commits of a partition are known
			l.first, l.last = max(all.first, l.low*p+1), min(all.last, (l.high+1)*p)
			l.mean = float64(l.first+l.last) / 2
		}
		leaves[i] = l
	}
	return leaves
}

// cut is where leaves are cut: at is a partition, or some way into it, and share what part of all files lies before.
type cut struct{ at, share float64 }

// of returns how many of so many files lie before the cut.
func (c cut) of(whole int64) int64 { return int64(c.share*float64(whole) + 0.5) }

// before is the last partition that has files before the cut.
func (c cut) before() int64 { return int64(math.Ceil(c.at)) - 1 }

// smallPart is how many files parts have that are cut as they come: in those of fewer a partition's beginning may be no row.
const smallPart = 8

// quantiles returns where equal parts of the files begin and end, of which there are some, or where partitions begin near there, as a
// commit cuts leaves (see [policy.CutPart]). The file of partition p is somewhere from p to p+1.
func quantiles(groups []group, n int) []cut {
	// density is how many files there are for each partition, between one edge and the next.
	type edge struct{ at, density float64 }
	var edges []edge
	files := 0.0
	for _, g := range groups {
		if g.live > 0 {
			files += float64(g.live)
			density := float64(g.live) / float64(g.high-g.low+1)
			edges = append(edges, edge{float64(g.low), density}, edge{float64(g.high + 1), -density})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	cuts := []cut{{edges[0].at, 0}}
	density, before, part := 0.0, 0.0, files/float64(n)
	for i := 0; i+1 < len(edges) && len(cuts) < n; i++ {
		density += edges[i].density
		width := edges[i+1].at - edges[i].at
		for len(cuts) < n && density > 0 {
			want := part*float64(len(cuts)) - before
			if want > density*width {
				break
			}
			c := cut{edges[i].at + want/density, float64(len(cuts)) / float64(n)}
			if begins := math.Ceil(c.at - 0.5); part >= smallPart && math.Abs(begins-c.at)*density <= part/policy.CutPart {
				c.at, c.share = begins, c.share+(begins-c.at)*density/files
			}
			cuts = append(cuts, c)
		}
		before += density * width
	}
	last := edges[len(edges)-1].at
	for len(cuts) < n { // what rounding has left over
		cuts = append(cuts, cut{last, float64(len(cuts)) / float64(n)})
	}
	return append(cuts, cut{last, 1})
}

// rank tells policies where the partitions of leaves and of files stand in the order of the bounds of leaves, if the table has partitions.
func (t *Table) rank() {
	if t.Pattern.Partitions == 0 && t.Pattern.CommitsPerPartition == 0 {
		return
	}
	if !t.ranked {
		t.ranked = true
		t.bounds = t.bounds[:0]
		for i := range t.leaves {
			t.bounds = append(t.bounds, t.leaves[i].low, t.leaves[i].high)
		}
		slices.Sort(t.bounds)
		t.bounds = slices.Compact(t.bounds)
		for i := range t.leaves {
			t.pointers[i].First, t.pointers[i].Last = t.around(t.leaves[i].group)
		}
	}
	in := &t.draft.in
	for i := range in.Loose {
		in.Loose[i].First, in.Loose[i].Last = t.around(t.loose[i])
	}
	for i := range in.New {
		in.New[i].First, in.New[i].Last = t.around(t.draft.fresh(i))
	}
}

// around returns where the partitions of a group stand, see [policy.Item]: of those that follow time the number of each is known.
func (t *Table) around(g group) (first, last int64) {
	if t.Pattern.CommitsPerPartition > 0 {
		begin := g.low
		if len(t.bounds) > 0 {
			begin = t.bounds[0]
		}
		return max(0, g.low-begin+1), max(1, g.high-begin+1)
	}
	at, exact := slices.BinarySearch(t.bounds, g.low)
	if first = int64(at); exact {
		first++
	}
	at, _ = slices.BinarySearch(t.bounds, g.high)
	return first, int64(at) + 1
}
