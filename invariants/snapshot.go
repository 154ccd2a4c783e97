package invariants

import (
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// file is what the rules about trees need of a row that stands for a data file: all that makes up its identity,
// without statistics. Ids and numbers of a row in a leaf are raw until [openLeaf.all] fills them in.
type file struct {
	row          int64
	status       tree.Status
	location     string // resolved
	borrowed     bool   // the location is part of a longer string, see [file.kept]
	hash         uint64 // of the location, 0 until [file.hashed] is asked
	recordCount  int64
	sizeBytes    int64
	snapshotID   iceberg.Optional[int64]
	lentID       bool // the snapshot id is that of the pointer
	modifiedID   iceberg.Optional[int64]
	sequence     iceberg.Optional[int64]
	fileSequence iceberg.Optional[int64]
	firstRowID   iceberg.Optional[int64]
	spec         iceberg.Optional[int32]
	partition    string // printed, nulls left out
	format       string // in lower case
	dv           *tree.DeletionVector
	keyMetadata  string // quoted, "" for null
	foreign      string // printed, nulls left out
	layout       uint32 // of the rows in the file, see layoutOf
}

// newFile reduces a data row, which it takes for the first one.
func newFile(tableLocation string, e *tree.Entry) file {
	return fileOf(resolve(tableLocation, e.Location), tableLocation, e)
}

// fileOf reduces a data row whose location is resolved already.
func fileOf(location, tableLocation string, e *tree.Entry) file {
	f := file{
		status:       e.Tracking.Status,
		location:     location,
		recordCount:  e.RecordCount,
		sizeBytes:    e.FileSizeBytes,
		snapshotID:   e.Tracking.SnapshotID,
		modifiedID:   e.Tracking.ModifiedSnapshotID,
		sequence:     e.Tracking.SequenceNumber,
		fileSequence: e.Tracking.FileSequenceNumber,
		firstRowID:   e.Tracking.FirstRowID,
		spec:         e.SpecID,
		partition:    printPartition(e.Partition),
		format:       strings.ToLower(e.FileFormat),
		keyMetadata:  printBytes(e.KeyMetadata),
		foreign:      printForeign(e.Foreign),
		layout:       layoutOf(e),
	}
	if e.DeletionVector.Valid {
		dv := e.DeletionVector.Val
		dv.Location = resolve(tableLocation, dv.Location)
		f.dv = &dv
	}
	return f
}

// live reports whether a row is live as far as its status and its rows go (rules 6.2, 2.6.4).
func (f *file) live() bool { return isLive(f.status) && f.recordCount != 0 }

// end returns the first row id after the file's own; the highest number if that overflows.
func (f *file) end() int64 { return sum(f.firstRowID.Val, f.recordCount) }

// pointer is a row of a root that stands for a manifest, with its bitmaps decoded.
type pointer struct {
	row                   int64
	entry                 *tree.Entry
	location              string // resolved
	dv, deleted, replaced bitmap
}

func (p *pointer) live() bool   { return isLive(p.entry.Tracking.Status) }
func (p *pointer) legacy() bool { return isLegacy(p.entry) }

// liveFiles returns how many entries of a leaf have a live status.
func (p *pointer) liveFiles() int64 {
	m := p.entry.Manifest.Val
	return int64(m.AddedFiles) + int64(m.ExistingFiles) + int64(m.ModifiedFiles)
}

// exhausted reports whether no entry of a leaf is live, as far as its pointer tells (rules 9.9).
func (p *pointer) exhausted() bool {
	masked := p.dv.usable() && int64(len(p.dv.set)) >= p.entry.RecordCount
	return masked || p.entry.Manifest.Valid && p.liveFiles() == 0
}

// snapshot is a tree with the rows of its root sorted out.
type snapshot struct {
	tree     tree.Tree
	files    []file
	pointers []*pointer
	// locations are the resolved ones of all rows.
	locations []string
	// liveAt are the live rows by location, nil until they are asked for.
	liveAt *liveLocations
	// summary is what the metadata says of the snapshot, nil if that is not known.
	summary map[string]string
}

func newSnapshot(t tree.Tree) *snapshot {
	s := &snapshot{tree: t, files: make([]file, 0, len(t.Rows)), locations: make([]string, len(t.Rows))}
	for i := range t.Rows {
		e := &t.Rows[i]
		s.locations[i] = resolve(t.Origin.TableLocation, e.Location)
		switch {
		case isData(e):
			f := fileOf(s.locations[i], t.Origin.TableLocation, e)
			f.row = int64(i)
			s.files = append(s.files, f)
		case isManifest(e):
			s.pointers = append(s.pointers, &pointer{
				row: int64(i), entry: e, location: s.locations[i],
				dv:       decodeBitmap(e.Manifest.Val.DV),
				deleted:  decodeBitmap(e.Tracking.DeletedPositions),
				replaced: decodeBitmap(e.Tracking.ReplacedPositions),
			})
		}
	}
	return s
}

func (s *snapshot) id() int64 { return s.tree.Origin.SnapshotID }

// place returns the place of a row of the root, or of the root itself for -1.
func (s *snapshot) place(row int64) Place {
	return Place{Snapshot: s.id(), Object: s.tree.Root, Row: row}
}

// byThis reports whether an id is known and that of this snapshot.
func (s *snapshot) byThis(id iceberg.Optional[int64]) bool {
	return id.Valid && s.id() != 0 && id.Val == s.id()
}

// byOther reports whether an id is known and that of another snapshot.
func (s *snapshot) byOther(id iceberg.Optional[int64]) bool {
	return id.Valid && s.id() != 0 && id.Val != s.id()
}

// changedHere reports whether the delta bitmaps of a pointer are facts of this snapshot (rules 9.6).
func (s *snapshot) changedHere(p *pointer) bool { return s.byThis(p.entry.Tracking.ModifiedSnapshotID) }

// comesBack reports whether a live row is another file than the one that a DELETED row names at its location: one that
// this snapshot adds, with a file sequence number of its own (IV13).
func (s *snapshot) comesBack(dead, live *file) bool {
	return live.status == tree.Added && !s.byOther(live.snapshotID) && differ(dead.fileSequence, live.fileSequence)
}

// mayKeepIDs reports whether a row that this snapshot adds may have row ids from before it: its data sequence number
// says that its data is older, and all its ids are (IV14).
func (s *snapshot) mayKeepIDs(f *file) bool {
	return f.sequence.Valid && f.sequence.Val < s.tree.SequenceNumber && f.end() <= s.tree.FirstRowID
}

// nextRowID is the first row id that the snapshot did not take (rules 8.1).
func (s *snapshot) nextRowID() int64 { return sum(s.tree.FirstRowID, s.tree.AddedRows) }

// same and differ compare two ids or numbers; of a null they report nothing.
func same(a, b iceberg.Optional[int64]) bool { return a.Valid && b.Valid && a.Val == b.Val }

func differ(a, b iceberg.Optional[int64]) bool { return a.Valid && b.Valid && a.Val != b.Val }
