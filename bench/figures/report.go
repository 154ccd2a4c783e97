package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
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
		return count(value)
	}
	if f.holds(value) {
		return fmt.Sprintf("%s %s %s", count(value), f.rule, count(f.limit))
	}
	return fmt.Sprintf("**%s, not %s %s**", count(value), f.rule, count(f.limit))
}

// markdown returns all tables, and at the end which figures missed their limits.
func (r report) markdown(machine string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured by %s.\n", machine)
	for _, t := range r.tables {
		fmt.Fprintf(&b, "\n### %s\n\n", t.title)
		writeRow(&b, t.columns)
		writeRow(&b, strings.Split(strings.Repeat("--- ", len(t.columns)-1)+"---", " "))
		for _, cells := range t.cells {
			for len(cells) < len(t.columns) {
				cells = append(cells, "")
			}
			writeRow(&b, cells)
		}
	}
	fmt.Fprintf(&b, "\n%d figures have a limit, %d missed it.\n", r.judged, len(r.missed))
	for _, m := range r.missed {
		fmt.Fprintf(&b, "\n- %s", m)
	}
	if len(r.missed) > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

func writeRow(b *strings.Builder, cells []string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

// count returns a whole number with commas, and any other with three digits that count.
func count(v float64) string {
	if v != math.Trunc(v) {
		if math.Abs(v) < 1000 {
			return strconv.FormatFloat(v, 'g', 3, 64)
		}
		v = math.Round(v)
	}
	text := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
