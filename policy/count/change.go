package count

import (
	"slices"

	"github.com/firn-io/firn/policy"
)

// Change is what a commit of a writer changes, in data files. A file that is replaced by another is one removed and one added.
type Change struct {
	// Added and Removed are data files.
	Added   int64 `json:"added"`
	Removed int64 `json:"removed"`
	// Modified are files that stay and get another deletion vector.
	Modified int64 `json:"modified"`
}

// Files are all files that the change touches.
func (c Change) Files() int64 { return c.Added + c.Removed + c.Modified }

// begin lets go what the last commit told of for the last time: leaves without live files, and the bitmaps of that commit alone.
func (t *Table) begin() {
	d := &t.draft
	in := &d.in
	in.Loose, in.New, in.Tombstones = in.Loose[:0], in.New[:0], in.Tombstones[:0]
	for _, i := range d.touched {
		t.leaves[i].deleted, t.leaves[i].replaced = 0, 0
		t.pointers[i].DVBytes, t.pointers[i].Changed = t.leaves[i].maskBytes, 0
	}
	d.touched, d.deltaBytes = d.touched[:0], 0
	d.added, d.left = nil, group{}
	if slices.Contains(t.Leaves, 0) {
		t.keepLeaves(func(i int) bool { return t.Leaves[i] > 0 })
	}
}

// change makes a change to the files, and describes it to the policy.
func (t *Table) change(c Change) {
	removed := t.hit(c.Removed, (*Table).remove)
	replaced := t.hit(c.Modified, (*Table).modify)
	d := &t.draft
	for _, i := range d.touched {
		l := &t.leaves[i]
		delta := MaskBytes(l.rows, l.deleted) + MaskBytes(l.rows, l.replaced)
		t.maskBytes -= l.maskBytes
		l.maskBytes = MaskBytes(l.rows, l.rows-l.live)
		t.maskBytes += l.maskBytes
		d.deltaBytes += delta
		t.pointers[i].LiveEntries, t.pointers[i].DVBytes, t.pointers[i].Changed = l.live, l.maskBytes+delta, l.deleted+l.replaced
		t.Leaves[i] = l.live
	}
	t.loose = slices.DeleteFunc(t.loose, func(g group) bool { return g.live == 0 })
	d.added = t.arrive(c.Added)
	for _, g := range d.added {
		d.in.New = append(d.in.New, policy.Item{Key: keyNew, Count: g.live, SequenceNumber: int64(g.since)})
	}
	for _, item := range []struct {
		list  *[]policy.Item
		key   string
		count int64
	}{
		{&d.in.New, "modified", d.left.live},
		{&d.in.Tombstones, "removed", removed}, {&d.in.Tombstones, "replaced", replaced},
	} {
		if item.count > 0 {
			*item.list = append(*item.list, policy.Item{Key: item.key, Count: item.count})
		}
	}
	t.Files += c.Added
}

// remove removes files of the group i, the loose ones first, and returns how many of them leave tombstones.
func (t *Table) remove(i int, n, hot int64) int64 {
	t.Files -= n
	if i < len(t.loose) {
		t.loose[i].live -= n
		t.loose[i].hot -= hot
		return n
	}
	t.mask(i-len(t.loose), n, hot).deleted += n
	return 0
}

// modify gives files of the group i other deletion vectors, and returns how many of them leave tombstones.
func (t *Table) modify(i int, n, hot int64) int64 {
	if i < len(t.loose) {
		return n
	}
	l := &t.leaves[i-len(t.loose)]
	some := group{live: n, hot: hot, mean: l.mean, since: l.since}
	some.first, some.last = t.drawing.between(n, l.first, l.last)
	some.low, some.high = t.drawing.between(n, l.low, l.high)
	t.mask(i-len(t.loose), n, hot).replaced += n
	t.draft.left = t.draft.left.with(some)
	return 0
}

// mask masks live files of a leaf.
func (t *Table) mask(i int, n, hot int64) *leaf {
	l := &t.leaves[i]
	if l.deleted+l.replaced == 0 {
		t.draft.touched = append(t.draft.touched, i)
	}
	l.live -= n
	l.hot -= hot
	return l
}
