package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// moved returns the files in the data folder of the table a.b.
func moved(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("warehouse", "a", "b", "data", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestMove(t *testing.T) {
	folder := newVisits(t)
	writeParquet(t, "eu.parquet", visit{1, "eu"}, visit{2, "eu"})
	content := readFile(t, "eu.parquet")
	do(t, "append", "a.b", "eu.parquet", "--move")
	names := moved(t)
	if len(names) != 1 || exists("eu.parquet") {
		t.Fatalf("data folder has %q, the source is there: %t", names, exists("eu.parquet"))
	}
	if string(readFile(t, names[0])) != string(content) {
		t.Error("the copy has another content")
	}
	tsv := do(t, "files", "a.b", "--output", "tsv", "--no-header")
	if want := "file://" + folder + "/" + names[0] + "\t2\t"; !strings.HasPrefix(tsv, want) {
		t.Errorf("files: %q, want %q in front", tsv, want)
	}
	if r := run(t, "check", "a.b", "--strict"); r.code != 0 {
		t.Errorf("check: %+v", r)
	}
	writeFile(t, "eu.parquet", content)
	refuse(t, 3, "a copy of it is in the table's folder already", "append", "a.b", "eu.parquet", "--move")
	if !exists("eu.parquet") || len(moved(t)) != 1 {
		t.Error("a refused move has moved something")
	}
}

// TestMoveKeepsTheSource leaves everything where it was when nothing is committed.
func TestMoveKeepsTheSource(t *testing.T) {
	newVisits(t)
	writeParquet(t, "eu.parquet", visit{1, "eu"})
	writeParquet(t, "us.parquet", visit{1, "us"})
	writeParquet(t, "both.parquet", visit{1, "eu"}, visit{2, "us"})
	refuse(t, 3, "partition field region", "append", "a.b", "eu.parquet", "both.parquet", "--move")
	// The second copy fails: its name is taken by a folder.
	do(t, "append", "a.b", "us.parquet", "--move")
	copied := moved(t)[0]
	do(t, "remove", "a.b", copied)
	writeParquet(t, "us.parquet", visit{1, "us"})
	if err := os.Remove(copied); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(copied, 0o777); err != nil {
		t.Fatal(err)
	}
	refuse(t, 6, "a folder has this name", "append", "a.b", "eu.parquet", "us.parquet", "--move")
	if names := moved(t); len(names) != 1 || !exists("eu.parquet") || !exists("us.parquet") {
		t.Errorf("data folder has %q, the sources are there: %t, %t", names, exists("eu.parquet"), exists("us.parquet"))
	}
}

// TestMoveRefusesFilesInUse does not delete what a snapshot needs, not even an old one.
func TestMoveRefusesFilesInUse(t *testing.T) {
	newVisits(t)
	writeParquet(t, "eu.parquet", visit{1, "eu"})
	writeParquet(t, "us.parquet", visit{1, "us"})
	do(t, "append", "a.b", "eu.parquet")
	refuse(t, 3, "a snapshot of the table refers to it", "append", "a.b", "eu.parquet", "--move")
	do(t, "remove", "a.b", "eu.parquet")
	refuse(t, 3, "a snapshot of the table refers to it", "append", "a.b", "us.parquet", "eu.parquet", "--move")
	do(t, "append", "a.b", "us.parquet", "--move")
	do(t, "remove", "a.b", moved(t)[0])
	inside := filepath.Join("warehouse", "a", "b", "inside.parquet")
	writeParquet(t, inside, visit{1, "eu"})
	refuse(t, 3, "in the table's folder already", "append", "a.b", inside, "--move")
	if !exists("eu.parquet") || !exists(inside) {
		t.Error("a refused move has deleted a file")
	}
}
