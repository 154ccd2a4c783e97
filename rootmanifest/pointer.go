package rootmanifest

import (
	"fmt"
	"slices"

	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/tree"
)

// pointer carries, thins or masks one pointer. It returns no row for a manifest of which nothing is live any more and
// whose end an earlier snapshot told: a leaf of tombstones, or one that another engine masked in full (S32).
func (b *Builder) pointer(row int, entry tree.Entry) ([]tree.Entry, error) {
	entry = b.parent.Pin(entry)
	if columns, thin := b.thin[row]; thin {
		entry.Stats = entry.Stats.Project(columns)
	}
	mask, masked := b.masks[row]
	if !masked {
		gone, err := b.exhausted(row, entry)
		if gone || err != nil {
			return nil, err
		}
		kept, err := tree.Carry(entry)
		return []tree.Entry{kept}, err
	}
	entry, err := tree.Mask(entry, b.snapshot.ID, mask)
	if err != nil {
		return nil, err
	}
	gone, err := b.exhausted(row, entry)
	if err != nil {
		return nil, err
	}
	if gone && endedBy(mask) {
		entry, err = tree.Delete(entry, b.snapshot.ID)
	}
	return []tree.Entry{entry}, err
}

// sideBySide puts pointers that have no more statistics than thinned ones before the others, if any was thinned now: nulls between values
// cost levels in each column that has lost some, up to a third of a root, and long runs of them next to nothing.
func (b *Builder) sideBySide(pointers []tree.Entry) {
	if len(b.thin) == 0 {
		return
	}
	kept := make(map[int]bool)
	for _, columns := range b.thin {
		for _, id := range columns {
			kept[id] = true
		}
	}
	hasMore := func(e tree.Entry) int {
		if slices.ContainsFunc(e.Stats, func(f tree.FieldStats) bool { return !kept[f.FieldID] }) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(pointers, func(x, y tree.Entry) int { return hasMore(x) - hasMore(y) })
}

// endedBy reports whether a mask that takes the last live rows of a manifest ends it: all of them were removed or
// replaced (rules 9.9). Rows that moved elsewhere did not end.
func endedBy(mask tree.Masks) bool {
	return mask.Deleted.Cardinality()+mask.Replaced.Cardinality() > 0 && mask.Moved.IsEmpty()
}

// exhausted reports whether a pointer has no live entry, as far as the root can tell: none was ever live, or
// all rows are masked. Of an untouched bitmap only the header is read, unless it says that all are.
func (b *Builder) exhausted(row int, entry tree.Entry) (bool, error) {
	info := entry.Manifest.Val
	if int64(info.AddedFiles)+int64(info.ExistingFiles)+int64(info.ModifiedFiles) == 0 {
		return true, nil
	}
	if info.DV == nil {
		return false, nil
	}
	masked, err := mdv.HeaderCardinality(info.DV)
	if err != nil {
		return false, b.errorf(row, "manifest deletion vector: %v", err)
	}
	if int64(masked) != entry.RecordCount {
		return false, nil
	}
	set, err := mdv.Parse(info.DV)
	if last, some := set.Max(); err == nil && some && int64(last) >= entry.RecordCount { // Q27: another leaf's bitmap
		err = fmt.Errorf("position %d is beyond its %d rows", last, entry.RecordCount)
	}
	if err != nil {
		return false, b.errorf(row, "manifest deletion vector: %v", err)
	}
	return true, nil
}
