package manifestio_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/tree"
)

// sameValues compares values as tree does.
var sameValues = cmp.Comparer(func(a, b tree.Value) bool { return a == b })

// readAll reads a manifest in full.
func readAll(t testing.TB, data []byte) (*manifestio.Reader, []tree.Entry) {
	t.Helper()
	r, err := manifestio.Open(bytes.NewReader(data), int64(len(data)), "test", manifestio.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := r.ReadAll(tree.Full)
	if err != nil {
		t.Fatal(err)
	}
	return r, entries
}

// TestEncodeJavaAgain: what Java wrote reads the same after we wrote it, and the second time gives the same bytes.
func TestEncodeJavaAgain(t *testing.T) {
	for _, path := range javaManifests(t) {
		t.Run(strings.TrimPrefix(path, "testdata/java-v4/"), func(t *testing.T) {
			java := openFile(t, path)
			want, err := java.ReadAll(tree.Full)
			if err != nil {
				t.Fatal(err)
			}
			ours := encode(t, java.Schema(), want...)
			r, got := readAll(t, ours)
			if diff := cmp.Diff(want, got, sameValues); diff != "" {
				t.Error(diff)
			}
			if !bytes.Equal(ours, encode(t, r.Schema(), got...)) {
				t.Error("a second time gives other bytes")
			}
		})
	}
}

// TestEncodeForeignAgain: foreign fields survive being read and written, into a manifest where they stand beside
// others (S45).
func TestEncodeForeignAgain(t *testing.T) {
	columnFiles := groupType(158, "column_files", tree.Optional, groupType(-1, "list", tree.Repeated,
		groupType(159, "element", tree.Required, leafType(161, "format_version", tree.Required, "INT32"),
			groupType(162, "field_ids", tree.Optional, groupType(-1, "list", tree.Repeated, leafType(163, "element", tree.Required, "INT32"))))))
	columnFiles.Logical, columnFiles.Children[0].Children[0].Children[1].Logical = "list", "list"
	four, seven := "\x04\x00\x00\x00", "\x07\x00\x00\x00"
	want := []tree.Entry{
		withForeign(true,
			foreign(tree.InEntry, engineType, tree.ForeignCell{Def: 1, Value: "spark"}),
			foreign(tree.InManifestInfo, listType, tree.ForeignCell{Def: 2, Value: one}, tree.ForeignCell{Rep: 1, Def: 2, Value: two})),
		withForeign(false, foreign(tree.InEntry, columnFiles,
			tree.ForeignCell{Def: 2, Value: four}, tree.ForeignCell{Rep: 1, Def: 2, Value: four},
			tree.ForeignCell{Leaf: 1, Def: 4, Value: seven}, tree.ForeignCell{Leaf: 1, Rep: 2, Def: 4, Value: four}, tree.ForeignCell{Leaf: 1, Rep: 1, Def: 2})),
		withForeign(false, foreign(tree.InTracking, structType, tree.ForeignCell{Def: 1, Value: seven}, tree.ForeignCell{Leaf: 1, Def: 2, Value: two})),
	}
	_, first := readAll(t, encode(t, manifestio.Schema{}, want...))
	_, again := readAll(t, encode(t, manifestio.Schema{}, append([]tree.Entry{plainEntry()}, first...)...))
	if diff := cmp.Diff(want, first, sameValues); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(first, again[1:], sameValues); diff != "" {
		t.Error(diff)
	}
}

// TestEncodeFixedAgain: entries with statistics of many columns come back as they were.
func TestEncodeFixedAgain(t *testing.T) {
	table, partition := manifestio.FixedTable(20)
	want := manifestio.FixedEntries(table, 90, 10)
	_, got := readAll(t, encode(t, newSchema(t, table, partition...), want...))
	if diff := cmp.Diff(want, got, sameValues); diff != "" {
		t.Error(diff)
	}
}
