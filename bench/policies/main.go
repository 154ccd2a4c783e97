// Command policies counts what policies write for tables that only grow, next to what any policy must, and writes the tables into a
// document. A ratio beyond its limit is named, but is no error.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/firn-io/firn/bench/internal/document"
)

func main() {
	path := flag.String("document", "", "the document to write the tables into; empty for none")
	long := flag.Bool("long", false, "also count 100,000 commits: a quarter of an hour more")
	flag.Parse()
	commits := []int64{1000, 10_000}
	if *long {
		commits = append(commits, 100_000)
	}
	if err := report(*path, commits); err != nil {
		fmt.Fprintln(os.Stderr, "policies:", err)
		os.Exit(1)
	}
}

// section is the part of a document that holds the tables.
var section = document.Section{Begin: "<!-- policies: written by make policy-table -->\n", End: "<!-- end of policies -->\n"}

// report counts the tables, prints them, and writes them into the document at path.
func report(path string, commits []int64) error {
	rows, err := grid([]int64{1, 10, 100, 1000}, []int{0, 10, 50, 100}, commits)
	if err != nil {
		return err
	}
	references, err := compare(100_000)
	if err != nil {
		return err
	}
	text := markdown(rows) + "\n" + references
	fmt.Print(text)
	if path == "" {
		return nil
	}
	return section.Write(path, text)
}
