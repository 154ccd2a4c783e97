package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// eventTable creates the table a.b in a new working folder and appends event files to it, one a commit. They are copies:
// what belongs to a table may be deleted by it. Two rows of the root are enough for a leaf.
func eventTable(t *testing.T, numbers ...string) (folder string) {
	t.Helper()
	folder = newTable(t, "--property", "firn.policy=cap", "--property", "firn.policy.rows=2")
	for _, number := range numbers {
		do(t, "append", "a.b", copyEvent(t, number))
	}
	return folder
}

// copyEvent copies an event file into the working folder.
func copyEvent(t *testing.T, number string) string {
	t.Helper()
	name := "e" + number + ".parquet"
	if err := os.MkdirAll("in", 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join("in", name), readFile(t, event(number)))
	return filepath.Join("in", name)
}

// answer is one line of an answer in JSON.
type answer map[string]any

// rowsIn reads an answer in JSON.
func rowsIn(t *testing.T, lines string) []answer {
	t.Helper()
	var rows []answer
	for line := range strings.Lines(lines) {
		var row answer
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		rows = append(rows, row)
	}
	return rows
}

// inAllForms runs a command that changes nothing with each format, and returns its answer. Tab-separated lines have the
// columns of the JSON objects, and text has as many lines as they if lines says so.
func inAllForms(t *testing.T, lines bool, columns []string, args ...string) []answer {
	t.Helper()
	rows := rowsIn(t, do(t, append(args, "--output", "json")...))
	for _, row := range rows {
		for _, column := range columns {
			if _, ok := row[column]; !ok || len(row) != len(columns) {
				t.Fatalf("%q: %v, want the columns %q", args, row, columns)
			}
		}
	}
	tsv := strings.Split(strings.TrimSuffix(do(t, append(args, "--output", "tsv")...), "\n"), "\n")
	if header := strings.Split(tsv[0], "\t"); !slices.Equal(header, columns) {
		t.Errorf("%q: header %q, want %q", args, header, columns)
	}
	for _, line := range tsv[1:] {
		if n := len(strings.Split(line, "\t")); n != len(columns) {
			t.Errorf("%q: %d fields in %q", args, n, line)
		}
	}
	text := strings.Count(do(t, args...), "\n")
	if len(tsv) != len(rows)+1 || lines && text != len(rows)+1 {
		t.Errorf("%q: %d rows in JSON, %d lines with tabs, %d of text", args, len(rows), len(tsv), text)
	}
	return rows
}

// countBy counts answers by some of their fields.
func countBy(rows []answer, fields ...string) map[string]int {
	n := make(map[string]int)
	for _, row := range rows {
		var values []string
		for _, field := range fields {
			values = append(values, row[field].(string))
		}
		n[strings.Join(values, " ")]++
	}
	return n
}
