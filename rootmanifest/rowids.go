package rootmanifest

import (
	"fmt"
	"math"

	"github.com/firn-io/firn/tree"
)

// rowIDs hands out first row ids (rules 8.1 to 8.4, 8.8).
type rowIDs struct{ next int64 }

// assign gives ids to the data manifests and loose files that have none: those added by this snapshot, and
// legacy manifests of tables that had no row ids. Delete manifests never have one.
func (r *rowIDs) assign(pointers, data []tree.Entry) error {
	for i := range pointers {
		entry := &pointers[i]
		if entry.Content != tree.DataManifest || entry.Tracking.FirstRowID.Valid || !entry.Tracking.Status.Live() {
			continue
		}
		info := entry.Manifest.Val
		if err := r.take(entry, info.AddedRows, info.ExistingRows, info.ModifiedRows); err != nil {
			return err
		}
	}
	for i := range data {
		if entry := &data[i]; !entry.Tracking.FirstRowID.Valid {
			if err := r.take(entry, entry.RecordCount); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *rowIDs) take(entry *tree.Entry, counts ...int64) error {
	entry.Tracking.FirstRowID = some(r.next)
	for _, n := range counts {
		if n < 0 || n > math.MaxInt64-r.next {
			return fmt.Errorf("%s: %d more rows after row id %d exceed the row ids", entry.Location, n, r.next)
		}
		r.next += n
	}
	return nil
}
