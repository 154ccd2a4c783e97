package count

import (
	"cmp"
	"slices"
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
	var at []float64
	if all.live > 0 {
		at = quantiles(groups, n)
	}
	leaves := make([]leaf, n)
	for i := range leaves {
		part := func(whole int64) int64 { return int64(i+1)*whole/int64(n) - int64(i)*whole/int64(n) }
		l := leaf{group: all, rows: part(rows)}
		l.live, l.hot = part(all.live), part(all.hot)
		if leaves[i] = l; at == nil { // tombstones have no order here
			continue
		}
		l.low, l.high = max(all.low, int64(at[i])), min(all.high, int64(at[i+1]))
		if p := t.Pattern.CommitsPerPartition; p > 0 { // the commits of a partition are known
			l.first, l.last = max(all.first, l.low*p+1), min(all.last, (l.high+1)*p)
			l.mean = float64(l.first+l.last) / 2
		}
		leaves[i] = l
	}
	return leaves
}

// quantiles returns the partitions between which there is each of so many equal parts of the files, of which there are some. The file of partition p is somewhere
// from p to p+1.
func quantiles(groups []group, n int) []float64 {
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
	cuts := []float64{edges[0].at}
	density, before := 0.0, 0.0
	for i := 0; i+1 < len(edges) && len(cuts) < n; i++ {
		density += edges[i].density
		width := edges[i+1].at - edges[i].at
		for len(cuts) < n && density > 0 {
			want := files*float64(len(cuts))/float64(n) - before
			if want > density*width {
				break
			}
			cuts = append(cuts, edges[i].at+want/density)
		}
		before += density * width
	}
	for len(cuts) <= n { // the last one, and what rounding has left over
		cuts = append(cuts, edges[len(edges)-1].at)
	}
	return cuts
}

// rank tells policies where the bounds of leaves stand in the order of all of them, if the table has partitions.
func (t *Table) rank() {
	if t.ranked || t.Pattern.Partitions == 0 && t.Pattern.CommitsPerPartition == 0 {
		return
	}
	t.ranked = true
	all := make([]int64, 0, 2*len(t.leaves))
	for i := range t.leaves {
		all = append(all, t.leaves[i].low, t.leaves[i].high)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for i := range t.leaves {
		low, _ := slices.BinarySearch(all, t.leaves[i].low)
		high, _ := slices.BinarySearch(all, t.leaves[i].high)
		t.pointers[i].First, t.pointers[i].Last = int64(low)+1, int64(high)+1
	}
}
