package cli_test

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestLog(t *testing.T) {
	for _, format := range []string{"text", "json", "tsv"} {
		compare(t, "log-"+format, do(t, slices.Concat([]string{"log", "--output", format}, fixture("mdv"))...))
	}
	compare(t, "log-legacy", do(t, "log", "--output", "json", filepath.Join(golden, "legacy")))
}

func TestLogOfAnEmptyTable(t *testing.T) {
	newTable(t)
	if got := do(t, "log", "a.b", "--no-header"); got != "" {
		t.Errorf("log: %q", got)
	}
}
