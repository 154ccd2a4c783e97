//go:build mutate

package commit

import (
	"context"
	"slices"

	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/leaf"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/tree"
)

func init() { tamper.Register(slices.Concat(leafFaults, foldFaults, leafObjectFaults)...) }

// inLeaf is a fault of the rows that are written into a leaf, and of which its pointer tells.
func inLeaf(name, says string, change func(p *placement, row *tree.Entry)) tamper.Fault {
	return tamper.At(seamLeaf, name, says, func(p *placement, l writtenLeaf) writtenLeaf {
		for i := range l.members {
			for j := range l.members[i].rows {
				change(p, &l.members[i].rows[j])
			}
		}
		return l
	})
}

// folded is a fault of the rows that a fold or a merge takes from another leaf.
func folded(name, says string, change func(p *placement, m *member)) tamper.Fault {
	return tamper.At(seamLeaf, name, says, func(p *placement, l writtenLeaf) writtenLeaf {
		for i := range l.members {
			if l.members[i].leaf != "" {
				change(p, &l.members[i])
			}
		}
		return l
	})
}

// foldedRow is a fault of each of these rows.
func foldedRow(name, says string, change func(p *placement, row *tree.Entry)) tamper.Fault {
	return folded(name, says, func(p *placement, m *member) {
		for i := range m.rows {
			change(p, &m.rows[i])
		}
	})
}

// rowOf returns the place of the pointer to a leaf in the base's root.
func (p *placement) rowOf(leaf string) int {
	return slices.IndexFunc(p.base.Tree.Rows, func(e tree.Entry) bool {
		return e.Manifest.Valid && tree.Resolve(p.base.Location, e.Location) == leaf
	})
}

// leafFaults are faults of the rows of a leaf.
var leafFaults = []tamper.Fault{
	inLeaf("leaf-sequence-of-attempt",
		"Rows that are added stand in a leaf with the sequence numbers of the attempt that wrote it, which may lose.",
		func(p *placement, row *tree.Entry) {
			if t := &row.Tracking; t.Status == tree.Added {
				t.SequenceNumber, t.FileSequenceNumber = some(p.sequence()), some(p.sequence())
			}
		}),
	inLeaf("leaf-row-ids-of-attempt", "Rows that are added stand in a leaf with row ids of the attempt that wrote it, which may lose.",
		func(p *placement, row *tree.Entry) {
			if t := &row.Tracking; t.Status == tree.Added {
				next := tamper.First(p.Txn, "next row id", new(int64))
				t.FirstRowID = some(p.base.Metadata.NextRowID + *next)
				*next += row.RecordCount
			}
		}),
	inLeaf("pushed-as-added", "A loose file of an earlier snapshot goes into a leaf as ADDED, with nulls.",
		func(_ *placement, row *tree.Entry) {
			if row.Tracking.Status == tree.Existing {
				row.Tracking = tree.Tracking{Status: tree.Added}
			}
		}),
	inLeaf("pushed-without-row-id", "A file of an earlier snapshot goes into a leaf without its row id.",
		func(_ *placement, row *tree.Entry) {
			if row.Tracking.Status == tree.Existing {
				row.Tracking.FirstRowID = null
			}
		}),
	inLeaf("pushed-without-sequence", "A file of an earlier snapshot goes into a leaf without its sequence numbers.",
		func(_ *placement, row *tree.Entry) {
			if t := &row.Tracking; t.Status == tree.Existing {
				t.SequenceNumber, t.FileSequenceNumber = null, null
			}
		}),
	inLeaf("pushed-without-snapshot-id", "A file of an earlier snapshot goes into a leaf without its snapshot id.",
		func(_ *placement, row *tree.Entry) {
			if row.Tracking.Status == tree.Existing {
				row.Tracking.SnapshotID = null
			}
		}),
	inLeaf("modified-pushed-as-existing", "A file whose rows are deleted goes into a leaf as EXISTING.",
		func(_ *placement, row *tree.Entry) {
			if row.Tracking.Status == tree.Modified {
				row.Tracking.Status = tree.Existing
			}
		}),
	tamper.At(seamLeaf, "pushed-file-lost", "Several files are pushed into a leaf, and the last one is not written.",
		func(_ *placement, l writtenLeaf) writtenLeaf {
			if n := len(l.members); n > 1 && l.members[n-1].leaf == "" {
				l.members = l.members[:n-1]
			}
			return l
		}),
	tamper.At(seamLeaf, "leaf-row-twice", "A file is written into a leaf twice.",
		func(_ *placement, l writtenLeaf) writtenLeaf {
			m := &l.members[0]
			m.rows = append(m.rows, m.rows[0])
			if m.leaf != "" {
				m.positions = append(m.positions, m.positions[0])
			}
			return l
		}),
	tamper.At(seamLeaf, "tombstone-in-leaf", "A tombstone goes into a leaf of live files.",
		func(p *placement, l writtenLeaf) writtenLeaf {
			if len(p.tombs) > 0 {
				l.members = append(l.members, member{key: "dead", rows: []tree.Entry{p.tombs[0].entry}})
			}
			return l
		}),
}

// foldFaults are faults of folds and merges.
var foldFaults = []tamper.Fault{
	foldedRow("fold-keeps-added", "A fold keeps the status ADDED of its rows.",
		func(_ *placement, row *tree.Entry) { row.Tracking.Status = tree.Added }),
	foldedRow("fold-keeps-modified", "A fold keeps the status MODIFIED of a row.", func(_ *placement, row *tree.Entry) {
		if row.Tracking.ModifiedSnapshotID.Valid {
			row.Tracking.Status = tree.Modified
		}
	}),
	foldedRow("fold-takes-new-numbers", "Rows that are folded inherit from the new pointer in place of the old one.",
		func(p *placement, row *tree.Entry) {
			t := &row.Tracking
			t.SnapshotID, t.SequenceNumber, t.FileSequenceNumber = some(p.work.snapshotID), some(p.sequence()), some(p.sequence())
		}),
	foldedRow("fold-loses-data-sequence", "A fold takes the file sequence number of a row for its data sequence number.",
		func(_ *placement, row *tree.Entry) {
			row.Tracking.SequenceNumber = row.Tracking.FileSequenceNumber
		}),
	foldedRow("fold-loses-vector", "A fold loses the deletion vector of a file.",
		func(_ *placement, row *tree.Entry) { row.DeletionVector.Valid = false }),
	foldedRow("fold-loses-modified-id", "A fold loses modified_snapshot_id of a file.",
		func(_ *placement, row *tree.Entry) { row.Tracking.ModifiedSnapshotID = null }),
	foldedRow("fold-loses-partition", "A fold loses spec id and partition of a file.", func(_ *placement, row *tree.Entry) {
		row.Partition, row.SpecID.Valid = nil, false
	}),
	foldedRow("fold-loses-statistics", "A fold loses the statistics of a file.",
		func(_ *placement, row *tree.Entry) { row.Stats = nil }),
	foldedRow("fold-loses-sort-order", "A fold loses sort order and split offsets of a file.",
		func(_ *placement, row *tree.Entry) {
			row.SortOrderID.Valid, row.SplitOffsets = false, nil
		}),
	folded("fold-row-ids-of-first", "All rows that are folded get the row id of the first one.", func(_ *placement, m *member) {
		for i := range m.rows {
			m.rows[i].Tracking.FirstRowID = m.rows[0].Tracking.FirstRowID
		}
	}),
	folded("fold-row-ids-of-live", "Row ids of folded rows are counted over the live rows alone, as if masked ones took none.",
		func(p *placement, m *member) {
			next := p.base.Tree.Rows[p.rowOf(m.leaf)].Tracking.FirstRowID.Val
			for i := range m.rows {
				m.rows[i].Tracking.FirstRowID = some(next)
				next += m.rows[i].RecordCount
			}
		}),
	folded("fold-takes-masked", "A fold takes masked rows over too.", func(p *placement, m *member) {
		*m = member{key: m.key, leaf: m.leaf}
		unmasked := p.base.Tree.Rows[p.rowOf(m.leaf)]
		unmasked.Manifest.Val.DV = nil
		raw := p.search.raw(context.Background(), unmasked)
		for l, err := range tree.LiveIn(p.base.Tree.Origin, unmasked, tree.Full, raw) {
			carried, carryErr := tree.Carry(l.Entry)
			if err != nil || carryErr != nil {
				panic(err)
			}
			position := uint32(l.Position)
			if bits(p.base.Tree.Rows[p.rowOf(m.leaf)].Manifest.Val.DV).Contains(position) {
				position = leaf.MaxRows - 1 // else it would be masked in the new leaf too
			}
			m.rows, m.positions = append(m.rows, carried), append(m.positions, position)
		}
	}),
	folded("fold-drops-row", "A fold loses its last live row.", func(_ *placement, m *member) {
		if n := len(m.rows) - 1; n > 0 {
			m.rows, m.positions = m.rows[:n], m.positions[:n]
		}
	}),
	tamper.At(seamTranslated, "winners-masks-lost",
		"After a lost race a folded leaf is kept without what the winner masked in the old one.",
		func(*placement, mdv.Bitmap) mdv.Bitmap { return mdv.Bitmap{} }),
	tamper.At(seamTranslated, "winners-masks-shifted", "After a lost race the winner's masks are translated one position too far.",
		func(p *placement, b mdv.Bitmap) mdv.Bitmap {
			if b.IsEmpty() {
				return b
			}
			return shifted(b, int64(len(p.work.leaves[len(p.work.leaves)-1].rows())))
		}),
	tamper.At(seamTranslated, "winners-masks-untranslated",
		"After a lost race the winner's masks are taken over as they stand in the old leaf.",
		func(p *placement, b mdv.Bitmap) mdv.Bitmap {
			l := p.work.leaves[len(p.work.leaves)-1]
			if b.IsEmpty() {
				return b
			}
			var positions []uint32
			for position := range bits(p.base.Tree.Rows[p.rowOf(l.members[0].leaf)].Manifest.Val.DV).All() {
				positions = append(positions, position%uint32(len(l.rows())))
			}
			old, err := mdv.Of(positions...)
			if err != nil {
				panic(err)
			}
			return old
		}),
	tamper.At(seamUsable, "leaf-reused-unseen",
		"After a lost race every leaf that was written is used again, whatever the winner changed of its files.",
		func(*placement, bool) bool { return true }),
}

// object is a fault of the bytes of a leaf, of which its pointer knows nothing.
func object(name, says string, change func(rows []tree.Entry) []tree.Entry) tamper.Fault {
	return tamper.At(seamLeafRows, name, says, func(_ *placement, rows []tree.Entry) []tree.Entry { return change(slices.Clone(rows)) })
}

// leafObjectFaults are faults of the bytes of a leaf.
var leafObjectFaults = []tamper.Fault{
	object("leaf-cut", "The last row of a leaf is not written.",
		func(rows []tree.Entry) []tree.Entry { return rows[:max(1, len(rows)-1)] }),
	object("leaf-row-written-again", "The last row of a leaf is written again.", func(rows []tree.Entry) []tree.Entry {
		return append(rows, rows[len(rows)-1])
	}),
	object("leaf-in-other-order", "The rows of a leaf are written in another order than the one in which positions were given.",
		func(rows []tree.Entry) []tree.Entry {
			slices.Reverse(rows)
			return rows
		}),
	object("leaf-of-other-status", "The rows of a leaf are counted as EXISTING and written as MODIFIED.",
		func(rows []tree.Entry) []tree.Entry {
			for i := range rows {
				if rows[i].Tracking.Status == tree.Existing {
					rows[i].Tracking.Status = tree.Modified
				}
			}
			return rows
		}),
}
