package tree_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/tree"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// fact is what the model knows of a live file. The model never looks at a tree.
type fact struct {
	Records, Cardinality int64
	AddedBy              int64 // the snapshot, and the file sequence number
	FirstRowID           int64 // learned when the file is first seen, -1 until then
}

// model maps locations to live files.
type model map[string]fact

// TestLiveAndChangesAgainstAModel commits at random through the transitions of this package, in every legal shape:
// loose rows, rows pushed into leaves, masks, folds, tombstones in the root and in leaves, files added again. After
// each commit the live files are the model's, and the change feed is the difference of two models.
func TestLiveAndChangesAgainstAModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &writer{t: t, reader: &leaves{rows: map[string][]tree.Entry{}}}
		files := model{}
		for snapshot := range rapid.Int64Range(1, 8).Draw(t, "commits") {
			parent := w.tree
			before := files
			files = w.commit(before, snapshot+1)
			checkLive(t, w, files)
			checkChanges(t, w, parent, before, files)
		}
	})
}

// checkLive compares the live files with the model, and learns the row ids of new ones.
func checkLive(t *rapid.T, w *writer, files model) {
	got := model{}
	for l, err := range tree.Unique(tree.Live(context.Background(), w.tree, tree.Full, w.reader)) {
		if err != nil {
			t.Fatalf("live files: %v", err)
		}
		tr := l.Entry.Tracking
		if tr.SnapshotID != tr.FileSequenceNumber || tr.SequenceNumber != tr.FileSequenceNumber {
			t.Errorf("%s: numbers moved: %+v", l.Location, tr)
		}
		got[l.Location] = fact{Records: l.Entry.RecordCount, Cardinality: l.Entry.DeletionVector.Val.Cardinality,
			AddedBy: tr.SnapshotID.Val, FirstRowID: tr.FirstRowID.Val}
		if known := files[l.Location]; known.FirstRowID < 0 {
			known.FirstRowID = tr.FirstRowID.Val
			files[l.Location] = known
		}
	}
	if diff := cmp.Diff(files, got); diff != "" {
		t.Fatalf("live files (-model +tree):\n%s", diff)
	}
}

// checkChanges compares the change feed with the difference of two models.
func checkChanges(t *rapid.T, w *writer, parent tree.Tree, before, after model) {
	want := map[string]string{}
	for location, old := range before {
		now, still := after[location]
		switch {
		case !still:
			want[location] = "removed "
		case now.AddedBy != old.AddedBy:
			want[location] = "removed added "
		case now.Cardinality != old.Cardinality:
			want[location] = fmt.Sprintf("deletes %d to %d ", old.Cardinality, now.Cardinality)
		}
	}
	for location := range after {
		if _, was := before[location]; !was {
			want[location] = "added "
		}
	}
	got, last := map[string]string{}, ""
	for c, err := range tree.Changes(context.Background(), parent, w.tree, tree.Full, w.reader) {
		if err != nil {
			t.Fatalf("changes: %v", err)
		}
		if c.Location < last {
			t.Errorf("%s comes after %s", c.Location, last)
		}
		last = c.Location
		got[c.Location] += c.Kind.String() + " "
		if c.Kind == tree.DeletesChanged {
			got[c.Location] += fmt.Sprintf("%d to %d ", c.Before.Val.Entry.DeletionVector.Val.Cardinality,
				c.After.Val.Entry.DeletionVector.Val.Cardinality)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("changes (-model +tree):\n%s", diff)
	}
}

// writer commits to a tree in memory. It stands in for the builder and the policy of a commit.
type writer struct {
	t         *rapid.T
	reader    *leaves
	tree      tree.Tree
	nextRowID int64
	names     int

	snapshot int64
	root     []tree.Entry
	leaf     []tree.Entry // the rows of this commit's new leaf
}

// commit changes the model and the tree at random.
func (w *writer) commit(before model, snapshot int64) model {
	w.snapshot, w.root, w.leaf = snapshot, nil, nil
	after := model{}
	for location, f := range before {
		after[location] = f
	}
	var again []string // may come back in the same commit
	for i, e := range w.tree.Rows {
		switch {
		case !e.Tracking.Status.Live():
		case e.Content.IsManifest():
			again = append(again, w.pointer(e, after)...)
		default:
			w.row(w.located(e, int64(i)), w.draw(e), after)
		}
	}
	for range rapid.IntRange(0, 4).Draw(w.t, "new files") {
		w.names++
		location := fmt.Sprintf("s3://b/t/f%03d", w.names)
		if len(again) > 0 && rapid.Bool().Draw(w.t, "again") {
			location, again = again[0], again[1:]
		}
		w.add(location, after)
	}
	w.finish()
	return after
}

func (w *writer) located(e tree.Entry, row int64) tree.Located {
	return tree.Located{Entry: e, Location: tree.Resolve("s3://b/t", e.Location), Position: row}
}

// fate is what a commit does to a live file.
type fate int

const (
	keep fate = iota
	move
	remove
	setDV
)

func (w *writer) draw(e tree.Entry) fate {
	fates := []fate{keep, keep, keep, move, remove}
	if e.DeletionVector.Val.Cardinality < e.RecordCount {
		fates = append(fates, setDV)
	}
	return rapid.SampledFrom(fates).Draw(w.t, "fate of "+e.Location)
}

// row writes what becomes of a file whose old row is not carried in place: a loose one, or one of a folded leaf.
func (w *writer) row(l tree.Located, f fate, after model) {
	switch f {
	case remove:
		w.tombstone(must(tree.Delete(l.Entry, w.snapshot)))
		delete(after, l.Location)
	case setDV:
		w.tombstone(must(tree.Replace(l.Entry, w.snapshot)))
		w.place(w.withDV(l, after))
	default:
		w.place(must(tree.Carry(l.Entry)))
	}
}

// withDV returns the new state of a file with one more deleted row.
func (w *writer) withDV(l tree.Located, after model) tree.Entry {
	e := must(tree.Modify(l.Entry, w.snapshot))
	e.DeletionVector = some(tree.DeletionVector{Location: "dv.puffin", SizeBytes: 40,
		Cardinality: l.Entry.DeletionVector.Val.Cardinality + 1})
	known := after[l.Location]
	known.Cardinality = e.DeletionVector.Val.Cardinality
	after[l.Location] = known
	return e
}

// pointer masks, folds, empties or carries a leaf. It returns the locations that masks removed.
func (w *writer) pointer(e tree.Entry, after model) []string {
	members, err := collect(tree.LiveIn(w.tree.Origin, e, tree.Full, w.reader.Leaf(context.Background(), w.tree.Origin, e,
		tree.Full)))
	if err != nil {
		w.t.Fatalf("leaf %s: %v", e.Location, err)
	}
	fold := rapid.IntRange(0, 4).Draw(w.t, "fold") == 0
	var deleted, replaced, moved []uint32
	var removed []string
	for _, l := range members {
		f := w.draw(l.Entry)
		if fold {
			w.row(l, f, after)
			continue
		}
		switch position := uint32(l.Position); f {
		case remove:
			deleted = append(deleted, position)
			removed = append(removed, l.Location)
			delete(after, l.Location)
		case setDV:
			replaced = append(replaced, position)
			w.place(w.withDV(l, after))
		case move:
			moved = append(moved, position)
			w.place(must(tree.Carry(l.Entry)))
		}
	}
	switch {
	case fold:
	case len(deleted)+len(replaced)+len(moved) == 0:
		w.root = append(w.root, must(tree.Carry(e)))
	default:
		e = must(tree.Mask(e, w.snapshot, tree.Masks{Deleted: set(deleted...), Replaced: set(replaced...), Moved: set(moved...)}))
		if len(deleted)+len(replaced) == len(members) {
			e = must(tree.Delete(e, w.snapshot))
		}
		w.root = append(w.root, e)
	}
	return removed
}

// add adds a new file, loose or in the new leaf.
func (w *writer) add(location string, after model) {
	f := tree.File{Location: location, Format: "parquet", FileSizeBytes: 1,
		RecordCount: rapid.Int64Range(1, 5).Draw(w.t, "records")}
	known := fact{Records: f.RecordCount, AddedBy: w.snapshot, FirstRowID: -1}
	if rapid.IntRange(0, 4).Draw(w.t, "born with a vector") == 0 {
		f.DeletionVector = some(tree.DeletionVector{Location: "s3://b/t/dv.puffin", SizeBytes: 40, Cardinality: 1})
		known.Cardinality = 1
	}
	after[location] = known
	w.place(f.Entry("s3://b/t", w.snapshot))
}

// place puts a live row into the root or into the new leaf.
func (w *writer) place(e tree.Entry) {
	if rapid.Bool().Draw(w.t, "to a leaf") {
		w.leaf = append(w.leaf, e)
		return
	}
	w.root = append(w.root, w.numbered(e, e.RecordCount))
}

// tombstone puts a dead row into the root, or among the live rows of the new leaf, where it will grow stale.
func (w *writer) tombstone(e tree.Entry) {
	if rapid.IntRange(0, 2).Draw(w.t, "buried in a leaf") == 0 {
		w.leaf = append(w.leaf, e)
		return
	}
	w.root = append(w.root, e)
}

// numbered gives an entry of this commit what a root makes explicit.
func (w *writer) numbered(e tree.Entry, records int64) tree.Entry {
	if e.Tracking.Status != tree.Added || e.Tracking.SnapshotID.Valid {
		return e
	}
	e.Tracking.SnapshotID, e.Tracking.SequenceNumber = some(w.snapshot), some(w.snapshot)
	e.Tracking.FileSequenceNumber = some(w.snapshot)
	e.Tracking.FirstRowID = some(w.nextRowID)
	w.nextRowID += records
	return e
}

// finish writes the new leaf and installs the new tree.
func (w *writer) finish() {
	if len(w.leaf) > 0 {
		info := must(tree.Summarize(w.leaf, w.snapshot))
		p := tree.Entry{Tracking: tree.Tracking{Status: tree.Added}, Content: tree.DataManifest,
			Location: fmt.Sprintf("m%d.parquet", w.snapshot), RecordCount: int64(len(w.leaf)), Manifest: some(info)}
		w.reader.rows[p.Location] = w.leaf
		w.root = append(w.root, w.numbered(p, info.AddedRows+info.ExistingRows+info.ModifiedRows))
	}
	child := tree.Tree{Origin: origin, Root: fmt.Sprintf("root%d.parquet", w.snapshot), SequenceNumber: w.snapshot, Rows: w.root}
	child.Origin.SnapshotID = w.snapshot
	child.ParentSnapshotID = iceberg.Optional[int64]{Val: w.tree.Origin.SnapshotID, Valid: w.tree.Root != ""}
	w.tree = child
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
