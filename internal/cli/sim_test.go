package cli_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/sim"
)

// misuse is a trace that finds something in a correct engine: a clean-up that spares nothing, beside a commit.
const misuse = `firn sim trace 1
config {"Writers":3,"Commits":5,"Seed":9}
start 3 add 1-2 records=3
step 3
step 3
# the commit
start 1 add 3 records=4
step 1
start 2 clean-up 0
step 2
step 2
step 2
step 2
step 1
`

// simAnswer is what the simulator prints in JSON.
type simAnswer struct {
	Seed              uint64
	Commits, Attempts int64
	Violations        int
	TraceHash         string  `json:"trace_hash"`
	AttemptsPerSecond *int64  `json:"attempts_per_second"`
	CommitsPerSecond  *int64  `json:"commits_per_second"`
	AttemptsPerCommit float64 `json:"attempts_per_commit"`
	PeakMemoryBytes   int64   `json:"peak_memory_bytes"`
	Runs              int64
	Shards            []string
	Faults            map[string]int64
	Findings          []sim.Violation
	Trace             *string
}

func simJSON(t *testing.T, code int, args ...string) simAnswer {
	t.Helper()
	r := run(t, append(append([]string{"sim"}, args...), "--output", "json")...)
	if r.code != code {
		t.Fatalf("firn sim %s: code %d, want %d\n%s%s", strings.Join(args, " "), r.code, code, r.stdout, r.stderr)
	}
	var a simAnswer
	if err := json.Unmarshal([]byte(r.stdout), &a); err != nil {
		t.Fatalf("%q: %v", r.stdout, err)
	}
	return a
}

// TestSimRun: the same flags give the same run, and each flag that decides something another one.
func TestSimRun(t *testing.T) {
	in(t)
	flags := []string{"run", "--seed", "7", "--writers", "3", "--commits", "20", "--profile", "cdc", "--policy", "cap", "--faults", "0.2"}
	first, second := simJSON(t, 0, flags...), simJSON(t, 0, flags...)
	if first.TraceHash != second.TraceHash || first.Seed != 7 || first.Commits < 20 || first.Attempts < first.Commits ||
		first.Violations != 0 || first.AttemptsPerSecond == nil || first.CommitsPerSecond == nil || first.AttemptsPerCommit < 1 ||
		first.PeakMemoryBytes < 1<<20 || len(first.Faults) == 0 {
		t.Errorf("%+v\n%+v", first, second)
	}
	hashes := map[string]string{first.TraceHash: "nothing"}
	for _, more := range []string{
		"--seed 8", "--writers 5", "--commits 21", "--profile mixed", "--policy never", "--faults 0", "--rows 3", "--files 40",
		"--data-files", "--parquet", "--set delete=1", "--set victims.last=90", "--property x=y",
	} {
		a := simJSON(t, 0, append(flags[:len(flags):len(flags)], strings.Fields(more)...)...)
		if hashes[a.TraceHash] != "" {
			t.Errorf("%s gives the run of %s", more, hashes[a.TraceHash])
		}
		hashes[a.TraceHash] = more
	}
	if text := do(t, append([]string{"sim"}, flags...)...); !strings.Contains(text, "\nviolations           0\n") || strings.Contains(text, "again:") {
		t.Errorf("the text is %s", text)
	}
	if files, _ := os.ReadDir("."); len(files) > 0 {
		t.Errorf("a run that finds nothing leaves %v", files)
	}
}

// TestSimStages: a long run tells how it goes, and its figures say what its largest things were.
func TestSimStages(t *testing.T) {
	in(t)
	flags := []string{"sim", "run", "--commits", "30", "--policy", "adaptive", "--property", "firn.policy.root-bytes=9000"}
	r := run(t, append(flags, "--every", "10")...)
	if lines := strings.Count(r.stderr, " commits, "); r.code != 0 || lines < 2 || lines > 3 || !strings.Contains(r.stderr, " MiB in use; ") {
		t.Errorf("code %d, standard error is %s", r.code, r.stderr)
	}
	for _, figure := range []string{"largest_root_bytes", "rewritten_bytes", "forced_commits"} {
		if !strings.Contains(r.stdout, "\n"+figure+" ") {
			t.Errorf("no %s: %s", figure, r.stdout)
		}
	}
	root := func(text string) string {
		_, text, _ = strings.Cut(text, "\nlargest_root_bytes")
		text, _, _ = strings.Cut(text, "\n")
		return text
	}
	if more := do(t, append(flags, "--row-bytes", "300")...); root(more) == root(r.stdout) {
		t.Errorf("rows that take more make no larger root: %s", root(more))
	}
	refuse(t, 2, "--every takes a number from 0", append(flags, "--every", "-1")...)
	refuse(t, 2, "none in Parquet", append(flags, "--parquet", "--row-bytes", "1")...)
}

// TestSimFlagsOfAConfig: the flags that package sim says make a run make it.
func TestSimFlagsOfAConfig(t *testing.T) {
	for n := range int64(12) {
		c := sim.SoakConfig{Seed: 5, Commits: 8}.Config(n)
		want, err := sim.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if got := simJSON(t, 0, append([]string{"run"}, c.Flags("")...)...); got.TraceHash != want.TraceHash {
			t.Errorf("firn sim run %s makes another run", strings.Join(c.Flags(""), " "))
		}
	}
}

// TestSimProfileFile: a profile that was printed is the same workload when it is read.
func TestSimProfileFile(t *testing.T) {
	in(t)
	writeFile(t, "mine.json", []byte(do(t, "sim", "profiles", "adversarial")))
	want := simJSON(t, 0, "run", "--profile", "adversarial", "--commits", "10")
	if got := simJSON(t, 0, "run", "--profile", "./mine.json", "--commits", "10"); got.TraceHash != want.TraceHash {
		t.Errorf("the printed profile makes another run")
	}
	if text := do(t, "sim", "profiles"); strings.Count(text, "\n") != 1+len(sim.Profiles()) {
		t.Errorf("the list is %s", text)
	}
	for text, want := range map[string]string{
		`{"append":1`:                        "unexpected EOF",
		`{"appends":1}`:                      `unknown field "appends"`,
		`{}`:                                 "no program has a weight",
		`{"append":-1}`:                      "a weight of -1",
		`{"name":"","append":1}`:             "without a name",
		`{"append":1,"min-files":5} {"x":1}`: "there is more",
	} {
		writeFile(t, "bad.json", []byte(text))
		refuse(t, 5, want, "sim", "run", "--profile", "bad.json")
		refuse(t, 5, want, "sim", "soak", "--runs", "1", "--profile", "bad.json")
	}
	refuse(t, 6, "no such file", "sim", "run", "--profile", "none.json")
}

// TestSimReplay: a trace is done again with its trees, and what it finds is made smaller and saved.
func TestSimReplay(t *testing.T) {
	in(t)
	writeFile(t, "long.trace", []byte(misuse))
	r := run(t, "sim", "replay", "long.trace", "--shrink", "--save", "small")
	for _, want := range []string{
		"1\tstart 3 add 1-2 records=3\n2\tstep 3\n3\tstep 3\n\tmain\n\t  tree snapshot=1 ", "\t  loose ADDED data/2.parquet rows=3\n4\tstart 1",
		"unreadable: get mem://sim/t/metadata/", "trace of 8 actions: firn sim replay small/sim-mixed-9-unreadable.trace\n",
	} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("the text has no %q:\n%s", want, r.stdout)
		}
	}
	if r.code != 1 || strings.Count(r.stdout, "\tmain\n") != 1 {
		t.Errorf("code %d, and the tree is printed when it did not change:\n%s", r.code, r.stdout)
	}
	small := simJSON(t, 1, "replay", "small/sim-mixed-9-unreadable.trace")
	if small.Violations == 0 || small.Findings[0].Check != "unreadable" || small.Trace != nil {
		t.Errorf("the smaller trace: %+v", small)
	}
	if long := run(t, "sim", "replay", "long.trace", "--quiet", "--leaves"); long.code != 1 || strings.Contains(long.stdout, "start") {
		t.Errorf("code %d: %s", long.code, long.stdout)
	}
}

// TestSimReplayLeaves prints the rows of leaves too.
func TestSimReplayLeaves(t *testing.T) {
	in(t)
	writeFile(t, "t.trace", []byte("firn sim trace 1\nconfig {\"Writers\":1}\nstart 1 add 1-20 records=3\nstep 1\nstep 1\n"))
	if text := do(t, "sim", "replay", "t.trace"); strings.Contains(text, "\n\t    3 ADDED") || !strings.Contains(text, "\n\t  leaf ADDED") {
		t.Errorf("without --leaves: %s", text)
	}
	if text := do(t, "sim", "replay", "t.trace", "--leaves", "--long"); !strings.Contains(text, "\n\t    3 ADDED data/4.parquet rows=3 ") {
		t.Errorf("with --leaves: %s", text)
	}
}

// TestSimBadTraces: what is no trace, or cannot be done again, is refused and said where.
func TestSimBadTraces(t *testing.T) {
	in(t)
	refuse(t, 6, "no such file", "sim", "replay", "none.trace")
	refuse(t, 6, "is a directory", "sim", "replay", ".")
	for text, want := range map[string]string{
		"":                                   "without a configuration",
		"firn sim trace 99\n":                "line 1: trace of another version: 99, this is version 1",
		"firn sim trace 1\n# so\n\nstep 1\n": "line 4: want the configuration",
		strings.Repeat("x", 16<<20+1):        "line 1: longer than 16777216 bytes",
		strings.Replace(misuse, "}\n", "} {}\n", 1):                    "line 2: there is more behind the configuration",
		strings.Replace(misuse, "1-2", "2-1", 1):                       "line 3: ",
		strings.Replace(misuse, `"Writers":3`, `"Writers":-3`, 1):      "-3 writers: want 1 to 1000",
		strings.Replace(misuse, "step 3\nstep 3", "step 3\nstep 2", 1): "does not replay: action 3: step 2: the writer has no program under way",
	} {
		writeFile(t, "bad.trace", []byte(text))
		r := run(t, "sim", "replay", "bad.trace")
		r.stdout = "" // the steps so far
		checkFailure(t, r, 5, want, "sim", "replay")
	}
}

// TestSimShards: the shards of a soak are the soak, and what is missing or there twice is said.
func TestSimShards(t *testing.T) {
	in(t)
	soak := []string{"soak", "--seed", "4", "--runs", "4", "--commits", "10"}
	whole := simJSON(t, 0, append(soak, "--out", "whole")...)
	for _, shard := range []string{"1/2", "2/2"} {
		a := simJSON(t, 0, append(soak, "--shard", shard, "--out", "parts")...)
		if a.Runs != 2 || a.TraceHash == whole.TraceHash || a.PeakMemoryBytes == 0 {
			t.Errorf("shard %s: %+v", shard, a)
		}
	}
	both := simJSON(t, 0, "report", "parts")
	if diff := cmp.Diff([]any{whole.Seed, whole.Runs, whole.Commits, whole.Attempts, whole.TraceHash, whole.Faults},
		[]any{both.Seed, both.Runs, both.Commits, both.Attempts, both.TraceHash, both.Faults}); diff != "" {
		t.Errorf("the shards are not the whole (-whole +shards):\n%s", diff)
	}
	refuse(t, 2, "two results have the same runs: shard ", "sim", "report", "parts", "whole")
	refuse(t, 2, "two results have the same runs: shard 1/1 of seed 4", "sim", "report", "whole", "whole")
	if err := os.Remove("parts/soak-4-1-of-2.json"); err != nil {
		t.Fatal(err)
	}
	r := run(t, "sim", "report", "parts")
	if !strings.Contains(r.stdout, "\nruns                 2\n") {
		t.Errorf("what is there is not printed: %s", r.stdout)
	}
	r.stdout = ""
	checkFailure(t, r, 6, "shard 1/2 of seed 4 has no result", "sim", "report")
}

// TestSimInterrupted: a soak that somebody stops says what it did until then.
func TestSimInterrupted(t *testing.T) {
	in(t)
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(2*time.Second, stop)
	r := runWith(ctx, "", nil, "sim", "soak", "--for", "1h", "--commits", "1")
	if !strings.Contains(r.stdout, "\nattempts  ") || r.code != 130 {
		t.Errorf("exit code %d, printed %q", r.code, r.stdout)
	}
}

// TestSimOtherSoaks: results of one seed that were asked for other runs are not shards of one soak.
func TestSimOtherSoaks(t *testing.T) {
	in(t)
	shard := func(n string, more ...string) {
		do(t, append([]string{"sim", "soak", "--seed", "4", "--shard", n + "/2", "--out", "parts"}, more...)...)
	}
	shard("1", "--runs", "2", "--commits", "5")
	for _, other := range [][]string{
		{"--runs", "2", "--commits", "6"}, {"--runs", "4", "--commits", "5"}, {"--runs", "2", "--commits", "5", "--profile", "cdc"},
	} {
		shard("2", other...)
		refuse(t, 2, "commits, runs or profiles differ", "sim", "report", "parts")
	}
	shard("2", "--runs", "2", "--commits", "5")
	do(t, "sim", "report", "parts")
}

// TestSimBadResults: a folder without results, and files that are none.
func TestSimBadResults(t *testing.T) {
	folder := in(t)
	refuse(t, 6, "there is no result", "sim", "report", folder)
	refuse(t, 6, "no such file", "sim", "report", "none")
	do(t, "sim", "soak", "--seed", "4", "--runs", "1", "--commits", "5", "--out", ".")
	text := string(readFile(t, "soak-4-1-of-1.json"))
	for name, broken := range map[string]string{
		"unexpected EOF":      text[:len(text)/2],
		"version 3":           strings.Replace(text, `"version":2`, `"version":3`, 1),
		"shard 0 of 1":        strings.Replace(text, `"shard":1`, `"shard":0`, 1),
		"a count of -1":       strings.Replace(text, `"runs":1,"counts"`, `"runs":-1,"counts"`, 1),
		"a count of -77":      strings.Replace(text, `"verbs":{`, `"verbs":{"x":-77,`, 1),
		"is no trace_hash":    strings.Replace(text, `"trace_hash":"`, `"trace_hash":"0`, 1),
		"nothing is said":     strings.Replace(text, `"found":null`, `"found":[{"run":3}]`, 1),
		`unknown field "rnu"`: strings.Replace(text, `"runs"`, `"rnu"`, 1),
	} {
		writeFile(t, "soak-4-1-of-1.json", []byte(broken))
		refuse(t, 5, name, "sim", "report", ".")
	}
}

// TestSimOddFolder: a folder whose name is a pattern is itself.
func TestSimOddFolder(t *testing.T) {
	in(t)
	for _, folder := range []string{"[x]", "*", `a\b`} {
		a := simJSON(t, 0, "soak", "--seed", "4", "--runs", "1", "--commits", "5", "--out", folder)
		if b := simJSON(t, 0, "report", folder); b.TraceHash != a.TraceHash || b.Runs != 1 {
			t.Errorf("%s: %+v, want %+v", folder, b, a)
		}
	}
}

// TestSimHugeNumbers: a number that fits its flag and cannot be meant is refused as wrong use, before anything is made for it, or
// is one like any other.
func TestSimHugeNumbers(t *testing.T) {
	in(t)
	const huge = "9223372036854775807"
	for _, args := range [][]string{
		{"run", "--writers", huge}, {"run", "--files", huge}, {"run", "--faults", "1e300"}, {"run", "--set", "append=" + huge},
		{"run", "--set", "victims.last=" + huge}, {"run", "--set", "max-files=" + huge}, {"run", "--set", "hot=" + huge},
		{"soak", "--runs", huge, "--workers", huge}, {"explore", "--workers", huge}, {"explore", "--writers", huge},
		{"explore", "--operations", huge}, {"explore", "--faults", huge}, {"soak", "--for", huge + "h"},
		{"run", "--commits", huge}, {"soak", "--runs", "1", "--commits", huge},
	} {
		refuse(t, 2, "", append([]string{"sim"}, args...)...)
	}
	do(t, "sim", "run", "--commits", "3", "--attempts", huge, "--full-every", huge, "--rows", huge, "--set", "retain="+huge, "--seed", "18446744073709551615")
	do(t, "sim", "soak", "--seed", "4", "--runs", "2", "--shard", "1/"+huge, "--commits", "3", "--failures", huge)
}

// TestSimNoPlace: a folder that cannot be is refused before a run begins.
func TestSimNoPlace(t *testing.T) {
	in(t)
	writeFile(t, "file", nil)
	place := filepath.Join("file", "below")
	refuse(t, 6, "not a directory", "sim", "run", "--save", place)
	refuse(t, 6, "not a directory", "sim", "soak", "--for", "1h", "--out", place)
	refuse(t, 6, "not a directory", "sim", "soak", "--for", "1h", "--save", place)
}
