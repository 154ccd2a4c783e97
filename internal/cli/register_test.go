package cli_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRegister puts a copied table under the catalog and changes it there.
func TestRegister(t *testing.T) {
	folder, args := copyFixture(t, "loose-only")
	in(t)
	file := only(t, filepath.Join(folder, "metadata", "*.metadata.json"))
	if got := do(t, "register", "x.y", file); got != "file://"+file+"\n" {
		t.Errorf("answer %q", got)
	}
	mapping := args[:2]
	files := do(t, slices.Concat([]string{"files", "x.y", "--output", "tsv"}, mapping)...)
	if files != do(t, slices.Concat([]string{"files", "--output", "tsv"}, args)...) {
		t.Error("the registered table has other files")
	}
	do(t, slices.Concat([]string{"remove", "x.y", "data/00000-0.parquet"}, mapping)...)
	after := do(t, slices.Concat([]string{"files", "x.y", "--output", "tsv"}, mapping)...)
	if strings.Count(after, "\n") != strings.Count(files, "\n")-1 || strings.Contains(after, "data/00000-0.parquet") {
		t.Errorf("after the removal: %s", after)
	}
	do(t, slices.Concat([]string{"check", "x.y", "--history"}, mapping)...)
	refuse(t, 3, "table x.y: refused: the catalog has a table of this name", "register", "x.y", file)
}

func TestRegisterLegacy(t *testing.T) {
	in(t)
	file := only(t, filepath.Join(golden, "legacy", "metadata", "*.metadata.json"))
	do(t, "register", "old.one", file)
	if log := do(t, "log", "old.one", "--no-header"); strings.Count(log, "\n") != 1 {
		t.Errorf("log: %q", log)
	}
	refuse(t, 5, "v1 to v3 manifests", "remove", "old.one", "x")
	refuse(t, 5, "v1 to v3 manifests", "append", "old.one", event("01"))
}

// TestRegisterAnyName takes a metadata file by any name, and counts on from it.
func TestRegisterAnyName(t *testing.T) {
	newTable(t)
	writeFile(t, "foo.json", readFile(t, only(t, "warehouse/a/b/metadata/*.metadata.json")))
	do(t, "register", "x.y", "foo.json")
	do(t, "append", "x.y", event("01"))
	do(t, "check", "x.y", "--history", "--strict")
}

func TestRegisterRefuses(t *testing.T) {
	in(t)
	writeFile(t, "broken.metadata.json", []byte("{"))
	refuse(t, 5, "broken.metadata.json", "register", "x.y", "broken.metadata.json")
	refuse(t, 6, "not found", "register", "x.y", "nowhere.metadata.json")
	refuse(t, 2, "NAMESPACE.NAME", "register", "xy", "broken.metadata.json")
	refuse(t, 2, "'/' cannot stand in a name", "register", "x.y/z", "broken.metadata.json")
}
