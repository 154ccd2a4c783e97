//go:build mutate

package commit

import (
	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/mdv"
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
	m.FormatVersion = metadata.FormatVersion // whatever another writer made of it
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
	m.LastSequenceNumber = max(base.Metadata.LastSequenceNumber, s.SequenceNumber)
	m.LastUpdatedMillis = max(base.Metadata.LastUpdatedMillis, s.TimestampMillis)
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

// null is a number that is not there.
var null = iceberg.Optional[int64]{}

// bits reads a bitmap that a correct writer wrote.
func bits(data []byte) mdv.Bitmap {
	if data == nil {
		return mdv.Bitmap{}
	}
	b, err := mdv.Parse(data)
	if err != nil {
		panic(err)
	}
	return b
}

// encoded writes a bitmap, an empty one as null.
func encoded(b mdv.Bitmap) []byte {
	if b.IsEmpty() {
		return nil
	}
	data, err := b.AppendBinary(nil)
	if err != nil {
		panic(err)
	}
	return data
}

// shifted returns a bitmap with every position moved on by one, the last one to the beginning.
func shifted(b mdv.Bitmap, rows int64) mdv.Bitmap {
	var positions []uint32
	for p := range b.All() {
		positions = append(positions, (p+1)%uint32(rows))
	}
	moved, err := mdv.Of(positions...)
	if err != nil {
		panic(err)
	}
	return moved
}

// retried reports whether an earlier attempt lost its race.
func (w *work) retried() bool { return len(w.attempts) > 0 }

// sequence returns the sequence number of the snapshot that is made.
func (p *placement) sequence() int64 { return p.base.Metadata.LastSequenceNumber + 1 }
