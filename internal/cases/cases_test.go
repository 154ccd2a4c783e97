package cases_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/cases"
)

const root = "../.."

// TestDueCases looks for every test and scenario that a case names, and for its id in one of them.
func TestDueCases(t *testing.T) {
	for _, problem := range cases.Check(os.DirFS(root), cases.Due()) {
		t.Error(problem)
	}
}

// TestOrder holds the register to its order: scenarios first, each kind by number.
func TestOrder(t *testing.T) {
	place := func(c cases.Case) (kind string, number int) {
		number, err := strconv.Atoi(c.ID[1:])
		if err != nil {
			t.Fatalf("%q is no id", c.ID)
		}
		return c.ID[:1], number
	}
	due := cases.Due()
	for i := range due[1:] {
		before, n := place(due[i])
		after, m := place(due[i+1])
		if before < after || before == after && n >= m {
			t.Errorf("%s stands before %s", due[i].ID, due[i+1].ID)
		}
	}
}

// TestScenariosAreRegistered looks for scenario files that no case names.
func TestScenariosAreRegistered(t *testing.T) {
	registered := make(map[string]bool)
	for _, c := range cases.Due() {
		for _, part := range c.Parts {
			for _, where := range part.Where {
				registered[where] = true
			}
		}
	}
	files, err := fs.Glob(os.DirFS(root), "internal/world/testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		if !registered[file] {
			t.Errorf("%s shows no case that is due", file)
		}
	}
}

// TestDocumentCases compares docs/cases.md with the register, or writes it when FIRN_WRITE_DOCS is set.
func TestDocumentCases(t *testing.T) {
	var b bytes.Buffer
	if err := cases.WriteMarkdown(&b, cases.Due()); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(root, "docs", "cases.md")
	if os.Getenv("FIRN_WRITE_DOCS") != "" {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(have), b.String()); diff != "" {
		t.Errorf("docs/cases.md is stale, make docs writes it (-have +want):\n%s", diff)
	}
}

// TestCheck shows what is wrong with registers that are.
func TestCheck(t *testing.T) {
	module := fstest.MapFS{
		"tree/a_test.go":   {Data: []byte("package tree\n\n// S1: so it is.\nfunc TestOne(t *testing.T) {}\n")},
		"tree/b_test.go":   {Data: []byte("package tree\n\nfunc TestB2Limit(t *testing.T) {}\n\nfunc TestTwo(t *testing.T) {}\n")},
		"testdata/s12.txt": {Data: []byte("# S12: shows it.\n")},
	}
	part := func(where ...string) []cases.Part { return []cases.Part{{Asks: "all is well", Where: where}} }
	for _, c := range []struct {
		name  string
		cases []cases.Case
		want  string
	}{
		{"by a comment", []cases.Case{{ID: "S1", Parts: part("tree.TestOne")}}, ""},
		{"by a test's name", []cases.Case{{ID: "B2", Parts: part("tree.TestTwo")}}, ""},
		{"by a scenario", []cases.Case{{ID: "S12", Parts: part("testdata/s12.txt")}}, ""},
		{"no such test", []cases.Case{{ID: "S1", Parts: part("tree.TestOne", "tree.TestOn")}}, "S1: there is no test tree.TestOn"},
		{"no such package", []cases.Case{{ID: "S1", Parts: part("tree.TestOne", "trees.TestOne")}}, "S1: there is no test trees.TestOne"},
		{"no such scenario", []cases.Case{{ID: "S12", Parts: part("testdata/s12.txt", "testdata/s1.txt")}}, "S12: there is no scenario testdata/s1.txt"},
		{"not named", []cases.Case{{ID: "S2", Parts: part("tree.TestOne", "testdata/s12.txt")}}, "S2: none of its tests and scenarios names it"},
		{"only another id begins so", []cases.Case{{ID: "S1", Parts: part("testdata/s12.txt")}}, "S1: none of its tests and scenarios names it"},
		{"a part without a place", []cases.Case{{ID: "S1", Parts: append(part("tree.TestOne"), part()...)}}, `S1: nothing shows that "all is well"`},
		{"twice", []cases.Case{{ID: "S1", Parts: part("tree.TestOne")}, {ID: "S1", Parts: part("tree.TestOne")}}, "S1 is there twice"},
	} {
		if got := strings.Join(cases.Check(module, c.cases), "; "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
