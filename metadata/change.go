package metadata

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/apache/iceberg-go"
)

// Successor returns the table as it starts its next metadata file: previous, the location of the file that it
// was read from in its stored form (rules 12.4), joins the metadata log, which is cut to the length that the
// properties allow, and last-updated-ms becomes nowMillis unless that would turn it back. An empty previous
// leaves the log alone (MD3, MD4).
func (t Table) Successor(previous string, nowMillis int64) Table {
	if previous != "" {
		entry := MetadataLogEntry{File: previous, TimestampMillis: t.LastUpdatedMillis}
		t.MetadataLog = appended(t.MetadataLog, entry)
		if excess := len(t.MetadataLog) - t.previousVersionsMax(); excess > 0 {
			t.MetadataLog = t.MetadataLog[excess:]
		}
	}
	t.LastUpdatedMillis = max(t.LastUpdatedMillis, nowMillis)
	return t
}

// Trimmed returns the entries of the metadata log of before that after no longer has, oldest first. After a
// commit from one to the other their files may be deleted if [Table.DeletesOldMetadata] says so, and not while
// the commit's outcome is unknown (MD17).
func Trimmed(before, after Table) []MetadataLogEntry {
	kept := make(map[string]struct{}, len(after.MetadataLog))
	for _, entry := range after.MetadataLog {
		kept[entry.File] = struct{}{}
	}
	return slices.DeleteFunc(slices.Clone(before.MetadataLog), func(entry MetadataLogEntry) bool {
		_, ok := kept[entry.File]
		return ok
	})
}

// DeletesOldMetadata reports whether the table asks to delete metadata files that fall out of its log; it does
// not unless the property says true.
func (t Table) DeletesOldMetadata() bool { return t.switchProperty(PropertyDeleteAfterCommit, false) }

// previousVersionsMax is at least 1; a value that is no number counts as absent.
func (t Table) previousVersionsMax() int {
	n, err := strconv.Atoi(t.Properties[PropertyPreviousVersionsMax])
	if err != nil {
		n = DefaultPreviousVersionsMax
	}
	return max(n, 1)
}

// NextTimestamp returns the timestamp for the next snapshot of a branch: the clock's time, lifted above the
// branch's last snapshot (rules 14.3) and not below last-updated-ms (B50, MD3).
func (t Table) NextTimestamp(branch string, nowMillis int64) int64 {
	ref, ok := t.Ref(branch)
	return t.TimestampAfter(iceberg.Optional[int64]{Val: ref.SnapshotID, Valid: ok}, nowMillis)
}

// TimestampAfter returns the timestamp for the next snapshot with this parent, as [Table.NextTimestamp] does
// for the head of a branch: the first snapshot of a new branch may have any retained one as its parent.
func (t Table) TimestampAfter(parent iceberg.Optional[int64], nowMillis int64) int64 {
	next := max(nowMillis, t.LastUpdatedMillis)
	if s, ok := t.Snapshot(parent.Val); parent.Valid && ok && s.TimestampMillis < math.MaxInt64 {
		next = max(next, s.TimestampMillis+1)
	}
	return next
}

// WithSnapshot returns the table after a commit of s to a branch, which is created if it is not there. It
// includes [Table.Successor] with previous and the snapshot's time. The snapshot must follow the table: a new
// id, the branch's head as parent, the next sequence number, a later time than the parent (rules 14.3), a root
// manifest and no other snapshot root (rules 14.1, 14.2), and the table's next row id (rules 8.1). Anything
// else is an error (MD2).
func (t Table) WithSnapshot(s Snapshot, branch, previous string) (Table, error) {
	err := cmp.Or(t.checkBranch(s, branch), t.checkOrder(s), t.checkContent(s), t.checkRowIDs(s))
	if err != nil {
		return Table{}, fmt.Errorf("metadata: commit of snapshot %d to branch %q: %w", s.ID, branch, err)
	}
	t = t.Successor(previous, s.TimestampMillis)
	t.Snapshots = appended(t.Snapshots, s)
	t.LastSequenceNumber = s.SequenceNumber
	t.NextRowID += s.AddedRows.Val
	ref, ok := t.Ref(branch)
	if !ok {
		ref = Ref{Name: branch, Type: Branch}
	}
	ref.SnapshotID = s.ID
	return t.pointed(ref), nil
}

// pointed returns the table with a ref set; main takes current-snapshot-id and the snapshot log along.
func (t Table) pointed(ref Ref) Table {
	t.Refs = slices.Clone(t.Refs)
	i := slices.IndexFunc(t.Refs, func(r Ref) bool { return r.Name >= ref.Name })
	switch {
	case i < 0:
		t.Refs = append(t.Refs, ref)
	case t.Refs[i].Name == ref.Name:
		t.Refs[i] = ref
	default:
		t.Refs = slices.Insert(t.Refs, i, ref)
	}
	if ref.Name == MainBranch && t.CurrentSnapshotID != some(ref.SnapshotID) {
		t.CurrentSnapshotID = some(ref.SnapshotID)
		entry := SnapshotLogEntry{SnapshotID: ref.SnapshotID, TimestampMillis: t.LastUpdatedMillis}
		t.SnapshotLog = appended(t.SnapshotLog, entry)
	}
	return t
}

func (t Table) checkBranch(s Snapshot, branch string) error {
	ref, exists := t.Ref(branch)
	switch {
	case t.FormatVersion != FormatVersion:
		return fmt.Errorf("the table has format version %d, not %d", t.FormatVersion, FormatVersion)
	case branch == "":
		return errors.New("the branch has no name")
	case exists && ref.Type != Branch:
		return fmt.Errorf("it is a %s", ref.Type)
	case branch == MainBranch && t.CurrentSnapshotID.Valid != exists,
		branch == MainBranch && exists && t.CurrentSnapshotID.Val != ref.SnapshotID:
		return errors.New("the table's current-snapshot-id and its branch do not agree")
	case exists && s.ParentID != some(ref.SnapshotID):
		return fmt.Errorf("the parent must be the head, %d", ref.SnapshotID)
	}
	if !s.ParentID.Valid {
		return nil
	}
	if _, ok := t.Snapshot(s.ParentID.Val); !ok {
		return fmt.Errorf("the parent %d is not among the snapshots", s.ParentID.Val)
	}
	return nil
}

func (t Table) checkOrder(s Snapshot) error {
	if s.ID <= 0 {
		return errors.New("a snapshot id is positive")
	}
	if _, taken := t.Snapshot(s.ID); taken {
		return errors.New("the id is taken")
	}
	if t.LastSequenceNumber == math.MaxInt64 || s.SequenceNumber != t.LastSequenceNumber+1 {
		return fmt.Errorf("sequence number %d does not follow %d", s.SequenceNumber, t.LastSequenceNumber)
	}
	parent, ok := t.Snapshot(s.ParentID.Val)
	if s.ParentID.Valid && ok && s.TimestampMillis <= parent.TimestampMillis {
		return fmt.Errorf("timestamp-ms %d is not later than the parent's %d (rules 14.3)",
			s.TimestampMillis, parent.TimestampMillis)
	}
	return nil
}

func (t Table) checkContent(s Snapshot) error {
	if !s.RootManifest.Valid || s.RootManifest.Val == "" || s.ManifestList.Valid || s.Manifests != nil {
		return errors.New("a v4 snapshot has a root-manifest and neither manifest-list nor manifests (rules 14.1)")
	}
	switch op := s.Operation(); op {
	case OpAppend, OpReplace, OpOverwrite, OpDelete:
	default:
		return fmt.Errorf("the summary's operation is %q", op)
	}
	if _, ok := t.SchemaByID(s.SchemaID.Val); s.SchemaID.Valid && !ok {
		return fmt.Errorf("schema-id %d is not among the schemas", s.SchemaID.Val)
	}
	return nil
}

func (t Table) checkRowIDs(s Snapshot) error {
	if s.FirstRowID != some(t.NextRowID) {
		return fmt.Errorf("first-row-id must be the table's next-row-id, %d (rules 8.1)", t.NextRowID)
	}
	if !s.AddedRows.Valid || s.AddedRows.Val < 0 {
		return errors.New("added-rows must be set and not negative (rules 8.1)")
	}
	if t.NextRowID > math.MaxInt64-s.AddedRows.Val {
		return fmt.Errorf("next-row-id %d plus added-rows %d exceeds 64 bits", t.NextRowID, s.AddedRows.Val)
	}
	return nil
}

// appended returns a new slice, so that no two tables share the room behind a slice's end.
func appended[T any](items []T, item T) []T {
	return append(slices.Clip(items), item)
}
