package cli_test

import (
	"strings"
	"testing"
)

var refColumns = []string{"name", "type", "snapshot_id", "min_snapshots_to_keep", "max_snapshot_age_ms", "max_ref_age_ms"}

// TestBranch writes to a branch and lets main take it over.
func TestBranch(t *testing.T) {
	eventTable(t, "01", "02")
	do(t, "branch", "a.b", "create", "dev", "--min-snapshots", "3", "--max-snapshot-age", "5d", "--max-ref-age", "30d")
	do(t, "branch", "a.b", "create", "first", "--at", "~1", "--tag", "--max-ref-age", "90m")
	rows := inAllForms(t, true, refColumns, "branch", "a.b", "list")
	if len(rows) != 3 || rows[0]["name"] != "dev" || rows[0]["min_snapshots_to_keep"] != 3.0 || rows[0]["max_snapshot_age_ms"] != 432_000_000.0 ||
		rows[0]["max_ref_age_ms"] != 2_592_000_000.0 || rows[1]["name"] != "first" || rows[1]["type"] != "tag" ||
		rows[1]["max_ref_age_ms"] != 5_400_000.0 || rows[2]["name"] != "main" || rows[2]["min_snapshots_to_keep"] != nil {
		t.Errorf("refs: %v", rows)
	}
	do(t, "append", "a.b", copyEvent(t, "03"), "--branch", "dev")
	do(t, "remove", "a.b", "in/e01.parquet", "--branch", "dev")
	do(t, "replace", "a.b", "--remove", "in/e02.parquet", "--add", copyEvent(t, "04"), "--branch", "dev")
	do(t, "delete-rows", "a.b", "in/e03.parquet", "--positions", "1", "--branch", "dev")
	do(t, "maintain", "a.b", "--branch", "dev")
	if n := strings.Count(do(t, "log", "a.b", "--no-header"), "\n"); n < 6 {
		t.Errorf("%d snapshots", n)
	}
	for snapshot, want := range map[string]int{"@main": 2, "@dev": 2, "@first": 1} {
		if n := strings.Count(do(t, "files", "a.b", snapshot, "--no-header"), "\n"); n != want {
			t.Errorf("%d files at %s, want %d", n, snapshot, want)
		}
	}
	refuse(t, 3, "does not descend", "branch", "a.b", "fast-forward", "dev", "--to", "main")
	do(t, "branch", "a.b", "fast-forward", "main", "--to", "dev")
	if do(t, "files", "a.b", "@main") != do(t, "files", "a.b", "@dev") {
		t.Error("main is not dev")
	}
	if got := do(t, "branch", "a.b", "drop", "dev", "--output", "tsv"); !strings.Contains(got, "\ndev\tbranch\t") {
		t.Errorf("drop: %q", got)
	}
	do(t, "branch", "a.b", "drop", "first")
	if r := run(t, "check", "a.b", "--history", "--storage", "--strict"); r.code != 0 {
		t.Errorf("check: %+v", r)
	}
}

func TestBranchRefuses(t *testing.T) {
	eventTable(t, "01")
	do(t, "branch", "a.b", "create", "dev")
	for _, test := range []struct {
		code       int
		text, args string
	}{
		{3, "there is a branch of this name", "a.b create dev"},
		{3, "it cannot be dropped", "a.b drop main"},
		{3, "there is none", "a.b drop nope"},
		{3, "there is none", "a.b fast-forward nope --to dev"},
		{6, "the table has no snapshot 17", "a.b create x --at 17"},
		{6, `no branch or tag "nope"`, "a.b create x --at @nope"},
		{2, "an id, @branch, @tag or ~N is needed", "a.b fast-forward dev --to nope"},
		{6, "no table a.c", "a.c list"},
		{2, "read only", "warehouse/a/b drop dev"},
	} {
		refuse(t, test.code, test.text, append([]string{"branch"}, strings.Split(test.args, " ")...)...)
	}
}
