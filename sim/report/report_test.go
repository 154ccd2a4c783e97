package report_test

import (
	"bytes"
	"encoding/csv"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/sim/report"
)

var update = flag.Bool("update", false, "write the golden files")

func load(t testing.TB, name string) report.Comparison {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	c, err := report.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// written is what f writes, which must be the same each time.
func written(t testing.TB, f func(io.Writer, report.Comparison) error, c report.Comparison) string {
	t.Helper()
	var all [3]bytes.Buffer
	for i := range all {
		if err := f(&all[i], c); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(all[i].Bytes(), all[0].Bytes()) {
			t.Fatal("the same comparison was written in two ways")
		}
	}
	return all[0].String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s is not what is written now (go test ./sim/report -update):\n%s", path, d)
	}
}

func TestJSON(t *testing.T) {
	for _, name := range []string{"two.json", "seven.json"} {
		c := load(t, name)
		line := written(t, report.JSON, c)
		if strings.Count(line, "\n") != 1 {
			t.Errorf("%s: JSON is not one line", name)
		}
		back, err := report.Read(strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c, back); d != "" {
			t.Errorf("%s does not come back:\n%s", name, d)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for name, data := range map[string]string{
		"nothing": "", "half": `{"model":`, "two": `{} {}`, "more": `{} x`, "another type": `{"model":3}`, "a list": `[]`,
	} {
		if c, err := report.Read(strings.NewReader(data)); err == nil {
			t.Errorf("%s was read as %+v", name, c)
		}
	}
	if _, err := report.Read(strings.NewReader("{\"model\":\"counting\",\"of_a_later_release\":1}\n\n")); err != nil {
		t.Errorf("a field of another release: %v", err)
	}
}

func TestText(t *testing.T) {
	golden(t, "two.txt", written(t, report.Text, load(t, "two.json")))
	golden(t, "seven.txt", written(t, report.Text, load(t, "seven.json")))
}

func TestCSV(t *testing.T) {
	c := load(t, "seven.json")
	lines, err := csv.NewReader(strings.NewReader(written(t, report.CSV, c))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range lines[0] {
		if _, twice := column[name]; twice {
			t.Errorf("two columns are called %s", name)
		}
		column[name] = i
	}
	figure := func(line []string, name string) float64 {
		i, ok := column[name]
		if !ok {
			t.Fatalf("no column %s", name)
		}
		v, err := strconv.ParseFloat(line[i], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	rest := lines[1:]
	for _, w := range c.Workloads {
		choice := report.Choose(w)
		for _, r := range w.Policies {
			line := rest[0]
			rest = rest[1:]
			if line[0] != w.Name || line[1] != r.Policy {
				t.Fatalf("the line of %s and %s is that of %s and %s", w.Name, r.Policy, line[0], line[1])
			}
			for name, want := range map[string]float64{
				"commit_bytes_mean": r.CommitBytes.Mean, "commit_bytes_p99": float64(r.CommitBytes.P99), "root_bytes_max": float64(r.RootBytes.Max),
				"rewritten_bytes_max": float64(r.RewrittenBytes.Max), "retained_bytes": float64(r.RetainedBytes), "growth_exponent_root_bytes": r.Exponents.RootBytes,
				"plan_of_one_partition_bytes_read": r.OnePartition.BytesRead, "attempts_at_0.5_per_second": r.Contention[2].Attempts,
			} {
				if got := figure(line, name); got != want {
					t.Errorf("%s of %s under %s: %v, not %v", name, r.Policy, w.Name, got, want)
				}
			}
			if got := line[column["chosen"]] == "true"; got != (choice.Policy == r.Policy) {
				t.Errorf("chosen of %s under %s: %v", r.Policy, w.Name, got)
			}
		}
	}
	if len(rest) > 0 {
		t.Errorf("%d lines too many", len(rest))
	}
	points, err := csv.NewReader(strings.NewReader(written(t, report.PointsCSV, c))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := 1
	for _, w := range c.Workloads {
		want += len(w.Bound)
		for _, r := range w.Policies {
			want += len(r.Points)
		}
	}
	if len(points) != want {
		t.Errorf("%d lines of points, not %d", len(points), want)
	}
}
