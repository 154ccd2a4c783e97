package sim

import (
	"slices"
	"testing"

	"github.com/firn-io/firn/metadata"
)

// TestPromise: a commit that keeps what its program meant to do is held to it and passes, and one that does another thing is found
// by the rule of scope commit that says so.
func TestPromise(t *testing.T) {
	for _, test := range []struct {
		program string
		// other is another program, which the commit is said to have been for, and rules are what finds it.
		other string
		rules []string
	}{
		{"add 5-6 records=10", "add 5 records=10", []string{"C-ADDED"}},
		{"add 5 records=10", "add 5-6 records=10", []string{"C-ADDED"}},
		{"add 5 records=10", "add 5 records=11", []string{"C-ADDED"}},
		{"remove 1", "remove 1,2", []string{"C-REMOVED"}},
		{"remove 1,2", "remove 1", []string{"C-KEPT"}},
		{"delete 1 rows=3", "delete 1 rows=3,4", []string{"C-DELETES"}},
		{"delete 1 rows=3", "delete 2 rows=3", []string{"C-DELETES"}},
		{"replace 1 into 5 records=10", "compact 1 into 5 records=10", []string{"C-SUMMARY"}},
		{"replace 1 into 5 records=10", "add 5 records=10", []string{"C-KEPT", "C-SUMMARY"}},
		{"refresh 1", "remove 1", []string{"C-REMOVED"}},
	} {
		w, err := NewWorld(Config{Rows: 2})
		if err != nil {
			t.Fatal(err)
		}
		programOf(t, w, "add 1-4 records=10")
		programOf(t, w, test.program)
		s, _ := w.metadata.Current()
		for _, said := range []string{test.program, test.other} {
			p, err := parseProgram(said)
			if err != nil {
				t.Fatal(err)
			}
			in := w.intents[s.ID]
			in.program = p
			var rules []string
			for _, v := range broken(t, w, in, s) {
				if !slices.Contains(rules, v.Check) {
					rules = append(rules, v.Check)
				}
			}
			if want := test.rules; said == test.program && len(rules) > 0 || said == test.other && !slices.Equal(rules, want) {
				t.Errorf("%q, said to be %q: %q, want %q of the other one", test.program, said, rules, want)
			}
		}
	}
}

// programOf lets the first writer run a program to its end.
func programOf(t *testing.T, w *World, text string) {
	t.Helper()
	p, err := parseProgram(text)
	if err != nil {
		t.Fatal(err)
	}
	for a := (Action{Kind: Start, Writer: 1, Program: p}); a.Kind == Start || w.writers[0].run != nil; a = (Action{Kind: Step, Writer: 1}) {
		if err := w.Do(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.violations) > 0 {
		t.Fatal(w.violations)
	}
}

// broken returns what the check of a promise finds in a snapshot, if it is for an intent.
func broken(t *testing.T, w *World, in intent, s metadata.Snapshot) []Violation {
	t.Helper()
	want, err := in.changes(w.models[s.ParentID.Val], s, named{w.metadata, in.began, nil}, w.models)
	if err != nil {
		t.Fatal(err)
	}
	w.violations = nil
	if err := w.keepsPromise(t.Context(), in, s, want, w.trees[s.ParentID.Val], w.trees[s.ID]); err != nil {
		t.Fatal(err)
	}
	return w.violations
}
