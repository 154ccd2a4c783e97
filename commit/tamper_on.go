//go:build mutate

package commit

import (
	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// overruled reports whether a commit goes on against its self-check, and notes what that found.
func overruled(broken []invariants.Violation, err error) bool {
	if !tamper.On() {
		return false
	}
	for _, v := range broken {
		tamper.Note(v.ID)
	}
	if err != nil {
		tamper.Note("unreadable")
	}
	return true
}

// withSnapshot returns the metadata of a table after a commit to the branch of base. With a fault switched on it takes any
// snapshot: one that is in order goes in, and becomes the one that is wanted.
func withSnapshot(base *Head, s metadata.Snapshot) (metadata.Table, error) {
	m, stored := base.Metadata, tree.Relativize(base.Location, base.MetadataLocation)
	if !tamper.On() {
		return m.WithSnapshot(s, base.Branch, stored)
	}
	good := s
	good.ID, good.ParentID = 1<<62, parentOf(base)
	good.SequenceNumber, good.TimestampMillis = m.LastSequenceNumber+1, m.TimestampAfter(parentOf(base), s.TimestampMillis)
	good.FirstRowID, good.AddedRows = some(m.NextRowID), some(max(0, s.AddedRows.Val))
	good.RootManifest, good.ManifestList, good.Manifests, good.SchemaID.Valid = some("root"), s.ManifestList, nil, false
	good.ManifestList.Valid = false
	good.Summary = map[string]string{"operation": metadata.OpAppend}
	m, err := m.WithSnapshot(good, base.Branch, stored)
	if err != nil {
		return m, err
	}
	m.Snapshots[len(m.Snapshots)-1] = s
	m.LastSequenceNumber, m.LastUpdatedMillis = max(base.Metadata.LastSequenceNumber, s.SequenceNumber), max(base.Metadata.LastUpdatedMillis, s.TimestampMillis)
	for i := range m.Refs {
		if m.Refs[i].SnapshotID == good.ID {
			m.Refs[i].SnapshotID = s.ID
		}
	}
	if m.CurrentSnapshotID == some(good.ID) {
		m.CurrentSnapshotID = some(s.ID)
		last := &m.SnapshotLog[len(m.SnapshotLog)-1]
		last.SnapshotID, last.TimestampMillis = s.ID, m.LastUpdatedMillis
	}
	return m, nil
}
