package commit_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/world"
)

// rebaseScenarios holds one scenario file for each rule of the rebase table.
const rebaseScenarios = "../internal/world/testdata/rebase"

// TestRebaseTable runs the scenario of every rule of the rebase table, and prints what each attempt wrote. A rule without
// a scenario that comes to it is an error, and so is a scenario without a rule.
func TestRebaseTable(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(rebaseScenarios, "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range commit.Rules() {
		path := filepath.Join(rebaseScenarios, string(rule)+".txt")
		i := slices.Index(files, path)
		if i < 0 {
			t.Errorf("rule %s has no scenario %s", rule, path)
			continue
		}
		files = slices.Delete(files, i, i+1)
		t.Run(string(rule), func(t *testing.T) { runRule(t, rule, path) })
	}
	for _, path := range files {
		t.Errorf("%s is the scenario of no rule", path)
	}
}

// runRule runs the scenario of a rule, which must name the rule in what it prints.
func runRule(t *testing.T, rule commit.Rule, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), "\n\n")
	t.Log(strings.ReplaceAll(strings.TrimPrefix(head, "# "), "\n# ", " "))
	w := world.New(world.Options{})
	named := false
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		var all strings.Builder
		for _, command := range world.Commands(d.Input) {
			out := w.Do(command)
			all.WriteString(out)
			named = named || strings.Contains(out, "  "+string(rule)) || strings.Contains(out, ": "+string(rule)+": ")
			if strings.HasPrefix(command, "writes") || strings.HasPrefix(command, "step") {
				t.Log(command + ": " + strings.ReplaceAll(strings.TrimSpace(out), "\n", "\n    "))
			}
		}
		return all.String()
	})
	if err := w.Err(); err != nil {
		t.Error(err)
	}
	if !named {
		t.Errorf("no commit of the scenario comes to the rule %s", rule)
	}
}
