package attack_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/datafile"
	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/oracle"
	"github.com/firn-io/firn/rootmanifest"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestSmallRootManyRows: a few kilobytes that claim, and have, hundreds of thousands of rows.
func TestSmallRootManyRows(t *testing.T) {
	s := newStore(t, nil)
	row := testtable.File(1).Entry(testtable.Location, 1)
	row.Stats = nil
	rows := make([]tree.Entry, 200_000)
	for i := range rows {
		rows[i] = row
	}
	var b bytes.Buffer
	if _, err := manifestio.Encode(&b, rowType(t, s), rows, manifestio.EncodeOptions{}); err != nil {
		t.Fatal(err)
	}
	var err error
	took := allocated(func() {
		_, err = rootmanifest.Read(bytes.NewReader(b.Bytes()), int64(b.Len()), "r", tree.Full, manifestio.DecodeOptions{MaxMemoryBytes: 16 << 20})
	})
	wantError(t, err, manifestio.ErrLimit, "MaxMemoryBytes")
	if took > 32<<20 {
		t.Errorf("a root of %d bytes took %d MiB, the limit is 16", b.Len(), took>>20)
	}
}

// TestMetadataBombs: documents that unpack, nest or repeat without end.
func TestMetadataBombs(t *testing.T) {
	packed := func(text string, times int) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		for range times {
			if _, err := w.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	limits := metadata.Limits{MaxBytes: 1 << 20}
	for what, data := range map[string][]byte{
		"a gigabyte of blanks, packed": packed(strings.Repeat(" ", 1<<20), 64),
		"packed in a pack":             packed(string(packed("{}", 1)), 1),
		"nested lists":                 []byte(`{"x":` + strings.Repeat("[", 1<<19)),
		"nested objects":               []byte(strings.Repeat(`{"x":`, 1<<17)),
		"many empty values":            []byte(`{"x":[` + strings.Repeat("{},", 1<<18)),
		"a long number":                []byte(`{"format-version":` + strings.Repeat("4", 1<<19)),
		"a cut escape":                 []byte(`{"\u00`),
	} {
		var err error
		took := allocated(func() { _, err = metadata.Parse(data, limits) })
		if err == nil || took > 64<<20 {
			t.Errorf("%s: %v, %d MiB", what, err, took>>20)
		}
	}
}

// TestTooMuchToReadAgain: what no reader would read is not published.
func TestTooMuchToReadAgain(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 1))
	for _, c := range []struct {
		o commit.Options
		n int
	}{{commit.Options{}, 65 << 20}, {commit.Options{Metadata: metadata.Limits{MaxBytes: 4000}}, 4000}} {
		c.o.Env = testtable.Env(5)
		table := commit.Open(testtable.ID, s.Catalog, s.Objects, c.o)
		_, err := begin(t, table, commit.TxnOptions{Summary: map[string]string{"note": strings.Repeat("x", c.n)}},
			func(x *commit.Txn) { x.Append(testtable.File(1)) }).Commit(t.Context())
		wantError(t, err, nil, "more than")
	}
	codec := treeio.Parquet{Limits: manifestio.DecodeOptions{MaxRows: 2}}
	for _, root := range []bool{true, false} {
		o := commit.Options{Env: testtable.Env(5), Codec: codec}
		p := map[bool]map[string]string{true: nil, false: leafOf(9)}[root]
		s := newStore(t, p, testtable.Files(0, 1))
		_, err := begin(t, commit.Open(testtable.ID, s.Catalog, s.Objects, o), commit.TxnOptions{},
			func(x *commit.Txn) { x.Append(testtable.Files(1, 5)...) }).Commit(t.Context())
		wantError(t, err, manifestio.ErrLimit, "MaxRows")
		wantLive(t, s, name(0))
	}
	wantLive(t, s, name(0))
}

// TestManifestsInTheWrongPlace: roots that point to themselves, leaves used as roots, and the like.
func TestManifestsInTheWrongPlace(t *testing.T) {
	for what, c := range map[string]struct{ pointer, part string }{
		"a root that points to itself":   {"metadata/hand-9001.parquet", ""},
		"a leaf that is a root":          {"metadata/root.parquet", "content_type"},
		"a leaf that is metadata":        {"metadata/m.parquet", "corrupt"},
		"a leaf that is not there":       {"metadata/none.parquet", "not found"},
		"a leaf of another length":       {"metadata/l1.parquet", "corrupt"},
		"a leaf that is the data file":   {"data/a.parquet", "not found"},
		"a leaf whose name is of a root": {"", ""},
	} {
		s := newStore(t, nil)
		h := head(t, s)
		put(t, s, table+"/metadata/root.parquet", []tree.Entry{pointerTo("x")})
		put(t, s, table+"/metadata/l1.parquet", testEntries(2))
		data, err := s.Objects.Get(t.Context(), h.MetadataLocation, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Objects.Put(t.Context(), table+"/metadata/m.parquet", data); err != nil {
			t.Fatal(err)
		}
		hand(t, s, handSnapshot{id: 9001, addedRows: 100, edit: func(rows []tree.Entry) {
			rows[0] = pointerTo(c.pointer)
			if c.pointer == "" {
				rows[0].Location = "."
			}
			if info, err := s.Objects.Stat(t.Context(), tree.Resolve(table, c.pointer)); err == nil && !strings.Contains(what, "length") {
				rows[0].FileSizeBytes = info.SizeBytes
			}
		}}, "loose EXISTING placeholder snapshot=9001 seq=1 file_seq=1 first_row_id=0\n")
		if _, err := s.Live(t.Context()); err == nil || !strings.Contains(err.Error(), c.part) {
			t.Errorf("%s: %v", what, err)
		}
		if ids := findings(t, s); len(ids) == 0 {
			t.Errorf("%s: the checker is silent", what)
		}
	}
}

func testEntries(n int) []tree.Entry {
	var rows []tree.Entry
	for i := range n {
		rows = append(rows, testtable.File(i).Entry(table, 1))
	}
	return rows
}

// pointerTo is a pointer to a leaf of one file.
func pointerTo(location string) tree.Entry {
	id := some(int64(9001))
	return tree.Entry{
		Tracking: tree.Tracking{Status: tree.Added, SnapshotID: id, SequenceNumber: some(int64(1)), FileSequenceNumber: some(int64(1)), FirstRowID: some(int64(0))},
		Content:  tree.DataManifest, Location: location, FileFormat: "parquet", RecordCount: 1, FileSizeBytes: 700,
		Manifest: some(tree.ManifestInfo{AddedFiles: 1, AddedRows: 100, MinSequenceNumber: 1, FormatVersion: 4}),
	}
}

// TestShortReads: stores that return less than they were asked for, or other bytes, without an error.
func TestShortReads(t *testing.T) {
	for what, spoil := range map[string]func([]byte) []byte{
		"half":    func(data []byte) []byte { return data[:len(data)/2] },
		"nothing": func([]byte) []byte { return nil },
		"zeros":   func(data []byte) []byte { return make([]byte, len(data)) },
		"twice":   func(data []byte) []byte { return append(data, data...) },
		"whole":   func(data []byte) []byte { return data }, // ranges are short
	} {
		s := newStore(t, leafOf(3), testtable.Files(0, 3))
		objects := brokenReads{s.Objects, spoil}
		tb := commit.Open(testtable.ID, s.Catalog, objects, commit.Options{Env: testtable.Env(5)})
		h, err := tb.Head(t.Context())
		if err == nil {
			for _, fileErr := range tb.Files(t.Context(), h, tree.Full) {
				err = errors.Join(err, fileErr)
			}
		}
		if err == nil {
			t.Errorf("%s: it reads", what)
		}
	}
}

// changed calls f with every copy of data in which one byte is another.
func changed(data []byte, f func(at int, data []byte)) {
	for at := range data {
		was := data[at]
		for _, now := range []byte{0, 0xff, was ^ 0x80, was + 1, was ^ 1} {
			if now != was {
				data[at] = now
				f(at, data)
			}
		}
		data[at] = was
	}
}

// TestEveryByteOfAManifest: each byte of a root's footer and every third of its pages is changed in turn, and the file is
// read as a root and as a data file. Whatever comes of it, it comes without a panic, and on average in little memory.
func TestEveryByteOfAManifest(t *testing.T) {
	s := newStore(t, nil)
	rows := testEntries(3)
	rows[1].Stats, rows[2].KeyMetadata = nil, []byte{1}
	rows = append(rows, pointerTo("l"))
	rows[3].Manifest.Val.DV = []byte{1, 1, 0, 0, 1, 0, 0, 0, 1, 0}
	put(t, s, "m", rows)
	data, err := s.Objects.Get(t.Context(), "m", 0)
	if err != nil {
		t.Fatal(err)
	}
	limits := manifestio.DecodeOptions{MaxMemoryBytes: 4 << 20, MaxPageBytes: 1 << 20}
	schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 100, Name: "location", Type: iceberg.StringType{}})
	took := allocated(func() {
		changed(data, func(at int, data []byte) {
			if at%3 != 0 && at < len(data)*2/3 { // every byte of the footer, every third of the pages
				return
			}
			r, n := bytes.NewReader(data), int64(len(data))
			_, _ = rootmanifest.Read(r, n, "m", tree.Full, limits)
			_, _ = datafile.Inspect(r, n, "mem://x/f", schema, *iceberg.UnpartitionedSpec, datafile.Options{})
		})
	})
	if each := took / uint64(len(data)); each > 64<<20 {
		t.Errorf("%d MiB for each changed byte", each>>20)
	}
}

// TestEveryByteOfABitmap: a changed bitmap is refused, or means a set that encodes to no more positions than it may.
func TestEveryByteOfABitmap(t *testing.T) {
	for _, positions := range [][]uint32{{0}, {0, 1, 2, 65535}, {70000}, {mdv.MaxPosition}, {5, 300, 522}} {
		b, err := mdv.Of(positions...)
		if err != nil {
			t.Fatal(err)
		}
		data, err := b.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		changed(data, func(at int, data []byte) {
			got, err := mdv.Parse(data)
			if last, some := got.Max(); err == nil && (some && last > mdv.MaxPosition || got.Cardinality() != len(positions)) && at > 3 {
				t.Errorf("byte %d of %v: %s", at, positions, got)
			}
		})
	}
}

// TestHistoriesThatLoop: snapshots that are their own ancestors, or share an id, end a walk and are found.
func TestHistoriesThatLoop(t *testing.T) {
	for what, edit := range map[string]func([]metadata.Snapshot){
		"its own parent":      func(s []metadata.Snapshot) { s[1].ParentID = some(s[1].ID) },
		"each other's parent": func(s []metadata.Snapshot) { s[0].ParentID, s[1].ParentID = some(s[1].ID), some(s[0].ID) },
		"one id for two":      func(s []metadata.Snapshot) { s[0].ID = s[1].ID },
		"a child that was before its parent": func(s []metadata.Snapshot) {
			s[0].SequenceNumber, s[1].SequenceNumber = s[1].SequenceNumber, s[0].SequenceNumber
		},
	} {
		s := newStore(t, nil, testtable.Files(0, 1), testtable.Files(1, 2))
		publish(t.Context(), t, s, head(t, s), func(m metadata.Table) (metadata.Table, error) {
			m.Snapshots = append([]metadata.Snapshot{}, m.Snapshots...)
			edit(m.Snapshots)
			return m, nil
		})
		m := head(t, s).Metadata
		n := 0
		for range m.Ancestors(m.CurrentSnapshotID.Val) {
			n++
		}
		if ids := findings(t, s); n > 2 || len(ids) == 0 {
			t.Errorf("%s: %d ancestors, findings %v", what, n, ids)
		}
	}
}

// TestLogsThatLoop: a metadata log that leads to itself ends the search for an outcome.
func TestLogsThatLoop(t *testing.T) {
	s := newStore(t, map[string]string{metadata.PropertyPreviousVersionsMax: "1"}, testtable.Files(0, 1))
	base := head(t, s)
	publish(t.Context(), t, s, base, func(m metadata.Table) (metadata.Table, error) {
		own := fmt.Sprintf("metadata/hand-%d.metadata.json", len(s.Objects.Names()))
		m.MetadataLog = []metadata.MetadataLogEntry{{File: own, TimestampMillis: m.LastUpdatedMillis}}
		return m, nil
	})
	outcome, err := s.Open(5, nil).Outcome(t.Context(), commit.Token{
		Table: testtable.ID, TableUUID: base.Metadata.UUID, SnapshotID: 77, BaseMetadata: base.MetadataLocation, Metadata: []string{"m"}, Roots: []string{"r"},
	})
	if outcome != commit.Unknown || err != nil {
		t.Errorf("%s, %v", outcome, err)
	}
}

// TestSingleFiles: the checker of single files reads whatever it is given.
func TestSingleFiles(t *testing.T) {
	for what, data := range map[string][]byte{
		"nothing": {}, "magic alone": []byte("PAR1"), "magic twice": []byte("PAR1PAR1"), "avro": []byte("Obj\x01"),
		"a long footer": append([]byte("PAR1"), "\xff\xff\xff\x7fPAR1"...), "a negative one": append([]byte("PAR1"), "\xff\xff\xff\xffPAR1"...),
		"a cut bitmap": {1, 2}, "hex": []byte("0x01"), "many containers": {1, 0, 0, 0, 0, 0x20},
	} {
		for _, as := range []oracle.Role{oracle.Either, oracle.Root, oracle.Leaf} {
			objects := &mem.Objects{}
			if err := objects.Put(t.Context(), "f", data); err != nil {
				t.Fatal(err)
			}
			var err error
			for _, err = range oracle.Check(t.Context(), oracle.Target{Objects: store.Objects(objects), File: "f"}, oracle.Options{As: as}) {
			}
			if err == nil {
				t.Errorf("%s as %d: no error", what, as)
			}
		}
	}
}
