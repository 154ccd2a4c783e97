package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firn-io/firn/sim/compare"
)

// TestMarkdown: each figure has a line, with one number for the first model and two for each other.
func TestMarkdown(t *testing.T) {
	text, err := sameTable{"stream", 30, []compare.Model{compare.Counting, compare.Simulator, compare.Parquet}}.markdown(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 4+len(figures) || lines[0] != "`stream`, 30 commits, 300 files at the end:" {
		t.Fatalf("%q", lines)
	}
	for _, line := range lines[2:] {
		if strings.Count(line, "|") != 7 || strings.Contains(line, "|  |  |") {
			t.Errorf("%q", line)
		}
	}
	if _, err := (sameTable{"flood", 30, []compare.Model{compare.Counting}}).markdown(t.Context()); err == nil {
		t.Error("a workload that there is not")
	}
}

// TestDocument holds the project's document to having a place for the tables.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "compare.md"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := section.Replace(string(text), "tables"); err != nil {
		t.Error(err)
	}
}
