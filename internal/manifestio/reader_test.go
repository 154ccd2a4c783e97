package manifestio

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"
	pq "github.com/parquet-go/parquet-go"

	"github.com/firn-io/firn/tree"
)

// countingReader notes which bytes of a file are read.
type countingReader struct {
	r     io.ReaderAt
	read  []bool
	calls int
}

// ReadAt implements io.ReaderAt.
func (c *countingReader) ReadAt(b []byte, off int64) (int, error) {
	c.calls++
	for i := range b {
		c.read[off+int64(i)] = true
	}
	return c.r.ReadAt(b, off)
}

// TestProjectionReadsOnlyItsPages reads under several projections and notes every byte that is read: those of
// the projected columns and no others.
func TestProjectionReadsOnlyItsPages(t *testing.T) {
	data, full := sampleFile(t, 60)
	always := []string{"tracking.status", "tracking.snapshot_id", "tracking.modified_snapshot_id", "tracking.sequence_number",
		"tracking.file_sequence_number", "tracking.first_row_id", "content_type", "location", "record_count"}
	for _, c := range []struct {
		name  string
		p     tree.Projection
		stats []int // columns with statistics
	}{
		{"lookup", tree.Projection{}, nil},
		{"statistics of two columns", tree.Projection{Stats: []int{2, 15, 99}}, []int{2, 15}},
		{"file", tree.Projection{File: true}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			counted := &countingReader{r: bytes.NewReader(data), read: make([]bool, len(data))}
			r, err := Open(counted, int64(len(data)), "test.parquet", DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if counted.calls != 2 {
				t.Errorf("%d reads to open", counted.calls)
			}
			got, err := r.ReadAll(c.p)
			if err != nil {
				t.Fatal(err)
			}
			for i, leaf := range r.footer.leaves {
				want := c.p.File || slices.Contains(always, leaf.path())
				if member, ok := strings.CutPrefix(leaf.path(), "content_stats."); ok {
					want = slices.Contains(c.stats, int(member[0]-'a'+1)) // the columns are named a, b, ...
				}
				chunk := r.footer.groups[0].chunks[i]
				for at := chunk.start; at < chunk.start+chunk.size; at++ {
					if counted.read[at] != want {
						t.Fatalf("byte %d of column %s: read %t", at, leaf.path(), !want)
					}
				}
			}
			if diff := cmp.Diff(projected(full, c.p, c.stats), got, sameValues); diff != "" {
				t.Errorf("want -, read +:\n%s", diff)
			}
		})
	}
}

// projected returns entries with nothing but what a projection reads.
func projected(full []tree.Entry, p tree.Projection, stats []int) []tree.Entry {
	var out []tree.Entry
	for _, e := range full {
		got := e
		if !p.File {
			got = tree.Entry{Tracking: e.Tracking, Content: e.Content, Location: e.Location, RecordCount: e.RecordCount}
			got.Tracking.DeletedPositions, got.Tracking.ReplacedPositions = nil, nil
			got.Tracking.SnapshotTimestampMicros = iceberg.Optional[int64]{}
		}
		got.Stats = nil
		for _, s := range e.Stats {
			if slices.Contains(stats, s.FieldID) {
				got.Stats = append(got.Stats, s)
			}
		}
		out = append(out, got)
	}
	return out
}

// TestRowsStops reads no further once the consumer stops, and a second pass starts over.
func TestRowsStops(t *testing.T) {
	data, want := sampleFile(t, 300)
	file := takeApart(t, data).putTogether(t, 100)
	r, err := Open(bytes.NewReader(file), int64(len(file)), "test.parquet", DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		next := int64(0)
		for row, err := range r.Rows(tree.Full) {
			if err != nil {
				t.Fatal(err)
			}
			if row.Position != next {
				t.Fatalf("position %d, want %d", row.Position, next)
			}
			if diff := cmp.Diff(want[next], row.Entry, sameValues); diff != "" {
				t.Fatal(diff)
			}
			if next++; next == 250 {
				break
			}
		}
		if next != 250 {
			t.Errorf("stopped at %d", next)
		}
	}
}

// TestFooterAgreesWithArrow compares the schema, ids and annotations included, with what arrow-go reads from
// the same footers (B51: every nested field has its id).
func TestFooterAgreesWithArrow(t *testing.T) {
	paths, err := filepath.Glob("testdata/java-v4/*/*.parquet")
	if err != nil {
		t.Fatal(err)
	}
	sample, _ := sampleFile(t, 20)
	files := map[string][]byte{"own": sample, "foreign": foreignFile(t, 10).putTogether(t, 10)}
	for _, path := range paths {
		if files[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range files {
		f, err := readFooter(bytes.NewReader(data), int64(len(data)), mustResolve(t))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		meta, err := metadata.NewFileMetaData(data[len(data)-8-int(footerLength(data)):len(data)-8], nil)
		if err != nil {
			t.Fatal(err)
		}
		sameNode(t, name, f.root, meta.Schema.Root())
	}
}

// mustResolve returns the default limits.
func mustResolve(t testing.TB) DecodeOptions {
	o, err := DecodeOptions{}.resolve()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// footerLength returns the length of a file's footer.
func footerLength(data []byte) uint32 {
	tail := data[len(data)-8:]
	return uint32(tail[0]) | uint32(tail[1])<<8 | uint32(tail[2])<<16 | uint32(tail[3])<<24
}

// sameNode compares a node and everything below it.
func sameNode(t *testing.T, path string, ours *fileNode, theirs schema.Node) {
	t.Helper()
	id := int32(noID)
	if ours.hasID {
		id = int32(ours.id)
	}
	if ours.name != theirs.Name() || ours.parent != nil && id != theirs.FieldID() {
		t.Errorf("%s: %s %d, arrow-go %s %d", path, ours.name, id, theirs.Name(), theirs.FieldID())
	}
	if g, ok := theirs.(*schema.GroupNode); ok {
		if g.NumFields() != len(ours.children) {
			t.Fatalf("%s: %d children, arrow-go %d", path, len(ours.children), g.NumFields())
		}
		for i, c := range ours.children {
			sameNode(t, path+"."+c.name, c, g.Field(i))
		}
	}
	logical := theirs.LogicalType()
	if none := logical == nil || logical.IsNone(); none != (ours.annotation.name == "") {
		t.Errorf("%s: annotation %q, arrow-go %v", path, ours.annotation, logical)
	} else if !none {
		back, err := annotationOf(&tree.ForeignType{Logical: ours.annotation.String(), Precision: ours.annotation.precision, Scale: ours.annotation.scale})
		if err != nil || !back.Equals(logical) {
			t.Errorf("%s: annotation %s reads back as %v, arrow-go has %s: %v", path, ours.annotation, back, logical, err)
		}
	}
}

// TestValuesStayTheirOwn keeps entries of two files read at the same time while memory is collected, and
// compares them afterwards (B12): 10,000 rows in pages of 512, with strings, binaries and a box as bounds, and
// every seventh row without statistics of one projected column.
func TestValuesStayTheirOwn(t *testing.T) {
	const rows = 10_000
	types := iceberg.PrimitiveTypes
	s := Schema{Stats: []StatsColumn{{1, "s", types.String}, {2, "b", types.Binary}, {3, "g", iceberg.GeometryType{}}}}
	want := make([]tree.Entry, rows)
	fill := noise(12)
	for i := range want {
		e := &want[i]
		e.Tracking.Status, e.Content, e.FileFormat, e.RecordCount = tree.Added, tree.Data, "parquet", 1
		e.Location = "data/" + fill.uuid().String() + ".parquet"
		e.KeyMetadata = []byte(fill.uuid().String())[:16]
		for _, c := range s.Stats {
			if c.FieldID == 2 && i%7 == 0 {
				continue
			}
			st := tree.FieldStats{FieldID: c.FieldID, Tight: iceberg.Optional[bool]{Val: c.FieldID != 3, Valid: c.FieldID != 3}}
			st.Lower, st.Upper = sampleBounds(c.Type, i)
			if c.FieldID == 1 {
				st.Lower = tree.String(fill.uuid().String())
			}
			e.Stats = append(e.Stats, st)
		}
	}
	var out bytes.Buffer
	if _, err := Encode(&out, s, want, EncodeOptions{}); err != nil {
		t.Fatal(err)
	}
	checkLocationBounds(t, out.Bytes(), want)
	small := takeApart(t, out.Bytes()).putTogether(t, rows, pageRows(512)...)
	var group sync.WaitGroup
	for _, data := range [][]byte{small, out.Bytes()} {
		group.Go(func() {
			r, err := Open(bytes.NewReader(data), int64(len(data)), "test.parquet", DecodeOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			var kept []tree.Entry
			for row, err := range r.Rows(tree.Projection{File: true, Stats: []int{1, 2, 3}}) {
				if err != nil {
					t.Error(err)
					return
				}
				if kept = append(kept, row.Entry); len(kept)%2500 == 0 {
					runtime.GC()
				}
			}
			runtime.GC()
			for i := range want {
				if !reflect.DeepEqual(want[i], kept[i]) {
					t.Errorf("row %d: written -, kept +:\n%s", i, cmp.Diff(want[i], kept[i], sameValues))
					return
				}
			}
		})
	}
	group.Wait()
}

// checkLocationBounds compares the Parquet statistics of the column location with its values.
func checkLocationBounds(t *testing.T, data []byte, rows []tree.Entry) {
	t.Helper()
	lowest, highest := rows[0].Location, rows[0].Location
	for _, e := range rows {
		lowest, highest = min(lowest, e.Location), max(highest, e.Location)
	}
	f, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	column, ok := f.Schema().Lookup("location")
	if !ok {
		t.Fatal("no column location")
	}
	from, to, ok := f.RowGroups()[0].ColumnChunks()[column.ColumnIndex].(*pq.FileColumnChunk).Bounds()
	if !ok || from.String() != lowest || to.String() != highest {
		t.Errorf("bounds %s and %s, %t; want %s and %s", from, to, ok, lowest, highest)
	}
}

// TestBinaries reads the binaries of a root back, nulls and empty ones apart, and compares them with what
// parquet-go finds in the raw columns (B19).
func TestBinaries(t *testing.T) {
	_, want := sampleFile(t, 8)
	for i := range want {
		want[i].KeyMetadata = [][]byte{nil, {}, []byte("sixteen bytes in")}[i%3]
	}
	info := &want[len(want)-1].Manifest.Val
	info.DV, want[len(want)-1].Tracking.DeletedPositions = []byte{1, 2, 0, 0, 1, 0, 2, 3, 7}, []byte{0}
	want[len(want)-2].Manifest.Val.DV = nil
	var out bytes.Buffer
	if _, err := Encode(&out, sampleSchema(), want, EncodeOptions{}); err != nil {
		t.Fatal(err)
	}
	data := out.Bytes()
	if diff := cmp.Diff(want, mustDecode(t, data), sameValues); diff != "" {
		t.Errorf("written -, read +:\n%s", diff)
	}
	f, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for path, get := range map[string]func(*tree.Entry) []byte{
		"key_metadata":               func(e *tree.Entry) []byte { return e.KeyMetadata },
		"manifest_info.dv":           func(e *tree.Entry) []byte { return e.Manifest.Val.DV },
		"tracking.deleted_positions": func(e *tree.Entry) []byte { return e.Tracking.DeletedPositions },
	} {
		column, ok := f.Schema().Lookup(strings.Split(path, ".")...)
		if !ok {
			t.Fatalf("no column %s", path)
		}
		pages := f.RowGroups()[0].ColumnChunks()[column.ColumnIndex].Pages()
		defer pages.Close()
		page, err := pages.ReadPage()
		if err != nil {
			t.Fatal(err)
		}
		values := make([]pq.Value, len(want))
		if n, _ := page.Values().ReadValues(values); n != len(want) {
			t.Fatalf("%s: %d values", path, n)
		}
		for i := range want {
			expected := get(&want[i])
			if null := values[i].IsNull(); null != (expected == nil) || !bytes.Equal(values[i].ByteArray(), expected) {
				t.Errorf("%s of row %d is %v, want %v", path, i, values[i], expected)
			}
		}
	}
}
