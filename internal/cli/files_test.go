package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFilesOfJavaTables compares the live files of every snapshot with what a Java program found in them.
func TestFilesOfJavaTables(t *testing.T) {
	expected, err := filepath.Glob(filepath.Join(fixtures, "*", "expected-*.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]bool{}
	for _, path := range expected {
		table := filepath.Base(filepath.Dir(path))
		tables[table] = true
		snapshot := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "expected-"), ".tsv")
		t.Run(table+"/"+snapshot, func(t *testing.T) {
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			args := slices.Concat([]string{"files", "--output", "tsv", "--no-header"}, fixture(table), []string{snapshot})
			if diff := cmp.Diff(string(want), do(t, args...)); diff != "" {
				t.Errorf("-java +firn:\n%s", diff)
			}
		})
	}
	if len(tables) != 7 || len(expected) != 18 {
		t.Errorf("%d tables with %d snapshots, want 7 with 18", len(tables), len(expected))
	}
}

func TestFilesFormats(t *testing.T) {
	for _, format := range []string{"text", "json", "tsv"} {
		args := slices.Concat([]string{"files", "--output", format}, fixture("two-specs"))
		compare(t, "files-"+format, do(t, args...))
	}
}

// TestFilesDeletes has one more column, in which nothing stands: what would stand there is refused.
func TestFilesDeletes(t *testing.T) {
	args := append([]string{"files", "--deletes", "--output", "tsv"}, fixture("mdv")...)
	for i, line := range strings.Split(strings.TrimSuffix(do(t, args...), "\n"), "\n") {
		fields := strings.Split(line, "\t")
		if want := []string{"deletes", "[]"}[min(i, 1)]; len(fields) != 17 || fields[16] != want {
			t.Errorf("line %d: %q, want %s at its end", i, fields, want)
		}
	}
}

// TestFilesDeletionVectors has both forms of the columns of a deletion vector.
func TestFilesDeletionVectors(t *testing.T) {
	for line := range strings.Lines(do(t, append([]string{"files", "--output", "json"}, fixture("mdv")...)...)) {
		var file struct {
			DVLocation    *string `json:"dv_location"`
			DVCardinality *int    `json:"dv_cardinality"`
			Status        string
		}
		if err := json.Unmarshal([]byte(line), &file); err != nil {
			t.Fatal(err)
		}
		if (file.DVLocation == nil) != (file.DVCardinality == nil) {
			t.Errorf("half a deletion vector: %s", line)
		}
		if file.Status == "MODIFIED" && !strings.HasPrefix(*file.DVLocation, "s3://firn-fixtures/mdv/data/") {
			t.Errorf("a modified file without a resolved deletion vector: %s", line)
		}
	}
}

func TestFilesWhere(t *testing.T) {
	for filter, want := range map[string]int{ // of 12 files by region and 5 by day, whose region is not known
		"":                       17,
		"region = 'eu-west'":     9,
		"region = 'nowhere'":     5,
		"ts < '1999-01-01'":      12,
		"region IS NULL":         0, // a required column
		"name = 'x' OR id >= -1": 17,
		"false":                  0,
	} {
		args := append([]string{"files", "--output", "tsv", "--no-header"}, fixture("two-specs")...)
		if filter != "" {
			args = append(args, "--where", filter)
		}
		if got := strings.Count(do(t, args...), "\n"); got != want {
			t.Errorf("%q: %d files, want %d", filter, got, want)
		}
	}
	refuse(t, 2, "--where", slices.Concat([]string{"files", "--where", "nothing = 1"}, fixture("two-specs"))...)
	refuse(t, 2, "--where", slices.Concat([]string{"files", "--where", "region ="}, fixture("two-specs"))...)
}

// TestFilesOfSnapshots opens one table by every form of a snapshot's name.
func TestFilesOfSnapshots(t *testing.T) {
	newTable(t)
	for _, number := range []string{"01", "02", "05"} {
		do(t, "append", "a.b", event(number))
	}
	for arg, want := range map[string]int{"": 3, "~0": 3, "~1": 2, "~2": 1, "@main": 3} {
		args := []string{"files", "a.b", "--no-header"}
		if arg != "" {
			args = append(args, arg)
		}
		if got := strings.Count(do(t, args...), "\n"); got != want {
			t.Errorf("snapshot %q: %d files, want %d", arg, got, want)
		}
	}
	refuse(t, 6, "no snapshot ~3", "files", "a.b", "~3")
	refuse(t, 6, "no snapshot 17", "files", "a.b", "17")
	refuse(t, 6, `no branch or tag "x"`, "files", "a.b", "@x")
	refuse(t, 2, "an id, @branch, @tag or ~N", "files", "a.b", "first")
}

// TestFilesOfAnEmptyTable lists nothing.
func TestFilesOfAnEmptyTable(t *testing.T) {
	newTable(t)
	if got := do(t, "files", "a.b", "--output", "tsv", "--no-header"); got != "" {
		t.Errorf("files: %q", got)
	}
	header := do(t, "files", "a.b", "--output", "tsv")
	if columns := strings.Split(strings.TrimSuffix(header, "\n"), "\t"); len(columns) != 16 || columns[0] != "location" {
		t.Errorf("header: %q", header)
	}
	refuse(t, 6, "the table has no snapshot", "files", "a.b", "~0")
}

// TestFilesOfALegacyTable refuses what is not read yet, by name.
func TestFilesOfALegacyTable(t *testing.T) {
	legacy := filepath.Join(golden, "legacy")
	refuse(t, 5, "snapshot 6088499125633082830 has no root manifest: v1 to v3 manifests", "files", legacy)
	refuse(t, 5, "v1 to v3 manifests", "tree", legacy)
}

// TestFilesEscapes writes what would break a line with a backslash.
func TestFilesEscapes(t *testing.T) {
	folder := newTable(t)
	odd := filepath.Join(folder, "tab\there\\and\nthere.parquet")
	data, err := os.ReadFile(event("01"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(odd, data, 0o666); err != nil {
		t.Fatal(err)
	}
	do(t, "append", "a.b", odd)
	tsv := do(t, "files", "a.b", "--output", "tsv", "--no-header")
	if want := fmt.Sprintf(`file://%s/tab\there\\and\nthere.parquet`, folder); !strings.HasPrefix(tsv, want+"\t") {
		t.Errorf("tsv: %q, want %q in front", tsv, want)
	}
	var file struct{ Location string }
	if err := json.Unmarshal([]byte(do(t, "files", "a.b", "--output", "json")), &file); err != nil {
		t.Fatal(err)
	}
	if file.Location != "file://"+odd {
		t.Errorf("json: %q", file.Location)
	}
	if text := do(t, "files", "a.b", "--no-header"); strings.Count(text, "\n") != 1 {
		t.Errorf("text: %q", text)
	}
}
