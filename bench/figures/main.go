// Command figures reads the output of benchmarks, prints the figures that the project holds itself to next to their
// limits, and writes them into a document. scripts/bench.sh runs the benchmarks for it.
//
// It ends with 1 if a measurement is missing or the document has no place for the figures. A figure beyond its limit
// is named, but is no error: times depend on what else the machine does.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/firn-io/firn/bench/internal/document"
)

func main() {
	path := flag.String("document", "", "the document to write the figures into; empty for none")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *path); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

// run reads measurements from in, prints the figures to out and writes them into the document at path.
func run(in io.Reader, out io.Writer, path string) error {
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
	if path == "" {
		return nil
	}
	return section.Write(path, text)
}

// section is the part of a document that holds the figures.
var section = document.Section{Begin: "<!-- figures: written by make bench -->\n", End: "<!-- end of figures -->\n"}
