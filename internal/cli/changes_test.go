package cli_test

import (
	"strings"
	"testing"
)

var changeColumns = []string{"change", "location", "record_count", "dv_cardinality_before", "dv_cardinality_after", "snapshot_id"}

// TestChanges tells of each snapshot in turn.
func TestChanges(t *testing.T) {
	folder := eventTable(t, "01", "02", "03")
	do(t, "delete-rows", "a.b", "in/e02.parquet", "--positions", "3,7-9")
	do(t, "delete-rows", "a.b", "in/e02.parquet", "--positions", "10")
	do(t, "remove", "a.b", "in/e01.parquet")
	do(t, "remove", "a.b", "in/e02.parquet")
	do(t, "maintain", "a.b")
	rows := inAllForms(t, true, changeColumns, "changes", "a.b", firstOf(t), "@main")
	at := "file://" + folder + "/in/e"
	want := []answer{
		{"change": "added", "location": at + "02.parquet", "dv_cardinality_before": nil, "dv_cardinality_after": nil},
		{"change": "added", "location": at + "03.parquet", "dv_cardinality_before": nil, "dv_cardinality_after": nil},
		{"change": "deletes", "location": at + "02.parquet", "dv_cardinality_before": nil, "dv_cardinality_after": 4.0},
		{"change": "deletes", "location": at + "02.parquet", "dv_cardinality_before": 4.0, "dv_cardinality_after": 5.0},
		{"change": "removed", "location": at + "01.parquet", "dv_cardinality_before": nil, "dv_cardinality_after": nil},
		{"change": "removed", "location": at + "02.parquet", "dv_cardinality_before": 5.0, "dv_cardinality_after": nil},
	}
	if len(rows) != len(want) {
		t.Fatalf("%v, want %v", rows, want)
	}
	for i, row := range rows {
		for field, value := range want[i] {
			if row[field] != value {
				t.Errorf("line %d: %s is %v, want %v", i, field, row[field], value)
			}
		}
		if row["record_count"] != 4500.0 {
			t.Errorf("line %d: %v", i, row)
		}
	}
	if got := do(t, "changes", "a.b", "@main", "~0", "--output", "tsv", "--no-header"); got != "" {
		t.Errorf("from a snapshot to itself: %q", got)
	}
	refuse(t, 2, "does not come from snapshot", "changes", "a.b", "~0", "~1")
	refuse(t, 6, "the table has no snapshot 17", "changes", "a.b", "17", "~0")
	refuse(t, 6, "no table a.c", "changes", "a.c", "~1", "~0")
}

// firstOf returns the id of the first snapshot of a.b.
func firstOf(t *testing.T) string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(do(t, "log", "a.b", "--output", "tsv", "--no-header")), "\n")
	id, _, _ := strings.Cut(lines[len(lines)-1], "\t")
	return id
}
