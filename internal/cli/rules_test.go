package cli_test

import (
	"encoding/json"
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
