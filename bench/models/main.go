// Command models runs the longest comparisons that each model of sim/compare has room for, and writes what they say of the same tables,
// side by side, into a document.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/firn-io/firn/bench/internal/document"
	"github.com/firn-io/firn/sim/compare"
	"github.com/firn-io/firn/sim/report"
)

func main() {
	path := flag.String("document", "", "the document to write the tables into; empty for none")
	flag.Parse()
	if err := write(*path); err != nil {
		fmt.Fprintln(os.Stderr, "models:", err)
		os.Exit(1)
	}
}

// section is the part of a document that holds the tables.
var section = document.Section{Begin: "<!-- models: written by make models -->\n", End: "<!-- end of models -->\n"}

// sameTable is one table in several models, the first of which the others are held to.
type sameTable struct {
	workload string
	commits  int64
	models   []compare.Model
}

var tables = []sameTable{
	{"stream", 10_000, []compare.Model{compare.Counting, compare.Parquet, compare.Simulator}},
	{"stream", 100_000, []compare.Model{compare.Counting, compare.Simulator}},
	{"cdc", 12_400, []compare.Model{compare.Counting, compare.Parquet}},
}

// write runs all, prints the tables, and writes them into the document at path.
func write(path string) error {
	var texts []string
	for _, t := range tables {
		text, err := t.markdown(context.Background())
		if err != nil {
			return err
		}
		fmt.Println(text)
		texts = append(texts, text)
	}
	if path == "" {
		return nil
	}
	return section.Write(path, strings.Join(texts, "\n"))
}

// markdown runs a table in its models, one at a time, and returns what they say.
func (t sameTable) markdown(ctx context.Context) (string, error) {
	var results []report.Result
	for _, model := range t.models {
		r, err := run(ctx, model, t.workload, t.commits)
		if err != nil {
			return "", fmt.Errorf("%s in the model %s: %w", t.workload, model, err)
		}
		results = append(results, r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`, %d commits, %d files at the end:\n\n", t.workload, t.commits, results[0].Files)
	heads := []string{"", string(t.models[0])}
	for _, model := range t.models[1:] {
		heads = append(heads, string(model), "times")
	}
	document.Header(&b, heads...)
	for _, f := range figures {
		first := f.of(results[0])
		cells := []string{f.label, document.Count(first)}
		for _, r := range results[1:] {
			cells = append(cells, document.Count(f.of(r)), fmt.Sprintf("%.3f", f.of(r)/first))
		}
		document.Row(&b, cells...)
	}
	return b.String(), nil
}

// run is one run of adaptive with the defaults of the command line.
func run(ctx context.Context, model compare.Model, workload string, commits int64) (report.Result, error) {
	w, err := compare.WorkloadByName(workload, 10)
	if err != nil {
		return report.Result{}, err
	}
	adaptive, err := compare.Choose("adaptive")
	if err != nil {
		return report.Result{}, err
	}
	c, err := compare.Run(ctx, compare.Config{
		Model: model, Workloads: []compare.Workload{w}, Policies: []compare.Choice{adaptive}, Columns: 20, Pace: 1, Commits: commits, Seed: 1,
	})
	if err != nil {
		return report.Result{}, err
	}
	r := c.Workloads[0].Policies[0]
	if r.Problem != "" {
		return report.Result{}, fmt.Errorf("the run ended early: %s", r.Problem)
	}
	return r, nil
}

// figures are what the models are held to each other by.
var figures = []struct {
	label string
	of    func(report.Result) float64
}{
	{"bytes a commit", func(r report.Result) float64 { return r.CommitBytes.Mean }},
	{"99th percentile", func(r report.Result) float64 { return float64(r.CommitBytes.P99) }},
	{"largest commit of a writer", func(r report.Result) float64 { return float64(r.CommitBytes.Max) }},
	{"old leaves written again, at most", func(r report.Result) float64 { return float64(r.RewrittenBytes.Max) }},
	{"bytes of a root", func(r report.Result) float64 { return r.RootBytes.Mean }},
	{"objects a commit", func(r report.Result) float64 { return r.Objects }},
	{"retained bytes", func(r report.Result) float64 { return float64(r.RetainedBytes) }},
	{"leaves at the end", func(r report.Result) float64 { return float64(r.Leaves) }},
	{"bytes to plan everything", func(r report.Result) float64 { return r.Everything.BytesRead }},
	{"leaves opened for one partition", func(r report.Result) float64 { return r.OnePartition.LeavesOpened }},
	{"leaves opened to look up one file", func(r report.Result) float64 { return r.Lookup.LeavesOpened }},
}
