package dv_test

import (
	"bytes"
	"slices"
	"strconv"
	"testing"

	"github.com/apache/iceberg-go/puffin"
	peer "github.com/apache/iceberg-go/table/dv"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/tree"
	"github.com/google/go-cmp/cmp"
)

func TestBuildRefuses(t *testing.T) {
	one := mustOf(t, 1)
	for _, c := range []struct {
		vectors []dv.Named
		want    string
	}{
		{nil, "puffin file s3://b/p: no deletion vectors to write"},
		{[]dv.Named{{"s3://b/f", dv.Vector{}}}, "puffin file s3://b/p: data file s3://b/f: the deletion vector is empty"},
		{[]dv.Named{{"s3://b/f", one}, {"s3://b/f", one}}, "puffin file s3://b/p: data file s3://b/f has two deletion vectors"},
		{[]dv.Named{{"data/f", one}}, `puffin file s3://b/p: data file "data/f" has no full location`},
		{[]dv.Named{{"s3://b/\xff", one}}, `puffin file s3://b/p: data file "s3://b/\xff": the location is not UTF-8`},
	} {
		if p, err := dv.Build("s3://b/p", c.vectors, dv.BuildOptions{}); err == nil || err.Error() != c.want || p.Data != nil {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// manyVectors returns vectors of all forms, some of one data file name that JSON has to escape.
func manyVectors(t testing.TB) []dv.Named {
	t.Helper()
	var vectors []dv.Named
	for i, text := range []string{"0", "3,7-9", "0-99999", "1,4294967296-4294967300", "5,9223372030412324864",
		"0-9,65536-65545,131072-131081", "0-9,65536-65545,131072-131081,196608-196617"} {
		v, err := dv.ParseText(text)
		if err != nil {
			t.Fatal(err)
		}
		vectors = append(vectors, dv.Named{DataFile: "s3://b/t/data/\"<a&b>\" é " + strconv.Itoa(i) + ".parquet", Vector: v})
	}
	return vectors
}

// TestPeersReadOurs opens our file with another library's reader and decodes every blob with its decoder.
func TestPeersReadOurs(t *testing.T) {
	vectors := manyVectors(t)
	p, err := dv.Build("s3://b/t/data/x.puffin", vectors, dv.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := dv.Build("s3://elsewhere/y.puffin", vectors, dv.BuildOptions{})
	if err != nil || !bytes.Equal(again.Data, p.Data) {
		t.Errorf("the bytes are not always the same, %v", err)
	}
	if !bytes.Contains(p.Data, []byte("<a&b>")) {
		t.Error("the footer escapes what JSON does not ask for")
	}
	r, err := puffin.NewReader(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"created-by": "firn"}, r.Properties()); diff != "" {
		t.Error(diff)
	}
	if len(r.Blobs()) != len(vectors) || len(p.Vectors) != len(vectors) {
		t.Fatalf("%d blobs and %d entries for %d vectors", len(r.Blobs()), len(p.Vectors), len(vectors))
	}
	for i, v := range vectors {
		blob, err := r.ReadBlob(i)
		if err != nil {
			t.Fatal(err)
		}
		cardinality := v.Vector.Cardinality()
		want := puffin.BlobMetadata{
			Type: puffin.BlobTypeDeletionVector, Fields: []int32{2147483645}, SnapshotID: -1, SequenceNumber: -1,
			Offset: p.Vectors[i].OffsetBytes, Length: p.Vectors[i].SizeBytes,
			Properties: map[string]string{
				"referenced-data-file": v.DataFile, "cardinality": strconv.FormatInt(cardinality, 10),
			},
		}
		if diff := cmp.Diff(want, blob.Metadata); diff != "" {
			t.Errorf("blob %d: %s", i, diff)
		}
		if p.Vectors[i].Location != "s3://b/t/data/x.puffin" || p.Vectors[i].Cardinality != cardinality {
			t.Errorf("entry %d: %+v", i, p.Vectors[i])
		}
		read, err := peer.DeserializeDV(blob.Data, cardinality)
		if err != nil || !slices.Equal(slices.Collect(read.Positions()), slices.Collect(v.Vector.All())) {
			t.Errorf("blob %d: they read other positions, %v", i, err)
		}
	}
}

// TestWeReadPeers reads a file that the other library wrote, blob and footer.
func TestWeReadPeers(t *testing.T) {
	var file bytes.Buffer
	w, err := puffin.NewWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	vectors := manyVectors(t)
	var entries []tree.DeletionVector
	for _, v := range vectors {
		theirs := peer.NewRoaringPositionBitmap()
		for p := range v.Vector.All() {
			theirs.Set(p)
		}
		blob, err := peer.SerializeDV(theirs)
		if err != nil {
			t.Fatal(err)
		}
		n := v.Vector.Cardinality()
		meta, err := w.AddBlob(puffin.BlobMetadataInput{
			Type: puffin.BlobTypeDeletionVector, Fields: []int32{2147483645}, SnapshotID: -1, SequenceNumber: -1,
			Properties: map[string]string{
				"referenced-data-file": v.DataFile, "cardinality": strconv.FormatInt(n, 10),
			},
		}, blob)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, tree.DeletionVector{OffsetBytes: meta.Offset, SizeBytes: meta.Length, Cardinality: n})
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	objects := put(t, "s3://b/p", file.Bytes())
	for i, v := range vectors {
		last, _ := v.Vector.Max()
		got, err := dv.Read(t.Context(), objects, entries[i], "s3://b/p", int64(last)+1, dv.Limits{})
		if err != nil || !got.Equal(v.Vector) {
			t.Errorf("blob %d: %v, want %v, %v", i, got, v.Vector, err)
		}
		if faults := checkAll(t, objects, entries[i], "s3://b/p", v.DataFile, int64(last)+1); len(faults) > 0 {
			t.Errorf("blob %d: %v", i, faults)
		}
	}
}
