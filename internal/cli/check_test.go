package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rulesIn counts the findings of a check in JSON by rule and severity.
func rulesIn(t *testing.T, lines string) map[string]int {
	t.Helper()
	found := make(map[string]int)
	for line := range strings.Lines(lines) {
		var f struct{ Rule, Severity, Message string }
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if !strings.HasPrefix(f.Message, f.Rule+": ") {
			t.Errorf("message %q of rule %s", f.Message, f.Rule)
		}
		found[f.Severity+" "+f.Rule]++
	}
	return found
}

// TestCheckJavaTables checks the whole history of each table that Java wrote. Errors are only what the provenance of
// row-ids names: its history holds rows that no writer would make.
func TestCheckJavaTables(t *testing.T) {
	for table, want := range map[string]map[string]int{
		"leaves": {}, "loose-only": {}, "mdv": {}, "two-specs": {},
		"relative-absolute": {"warning E-DOTS": 2},
		"wide":              {"warning E-NONE-COUNT": 12},
		"row-ids": {
			"warning L-ROW-ID-NULL": 2, "warning L-MIXED": 1, "error X-INVENTED": 2, "error X-ROW-ID-REUSED": 1,
		},
	} {
		code := 0
		if table == "row-ids" {
			code = 1
		}
		r := run(t, slices.Concat([]string{"check", "--history", "--format", "json"}, fixture(table))...)
		found := rulesIn(t, r.stdout)
		if r.code != code || len(found) != len(want) {
			t.Errorf("%s: code %d, want %d, findings %v", table, r.code, code, found)
		}
		for rule, n := range want {
			if found[rule] != n {
				t.Errorf("%s: %s: %d times, want %d", table, rule, found[rule], n)
			}
		}
		if r := run(t, append([]string{"check"}, fixture(table)...)...); r.code != 0 {
			t.Errorf("%s without history: %+v", table, r)
		}
	}
}

func TestCheckFormats(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		r := run(t, slices.Concat([]string{"check", "--history", "--output", format}, fixture("row-ids"))...)
		compare(t, "check-"+format, r.stdout)
	}
}

func TestCheckStrictAndFilters(t *testing.T) {
	for _, test := range []struct {
		code, lines int
		flags       string
	}{
		{1, 6, "--history"},
		{1, 6, "--history --strict"},
		{0, 3, ""},
		{1, 3, "--strict"},
		{0, 1, "--rule L-MIXED"},
		{1, 1, "--rule L-MIXED --strict"},
		{1, 3, "--history --rule X-INVENTED --rule L-MIXED"},
		{0, 3, "--history --skip X-INVENTED --skip X-ROW-ID-REUSED"},
		{0, 3, "--skip X-INVENTED"},
		{0, 0, "--rule L-MIXED --skip L-MIXED --strict"},
	} {
		r := run(t, slices.Concat([]string{"check"}, strings.Fields(test.flags), fixture("row-ids"))...)
		if got := strings.Count(r.stdout, "\n"); r.code != test.code || got != test.lines {
			t.Errorf("check %s: code %d with %d findings, want %d with %d", test.flags, r.code, got, test.code, test.lines)
		}
	}
}

// TestCheckBrokenObjects has one finding for each manifest that is broken, and goes on.
func TestCheckBrokenObjects(t *testing.T) {
	cut := func(path string) error { return os.Truncate(path, 100) }
	for _, test := range []struct {
		pattern  string
		damage   func(string) error
		rule     string
		expected string
	}{
		{"*-m0.parquet", os.Remove, "error READ-LEAF", "not found"},
		{"*-m0.parquet", cut, "error READ-LEAF", ""},
		{"*-root-4.parquet", os.Remove, "error READ-ROOT", "not found"},
		{"*-root-4.parquet", cut, "error READ-ROOT", ""},
	} {
		folder, args := copyFixture(t, "mdv")
		if err := test.damage(only(t, filepath.Join(folder, "metadata", test.pattern))); err != nil {
			t.Fatal(err)
		}
		for _, history := range []string{"--history=false", "--history=true"} {
			r := run(t, slices.Concat([]string{"check", "--output", "json", history}, args)...)
			if found := rulesIn(t, r.stdout); r.code != 1 || found[test.rule] != 1 || !strings.Contains(r.stdout, test.expected) {
				t.Errorf("%s %s: code %d, findings %v\n%s", test.pattern, history, r.code, found, r.stdout)
			}
		}
	}
}

// TestCheckUnreadable ends with code 5 where there is no readable metadata, with 6 where there is nothing.
func TestCheckUnreadable(t *testing.T) {
	in(t)
	writeFile(t, "x.metadata.json", []byte("{"))
	writeFile(t, "x.bin", []byte("nothing that is known"))
	writeFile(t, "x.parquet", readFile(t, event("01"))[:100])
	if err := os.MkdirAll("double/metadata", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"double/metadata/00001-a.metadata.json", "double/metadata/00001-b.metadata.json"} {
		writeFile(t, name, []byte("{"))
	}
	refuse(t, 5, "x.metadata.json", "check", "x.metadata.json")
	refuse(t, 5, "neither a v4 manifest nor a bitmap", "check", "x.bin")
	refuse(t, 5, "x.parquet", "check", "x.parquet")
	refuse(t, 5, "not a v4 manifest", "check", event("01"))
	refuse(t, 5, "an Avro file", "check", only(t, filepath.Join(golden, "legacy", "metadata", "snap-*.avro")))
	refuse(t, 2, "00001-b.metadata.json", "check", "double")
	refuse(t, 6, "not found", "check", "nowhere.metadata.json")
	refuse(t, 6, "no metadata file", "check", "./nowhere")
	refuse(t, 6, "firn.db", "check", "a.b")
}

// TestCheckSeveral goes on after a target that cannot be checked, and lets that decide the code.
func TestCheckSeveral(t *testing.T) {
	in(t)
	writeFile(t, "x.metadata.json", []byte("{"))
	args := slices.Concat([]string{"check", "x.metadata.json", "nowhere/"}, fixture("row-ids"), []string{"--strict"})
	r := run(t, args...)
	if r.code != 6 || strings.Count(r.stdout, "warning ") != 3 || !strings.Contains(r.stderr, "x.metadata.json") {
		t.Errorf("%+v", r)
	}
}

// TestCheckLegacy says what was not checked, and does not fail for it.
func TestCheckLegacy(t *testing.T) {
	r := run(t, "check", "--strict", "--history", "--output", "json", filepath.Join(golden, "legacy"))
	if found := rulesIn(t, r.stdout); r.code != 0 || len(found) != 1 || found["notice SKIP-LEGACY"] != 1 {
		t.Errorf("%+v", r)
	}
}

// TestCheckFiles checks single manifests and bitmaps.
func TestCheckFiles(t *testing.T) {
	in(t)
	root := only(t, filepath.Join(fixtures, "mdv", "metadata", "*-root-4.parquet"))
	mixed := only(t, filepath.Join(fixtures, "row-ids", "metadata", "*-m0.parquet"))
	writeFile(t, "sound.bin", []byte("\x01\x01\x00\x00\x01\x00\x00\x00\x01\x07"))
	writeFile(t, "long.bin", append([]byte("\x01\x00\x00\x00\x01\x00"), 0, 0, 0))
	writeFile(t, "cut.bin", []byte("\x01\x01\x00\x00\x01"))
	for _, test := range []struct {
		code int
		rule string
		args []string
	}{
		{0, "", []string{root}},
		{0, "", []string{root, "--as", "root"}},
		{1, "error L-DATA-ONLY", []string{root, "--as", "leaf"}},
		{0, "", []string{mixed}},
		{0, "warning L-MIXED", []string{mixed, "--as", "leaf"}},
		{1, "error R-EXPLICIT", []string{mixed, "--as", "root"}},
		{0, "", []string{"sound.bin"}},
		{0, "warning E-MDV-CANONICAL", []string{"long.bin"}},
	} {
		r := run(t, append([]string{"check", "--output", "json"}, test.args...)...)
		if found := rulesIn(t, r.stdout); r.code != test.code || test.rule != "" && found[test.rule] == 0 || test.rule == "" && len(found) > 0 {
			t.Errorf("check %q: code %d, findings %v, want code %d and %q", test.args, r.code, found, test.code, test.rule)
		}
	}
	refuse(t, 5, "cut.bin", "check", "cut.bin")
}
