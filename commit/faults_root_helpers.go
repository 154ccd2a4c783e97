//go:build mutate

package commit

import (
	"slices"

	"github.com/firn-io/firn/leaf"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/tree"
)

// sourceRow returns the row behind an item of the plan, a dead one for a pointer.
func (p *placement) sourceRow(ref policy.Ref) row {
	if ref.Source == policy.FromPointers {
		return row{from: -1}
	}
	return p.source(ref)
}

// foldedMembers returns the members of the leaves of this attempt that hold the rows of other leaves.
func (p *placement) foldedMembers() []member {
	var all []member
	for _, l := range p.work.leaves {
		for _, m := range l.members {
			if m.leaf != "" && p.rowOf(m.leaf) >= 0 {
				all = append(all, m)
			}
		}
	}
	return all
}

// addLost adds a pointer to each leaf of an earlier attempt to which the root does not point, and keeps the leaf from
// being cleaned up.
func (p *placement) addLost(rows []tree.Entry) []tree.Entry {
	for _, l := range p.work.leaves {
		stored := tree.Relativize(p.base.Location, l.location)
		listed := slices.ContainsFunc(rows, func(e tree.Entry) bool { return e.Location == stored })
		if listed || !p.work.retried() {
			continue
		}
		e, err := leaf.Pointer(stored, l.sizeBytes, l.rows(), p.sequence())
		if err != nil {
			panic(err)
		}
		e.Tracking.SnapshotID, e.Tracking.FirstRowID = some(p.work.snapshotID), some(p.base.Metadata.NextRowID)
		e.Tracking.SequenceNumber, e.Tracking.FileSequenceNumber = some(p.sequence()), some(p.sequence())
		p.work.objects = slices.DeleteFunc(p.work.objects, func(name string) bool { return name == l.location })
		rows = append(rows, e)
	}
	return rows
}
