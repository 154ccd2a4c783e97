package commit

import (
	"slices"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/tree"
)

// mostUseful returns as many columns as manifests keep statistics for, in their order: those by which the table is partitioned, then the
// first ones.
func mostUseful(columns []manifestio.StatsColumn, partitioned []int) []manifestio.StatsColumn {
	if len(columns) <= maxStatsColumns {
		return columns
	}
	others := maxStatsColumns
	for _, c := range columns {
		if slices.Contains(partitioned, c.FieldID) {
			others--
		}
	}
	var kept []manifestio.StatsColumn
	for _, c := range columns {
		partitions := slices.Contains(partitioned, c.FieldID)
		if len(kept) < maxStatsColumns && (partitions || others > 0) {
			kept = append(kept, c)
			if !partitions {
				others--
			}
		}
	}
	return kept
}

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
