package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestSimExplore: a set and bounds of one's own are explored, whole and program by program, with numbers that agree.
func TestSimExplore(t *testing.T) {
	type row struct {
		Set, Program                        string
		Programs, Runs, Undisturbed, Orders int64
		ClosedForm                          string `json:"closed_form"`
		FullRuns                            int64  `json:"full_runs"`
		Outcomes                            int64
		Violations                          *int64
	}
	explored := func(args ...string) []row {
		r := run(t, append([]string{"sim", "explore", "--save", t.TempDir(), "--output", "json"}, args...)...)
		if r.code != 0 {
			t.Fatalf("%v: code %d\n%s%s", args, r.code, r.stdout, r.stderr)
		}
		var rows []row
		for line := range strings.Lines(r.stdout) {
			var one row
			if err := json.Unmarshal([]byte(line), &one); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			rows = append(rows, one)
		}
		return rows
	}
	own := []string{"--writers", "2", "--operations", "1", "--faults", "1", "--kind", "empty", "--kind", "append"}
	whole, each := explored(own...), explored(append(own, "--programs")...)
	if len(whole) != 1 || whole[0].Programs != 3 || len(each) != 3 || *whole[0].Violations != 0 {
		t.Fatalf("got %+v and %+v", whole, each)
	}
	sum := int64(0)
	for _, p := range each {
		sum += p.Runs
		if p.Undisturbed != 4 || p.ClosedForm != "4" || p.Outcomes == 0 || p.Orders < p.Runs {
			t.Errorf("%+v", p)
		}
	}
	if sum != whole[0].Runs || sum == 0 {
		t.Errorf("the programs have %d runs, the set %d", sum, whole[0].Runs)
	}
	full := explored("--only", "full-one")
	if len(full) != 1 || full[0].Set != "full-one" || full[0].FullRuns == 0 {
		t.Errorf("got %+v", full)
	}
}

// TestSimExploreMisuse: what cannot be explored is wrong use, all of it told.
func TestSimExploreMisuse(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--only", "z"}, `there is no set "z"`},
		{[]string{"--only", "a", "--writers", "2"}, "--only names a set"},
		{[]string{"--writers", "0", "--kind", "fly"}, `0 writers: want 1 to 4; there is no kind of change "fly"`},
		{[]string{"--faults", "3"}, "3 faults: want 0 to 2"},
		{[]string{"--workers", "-1", "--writers", "1"}, "-1 workers"},
		{[]string{"extra"}, "usage"},
	} {
		r := run(t, append([]string{"sim", "explore"}, c.args...)...)
		if r.code != 2 || !strings.Contains(r.stderr, c.want) && c.want != "usage" {
			t.Errorf("%v: code %d, %s", c.args, r.code, r.stderr)
		}
	}
}
