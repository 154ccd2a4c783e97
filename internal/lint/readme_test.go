package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadmeExample holds the README's Go code to the example of package commit, which the compiler and the tests check.
func TestReadmeExample(t *testing.T) {
	readme := read(t, "README.md")
	_, block, found := strings.Cut(readme, "```go\n")
	block, _, ends := strings.Cut(block, "```")
	if !found || !ends {
		t.Fatal("README.md has no block of Go code")
	}
	indented := "\t" + strings.ReplaceAll(strings.TrimSuffix(block, "\n"), "\n", "\n\t") + "\n"
	if !strings.Contains(read(t, "commit/example_test.go"), indented) {
		t.Errorf("commit/example_test.go does not have the code of README.md:\n%s", block)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
