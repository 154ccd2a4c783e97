package compare

import (
	"fmt"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/match"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/sim/report"
	"github.com/firn-io/firn/tree"
)

// The columns by which scans prune: the one that partitions a table, and one that grows from commit to commit, as the time of events
// does.
const (
	partitionColumn = 1
	timeColumn      = 2
)

// scanSchema is the schema of these columns, with so many others.
func scanSchema(others int) *iceberg.Schema {
	fields := []iceberg.NestedField{
		{ID: partitionColumn, Name: "part", Type: iceberg.PrimitiveTypes.Int64, Required: true},
		{ID: timeColumn, Name: "at", Type: iceberg.PrimitiveTypes.Int64, Required: true},
	}
	for i := range others {
		fields = append(fields, iceberg.NestedField{ID: timeColumn + 1 + i, Name: fmt.Sprint("c", i), Type: otherTypes[i%len(otherTypes)]})
	}
	return iceberg.NewSchema(0, fields...)
}

// layout is what a scan knows of a table before it opens leaves.
type layout struct {
	// root are the bytes of the root.
	root int64
	// pointers are the entries of leaves, with their bytes.
	pointers []pointer
	// partitions and commits are how many there are: values that scans ask for.
	partitions, commits int64
}

type pointer struct {
	entry tree.Entry
	bytes int64
}

// pointerOf is the pointer of a leaf of which only numbers are known.
func pointerOf(l count.Leaf) pointer {
	e := tree.Entry{Content: tree.DataManifest, RecordCount: l.Rows, FileSizeBytes: l.Bytes}
	e.Stats = tree.Stats{statsBetween(partitionColumn, tree.Long(l.Low), tree.Long(l.High), l.Rows)}
	if !l.Thin {
		e.Stats = append(e.Stats, statsBetween(timeColumn, tree.Long(l.First), tree.Long(l.Last), l.Rows))
	}
	return pointer{e, l.Bytes}
}

// scanned is what scans read.
type scanned struct{ everything, partition, lookup report.Scan }

// values is how many partitions and files are asked for.
const values = 8

// scan plans scans: of everything, of single partitions, and of single files, of which the commit is known that added them. A leaf is
// opened if its bounds do not say that nothing in it matches.
func (l layout) scan() (scanned, error) {
	var s scanned
	s.everything = report.Scan{LeavesOpened: float64(len(l.pointers)), BytesRead: float64(l.root)}
	for _, p := range l.pointers {
		s.everything.BytesRead += float64(p.bytes)
	}
	var err error
	if s.partition, err = l.mean("part", 0, l.partitions-1); err != nil {
		return s, err
	}
	s.lookup, err = l.mean("at", 1, l.commits)
	return s, err
}

// mean returns what it takes to find one value of a column, for values from first to last.
func (l layout) mean(column string, first, last int64) (report.Scan, error) {
	n := min(values, max(1, last-first+1))
	sum := report.Scan{BytesRead: float64(l.root)}
	for i := range n {
		value := first + (2*i+1)*max(0, last-first)/(2*n)
		filter, err := match.New(iceberg.EqualTo(iceberg.Reference(column), value), scanSchema(0), nil)
		if err != nil {
			return sum, err
		}
		for _, p := range l.pointers {
			if filter.MayMatch(p.entry) {
				sum.LeavesOpened += 1 / float64(n)
				sum.BytesRead += float64(p.bytes) / float64(n)
			}
		}
	}
	return sum, nil
}
