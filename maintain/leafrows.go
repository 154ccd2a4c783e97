package maintain

import (
	"context"
	"fmt"

	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/tree"
)

// readLeaf reads the rows of a leaf and gives what the snapshots reach through them to found.
func (r *reach) readLeaf(ctx context.Context, leaves tree.LeafReader, use *leafUse, found func(Object)) error {
	count := int64(0)
	rows := leaves.Leaf(ctx, use.origin, use.ref, tree.Projection{File: true})
	for row, err := range tree.Inherit(use.ref, rows) {
		if err == nil && row.Position != count {
			err = fmt.Errorf("the reader gave row %d in place of row %d", row.Position, count)
		}
		if err == nil {
			err = checkFile(row.Entry)
		}
		if err != nil {
			return use.wrap(err)
		}
		count++
		r.readRow(use, row, found)
	}
	if count != use.ref.RecordCount {
		return use.wrap(fmt.Errorf("the root says %d rows, the manifest has %d (rules 2.6.1)", use.ref.RecordCount, count))
	}
	use.read = true
	return nil
}

func (u *leafUse) wrap(err error) error {
	return fmt.Errorf("maintain: leaf manifest %s: %w", tree.Resolve(u.origin.TableLocation, u.ref.Location), err)
}

// readRow tells of one row: a live one that is not masked everywhere, one that a snapshot took out itself, and the
// tombstone of a snapshot, which counts whether it is masked or not. Files without records count, for they exist.
func (r *reach) readRow(use *leafUse, row tree.Row, found func(Object)) {
	e := row.Entry
	live := e.Tracking.Status.Live() && use.counts && !holds(use.masked, row.Position)
	told := e.Tracking.Status.Live() && holds(use.told, row.Position)
	if !e.Tracking.Status.Live() {
		told = r.snapshots[e.Tracking.SnapshotID.Val]
	}
	if live || told {
		found(Object{Kind: DataFile, Location: tree.Resolve(use.origin.TableLocation, e.Location), SizeBytes: e.FileSizeBytes})
	}
	if live && e.DeletionVector.Valid {
		found(Object{Kind: PuffinFile, Location: tree.Resolve(use.origin.TableLocation, e.DeletionVector.Val.Location)})
	}
}

func holds(b mdv.Bitmap, position int64) bool {
	return position <= mdv.MaxPosition && b.Contains(uint32(position))
}

// fieldColumnFiles is the field id of the column files of an entry (rules 15).
const fieldColumnFiles = 158

// checkFile refuses an entry that may reach objects which are not followed.
func checkFile(e tree.Entry) error {
	if e.Content != tree.Data {
		return fmt.Errorf("%s: a %s entry out of place (rules 5)", e.Location, e.Content)
	}
	for _, field := range e.Foreign {
		if field.Parent == tree.InEntry && field.Type.ID == fieldColumnFiles {
			return fmt.Errorf("%s: %w", e.Location, ErrColumnFiles)
		}
	}
	return nil
}
