package commit

import (
	"context"
	"errors"
	"fmt"

	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// restore is a wish to have the live files of an older snapshot.
type restore struct{ snapshotID int64 }

// Restore makes the live files of a retained snapshot the live files again, in a new snapshot (S24). Files that were
// live then come back as new rows that keep their data sequence numbers and row ids; what was added since goes. A file
// whose deletes have changed since goes too and comes back as it was, for a deletion vector never shrinks (rules 10.1,
// F24). A transaction that restores does nothing else.
func (x *Txn) Restore(snapshotID int64) {
	if x.restored != nil {
		x.problem("restore of snapshot %d and of snapshot %d in one transaction", x.restored.snapshotID, snapshotID)
	}
	x.restored = &restore{snapshotID}
}

func (x *Txn) validateRestore() []error {
	if x.restored == nil {
		return nil
	}
	var problems []error
	if len(x.adds)+len(x.targets)+len(x.filters) > 0 {
		problems = append(problems, errors.New("a transaction that restores a snapshot changes nothing else"))
	}
	if s, ok := x.base.Metadata.Snapshot(x.restored.snapshotID); !ok {
		problems = append(problems, fmt.Errorf("restore: snapshot %d is not retained", x.restored.snapshotID))
	} else if !s.RootManifest.Valid {
		problems = append(problems, fmt.Errorf("restore: snapshot %d has a manifest list, not a root manifest: %w", s.ID, treeio.ErrLegacy))
	}
	return problems
}

// headAt returns the state of another snapshot of the table.
func (r *resolver) headAt(ctx context.Context, s metadata.Snapshot) (*Head, error) {
	head := *r.base
	var err error
	head.Tree, err = treeio.Tree(ctx, r.table.options.Codec, r.table.objects, r.base.Metadata, r.base.Location, s)
	return &head, err
}

// restore adds to the change what makes the live files those of the snapshot to restore.
func (r *resolver) restore(ctx context.Context) error {
	if r.restored == nil {
		return nil
	}
	s, retained := r.base.Metadata.Snapshot(r.restored.snapshotID)
	if !retained {
		return conflictf(RuleRestoreGone, "", "snapshot %d has expired", r.restored.snapshotID)
	}
	old, err := r.headAt(ctx, s)
	if errors.Is(err, store.ErrNotFound) {
		return conflictf(RuleRestoreGone, "", "snapshot %d cannot be read: %v", s.ID, err)
	} else if err != nil {
		return err
	}
	for _, head := range []*Head{old, r.base} {
		if name := legacyPointer(head); name != "" {
			return &RefusedError{Location: name, Err: treeio.ErrLegacy,
				Reasons: []string{fmt.Sprintf("snapshot %d points to a manifest of an older format version: %v", head.Tree.Origin.SnapshotID, treeio.ErrLegacy)}}
		}
	}
	before, err := r.apart(ctx, old, r.base, tree.Full, everything)
	if err != nil {
		return err
	}
	now, err := r.apart(ctx, r.base, old, tree.Full, everything)
	if err != nil {
		return err
	}
	return r.exchange(before, now)
}

func legacyPointer(head *Head) string {
	for _, row := range head.Tree.Rows {
		if row.Manifest.Valid && row.Tracking.Status.Live() && row.Manifest.Val.FormatVersion == 0 {
			return tree.Resolve(head.Location, row.Location)
		}
	}
	return ""
}

// exchange lets files go and others come. Files that are on both sides, with the same deletes, stay.
func (r *resolver) exchange(before, now []place) error {
	was := make(map[tree.Identity]tree.Located)
	for _, p := range before {
		was[p.located.Identity()] = p.located
	}
	stays := make(map[tree.Identity]bool)
	for _, p := range now {
		id := p.located.Identity()
		if old, ok := was[id]; ok && old.Revision().DeletionVector == p.located.Revision().DeletionVector {
			stays[id] = true
			continue
		}
		r.out.files = append(r.out.files, &changed{old: p.located, row: p.row, fate: removed})
	}
	for _, p := range before {
		if !stays[p.located.Identity()] {
			r.out.adds = append(r.out.adds, r.revived(p.located))
		}
	}
	return nil
}

// revived returns the row with which a file comes back: new, but with its data sequence number and its row ids.
func (r *resolver) revived(l tree.Located) addition {
	e := l.Entry
	e.Tracking = tree.Tracking{Status: tree.Added, SequenceNumber: e.Tracking.SequenceNumber, FirstRowID: e.Tracking.FirstRowID}
	if e.DeletionVector.Valid {
		e.Tracking.ModifiedSnapshotID = some(r.work.snapshotID)
	}
	return addition{key: "restored " + fmt.Sprint(l.Revision()), entry: e}
}
