package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/sim/report"
)

// comparisonForm is a form in which a comparison is saved: a file, or a folder of files.
type comparisonForm struct {
	flag, usage string
	folder      bool
	// write writes a file, draw into a folder.
	write func(io.Writer, report.Comparison) error
	draw  func(folder string, c report.Comparison) error
}

// comparisonForms are the forms that there are.
var comparisonForms = []comparisonForm{
	{flag: "json", usage: "save the comparison as JSON in this FILE", write: report.JSON},
	{flag: "html", usage: "save a report with charts, one page that needs no network, in this FILE", write: report.HTML},
	{flag: "csv", usage: "save all figures, a line for each workload and policy, in this FILE", write: report.CSV},
	{flag: "points", usage: "save how the figures grew with the table, as CSV, in this FILE", write: report.PointsCSV},
	{flag: "png", usage: "save the charts as pictures in this FOLDER", folder: true, draw: drawComparison},
}

// drawComparison saves the charts of a comparison.
func drawComparison(folder string, c report.Comparison) error {
	pictures, err := report.PNG(c)
	if err != nil {
		return err
	}
	for _, p := range pictures {
		err := writeWhole(filepath.Join(folder, p.Name), func(w io.Writer) error {
			_, err := w.Write(p.PNG)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// compareForms are the paths of the forms that are asked for.
type compareForms struct{ paths []string }

func (f *compareForms) add(c *cobra.Command) {
	f.paths = make([]string, len(comparisonForms))
	for i, form := range comparisonForms {
		c.Flags().StringVar(&f.paths[i], form.flag, "", form.usage)
	}
}

// check finds out what keeps files from being saved, before hours are spent on what goes into them.
func (f *compareForms) check() error {
	var wrong problems
	flags := make(map[string]string)
	for i, form := range comparisonForms {
		path, can := f.paths[i], canWrite
		if path == "" {
			continue
		}
		if form.folder {
			can = isFolder
		}
		if err := can(path); err != nil {
			wrong = append(wrong, fmt.Errorf("--%s: %w", form.flag, err))
		}
		if other := flags[filepath.Clean(path)]; other != "" {
			wrong = append(wrong, usagef("--%s and --%s name the same file, %s", other, form.flag, path))
		}
		flags[filepath.Clean(path)] = form.flag
	}
	if len(wrong) > 0 {
		return wrong
	}
	return nil
}

// save writes all of them that can be written.
func (f *compareForms) save(c report.Comparison) error {
	var wrong []error
	for i, form := range comparisonForms {
		switch path := f.paths[i]; {
		case path == "":
		case form.folder:
			wrong = append(wrong, form.draw(path, c))
		default:
			wrong = append(wrong, writeWhole(path, func(w io.Writer) error { return form.write(w, c) }))
		}
	}
	return errors.Join(wrong...)
}

// printComparison prints a comparison: whole as JSON, as a table with words as text, as TSV a row for each policy under each workload.
func (a *app) printComparison(c report.Comparison) error {
	switch a.format {
	case formatJSON:
		return report.JSON(a.out, c)
	case formatText:
		return report.Text(a.out, c)
	}
	out := a.newTable(true, "workload", "policy", "commit_bytes", "p50", "p99", "max", "root_bytes", "largest_root", "objects", "leaves", "retained_bytes",
		"scan_bytes", "partition_leaves", "lookup_leaves", "objective", "ratio_to_bound", "growth")
	whole := func(x float64) cell { return numberCell(int64(math.Round(x))) }
	for _, w := range c.Workloads {
		for _, r := range w.Policies {
			out.row(textCell(w.Name), textCell(r.Policy), whole(r.CommitBytes.Mean), numberCell(r.CommitBytes.P50), numberCell(r.CommitBytes.P99),
				numberCell(r.CommitBytes.Max), whole(r.RootBytes.Mean), numberCell(r.RootBytes.Max), floatCell(r.Objects), numberCell(r.Leaves),
				numberCell(r.RetainedBytes), whole(r.Everything.BytesRead), floatCell(r.OnePartition.LeavesOpened), floatCell(r.Lookup.LeavesOpened),
				whole(r.Objective), floatCell(r.RatioToBound), floatCell(r.Exponents.CommitBytes))
		}
	}
	return out.end()
}

// floatCell prints a number with three digits after the point; zero is none.
func floatCell(x float64) cell {
	if x == 0 {
		return nullCell
	}
	text := fmt.Sprintf("%.3f", x)
	return cell{text: text, json: text}
}
