package tree

import (
	"errors"
	"fmt"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/mdv"
)

// The functions of this file take an entry of the base tree, with everything that it inherits filled in, and
// return the row that a commit writes for it. They never change what is to stay: sequence numbers, row id and,
// as long as the entry lives, the snapshot id (rules 7.2, 7.11, Q11). Tree.Pin comes first where the base
// has timestamps of its own.

// Carry returns the row of an entry that the commit does not touch (rules 6.5). Delta bitmaps are dropped;
// a manifest deletion vector and the id of the last modification stay (rules 9.6, Q18, F14).
func Carry(e Entry) (Entry, error) {
	if err := mayBecome(e, Existing); err != nil {
		return Entry{}, err
	}
	e.Tracking.Status = Existing
	e.Tracking.DeletedPositions, e.Tracking.ReplacedPositions = nil, nil
	return e, nil
}

// Modify returns the new state of a data file, which the caller then gives its deletion vector (rules 6.3).
// A file that the same snapshot added stays ADDED (rules 6.5).
func Modify(e Entry, snapshotID int64) (Entry, error) {
	if e.Content.IsManifest() {
		return Entry{}, refuse(e, Modified, "only a mask modifies a manifest (rules 9.5)")
	}
	return modify(e, snapshotID)
}

// Replace returns the row that tells of the old state of a data file that Modify gave a new one (rules 6.3).
func Replace(e Entry, snapshotID int64) (Entry, error) {
	if e.Content.IsManifest() {
		return Entry{}, refuse(e, Replaced, "a manifest is never REPLACED (Q12)")
	}
	return bury(e, Replaced, snapshotID)
}

// Delete returns the tombstone of an entry (rules 6.4, 6.6). A manifest becomes DELETED only after the mask,
// in the same snapshot, that took its last live rows (rules 9.9).
func Delete(e Entry, snapshotID int64) (Entry, error) {
	t := e.Tracking
	if e.Content.IsManifest() && (!is(t.ModifiedSnapshotID, snapshotID) ||
		t.DeletedPositions == nil && t.ReplacedPositions == nil) {
		return Entry{}, refuse(e, Deleted, "no mask of this snapshot took its rows (rules 9.9)")
	}
	return bury(e, Deleted, snapshotID)
}

// Masks are the positions that one commit takes out of a leaf. The sets are disjoint.
type Masks struct {
	// Deleted are the rows of files that the commit removes, Replaced those whose files have a new state
	// elsewhere (rules 9.2).
	Deleted, Replaced mdv.Bitmap
	// Moved are rows that stand elsewhere without being a change (rules 9.13, Q25).
	Moved mdv.Bitmap
	// Dead are rows that were not live before, masked so that counts and bitmap tell what is live (Q14, F1).
	Dead mdv.Bitmap
}

// All returns all positions.
func (m Masks) All() mdv.Bitmap { return m.Deleted.Union(m.Replaced).Union(m.Moved).Union(m.Dead) }

// Mask returns the pointer to a leaf from which the commit takes rows: MODIFIED, or still ADDED if the same
// snapshot wrote the leaf (rules 9.5, 9.13). Its manifest deletion vector grows by the masks, the delta bitmaps
// are those of this commit, and no bound stays tight (rules 9.8). Counts stay as they are (Q5). Masks that
// overlap, that are masked already, or that lie beyond the leaf's rows are refused (rules 9.3, 9.10, T4, F14).
func Mask(e Entry, snapshotID int64, m Masks) (Entry, error) {
	if !e.Content.IsManifest() || !e.Manifest.Valid {
		return Entry{}, refuse(e, Modified, "only a manifest can be masked")
	}
	old, err := maskOf(e)
	if err != nil {
		return Entry{}, err
	}
	added, err := m.union()
	if err != nil {
		return Entry{}, refuse(e, Modified, err.Error())
	}
	if last, ok := added.Max(); ok && int64(last) >= e.RecordCount {
		return Entry{}, refuse(e, Modified, fmt.Sprintf("position %d is beyond its %d rows", last, e.RecordCount))
	}
	if p, twice := added.Intersect(old).Max(); twice {
		return Entry{}, refuse(e, Modified, fmt.Sprintf("position %d is masked already", p))
	}
	if e, err = modify(e, snapshotID); err != nil {
		return Entry{}, err
	}
	e.Tracking.DeletedPositions, err = positionBytes(m.Deleted)
	if err != nil {
		return Entry{}, err
	}
	e.Tracking.ReplacedPositions, err = positionBytes(m.Replaced)
	if err != nil {
		return Entry{}, err
	}
	e.Manifest.Val.DV, err = positionBytes(old.Union(added))
	e.Stats = e.Stats.Loosen()
	return e, err
}

// union returns all positions; empty and overlapping masks are refused.
func (m Masks) union() (mdv.Bitmap, error) {
	all := m.All()
	switch {
	case all.IsEmpty():
		return all, errors.New("the mask is empty")
	case all.Cardinality() != m.Deleted.Cardinality()+m.Replaced.Cardinality()+m.Moved.Cardinality()+m.Dead.Cardinality():
		return all, errors.New("a position is masked for two reasons (rules 9.3)")
	}
	return all, nil
}

// positionBytes encodes a bitmap; an empty one is null (rules 18.6, M1).
func positionBytes(b mdv.Bitmap) ([]byte, error) {
	if b.IsEmpty() {
		return nil, nil
	}
	return b.AppendBinary(nil)
}

// Pin returns an entry of the tree with its timestamp written down, if the tree has timestamps and the entry
// leaves its own to be understood (rules 16.2, 16.3). Whatever a commit takes over from its base is pinned first;
// the rows of a leaf inherit the pin from their pointer.
func (t Tree) Pin(e Entry) Entry {
	if t.HasSnapshotTimestamps && !e.Tracking.SnapshotTimestampMicros.Valid {
		e.Tracking.SnapshotTimestampMicros = iceberg.Optional[int64]{Val: t.TimestampMillis * 1000, Valid: true}
	}
	return e
}

// modify makes the entry MODIFIED by the snapshot, unless the same snapshot added it.
func modify(e Entry, snapshotID int64) (Entry, error) {
	if e.Tracking.Status != Added || !addedBy(e, snapshotID) {
		if err := mayBecome(e, Modified); err != nil {
			return Entry{}, err
		}
		e.Tracking.Status = Modified
	}
	e.Tracking.ModifiedSnapshotID = iceberg.Optional[int64]{Val: snapshotID, Valid: true}
	return e, nil
}

// bury makes the entry a tombstone of the snapshot.
func bury(e Entry, to Status, snapshotID int64) (Entry, error) {
	if err := mayBecome(e, to); err != nil {
		return Entry{}, err
	}
	if e.Tracking.Status == Added && addedBy(e, snapshotID) {
		return Entry{}, refuse(e, to, "what a snapshot added itself leaves no tombstone")
	}
	e.Tracking.Status = to
	e.Tracking.SnapshotID = iceberg.Optional[int64]{Val: snapshotID, Valid: true}
	return e, nil
}

// mayBecome refuses entries that are not live, and entries that lack a number which only ADDED ones may
// lack (rules 6.5, 7.3).
func mayBecome(e Entry, to Status) error {
	t := e.Tracking
	switch {
	case !t.Status.Live():
		return refuse(e, to, "it is not live (rules 6.5)")
	case !t.SnapshotID.Valid:
		return refuse(e, to, "its snapshot_id is null")
	case !t.SequenceNumber.Valid:
		return refuse(e, to, "its sequence_number is null (rules 7.3)")
	case !t.FileSequenceNumber.Valid:
		return refuse(e, to, "its file_sequence_number is null (rules 7.3)")
	}
	return nil
}

// addedBy reports whether an ADDED entry is of this snapshot; one without an id is not committed yet.
func addedBy(e Entry, snapshotID int64) bool {
	return !e.Tracking.SnapshotID.Valid || e.Tracking.SnapshotID.Val == snapshotID
}

// is reports whether an optional id is set to this one.
func is(id iceberg.Optional[int64], want int64) bool { return id.Valid && id.Val == want }

func refuse(e Entry, to Status, reason string) error {
	return &TransitionError{Location: e.Location, From: e.Tracking.Status, To: to, Reason: reason}
}
