package world

import (
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// comparePruning holds the pointers that a commit carries to the statistics that they must keep: those of the columns by which the table is
// partitioned, as long as it has these columns (F37). No rule of the format asks for them: plans read more without them, and miss nothing.
func (w *World) comparePruning(m metadata.Table, parent, child tree.Tree) string {
	before := make(map[string]tree.Stats)
	for _, e := range parent.Rows {
		if e.Manifest.Valid && e.Tracking.Status.Live() {
			before[e.Location] = e.Stats
		}
	}
	for _, e := range child.Rows {
		old, carried := before[e.Location]
		if !carried || !e.Tracking.Status.Live() {
			continue
		}
		for _, column := range m.PartitionColumns() {
			_, had := old.Field(column)
			_, has := e.Stats.Field(column)
			if _, known := m.Schema().FindFieldByID(column); known && had && !has {
				return w.problem("pruning: snapshot %d: the pointer to %s has lost the statistics of column %d, by which the table is partitioned",
					child.Origin.SnapshotID, w.stored(e.Location), column)
			}
		}
	}
	return ""
}
