//go:build mutate

package mutate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/internal/world"
)

// TestRulesSwitchedOff switches off each rule of the rebase table that refuses, drops or translates, one at a time, and
// runs its scenario file: something else must come out than with the rule.
func TestRulesSwitchedOff(t *testing.T) {
	defer tamper.SwitchOn(tamper.Fault{})
	for _, rule := range commit.Rules() {
		path := filepath.Join("..", "world", "testdata", "rebase", string(rule)+".txt")
		differs := false
		var by []string
		for _, s := range scenarios(t, path) {
			tamper.SwitchOn(tamper.Fault{})
			clean, _ := s.run()
			if !commit.SwitchOff(rule) {
				differs = true
				by = []string{"(is not switched off)"}
				continue
			}
			o, panicked := s.run()
			if panicked != nil {
				t.Errorf("%s: panicked: %v", rule, panicked)
			}
			differs = differs || o.output != clean.output
			for _, f := range o.findings {
				by = append(by, f.by)
			}
			if os.Getenv("FIRN_FAULT") == string(rule) && o.output != clean.output {
				t.Logf("%s", o.output)
			}
		}
		if !differs {
			t.Errorf("%s: nothing changes without the rule", rule)
		}
		t.Logf("%-20s found by %s", rule, strings.Join(by, ", "))
	}
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
