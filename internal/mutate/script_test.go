//go:build mutate

package mutate_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/internal/world"
)

// script is a short run of a world.
type script struct {
	name, says string
	commands   []string
}

// scripts reads the scripts: blocks of commands, each below its name and a sentence.
func scripts(t *testing.T, path string) []script {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []script
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		head, body, _ := strings.Cut(block, "\n")
		name, says, ok := strings.Cut(strings.TrimPrefix(head, "# "), ": ")
		if !ok {
			t.Fatalf("%s: a block begins with %q", path, head)
		}
		all = append(all, script{name, says, world.Commands(body)})
	}
	return all
}

// finding is what a command showed to be wrong.
type finding struct {
	// by is the id of an invariant, or the name of a check of the model.
	by string
	// commits is how many snapshots had been published in the script.
	commits int
}

// outcome is what a run of a script showed.
type outcome struct {
	commits  int
	findings []finding
	// errors are what commands said that failed, and output is all of it.
	errors []string
	output string
}

// run runs the script in a new world.
func (s script) run() (o outcome, panicked any) {
	defer func() { panicked = recover() }()
	w := world.New(world.Options{})
	var out strings.Builder
	for _, command := range s.commands {
		text := do(w, command)
		fmt.Fprintf(&out, "%s\n%s", command, text)
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "snapshot ") && !strings.HasPrefix(command, "check") {
				o.commits++
			}
		}
		for _, by := range judge(command, text) {
			if !slices.ContainsFunc(o.findings, func(f finding) bool { return f.by == by }) {
				o.findings = append(o.findings, finding{by, o.commits})
			}
		}
		if i := strings.Index(text, "error: "); i >= 0 {
			o.errors = append(o.errors, command+": "+text[i:])
		}
	}
	o.output = out.String()
	return o, nil
}

// ruleID matches the id of a rule before its message.
var ruleID = regexp.MustCompile(`\b([EKRLTXMS]-[A-Z][A-Z0-9-]*): `)

// judge returns what the output of a command shows to be wrong.
func judge(command, text string) []string {
	var found []string
	for line := range strings.Lines(text) {
		_, wrong, isWrong := strings.Cut(line, "WRONG: ")
		verdict := strings.HasPrefix(command, "check") || strings.HasPrefix(command, "!")
		switch {
		case !isWrong && !verdict:
		case ruleID.MatchString(line):
			found = append(found, ruleID.FindStringSubmatch(line)[1])
		case isWrong:
			found = append(found, model(wrong))
		case strings.HasPrefix(line, "unreadable "), strings.HasPrefix(line, "error: "):
			found = append(found, unreadable)
		}
	}
	published := strings.HasPrefix(text, "snapshot ") || strings.HasPrefix(text, "updated")
	if published && strings.Contains(text, "\nerror: ") {
		found = append(found, unreadable)
	}
	return found
}

// unreadable is the check of the model that every object of the table is there and can be read.
const unreadable = "model: readable"

// model names the check of the world's model that said that something is wrong.
func model(said string) string {
	for _, c := range []struct{ part, name string }{
		{"an update is reported", "model: told"},
		{"change feed", "model: change feed"},
		{"live files of", unreadable},
		{": total-", "model: totals"},
		{"nothing references", "model: orphans"},
		{"although its commit", "model: told"},
		{"a commit is reported", "model: told"},
		{"the outcome is", "model: told"},
		{"metadata: ", "model: metadata"},
		{"isolation of", "model: isolation"},
		{"pruning: ", "model: pruning"},
	} {
		if strings.Contains(said, c.part) {
			return c.name
		}
	}
	return "model: live set"
}
