package rootmanifest_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/treetext"
	"github.com/firn-io/firn/leaf"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/rootmanifest"
	"github.com/firn-io/firn/tree"
)

// parent is the root of snapshot 1 for the tests: two leaves, the second one partly masked before, two loose files,
// and the tombstones of snapshot 1.
const parent = `
leaf ADDED l1 live=4/4 snapshot=1 seq=1 file_seq=1 first_row_id=0 counts={added:4/400}
leaf MODIFIED l2 live=2/3 dv={1} del={1} snapshot=1 modified=1 seq=1 file_seq=1 first_row_id=400 counts={existing:3/300}
leaf ADDED graves live=0/2 snapshot=1 seq=1 file_seq=1 first_row_id=700 counts={deleted:2/200}
loose ADDED a rows=100 snapshot=1 seq=1 file_seq=1 first_row_id=700
loose EXISTING b rows=100 snapshot=1 modified=1 dv=p@4+40#2 seq=1 file_seq=1 first_row_id=800
loose DELETED gone rows=100 snapshot=1 seq=1 file_seq=1 first_row_id=900
loose REPLACED b rows=100 snapshot=1 seq=1 file_seq=1 first_row_id=800
`

const (
	rowL1 = iota
	rowL2
	rowGraves
	rowA
	rowB
	rowGone
)

func parse(t *testing.T, text string) tree.Tree {
	t.Helper()
	doc, err := treetext.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Tree
}

func positions(t *testing.T, p ...uint32) mdv.Bitmap {
	t.Helper()
	b, err := mdv.Of(p...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// newFile is a file that snapshot 2 adds.
func newFile(name string) tree.Entry {
	f := tree.File{Location: name, Format: "parquet", RecordCount: 50, FileSizeBytes: 10}
	return f.Entry("mem://t", 2)
}

func TestBuild(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps func(*testing.T, *rootmanifest.Builder) error
		want  string // rows of the new root that the carried ones do not explain, in Short form
	}{
		{"carry (S21)", func(*testing.T, *rootmanifest.Builder) error { return nil }, `
leaf EXISTING l1 live=4/4
leaf EXISTING l2 live=2/3 dv={1}
loose EXISTING a rows=100
loose EXISTING b rows=100 dv=#2
`},
		{"mask some (S6)", func(t *testing.T, b *rootmanifest.Builder) error {
			return b.Mask(rowL2, tree.Masks{Deleted: positions(t, 2)})
		}, `
leaf EXISTING l1 live=4/4
leaf MODIFIED l2 live=1/3 dv={1-2} del={2}
loose EXISTING a rows=100
loose EXISTING b rows=100 dv=#2
`},
		{"mask the rest (S9)", func(t *testing.T, b *rootmanifest.Builder) error {
			return b.Mask(rowL2, tree.Masks{Deleted: positions(t, 0), Replaced: positions(t, 2)})
		}, `
leaf EXISTING l1 live=4/4
leaf DELETED l2 live=0/3 dv={0-2} del={0} rep={2}
loose EXISTING a rows=100
loose EXISTING b rows=100 dv=#2
`},
		{"move out of a leaf", func(t *testing.T, b *rootmanifest.Builder) error {
			return b.Mask(rowL1, tree.Masks{Moved: positions(t, 0, 3)})
		}, `
leaf MODIFIED l1 live=2/4 dv={0,3}
leaf EXISTING l2 live=2/3 dv={1}
loose EXISTING a rows=100
loose EXISTING b rows=100 dv=#2
`},
		{"the last rows go, one of them elsewhere", func(t *testing.T, b *rootmanifest.Builder) error {
			return b.Mask(rowL2, tree.Masks{Deleted: positions(t, 0), Moved: positions(t, 2)})
		}, `
leaf EXISTING l1 live=4/4
leaf MODIFIED l2 live=0/3 dv={0-2} del={0}
loose EXISTING a rows=100
loose EXISTING b rows=100 dv=#2
`},
		{"remove and inline (S10)", func(_ *testing.T, b *rootmanifest.Builder) error {
			b.Inline(newFile("mem://t/n"))
			return b.Remove(rowA)
		}, `
leaf EXISTING l1 live=4/4
leaf EXISTING l2 live=2/3 dv={1}
loose EXISTING b rows=100 dv=#2
loose ADDED n rows=50
loose DELETED a rows=100
`},
		{"replace (S12)", func(t *testing.T, b *rootmanifest.Builder) error {
			state := parse(t, parent).Rows[rowB]
			state.DeletionVector.Val.Cardinality = 5
			return b.Replace(rowB, state)
		}, `
leaf EXISTING l1 live=4/4
leaf EXISTING l2 live=2/3 dv={1}
loose EXISTING a rows=100
loose MODIFIED b rows=100 dv=#5
loose REPLACED b rows=100 dv=#2
`},
		{"drop and point (S1)", func(t *testing.T, b *rootmanifest.Builder) error {
			old, err := tree.Carry(parse(t, parent).Rows[rowA])
			if err != nil {
				return err
			}
			pointer, err := leaf.Pointer("l3", 900, []tree.Entry{old, newFile("mem://t/n")}, 2)
			if err != nil {
				return err
			}
			b.Point(pointer)
			return b.Drop(rowA)
		}, `
leaf EXISTING l1 live=4/4
leaf EXISTING l2 live=2/3 dv={1}
leaf ADDED l3 live=2/2
loose EXISTING b rows=100 dv=#2
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := rootmanifest.NewBuilder(parse(t, parent), rootmanifest.Snapshot{ID: 2, SequenceNumber: 2, FirstRowID: 1000})
			if err := c.steps(t, b); err != nil {
				t.Fatal(err)
			}
			root, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			if err := rootmanifest.Check(root.Rows); err != nil {
				t.Error(err)
			}
			got := treetext.Doc{Tree: tree.Tree{Rows: root.Rows}}.Format(treetext.Options{Hide: treetext.Short})
			if diff := cmp.Diff(strings.TrimLeft(c.want, "\n"), got); diff != "" {
				t.Errorf("root (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCarriedPointersStay: what a pointer lends to its rows may not move in time (rules 7.11).
func TestCarriedPointersStay(t *testing.T) {
	before := parse(t, parent)
	b := rootmanifest.NewBuilder(before, rootmanifest.Snapshot{ID: 2, SequenceNumber: 2, FirstRowID: 1000})
	if err := b.Mask(rowL2, tree.Masks{Deleted: positions(t, 0)}); err != nil {
		t.Fatal(err)
	}
	root, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []int{rowL1, rowL2} {
		was, is := before.Rows[row].Tracking, root.Rows[row].Tracking
		if was.SnapshotID != is.SnapshotID || was.SequenceNumber != is.SequenceNumber ||
			was.FileSequenceNumber != is.FileSequenceNumber || was.FirstRowID != is.FirstRowID {
			t.Errorf("row %d: %+v became %+v", row, was, is)
		}
	}
	if got := root.Rows[rowL2].Tracking.ModifiedSnapshotID.Val; got != 2 {
		t.Errorf("the masked pointer was modified by snapshot %d", got)
	}
}

func TestRowIDs(t *testing.T) {
	b := rootmanifest.NewBuilder(tree.Tree{}, rootmanifest.Snapshot{ID: 2, SequenceNumber: 2, FirstRowID: 1000})
	pointer, err := leaf.Pointer("l", 900, []tree.Entry{newFile("mem://t/1"), newFile("mem://t/2")}, 2)
	if err != nil {
		t.Fatal(err)
	}
	b.Inline(newFile("mem://t/3"))
	b.Point(pointer)
	root, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if got := root.Rows[0].Tracking.FirstRowID.Val; got != 1000 {
		t.Errorf("leaf: %d", got)
	}
	if got := root.Rows[1].Tracking.FirstRowID.Val; got != 1100 || root.AddedRows != 150 {
		t.Errorf("loose: %d, added rows %d", got, root.AddedRows)
	}
}

func TestRowIDsOverflow(t *testing.T) {
	b := rootmanifest.NewBuilder(tree.Tree{}, rootmanifest.Snapshot{ID: 2, SequenceNumber: 2, FirstRowID: math.MaxInt64 - 10})
	b.Inline(newFile("mem://t/1"))
	if _, err := b.Build(); err == nil || !strings.Contains(err.Error(), "exceed the row ids") {
		t.Errorf("got %v", err)
	}
}

// TestLegacyPointerGetsRowIDs: a manifest of a table that had no row ids is assigned some (rules 8.8), a manifest of
// delete files never.
func TestLegacyPointerGetsRowIDs(t *testing.T) {
	before := parse(t, `
legacy EXISTING m.avro live=2/2 snapshot=1 seq=1 file_seq=1 format=avro counts={added:2/70}
deletes EXISTING d.avro live=1/1 snapshot=1 seq=1 file_seq=1 format=avro counts={added:1/5}
`)
	root, err := rootmanifest.NewBuilder(before, rootmanifest.Snapshot{ID: 2, SequenceNumber: 2, FirstRowID: 10}).Build()
	if err != nil {
		t.Fatal(err)
	}
	if got := root.Rows[0].Tracking.FirstRowID; !got.Valid || got.Val != 10 || root.AddedRows != 70 {
		t.Errorf("row id %v, added rows %d", got, root.AddedRows)
	}
	if root.Rows[1].Tracking.FirstRowID.Valid {
		t.Error("a manifest of delete files has a row id")
	}
}

// TestFullyMaskedElsewhere: a leaf that another engine masked in full is dropped without a row (S32).
func TestFullyMaskedElsewhere(t *testing.T) {
	before := parse(t, "leaf MODIFIED l live=0/2 dv={0-1} del={0-1} snapshot=1 modified=1 seq=1 file_seq=1 first_row_id=0 counts={added:2/20}\n")
	root, err := rootmanifest.NewBuilder(before, rootmanifest.Snapshot{ID: 2, SequenceNumber: 2}).Build()
	if err != nil || len(root.Rows) != 0 {
		t.Errorf("%d rows, %v", len(root.Rows), err)
	}
}

func TestStepsRefused(t *testing.T) {
	one := func(t *testing.T) tree.Masks { return tree.Masks{Deleted: positions(t, 0)} }
	for _, c := range []struct {
		name string
		step func(*testing.T, *rootmanifest.Builder) error
		want string
	}{
		{"no such row", func(_ *testing.T, b *rootmanifest.Builder) error { return b.Remove(70) }, "has no row 70"},
		{"a dead row", func(_ *testing.T, b *rootmanifest.Builder) error { return b.Remove(rowGone) }, "the row is DELETED"},
		{"mask a file", func(t *testing.T, b *rootmanifest.Builder) error { return b.Mask(rowA, one(t)) }, "no positions to mask"},
		{"thin a file", func(_ *testing.T, b *rootmanifest.Builder) error { return b.Thin(rowA, nil) }, "only a live pointer"},
		{"thin no row", func(_ *testing.T, b *rootmanifest.Builder) error { return b.Thin(-1, nil) }, "has no row -1"},
		{"remove a leaf", func(_ *testing.T, b *rootmanifest.Builder) error { return b.Remove(rowL1) }, "cannot be removed"},
		{"two steps", func(t *testing.T, b *rootmanifest.Builder) error {
			if err := b.Drop(rowL1); err != nil {
				return err
			}
			return b.Mask(rowL1, one(t))
		}, "two steps for one row"},
		{"masked before", func(t *testing.T, b *rootmanifest.Builder) error {
			return build(b, b.Mask(rowL2, tree.Masks{Deleted: positions(t, 1)}))
		}, "masked already"},
		{"beyond the end (S29)", func(t *testing.T, b *rootmanifest.Builder) error {
			return build(b, b.Mask(rowL1, tree.Masks{Deleted: positions(t, 4)}))
		}, "beyond"},
		{"empty", func(_ *testing.T, b *rootmanifest.Builder) error { return build(b, b.Mask(rowL1, tree.Masks{})) }, "empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := rootmanifest.NewBuilder(parse(t, parent), rootmanifest.Snapshot{ID: 2, SequenceNumber: 2, FirstRowID: 1000})
			if err := c.step(t, b); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func build(b *rootmanifest.Builder, err error) error {
	if err == nil {
		_, err = b.Build()
	}
	return err
}

func ExampleBuilder() {
	doc, err := treetext.Parse("loose ADDED data/a.parquet rows=10 snapshot=1 seq=1 file_seq=1 first_row_id=0\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	b := rootmanifest.NewBuilder(doc.Tree, rootmanifest.Snapshot{ID: 2, SequenceNumber: 2, FirstRowID: 10})
	if err := b.Remove(0); err != nil {
		fmt.Println(err)
		return
	}
	root, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range root.Rows {
		fmt.Println(row.Tracking.Status, row.Location, "by snapshot", row.Tracking.SnapshotID.Val)
	}
	// Output:
	// DELETED data/a.parquet by snapshot 2
}

// TestLastRowMovesFromMixedLeaf: dead rows that are masked already do not make the last live row, which moves elsewhere,
// look removed.
func TestLastRowMovesFromMixedLeaf(t *testing.T) {
	const mixed = "leaf MODIFIED l live=2/4 dv={0-1} snapshot=1 modified=1 seq=1 file_seq=1 first_row_id=0 counts={existing:2/200,deleted:2/200}\n"
	for _, c := range []struct {
		mask func(*testing.T) tree.Masks
		want tree.Status
	}{
		{func(t *testing.T) tree.Masks {
			return tree.Masks{Deleted: positions(t, 2), Moved: positions(t, 3)}
		}, tree.Modified},
		{func(t *testing.T) tree.Masks { return tree.Masks{Deleted: positions(t, 2, 3)} }, tree.Deleted},
	} {
		b := rootmanifest.NewBuilder(parse(t, mixed), rootmanifest.Snapshot{ID: 2, SequenceNumber: 2})
		if err := b.Mask(0, c.mask(t)); err != nil {
			t.Fatal(err)
		}
		root, err := b.Build()
		if err != nil || len(root.Rows) != 1 || root.Rows[0].Tracking.Status != c.want {
			t.Errorf("%v, %v, want one row %s", root.Rows, err, c.want)
		}
	}
}
