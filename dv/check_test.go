package dv_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
	"github.com/google/go-cmp/cmp"
)

// checkAll checks entry, blob and footer as a checker does, and returns the faults' names.
func checkAll(t testing.TB, objects store.Objects, entry tree.DeletionVector, location, dataFile string,
	recordCount int64) []string {
	t.Helper()
	faults, err := dv.CheckBlob(t.Context(), objects, entry, location, recordCount, dv.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	footer, err := dv.Inspect(t.Context(), objects, location, dv.Limits{})
	var fault *dv.FaultError
	switch {
	case errors.As(err, &fault):
		faults = append(faults, fault)
	case err != nil:
		t.Fatal(err)
	default:
		faults = append(faults, dv.CheckFooter(footer, entry, dataFile)...)
	}
	var names []string
	for _, f := range faults {
		if f.Location != location || !strings.HasPrefix(f.Error(), "deletion vector "+location+"@") || f.Detail == "" {
			t.Errorf("the fault %v does not say where it is", f)
		}
		names = append(names, f.Fault.String())
	}
	return names
}

// broken is a Puffin file of two vectors that can be taken apart.
type broken struct {
	file   []byte
	footer map[string]any
	start  int // of the footer
	entry  tree.DeletionVector
	other  tree.DeletionVector
}

const (
	b43Location = "s3://b/t/data/x1.puffin"
	b43First    = "s3://b/t/data/f1.parquet"
	b43Second   = "s3://b/t/data/f2.parquet"
)

func newBroken(t testing.TB, first dv.Vector) *broken {
	t.Helper()
	p, err := dv.Build(b43Location, []dv.Named{{b43First, first}, {b43Second, mustOf(t, 3, 4, 5, 6)}}, dv.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b := &broken{file: p.Data, entry: p.Vectors[0], other: p.Vectors[1]}
	b.start = int(b.other.OffsetBytes + b.other.SizeBytes)
	if err := json.Unmarshal(p.Data[b.start+4:len(p.Data)-12], &b.footer); err != nil {
		t.Fatal(err)
	}
	return b
}

// blob returns what the footer says about the first vector, to be changed.
func (b *broken) blob() map[string]any { return b.footer["blobs"].([]any)[0].(map[string]any) }

func (b *broken) properties() map[string]any { return b.blob()["properties"].(map[string]any) }

// write returns the file with the changed footer.
func (b *broken) write(t testing.TB) []byte {
	t.Helper()
	payload, err := json.Marshal(b.footer)
	if err != nil {
		t.Fatal(err)
	}
	return withFooter(b.file[:b.start], payload)
}

// withFooter puts a payload behind blobs.
func withFooter(blobs, payload []byte) []byte {
	n := len(payload)
	file := append(bytes.Clone(blobs), "PFA1"...)
	file = append(file, payload...)
	return append(file, byte(n), byte(n>>8), byte(n>>16), byte(n>>24), 0, 0, 0, 0, 'P', 'F', 'A', '1')
}

// TestB43Faults has a fixture for each contradiction: each gives its own fault, and what is right gives none.
func TestB43Faults(t *testing.T) {
	fixtures := []struct {
		name  string
		spoil func(b *broken)
		want  string
	}{
		{"nothing wrong", func(*broken) {}, ""},
		{"the entry counts three, there are four", func(b *broken) { b.entry.Cardinality = 3 }, "cardinality footer-cardinality"},
		{"wrong checksum", func(b *broken) { b.file[b.entry.OffsetBytes+b.entry.SizeBytes-1] ^= 1 }, "checksum"},
		{"size one too many", func(b *broken) { b.entry.SizeBytes++ }, "size length"},
		{"offset of another file's blob", func(b *broken) {
			b.entry.OffsetBytes, b.entry.SizeBytes = b.other.OffsetBytes, b.other.SizeBytes
		}, "reference"},
		{"the footer says another offset", func(b *broken) { b.blob()["offset"] = 5 }, "offset"},
		{"position 100 of 100 rows", nil, "beyond-rows"},
		{"compressed", func(b *broken) { b.blob()["compression-codec"] = "zstd" }, "compressed"},
		{"cardinality property missing", func(b *broken) { delete(b.properties(), "cardinality") }, "property-missing"},
		{"the footer's cardinality", func(b *broken) { b.properties()["cardinality"] = "5" }, "footer-cardinality"},
		{"another type", func(b *broken) { b.blob()["type"] = "apache-datasketches-theta-v1" }, "type"},
		{"a snapshot id", func(b *broken) { b.blob()["snapshot-id"] = 7 }, "footer-snapshot"},
		{"the footer's length", func(b *broken) { b.blob()["length"] = 40 }, "length"},
		{"not listed", func(b *broken) { b.footer["blobs"] = []any{} }, "unlisted"},
		{"the footer reaches into itself", func(b *broken) { b.blob()["length"] = 1 << 40 }, "range length"},
		{"footer malformed", func(b *broken) { delete(b.blob(), "offset") }, "footer"},
		{"beyond the end", func(b *broken) { b.entry.OffsetBytes = 100_000 }, "range offset"},
		{"negative offset", func(b *broken) { b.entry.OffsetBytes = -4 }, "range offset"},
	}
	for _, f := range fixtures {
		vector := mustOf(t, 1, 2, 50, 99)
		if f.spoil == nil {
			vector, f.spoil = mustOf(t, 1, 100), func(*broken) {}
		}
		b := newBroken(t, vector)
		f.spoil(b)
		got := checkAll(t, put(t, b43Location, b.write(t)), b.entry, b43Location, b43First, 100)
		if diff := cmp.Diff(f.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: %s", f.name, diff)
		}
	}
	if !dv.FaultPropertyMissing.Warning() || dv.FaultChecksum.Warning() {
		t.Error("only a missing property is a warning")
	}
}

// TestB43BareBlob reads a blob without a file around it, as some writers stored them, and finds that it is no Puffin file.
func TestB43BareBlob(t *testing.T) {
	v := mustOf(t, 1, 2)
	blob := encode(t, v)
	entry := tree.DeletionVector{SizeBytes: int64(len(blob)), Cardinality: 2}
	objects := put(t, b43Location, blob)
	got, err := dv.Read(t.Context(), objects, entry, b43Location, 100, dv.Limits{})
	if err != nil || !got.Equal(v) {
		t.Errorf("read %v, %v", got, err)
	}
	if faults := checkAll(t, objects, entry, b43Location, b43First, 100); len(faults) != 1 || faults[0] != "not-puffin" {
		t.Errorf("found %v", faults)
	}
}

// TestB43Empty reads an empty vector and finds that it is one.
func TestB43Empty(t *testing.T) {
	blob := encode(t, dv.Vector{})
	payload := `{"blobs":[{"type":"deletion-vector-v1","fields":[],"snapshot-id":-1,"sequence-number":-1,"offset":4,"length":20,
		"properties":{"referenced-data-file":"` + b43First + `","cardinality":"0"}}]}`
	objects := put(t, b43Location, withFooter(append([]byte("PFA1"), blob...), []byte(payload)))
	entry := tree.DeletionVector{OffsetBytes: 4, SizeBytes: int64(len(blob))}
	if v, err := dv.Read(t.Context(), objects, entry, b43Location, 100, dv.Limits{}); err != nil || !v.IsEmpty() {
		t.Errorf("read %v, %v", v, err)
	}
	if faults := checkAll(t, objects, entry, b43Location, b43First, 100); len(faults) != 1 || faults[0] != "empty" {
		t.Errorf("found %v", faults)
	}
}
