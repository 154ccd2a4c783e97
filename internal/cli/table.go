package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/apache/iceberg-go"
)

// cell is one value of a printed table.
type cell struct {
	null bool
	// text is what people read and, unless there is a tsv, what stands in a tab-separated line.
	text string
	// json is the value in JSON; of a null it does not matter.
	json string
	tsv  string
}

func textCell(s string) cell { return cell{text: s, json: string(appendText(nil, s))} }

func numberCell(n int64) cell {
	digits := strconv.FormatInt(n, 10)
	return cell{text: digits, json: digits}
}

func optionalCell[T int | int32 | int64](v iceberg.Optional[T]) cell {
	if !v.Valid {
		return nullCell
	}
	return numberCell(int64(v.Val))
}

var nullCell = cell{null: true}

// table prints rows as text, as JSON objects or as tab-separated lines.
type table struct {
	out     *bufio.Writer
	format  format
	columns []string
	aligned *tabwriter.Writer
}

// newTable starts a table. The header line of the text and tab-separated forms is left out if header is false.
func (a *app) newTable(header bool, columns ...string) *table {
	t := &table{out: a.out, format: a.format, columns: columns}
	if t.format == formatText {
		t.aligned = tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	}
	if header {
		t.header()
	}
	return t
}

func (t *table) header() {
	switch t.format {
	case formatText:
		fmt.Fprintln(t.aligned, strings.ToUpper(strings.Join(t.columns, "\t")))
	case formatTSV:
		fmt.Fprintln(t.out, strings.Join(t.columns, "\t"))
	}
}

// row prints one row, a cell for each column. Errors of the output show when it is flushed at the end.
func (t *table) row(cells ...cell) {
	switch t.format {
	case formatJSON:
		t.out.WriteByte('{')
		for i, c := range cells {
			if i > 0 {
				t.out.WriteByte(',')
			}
			t.out.Write(appendText(nil, t.columns[i]))
			t.out.WriteByte(':')
			if c.null {
				c.json = "null"
			}
			t.out.WriteString(c.json)
		}
		t.out.WriteString("}\n")
	case formatTSV:
		fmt.Fprintln(t.out, line(cells, func(c cell) string { return escapeTSV(cmp.Or(c.tsv, c.text)) }))
	default:
		fmt.Fprintln(t.aligned, line(cells, func(c cell) string { return printable(c.text) }))
	}
}

// line joins the cells, in a form of their own, to one line.
func line(cells []cell, form func(cell) string) string {
	fields := make([]string, len(cells))
	for i, c := range cells {
		fields[i] = "-"
		if !c.null {
			fields[i] = form(c)
		}
	}
	return strings.Join(fields, "\t")
}

// end completes the table.
func (t *table) end() error {
	if t.aligned != nil {
		return t.aligned.Flush()
	}
	return nil
}

var tsvEscapes = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// escapeTSV writes what would break a line of fields with a backslash.
func escapeTSV(s string) string { return tsvEscapes.Replace(s) }

// printable escapes what a terminal would not print as it is.
func printable(s string) string {
	plain := func(r rune) bool { return r == utf8.RuneError || !strconv.IsPrint(r) }
	if !strings.ContainsFunc(s, plain) {
		return s
	}
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
