package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNothingHidesATable names a table that has the name of a folder, and one that has the name of a file.
func TestNothingHidesATable(t *testing.T) {
	newTable(t)
	do(t, "init", "data.bin", "--like", event("01"))
	do(t, "append", "a.b", event("01"))
	want := do(t, "tree", "a.b")
	if err := os.MkdirAll("a.b/metadata", 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "data.bin", []byte("nothing that is known"))
	if got := do(t, "tree", "a.b"); got != want {
		t.Errorf("with a folder of its name: %s", got)
	}
	do(t, "append", "a.b", event("02"))
	do(t, "check", "a.b", "data.bin", "--strict")
	refuse(t, 6, "no metadata file, *.metadata.json, below", "tree", "./a.b")
	refuse(t, 5, "neither a v4 manifest nor a bitmap", "check", "./data.bin")
}

// TestNoTable says of each kind of word what it was taken for, and what would be found.
func TestNoTable(t *testing.T) {
	in(t)
	const noCatalog = "; --catalog or FIRN_CATALOG names another one"
	refuse(t, 6, "firn.db: no such file or directory"+noCatalog+"\n", "tree", "demo.nosuch")
	refuse(t, 6, noCatalog+"; a path has a slash: ./nofile.parquet\n", "tree", "nofile.parquet")
	do(t, "init", "a.b", "--like", event("01"))
	writeFile(t, "README.md", []byte("#"))
	writeFile(t, "foo.json", []byte("{}"))
	for _, test := range []struct{ arg, text string }{
		{"demo.nosuch", "firn: no table demo.nosuch in catalog sqlite:firn.db\n"},
		{"nofile.parquet", "no table nofile.parquet in catalog sqlite:firn.db; a path has a slash: ./nofile.parquet\n"},
		{"README.md", "no table README.md in catalog sqlite:firn.db; a path has a slash: ./README.md\n"},
		{"./foo.json", "this is a file, and the name of a metadata file ends in .metadata.json\n"},
		{"./nowhere.json", "no metadata file, *.metadata.json, below"},
	} {
		refuse(t, 6, test.text, "log", test.arg)
		refuse(t, 6, test.text, "tree", test.arg)
	}
	refuse(t, 2, "NAMESPACE.NAME is needed for a table of the catalog, or the path of a folder or a *.metadata.json, such as ./nosuch",
		"tree", "nosuch")
}

// TestCopiedTableWithoutMap says how a table is read that was copied from the place that it states.
func TestCopiedTableWithoutMap(t *testing.T) {
	noRegion(t)
	folder, args := copyFixture(t, "loose-only")
	hint := "the table says that it lies at s3://firn-fixtures/loose-only: --map s3://firn-fixtures/loose-only=" + folder +
		" reads it at this place\n"
	for _, command := range []string{"tree", "files", "check"} {
		r := run(t, command, folder)
		checkFailure(t, r, 6, "no region: set AWS_REGION", command)
		checkFailure(t, r, 6, hint, command)
		if strings.Contains(r.stderr, "copied") {
			t.Errorf("firn %s: %s", command, r.stderr)
		}
	}
	// A copy of which the root is missing is at the right place.
	for _, name := range roots(t, folder) {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	if r := run(t, append([]string{"tree"}, args...)...); r.code != 6 || strings.Contains(r.stderr, "--map") {
		t.Errorf("tree of a copy without its root: %+v", r)
	}
}

// TestMovedTable reads a table that this program made, and that was moved.
func TestMovedTable(t *testing.T) {
	folder := newTable(t)
	do(t, "append", "a.b", event("01"))
	want := do(t, "tree", "a.b")
	if err := os.Rename("warehouse/a/b", "moved"); err != nil {
		t.Fatal(err)
	}
	mapping := folder + "/warehouse/a/b=" + folder + "/moved"
	hint := "the table says that it lies at file://" + folder + "/warehouse/a/b: --map file://" + mapping
	refuse(t, 6, hint, "tree", "moved")
	if r := run(t, "check", "moved"); r.code != 1 || !strings.Contains(r.stdout, "READ-ROOT") || !strings.Contains(r.stderr, hint) {
		t.Errorf("check: %+v", r)
	}
	if got := do(t, "tree", "moved", "--map", "file://"+mapping); got != want {
		t.Errorf("with --map: %s", got)
	}
}

// TestMessagesNameNoPackages provokes errors of the packages below, and findings.
func TestMessagesNameNoPackages(t *testing.T) {
	newTable(t)
	writeFile(t, "x.parquet", readFile(t, event("01"))[:100])
	for _, args := range [][]string{
		{"files", "a.b", "--where", "ts <"}, {"append", "a.b", "x.parquet"},
		{"check", "x.parquet"}, {"manifest", "x.parquet"}, {"check", "a.b", "--rule", "x"},
		{"append", "a.b", event("01"), "--partition-values", "[]"},
		{"policy", "bound", "--files-per-commit", "1000", "--commits", "9000000000000000000"},
	} {
		r := run(t, args...)
		if r.code == 0 {
			t.Errorf("firn %q: no error", args)
		}
		for _, name := range []string{"bound", "datafile", "invariants", "manifestio", "match", "mdv", "oracle", "treeio"} {
			if strings.Contains(r.stdout+r.stderr, " "+name+": ") {
				t.Errorf("firn %q: %s%s", args, r.stdout, r.stderr)
			}
		}
	}
}

// roots returns the root manifests of a table that Java wrote.
func roots(t *testing.T, folder string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "metadata", "*.parquet"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no manifests in %s: %v", folder, err)
	}
	return slices.Clip(names)
}
