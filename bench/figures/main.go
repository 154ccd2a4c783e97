// Command figures reads the output of benchmarks, prints the figures that the project holds itself to next to their
// limits, and writes them into a document. scripts/bench.sh runs the benchmarks for it.
//
// It ends with 1 if a measurement is missing or the document has no place for the figures. A figure beyond its limit
// is named, but is no error: times depend on what else the machine does.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

func main() {
	document := flag.String("document", "", "the document to write the figures into; empty for none")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *document); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

// run reads measurements from in, prints the figures to out and writes them into a document.
func run(in io.Reader, out io.Writer, document string) error {
	m, err := parse(in)
	if err != nil {
		return err
	}
	r, err := judge(tables(), m)
	if err != nil {
		return err
	}
	text := r.markdown(fmt.Sprintf("%s on %s/%s with %d processors", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU()))
	fmt.Fprint(out, text)
	if document == "" {
		return nil
	}
	old, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	updated, err := replaceSection(string(old), text)
	if err != nil {
		return fmt.Errorf("%s: %w", document, err)
	}
	return os.WriteFile(document, []byte(updated), 0o644)
}

// The lines between which a document holds the figures.
const (
	sectionBegin = "<!-- figures: written by make bench -->\n"
	sectionEnd   = "<!-- end of figures -->\n"
)

// replaceSection returns the document with a new text between the two lines.
func replaceSection(document, text string) (string, error) {
	head, rest, begins := strings.Cut(document, sectionBegin)
	_, tail, ends := strings.Cut(rest, sectionEnd)
	if !begins || !ends {
		return "", errors.New("no section for the figures")
	}
	return head + sectionBegin + "\n" + text + "\n" + sectionEnd + tail, nil
}
