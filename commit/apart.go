package commit

import (
	"context"

	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/tree"
)

// everything is no filter.
func everything(tree.Entry) bool { return true }

// apart returns the live files of one state that may matter, but for those that stand live in the same place of the same
// leaf in another state. A pointer that cannot matter is not followed. The root rows of both states are compared by what
// they say, leaves are opened only where their bitmaps differ or the other state lacks them.
func (x *Txn) apart(ctx context.Context, one, other *Head, p tree.Projection, matters func(tree.Entry) bool) ([]place, error) {
	pointers := make(map[string]tree.Entry)
	for _, row := range other.Tree.Rows {
		if row.Manifest.Valid && row.Tracking.Status.Live() {
			pointers[tree.Resolve(other.Location, row.Location)] = row
		}
	}
	leaves := x.table.Leaves()
	var places []place
	for i, row := range one.Tree.Rows {
		if !row.Tracking.Status.Live() || row.Content == tree.DeleteManifest || !matters(row) {
			continue
		}
		if !row.Manifest.Valid {
			places = append(places, place{one.loose(i), i})
			continue
		}
		there, shared := pointers[tree.Resolve(one.Location, row.Location)]
		elsewhere, differs, err := maskedElsewhere(row, there, shared)
		if err != nil {
			return nil, err
		}
		if !differs {
			continue
		}
		x.work.leavesOpened++
		ref := one.Tree.Pin(row)
		for l, err := range tree.LiveIn(one.Tree.Origin, ref, p, leaves.Leaf(ctx, one.Tree.Origin, ref, p)) {
			if err != nil {
				return nil, err
			}
			if (!shared || elsewhere.Contains(uint32(l.Position))) && matters(l.Entry) {
				places = append(places, place{l, i})
			}
		}
	}
	return places, nil
}

// maskedElsewhere returns the positions that another state masks in the same leaf, and whether any of them, or all in a
// leaf that it does not have, is live here.
func maskedElsewhere(here, there tree.Entry, shared bool) (mdv.Bitmap, bool, error) {
	if !shared {
		return mdv.Bitmap{}, true, nil
	}
	masked, err := maskOf(here)
	if err != nil {
		return mdv.Bitmap{}, false, err
	}
	elsewhere, err := maskOf(there)
	return elsewhere, !elsewhere.Minus(masked).IsEmpty(), err
}
