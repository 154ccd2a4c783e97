package maintain

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// ErrLegacy says that a table has manifests or manifest lists of format versions 1 to 3. What these reach is not read
// yet, so nothing of the table is deleted.
var ErrLegacy = treeio.ErrLegacy

// ErrColumnFiles says that a data file has column files. Which objects these are is not read yet (rules 15), so
// nothing of the table is deleted.
var ErrColumnFiles = errors.New("column files are not followed yet")

// reach is what a set of snapshots reaches. It grows snapshot by snapshot; roots are read as they come, leaves later,
// each once for all roots that point to it.
type reach struct {
	table *commit.Table
	// roots are the roots that were read, by snapshot; snapshots are the ids.
	roots     map[rootOf]bool
	snapshots map[int64]bool
	// found has the locations of what roots name, and fresh those of them that nobody asked for yet.
	found map[string]bool
	fresh []Object
	// leaves are in the order in which they were met.
	leaves []*leafUse
	byName map[string]*leafUse
}

type rootOf struct {
	snapshotID int64
	location   string
}

// leafUse is what all pointers to one leaf say together.
type leafUse struct {
	origin tree.Origin
	// ref is one of the pointers, a live one if there is any.
	ref tree.Entry
	// counts says that a pointer gives rows of the leaf to a snapshot. masked are the positions that each of them
	// masks, told those that one of the snapshots itself deleted or replaced.
	counts       bool
	masked, told mdv.Bitmap
	// read says that the rows were read since a pointer was added.
	read bool
}

func newReach(table *commit.Table) *reach {
	return &reach{
		table: table, roots: make(map[rootOf]bool), snapshots: make(map[int64]bool),
		found: make(map[string]bool), byName: make(map[string]*leafUse),
	}
}

// addAll adds the snapshots of a state.
func (r *reach) addAll(ctx context.Context, head *commit.Head) error {
	for _, s := range tamper.Stage(seamRetained, head, head.Metadata.Snapshots) {
		if err := r.add(ctx, head, s); err != nil {
			return err
		}
	}
	return nil
}

// add reads the root of a snapshot.
func (r *reach) add(ctx context.Context, head *commit.Head, s metadata.Snapshot) error {
	key := rootOf{s.ID, s.RootManifest.Val}
	if r.roots[key] {
		return nil
	}
	t, err := r.table.Tree(ctx, head, s)
	if err != nil {
		return fmt.Errorf("maintain: %w", err)
	}
	r.snapshots[s.ID] = true
	r.find(Object{Kind: RootManifest, Location: t.Root})
	for i, row := range t.Rows {
		if err := r.addRow(t, row); err != nil {
			return fmt.Errorf("maintain: root manifest %s, row %d: %w", t.Root, i, err)
		}
	}
	r.roots[key] = true
	return nil
}

func (r *reach) addRow(t tree.Tree, row tree.Entry) error {
	if row.Content.IsManifest() {
		return r.addPointer(t, row)
	}
	if err := checkFile(row); err != nil {
		return err
	}
	if !row.Tracking.Status.Live() && row.Tracking.SnapshotID != id(t.Origin.SnapshotID) {
		return nil // a tombstone of another snapshot says nothing of this one (rules 6.9)
	}
	r.find(Object{Kind: DataFile, Location: tree.Resolve(t.Origin.TableLocation, row.Location), SizeBytes: row.FileSizeBytes})
	if row.Tracking.Status.Live() && row.DeletionVector.Valid {
		r.find(Object{Kind: PuffinFile, Location: tree.Resolve(t.Origin.TableLocation, row.DeletionVector.Val.Location)})
	}
	return nil
}

// addPointer takes a leaf in, and what the pointer says of its rows. A pointer that its snapshot made DELETED counts
// like a live one: whatever it does not mask was live before.
func (r *reach) addPointer(t tree.Tree, row tree.Entry) error {
	if row.Content == tree.DeleteManifest || !row.Manifest.Valid || row.Manifest.Val.FormatVersion == 0 {
		return fmt.Errorf("%s %s: %w", row.Content, row.Location, ErrLegacy)
	}
	name := tree.Resolve(t.Origin.TableLocation, row.Location)
	r.find(Object{Kind: LeafManifest, Location: name, SizeBytes: row.FileSizeBytes})
	use := r.byName[name]
	if use == nil {
		use = &leafUse{origin: t.Origin, ref: row}
		r.byName[name] = use
		r.leaves = append(r.leaves, use)
	}
	own := id(t.Origin.SnapshotID)
	if !row.Tracking.Status.Live() && row.Tracking.SnapshotID != own {
		return nil
	}
	return use.add(row, own)
}

// add takes in what a pointer of a snapshot says.
func (u *leafUse) add(row tree.Entry, own iceberg.Optional[int64]) error {
	masked, err := bitmap("manifest_info.dv", row.Manifest.Val.DV)
	if err != nil {
		return err
	}
	told := u.told
	if row.Tracking.ModifiedSnapshotID == own {
		deleted, err := bitmap("deleted_positions", row.Tracking.DeletedPositions)
		if err != nil {
			return err
		}
		replaced, err := bitmap("replaced_positions", row.Tracking.ReplacedPositions)
		if err != nil {
			return err
		}
		told = told.Union(deleted).Union(replaced)
	}
	if u.counts {
		masked = masked.Intersect(u.masked)
	}
	u.read = u.read && masked.Equal(u.masked) && told.Equal(u.told)
	if !u.ref.Tracking.Status.Live() {
		u.ref = row
	}
	u.counts, u.masked, u.told = true, masked, told
	*u = tamper.Stage(seamUse, row, *u)
	return nil
}

// covers reports whether every row of the leaf that counts in another use of it counts in this one too, so that nobody
// need look at the rows to know that the other use reaches nothing more. A leaf with tombstones is always looked at.
func (u *leafUse) covers(other *leafUse) bool {
	info := other.ref.Manifest.Val
	return u.counts && info.DeletedFiles == 0 && info.ReplacedFiles == 0 &&
		u.masked.Minus(other.masked).IsEmpty() &&
		u.masked.Minus(u.told).Minus(other.masked.Minus(other.told)).IsEmpty()
}

// find notes an object that a root names.
func (r *reach) find(o Object) {
	if !r.found[o.Location] {
		r.found[o.Location] = true
		r.fresh = append(r.fresh, o)
	}
}

// takeFresh returns what was found since it was asked last.
func (r *reach) takeFresh() []Object {
	fresh := r.fresh
	r.fresh = nil
	return fresh
}

func bitmap(field string, data []byte) (mdv.Bitmap, error) {
	if data == nil {
		return mdv.Bitmap{}, nil
	}
	b, err := mdv.Parse(data)
	if err != nil {
		return b, fmt.Errorf("%s: %w", field, err)
	}
	return b, nil
}

func id(n int64) iceberg.Optional[int64] { return iceberg.Optional[int64]{Val: n, Valid: true} }
