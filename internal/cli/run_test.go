package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/firn-io/firn/internal/cli"
)

func TestWrongUse(t *testing.T) {
	newTable(t)
	do(t, "append", "a.b", event("01"))
	for _, test := range []struct{ text, args string }{
		{"a command is needed", ""},
		{`no command "chek", did you mean check?`, "chek"},
		{`no command "frobnicate"`, "frobnicate"},
		{`no command "frobnicate"`, "help frobnicate"},
		{"unknown flag: --nonsense", "files a.b --nonsense"},
		{"one of text, json, tsv is needed", "files a.b --output yaml"},
		{`no command "nope" in firn bitmap`, "help bitmap nope"},
		{`no command "sho" in firn bitmap, did you mean show?`, "help bitmap sho"},
		{`no command "extra" in firn log, which has none: see firn help log`, "help log extra"},
		{"unknown flag: --nonsense: see firn help bitmap show", "bitmap show 00 --nonsense"},
		{"flag needs an argument: --where: see firn help files", "files a.b --where"},
		{"firn files takes TABLE [SNAPSHOT], and nothing is given: see firn help files", "files"},
		{"firn files takes TABLE [SNAPSHOT], not 3 words: see firn help files", "files a.b 1 2"},
		{"firn init takes NAMESPACE.NAME, not 2 words: see firn help init", "init a.b c.d --like x"},
		{"firn register takes NAMESPACE.NAME METADATA.json, not 1 word", "register a.b"},
		{"firn check takes TARGET..., and nothing is given", "check"},
		{"firn rules takes [ID], not 2 words", "rules A B"},
		{"firn bitmap decode takes HEX|FILE, and nothing is given: see firn help bitmap decode", "bitmap decode"},
		{"firn completion needs bash, fish, powershell or zsh: see firn help completion", "completion"},
		{`no command "zshh" in firn completion, did you mean zsh?`, "completion zshh"},
		{"firn completion zsh takes no words, not 1 word", "completion zsh x"},
		{"NAMESPACE.NAME is needed for a table of the catalog, or the path of a folder", "files nodots"},
		{`catalog of kind "mysql": known forms are`, "--catalog mysql://u:p@h/d files a.b"},
		{"no address of a catalog", "--catalog postgres:h/d files a.b"},
		{"FROM=TO is needed", "files a.b --map nonsense"},
		{"an empty location", "remove a.b "},
		{"takes --positions", "delete-rows a.b x"},
		{"range 7-3 ends before it begins", "delete-rows a.b x --positions 7-3"},
		{"one of adaptive, cap, leveled, never, sqrt, tiered, when-full is needed", "maintain a.b --policy nope"},
		{"firn restore takes TABLE SNAPSHOT, not 1 word", "restore a.b"},
		{`snapshot "x": an id, @branch, @tag or ~N is needed`, "restore a.b x"},
		{"firn branch takes TABLE create|drop|fast-forward|list [NAME], not 1 word", "branch a.b"},
		{`firn branch has no "rename"`, "branch a.b rename x"},
		{"takes a name", "branch a.b create"},
		{"takes no name", "branch a.b list x"},
		{"takes no --to", "branch a.b create x --to 1"},
		{"takes no --tag", "branch a.b drop x --tag"},
		{"takes no --at", "branch a.b drop x --to 1 --at 1"},
		{"takes --to SNAPSHOT", "branch a.b fast-forward x"},
		{"--min-snapshots takes a number from 1", "branch a.b create x --min-snapshots 0"},
		{"takes one of --keep N and --older-than DURATION", "expire a.b"},
		{"takes one of --keep N and --older-than DURATION", "expire a.b --keep 1 --older-than 3h"},
		{"--keep takes a number of snapshots from 1", "expire a.b --keep -1"},
		{"a length of time such as 72h, 30m or 5d is needed", "expire a.b --older-than 5"},
		{"needs --force", "orphans a.b --older-than 0s"},
		{"a length of time such as 72h", "orphans a.b --older-than=-3h"},
		{"firn changes takes TABLE FROM TO, not 2 words", "changes a.b 1"},
		{"a number from 0 to 1 is needed", "stats a.b --fail-loose-share 2"},
		{"is needed", "stats a.b --fail-root-bytes x"},
		{"firn bitmap needs decode, encode or show: see firn help bitmap", "bitmap"},
		{`no command "frob"`, "bitmap frob"},
		{`no rule "NONE"`, "rules NONE"},
		{`no rule "NONE"`, "check a.b --rule NONE"},
		{`no rule "none": firn rules lists them`, "check a.b --skip none"},
		{"rule S-ORPHAN is checked with --storage only", "check a.b --rule s-orphan"},
		{"rule X-LOST is checked with --history only", "check a.b --rule X-LOST"},
		{"rule D-BOUNDS is checked with --data only", "check a.b --storage --rule D-BOUNDS"},
		{"rule C-ADDED needs a promise", "check a.b --skip c-added"},
		{"--where: filter, column 1: there is no column x", "files a.b --where x=1"},
		{"text or json, not tsv", "check a.b --output tsv"},
		{"one of text, json is needed", "check a.b --format junit"},
		{"firn policy needs advise, bound, explain or list: see firn help policy", "policy"},
		{`no command "bund" in firn policy, did you mean bound?`, "policy bund"},
		{"firn sim needs compare, explore, profiles, replay, report, run or soak: see firn help sim", "sim"},
		{`no command "rum" in firn sim, did you mean run?`, "sim rum"},
		{"firn sim run takes no words, not 1 word", "sim run 7"},
		{"--seed", "sim run --seed -1"},
		{"--writers takes a number from 1, not 0", "sim run --writers 0"},
		{"--commits takes a number from 1, not -3", "sim run --commits -3"},
		{"--full-every takes a number from 1, not 0", "sim run --full-every 0"},
		{"2000 writers: want 1 to 1000", "sim run --writers 2000"},
		{"a share of faults of 1.5: want 0 to 1", "sim run --faults 1.5"},
		{"a share of faults of NaN", "sim run --faults NaN"},
		{"-1 files", "sim run --files -1"},
		{"one of adaptive, cap, leveled, never, sqrt, tiered, when-full is needed", "sim run --policy best"},
		{"--rows belongs to the policy cap, not to never", "sim run --policy never --rows 4"},
		{`there is no profile "nope": want one of stream, cdc, batch, mixed, adversarial, or the path of a FILE.json`, "sim run --profile nope"},
		{"FIELD=N is needed", "sim run --set delete"},
		{"no such field of a profile", "sim run --set deletes=3"},
		{"no such field of a profile", "sim run --set victims.first=3"},
		{"no such field of a profile", "sim run --set name=3"},
		{"a weight of -3", "sim run --set delete=-3"},
		{"KEY=VALUE is needed", "sim run --property x"},
		{"takes --for DURATION or --runs N", "sim soak"},
		{"a length of time such as 72h", "sim soak --for 5"},
		{"--for takes a length of time above 0", "sim soak --for 0s"},
		{"take numbers from 1", "sim soak --runs 0"},
		{"take numbers from 1", "sim soak --runs 1 --workers 0"},
		{"--shard takes --seed too", "sim soak --runs 1 --shard 1/2"},
		{"--shard 3/2: I/N is needed, with I from 1 to N", "sim soak --runs 1 --seed 1 --shard 3/2"},
		{"--shard 0/2: I/N is needed", "sim soak --runs 1 --seed 1 --shard 0/2"},
		{"--shard x: I/N is needed", "sim soak --runs 1 --seed 1 --shard x"},
		{"two profiles have the name cdc", "sim soak --runs 1 --profile cdc --profile cdc"},
		{`there is no profile "nope"`, "sim profiles nope"},
		{"firn sim replay takes FILE, and nothing is given", "sim replay"},
		{"firn sim report takes DIR..., and nothing is given", "sim report"},
		{"prints text only", "tree a.b --output tsv"},
		{"prints text only", "bitmap encode 1 --output tsv"},
	} {
		var args []string
		if test.args != "" {
			args = strings.Split(test.args, " ")
		}
		refuse(t, 2, test.text, args...)
	}
}

func TestVersion(t *testing.T) {
	lines := strings.Split(do(t, "--version"), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "firn ") || lines[1] != "go "+runtime.Version() ||
		lines[2] != "spec apache/iceberg fd3a81b15c (2026-10-14)" {
		t.Errorf("version: %q", lines)
	}
}

// TestHelp asks every command for its help in both ways.
func TestHelp(t *testing.T) {
	names := []string{
		"init", "register", "append", "remove", "replace", "delete-rows", "restore", "branch", "maintain", "expire", "orphans",
		"outcome", "log", "tree", "files", "changes", "stats", "manifest", "check", "rules", "bitmap", "policy", "sim",
	}
	list := do(t, "help")
	if do(t, "--help") != list {
		t.Error("firn help and firn --help differ")
	}
	for _, name := range names {
		if !strings.Contains(list, "\n  "+name+" ") {
			t.Errorf("firn help does not list %s", name)
		}
		help := do(t, "help", name)
		if help != do(t, name, "--help") {
			t.Errorf("firn help %s and firn %s --help differ", name, name)
		}
		if !strings.Contains(help, "firn "+name) {
			t.Errorf("firn help %s: %s", name, help)
		}
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if script := do(t, "completion", shell); !strings.Contains(script, "firn") {
			t.Errorf("%s: %q", shell, script)
		}
	}
	for words, want := range map[string]string{
		"files x --output ":         "json",
		"check --format ":           "text",
		"check --as ":               "leaf",
		"rules READ":                "READ-ROOT",
		"check --rule READ":         "READ-ROOT",
		"check --skip READ":         "READ-ROOT",
		"bitmap ":                   "encode",
		"maintain --policy ":        "when-full",
		"branch x ":                 "fast-forward",
		"sim run --profile ":        "adversarial",
		"sim run --policy ":         "when-full",
		"policy ":                   "bound",
		"policy explain ":           "adaptive",
		"policy advise x --policy ": "adaptive",
		"sim profiles ":             "cdc",
	} {
		r := run(t, append([]string{"__complete"}, strings.Split(words, " ")...)...)
		if r.code != 0 || !strings.Contains(r.stdout, want) {
			t.Errorf("%q: %q, want %s among it", words, r.stdout, want)
		}
	}
}

// TestErrorsInJSON has the exit code and the message in one object.
func TestErrorsInJSON(t *testing.T) {
	in(t)
	for code, args := range map[int][]string{
		2: {"files", "nodots", "--output", "json"},
		5: {"bitmap", "decode", "02", "--output", "json"},
		6: {"files", "a.b", "--output=json"},
	} {
		if code == 5 {
			args = []string{"manifest", event("01"), "--output", "json"}
		}
		r := run(t, args...)
		var line struct {
			Code    int
			Message string
		}
		if err := json.Unmarshal([]byte(r.stderr), &line); err != nil {
			t.Fatalf("%q: %v", r.stderr, err)
		}
		if r.code != code || line.Code != code || line.Message == "" || r.stdout != "" {
			t.Errorf("%q: %+v, want code %d", args, r, code)
		}
	}
}

// TestInterrupted stops before anything is written.
func TestInterrupted(t *testing.T) {
	newTable(t)
	do(t, "append", "a.b", event("01"))
	before := do(t, "log", "a.b")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"append", "a.b", event("02")},
		{"remove", "a.b", event("01")},
		{"delete-rows", "a.b", event("01"), "--positions", "1"},
		{"restore", "a.b", "~0"},
		{"branch", "a.b", "create", "x"},
		{"maintain", "a.b"},
		{"expire", "a.b", "--keep", "1"},
		{"orphans", "a.b"},
		{"changes", "a.b", "~0", "~0"},
		{"stats", "a.b"},
		{"files", "a.b"},
		{"check", "a.b", "--history", "--storage"},
		{"policy", "bound", "--files-per-commit", "10", "--commits", "100000"},
		{"policy", "explain", "adaptive"},
		{"policy", "explain", "adaptive", "a.b"},
		{"policy", "advise", "a.b"},
		{"maintain", "a.b", "--dry-run"},
		{"sim", "run"},
		{"sim", "soak", "--runs", "3"},
	} {
		checkFailure(t, runWith(ctx, "", nil, args...), 130, "interrupted", args...)
	}
	if after := do(t, "log", "a.b"); after != before {
		t.Errorf("the table has changed:\n%s", after)
	}
}

// TestInterruptedInput stops waiting for standard input.
func TestInterruptedInput(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	input, _ := io.Pipe()
	go cancel()
	var stderr strings.Builder
	code := cli.Run(ctx, []string{"bitmap", "decode", "-"}, input, io.Discard, &stderr, func(string) string { return "" })
	if code != 130 || !strings.HasPrefix(stderr.String(), "firn: interrupted") {
		t.Errorf("code %d, %q", code, stderr.String())
	}
}

// TestFullOutput fails when the answer cannot be written.
func TestFullOutput(t *testing.T) {
	var stderr strings.Builder
	args := append([]string{"files"}, fixture("wide")...)
	code := cli.Run(t.Context(), args, nil, full{}, &stderr, func(string) string { return "" })
	if want := "firn: standard output: no space left\n"; code != 6 || stderr.String() != want {
		t.Errorf("code %d, %q, want %q", code, stderr.String(), want)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestEnvironment takes catalog and warehouse from the environment, and prefers the flags.
func TestEnvironment(t *testing.T) {
	folder := in(t)
	env := map[string]string{"FIRN_CATALOG": "dir:" + folder + "/c", "FIRN_WAREHOUSE": folder + "/w"}
	r := runWith(t.Context(), "", env, "init", "x.y", "--like", event("01"))
	if r.code != 0 || !strings.HasPrefix(r.stdout, "file://"+folder+"/w/x/y/metadata/00000-") {
		t.Errorf("init: %+v", r)
	}
	if r := runWith(t.Context(), "", env, "log", "x.y"); r.code != 0 {
		t.Errorf("log: %+v", r)
	}
	refuse(t, 6, "", "log", "x.y")
	do(t, "log", "x.y", "--catalog", "dir:c")
	checkFailure(t, runWith(t.Context(), "", env, "log", "x.y", "--catalog", "dir:other"), 6, "no table x.y in catalog dir:other", "log")
}
