package sim_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/firn-io/firn/sim"
)

// TestTraceRoundTrip: a trace that is written and read again is the same text, and replays to the same end.
func TestTraceRoundTrip(t *testing.T) {
	for _, p := range sim.Profiles() {
		first := run(t, sim.Config{Seed: 1, Profile: p, Commits: 60, Faults: 0.3})
		var text bytes.Buffer
		if err := first.Trace.Write(&text); err != nil {
			t.Fatal(err)
		}
		read, err := sim.ReadTrace(bytes.NewReader(text.Bytes()))
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		var again bytes.Buffer
		if err := read.Write(&again); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(text.String(), again.String()); diff != "" {
			t.Errorf("%s (-written +read):\n%s", p.Name, diff)
		}
		second, err := sim.Replay(t.Context(), read, false, nil)
		if err != nil || second.TraceHash != first.TraceHash {
			t.Errorf("%s: the replay ends at %s, %v; the run ended at %s", p.Name, second.TraceHash, err, first.TraceHash)
		}
	}
}

// TestBadTraces: what is no trace is refused with its line.
func TestBadTraces(t *testing.T) {
	const head, config = "firn sim trace 1\n", `config {"Seed":1,"Writers":2,"Commits":5}` + "\n"
	for _, c := range []struct{ text, want string }{
		{"", "without a configuration"},
		{"firn sim trace 2\n" + config, "line 1: trace of another version: 2, this is version 1"},
		{"something\n", "line 1: not a trace"},
		{head, "without a configuration"},
		{head + "start 1 add 1\n", "line 2: want the configuration"},
		{head + `config {"Wirters":2}` + "\n", `line 2: json: unknown field "Wirters"`},
		{head + config + "jump 1\n", `line 3: "jump 1": not an action`},
		{head + config + "start x\n", "want the number of a writer"},
		{head + config + "start 0 add 1 records=1\n", "want the number of a writer"},
		{head + config + "step 1 swap #1 explode\n", "line 3: "},
		{head + config + "start 1 fly 3\n", `"fly 3": not a step of a transaction`},
		{head + config + "start 1 add 5-3 records=1\n", `"5-3" is no range`},
		{head + config + "start 1 add 1-9999999999 records=1\n", `is no range`},
		{head + config + "start 1 add 9223372036854775807 records=1\n", `is no range`},
		{head + config + "start 1 remove 9223372036854775806-9223372036854775807\n", `is no range`},
		{head + config + "start 1 where 5-9223372036854775807\n", `is no range`},
		{head + config + "start 1 add 1\n", "want records=N above 0"},
		{head + config + "start 1 remove 1 records=3\n", `remove does not know "records=3"`},
		{head + config + "start 1 replace 1 2 records=3\n", "want the word into"},
		{head + config + "start 1 expire 3; add 1 records=1\n", "is not a step of the same program"},
		{head + config + "start 1 branch=b color=red; add 1 records=1\n", "is no option of a program"},
		{head + config + "land 3\n", "not an action"},
		{head + config + "tick 1 soon\n", "line 3: "},
		{head + config + "crash 1 hard\n", "not an action"},
	} {
		_, err := sim.ReadTrace(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.text, err, c.want)
		}
	}
	if _, err := sim.ReadTrace(strings.NewReader("firn sim trace 0\n")); !errors.Is(err, sim.ErrTraceVersion) {
		t.Errorf("version 0: %v", err)
	}
}

// TestDivergedTrace: a trace that cannot be done again says at which action.
func TestDivergedTrace(t *testing.T) {
	trace := run(t, sim.Config{Seed: 1, Commits: 10}).Trace
	trace.Actions = append(trace.Actions[:4:4], sim.Action{Kind: sim.Step, Writer: 99})
	_, err := sim.Replay(t.Context(), trace, false, nil)
	if err == nil || !strings.Contains(err.Error(), "does not replay: action 5: step 99: there is no such writer") {
		t.Errorf("got %v", err)
	}
}

func FuzzReadTrace(f *testing.F) {
	f.Add([]byte("firn sim trace 1\nconfig {\"Writers\":2}\n# found\nstart 1 branch=b; add 1-3 records=5; delete 2 rows=1,3-4 merge keep\n" +
		"step 1 swap #1 late 3\ncreep 2\nland\ntick 0 -5\ncrash 1\nfall 2\nstart 2 compact 1,3 into 4 records=9 hint\nstart 1 where 1-4\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := sim.ReadTrace(bytes.NewReader(data))
		if err != nil {
			return
		}
		var written bytes.Buffer
		if err := read.Write(&written); err != nil {
			t.Fatal(err)
		}
		again, err := sim.ReadTrace(bytes.NewReader(written.Bytes()))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if diff := cmp.Diff(read.Config, again.Config, cmpopts.IgnoreUnexported(sim.Config{})); diff != "" {
			t.Error(diff)
		}
		for i := range read.Actions {
			if a, b := read.Actions[i].String(), again.Actions[i].String(); a != b {
				t.Errorf("%q became %q", a, b)
			}
		}
	})
}

// TestDocumentedTrace: the trace in docs/simulation.md replays, and every profile and check is explained there.
func TestDocumentedTrace(t *testing.T) {
	document, err := os.ReadFile("../docs/simulation.md")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for line := range strings.Lines(string(document)) {
		if code, indented := strings.CutPrefix(line, "    "); indented && (text.Len() > 0 || strings.HasPrefix(code, "firn sim trace")) {
			text.WriteString(code)
		} else if text.Len() > 0 {
			break
		}
	}
	trace, err := sim.ReadTrace(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	r, err := sim.Replay(t.Context(), trace, false, nil)
	if err != nil || len(r.Violations) > 0 || r.Counts.Faults["swap late"] != 1 || r.Counts.Commits < 2 {
		t.Errorf("%v, %+v", err, r)
	}
	for _, p := range sim.Profiles() {
		if !strings.Contains(string(document), "| `"+p.Name+"` |") {
			t.Errorf("profile %s is not explained", p.Name)
		}
	}
}
