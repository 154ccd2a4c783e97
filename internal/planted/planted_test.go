package planted_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const (
	root    = "../.."
	folder  = "testdata/planted"
	limit   = 60 * time.Second
	bugs    = 10
	ruleDir = "rules/"
)

// patch is one planted bug: a text that says what somebody may have meant and what it breaks, and the difference.
type patch struct{ name, about, file string }

// readPatches returns all patches, in order.
func readPatches(t *testing.T) []patch {
	t.Helper()
	var patches []patch
	top := filepath.Join(root, folder)
	err := filepath.WalkDir(top, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(top, file)
		if err != nil {
			return err
		}
		about, _, _ := strings.Cut(string(data), "\n\ndiff --git ")
		file, err = filepath.Abs(file)
		patches = append(patches, patch{strings.TrimSuffix(filepath.ToSlash(name), ".patch"), about, file})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return patches
}

// TestPatches: every patch applies to the code as it is, says what it is, and changes code that is not a test; there are as many
// as `make planted` promises.
func TestPatches(t *testing.T) {
	n := 0
	for _, p := range readPatches(t) {
		if !strings.HasPrefix(p.name, ruleDir) {
			n++
		}
		if strings.TrimSpace(p.about) == "" || strings.Contains(p.about, "diff --git") {
			t.Errorf("%s does not begin with a text that says what it is", p.name)
		}
		data, err := os.ReadFile(p.file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte("_test.go")) {
			t.Errorf("%s changes a test", p.name)
		}
		if err := git(root, "apply", "--check", p.file); err != nil {
			t.Errorf("%s does not apply any more: make it anew\n%v", p.name, err)
		}
	}
	if n != bugs {
		t.Errorf("%d bugs, want %d", n, bugs)
	}
}

// git runs git in a folder as if it were no part of a repository above.
func git(dir string, args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// TestPlanted looks for bugs. FIRN_PLANTED chooses patches by a regular expression; all stands for all, which takes many minutes,
// with a run of the code as it is, in which nothing may be found. Without it one is looked for that is found at once.
func TestPlanted(t *testing.T) {
	chosen := cmp.Or(os.Getenv("FIRN_PLANTED"), "^rules/remove-gone$")
	all := chosen == "all"
	if all {
		chosen = "."
	}
	wanted, err := regexp.Compile(chosen)
	if err != nil {
		t.Fatal(err)
	}
	module := copyModule(t)
	var rows []string
	if all {
		d := hunt(t, module, patch{name: "as it is"})
		rows = append(rows, row("as it is", d))
		if d.Found {
			t.Errorf("the code as it is: %s: %s (seed %d, profile %s)", d.Check, d.Message, d.Seed, d.Profile)
		}
	}
	for _, p := range readPatches(t) {
		if !wanted.MatchString(p.name) {
			continue
		}
		d := hunt(t, module, p)
		rows = append(rows, row(p.name, d))
		if !d.Found {
			t.Errorf("%s: not found in %s, %d runs, %d commits: %s", p.name, limit, d.Runs, d.Commits, p.about)
		}
	}
	if len(rows) == 0 {
		t.Fatalf("no patch matches %q", chosen)
	}
	if all {
		document(t, rows)
	}
}

// hunt applies a patch to the copy, looks for it and takes it back.
func hunt(t *testing.T, module string, p patch) detection {
	t.Helper()
	if p.file != "" {
		if err := git(module, "apply", p.file); err != nil {
			t.Fatalf("%s does not apply any more: make it anew\n%v", p.name, err)
		}
		defer func() {
			if err := git(module, "apply", "-R", p.file); err != nil {
				t.Fatal(err)
			}
		}()
	}
	began := time.Now()
	binary := filepath.Join(t.TempDir(), "detect")
	build := exec.Command("go", "test", "-c", "-trimpath", "-o", binary, "./internal/planted")
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s does not compile: %v\n%s", p.name, err, out)
	}
	built := time.Since(began)
	run := exec.Command(binary)
	run.Dir, run.Env = filepath.Join(module, "internal/planted"), append(os.Environ(), variable+"="+limit.String())
	out, err := run.CombinedOutput()
	_, text, printed := strings.Cut(string(out), detectedMark)
	var d detection
	if err == nil && printed {
		line, _, _ := strings.Cut(text, "\n")
		err = json.Unmarshal([]byte(line), &d)
	}
	if err != nil || !printed {
		t.Fatalf("%s: the detector failed: %v\n%s", p.name, err, out)
	}
	t.Logf("%-32s %5.1f s, %4d runs, %5d commits, built in %4.1f s: %s seed %d %s: %.150s",
		p.name, d.Seconds, d.Runs, d.Commits, built.Seconds(), d.Profile, d.Seed, d.Check, d.Message)
	return d
}

// copyModule copies the Go files of the module, as they are in the working tree, to a folder without a repository.
func copyModule(t *testing.T) string {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.go", "go.mod", "go.sum")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	module := t.TempDir()
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(module, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return module
}

// row is a line of the table of docs/simulation.md.
func row(name string, d detection) string {
	if !d.Found {
		return fmt.Sprintf("| %s | nothing in %.0f s | %d runs, %d commits | |\n", name, d.Seconds, d.Runs, d.Commits)
	}
	return fmt.Sprintf("| `%s` | %.1f | %d runs, %d commits | `%s` |\n", name, d.Seconds, d.Runs, d.Commits, d.Check)
}

// document writes the table into docs/simulation.md, if FIRN_WRITE_DOCS asks for it.
func document(t *testing.T, rows []string) {
	t.Helper()
	if os.Getenv("FIRN_WRITE_DOCS") == "" {
		return
	}
	const begin, end = "<!-- planted: written by make planted -->\n", "<!-- /planted -->"
	name := filepath.Join(root, "docs", "simulation.md")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the table", name)
	}
	table := "| planted | seconds to detection | work until then | found by |\n|---|---|---|---|\n" + strings.Join(rows, "")
	if err := os.WriteFile(name, []byte(before+begin+"\n"+table+"\n"+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
