package commit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/world"
)

// rebaseScenarios holds one scenario file for each rule of the rebase table, and in beyond those of winners that no rule
// is about.
const rebaseScenarios = "../internal/world/testdata/rebase"

// TestRebaseTable runs the scenario of every rule of the rebase table, and prints what each attempt wrote. A rule without
// a scenario that comes to it is an error, and so is a scenario without a rule. What was written is the table in
// docs/commit.md, which FIRN_WRITE_DOCS writes.
func TestRebaseTable(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(rebaseScenarios, "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	for _, rule := range commit.Rules() {
		path := filepath.Join(rebaseScenarios, string(rule)+".txt")
		i := slices.Index(files, path)
		if i < 0 {
			t.Errorf("rule %s has no scenario %s", rule, path)
			continue
		}
		files = slices.Delete(files, i, i+1)
		t.Run(string(rule), func(t *testing.T) { runRule(t, string(rule), path, &table) })
	}
	for _, path := range files {
		t.Errorf("%s is the scenario of no rule", path)
	}
	others, err := filepath.Glob(filepath.Join(rebaseScenarios, "beyond", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range others {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run(name, func(t *testing.T) { runRule(t, name, path, &table) })
	}
	if !t.Failed() {
		checkDocument(t, table.String())
	}
}

// runRule runs a scenario. That of a rule must name the rule in what it prints.
func runRule(t *testing.T, name, path string, table *strings.Builder) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	said := sentences(string(text))
	t.Log(said[0])
	w := world.New(world.Options{})
	named := !slices.Contains(commit.Rules(), commit.Rule(name))
	part := 0
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		var all strings.Builder
		for _, command := range world.Commands(d.Input) {
			out := w.Do(command)
			all.WriteString(out)
			named = named || strings.Contains(out, "  "+name) || strings.Contains(out, ": "+name+": ")
			if strings.HasPrefix(command, "writes") || strings.HasPrefix(command, "step") {
				t.Log(command + ": " + strings.ReplaceAll(strings.TrimSpace(out), "\n", "\n    "))
			}
			if strings.HasPrefix(command, "writes") {
				fmt.Fprintf(table, "| `%s` | %s | %s |\n", name, said[min(part, len(said)-1)],
					strings.ReplaceAll(strings.TrimSpace(out), "\n", "<br>"))
			}
		}
		part++
		return all.String()
	})
	if err := w.Err(); err != nil {
		t.Error(err)
	}
	if !named {
		t.Errorf("no commit of the scenario comes to the rule %s", name)
	}
}

// sentences returns the comment above each part of a scenario file; a part without one has the comment of the file.
func sentences(text string) []string {
	var all []string
	comment := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "# "):
			comment += " " + strings.TrimPrefix(line, "# ")
		case line == "run" || strings.HasPrefix(line, "run "):
			if comment == "" && len(all) > 0 {
				comment = all[0]
			}
			all = append(all, strings.TrimSpace(comment))
			comment = ""
		}
	}
	name, _, _ := strings.Cut(all[0], ": ")
	for i := range all {
		all[i] = strings.TrimPrefix(all[i], name+": ")
	}
	return all
}

// checkDocument compares what the attempts wrote with the table in docs/commit.md.
func checkDocument(t *testing.T, rows string) {
	t.Helper()
	const path, begin, end = "../docs/commit.md", "<!-- rebase: written by make docs -->\n", "<!-- /rebase -->"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the table", path)
	}
	want := head + begin + "\n| rule or winner | scenario | what was written |\n|---|---|---|\n" + rows + "\n" + end + tail
	switch {
	case os.Getenv("FIRN_WRITE_DOCS") != "":
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	case want != string(text):
		t.Errorf("%s is not current: make docs", path)
	}
}
