// Package document writes figures into Markdown documents: rows of tables, numbers that people can read, and the section
// between two lines that a program may replace.
package document

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// Section is the part of a document between two lines.
type Section struct{ Begin, End string }

// Write replaces the section of a document with a text.
func (s Section) Write(path, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	updated, err := s.Replace(string(old), text)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(updated), 0o644)
}

// Replace returns a document with a new text in the section. A document without the two lines, in this order, is an error.
func (s Section) Replace(document, text string) (string, error) {
	head, rest, begins := strings.Cut(document, s.Begin)
	_, tail, ends := strings.Cut(rest, s.End)
	if !begins || !ends {
		return "", fmt.Errorf("no section between %q and %q", s.Begin, s.End)
	}
	return head + s.Begin + "\n" + text + "\n" + s.End + tail, nil
}

// Header writes the head of a table.
func Header(b *strings.Builder, cells ...string) {
	Row(b, cells...)
	Row(b, strings.Fields(strings.Repeat("--- ", len(cells)))...)
}

// Row writes a row of a table.
func Row(b *strings.Builder, cells ...string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

// Verdict writes how many figures were judged, and which missed their limits.
func Verdict(b *strings.Builder, judged int, missed []string) {
	fmt.Fprintf(b, "\n%d figures have a limit, %d missed it.\n", judged, len(missed))
	for _, m := range missed {
		fmt.Fprintf(b, "\n- %s", m)
	}
	if len(missed) > 0 {
		b.WriteByte('\n')
	}
}

// Count returns a number with three digits that count, or from 100 on as a whole number with commas.
func Count(v float64) string {
	if math.Abs(v) < 100 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	text := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
