package cli_test

import (
	"maps"
	"os"
	"testing"
	"time"
)

// TestCheckStorage finds what is gone, cut or left over, and without the flag does not look.
func TestCheckStorage(t *testing.T) {
	eventTable(t, "01", "02", "03", "04")
	do(t, "delete-rows", "a.b", "in/e04.parquet", "--positions", "3")
	left := "warehouse/a/b/data/left.parquet"
	writeFile(t, left, []byte("x"))
	old := time.Now().Add(-100 * time.Hour)
	if err := os.Chtimes(left, old, old); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "warehouse/a/b/data/new.parquet", []byte("x"))
	check := func(code int, want map[string]int, flags ...string) {
		t.Helper()
		r := run(t, append([]string{"check", "a.b", "--format", "json"}, flags...)...)
		if got := rulesIn(t, r.stdout); r.code != code || !maps.Equal(got, want) {
			t.Errorf("%q: code %d, %v, want %d, %v\n%s", flags, r.code, got, code, want, r.stderr)
		}
	}
	orphans := map[string]int{"warning S-ORPHAN": 1, "notice S-ORPHAN-NEW": 1}
	check(0, orphans, "--storage")
	check(1, orphans, "--storage", "--history", "--strict")
	check(0, map[string]int{"notice S-ORPHAN-NEW": 1}, "--storage", "--skip", "S-ORPHAN", "--strict")
	if err := os.Remove("in/e01.parquet"); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "in/e02.parquet", []byte("x"))
	for _, name := range []string{left, "warehouse/a/b/data/new.parquet", only(t, "warehouse/a/b/data/*.puffin")} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	check(1, map[string]int{"error S-MISSING": 2, "error S-SIZE": 1}, "--storage")
	check(1, map[string]int{"error S-SIZE": 1}, "--storage", "--rule", "S-SIZE")
	check(0, map[string]int{}, "--history", "--strict")
}
