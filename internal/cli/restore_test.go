package cli_test

import (
	"strings"
	"testing"
)

// TestRestore goes back, forth, and back again on another branch.
func TestRestore(t *testing.T) {
	eventTable(t, "01", "02", "03")
	old := do(t, "files", "a.b", "~1", "--output", "tsv")
	if got := do(t, "restore", "a.b", "~1"); !strings.Contains(got, "added 0 files, removed 1 file") {
		t.Errorf("text: %s", got)
	}
	if now := do(t, "files", "a.b", "--output", "tsv"); locationsIn(now) != locationsIn(old) {
		t.Errorf("files:\n%s\nwant\n%s", now, old)
	}
	row := rowsIn(t, do(t, "restore", "a.b", "~1", "--output", "json"))[0]
	if row["added_files"] != 1.0 || row["sequence_number"] != 5.0 {
		t.Errorf("JSON: %v", row)
	}
	do(t, "branch", "a.b", "create", "dev")
	do(t, "branch", "a.b", "create", "first", "--tag", "--at", "~4")
	if got := do(t, "restore", "a.b", "@first", "--branch", "dev", "--output", "tsv"); strings.Count(got, "\n") != 2 {
		t.Errorf("tsv: %q", got)
	}
	if n := strings.Count(do(t, "files", "a.b", "@dev", "--no-header"), "\n"); n != 1 {
		t.Errorf("%d files in dev, want 1", n)
	}
	if n := strings.Count(do(t, "files", "a.b", "@main", "--no-header"), "\n"); n != 3 {
		t.Errorf("%d files in main, want 3", n)
	}
	refuse(t, 6, "the table has no snapshot 17", "restore", "a.b", "17")
	refuse(t, 3, `"first" is a tag, not a branch`, "restore", "a.b", "~1", "--branch", "first")
	if r := run(t, "check", "a.b", "--history", "--storage", "--strict"); r.code != 0 {
		t.Errorf("check: %+v", r)
	}
}

// locationsIn returns the first fields of lines.
func locationsIn(lines string) string {
	var out strings.Builder
	for line := range strings.Lines(lines) {
		first, _, _ := strings.Cut(line, "\t")
		out.WriteString(first + "\n")
	}
	return out.String()
}
