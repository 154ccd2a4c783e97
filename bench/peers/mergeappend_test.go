package main

import (
	"database/sql"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	sqlcat "github.com/apache/iceberg-go/catalog/sql"
	icetable "github.com/apache/iceberg-go/table"

	"github.com/firn-io/firn/policy/mergeappend"
)

// TestMergeAppend appends with iceberg-go and counts the same appends with policy/mergeappend: after each commit the same manifests have
// the same files. Whatever fits into a bin, or does not, does so by three percent of its size, more than lengths differ from run to run.
func TestMergeAppend(t *testing.T) {
	ctx := t.Context()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "catalog.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, err := sqlcat.NewCatalog("merge", db, sqlcat.SQLite, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.CreateNamespace(ctx, icetable.Identifier{namespace}, nil); err != nil {
		t.Fatal(err)
	}
	const least, target, commits, files = 3, 27_500, 80, 5
	model := mergeappend.Table{MinCount: least, TargetBytes: target, Sizes: mergeappend.Sizes{
		ManifestBytes: 4653, EntryBytes: 336, CarriedBytes: 11, // of these files
	}}
	table := newIcebergTable(c, "merge", fileScheme+t.TempDir())
	if _, err := c.CreateTable(ctx, table.id, schema(), catalog.WithLocation(table.location), catalog.WithProperties(iceberg.Properties{
		icetable.PropertyFormatVersion: "2", icetable.ManifestMergeEnabledKey: "true",
		icetable.ManifestMinMergeCountKey: fmt.Sprint(least), icetable.ManifestTargetSizeBytesKey: fmt.Sprint(target),
	})); err != nil {
		t.Fatal(err)
	}
	merges := 0
	for n := range commits {
		manifests := appendFiles(t, c, table, n*files, (n+1)*files)
		var got []int64
		for _, m := range slices.Backward(manifests) { // the newest comes first
			added, carried := int64(m.AddedDataFiles()), int64(m.ExistingDataFiles())
			got = append(got, added+carried)
			if size := model.Sizes.Manifest(added, carried); math.Abs(float64(size)/float64(m.Length())-1) > 0.05 {
				t.Fatalf("commit %d: a manifest of %d added and %d carried files has %d bytes, not %d", n, added, carried, m.Length(), size)
			}
		}
		merges += model.Append(files).Merged
		if want := model.ManifestFiles(); !slices.Equal(got, want) {
			t.Fatalf("commit %d: iceberg-go has manifests of %d files, the model of %d", n, got, want)
		}
	}
	if len(model.ManifestFiles()) < 5 || merges < commits {
		t.Errorf("%d manifests were merged, %d are left", merges, model.Manifests())
	}
}

// appendFiles appends the files from first to before end in one commit, and returns the manifests of the table.
func appendFiles(t *testing.T, c *sqlcat.Catalog, table *icebergTable, first, end int) []iceberg.ManifestFile {
	t.Helper()
	var added []iceberg.DataFile
	for n := first; n < end; n++ {
		f, err := icebergFile(table.location, n)
		if err != nil {
			t.Fatal(err)
		}
		added = append(added, f)
	}
	loaded, err := c.LoadTable(t.Context(), table.id)
	if err != nil {
		t.Fatal(err)
	}
	x := loaded.NewTransaction()
	if err := x.AddDataFiles(t.Context(), added, nil, icetable.WithoutAutoNameMapping(), icetable.WithoutDuplicateCheck()); err != nil {
		t.Fatal(err)
	}
	done, err := x.Commit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	objects, err := done.FS(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	manifests, err := done.CurrentSnapshot().Manifests(objects)
	if err != nil {
		t.Fatal(err)
	}
	return manifests
}
