package cli_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/cli"
	"github.com/firn-io/firn/internal/s3test"
)

var update = flag.Bool("update", false, "write the golden files")

// The folders of the module that tests read, found before any test changes the working folder.
var (
	golden   = absolute("testdata")
	events   = absolute("../../testdata/events")
	fixtures = absolute("../../testdata/interop/java-1.12.0")
)

func absolute(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		panic(err)
	}
	return abs
}

// event returns the path of one of the event files.
func event(number string) string { return filepath.Join(events, "events-"+number+".parquet") }

// result is what a run of the program gave.
type result struct {
	code           int
	stdout, stderr string
}

// run runs the program in the working folder, without environment variables.
func run(t *testing.T, args ...string) result {
	t.Helper()
	return runWith(t.Context(), "", nil, args...)
}

func runWith(ctx context.Context, stdin string, env map[string]string, args ...string) result {
	var stdout, stderr bytes.Buffer
	code := cli.Run(ctx, args, strings.NewReader(stdin), &stdout, &stderr, func(name string) string { return env[name] })
	return result{code, stdout.String(), stderr.String()}
}

// do runs the program, which must succeed, and returns its answer.
func do(t *testing.T, args ...string) string {
	t.Helper()
	r := run(t, args...)
	if r.code != 0 {
		t.Fatalf("firn %s: code %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

// refuse runs the program, which must fail with the code, print no answer, and one line that contains a text.
func refuse(t *testing.T, code int, text string, args ...string) {
	t.Helper()
	r := run(t, args...)
	checkFailure(t, r, code, text, args...)
}

func checkFailure(t *testing.T, r result, code int, text string, args ...string) {
	t.Helper()
	command := "firn " + strings.Join(args, " ")
	if r.code != code {
		t.Errorf("%s: code %d, want %d\n%s", command, r.code, code, r.stderr)
	}
	if r.stdout != "" {
		t.Errorf("%s: standard output has %q", command, r.stdout)
	}
	if !strings.HasPrefix(r.stderr, "firn: ") || strings.Count(r.stderr, "\n") != 1 || !strings.HasSuffix(r.stderr, "\n") {
		t.Errorf("%s: standard error is not one line of firn: %q", command, r.stderr)
	}
	if !strings.Contains(r.stderr, text) {
		t.Errorf("%s: standard error has not %q: %s", command, text, r.stderr)
	}
}

// in makes a new folder the working folder.
func in(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	t.Chdir(folder)
	return folder
}

// newTable creates the table a.b, partitioned by day, in a new working folder.
func newTable(t *testing.T, extra ...string) string {
	t.Helper()
	folder := in(t)
	do(t, append([]string{"init", "a.b", "--like", event("01"), "--partition", "day(ts)"}, extra...)...)
	return folder
}

// fixture returns the arguments that open one of the tables that Java wrote.
func fixture(name string) (args []string) {
	folder := filepath.Join(fixtures, name)
	return []string{"--map", "s3://firn-fixtures/" + name + "=" + folder, folder}
}

// copyFixture copies a table that Java wrote, to be damaged, and returns its folder and the arguments that open it.
func copyFixture(t *testing.T, name string) (folder string, args []string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(fixtures, name))); err != nil {
		t.Fatal(err)
	}
	return folder, []string{"--map", "s3://firn-fixtures/" + name + "=" + folder, folder}
}

// noRegion takes away what the environment says of S3.
func noRegion(t *testing.T) {
	t.Helper()
	s3test.Environ(t, "")
	for _, name := range []string{"AWS_REGION", "AWS_ENDPOINT_URL"} {
		os.Unsetenv(name)
	}
}

// only returns the one file that a pattern matches.
func only(t *testing.T, pattern string) string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) != 1 {
		t.Fatalf("%s matches %q, %v", pattern, names, err)
	}
	return names[0]
}

// normalizers replace what differs from run to run.
var normalizers = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<uuid>"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "<time>"},
	{regexp.MustCompile(`\b[0-9]{14,19}\b`), "<id>"},
	{regexp.MustCompile(`\b1[0-9]{12}\b`), "<millis>"},
	{regexp.MustCompile(` {2,}`), "  "},
}

// normalize replaces ids, times and places.
func normalize(text, folder string) string {
	text = strings.ReplaceAll(text, events, "<events>")
	text = strings.ReplaceAll(text, fixtures, "<fixtures>")
	if folder != "" {
		text = strings.ReplaceAll(text, folder, "<folder>")
	}
	for _, n := range normalizers {
		text = n.pattern.ReplaceAllString(text, n.with)
	}
	return text
}

// compare compares a text with a golden file, or writes that.
func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(golden, name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
