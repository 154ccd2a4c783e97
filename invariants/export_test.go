package invariants

import (
	"context"

	"github.com/firn-io/firn/tree"
)

// DecodeBitmap shows the checker's own bitmap decoder to tests: the positions, why the bytes are not canonical, and
// why they are no bitmap.
func DecodeBitmap(data []byte) ([]uint32, string, error) {
	b := decodeBitmap(data)
	return b.set, b.oddity, b.err
}

// DecodePFOR decodes n bytes and returns how many bytes are left.
func DecodePFOR(data []byte, n int) (values []byte, left int, err error) {
	d := bitmapDecoder{data: data}
	values = d.packedBytes(n)
	return values, len(data) - d.at, d.err
}

// Resolve shows the checker's own resolution of locations.
var Resolve = resolve

// Inherit shows the checker's own inheritance: what rows of a leaf have through a pointer.
func Inherit(p tree.Entry, rows []tree.Entry) []tree.Tracking {
	o := openLeaf{pointer: &pointer{entry: &p}, leaf: &leafFile{}}
	for i := range rows {
		o.leaf.rows.add(newFile("", &rows[i]))
	}
	var all []tree.Tracking
	for f := range o.all() {
		all = append(all, tree.Tracking{
			Status: f.status, SnapshotID: f.snapshotID, ModifiedSnapshotID: f.modifiedID,
			SequenceNumber: f.sequence, FileSequenceNumber: f.fileSequence, FirstRowID: f.firstRowID,
		})
	}
	return all
}

// LiveFiles shows the checker's own live walk: resolved location, manifest and row of each live file.
func LiveFiles(ctx context.Context, l *Leaves, t tree.Tree) ([]Place, []string, error) {
	s := newSnapshot(t)
	in := &treeInput{snapshot: s}
	for _, p := range s.pointers {
		if !opens(p, AllLeaves) {
			continue
		}
		read, err := l.open(ctx, s, p)
		if err != nil {
			return nil, nil, err
		}
		in.leaves = append(in.leaves, &openLeaf{snapshot: s, pointer: p, leaf: read.leaf})
	}
	var places []Place
	var locations []string
	for object, f := range in.live() {
		places = append(places, Place{Snapshot: s.id(), Object: object, Row: f.row})
		locations = append(locations, f.location)
	}
	return places, locations, nil
}

// Held returns how many rows of leaves are in memory.
func Held(l *Leaves) int { return l.storage.held }

// PackRows returns what the spill gets of raw rows of a leaf.
func PackRows(rows []tree.Entry) []byte {
	var p packedFiles
	for i := range rows {
		p.add(newFile("", &rows[i]))
	}
	return appendFiles(nil, p.rows)
}

// UnpackRows reads what PackRows returned, or anything else, and returns how many rows that are.
func UnpackRows(data []byte) (int, error) {
	var r fileReader
	rows, err := r.read(data)
	return len(rows), err
}
