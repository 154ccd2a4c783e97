package maintain_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/policy/simple"
)

// TestMaintain folds a leaf, and says before what it will do; with nothing to do nothing is committed.
func TestMaintain(t *testing.T) {
	w := newWorld(t, nil)
	w.append(push, 1, 2)
	w.remove(1)
	live, err := w.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := w.Objects.Names()
	plan, err := maintain.Maintain(t.Context(), w.table, maintain.MaintainOptions{Policy: fold, DryRun: true})
	if err != nil || len(plan.Plan.Steps) != 1 || !plan.NoOp {
		t.Errorf("planned %+v, %v", plan, err)
	}
	idle, err := maintain.Maintain(t.Context(), w.table, maintain.MaintainOptions{Policy: simple.Never{}})
	if err != nil || !idle.NoOp {
		t.Errorf("with nothing to do: %+v, %v", idle, err)
	}
	if diff := cmp.Diff(before, w.Objects.Names()); diff != "" {
		t.Error(diff)
	}
	done, err := maintain.Maintain(t.Context(), w.table, maintain.MaintainOptions{Policy: fold})
	if err != nil || done.LeavesWritten != 1 || done.SnapshotID == 0 {
		t.Errorf("done %+v, %v", done, err)
	}
	if got, err := w.Live(t.Context()); err != nil || !cmp.Equal(got, live) {
		t.Errorf("live %v, %v", got, err)
	}
	if _, err := maintain.Maintain(t.Context(), w.table, maintain.MaintainOptions{Branch: "none"}); err == nil {
		t.Error("a branch that is not there is tidied up")
	}
}
