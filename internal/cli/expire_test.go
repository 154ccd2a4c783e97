package cli_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

var sweepColumns = []string{"outcome", "kind", "name", "size_bytes"}

// TestExpire deletes what no snapshot reaches any more, at first in a dry run.
func TestExpire(t *testing.T) {
	eventTable(t, "01", "02", "03")
	do(t, "remove", "a.b", "in/e01.parquet")
	do(t, "delete-rows", "a.b", "in/e03.parquet", "--positions", "1")
	do(t, "delete-rows", "a.b", "in/e03.parquet", "--positions", "2")
	do(t, "branch", "a.b", "create", "kept", "--tag", "--at", "~1")
	do(t, "delete-rows", "a.b", "in/e03.parquet", "--positions", "3")
	if rows := rowsIn(t, do(t, "expire", "a.b", "--keep", "1", "--dry-run", "--output", "json")); countBy(rows, "outcome", "kind")["outside data file"] != 1 {
		t.Errorf("the removed file lies where it lay, and is not to be deleted: %v", rows)
	}
	due := inAllForms(t, true, sweepColumns, "expire", "a.b", "--keep", "1", "--dry-run", "--delete-below", "in")
	want := map[string]int{
		"due snapshot": 5, "due root manifest": 5, "due data file": 1, "due Puffin file": 1,
	}
	if got := countBy(due, "outcome", "kind"); !maps.Equal(got, want) {
		t.Errorf("due: %v, want %v", got, want)
	}
	if !exists("in/e01.parquet") {
		t.Error("a dry run has deleted a file")
	}
	done := rowsIn(t, do(t, "expire", "a.b", "--keep", "1", "--delete-below", "in", "--output", "json"))
	want = map[string]int{
		"expired snapshot": 5, "deleted root manifest": 5, "deleted data file": 1, "deleted Puffin file": 1,
	}
	if got := countBy(done, "outcome", "kind"); !maps.Equal(got, want) {
		t.Errorf("done: %v, want %v", got, want)
	}
	if exists("in/e01.parquet") || !exists("in/e02.parquet") {
		t.Error("the removed file is there, or a live one is not")
	}
	if rows := rowsIn(t, do(t, "expire", "a.b", "--older-than", "5d", "--output", "json")); len(rows) != 0 {
		t.Errorf("nothing is so old: %v", rows)
	}
	do(t, "branch", "a.b", "create", "old", "--max-ref-age", "1ms")
	do(t, "append", "a.b", copyEvent(t, "04"))
	rows := rowsIn(t, do(t, "expire", "a.b", "--older-than", "0s", "--resume", "--output", "json"))
	if got := countBy(rows, "outcome", "kind"); got["expired branch"] != 1 {
		t.Errorf("refs: %v", got)
	}
	if r := run(t, "check", "a.b", "--history", "--storage", "--strict"); r.code != 0 {
		t.Errorf("check: %+v", r)
	}
}

// TestOrphans finds files that a crash has left, and deletes them.
func TestOrphans(t *testing.T) {
	folder := eventTable(t, "01", "02")
	left := "warehouse/a/b/metadata/left.parquet"
	writeFile(t, left, []byte("x"))
	if rows := inAllForms(t, true, sweepColumns, "orphans", "a.b"); len(rows) != 0 {
		t.Errorf("young ones: %v", rows)
	}
	refuse(t, 2, "firn orphans takes no --map", "orphans", "a.b", "--map", "s3://x/=file:///y/")
	args := []string{"orphans", "a.b", "--older-than", "0s", "--force"}
	rows := inAllForms(t, true, sweepColumns, args...)
	if len(rows) != 1 || rows[0]["outcome"] != "due" || rows[0]["name"] != "file://"+folder+"/"+left || rows[0]["size_bytes"] != 1.0 {
		t.Errorf("found: %v", rows)
	}
	rows = rowsIn(t, do(t, append(args, "--delete", "--output", "json")...))
	if len(rows) != 1 || rows[0]["outcome"] != "deleted" || exists(left) {
		t.Errorf("deleted: %v", rows)
	}
	if rows := rowsIn(t, do(t, append(args, "--output", "json")...)); len(rows) != 0 {
		t.Errorf("again: %v", rows)
	}
	if r := run(t, "check", "a.b", "--history", "--storage", "--strict"); r.code != 0 {
		t.Errorf("check: %+v", r)
	}
}

// TestCleanUpRefuses deletes nothing of a table that may share its files, of one that lies around another, and of one
// that was named by its path.
func TestCleanUpRefuses(t *testing.T) {
	newTable(t, "--property", "gc.enabled=false")
	do(t, "append", "a.b", copyEvent(t, "01"))
	for _, args := range [][]string{{"expire", "a.b", "--keep", "1"}, {"orphans", "a.b", "--delete"}} {
		refuse(t, 3, "table a.b: refused: its property gc.enabled is false", args...)
	}
	do(t, "init", "a.c", "--like", event("01"))
	if err := os.CopyFS("warehouse/a/c/sub", os.DirFS("warehouse/a/b")); err != nil {
		t.Fatal(err)
	}
	r := run(t, "orphans", "a.c", "--older-than", "0s", "--force", "--delete")
	if r.code != 3 || !exists(only(t, "warehouse/a/c/sub/metadata/snap-*")) {
		t.Errorf("a table below: %+v", r)
	}
	refuse(t, 6, "no table a.d", "expire", "a.d", "--keep", "1")
	refuse(t, 6, "no table a.d", "orphans", "a.d")
	path := filepath.Join("warehouse", "a", "b")
	refuse(t, 2, "read only", "expire", path, "--keep", "1")
	refuse(t, 2, "read only", "orphans", path, "--delete")
}
