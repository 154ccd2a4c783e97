package oracle_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/oracle"
)

var update = flag.Bool("update", false, "write INVARIANTS.md anew")

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
