package metadata_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/metadata"
	"github.com/google/go-cmp/cmp"
)

// files returns the fixtures of a pattern below testdata, by path.
func files(t testing.TB, pattern string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("no fixtures match %s (%v)", pattern, err)
	}
	found := map[string][]byte{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found[name] = data
	}
	return found
}

// fixture returns the one fixture of a pattern, parsed.
func fixture(t testing.TB, pattern string) metadata.Table {
	t.Helper()
	for name, data := range files(t, pattern) {
		m, err := metadata.Parse(data, metadata.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return m
	}
	return metadata.Table{}
}

// generic decodes JSON without losing a digit.
func generic(t testing.TB, data []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

func TestJavaV4RoundTrip(t *testing.T) {
	found := files(t, "java-v4/*/*.json")
	if len(found) != 7 {
		t.Errorf("found %d fixtures, want 7", len(found))
	}
	for name, data := range found {
		m, err := metadata.Parse(data, metadata.Limits{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if problems := m.Problems(); len(problems) != 0 {
			t.Errorf("%s: problems %v", name, problems)
		}
		out, err := m.Marshal()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(generic(t, data), generic(t, out)); diff != "" {
			t.Errorf("%s: written differs from read (-read +written):\n%s", name, diff)
		}
	}
}

func TestJavaV4Values(t *testing.T) {
	m := fixture(t, "java-v4/mdv/*.json")
	got := m.Snapshots[3]
	want := metadata.Snapshot{
		ID:              8271093846510000304,
		ParentID:        optional[int64](8271093846510000303),
		SequenceNumber:  4,
		TimestampMillis: 1789000240000,
		RootManifest:    optional("metadata/de43420b-b362-3ef4-9d8d-976d357044cd-root-4.parquet"),
		Summary:         map[string]string{"operation": "delete", "total-root-rows": "9"},
		SchemaID:        optional(0),
		FirstRowID:      optional[int64](1393),
		AddedRows:       optional[int64](0),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("snapshot (-want +got):\n%s", diff)
	}
	if current, ok := m.Current(); !ok || current.ID != want.ID {
		t.Errorf("current is %d, %v", current.ID, ok)
	}
	if m.NextRowID != 1393 || m.LastColumnID != 5 || m.LastPartitionID != 1001 || m.Location.Val != "s3://firn-fixtures/mdv" {
		t.Errorf("table: %+v", m)
	}
	if field, ok := m.Schema().FindFieldByName("price"); !ok || !field.Type.Equals(iceberg.DecimalTypeOf(9, 2)) {
		t.Errorf("price: %v", field)
	}
	if got := m.Spec().String(); got != "[\n\t1000: region: identity(5)\n\t1001: id_bucket: bucket[8](1)\n]" {
		t.Errorf("spec: %s", got)
	}
	if m.SortOrders[0] != metadata.Unsorted {
		t.Errorf("sort order: %v", m.SortOrders[0])
	}
}

func TestJavaV4NestedTypes(t *testing.T) {
	m := fixture(t, "java-v4/wide/*.json")
	if field, ok := m.Schema().FindFieldByName("nested.n59"); !ok || field.ID != 3183 || !field.Type.Equals(iceberg.DateType{}) {
		t.Errorf("nested.n59: %v", field)
	}
	if n := m.Schema().NumFields(); n != 55 {
		t.Errorf("%d columns", n)
	}
}

func TestLegacyVersions(t *testing.T) {
	for _, test := range []struct {
		pattern                              string
		version, snapshots, specs, refs, log int
		current                              int64
	}{
		{"legacy/v1-append/00000-*", 1, 0, 1, 0, 0, 0},
		{"legacy/v1-append/00004-*", 1, 4, 1, 1, 4, 0},
		{"legacy/v2-mixed/*", 2, 6, 2, 1, 7, 7802238074383289999},
		{"legacy/v2-posdel/*", 2, 10, 1, 1, 10, 0},
		{"legacy/v3-branches/*", 3, 7, 1, 3, 10, 8181045289210977035},
		{"legacy/v4-interim/*", 4, 4, 1, 1, 5, 4399770212788915292},
	} {
		m := fixture(t, test.pattern)
		if m.FormatVersion != test.version || len(m.Snapshots) != test.snapshots || len(m.Specs) != test.specs ||
			len(m.Refs) != test.refs || len(m.MetadataLog) != test.log {
			t.Errorf("%s: version %d, %d snapshots, %d specs, %d refs, %d log entries", test.pattern, m.FormatVersion,
				len(m.Snapshots), len(m.Specs), len(m.Refs), len(m.MetadataLog))
		}
		if test.current != 0 && m.CurrentSnapshotID.Val != test.current {
			t.Errorf("%s: current is %v", test.pattern, m.CurrentSnapshotID)
		}
		if _, ok := m.Current(); ok != (test.snapshots > 0) {
			t.Errorf("%s: current: %v", test.pattern, ok)
		}
		for _, s := range m.Snapshots {
			if s.RootManifest.Valid || !s.ManifestList.Valid {
				t.Errorf("%s: snapshot %d: %v, %v", test.pattern, s.ID, s.RootManifest, s.ManifestList)
			}
		}
		if problems := m.Problems(); len(problems) != 0 {
			t.Errorf("%s: problems %v", test.pattern, problems)
		}
		if _, err := m.Marshal(); (err == nil) != (test.version == 4) {
			t.Errorf("%s: Marshal: %v", test.pattern, err)
		}
	}
}

func TestCompressed(t *testing.T) {
	for name, data := range files(t, "java-v4/mdv/*.json") {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		m, err := metadata.Parse(packed.Bytes(), metadata.Limits{})
		if err != nil || !m.Equal(fixture(t, "java-v4/mdv/*.json")) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := metadata.Parse(packed.Bytes(), metadata.Limits{MaxBytes: int64(len(data)) - 1}); err == nil {
			t.Error("a packed document above the limit was read")
		}
		if _, err := metadata.Parse(packed.Bytes()[:packed.Len()/2], metadata.Limits{}); err == nil {
			t.Error("half a packed document was read")
		}
	}
}

func optional[T any](v T) iceberg.Optional[T] { return iceberg.Optional[T]{Val: v, Valid: true} }
