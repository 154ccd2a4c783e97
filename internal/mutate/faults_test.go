//go:build mutate

package mutate_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/internal/tamper"
)

// TestScriptsAreClean runs every script with a writer that does not err.
func TestScriptsAreClean(t *testing.T) {
	tamper.SwitchOn(tamper.Fault{})
	for _, s := range scripts(t, "testdata/scripts.txt") {
		o, panicked := s.run()
		if panicked != nil || len(o.findings) > 0 {
			t.Errorf("%s: %v %v\n%s", s.name, panicked, o.findings, o.output)
		}
	}
}

// caught is what the scripts made of a fault.
type caught struct {
	fault tamper.Fault
	// self is the rule for which the writer's own check would have refused the commit, or empty.
	self string
	// by names who found the fault in what was published, and commits says after how many commits in all scripts.
	by      string
	commits int
	script  string
	// later is the first invariant that found it after the model did.
	later string
}

// finder says who found the fault.
func (c caught) finder() string {
	if c.later != "" {
		return c.by + ", then " + c.later
	}
	return c.by
}

// isModel reports whether it is a check of the model that found something, and no invariant.
func isModel(by string) bool { return strings.HasPrefix(by, "model: ") }

const (
	// minFaults is how many faults there must be, and share which of them run without FIRN_MUTATE=all: every so many.
	minFaults = 110
	share     = 20
)

// TestFaults switches on the faults of the writer, one at a time, and runs the scripts until one of them finds it. Where
// only the model does, the others are asked for an invariant that does. With FIRN_MUTATE=all it takes every fault, and the
// table in docs/simulation.md is held against what was found, or written with FIRN_WRITE_DOCS; FIRN_FAULT chooses one
// by its name and prints what it changed.
func TestFaults(t *testing.T) {
	list := scripts(t, "testdata/scripts.txt")
	clean := make(map[string]outcome)
	tamper.SwitchOn(tamper.Fault{})
	for _, s := range list {
		clean[s.name], _ = s.run() // TestScriptsAreClean tells of a panic
	}
	all, only := tamper.Faults(), os.Getenv("FIRN_FAULT")
	if len(all) < minFaults {
		t.Errorf("%d faults, and there should be %d", len(all), minFaults)
	}
	whole := os.Getenv("FIRN_MUTATE") == "all"
	var results []caught
	missed := 0
	for i, f := range all {
		if only != "" && f.Name != only || only == "" && !whole && i%share != 0 {
			continue
		}
		c := hunt(t, f, list, clean)
		if c.by == "" {
			missed++
			t.Errorf("%s: %s Nothing finds it.", f.Name, f.Says)
		}
		t.Logf("%-32s self-check %-18s found by %-36s after %3d commits: %s", f.Name, c.self, c.finder(), c.commits, f.Says)
		results = append(results, c)
	}
	t.Logf("%d of %d caught", len(results)-missed, len(results))
	if whole && !t.Failed() {
		checkDocument(t, "faults", summary(results)+faultTable(results))
	}
}

// hunt runs the scripts until an invariant finds the fault, or, where only the model does, to the last one.
func hunt(t *testing.T, f tamper.Fault, list []script, clean map[string]outcome) caught {
	c := caught{fault: f}
	tamper.SwitchOn(f)
	defer tamper.SwitchOn(tamper.Fault{})
	commits := 0
	for _, s := range list {
		o, panicked := s.run()
		if panicked != nil {
			t.Errorf("%s: script %s panicked: %v", f.Name, s.name, panicked)
		}
		if os.Getenv("FIRN_FAULT") != "" && o.output != clean[s.name].output {
			t.Logf("%s:\n%s", s.name, o.output)
		}
		for _, found := range o.findings {
			known := slices.ContainsFunc(clean[s.name].findings, func(g finding) bool { return g.by == found.by })
			switch {
			case known:
			case c.by == "" || isModel(c.by) && !isModel(found.by) && c.script == s.name:
				c.by, c.commits, c.script = found.by, commits+found.commits, s.name
			case isModel(c.by) && !isModel(found.by) && c.later == "":
				c.later = found.by
			}
		}
		if c.self == "" {
			c.self = tamper.Noted()
		}
		if c.by != "" && (!isModel(c.by) || c.later != "") {
			return c
		}
		commits += o.commits
	}
	return c
}

// summary says how the faults were found.
func summary(results []caught) string {
	var refused, invariant, model int
	for _, c := range results {
		if c.self != "" {
			refused++
		}
		if isModel(c.by) {
			model++
		} else {
			invariant++
		}
	}
	return fmt.Sprintf("%d of %d faults were found: %d by a rule, %d by a check of the model alone or first. "+
		"The self-check alone would have refused %d.\n\n", len(results), len(results), invariant, model, refused)
}

// faultTable prints the faults, by seam, in the order of the list.
func faultTable(results []caught) string {
	var b strings.Builder
	b.WriteString("| fault | what the writer does | refused by self-check | found by | after commits |\n|---|---|---|---|---|\n")
	for _, c := range results {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %d |\n", c.fault.Name, c.fault.Says, c.self, c.finder(), c.commits)
	}
	return b.String()
}

// checkDocument compares a part of docs/simulation.md with what was found.
func checkDocument(t *testing.T, part, text string) {
	t.Helper()
	const path = "../../docs/simulation.md"
	begin, end := "<!-- "+part+": written with WRITE=1 -->\n", "<!-- /"+part+" -->"
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(old), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for %s", path, part)
	}
	want := head + begin + "\n" + text + "\n" + end + tail
	switch {
	case os.Getenv("FIRN_WRITE_DOCS") != "":
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	case want != string(old):
		t.Errorf("%s is not current: make mutate WRITE=1", path)
	}
}
