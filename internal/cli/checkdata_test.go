package cli_test

import (
	"os"
	"testing"
)

// TestCheckData holds entries against the rows of files that Java wrote, and finds one that another was put in the place of.
func TestCheckData(t *testing.T) {
	eventTable(t, "01", "02", "03", "04")
	if r := run(t, "check", "a.b", "--data", "--history", "--storage", "--strict"); r.code != 0 || r.stdout != "" {
		t.Errorf("code %d: %s%s", r.code, r.stdout, r.stderr)
	}
	if err := os.Rename("in/e04.parquet", "in/e01.parquet"); err != nil {
		t.Fatal(err)
	}
	r := run(t, "check", "a.b", "--data", "--format", "json")
	found := rulesIn(t, r.stdout)
	if r.code != 1 || found["error D-BOUNDS"] == 0 || found["error READ-DATA"] != 1 {
		t.Errorf("code %d: %v", r.code, found)
	}
	if r := run(t, "check", "a.b", "--data", "--rule", "d-bounds", "--skip", "READ-DATA", "--format", "json"); r.code != 1 || len(rulesIn(t, r.stdout)) != 1 {
		t.Errorf("code %d: %s", r.code, r.stdout)
	}
	if r := run(t, "check", "a.b", "--strict"); r.code != 0 {
		t.Errorf("without --data: code %d: %s", r.code, r.stdout)
	}
}
