package sim

import (
	"context"
	"fmt"

	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/tree"
)

// row is one row of a manifest that stands for a data file, as the format says what it means, after inheritance.
type row struct {
	number int64
	file   file
	// live says that its status is one of a live file; a mask may still hide it.
	live bool
	// vector is the location of its deletion vector, empty without one.
	vector string
}

// leafView is a leaf as its rows say.
type leafView struct {
	rows []row
	// vectors says that some file has a deletion vector.
	vectors bool
}

// deletedRows are the positions of a deletion vector, or why they cannot be read.
type deletedRows struct {
	rows dv.Vector
	err  error
}

// view returns a leaf as a pointer shows it. What a pointer lends to its leaf never changes as long as it is carried, so a
// leaf is read once.
func (w *World) view(ctx context.Context, t tree.Tree, pointer *tree.Entry) (*leafView, error) {
	name := tree.Resolve(t.Origin.TableLocation, pointer.Location)
	if v, known := w.leaves[name]; known {
		return v, nil
	}
	v := new(leafView)
	next := pointer.Tracking.FirstRowID.Val
	for raw, err := range w.codec.Leaves(&w.objects).Leaf(ctx, t.Origin, *pointer, tree.Full) {
		if err != nil {
			return nil, err
		}
		e := raw.Entry
		inherit(&e, pointer.Tracking, &next)
		r, err := w.row(ctx, t, &e)
		if err != nil {
			return nil, fmt.Errorf("%s row %d: %w", name, raw.Position, err)
		}
		v.rows = append(v.rows, r)
		v.vectors = v.vectors || r.vector != ""
	}
	w.leaves[name] = v
	return v, nil
}

// inherit fills in what a row of a leaf has from its pointer (rules 7.3, 7.4, 8.5), with next the row id that the next file
// without one takes.
func inherit(e *tree.Entry, lender tree.Tracking, next *int64) {
	own := &e.Tracking
	if !own.SnapshotID.Valid {
		own.SnapshotID = lender.SnapshotID
	}
	if !own.SequenceNumber.Valid {
		own.SequenceNumber = lender.SequenceNumber
	}
	if !own.FileSequenceNumber.Valid {
		own.FileSequenceNumber = lender.FileSequenceNumber
	}
	if !own.FirstRowID.Valid && alive(own.Status) {
		own.FirstRowID = lender.FirstRowID
		own.FirstRowID.Val = *next
		*next += e.RecordCount
	}
}

func alive(s tree.Status) bool { return s == tree.Added || s == tree.Existing || s == tree.Modified }

// row returns what a complete entry of a data file says.
func (w *World) row(ctx context.Context, t tree.Tree, e *tree.Entry) (row, error) {
	location := tree.Resolve(t.Origin.TableLocation, e.Location)
	n, ours := numberOf(location)
	if !ours {
		return row{}, fmt.Errorf("%s is not a file that anybody added", location)
	}
	stats, columns := w.columnsNow().statsIn(e, n)
	r := row{number: n, live: alive(e.Tracking.Status), file: file{
		records: e.RecordCount, size: e.FileSizeBytes, snapshot: e.Tracking.SnapshotID.Val,
		sequence: e.Tracking.SequenceNumber.Val, fileSequence: e.Tracking.FileSequenceNumber.Val,
		modified: e.Tracking.ModifiedSnapshotID.Val, firstRowID: unlearned, stats: stats, columns: columns,
		spec: w.specIn(e, n),
	}}
	if e.Tracking.FirstRowID.Valid {
		r.file.firstRowID = e.Tracking.FirstRowID.Val
	}
	if v := e.DeletionVector; v.Valid && r.live {
		r.vector = tree.Resolve(t.Origin.TableLocation, v.Val.Location)
		blob := tree.BlobID{
			Location:    r.vector,
			OffsetBytes: v.Val.OffsetBytes, SizeBytes: v.Val.SizeBytes, Cardinality: v.Val.Cardinality,
		}
		read, known := w.vectors[blob]
		if !known {
			read.rows, read.err = dv.Read(ctx, &w.objects, v.Val, blob.Location, e.RecordCount, dv.Limits{})
			w.vectors[blob] = read
		}
		if read.err != nil {
			return row{}, read.err
		}
		r.file.deleted = read.rows
	}
	return r, nil
}

// difference is what changed between the live files of two trees, found without looking at what the trees say about it.
type difference struct {
	gone, come map[int64]file
	// columns are those of which statistics count.
	columns columnSet
	// problems are files that are live twice in one of the trees.
	problems []string
}

// diff compares the live files of two trees. Pointers that are the same in both are passed over.
func (w *World) diff(ctx context.Context, parent, child tree.Tree) (*difference, error) {
	d := &difference{gone: make(map[int64]file), come: make(map[int64]file), columns: w.columnsNow().current}
	before := make(map[string]*tree.Entry)
	for i := range parent.Rows {
		e := &parent.Rows[i]
		if e.Content.IsManifest() {
			if alive(e.Tracking.Status) {
				before[e.Location] = e
			}
			continue
		}
		if err := w.loose(ctx, d.gone, d, parent, e); err != nil {
			return nil, err
		}
	}
	for i := range child.Rows {
		e := &child.Rows[i]
		switch {
		case !e.Content.IsManifest():
			if err := w.loose(ctx, d.come, d, child, e); err != nil {
				return nil, err
			}
		case alive(e.Tracking.Status):
			if err := w.pointers(ctx, d, parent, before[e.Location], child, e); err != nil {
				return nil, err
			}
			delete(before, e.Location)
		}
	}
	for i := range parent.Rows { // in the order of the tree
		if e := &parent.Rows[i]; before[e.Location] == e {
			if err := w.pointers(ctx, d, parent, e, child, nil); err != nil {
				return nil, err
			}
		}
	}
	for n, was := range d.gone {
		if now, still := d.come[n]; still && was.same(now) {
			delete(d.gone, n)
			delete(d.come, n)
		}
	}
	return d, nil
}

// loose notes a live file of a root.
func (w *World) loose(ctx context.Context, side map[int64]file, d *difference, t tree.Tree, e *tree.Entry) error {
	if !alive(e.Tracking.Status) {
		return nil
	}
	r, err := w.row(ctx, t, e)
	if err == nil {
		d.note(side, r)
	}
	return err
}

func (d *difference) note(side map[int64]file, r row) {
	if _, twice := side[r.number]; twice {
		d.problems = append(d.problems, fmt.Sprintf("file %d is live twice", r.number))
	}
	r.file.columns &= d.columns
	side[r.number] = r.file
}

// pointers notes what a pointer shows in one tree and not in the other; one of them may be nil.
func (w *World) pointers(ctx context.Context, d *difference, parent tree.Tree, was *tree.Entry, child tree.Tree, now *tree.Entry) error {
	if was != nil && now != nil && string(was.Manifest.Val.DV) == string(now.Manifest.Val.DV) {
		return nil
	}
	at, pointer := child, now
	if now == nil {
		at, pointer = parent, was
	}
	v, err := w.view(ctx, at, pointer)
	if err != nil {
		return err
	}
	hidden, err := masks(was)
	if err != nil {
		return err
	}
	masked, err := masks(now)
	if err != nil {
		return err
	}
	for i, r := range v.rows {
		if !r.live {
			continue
		}
		shown := was != nil && !hidden.Contains(uint32(i))
		shows := now != nil && !masked.Contains(uint32(i))
		if shown && !shows {
			d.note(d.gone, r)
		}
		if shows && !shown {
			d.note(d.come, r)
		}
	}
	return nil
}

// masks returns the masked positions of a pointer, none of nil.
func masks(pointer *tree.Entry) (mdv.Bitmap, error) {
	if pointer == nil || pointer.Manifest.Val.DV == nil {
		return mdv.Bitmap{}, nil
	}
	return mdv.Parse(pointer.Manifest.Val.DV)
}

// changes returns the difference file by file.
func (d *difference) changes() []change {
	var changes []change
	for n, was := range d.gone {
		c := change{number: n, before: &was}
		if now, still := d.come[n]; still {
			c.after = &now
		}
		changes = append(changes, c)
	}
	for n, now := range d.come {
		if _, was := d.gone[n]; !was {
			changes = append(changes, change{number: n, after: &now})
		}
	}
	return sorted(changes)
}
