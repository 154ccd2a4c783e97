package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDemoAndReadme runs the demo, then in a new folder the commands that it printed, then those of the README.
func TestDemoAndReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	bin := build(t)
	root := checkout(t, bin)
	demo := shell(t, root, "./scripts/demo.sh")
	var pasted []string
	for line := range strings.Lines(demo) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			pasted = append(pasted, command)
		}
	}
	last := pasted[len(pasted)-1]
	if want := "bin/firn tree demo.events --catalog sqlite:demo/firn.db\n"; last != want {
		t.Errorf("the demo ends with %q, want %q", last, want)
	}
	again := checkout(t, bin)
	tail := func(out string) string { return out[strings.LastIndex(out, "\nleaf "):] }
	if got, want := tail(shell(t, again, strings.Join(pasted, ""))), tail(demo); cut(got) != cut(want) {
		t.Errorf("pasted commands end with %s, want %s", got, want)
	}
	session := "set -e\n"
	commands := 0
	for line := range strings.Lines(string(readme)) {
		if slices.ContainsFunc(commandPrefixes, func(prefix string) bool { return strings.HasPrefix(line, prefix) }) {
			session += strings.TrimSpace(line) + "\n"
			commands++
		}
	}
	if commands < 8 {
		t.Errorf("the README has %d commands", commands)
	}
	shell(t, again, session)
}

// commandPrefixes begin the lines of the README that are run.
var commandPrefixes = []string{"    bin/firn ", "    for ", "    mkdir "}

// cut leaves out the names of leaves, which differ from run to run.
func cut(line string) string {
	return line[strings.Index(line, " live="):strings.Index(line, "\nloose ")]
}

// build builds the command and returns the folder that it is in.
func build(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	c := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, "firn"), ".")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// checkout returns a folder that looks like a checkout after make build.
func checkout(t *testing.T, bin string) string {
	t.Helper()
	folder := t.TempDir()
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, place := range map[string]string{"bin": bin, "testdata": filepath.Join(repository, "testdata")} {
		if err := os.Symlink(place, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(folder, "scripts"), os.DirFS(filepath.Join(repository, "scripts"))); err != nil {
		t.Fatal(err)
	}
	return folder
}

// shell runs commands in the folder; the last one must succeed.
func shell(t *testing.T, folder, commands string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "sh", "-c", commands)
	c.Dir = folder
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "FIRN_") {
			c.Env = append(c.Env, pair)
		}
	}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
