package oracle_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/oracle"
	"github.com/firn-io/firn/rootmanifest"
	"github.com/firn-io/firn/tree"
)

// TestManifestLists says which snapshots were not checked.
func TestManifestLists(t *testing.T) {
	objects, target := loaded(t, "leaves")
	edit(t, objects, target, func(m map[string]any) {
		oldest := m["snapshots"].([]any)[0].(map[string]any)
		delete(oldest, "root-manifest")
		oldest["manifest-list"] = "s3://firn-fixtures/leaves/metadata/list.avro"
	})
	findings, err := collect(t.Context(), target, oracle.Options{History: true, Skip: []string{"M-ROOT-VERSION"}})
	if err != nil || !slices.Contains(rules(findings), "SKIP-LEGACY") {
		t.Errorf("history: %+v, %v", findings, err)
	}
	for _, f := range findings {
		if f.Fails(true) {
			t.Errorf("a snapshot of version 3 in a version 4 table fails the check: %+v", f)
		}
		if f.Rule == "SKIP-LEGACY" && (f.Snapshot != 8271093846510000201 || f.Object != "s3://firn-fixtures/leaves/metadata/list.avro") {
			t.Errorf("%+v", f)
		}
	}
	if findings, err := collect(t.Context(), target, oracle.Options{}); err != nil || len(findings) != 0 {
		t.Errorf("the current snapshot: %+v, %v", findings, err)
	}
}

// TestLegacyManifests says which manifests of a root were not checked, those of delete files among them.
func TestLegacyManifests(t *testing.T) {
	objects, target := loaded(t, "leaves")
	name := object(t, objects, "-root-3.parquet")
	data, err := objects.Get(t.Context(), name, 0)
	if err != nil {
		t.Fatal(err)
	}
	file, err := manifestio.Open(bytes.NewReader(data), int64(len(data)), name, manifestio.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := file.ReadAll(tree.Full)
	if err != nil {
		t.Fatal(err)
	}
	first := len(rows)
	rows = append(rows, legacyRow(tree.DataManifest, "data.avro"), legacyRow(tree.DeleteManifest, "deletes.avro"))
	var changed bytes.Buffer
	if _, err := rootmanifest.Write(&changed, file.Schema(), rows); err != nil {
		t.Fatal(err)
	}
	replace(t, objects, name, changed.Bytes())
	for _, history := range []bool{false, true} {
		findings, err := collect(t.Context(), target, oracle.Options{History: history})
		if err != nil {
			t.Fatal(err)
		}
		var skipped []int64
		for _, f := range findings {
			if f.Rule == "SKIP-LEGACY" && f.Object == name && f.Snapshot == 8271093846510000203 {
				skipped = append(skipped, f.Row)
			}
			if f.Rule == "READ-LEAF" {
				t.Errorf("%+v", f)
			}
		}
		if want := []int64{int64(first), int64(first) + 1}; !slices.Equal(skipped, want) {
			t.Errorf("history %t: rows %v were skipped, want %v", history, skipped, want)
		}
	}
}

// legacyRow is a root's row for a manifest of version 2 or 3 (rules 11).
func legacyRow(content tree.Content, name string) tree.Entry {
	one := func(n int64) iceberg.Optional[int64] { return iceberg.Optional[int64]{Val: n, Valid: true} }
	e := tree.Entry{
		Tracking: tree.Tracking{
			Status: tree.Existing, SnapshotID: one(8271093846510000201), SequenceNumber: one(1), FileSequenceNumber: one(1),
		},
		Content: content, Location: "s3://firn-fixtures/leaves/metadata/" + name, FileFormat: "avro", RecordCount: 1, FileSizeBytes: 100,
		SpecID:   iceberg.Optional[int32]{Val: 0, Valid: true},
		Manifest: iceberg.Optional[tree.ManifestInfo]{Val: tree.ManifestInfo{AddedFiles: 1, AddedRows: 10, MinSequenceNumber: 1}, Valid: true},
	}
	if content == tree.DataManifest {
		e.Tracking.FirstRowID = one(1_000_000)
	}
	return e
}
