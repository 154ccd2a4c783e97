package oracle

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// reach is what the retained snapshots of a table reach. It is worked out apart from the engine that deletes, so that
// one can be held against the other.
type reach struct {
	*source
	// needed are the objects that must be there, in the order in which they were met; asked are their locations.
	needed []object
	asked  map[string]bool
	// known are the locations of all objects that the table reaches.
	known map[string]bool
	// vectors are the deletion vectors of live files, each once.
	vectors []vector
	blobs   map[vectorID]bool
	// leaves are in the order in which they were met.
	leaves []*leafUse
	byName map[string]*leafUse
	// snapshots are the ids of those whose roots were read.
	snapshots map[int64]bool
	// untold says why not everything was followed; empty if it was.
	untold string
}

// object is one that must be there.
type object struct {
	kind, location string
	// sizeBytes is the length that the table states, -1 if it states none.
	sizeBytes int64
	place     place
}

// place is the row that names an object; the row is -1 for the metadata.
type place struct {
	snapshot int64
	object   string
	row      int64
}

// vector is a deletion vector of a live file.
type vector struct {
	entry tree.DeletionVector
	// location is that of the Puffin file, dataFile that of the data file.
	location, dataFile string
	recordCount        int64
	// file is the file sequence number of the data file, 0 if it is not known.
	file  int64
	place place
}

// vectorID tells the vectors of files apart.
type vectorID struct {
	tree.BlobID
	dataFile string
}

// leafUse is what all pointers to one leaf say together.
type leafUse struct {
	origin tree.Origin
	ref    tree.Entry
	// live says that there are live pointers, masked what each of them masks.
	live   bool
	masked mdv.Bitmap
	// ended says that there are pointers which their own snapshots let go, left what each of them masks.
	ended bool
	left  mdv.Bitmap
	// told are the positions that a snapshot itself took out.
	told mdv.Bitmap
}

func newReach(s *source) *reach {
	return &reach{
		source: s, asked: make(map[string]bool), known: make(map[string]bool), blobs: make(map[vectorID]bool), byName: make(map[string]*leafUse),
		snapshots: make(map[int64]bool),
	}
}

// follow reads all retained snapshots: roots first, then each leaf once. What is broken was reported or is noted.
func (r *reach) follow(ctx context.Context) error {
	for _, snapshot := range r.metadata.Snapshots {
		if !snapshot.RootManifest.Valid {
			r.untold = "a manifest list of versions 1 to 3"
			continue
		}
		t, err := r.Root(ctx, snapshot)
		switch {
		case r.passOver("", err):
			r.untold = "a root manifest that cannot be read"
		case err != nil:
			return err
		default:
			r.addRoot(t)
		}
	}
	for _, use := range r.leaves {
		if err := r.addLeaf(ctx, use); err != nil {
			return err
		}
	}
	return r.addStatistics()
}

// addRoot takes in what the rows of a root name.
func (r *reach) addRoot(t tree.Tree) {
	r.snapshots[t.Origin.SnapshotID] = true
	r.known[t.Root] = true
	for i, row := range t.Rows {
		switch at := (place{t.Origin.SnapshotID, t.Root, int64(i)}); {
		case isLegacy(row):
			r.untold = "a manifest of versions 1 to 3"
		case row.Content.IsManifest():
			r.addPointer(t, row)
		case row.Tracking.Status.Live():
			r.need(row, at)
		case row.Tracking.SnapshotID.Val == t.Origin.SnapshotID:
			r.known[r.resolve(row.Location)] = true
		}
	}
}

func (r *reach) resolve(location string) string { return tree.Resolve(r.location, location) }

// need takes in a live data file, and its deletion vector.
func (r *reach) need(e tree.Entry, at place) {
	const columnFiles = 158 // rules 15
	for _, field := range e.Foreign {
		if field.Parent == tree.InEntry && field.Type.ID == columnFiles {
			r.untold = "a data file with column files"
		}
	}
	name := r.resolve(e.Location)
	r.add(object{"data file", name, e.FileSizeBytes, at})
	if !e.DeletionVector.Valid {
		return
	}
	v := e.DeletionVector.Val
	puffin := r.resolve(v.Location)
	r.add(object{"Puffin file", puffin, -1, at})
	id := vectorID{tree.BlobID{Location: puffin, OffsetBytes: v.OffsetBytes, SizeBytes: v.SizeBytes, Cardinality: v.Cardinality}, name}
	if !r.blobs[id] {
		r.blobs[id] = true
		r.vectors = append(r.vectors, vector{v, puffin, name, e.RecordCount, e.Tracking.FileSequenceNumber.Val, at})
	}
}

func (r *reach) add(o object) {
	if !r.asked[o.location] {
		r.asked[o.location] = true
		r.known[o.location] = true
		r.needed = append(r.needed, o)
	}
}

// addPointer takes in what a pointer says of the rows of its leaf.
func (r *reach) addPointer(t tree.Tree, row tree.Entry) {
	name := r.resolve(row.Location)
	r.known[name] = true
	own := t.Origin.SnapshotID
	live := row.Tracking.Status.Live()
	if !live && row.Tracking.SnapshotID.Val != own {
		return
	}
	use := r.byName[name]
	if use == nil {
		use = &leafUse{origin: t.Origin, ref: row}
		r.byName[name] = use
		r.leaves = append(r.leaves, use)
	}
	masked := r.bitmap(row.Manifest.Val.DV)
	if live {
		use.masked = narrowed(use.live, use.masked, masked)
		use.live = true
	} else {
		use.left = narrowed(use.ended, use.left, masked)
		use.ended = true
	}
	if row.Tracking.ModifiedSnapshotID.Valid && row.Tracking.ModifiedSnapshotID.Val == own {
		use.told = use.told.Union(r.bitmap(row.Tracking.DeletedPositions)).Union(r.bitmap(row.Tracking.ReplacedPositions))
	}
}

// narrowed returns what all pointers mask, given what those before did, if there were any.
func narrowed(any bool, before, masked mdv.Bitmap) mdv.Bitmap {
	if !any {
		return masked
	}
	return before.Intersect(masked)
}

// bitmap reads a bitmap of a pointer. The rules of roots report a broken one.
func (r *reach) bitmap(data []byte) mdv.Bitmap {
	if data == nil {
		return mdv.Bitmap{}
	}
	b, err := mdv.Parse(data)
	if err != nil {
		r.untold = "a manifest pointer with a broken bitmap"
	}
	return b
}

// addLeaf takes in what the rows of a leaf name. A leaf that no live pointer needs may be gone.
func (r *reach) addLeaf(ctx context.Context, use *leafUse) error {
	name := r.resolve(use.ref.Location)
	p := tree.Projection{File: true}
	var rows iter.Seq2[tree.Row, error]
	if use.live {
		rows = r.Leaf(ctx, use.origin, use.ref, p)
	} else {
		rows = r.rows(ctx, use.origin.SnapshotID, name, use.ref.FileSizeBytes, p)
	}
	for row, err := range rows {
		switch {
		case r.passOver(name, err), !use.live && isBroken(err):
			r.untold = "a leaf manifest that cannot be read"
			return nil
		case errors.Is(err, errPassed):
			return nil
		case err != nil:
			return err
		}
		r.addLeafRow(use, row, place{use.origin.SnapshotID, name, row.Position})
	}
	return nil
}

func (r *reach) addLeafRow(use *leafUse, row tree.Row, at place) {
	tracking := row.Entry.Tracking
	by := tracking.SnapshotID
	if !by.Valid {
		by = use.ref.Tracking.SnapshotID // rules 7.3
	}
	switch {
	case !tracking.Status.Live() && !r.snapshots[by.Val]:
	case tracking.Status.Live() && use.live && !holds(use.masked, row.Position):
		if !tracking.FileSequenceNumber.Valid {
			row.Entry.Tracking.FileSequenceNumber = use.ref.Tracking.FileSequenceNumber // rules 7.3
		}
		r.need(row.Entry, at)
	case !tracking.Status.Live(), holds(use.told, row.Position), use.ended && !holds(use.left, row.Position):
		r.known[r.resolve(row.Entry.Location)] = true
	}
}

func holds(b mdv.Bitmap, position int64) bool {
	return position <= mdv.MaxPosition && b.Contains(uint32(position))
}

// addStatistics takes in the statistics files that the metadata lists.
func (r *reach) addStatistics() error {
	for _, member := range r.metadata.Unknown {
		if member.Name != "statistics" && member.Name != "partition-statistics" {
			continue
		}
		var files []struct {
			Path       string `json:"statistics-path"`
			SnapshotID int64  `json:"snapshot-id"`
		}
		if err := json.Unmarshal([]byte(member.JSON), &files); err != nil {
			return &metadata.ParseError{Path: "$." + member.Name, Reason: err.Error()}
		}
		for _, f := range files {
			r.add(object{"statistics file", r.resolve(f.Path), -1, place{f.SnapshotID, "", -1}})
		}
	}
	return nil
}
