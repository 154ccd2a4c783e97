package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/policy/choose"
)

var adviseColumns = []string{
	"policy", "kind", "bytes", "times_counted", "bytes_per_commit", "root_bytes", "leaf_bytes", "objects", "commits", "maintenance_commits",
	"leaves_written", "largest_root_bytes", "most_rewritten_bytes", "end_root_bytes", "end_leaves", "plan_bytes", "complete",
}

// TestPolicyAdvise replays a table under each policy: its own costs what it wrote, the cheapest comes first, and nothing is changed.
func TestPolicyAdvise(t *testing.T) {
	newTable(t, "--property", "firn.policy=cap", "--property", "firn.policy.rows=3")
	for number := 1; number <= 9; number++ {
		do(t, "append", "a.b", copyEvent(t, fmt.Sprintf("%02d", number)))
	}
	before := do(t, "log", "a.b")
	rows := inAllForms(t, true, adviseColumns, "policy", "advise", "a.b")
	v3 := rows[len(rows)-1]
	rows = rows[:len(rows)-1]
	if v3["policy"] != "v3-merge-append" || v3["kind"] != "version-3" || v3["commits"] != 9.0 || v3["maintenance_commits"] != 0.0 || v3["end_leaves"] != 9.0 ||
		v3["objects"] != 18.0 || v3["times_counted"] == nil || v3["most_rewritten_bytes"] != 0.0 {
		t.Errorf("%v", v3)
	}
	if len(rows) != 2+len(choose.Names()) || rows[0]["kind"] != "measured" || rows[1]["kind"] != "counted" || rows[0]["policy"] != "cap" {
		t.Fatalf("%v", rows)
	}
	counted := rows[1]
	stats := rowsIn(t, do(t, "stats", "a.b", "--output", "json"))[0]
	if rows[0]["end_root_bytes"] != stats["root_bytes"] || rows[0]["end_leaves"] != stats["leaves"] || rows[0]["commits"] != 9.0 ||
		rows[0]["times_counted"] == nil || rows[0]["most_rewritten_bytes"] != nil || counted["times_counted"] != 1.0 || counted["complete"] != true {
		t.Errorf("%v\n%v, stats %v", rows[0], counted, stats)
	}
	last := 0.0
	var names []string
	for _, row := range rows[2:] {
		names = append(names, row["policy"].(string))
		if bytes := row["bytes"].(float64); bytes < last || row["kind"] != "replayed" {
			t.Errorf("%v after %.0f bytes", row, last)
		} else {
			last = bytes
		}
		if row["policy"] == "cap" && (row["bytes"] != counted["bytes"] || row["objects"] != counted["objects"] || row["plan_bytes"] != counted["plan_bytes"]) {
			t.Errorf("replayed under its own policy %v, the table %v", row, counted)
		}
	}
	if slices.Sort(names); !slices.Equal(names, choose.Names()) {
		t.Errorf("%q", names)
	}
	if after := do(t, "log", "a.b"); after != before {
		t.Errorf("the table has changed:\n%s", after)
	}
	two := rowsIn(t, do(t, "policy", "advise", "a.b", "--policy", "never,sqrt", "--maintenance-every", "2", "--output", "json"))
	if len(two) != 4 {
		t.Errorf("%v", two)
	}
	three := rowsIn(t, do(t, "policy", "advise", "a.b", "--policy", "v3-merge-append,never", "--output", "json"))
	if len(three) != 4 || three[2]["policy"] != "never" || fmt.Sprint(three[3]) != fmt.Sprint(v3) {
		t.Errorf("%v", three)
	}
}

// TestPolicyAdviseSaysWhatItKnows of a table with deletes, maintenance and expired snapshots, and keeps a trace.
func TestPolicyAdviseSaysWhatItKnows(t *testing.T) {
	newTable(t, "--property", "firn.policy=never", "--property", "firn.policy.rows=2")
	var files []string
	for number := 1; number <= 5; number++ {
		files = append(files, copyEvent(t, fmt.Sprintf("%02d", number)))
		do(t, "append", "a.b", files[number-1])
	}
	do(t, "remove", "a.b", files[1])
	do(t, "delete-rows", "a.b", files[2], "--positions", "1,2")
	do(t, "maintain", "a.b", "--policy", "cap")
	r := run(t, "policy", "advise", "a.b", "--trace", "trace.json")
	if r.code != 0 || !strings.Contains(r.stderr, "counted 7 commits of writers and 1 of maintenance: 5 files added, 1 removed, 1 with rows deleted\n") ||
		!strings.Contains(r.stderr, "drawn by chance") || strings.Contains(r.stderr, "expired") ||
		!strings.Contains(r.stderr, "v3-merge-append is left out: what version 3 writes is known of tables that only grow\n") || strings.Contains(r.stdout, "version-3") {
		t.Errorf("%+v", r)
	}
	want := strings.Repeat(`{"added":1,"removed":0,"modified":0}`+"\n", 5) + `{"added":0,"removed":1,"modified":0}` + "\n" + `{"added":0,"removed":0,"modified":1}` + "\n"
	if got, err := os.ReadFile("trace.json"); err != nil || string(got) != want {
		t.Errorf("the trace: %q, %v", got, err)
	}
	do(t, "append", "a.b", copyEvent(t, "06"))
	do(t, "expire", "a.b", "--keep", "2")
	r = run(t, "policy", "advise", "a.b", "--output", "json")
	if r.code != 0 || !strings.Contains(r.stderr, "expired or is of an older format version: the replay begins with") ||
		!strings.Contains(r.stderr, "counted 1 commit of writers and 0 of maintenance") {
		t.Errorf("%+v", r)
	}
	if rows := rowsIn(t, r.stdout); rows[0]["complete"] != false || rows[0]["commits"] != 1.0 {
		t.Errorf("%v", rows[0])
	}
}

// TestPolicyAdviseOfJavasTables counts what summaries do not say from the manifests.
func TestPolicyAdviseOfJavasTables(t *testing.T) {
	for name, want := range map[string]string{
		"mdv":        "44 files added, 5 removed, 3 with rows deleted\nthe summaries of 4 snapshots do not say what they changed: counted from manifests; which files",
		"loose-only": "12 files added, 0 removed, 0 with rows deleted\nthe summaries of 3 snapshots do not say what they changed: counted from manifests\n",
	} {
		r := run(t, append([]string{"policy", "advise", "--policy", "adaptive", "--output", "json"}, fixture(name)...)...)
		if r.code != 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %+v", name, r)
		}
		if rows := rowsIn(t, r.stdout); len(rows) != 3 || rows[0]["policy"] != nil || rows[2]["policy"] != "adaptive" {
			t.Errorf("%s: %v", name, rows)
		}
	}
}

// TestSettingsOfOthersStopNoReader: a table whose settings of policies are no good can be looked at, and what depends on them is left out.
func TestSettingsOfOthersStopNoReader(t *testing.T) {
	newTable(t, "--property", "firn.policy=cap", "--property", "firn.policy.rows=2")
	do(t, "append", "a.b", copyEvent(t, "01"))
	if err := os.CopyFS("other", os.DirFS("warehouse/a/b")); err != nil {
		t.Fatal(err)
	}
	heads, err := filepath.Glob("other/metadata/*.metadata.json")
	if err != nil || len(heads) != 2 {
		t.Fatal(heads, err)
	}
	text, err := os.ReadFile(slices.Max(heads))
	if err != nil {
		t.Fatal(err)
	}
	for setting, with := range map[string]string{`"firn.policy":"cap"`: `"firn.policy":"theirs"`, `"firn.policy.rows":"2"`: `"firn.policy.rows":"2.5"`} {
		if !strings.Contains(string(text), setting) {
			t.Fatalf("%s has no %s", text, setting)
		}
		text = []byte(strings.Replace(string(text), setting, with, 1))
	}
	writeFile(t, slices.Max(heads), text)
	for _, command := range []string{"tree", "files", "log", "check", "policy explain adaptive", "policy explain tiered", "stats"} {
		do(t, append(strings.Fields(command), "./other")...)
	}
	if r := run(t, "stats", "./other", "--output", "json"); !strings.Contains(r.stderr, "firn.policy names \"theirs\"") || rowsIn(t, r.stdout)[0]["due"] != nil {
		t.Errorf("%+v", r)
	}
	r := run(t, "policy", "advise", "./other", "--output", "json")
	if rows := rowsIn(t, r.stdout); r.code != 0 || len(rows) != 2+len(choose.Names()) || rows[len(rows)-1]["kind"] != "version-3" || !strings.Contains(r.stderr, "cap is left out: policy: table property firn.policy.rows") {
		t.Errorf("%+v", r)
	}
	refuse(t, 2, "firn.policy.rows", "policy", "advise", "./other", "--policy", "cap")
	refuse(t, 2, "firn.policy.rows", "policy", "explain", "cap", "./other")
}

func TestPolicyAdviseRefuses(t *testing.T) {
	newTable(t)
	refuse(t, 2, "no snapshots", "policy", "advise", "a.b")
	do(t, "append", "a.b", event("01"))
	for _, text := range []string{`no policy "best": known are`, `no policy "worst"`, `the policy "cap" is chosen twice`} {
		refuse(t, 2, text, "policy", "advise", "a.b", "--policy", "cap,best,worst,cap")
	}
	refuse(t, 2, "--maintenance-every takes a number from 0, not -1", "policy", "advise", "a.b", "--maintenance-every=-1")
	refuse(t, 2, "takes TABLE, and nothing is given", "policy", "advise")
	refuse(t, 6, "no table a.c", "policy", "advise", "a.c")
	refuse(t, 6, `branch "dev": not found`, "policy", "advise", "a.b", "--branch", "dev")
	refuse(t, 6, "--trace: . is a folder", "policy", "advise", "a.b", "--trace", ".")
	refuse(t, 6, "nowhere", "policy", "advise", "a.b", "--trace", "nowhere/trace.json")
}

// TestDocumentedAdvice: what docs/policy.md shows of a table of 24 leaves is what the commands there print, as far as no ids are in it: those
// of a table's own manifests differ in length from run to run.
func TestDocumentedAdvice(t *testing.T) {
	document := string(readFile(t, filepath.Join(events, "..", "..", "docs", "policy.md")))
	newTable(t, "--property", "firn.policy=cap", "--property", "firn.policy.rows=1")
	for number := 1; number <= 24; number++ {
		do(t, "append", "a.b", copyEvent(t, fmt.Sprintf("%02d", number)))
	}
	printed := make(map[string]bool)
	for line := range strings.Lines(do(t, "policy", "advise", "a.b")) {
		printed[strings.Join(strings.Fields(line), " ")] = true
	}
	_, block, found := strings.Cut(document, "    POLICY     KIND ")
	block, _, ends := strings.Cut(block, "\n\n")
	if !found || !ends {
		t.Fatal("the document shows no advice")
	}
	shown := 0
	for line := range strings.Lines(block) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[1] != "counted" && fields[1] != "replayed" {
			continue
		}
		shown++
		if !printed[strings.Join(fields, " ")] {
			t.Errorf("documented, but not printed: %s", line)
		}
	}
	if shown < 4 {
		t.Errorf("only %d lines", shown)
	}
}
