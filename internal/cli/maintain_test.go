package cli_test

import (
	"strings"
	"testing"
)

var stepColumns = []string{
	"step", "members", "reason", "snapshot_id", "term", "paid_bytes", "saved_bytes", "pays_after_commits",
	"root_bytes_before", "root_bytes_after", "leaves_before", "leaves_after",
}

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
	rows := inAllForms(t, false, stepColumns, "maintain", "a.b", "--policy", "cap", "--dry-run")
	if len(rows) == 0 || rows[0]["step"] != "push" || rows[0]["reason"] == "" || rows[0]["snapshot_id"] != nil || rows[0]["term"] != "root-limit" {
		t.Errorf("dry run: %v", rows)
	}
	if rows[0]["root_bytes_before"].(float64)-rows[0]["root_bytes_after"].(float64) <= 0 || rows[0]["leaves_before"] != 0.0 || rows[0]["leaves_after"] != 1.0 {
		t.Errorf("dry run: the root does not get smaller: %v", rows)
	}
	if text := do(t, "maintain", "a.b", "--policy", "cap", "--dry-run"); !strings.Contains(text, "\nnow    a root of ") || !strings.Contains(text, ", 0 leaves, 3 loose files\nthen   about a root of ") {
		t.Errorf("dry run:\n%s", text)
	}
	if after := do(t, "log", "a.b"); after != before {
		t.Errorf("a dry run has changed the table:\n%s", after)
	}
	done := rowsIn(t, do(t, "maintain", "a.b", "--policy", "cap", "--output", "json"))
	if len(done) != len(rows) || done[0]["members"] != rows[0]["members"] || done[0]["snapshot_id"] == nil ||
		done[0]["paid_bytes"] != rows[0]["paid_bytes"] || done[0]["saved_bytes"] != rows[0]["saved_bytes"] || done[0]["root_bytes_after"] != nil {
		t.Errorf("%v, planned were %v", done, rows)
	}
	if again := do(t, "maintain", "a.b", "--policy", "cap", "--output", "tsv"); again != strings.Join(stepColumns, "\t")+"\n" {
		t.Errorf("again: %q", again)
	}
	if dry := do(t, "maintain", "a.b", "--policy", "cap", "--dry-run"); !strings.HasPrefix(dry, "nothing to do: a root of ") {
		t.Errorf("nothing to do: %q", dry)
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

// TestMaintainDryRunRefuses what maintenance refuses.
func TestMaintainDryRunRefuses(t *testing.T) {
	eventTable(t, "01")
	refuse(t, 6, `branch "dev": not found`, "maintain", "a.b", "--branch", "dev", "--dry-run")
	refuse(t, 2, "read only", "maintain", "warehouse/a/b")
	if got, want := do(t, "maintain", "warehouse/a/b", "--dry-run"), do(t, "maintain", "a.b", "--dry-run"); got != want {
		t.Errorf("by its path, where nothing is written: %q, want %q", got, want)
	}
}
