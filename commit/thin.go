package commit

import (
	"slices"

	"github.com/firn-io/firn/tree"
)

// keptColumns counts the columns with statistics that thin pointers keep them for.
func (p *placement) keptColumns() int {
	n := 0
	for _, c := range p.schema.Stats {
		if slices.Contains(p.partitioned, c.FieldID) {
			n++
		}
	}
	return n
}

// isThin reports whether the statistics of a pointer are for no other columns than those by which the table is partitioned.
func (p *placement) isThin(stats tree.Stats) bool {
	return !slices.ContainsFunc(stats, func(f tree.FieldStats) bool { return !slices.Contains(p.partitioned, f.FieldID) })
}
