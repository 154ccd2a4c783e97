package sim

import (
	"slices"
	"testing"
)

// TestHeadsAreCompared: at the end the head of each branch is held to its model as a whole.
func TestHeadsAreCompared(t *testing.T) {
	for _, branch := range []string{"main", "b1"} {
		w, err := NewWorld(Config{Writers: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, program := range []string{"add 1-3 records=10", "create-branch b1", "branch=b1; add 4-5 records=10", "remove 2"} {
			programOf(t, w, program)
		}
		if err := w.checkHistory(t.Context()); err != nil || len(w.violations) > 0 {
			t.Fatal(err, w.violations)
		}
		ref, found := w.metadata.Ref(branch)
		if !found {
			t.Fatalf("there is no branch %s", branch)
		}
		w.models[ref.SnapshotID] = w.models[ref.SnapshotID].with([]change{{number: 3}})
		if err := w.checkHistory(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(w.violations, func(v Violation) bool { return v.Check == checkLive && v.Snapshot == ref.SnapshotID }) {
			t.Errorf("%s: its model has a file less, and that found %v", branch, w.violations)
		}
		delete(w.trees, ref.SnapshotID)
		if err := w.checkHistory(t.Context()); err == nil {
			t.Errorf("%s: a head that nobody looked at was passed over", branch)
		}
	}
}
