package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestManifest(t *testing.T) {
	root := only(t, filepath.Join(fixtures, "mdv", "metadata", "*-root-4.parquet"))
	leaf := only(t, filepath.Join(fixtures, "two-specs", "metadata", "*-m2.parquet"))
	for _, format := range []string{"text", "json", "tsv"} {
		compare(t, "manifest-root-"+format, do(t, "manifest", root, "--output", format))
		compare(t, "manifest-leaf-"+format, do(t, "manifest", leaf, "--output", format))
	}
}

// TestManifestStatistics has the statistics of all types as valid JSON, by the names of the columns.
func TestManifestStatistics(t *testing.T) {
	rows := 0
	for line := range strings.Lines(do(t, "manifest", "--output", "json", only(t, filepath.Join(fixtures, "wide", "metadata", "*-m0.parquet")))) {
		rows++
		var row struct {
			Position     int
			ContentStats map[string]struct {
				LowerBound any   `json:"lower_bound"`
				ValueCount int64 `json:"value_count"`
			} `json:"content_stats"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if len(row.ContentStats) != 60 {
			t.Errorf("row %d has statistics of %d columns, want 60", row.Position, len(row.ContentStats))
		}
	}
	if rows != 50 {
		t.Errorf("%d rows, want 50", rows)
	}
}

// TestManifestRefuses says what a file is that is no v4 manifest.
func TestManifestRefuses(t *testing.T) {
	folder := in(t)
	root, err := os.ReadFile(only(t, filepath.Join(fixtures, "wide", "metadata", "*-root-1.parquet")))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"cut.parquet": root[:len(root)/2], "empty.parquet": nil, "text.parquet": []byte("not Parquet at all")} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
		refuse(t, 5, name, "manifest", name)
	}
	legacy := filepath.Join(golden, "legacy", "metadata")
	refuse(t, 5, "an Avro file, a manifest or manifest list of versions 1 to 3", "manifest", only(t, filepath.Join(legacy, "snap-*.avro")))
	refuse(t, 5, "an Avro file, a manifest or manifest list of versions 1 to 3", "manifest", only(t, filepath.Join(legacy, "*-m0.avro")))
	refuse(t, 5, "not a v4 manifest", "manifest", event("01"))
	refuse(t, 6, "not found", "manifest", "nowhere.parquet")
}
