package treeio_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/leaf"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

const location = "mem://t"

var origin = tree.Origin{TableLocation: location}

// oneLeaf writes a leaf of the named files and returns its pointer.
func oneLeaf(t *testing.T, objects store.Objects, names ...string) tree.Entry {
	t.Helper()
	var rows []tree.Entry
	for _, name := range names {
		f := tree.File{Location: tree.Resolve(location, name), Format: "parquet", RecordCount: 1, FileSizeBytes: 1}
		rows = append(rows, f.Entry(location, 1))
	}
	size, err := treeio.Parquet{}.PutLeaf(t.Context(), objects, location+"/l.parquet", manifestio.Schema{}, rows)
	if err != nil {
		t.Fatal(err)
	}
	pointer, err := leaf.Pointer("l.parquet", size, rows, 1)
	if err != nil {
		t.Fatal(err)
	}
	return pointer
}

func TestLeaf(t *testing.T) {
	objects := &mem.Objects{}
	pointer := oneLeaf(t, objects, "b", "c")
	var got []string
	for row, err := range (treeio.Parquet{}).Leaves(objects).Leaf(t.Context(), origin, pointer, tree.Projection{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row.Entry.Location)
	}
	if !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("got %v", got)
	}
}

// TestExcludes: a leaf is ruled out by the statistics of its locations, in the spelling in which they are stored, and
// without reading a page.
func TestExcludes(t *testing.T) {
	objects := &mem.Objects{}
	pointer := oneLeaf(t, objects, "b", "d")
	leaves := treeio.Parquet{}.Leaves(objects)
	for want, stored := range map[bool][][]string{
		true:  {{"a"}, {"e", "mem://t/c"}, {}},
		false: {{"b"}, {"c"}, {"a", "d"}},
	} {
		for _, names := range stored {
			got, err := leaves.Excludes(t.Context(), origin, pointer, names)
			if err != nil || got != want {
				t.Errorf("%v: excluded %t, %v", names, got, err)
			}
		}
	}
}

// TestStatedLength: the root states the length of a leaf; a file of another length is not the one it means.
func TestStatedLength(t *testing.T) {
	objects := &mem.Objects{}
	pointer := oneLeaf(t, objects, "b")
	for _, change := range []int64{-1, 1, -pointer.FileSizeBytes} {
		wrong := pointer
		wrong.FileSizeBytes += change
		_, err := treeio.Parquet{}.Leaves(objects).Excludes(t.Context(), origin, wrong, nil)
		if !errors.Is(err, manifestio.ErrCorrupt) {
			t.Errorf("length off by %d: %v", change, err)
		}
	}
}

func TestLegacyIsRefusedByName(t *testing.T) {
	legacy := tree.Entry{Location: "s3://b/m.avro", Content: tree.DataManifest, Manifest: iceberg.Optional[tree.ManifestInfo]{Valid: true}}
	var err error
	for _, err = range (treeio.Parquet{}).Leaves(&mem.Objects{}).Leaf(t.Context(), origin, legacy, tree.Projection{}) {
	}
	if !errors.Is(err, treeio.ErrLegacy) || !strings.Contains(err.Error(), "s3://b/m.avro") {
		t.Errorf("got %v", err)
	}
	_, err = treeio.Tree(t.Context(), treeio.Parquet{}, &mem.Objects{}, metadata.Table{}, location, metadata.Snapshot{ID: 7})
	if !errors.Is(err, treeio.ErrLegacy) || !strings.Contains(err.Error(), "snapshot 7") {
		t.Errorf("got %v", err)
	}
}

func TestRoot(t *testing.T) {
	objects := &mem.Objects{}
	pointer := oneLeaf(t, objects, "b")
	for _, field := range []*iceberg.Optional[int64]{
		&pointer.Tracking.SnapshotID, &pointer.Tracking.SequenceNumber, &pointer.Tracking.FileSequenceNumber, &pointer.Tracking.FirstRowID,
	} {
		*field = iceberg.Optional[int64]{Val: 1, Valid: true}
	}
	codec := treeio.Parquet{}
	name := location + "/root.parquet"
	if _, err := codec.PutRoot(t.Context(), objects, name, manifestio.Schema{SchemaID: 4}, []tree.Entry{pointer}); err != nil {
		t.Fatal(err)
	}
	m := metadata.Table{UUID: "u"}
	s := metadata.Snapshot{ID: 1, SequenceNumber: 1, RootManifest: iceberg.Optional[string]{Val: "root.parquet", Valid: true}}
	got, err := treeio.Tree(t.Context(), codec, objects, m, location, s)
	if err != nil {
		t.Fatal(err)
	}
	if got.Root != name || got.SchemaID != 4 || len(got.Rows) != 1 || got.Origin.SnapshotID != 1 {
		t.Errorf("%+v", got)
	}
	codec.MaxRootBytes = 10
	if _, err := codec.Root(t.Context(), objects, name); !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("a root beyond the limit: %v", err)
	}
}

// TestTruncatedObjects: every cut of a root is an error that names the object.
func TestTruncatedObjects(t *testing.T) {
	whole := &mem.Objects{}
	pointer := oneLeaf(t, whole, "b")
	data, err := whole.Get(t.Context(), location+"/l.parquet", 0)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(data) {
		objects := &mem.Objects{}
		if err := objects.Put(t.Context(), location+"/l.parquet", bytes.Clone(data[:cut])); err != nil {
			t.Fatal(err)
		}
		short := pointer
		short.FileSizeBytes = int64(cut)
		var err error
		for _, err = range (treeio.Parquet{}).Leaves(objects).Leaf(t.Context(), origin, short, tree.Full) {
		}
		if err == nil || !strings.Contains(err.Error(), "l.parquet") {
			t.Fatalf("cut to %d of %d bytes: %v", cut, len(data), err)
		}
	}
}

// TestLookupReadsNoPages: ruling a leaf out costs its footer only.
func TestLookupReadsNoPages(t *testing.T) {
	objects := &mem.Objects{}
	pointer := oneLeaf(t, objects, "b", "d")
	var i fault.Injector
	if _, err := (treeio.Parquet{}).Leaves(i.Objects(objects)).Excludes(t.Context(), origin, pointer, []string{"x"}); err != nil {
		t.Fatal(err)
	}
	if n := len(i.Calls()); n != 2 {
		t.Errorf("%d reads: %v", n, i.Calls())
	}
}

// TestLookupReadsOneFooter: bounds and rows of one leaf cost its footer once.
func TestLookupReadsOneFooter(t *testing.T) {
	objects := &mem.Objects{}
	pointer := oneLeaf(t, objects, "b", "d")
	reads := func(calls func(treeio.LeafReader)) int {
		var i fault.Injector
		calls(treeio.Parquet{}.Leaves(i.Objects(objects)))
		return len(i.Calls())
	}
	rows := func(l treeio.LeafReader) {
		for _, err := range l.Leaf(t.Context(), origin, pointer, tree.Projection{}) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	both := reads(func(l treeio.LeafReader) {
		if _, err := l.Excludes(t.Context(), origin, pointer, []string{"b"}); err != nil {
			t.Fatal(err)
		}
		rows(l)
	})
	if alone := reads(rows); both != alone {
		t.Errorf("%d reads for bounds and rows, %d for rows alone", both, alone)
	}
}
