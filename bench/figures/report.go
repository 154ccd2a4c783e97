package main

import (
	"fmt"
	"strings"

	"github.com/firn-io/firn/bench/internal/document"
)

// report is what was measured, judged.
type report struct {
	tables []judgedTable
	judged int
	missed []string
}

type judgedTable struct {
	table
	cells [][]string
}

// judge looks up every figure and holds it to its limit. A measurement that is missing is an error.
func judge(tables []table, m measurements) (report, error) {
	var r report
	for _, t := range tables {
		done := judgedTable{table: t}
		for _, line := range t.rows {
			cells := []string{line.label}
			for i, f := range line.figures {
				value, ok := m[f.key]
				if !ok {
					return report{}, fmt.Errorf("nothing measured %s of %s", f.unit, f.name)
				}
				cells = append(cells, f.cell(value))
				if f.rule == "" {
					continue
				}
				r.judged++
				if !f.holds(value) {
					r.missed = append(r.missed, fmt.Sprintf("%s: %s: %s: %s", t.title, line.label, t.columns[i+1], f.cell(value)))
				}
			}
			done.cells = append(done.cells, cells)
		}
		r.tables = append(r.tables, done)
	}
	return r, nil
}

func (f figure) holds(value float64) bool {
	switch f.rule {
	case "≤":
		return value <= f.limit
	case "<":
		return value < f.limit
	}
	return true
}

// cell returns the value with its limit, as in "0.73 ≤ 1"; a miss is bold.
func (f figure) cell(value float64) string {
	if f.rule == "" {
		return document.Count(value)
	}
	if f.holds(value) {
		return fmt.Sprintf("%s %s %s", document.Count(value), f.rule, document.Count(f.limit))
	}
	return fmt.Sprintf("**%s, not %s %s**", document.Count(value), f.rule, document.Count(f.limit))
}

// markdown returns all tables, and at the end which figures missed their limits.
func (r report) markdown(machine string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured by %s.\n", machine)
	for _, t := range r.tables {
		fmt.Fprintf(&b, "\n### %s\n\n", t.title)
		document.Header(&b, t.columns...)
		for _, cells := range t.cells {
			for len(cells) < len(t.columns) {
				cells = append(cells, "")
			}
			document.Row(&b, cells...)
		}
	}
	document.Verdict(&b, r.judged, r.missed)
	return b.String()
}
