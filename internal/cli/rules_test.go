package cli_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/oracle"
)

func TestRules(t *testing.T) {
	text := do(t, "rules", "--no-header")
	for _, inv := range invariants.All() {
		if !strings.Contains(text, inv.ID+" ") {
			t.Errorf("firn rules does not list %s", inv.ID)
		}
		if got := do(t, "rules", inv.ID); !strings.Contains(got, inv.Statement) || !strings.Contains(got, inv.Advice) {
			t.Errorf("firn rules %s: %s", inv.ID, got)
		}
	}
	compare(t, "rules-read-leaf", do(t, "rules", "READ-LEAF"))
	compare(t, "rules-read-leaf", do(t, "rules", "read-Leaf"))
}

func TestRulesInJSON(t *testing.T) {
	lines := 0
	for line := range strings.Lines(do(t, "rules", "--output", "json")) {
		lines++
		var rule map[string]string
		if err := json.Unmarshal([]byte(line), &rule); err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"id", "severity", "scope", "firmness", "spec_rule", "statement", "symptom", "advice"} {
			if rule[field] == "" {
				t.Errorf("%s has no %s", rule["id"], field)
			}
		}
	}
	if want := len(oracle.Rules()); lines != want {
		t.Errorf("%d rules, want %d", lines, want)
	}
	if one := do(t, "rules", "R-ROW-ID", "--output", "tsv", "--no-header"); strings.Count(one, "\n") != 1 {
		t.Errorf("one rule: %q", one)
	}
}

// TestRulesAgree holds firn rules against INVARIANTS.md: the same rules in the same order, with the same words.
func TestRulesAgree(t *testing.T) {
	_, document, _ := strings.Cut(string(readFile(t, "../../INVARIANTS.md")), "\n### ")
	sections := strings.Split(document, "\n### ")
	var listed []map[string]string
	for line := range strings.Lines(do(t, "rules", "--output", "json")) {
		var rule map[string]string
		if err := json.Unmarshal([]byte(line), &rule); err != nil {
			t.Fatal(err)
		}
		listed = append(listed, rule)
	}
	if len(sections) != len(listed) {
		t.Fatalf("%d rules in INVARIANTS.md, firn rules lists %d", len(sections), len(listed))
	}
	for i, rule := range listed {
		want := fmt.Sprintf("%s\n\n%s\n\n- %s; %s, %s", rule["id"], rule["statement"], rule["severity"], rule["spec_rule"], rule["firmness"])
		if !strings.HasPrefix(sections[i], want) {
			t.Errorf("%s: INVARIANTS.md has %q", rule["id"], sections[i])
		}
		lines := []string{"- Violated: " + rule["symptom"], "- To do: " + rule["advice"]}
		if rule["implies"] != "" {
			lines = append(lines, "- Also violated then: "+strings.ReplaceAll(rule["implies"], ",", ", "))
		}
		if !strings.Contains(sections[i]+"\n", strings.Join(lines, "\n")+"\n") {
			t.Errorf("%s: INVARIANTS.md has %q, not %q", rule["id"], sections[i], lines)
		}
	}
}
