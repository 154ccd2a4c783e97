package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Text writes a table for each workload, with what its figures mean below.
func Text(w io.Writer, c Comparison) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, facts(c))
	for i, all := range entries(c) {
		wl := c.Workloads[i]
		fmt.Fprintf(&b, "\n%s: %s\n\n", clean(wl.Name), clean(wl.About))
		textTable(&b, all)
		s := summary(wl, all)
		fmt.Fprintf(&b, "\n%s\n", s.headline)
		for _, p := range s.points {
			wrap(&b, p, 100)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// facts is what holds for all workloads, in a line.
func facts(c Comparison) string {
	pace := "no maintenance"
	if c.Pace > 0 {
		pace = fmt.Sprintf("a chance of maintenance after every %s commits", countText(c.Pace))
	}
	s := fmt.Sprintf("model %s, %s with statistics, %s, seed %d, %s for a root without rows", clean(c.Model), plural(int64(c.Columns), "column"), pace, c.Seed,
		bytesText(float64(c.RootFixedBytes)))
	if c.RequestBytes > 0 {
		s += fmt.Sprintf(", a request counts %s", bytesText(float64(c.RequestBytes)))
	}
	return s
}

func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return countText(n) + " " + word + "s"
}

// textTable writes the figures that fit into a terminal. An asterisk marks the choice, an exclamation mark who broke a limit, a plus
// who is on the front.
func textTable(b *bytes.Buffer, all []entry) {
	choice := choose(all)
	rows := [][]string{{"", "policy"}}
	var figures []column
	for _, f := range columns() {
		if f.short != "" {
			figures = append(figures, f)
			rows[0] = append(rows[0], f.short)
		}
	}
	onFront := map[string]bool{}
	for _, f := range choice.Front {
		onFront[f] = true
	}
	for _, e := range all {
		mark := ""
		if e.label == choice.Policy {
			mark += "*"
		}
		if onFront[e.label] {
			mark += "+"
		}
		if !e.keeps() {
			mark += "!"
		}
		row := []string{mark, shorten(e.label, 32)}
		for _, f := range figures {
			cell := "-"
			if v, ok := f.of(e); ok {
				cell = f.text(v)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, cell := range r {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, r := range rows {
		var line strings.Builder
		for i, cell := range r {
			space := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i < 2 {
				line.WriteString(cell + space + "  ")
			} else {
				line.WriteString(space + cell + "  ")
			}
		}
		fmt.Fprintln(b, strings.TrimRight(line.String(), " "))
	}
	for _, e := range all {
		if s := e.settings(); s != "" && !strings.Contains(e.label, "(") {
			fmt.Fprintf(b, "%s with %s\n", e.label, clean(s))
		}
	}
	fmt.Fprintln(b, "* the choice   + on the Pareto front of write cost and plan all   ! broke a limit")
}

// wrap writes a point of a list in lines of so many characters.
func wrap(b *bytes.Buffer, s string, width int) {
	line := "-"
	for _, word := range strings.Fields(s) {
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width && strings.TrimSpace(line) != "-" {
			fmt.Fprintln(b, line)
			line = " "
		}
		line += " " + word
	}
	fmt.Fprintln(b, line)
}
