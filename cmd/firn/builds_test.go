package main_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/firn-io/firn/internal/cli"
)

// TestSimBuilds: a seed decides a run of the simulator whatever the compiler makes of the code. The same runs by two builds, with
// and without optimizations, and by this process, which may be a third one with the race detector, have the same hash.
func TestSimBuilds(t *testing.T) {
	folder := t.TempDir()
	var builds []string
	for name, flags := range map[string][]string{
		"optimized": nil,
		"plain":     {"-gcflags=github.com/firn-io/firn/...=-N -l"},
	} {
		path := filepath.Join(folder, name)
		c := exec.CommandContext(t.Context(), "go", slices.Concat([]string{"build", "-o", path}, flags, []string{"."})...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("go build %q: %v\n%s", flags, err, out)
		}
		builds = append(builds, path)
	}
	hashes := make(map[string]string)
	for _, run := range [][]string{
		{"--seed", "20", "--profile", "mixed", "--faults", "0.2", "--writers", "6", "--data-files"},
		{"--seed", "21", "--profile", "adversarial", "--faults", "0.5"},
		{"--seed", "22", "--profile", "cdc", "--commits", "20", "--parquet"},
	} {
		args := append([]string{"sim", "run", "--commits", "60", "--output", "json"}, run...)
		want := hashIn(t, "this process", runHere(t, args))
		for _, build := range builds {
			c := exec.CommandContext(t.Context(), build, args...)
			c.Dir = folder
			// The machine must not matter either.
			c.Env = append(c.Environ(), "GOMAXPROCS=1", "GOGC=20", "TZ=Asia/Kolkata")
			out, err := c.Output()
			if err != nil {
				t.Fatalf("%s %q: %v\n%s", build, args, err, out)
			}
			if got := hashIn(t, build, out); got != want {
				t.Errorf("%q: the hash is %s by %s, and %s by this process", args, got, filepath.Base(build), want)
			}
		}
		if hashes[want] != "" {
			t.Errorf("%q and %s have the same hash", run, hashes[want])
		}
		hashes[want] = run[1]
	}
}

func runHere(t *testing.T, args []string) []byte {
	t.Helper()
	t.Chdir(t.TempDir())
	var stdout, stderr bytes.Buffer
	if code := cli.Run(t.Context(), args, new(bytes.Buffer), &stdout, &stderr, func(string) string { return "" }); code != 0 {
		t.Fatalf("%q: code %d\n%s%s", args, code, stdout.Bytes(), stderr.Bytes())
	}
	return stdout.Bytes()
}

func hashIn(t *testing.T, by string, out []byte) string {
	t.Helper()
	var answer struct {
		TraceHash string `json:"trace_hash"`
	}
	if err := json.Unmarshal(out, &answer); err != nil || answer.TraceHash == "" {
		t.Fatalf("%s: %v\n%s", by, err, out)
	}
	return answer.TraceHash
}
