package invariants_test

import (
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/tree"
)

var keysExamples = []example{
	{"K-SCHEMA-ID", goodKeys, func(s *sample) { s.keys.SchemaID = none[string]() }},
	{"K-SCHEMA-ID", goodKeys, func(s *sample) { s.keys.SchemaID = some("zero") }},
	{"K-SCHEMA-ID", goodKeys, func(s *sample) { s.keys.SchemaID = some("7") }},
	{"K-FORMAT-VERSION", goodKeys, func(s *sample) { s.keys.FormatVersion = none[string]() }},
	{"K-FORMAT-VERSION", goodKeys, func(s *sample) { s.keys.FormatVersion = some("3") }},
}

func goodKeys() *sample {
	return &sample{table: facts(), keys: &invariants.Keys{SchemaID: some("0"), FormatVersion: some("4")}}
}

// The rows of the root of [goodRoot].
const (
	rowPointer = iota // to leaf L1, masked by this snapshot
	rowKept           // a loose file of the parent
	rowNew            // a loose file that this snapshot added, with a deletion vector
	rowOld            // the old state of a file of the parent
	rowState          // its new state
	rowGone           // a file of the parent that this snapshot deleted
)

// goodRoot is the root of snapshot 102 with a row of each kind.
func goodRoot() *sample {
	b := loose("data/b.parquet", tree.Existing, 35)
	t := childTree(
		masked(point("metadata/l1.parquet", tree.Modified, 0, leafL1()), set(0), set(0), nil),
		loose("data/a.parquet", tree.Existing, 30),
		withDV(byChild(loose("data/n.parquet", tree.Added, 0), 50), 1),
		oldState(b, tree.Replaced),
		withDV(modified(b), 2),
		oldState(loose("data/c.parquet", tree.Existing, 40), tree.Deleted),
	)
	t.Rows[rowNew].Tracking.ModifiedSnapshotID = some(childID)
	t.AddedRows = looseRows
	return &sample{table: facts(), root: &t}
}

// row returns a row of the sample's root.
func (s *sample) row(i int) *tree.Entry { return &s.root.Rows[i] }

// tracking returns the tracking of a row of the sample's root.
func (s *sample) tracking(i int) *tree.Tracking { return &s.row(i).Tracking }

var rootExamples = []example{
	{"R-EXPLICIT", goodRoot, func(s *sample) { s.tracking(rowKept).SnapshotID = none[int64]() }},
	{"R-EXPLICIT", goodRoot, func(s *sample) { s.tracking(rowNew).SequenceNumber = none[int64]() }},
	{"R-SEQ-EQUAL", goodRoot, func(s *sample) { s.tracking(rowPointer).SequenceNumber = some(int64(2)) }},
	{"R-SEQ-RANGE", goodRoot, func(s *sample) { s.tracking(rowNew).SequenceNumber = some(int64(3)) }},
	{"R-ADDED", goodRoot, func(s *sample) { s.tracking(rowNew).SnapshotID = some(parentID) }},
	{"R-ADDED", goodRoot, func(s *sample) { s.tracking(rowNew).FileSequenceNumber = some(int64(1)) }},
	{"R-ADDED", goodRoot, func(s *sample) { s.tracking(rowNew).ModifiedSnapshotID = some(parentID) }},
	{"R-BORN-DV", goodRoot, func(s *sample) { s.tracking(rowNew).ModifiedSnapshotID = none[int64]() }},
	{"R-OLDER", goodRoot, func(s *sample) { s.tracking(rowKept).SnapshotID = some(childID) }},
	{"R-OLDER", goodRoot, func(s *sample) { s.tracking(rowGone).FileSequenceNumber = some(int64(2)) }},
	{"R-MODIFIED", goodRoot, func(s *sample) { s.tracking(rowState).ModifiedSnapshotID = some(parentID) }},
	{"R-MODIFIED", goodRoot, func(s *sample) { s.tracking(rowKept).ModifiedSnapshotID = some(childID) }},
	{"R-MODIFIED", goodRoot, func(s *sample) { s.tracking(rowGone).ModifiedSnapshotID = some(childID) }},
	{"R-TOMBSTONE", goodRoot, func(s *sample) { s.tracking(rowGone).SnapshotID = some(parentID) }},
	{"R-LIVE-ONCE", goodRoot, func(s *sample) { s.row(rowKept).Location = tableLocation + "/data/n.parquet" }},
	{"R-DELETED-LIVE", goodRoot, func(s *sample) { s.row(rowGone).Location = "data/a.parquet" }},
	{"R-DELETED-LIVE", goodRoot, func(s *sample) {
		s.row(rowGone).Location, s.tracking(rowGone).FileSequenceNumber = "data/a.parquet", some(int64(0))
	}},
	{"R-READDED", goodRestored, func(s *sample) { s.row(1).Location = "data/a.parquet" }},
}

// goodRestored is a root in which two files of before come back with the numbers and row ids that they had, beside the
// tombstone of another file.
func goodRestored() *sample {
	t := childTree(
		restored(loose("data/a.parquet", tree.Added, 0), 30),
		oldState(loose("data/c.parquet", tree.Existing, 40), tree.Deleted),
		restored(loose("data/b.parquet", tree.Added, 0), 35),
	)
	return &sample{table: facts(), root: &t}
}

// goodLegacy is a root with a legacy data manifest and a legacy delete manifest.
func goodLegacy() *sample {
	legacy := func(location string, content tree.Content) tree.Entry {
		e := point(location, tree.Existing, 0, leafL1())
		e.Content, e.FileFormat, e.SpecID, e.Manifest.Val.FormatVersion = content, "avro", some(int32(0)), 0
		return e
	}
	t := childTree(legacy("s3://b/t/metadata/m.avro", tree.DataManifest), legacy("s3://b/t/metadata/d.avro", tree.DeleteManifest))
	t.Rows[1].Tracking.FirstRowID = none[int64]()
	return &sample{table: facts(), root: &t}
}

// goodDeletedPointer is a root whose pointer lost its last files.
func goodDeletedPointer() *sample {
	p := masked(point("metadata/l1.parquet", tree.Deleted, 0, leafL1()), set(0, 1, 2), set(0, 1, 2), nil)
	t := childTree(oldState(p, tree.Deleted))
	return &sample{table: facts(), root: &t}
}

// goodStatsPointer is a root whose pointer has a manifest deletion vector and statistics.
func goodStatsPointer() *sample {
	p := masked(point("metadata/l1.parquet", tree.Modified, 0, leafL1()), set(0), set(0), nil)
	p.Stats = tree.Stats{{FieldID: 1, Lower: tree.Long(1), Upper: tree.Long(9), Tight: some(false)}}
	t := childTree(p)
	return &sample{table: facts(), root: &t}
}

var rootPointerExamples = []example{
	{"R-DELETES-LEGACY", goodRoot, func(s *sample) {
		s.row(rowPointer).Content, s.tracking(rowPointer).FirstRowID = tree.DeleteManifest, none[int64]()
	}},
	{"R-POINTER-FORMAT", goodRoot, func(s *sample) { s.row(rowPointer).FileFormat = "avro" }},
	{"R-POINTER-FORMAT", goodRoot, func(s *sample) { s.row(rowPointer).Location = "metadata/l1" }},
	{"R-POINTER-FORMAT", goodLegacy, func(s *sample) { s.row(0).FileFormat = "parquet" }},
	{"R-LEGACY-SHAPE", goodLegacy, func(s *sample) { s.row(0).SpecID = none[int32]() }},
	{"R-LEGACY-SHAPE", goodLegacy, func(s *sample) { s.row(0).Stats = tree.Stats{} }},
	{"R-LEGACY-SHAPE", goodLegacy, func(s *sample) { s.row(0).Manifest.Val.ReplacedFiles = 1; s.row(0).RecordCount++ }},
	{"R-LEGACY-STATUS", goodLegacy, func(s *sample) {
		s.row(1).Tracking = byChild(*s.row(1), 0).Tracking
		s.tracking(1).FirstRowID = none[int64]()
	}},
	{"R-MIN-SEQ", goodRoot, func(s *sample) { s.row(rowPointer).Manifest.Val.MinSequenceNumber = 2 }},
	{"R-REPLACED-POINTER", goodRoot, func(s *sample) {
		*s.row(rowPointer) = oldState(point("metadata/l1.parquet", tree.Existing, 0, leafL1()), tree.Replaced)
	}},
	{"R-DELETED-POINTER", goodDeletedPointer, func(s *sample) {
		s.tracking(0).ModifiedSnapshotID = some(parentID)
		s.tracking(0).DeletedPositions = nil
	}},
	{"R-DELETED-POINTER", goodDeletedPointer, func(s *sample) { s.tracking(0).DeletedPositions = nil }},
	{"R-POINTER-ONCE", goodDeletedPointer, func(s *sample) { s.root.Rows = append(s.root.Rows, s.root.Rows[0]) }},
	{"R-POINTER-ONCE", goodDeletedPointer, func(s *sample) {
		s.root.Rows = append(s.root.Rows, s.root.Rows[0])
		now, deleted := s.tracking(1), s.root.Rows[0].Tracking
		*now, now.Status, now.SnapshotID = deleted, tree.Modified, some(parentID)
	}},
	{"R-STALE-DELTA", goodRoot, func(s *sample) {
		s.tracking(rowPointer).Status, s.tracking(rowPointer).ModifiedSnapshotID = tree.Existing, some(parentID)
	}},
	{"R-TIGHT-MDV", goodStatsPointer, func(s *sample) { s.row(0).Stats[0].Tight = some(true) }},
}

var rootRowIDExamples = []example{
	{"R-ROW-ID", goodRoot, func(s *sample) { s.tracking(rowKept).FirstRowID = none[int64]() }},
	{"R-ROW-ID", goodLegacy, func(s *sample) { s.tracking(1).FirstRowID = some(int64(9)) }},
	{"R-ROW-ID-START", goodRoot, func(s *sample) { s.tracking(rowNew).FirstRowID = some(int64(45)) }},
	{"R-ROW-ID-START", goodRoot, func(s *sample) { s.root.AddedRows += looseRows; s.tracking(rowKept).FirstRowID = some(int64(55)) }},
	{"R-ROW-ID-START", goodRoot, func(s *sample) {
		s.root.AddedRows = 2 * looseRows
		s.tracking(rowNew).FirstRowID = some(int64(55))
		s.tracking(rowKept).FirstRowID = some(int64(50))
	}},
	{"R-ROW-ID-START", goodRestored, func(s *sample) { s.tracking(0).SequenceNumber = some(int64(2)) }},
	{"R-ROW-ID-START", goodRestored, func(s *sample) { s.tracking(0).FirstRowID, s.root.AddedRows = some(int64(46)), 1 }},
	{"R-ROW-ID-DISJOINT", goodRestored, func(s *sample) { s.tracking(2).FirstRowID = some(int64(33)) }},
	{"R-ROW-ID-END", goodRoot, func(s *sample) { s.root.AddedRows = looseRows - 1 }},
	{"R-ROW-ID-DISJOINT", goodTwoNew, func(s *sample) { s.tracking(1).FirstRowID = some(int64(52)) }},
}

// goodTwoNew is a root with two loose files that this snapshot added.
func goodTwoNew() *sample {
	t := childTree(byChild(loose("data/m.parquet", tree.Added, 0), 50), byChild(loose("data/n.parquet", tree.Added, 0), 55))
	t.AddedRows = 2 * looseRows
	return &sample{table: facts(), root: &t}
}
