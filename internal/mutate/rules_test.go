//go:build mutate

package mutate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/internal/world"
)

// TestRules switches off each rule of the rebase table that refuses, drops or translates, one at a time, and runs its
// scenario: the world must find what comes of it. The table goes to docs/simulation.md as that of [TestFaults] does.
func TestRules(t *testing.T) {
	defer tamper.SwitchOn(tamper.Fault{})
	var table strings.Builder
	table.WriteString("| rule switched off | found by |\n|---|---|\n")
	for _, rule := range commit.Rules() {
		if !commit.SwitchOff(rule) {
			fmt.Fprintf(&table, "| `%s` | is not switched off |\n", rule)
			continue
		}
		by := without(t, rule)
		if len(by) == 0 {
			t.Errorf("%s: nothing finds that the rule is switched off", rule)
		}
		t.Logf("%-20s found by %s", rule, strings.Join(by, ", "))
		fmt.Fprintf(&table, "| `%s` | %s |\n", rule, strings.Join(by, ", "))
	}
	if os.Getenv("FIRN_MUTATE") == "all" && !t.Failed() {
		checkDocument(t, "rules", table.String())
	}
}

// without runs the scenario of a rule that is switched off, and returns who found something that is not found with the
// rule.
func without(t *testing.T, rule commit.Rule) (by []string) {
	t.Helper()
	for _, s := range scenarios(t, filepath.Join("..", "world", "testdata", "rebase", string(rule)+".txt")) {
		tamper.SwitchOn(tamper.Fault{})
		clean, _ := s.run()
		commit.SwitchOff(rule)
		o, panicked := s.run()
		if panicked != nil {
			t.Errorf("%s: panicked: %v", rule, panicked)
		}
		for _, f := range o.findings {
			if !slices.ContainsFunc(clean.findings, func(g finding) bool { return g.by == f.by }) && !slices.Contains(by, f.by) {
				by = append(by, f.by)
			}
		}
		if os.Getenv("FIRN_FAULT") == string(rule) && o.output != clean.output {
			t.Logf("%s", o.output)
		}
	}
	return by
}

// scenarios returns the scripts of a scenario file.
func scenarios(t *testing.T, path string) []script {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []script
	for part := range strings.SplitSeq(string(text), "\nrun\n") {
		if input, _, ok := strings.Cut(part, "\n----\n"); ok {
			all = append(all, script{commands: world.Commands(input)})
		}
	}
	return all
}
