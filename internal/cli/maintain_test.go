package cli_test

import (
	"strings"
	"testing"
)

var stepColumns = []string{"step", "members", "reason", "snapshot_id"}

// TestMaintain pushes files that the table's own policy leaves in the root.
func TestMaintain(t *testing.T) {
	newTable(t, "--property", "firn.policy=never", "--property", "firn.policy.rows=2")
	for _, number := range []string{"01", "02", "03"} {
		do(t, "append", "a.b", copyEvent(t, number))
	}
	before := do(t, "log", "a.b")
	if r := run(t, "maintain", "a.b"); r.code != 0 || r.stdout != "nothing to do\n" {
		t.Errorf("by its own policy: %+v", r)
	}
	rows := inAllForms(t, true, stepColumns, "maintain", "a.b", "--policy", "cap", "--dry-run")
	if len(rows) == 0 || rows[0]["step"] != "push" || rows[0]["reason"] == "" || rows[0]["snapshot_id"] != nil {
		t.Errorf("dry run: %v", rows)
	}
	if after := do(t, "log", "a.b"); after != before {
		t.Errorf("a dry run has changed the table:\n%s", after)
	}
	done := rowsIn(t, do(t, "maintain", "a.b", "--policy", "cap", "--output", "json"))
	if len(done) != len(rows) || done[0]["members"] != rows[0]["members"] || done[0]["snapshot_id"] == nil {
		t.Errorf("%v, planned were %v", done, rows)
	}
	if again := do(t, "maintain", "a.b", "--policy", "cap", "--output", "tsv"); again != strings.Join(stepColumns, "\t")+"\n" {
		t.Errorf("again: %q", again)
	}
	if got := do(t, "tree", "a.b"); !strings.Contains(got, "\nleaf ") {
		t.Errorf("tree:\n%s", got)
	}
	if r := run(t, "check", "a.b", "--history", "--storage", "--strict"); r.code != 0 {
		t.Errorf("check: %+v", r)
	}
}

func TestMaintainRefuses(t *testing.T) {
	eventTable(t, "01")
	refuse(t, 3, "refused: --resolve-equality-deletes needs the manifests of versions 1 to 3", "maintain", "a.b", "--resolve-equality-deletes")
	refuse(t, 6, `branch "dev": not found`, "maintain", "a.b", "--branch", "dev")
	refuse(t, 6, "no table a.c", "maintain", "a.c")
	refuse(t, 2, "read only", "maintain", "warehouse/a/b")
}
