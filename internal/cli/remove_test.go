package cli_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestRemoveSpellings names files in every form of a location.
func TestRemoveSpellings(t *testing.T) {
	folder := newVisits(t)
	writeParquet(t, "one.parquet", visit{1, "eu"})
	writeParquet(t, "two.parquet", visit{2, "eu"})
	do(t, "append", "a.b", "one.parquet", "two.parquet", "--move")
	var inside []string
	for _, name := range moved(t) {
		inside = append(inside, "data/"+filepath.Base(name))
	}
	for _, name := range []string{"three", "four", "five", "six"} {
		writeParquet(t, name+".parquet", visit{3, "us"})
		do(t, "append", "a.b", name+".parquet")
	}
	left := 6
	for _, spellings := range [][]string{
		{inside[0]},
		{"file://" + folder + "/warehouse/a/b/" + inside[1], "three.parquet"},
		{folder + "/four.parquet"},
		{"./five.parquet", "file://" + folder + "/six.parquet"},
	} {
		do(t, append([]string{"remove", "a.b"}, spellings...)...)
		left -= len(spellings)
		if got := strings.Count(do(t, "files", "a.b", "--no-header"), "\n"); got != left {
			t.Errorf("after removing %q: %d files, want %d", spellings, got, left)
		}
	}
	if !exists("three.parquet") {
		t.Error("the file itself was deleted")
	}
	if r := run(t, "check", "a.b", "--history", "--strict"); r.code != 0 {
		t.Errorf("check: %+v", r)
	}
}

// TestRemoveFromLeaves masks rows, and drops a leaf with its last one.
func TestRemoveFromLeaves(t *testing.T) {
	folder := newTable(t, "--property", "firn.policy=cap", "--property", "firn.policy.rows=2")
	do(t, "append", "a.b", event("01"), event("02"), event("03"), event("05"))
	do(t, "remove", "a.b", event("02"))
	first := do(t, "tree", "a.b")
	do(t, "remove", "a.b", event("01"))
	compare(t, "remove", normalize(first+do(t, "tree", "a.b"), folder))
	if r := run(t, "check", "a.b", "--history", "--strict"); r.code != 0 {
		t.Errorf("check: %+v", r)
	}
}

func TestRemoveRefuses(t *testing.T) {
	newTable(t)
	do(t, "append", "a.b", event("01"))
	before := do(t, "log", "a.b", "--output", "json")
	refuse(t, 3, "no live file of the table", "remove", "a.b", event("02"))
	refuse(t, 3, "nothing/x: refused: no live file of the table; nothing/y: refused", "remove", "a.b", "nothing/x", event("01"), "nothing/y")
	refuse(t, 3, "named twice", "remove", "a.b", event("01"), "file://"+event("01"))
	refuse(t, 2, "read only", "remove", "warehouse/a/b", event("01"))
	refuse(t, 2, "remove takes TABLE LOCATION..., not 1 word: see firn help remove", "remove", "a.b")
	if after := do(t, "log", "a.b", "--output", "json"); after != before {
		t.Errorf("the table has changed:\n%s", after)
	}
	do(t, "remove", "a.b", event("01"))
	refuse(t, 3, "no live file of the table", "remove", "a.b", event("01"))
}
