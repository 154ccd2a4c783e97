package cli_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/policy/simple"
)

var planColumns = []string{
	"commit", "step", "members", "rows", "reason", "term", "paid_bytes", "saved_bytes", "pays_after_commits",
	"root_bytes_before", "root_bytes_after", "leaves_before", "leaves_after",
}

// TestPolicyList has each policy that a table can choose, and tells the default one.
func TestPolicyList(t *testing.T) {
	rows := inAllForms(t, true, []string{"name", "default", "summary", "settings"}, "policy", "list")
	var names []string
	for _, row := range rows {
		names = append(names, row["name"].(string))
		if row["default"].(bool) != (row["name"] == choose.Default) {
			t.Errorf("%v", row)
		}
	}
	if got, want := strings.Join(names, " "), strings.Join(choose.Names(), " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if text := do(t, "policy", "list"); !strings.Contains(text, "firn.policy.rows=50000 rows") || !strings.Contains(text, "adaptive   yes ") {
		t.Errorf("%s", text)
	}
	tiered := rows[slices.Index(choose.Names(), "tiered")]["settings"].([]any)
	for i, most := range []float64{math.MaxInt64, math.MaxInt64, policy.MaxLeafRows} {
		if s := tiered[i].(map[string]any); s["most"] != most || s["least"] == nil {
			t.Errorf("%v, want at most %.0f", s, most)
		}
	}
	refuse(t, 2, "takes no words, not 1 word", "policy", "list", "cap")
}

// explained is what firn policy explain counts of a table that grows.
type explained struct {
	Policy, Does string
	Settings     []struct {
		Property, Value, Unit string
		Default               int64
	}
	Commits         int64
	Beyond          int64   `json:"beyond_fixed_bytes"`
	Bytes           int64   `json:"bytes_per_commit"`
	RootFixed       int64   `json:"root_fixed_bytes"`
	LowerBound      *int64  `json:"lower_bound_bytes"`
	TimesLowerBound float64 `json:"times_lower_bound"`
	Maintenance     int64   `json:"maintenance_commits"`
	Leaves          int64
	Note            *string
}

func explainJSON(t *testing.T, flags string) explained {
	t.Helper()
	var e explained
	text := do(t, strings.Fields("policy explain --output json "+flags)...)
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return e
}

// TestPolicyExplainCounts what a table costs that grows: whole commits, what is beyond the fixed price of roots, and the bound.
func TestPolicyExplainCounts(t *testing.T) {
	never := explainJSON(t, "never --files-per-commit 4 --commits 4 --columns 0")
	price := policy.EstimatePrices(0)
	if want := (1 + 2 + 3 + 4) * price.LooseBytes; never.Beyond != want || never.Bytes != want+price.RootFixedBytes || never.Leaves != 0 {
		t.Errorf("%+v, want %d bytes beyond %d", never, want, price.RootFixedBytes)
	}
	adaptive := explainJSON(t, "adaptive --commits 600")
	if adaptive.LowerBound == nil || adaptive.TimesLowerBound < 1 || adaptive.TimesLowerBound > 1.2 || adaptive.Does == "" || len(adaptive.Settings) != 7 {
		t.Errorf("%+v", adaptive)
	}
	// The figures of the policy are those of its settings.
	small := explainJSON(t, "tiered --commits 300 --property firn.policy.batch=5 --property firn.policy.ratio=2")
	large := explainJSON(t, "tiered --commits 300")
	if small.Beyond == large.Beyond || small.Settings[0].Value != "5" || small.Settings[0].Default != simple.DefaultBatch || large.Settings[0].Value != "" {
		t.Errorf("%+v and %+v", small, large)
	}
	often := explainJSON(t, "adaptive --commits 600 --files-per-commit 100 --columns 50")
	rarely := explainJSON(t, "adaptive --commits 600 --files-per-commit 100 --columns 50 --maintenance-every 0")
	if often.Maintenance == 0 || rarely.Maintenance != 0 {
		t.Errorf("%d maintenance commits, and %d without any", often.Maintenance, rarely.Maintenance)
	}
	text := do(t, strings.Fields("policy explain cap --commits 10")...)
	for _, want := range []string{"cap: a root with too many rows", "\nfirn.policy.rows  50000    -    rows  most rows", "\nbytes_per_commit  "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if tsv := do(t, strings.Fields("policy explain cap --commits 10 --output tsv")...); strings.Count(tsv, "\n") != 2 {
		t.Errorf("%q", tsv)
	}
}

// TestPolicyExplainTable tells what would become of a table in its next commit and in a maintenance commit, and writes nothing.
func TestPolicyExplainTable(t *testing.T) {
	newTable(t, "--property", "firn.policy=never", "--property", "firn.policy.rows=2")
	for _, number := range []string{"01", "02", "03"} {
		do(t, "append", "a.b", copyEvent(t, number))
	}
	before := do(t, "log", "a.b")
	rows := inAllForms(t, true, planColumns, "policy", "explain", "cap", "a.b", "--files-per-commit", "2")
	if got := countBy(rows, "commit", "step"); got["now nothing"] != 1 || got["next push"] != 3 || got["maintenance push"] != 1 || len(rows) != 5 {
		t.Errorf("%v", got)
	}
	// Sizes go on from step to step, and begin with the root as it is.
	last := rows[1]
	for _, row := range rows[2:4] {
		if row["root_bytes_before"] != last["root_bytes_after"] || row["leaves_before"] != last["leaves_after"] {
			t.Errorf("%v after %v", row, last)
		}
		last = row
	}
	files := rowsIn(t, do(t, "stats", "a.b", "--output", "json"))
	if rows[0]["root_bytes_after"] != files[0]["root_bytes"] || rows[4]["root_bytes_before"] != files[0]["root_bytes"] {
		t.Errorf("the root has %v bytes: %v", files[0]["root_bytes"], rows)
	}
	idle := rowsIn(t, do(t, "policy", "explain", "never", "a.b", "--output", "json"))
	if len(idle) != 3 || idle[1]["step"] != "stays" || idle[1]["rows"] != 4.0 || idle[2]["rows"] != 3.0 || idle[1]["term"] != nil ||
		idle[1]["paid_bytes"].(float64) <= idle[2]["paid_bytes"].(float64) || idle[1]["saved_bytes"].(float64) <= idle[2]["saved_bytes"].(float64) ||
		!strings.Contains(idle[1]["reason"].(string), "would pay after ") || idle[1]["root_bytes_after"].(float64) <= idle[2]["root_bytes_after"].(float64) {
		t.Errorf("%v", idle)
	}
	tuned := rowsIn(t, do(t, "policy", "explain", "cap", "a.b", "--property", "firn.policy.rows=100", "--output", "json"))
	if len(tuned) != 3 {
		t.Errorf("with other settings than the table's: %v", tuned)
	}
	if after := do(t, "log", "a.b"); after != before {
		t.Errorf("the table has changed:\n%s", after)
	}
	// A table that is only read, and one without snapshots.
	if got := rowsIn(t, do(t, "policy", "explain", "cap", "./warehouse/a/b", "--files-per-commit", "2", "--output", "json")); len(got) != len(rows) {
		t.Errorf("by its path: %v", got)
	}
	do(t, "init", "a.c", "--like", event("01"))
	empty := rowsIn(t, do(t, "policy", "explain", "adaptive", "a.c", "--output", "json"))
	if len(empty) != 3 || empty[1]["reason"] != "a leaf of all loose files would make no root smaller" || empty[1]["pays_after_commits"] != nil ||
		empty[2]["step"] != "nothing" || empty[2]["reason"] == nil {
		t.Errorf("without snapshots: %v", empty)
	}
}

// TestPolicyExplainDeferred: what is too much for a writer waits, and is what maintenance would do.
func TestPolicyExplainDeferred(t *testing.T) {
	newTable(t, "--property", "firn.policy=cap", "--property", "firn.policy.rows=1")
	for number := 1; number <= 24; number++ {
		do(t, "append", "a.b", copyEvent(t, fmt.Sprintf("%02d", number)))
	}
	rows := rowsIn(t, do(t, "policy", "explain", "adaptive", "a.b", "--property", "firn.policy.foreground-bytes=1", "--output", "json"))
	if got := countBy(rows, "commit", "step"); got["next deferred"] != 1 || got["maintenance merge"] != 1 {
		t.Errorf("%v", rows)
	}
	merge := rows[len(rows)-1]
	if merge["term"] != "rent" || merge["paid_bytes"].(float64) <= merge["saved_bytes"].(float64) || merge["pays_after_commits"].(float64) < 2 ||
		merge["leaves_before"] != 24.0 || merge["leaves_after"] != 1.0 {
		t.Errorf("%v", merge)
	}
	text := do(t, "maintain", "a.b", "--dry-run", "--policy", "adaptive")
	for _, want := range []string{"STEP ", "\nmerge ", " rent ", "\nnow    a root of ", ", 24 leaves, 0 loose files\nthen   about a root of ", ", 1 leaf, "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestPolicyExplainThin: a root near its limit loses statistics, which is a line of the plan, and said to who commits.
func TestPolicyExplainThin(t *testing.T) {
	newTable(t, "--property", "firn.policy=cap", "--property", "firn.policy.rows=1")
	for number := 1; number <= 20; number++ {
		do(t, "append", "a.b", copyEvent(t, fmt.Sprintf("%02d", number)))
	}
	now := rowsIn(t, do(t, "policy", "explain", "adaptive", "a.b", "--output", "json"))[0]["root_bytes_after"].(float64)
	limits := []string{fmt.Sprintf("firn.policy.root-bytes=%.0f", now), "firn.policy.foreground-bytes=1"}
	rows := rowsIn(t, do(t, "policy", "explain", "adaptive", "a.b", "--property", limits[0], "--property", limits[1], "--output", "json"))
	i := slices.IndexFunc(rows, func(row answer) bool { return row["commit"] == "next" && row["step"] == "thin" })
	if i < 0 || rows[i]["members"].(float64) < 1 || rows[i]["saved_bytes"].(float64) < 1 || rows[i]["root_bytes_after"].(float64) > now {
		t.Fatalf("%v", rows)
	}
	text := do(t, "policy", "explain", "adaptive", "a.b", "--property", limits[0], "--property", limits[1])
	if !strings.Contains(text, "\nnext         thin ") || !strings.Contains(text, "but for the columns that the table is partitioned by") {
		t.Error(text)
	}
}

// TestMaintainThins: what a dry run says of pointers that lose statistics is done in a commit of its own, and then there is nothing to do.
func TestMaintainThins(t *testing.T) {
	newTable(t, "--property", "firn.policy.rows=1", "--property", "firn.policy.root-bytes=11500", "--property", "firn.policy.leaf-bytes=1")
	files := []string{"append", "a.b"}
	for number := 1; number <= 20; number++ {
		files = append(files, copyEvent(t, fmt.Sprintf("%02d", number)))
	}
	do(t, files...) // many at once: the table is so young that no merge pays
	do(t, "maintain", "a.b", "--policy", "cap")
	dry := run(t, "maintain", "a.b", "--policy", "adaptive", "--dry-run", "--output", "json")
	rows := rowsIn(t, dry.stdout)
	if len(rows) != 1 || rows[0]["step"] != "thin" || rows[0]["root_bytes_after"].(float64) >= rows[0]["root_bytes_before"].(float64) ||
		!strings.Contains(dry.stderr, "without --dry-run there would be 1 step") {
		t.Fatalf("%v\n%s", rows, dry.stderr)
	}
	if text := do(t, "maintain", "a.b", "--policy", "adaptive", "--dry-run"); !strings.Contains(text, "\nthen   about a root of ") {
		t.Error(text)
	}
	r := run(t, "maintain", "a.b", "--policy", "adaptive", "--output", "json")
	done := rowsIn(t, r.stdout)
	if len(done) != 1 || done[0]["members"] != rows[0]["members"] || done[0]["snapshot_id"] == nil || !strings.Contains(r.stderr, "it leaves out statistics of ") {
		t.Errorf("%v, planned were %v\n%s", done, rows, r.stderr)
	}
	if again := run(t, "maintain", "a.b", "--policy", "adaptive"); again.stdout != "nothing to do\n" || strings.Contains(again.stderr, "statistics") {
		t.Errorf("again: %+v", again)
	}
	if r := run(t, "check", "a.b", "--history", "--storage", "--strict"); r.code != 0 {
		t.Errorf("check: %+v", r)
	}
}

// TestCommitTellsOfThinning: who commits is told that pointers lose statistics.
func TestCommitTellsOfThinning(t *testing.T) {
	newTable(t, "--property", "firn.policy.root-bytes=12000", "--property", "firn.policy.foreground-bytes=1", "--property", "firn.policy.leaf-bytes=1")
	told := 0
	for number := 1; number <= 24; number++ {
		r := run(t, "append", "a.b", copyEvent(t, fmt.Sprintf("%02d", number)))
		if r.code != 0 {
			t.Fatal(r.stderr)
		}
		if strings.Contains(r.stderr, "it leaves out statistics of ") {
			told++
		}
	}
	if told == 0 {
		t.Error("nobody was told")
	}
}

func TestPolicyExplainRefuses(t *testing.T) {
	newTable(t)
	do(t, "append", "a.b", event("01"))
	for flags, texts := range map[string][]string{
		"best":         {`no policy "best": known are adaptive, cap`},
		"":             {"takes POLICY [TABLE], and nothing is given"},
		"cap a.b more": {"takes POLICY [TABLE], not 3 words"},
		"cap --files-per-commit 0 --commits x --columns=-1 --maintenance-every 1.5": {
			"--files-per-commit takes a number from 1, not 0", "--commits takes a number from 1, not x", "--columns takes a number from 0, not -1",
			"--maintenance-every takes a number from 0, not 1.5"},
		"cap --files-per-commit 1000000 --commits 1001": {"--files-per-commit times --commits is at most 1000000000 files, not 1000000 times 1001"},
		"cap --columns 10001":                           {"--columns takes at most 10000, not 10001"},
		"adaptive --property firn.policy.root-bytes=0 --property firn.policy.leaf-bytes=x --property firn.policy.nope=3 --property y": {
			"root-bytes is \"0\"", "leaf-bytes is \"x\"", "no setting firn.policy.nope", "KEY=VALUE is needed"},
		"cap --property firn.policy.batch=3":                 {"policy cap has no setting firn.policy.batch"},
		"cap --property firn.policy.rows=0":                  {"firn.policy.rows is \"0\""},
		"cap --property firn.policy.rows":                    {"KEY=VALUE is needed"},
		"cap --branch dev":                                   {"--branch is for a table"},
		"cap a.b --columns 3":                                {"--columns is for a table that grows from nothing"},
		"cap a.b --files-per-commit 0":                       {"takes a number from 1"},
		"cap a.b --files-per-commit 1000001":                 {"at most 1000000 files"},
		"adaptive --property firn.policy.foreground-bytes=x": {"foreground-bytes is \"x\""},
	} {
		for _, text := range texts {
			refuse(t, 2, text, strings.Fields("policy explain "+flags)...)
		}
	}
	refuse(t, 6, "no table a.c", "policy", "explain", "cap", "a.c")
	refuse(t, 6, `branch "dev": not found`, "policy", "explain", "cap", "a.b", "--branch", "dev")
}
