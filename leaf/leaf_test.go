package leaf_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/leaf"
	"github.com/firn-io/firn/tree"
)

func some(v int64) iceberg.Optional[int64] { return iceberg.Optional[int64]{Val: v, Valid: true} }

func added(name string) tree.Entry {
	f := tree.File{Location: name, Format: "parquet", RecordCount: 10, FileSizeBytes: 700}
	return f.Entry("mem://t", 1)
}

func existing(name string) tree.Entry {
	e := added(name)
	e.Tracking = tree.Tracking{
		Status: tree.Existing, SnapshotID: some(1), SequenceNumber: some(1), FileSequenceNumber: some(1), FirstRowID: some(5),
	}
	return e
}

func TestCheck(t *testing.T) {
	change := func(f func(*tree.Entry)) []tree.Entry {
		e := existing("mem://t/x")
		f(&e)
		return []tree.Entry{existing("mem://t/a"), e}
	}
	for name, c := range map[string]struct {
		rows []tree.Entry
		want string
	}{
		"ok":          {[]tree.Entry{added("mem://t/a"), existing("mem://t/b")}, ""},
		"empty":       {nil, "0 rows"},
		"pointer":     {change(func(e *tree.Entry) { e.Content = tree.DataManifest }), "row 1, x: content_type"},
		"info":        {change(func(e *tree.Entry) { e.Manifest.Valid = true }), "manifest_info in a leaf"},
		"positions":   {change(func(e *tree.Entry) { e.Tracking.DeletedPositions = []byte{1} }), "positions of a manifest"},
		"no snapshot": {change(func(e *tree.Entry) { e.Tracking.SnapshotID.Valid = false }), "snapshot_id is null"},
		"no sequence": {change(func(e *tree.Entry) { e.Tracking.SequenceNumber.Valid = false }), "sequence number is null"},
		"no row id":   {change(func(e *tree.Entry) { e.Tracking.FirstRowID.Valid = false }), "first_row_id is null"},
		"mixed":       {change(func(e *tree.Entry) { e.Tracking.Status = tree.Deleted }), "live and dead rows"},
	} {
		t.Run(name, func(t *testing.T) {
			err := leaf.Check(c.rows)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestWriteAndRead(t *testing.T) {
	schema, err := manifestio.NewSchema(iceberg.NewSchema(3,
		iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64}), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := []tree.Entry{added("mem://t/a"), existing("mem://t/b")}
	var file, again bytes.Buffer
	for _, b := range []*bytes.Buffer{&file, &again} {
		n, err := leaf.Write(b, schema, rows)
		if err != nil || n != int64(b.Len()) {
			t.Fatalf("%d bytes of %d, %v", n, b.Len(), err)
		}
	}
	if !bytes.Equal(file.Bytes(), again.Bytes()) {
		t.Error("the same rows gave other bytes")
	}
	r, err := leaf.Open(bytes.NewReader(file.Bytes()), int64(file.Len()), "leaf", manifestio.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []tree.Entry
	for row, err := range r.Rows(tree.Full) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row.Entry)
	}
	if diff := cmp.Diff(rows, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestTwoLevels: a manifest entry in a leaf is an error of the reader (rules 1.5).
func TestTwoLevels(t *testing.T) {
	pointer, err := leaf.Pointer("l", 10, []tree.Entry{added("mem://t/a")}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	done, err := manifestio.Encode(&file, manifestio.Schema{}, []tree.Entry{pointer}, manifestio.EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := leaf.Open(bytes.NewReader(file.Bytes()), done.SizeBytes, "leaf", manifestio.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, err = range r.Rows(tree.Full) {
	}
	if err == nil || !strings.Contains(err.Error(), "holds data files only") {
		t.Errorf("got %v", err)
	}
}

func TestPointer(t *testing.T) {
	p, err := leaf.Pointer("l", 900, []tree.Entry{added("mem://t/a"), existing("mem://t/b")}, 7)
	if err != nil {
		t.Fatal(err)
	}
	want := tree.ManifestInfo{AddedFiles: 1, ExistingFiles: 1, AddedRows: 10, ExistingRows: 10, MinSequenceNumber: 1, FormatVersion: 4}
	if diff := cmp.Diff(want, p.Manifest.Val); diff != "" {
		t.Error(diff)
	}
	if p.RecordCount != 2 || p.Tracking.Status != tree.Added || p.Tracking.SequenceNumber.Valid {
		t.Errorf("%+v", p)
	}
}

func ExamplePointer() {
	f := tree.File{Location: "mem://t/data/a.parquet", Format: "parquet", RecordCount: 10, FileSizeBytes: 700}
	rows := []tree.Entry{f.Entry("mem://t", 1)}
	pointer, err := leaf.Pointer("metadata/m0.parquet", 2000, rows, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(pointer.Tracking.Status, pointer.Content, "with", pointer.Manifest.Val.AddedRows, "added rows")
	// Output:
	// ADDED DATA_MANIFEST with 10 added rows
}
