package interop_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestJavaReader compares the live files of every snapshot of the scenario tables with what Apache's Java libraries
// find in them, and accepts no violation of a rule that the reader reports.
func TestJavaReader(t *testing.T) {
	reader := javaReader(t)
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			dir, out := t.TempDir(), t.TempDir()
			x := s.write(t, dir)
			readWithJava(t, reader, filepath.Join(dir, s.name), out)
			total := 0
			for _, snapshot := range x.meta.Snapshots {
				java, err := os.ReadFile(filepath.Join(out, fmt.Sprintf("expected-%d.tsv", snapshot.ID)))
				must(t, err)
				lines := x.files(t, snapshot)
				firn := strings.Join(append(lines, ""), "\n")
				if diff := cmp.Diff(string(java), firn); diff != "" {
					t.Errorf("snapshot %d (-java +firn):\n%s", snapshot.ID, diff)
				}
				total += len(lines)
			}
			t.Logf("%d snapshots, %d lines", len(x.meta.Snapshots), total)
		})
	}
}

// readWithJava has the reader write the live files of each snapshot of a table into a folder.
func readWithJava(t *testing.T, reader, folder, out string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "metadata", "*.metadata.json"))
	must(t, err)
	if len(files) == 0 {
		t.Fatalf("%s: no metadata file", folder)
	}
	newest := files[len(files)-1] // the names begin with the version, in five digits
	var report bytes.Buffer
	command := exec.CommandContext(t.Context(), reader, "snapshots", newest, folder, out)
	command.Stderr = &report
	command.Env = append(os.Environ(), "LC_ALL=C.UTF-8") // else Java cannot name files outside of ASCII
	err = command.Run()
	for line := range strings.Lines(report.String()) {
		if strings.HasPrefix(line, "VIOLATION") || strings.HasPrefix(line, "INTEROP") {
			t.Error(strings.TrimSpace(line))
		} else {
			t.Log(strings.TrimSpace(line))
		}
	}
	must(t, err)
}
