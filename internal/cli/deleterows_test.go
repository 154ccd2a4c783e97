package cli_test

import (
	"strings"
	"testing"
)

// TestDeleteRows deletes rows by each spelling of a file, in each format.
func TestDeleteRows(t *testing.T) {
	folder := eventTable(t, "01", "02", "03")
	if got := do(t, "delete-rows", "a.b", "in/e01.parquet", "--positions", "3,7-9"); !strings.Contains(got, "deleted 4 rows") {
		t.Errorf("text: %s", got)
	}
	full := "file://" + folder + "/in/e01.parquet"
	row := rowsIn(t, do(t, "delete-rows", "a.b", full, "--positions", "9,20", "--output", "json"))[0]
	if row["deleted_rows"] != 1.0 || row["added_files"] != 0.0 || row["removed_files"] != 0.0 {
		t.Errorf("JSON: %v", row)
	}
	lines := strings.Split(do(t, "delete-rows", "a.b", "in/e02.parquet", "--positions", "0", "--output", "tsv"), "\n")
	if len(lines) != 3 || !strings.HasSuffix(lines[0], "\tdeleted_rows") || !strings.HasSuffix(lines[1], "\t1") {
		t.Errorf("tsv: %q", lines)
	}
	listed := do(t, "files", "a.b", "--output", "tsv")
	if !strings.Contains(listed, "\t5\tMODIFIED\t") || !strings.Contains(listed, "\t1\tMODIFIED\t") {
		t.Errorf("files:\n%s", listed)
	}
	r := run(t, "delete-rows", "a.b", "in/e03.parquet", "--positions", "0-4499")
	if r.code != 0 || !strings.Contains(r.stdout, "removed 1 file") || !strings.Contains(r.stderr, "rule dv-full applied to "+strings.Replace(full, "e01", "e03", 1)) {
		t.Errorf("all rows: %+v", r)
	}
	if r := run(t, "check", "a.b", "--history", "--storage", "--strict"); r.code != 0 {
		t.Errorf("check: %+v", r)
	}
}

// TestDeleteRowsRefuses leaves the table as it was.
func TestDeleteRowsRefuses(t *testing.T) {
	eventTable(t, "01")
	before := do(t, "log", "a.b")
	refuse(t, 3, "in/e09.parquet: refused: no live file of the table", "delete-rows", "a.b", "in/e09.parquet", "--positions", "1")
	refuse(t, 3, "position out of range: 4500, the file has 4500 rows", "delete-rows", "a.b", "in/e01.parquet", "--positions", "4500")
	refuse(t, 6, `branch "dev": not found`, "delete-rows", "a.b", "in/e01.parquet", "--positions", "1", "--branch", "dev")
	refuse(t, 6, "no table a.c", "delete-rows", "a.c", "in/e01.parquet", "--positions", "1")
	refuse(t, 2, "the table was opened by its path and is read only", "delete-rows", "warehouse/a/b", "in/e01.parquet", "--positions", "1")
	if after := do(t, "log", "a.b"); after != before {
		t.Errorf("the table has changed:\n%s", after)
	}
}
