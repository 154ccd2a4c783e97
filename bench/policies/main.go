// Command policies counts what policies write for tables that only grow, next to what any policy must, and writes the tables into a
// document. A ratio beyond its limit is named, but is no error.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/firn-io/firn/bench/internal/document"
	comparison "github.com/firn-io/firn/sim/compare"
)

func main() {
	path := flag.String("document", "", "the document to write the tables into; empty for none")
	flag.Parse()
	if err := report(*path); err != nil {
		fmt.Fprintln(os.Stderr, "policies:", err)
		os.Exit(1)
	}
}

// section is the part of a document that holds the tables.
var section = document.Section{Begin: "<!-- policies: written by make policy-table -->\n", End: "<!-- end of policies -->\n"}

// longStreams end with 3 million to 10^8 files.
var longStreams = []longStream{{10, 20, 300_000}, {100, 20, 1_000_000}, {1000, 20, 100_000}}

// report counts the tables, prints them, and writes them into the document at path.
func report(path string) error {
	texts := make([]string, 7)
	errs := make([]error, len(texts))
	var group sync.WaitGroup
	for i, count := range []func() (string, error){
		func() (string, error) {
			rows, err := grid([]int64{1, 10, 100, 1000}, []int{0, 10, 50, 100}, []int64{1000, 10_000, 100_000})
			return markdown(rows), err
		},
		func() (string, error) { return paces([]int64{1, 10, 100, 1000}, []int{20, 100}, 10_000) },
		func() (string, error) { return long(longStreams) },
		func() (string, error) { return compare(100_000) },
		func() (string, error) { return peers([]int64{1, 10, 100, 1000}, []int{0, 10, 20, 50, 100}, 10_000) },
		func() (string, error) { return shifting(10_000, comparison.FixedPolicies()) },
		func() (string, error) { return clusters(10_000) },
	} {
		group.Go(func() { texts[i], errs[i] = count() })
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	text := strings.Join(texts, "\n")
	fmt.Print(text)
	if path == "" {
		return nil
	}
	return section.Write(path, text)
}
