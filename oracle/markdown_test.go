package oracle_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/oracle"
)

var update = flag.Bool("update", false, "write INVARIANTS.md and docs/oracle.md anew")

// INVARIANTS.md is what the registry says. `go generate ./oracle` brings it up to date.
func TestMarkdownIsCurrent(t *testing.T) {
	var b bytes.Buffer
	if err := oracle.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("..", "INVARIANTS.md")
	if *update {
		if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(have), b.String()); diff != "" {
		t.Errorf("run go generate ./oracle (-have +want):\n%s", diff)
	}
}

// TestDocument holds docs/oracle.md against the rules: each ID that it names exists, each item of the minimum is there, and
// what is generated in it is current.
func TestDocument(t *testing.T) {
	name := filepath.Join("..", "docs", "oracle.md")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile(filepath.Join("..", "internal", "cli", "testdata", "check-json.golden"))
	if err != nil {
		t.Fatal(err)
	}
	finding, _, _ := strings.Cut(string(golden), "\n")
	have := string(data)
	want := between(t, have, "minimum", minimum(t))
	want = between(t, want, "finding", "```json\n"+finding+"\n```\n")
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(have, want); diff != "" {
		t.Errorf("run go generate ./oracle (-have +want):\n%s", diff)
	}
	cited := make(map[string]bool)
	for _, id := range regexp.MustCompile("`([A-Z]+(-[A-Z]+)+)`").FindAllStringSubmatch(want, -1) {
		cited[id[1]] = true
		if _, known := oracle.Lookup(id[1]); !known {
			t.Errorf("%s is no rule", id[1])
		}
	}
	for _, rule := range oracle.Rules() { // the scopes whose rules are all of one promise or another
		if slices.Contains([]invariants.Scope{invariants.ScopeHistory, invariants.ScopeCommit}, rule.Scope) && !cited[rule.ID] {
			t.Errorf("%s is not named", rule.ID)
		}
		if prefix, _, _ := strings.Cut(rule.ID, "-"); prefix != "READ" && prefix != "SKIP" && !strings.Contains(want, "`"+prefix+"-`") {
			t.Errorf("no scope has the rules %s-", prefix)
		}
	}
}

// between puts text between the marks of a part of a document.
func between(t *testing.T, document, part, text string) string {
	t.Helper()
	begin, end := "<!-- begin "+part+" -->\n", "<!-- end "+part+" -->\n"
	before, rest, found := strings.Cut(document, begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("no marks of the part %s", part)
	}
	return before + begin + text + end + after
}

// minimum is the table of the items of rules 20, as docs/format.md has them, with the rules that cite each.
func minimum(t *testing.T) string {
	t.Helper()
	format, err := os.ReadFile(filepath.Join("..", "docs", "format.md"))
	if err != nil {
		t.Fatal(err)
	}
	items := regexp.MustCompile(`(?m)^- \*\*(20\.\d+)\*\* ((?:.|\n  )*)$`).FindAllStringSubmatch(string(format), -1)
	if len(items) != 12 {
		t.Fatalf("%d items of rules 20 in docs/format.md, want 12", len(items))
	}
	table := "| | Must hold | Rules |\n|---|---|---|\n"
	for _, item := range items {
		var ids []string
		for _, rule := range oracle.Rules() {
			if slices.Contains(strings.Split(strings.TrimPrefix(rule.SpecRule, "rules "), ", "), item[1]) {
				ids = append(ids, "`"+rule.ID+"`")
			}
		}
		if len(ids) == 0 {
			t.Errorf("no rule cites %s", item[1])
		}
		table += fmt.Sprintf("| %s | %s | %s |\n", item[1], strings.Join(strings.Fields(item[2]), " "), strings.Join(ids, ", "))
	}
	return table
}
