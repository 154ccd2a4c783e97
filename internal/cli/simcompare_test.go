package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/sim/report"
)

// TestSimCompare compares policies, and prints and saves what came of it.
func TestSimCompare(t *testing.T) {
	t.Chdir(t.TempDir())
	flags := strings.Fields("sim compare --workload stream,cdc --policy adaptive,tiered:batch=20:ratio=4,never --commits 200 --columns 3")
	var c report.Comparison
	text := do(t, append(flags, "--output", "json", "--json", "saved.json")...)
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if saved, err := os.ReadFile("saved.json"); err != nil || string(saved) != text {
		t.Errorf("what was saved is not what was printed: %v", err)
	}
	if len(c.Workloads) != 2 || len(c.Workloads[0].Policies) != 3 || c.Workloads[1].Policies[1].Policy != "tiered:batch=20:ratio=4" || c.Columns != 3 {
		t.Errorf("%+v", c)
	}
	if got := strings.Count(do(t, append(flags, "--output", "tsv")...), "\n"); got != 7 {
		t.Errorf("%d lines", got)
	}
	if text := do(t, flags...); !strings.Contains(text, "\ncdc: ") || !strings.Contains(text, "\nChoose ") {
		t.Error(text)
	}
}

// TestSimCompareTrace compares policies on recorded commits.
func TestSimCompareTrace(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "orders.csv", []byte("added,removed,modified\n10,0,0\n5,2,3\n"))
	if text := do(t, strings.Fields("sim compare --workload ./orders.csv --policy sqrt --output tsv")...); !strings.Contains(text, "\norders\tsqrt\t") {
		t.Error(text)
	}
	writeFile(t, ".json", []byte(`{"added": 1}`))
	if text := do(t, strings.Fields("sim compare --workload ./.json --policy sqrt --output tsv")...); !strings.Contains(text, "\n.json\tsqrt\t") {
		t.Error(text)
	}
	refuse(t, 6, "no such file", "sim", "compare", "--workload", "./gone.json")
	writeFile(t, "bad.json", []byte(`[{"added": -1}]`))
	refuse(t, 5, "commit 1", "sim", "compare", "--workload", "bad.json")
}

// TestSimCompareDefaults: without a choice all policies are compared, and adaptive once more that knows the price of a PUT.
func TestSimCompareDefaults(t *testing.T) {
	text := do(t, strings.Fields("sim compare --workload stream --commits 50 --request-bytes 70000 --output tsv")...)
	for _, name := range append(choose.Names(), "adaptive:request-bytes=70000") {
		if strings.Count(text, "\nstream\t"+name+"\t") != 1 {
			t.Errorf("not one line of %s in\n%s", name, text)
		}
	}
	if text := do(t, strings.Fields("sim compare --workload stream --commits 50 --request-bytes 1 --output tsv")...); strings.Count(text, "\tadaptive") != 1 {
		t.Errorf("a PUT that counts nothing: %s", text)
	}
}

// TestSimCompareRefuses reports all that is wrong at once.
func TestSimCompareRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	for flags, texts := range map[string]string{
		"--workload stroem --policy best,tiered:batch=0 --commits 0 --columns x": "stroem|best|firn.policy.batch|--commits|--columns",
		"--columns 101 --partitions 9999999 --retain 9999999":                    "101 columns|9999999 partitions|9999999 retained",
		"--workload stream,stream":                                               "chosen twice",
		"--request-bytes 0 --retain 0":                                           "--request-bytes takes a number from 1|--retain takes",
		"--model parquet --policy v3-merge-append --workload stream":             "counting alone",
		"--policy v3-fast-append --workload cdc":                                 "appends alone",
		"--files-per-commit -1 --seed -1 --pace -1":                              "--files-per-commit|--seed|--pace",
		"--model guess": "counting",
		"--workload stream --commits 100001 --files-per-commit 1000 --policy never": "more than 100000000 files, the most of the model counting",
		"more": "takes no words",
	} {
		for text := range strings.SplitSeq(texts, "|") {
			refuse(t, 2, text, append([]string{"sim", "compare"}, strings.Fields(flags)...)...)
		}
	}
	refuse(t, 6, "--json", "sim", "compare", "--json", filepath.Join("no", "folder", "x.json"))
	writeFile(t, "file", nil)
	refuse(t, 6, "--html: . is a folder; --png: file is no folder", "sim", "compare", "--html", ".", "--png", "file")
	refuse(t, 2, "--html and --csv name the same file", "sim", "compare", "--csv", "./x", "--html", "x")
}
