package cli_test

import (
	"strings"
	"testing"
)

var statsColumns = []string{
	"snapshot_id", "sequence_number", "live_files", "records", "data_bytes", "root_bytes", "root_rows", "loose_files",
	"tombstones", "leaves", "legacy_manifests", "leaf_bytes", "leaf_rows", "masked_rows", "loose_share", "masked_share",
	"dead_bytes", "deletion_vectors", "deleted_rows", "puffin_files", "growth", "due",
}

// TestStats counts the tree of a table that was changed in each way.
func TestStats(t *testing.T) {
	eventTable(t, "01", "02", "03", "04")
	do(t, "delete-rows", "a.b", "in/e04.parquet", "--positions", "3,7-9")
	do(t, "remove", "a.b", "in/e01.parquet")
	row := inAllForms(t, false, statsColumns, "stats", "a.b")[0]
	for field, want := range map[string]any{
		"sequence_number": 6.0, "live_files": 3.0, "records": 13500.0, "deletion_vectors": 1.0, "deleted_rows": 4.0,
		"puffin_files": 1.0, "legacy_manifests": 0.0,
	} {
		if row[field] != want {
			t.Errorf("%s is %v, want %v", field, row[field], want)
		}
	}
	number := func(field string) float64 { return row[field].(float64) }
	if number("leaves") == 0 || number("leaf_rows") != number("live_files")-number("loose_files")+number("masked_rows") ||
		number("masked_rows") == 0 || number("dead_bytes") == 0 || number("dead_bytes") >= number("leaf_bytes")+number("root_bytes") {
		t.Errorf("%v", row)
	}
	growth := row["growth"].([]any)
	newest := growth[0].(map[string]any)
	if len(growth) != 6 || newest["root_bytes"] != row["root_bytes"] || newest["files"] != 3.0 || row["due"] == nil {
		t.Errorf("growth %v, due %v", growth, row["due"])
	}
	old := rowsIn(t, do(t, "stats", "a.b", firstOf(t), "--output", "json"))[0]
	if old["live_files"] != 1.0 || old["due"] != nil || len(old["growth"].([]any)) != 1 {
		t.Errorf("the first snapshot: %v", old)
	}
	text := do(t, "stats", "a.b")
	for _, column := range statsColumns[:20] {
		if !strings.Contains(text, column+" ") {
			t.Errorf("text has no %s:\n%s", column, text)
		}
	}
}

// TestStatsThresholds fails above a threshold, and not at it.
func TestStatsThresholds(t *testing.T) {
	newTable(t)
	do(t, "append", "a.b", copyEvent(t, "01"))
	for _, test := range []struct {
		code       int
		text, args string
	}{
		{0, "", "--fail-loose-share 1 --fail-masked-share 0 --fail-root-bytes 1000000"},
		{1, "loose_share is 1, more than 0.5\n", "--fail-loose-share 0.5"},
		{1, "more than 100\n", "--fail-root-bytes 100"},
		{1, "loose_share is 1, more than 0\n", "--fail-loose-share 0 --output json"},
	} {
		args := append([]string{"stats", "a.b"}, strings.Split(test.args, " ")...)
		if r := run(t, args...); r.code != test.code || !strings.Contains(r.stderr, test.text) || r.stdout == "" {
			t.Errorf("%q: %+v", args, r)
		}
	}
	refuse(t, 6, "no table a.c", "stats", "a.c")
	refuse(t, 6, "the table has no snapshot ~1", "stats", "a.b", "~1")
}

// TestStatsOfOthers reads tables that Java wrote, and one without snapshots.
func TestStatsOfOthers(t *testing.T) {
	for _, table := range []string{"leaves", "mdv", "two-specs", "wide"} {
		if rows := inAllForms(t, false, statsColumns, append([]string{"stats"}, fixture(table)...)...); rows[0]["live_files"] == 0.0 {
			t.Errorf("%s: %v", table, rows)
		}
	}
	newTable(t)
	row := inAllForms(t, false, statsColumns, "stats", "a.b")[0]
	if row["snapshot_id"] != nil || row["live_files"] != 0.0 || row["loose_share"] != 0.0 {
		t.Errorf("an empty table: %v", row)
	}
}
