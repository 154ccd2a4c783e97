package invariants_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// javaTable is a table whose manifests Java wrote, copied into a folder.
type javaTable struct {
	folder string
	meta   metadata.Table
}

func openJavaTable(t *testing.T, folder string) javaTable {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.metadata.json"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%s: metadata files %v, %v", folder, names, err)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	m, err := metadata.Parse(text, metadata.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return javaTable{folder, m}
}

// open opens a manifest by the last part of its location.
func (j javaTable) open(location string) (*manifestio.Reader, error) {
	data, err := os.ReadFile(filepath.Join(j.folder, path.Base(location)))
	if err != nil {
		return nil, err
	}
	return manifestio.Open(bytes.NewReader(data), int64(len(data)), location, manifestio.DecodeOptions{})
}

// Leaf implements [tree.LeafReader].
func (j javaTable) Leaf(_ context.Context, _ tree.Origin, ref tree.Entry, p tree.Projection) iter.Seq2[tree.Row, error] {
	file, err := j.open(ref.Location)
	if err != nil {
		return func(yield func(tree.Row, error) bool) { yield(tree.Row{}, err) }
	}
	return file.Rows(p)
}

// Root implements [invariants.RootReader].
func (j javaTable) Root(_ context.Context, s metadata.Snapshot) (tree.Tree, error) {
	file, err := j.open(s.RootManifest.Val)
	if err != nil {
		return tree.Tree{}, err
	}
	t := tree.Tree{
		Origin:           tree.Origin{TableUUID: j.meta.UUID, TableLocation: j.meta.Location.Val, SnapshotID: s.ID},
		Root:             invariants.Resolve(j.meta.Location.Val, s.RootManifest.Val),
		ParentSnapshotID: s.ParentID, SequenceNumber: s.SequenceNumber, TimestampMillis: s.TimestampMillis,
		FirstRowID: s.FirstRowID.Val, AddedRows: s.AddedRows.Val,
	}
	for row, err := range file.Rows(tree.Full) {
		if err != nil {
			return tree.Tree{}, err
		}
		t.Rows = append(t.Rows, row.Entry)
	}
	return t, nil
}

// keys returns the keys of every manifest in the folder, checked.
func (j javaTable) keyViolations() ([]invariants.Violation, error) {
	names, err := filepath.Glob(filepath.Join(j.folder, "*.parquet"))
	var all []invariants.Violation
	for _, name := range names {
		file, err := j.open(name)
		if err != nil {
			return nil, err
		}
		var k invariants.Keys
		for _, kv := range file.KeyValues() {
			switch kv.Key {
			case "schema-id":
				k.SchemaID = some(kv.Value)
			case "format-version":
				k.FormatVersion = some(kv.Value)
			}
		}
		all = slices.AppendSeq(all, invariants.CheckKeys(invariants.TableOf(j.meta), invariants.Place{Object: name}, k))
	}
	return all, err
}

// What the checker says of the tables that Java wrote: errors only where the history of row-ids is not legal.
var javaFindings = map[string][]string{
	"relative-absolute": {
		"warning E-DOTS 8271093846510000501 row 5", // ./data/00005.parquet
		"warning E-DOTS 8271093846510000501 row 7", // data/../other/00007.parquet
	},
	"row-ids": {
		"warning L-ROW-ID-NULL 8271093846510000602 row 7",  // EXISTING without a row id
		"warning L-ROW-ID-NULL 8271093846510000602 row 8",  // MODIFIED without a row id
		"warning L-MIXED 8271093846510000602 row 3",        // DELETED among live rows
		"error X-INVENTED 8271093846510000602 row 7",       // data/pre-v3.parquet
		"error X-INVENTED 8271093846510000602 row 8",       // data/pre-v3-dv.parquet
		"error X-ROW-ID-REUSED 8271093846510000602 row 11", // data/explicit.parquet
	},
	"wide": { // invented statistics: all values null and one NaN
		"warning E-NONE-COUNT 8271093846510000701 row 9", "warning E-NONE-COUNT 8271093846510000701 row 11",
		"warning E-NONE-COUNT 8271093846510000701 row 11", "warning E-NONE-COUNT 8271093846510000701 row 13",
		"warning E-NONE-COUNT 8271093846510000701 row 27", "warning E-NONE-COUNT 8271093846510000701 row 27",
		"warning E-NONE-COUNT 8271093846510000701 row 29", "warning E-NONE-COUNT 8271093846510000701 row 29",
		"warning E-NONE-COUNT 8271093846510000701 row 43", "warning E-NONE-COUNT 8271093846510000701 row 45",
		"warning E-NONE-COUNT 8271093846510000701 row 45", "warning E-NONE-COUNT 8271093846510000701 row 47",
	},
}

func TestJavaTables(t *testing.T) {
	folders, err := filepath.Glob("testdata/java-v4/*")
	if err != nil || len(folders) != 7 {
		t.Fatalf("folders %v, %v", folders, err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			j := openJavaTable(t, folder)
			found, err := j.keyViolations()
			if err != nil {
				t.Fatal(err)
			}
			found = slices.AppendSeq(found, invariants.CheckMetadata(folder, j.meta))
			l := invariants.NewLeaves(invariants.TableOf(j.meta), j, invariants.LeafOptions{})
			for v, err := range invariants.History(context.Background(), l, j.meta, j) {
				if err != nil {
					t.Fatal(err)
				}
				found = append(found, v)
			}
			var short []string
			for _, v := range found {
				short = append(short, fmt.Sprintf("%s %s %d row %d", v.Severity, v.ID, v.Snapshot, v.Row))
			}
			if want := javaFindings[filepath.Base(folder)]; !slices.Equal(short, want) {
				t.Errorf("%d findings, want %d:%s", len(short), len(want), messages(found))
			}
		})
	}
}

// Without the history each table is free of errors, its current snapshot checked alone.
func TestJavaHeads(t *testing.T) {
	folders, _ := filepath.Glob("testdata/java-v4/*")
	for _, folder := range folders {
		j := openJavaTable(t, folder)
		head, ok := j.meta.Current()
		if !ok {
			t.Fatalf("%s has no current snapshot", folder)
		}
		root, err := j.Root(context.Background(), head)
		if err != nil {
			t.Fatal(err)
		}
		l := invariants.NewLeaves(invariants.TableOf(j.meta), j, invariants.LeafOptions{})
		for v, err := range invariants.CheckTree(context.Background(), l, root, invariants.AllLeaves) {
			if err != nil || v.Severity == invariants.Error {
				t.Errorf("%s: %s, %v", folder, v.Message(), err)
			}
		}
	}
}
