//go:build mutate

package commit

import (
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/rootmanifest"
	"github.com/firn-io/firn/tree"
)

func init() { tamper.Register(slices.Concat(maskedFaults, carriedFaults, rootFaults)...) }

// rewritten is a fault of a whole root.
func rewritten(name, says string, change func(p *placement, rows []tree.Entry) []tree.Entry) tamper.Fault {
	return tamper.At(seamRoot, name, says, func(p *placement, root rootmanifest.Root) rootmanifest.Root {
		root.Rows = change(p, slices.Clone(root.Rows))
		return root
	})
}

// inRoot is a fault of the rows of a root; was is the live row of the base's root that a row continues, nil for a new one.
func inRoot(name, says string, change func(p *placement, was, row *tree.Entry)) tamper.Fault {
	return rewritten(name, says, func(p *placement, rows []tree.Entry) []tree.Entry {
		before := make(map[string]*tree.Entry)
		for i := range p.base.Tree.Rows {
			if old := &p.base.Tree.Rows[i]; old.Tracking.Status.Live() {
				before[old.Location] = old
			}
		}
		for i := range rows {
			change(p, before[rows[i].Location], &rows[i])
		}
		return rows
	})
}

// maskedPointer is a fault of a pointer whose leaf this commit masks.
func maskedPointer(name, says string, change func(p *placement, was, row *tree.Entry)) tamper.Fault {
	return inRoot(name, says, func(p *placement, was, row *tree.Entry) {
		if row.Manifest.Valid && was != nil && row.Tracking.ModifiedSnapshotID == some(p.work.snapshotID) {
			change(p, was, row)
		}
	})
}

// carriedRow is a fault of a row that this commit leaves alone, of a pointer or of a file.
func carriedRow(pointer bool, name, says string, change func(p *placement, was, row *tree.Entry)) tamper.Fault {
	return inRoot(name, says, func(p *placement, was, row *tree.Entry) {
		if was != nil && row.Manifest.Valid == pointer && row.Tracking.Status == tree.Existing {
			change(p, was, row)
		}
	})
}

// maskedFaults are faults of pointers whose leaves the commit masks.
var maskedFaults = []tamper.Fault{
	maskedPointer("masked-as-existing", "A pointer whose leaf is masked is written as EXISTING.",
		func(_ *placement, _, row *tree.Entry) {
			row.Tracking.Status = tree.Existing
		}),
	maskedPointer("masked-as-added", "A pointer whose leaf is masked stays ADDED.",
		func(_ *placement, _, row *tree.Entry) { row.Tracking.Status = tree.Added }),
	maskedPointer("masked-as-replaced", "The pointer of a leaf that ends is written as REPLACED.",
		func(_ *placement, _, row *tree.Entry) {
			if row.Tracking.Status == tree.Deleted {
				row.Tracking.Status = tree.Replaced
			}
		}),
	maskedPointer("masked-forgets-earlier", "The new deletion vector of a leaf has only the positions of this commit.",
		func(_ *placement, was, row *tree.Entry) {
			row.Manifest.Val.DV = encoded(bits(row.Manifest.Val.DV).Minus(bits(was.Manifest.Val.DV)))
		}),
	maskedPointer("masked-keeps-old-vector", "Delta bitmaps are written, and the deletion vector of the leaf stays as it was.",
		func(_ *placement, was, row *tree.Entry) {
			row.Manifest.Val.DV = was.Manifest.Val.DV
		}),
	maskedPointer("masked-empty-vector", "The delta bitmap without a position is written as an empty bitmap.",
		func(_ *placement, _, row *tree.Entry) {
			if row.Tracking.ReplacedPositions == nil {
				row.Tracking.ReplacedPositions = []byte{1, 0, 0, 0, 0, 0}
			}
		}),
	maskedPointer("masked-beyond-end", "The position one behind the last row is masked too.",
		func(_ *placement, _, row *tree.Entry) {
			beyond, _ := mdv.Of(uint32(row.RecordCount))
			row.Manifest.Val.DV = encoded(bits(row.Manifest.Val.DV).Union(beyond))
		}),
	maskedPointer("masked-broken-bitmap", "The header of a bitmap counts one position too many.",
		func(_ *placement, _, row *tree.Entry) {
			row.Manifest.Val.DV = slices.Clone(row.Manifest.Val.DV)
			row.Manifest.Val.DV[1]++
		}),
	maskedPointer("masked-one-more", "A live position beside the removed one is masked and told of.",
		func(_ *placement, _, row *tree.Entry) {
			dv := bits(row.Manifest.Val.DV)
			for position := range uint32(row.RecordCount) {
				if one, _ := mdv.Of(position); !dv.Contains(position) && row.Tracking.DeletedPositions != nil {
					row.Manifest.Val.DV = encoded(dv.Union(one))
					row.Tracking.DeletedPositions = encoded(bits(row.Tracking.DeletedPositions).Union(one))
					return
				}
			}
		}),
	maskedPointer("delta-accumulates", "deleted_positions has what earlier snapshots deleted too.",
		func(_ *placement, _, row *tree.Entry) {
			row.Tracking.DeletedPositions = encoded(bits(row.Manifest.Val.DV).Minus(bits(row.Tracking.ReplacedPositions)))
		}),
	maskedPointer("delta-in-both", "A deleted position is told of as replaced too.", func(_ *placement, _, row *tree.Entry) {
		row.Tracking.ReplacedPositions = encoded(bits(row.Tracking.ReplacedPositions).Union(bits(row.Tracking.DeletedPositions)))
	}),
	maskedPointer("delta-left-out", "The delta bitmaps of a masked leaf are left out.", func(_ *placement, _, row *tree.Entry) {
		row.Tracking.DeletedPositions, row.Tracking.ReplacedPositions = nil, nil
	}),
	maskedPointer("masked-without-modified-id", "A masked leaf does not say which snapshot masked it.",
		func(_ *placement, _, row *tree.Entry) {
			row.Tracking.ModifiedSnapshotID = null
		}),
	maskedPointer("masked-keeps-modified-id", "A masked leaf names the snapshot that masked it before.",
		func(p *placement, was, row *tree.Entry) {
			if was.Tracking.ModifiedSnapshotID.Valid {
				row.Tracking.ModifiedSnapshotID = was.Tracking.ModifiedSnapshotID
			}
		}),
	maskedPointer("masked-takes-new-sequence", "A masked leaf gets the commit's sequence number.",
		func(p *placement, _, row *tree.Entry) {
			row.Tracking.SequenceNumber, row.Tracking.FileSequenceNumber = some(p.sequence()), some(p.sequence())
		}),
	maskedPointer("masked-takes-new-snapshot-id", "A masked leaf gets the commit's snapshot id, and its rows inherit it.",
		func(p *placement, _, row *tree.Entry) {
			row.Tracking.SnapshotID = some(p.work.snapshotID)
		}),
	maskedPointer("masked-counts-live-rows", "The counts of a masked leaf are reduced by what is masked.",
		func(_ *placement, was, row *tree.Entry) {
			gone := bits(row.Manifest.Val.DV).Cardinality() - bits(was.Manifest.Val.DV).Cardinality()
			row.Manifest.Val.AddedFiles = max(0, row.Manifest.Val.AddedFiles-int32(gone))
		}),
	maskedPointer("masked-record-count", "Counts and record count of a masked leaf are reduced by what is masked.",
		func(_ *placement, was, row *tree.Entry) {
			gone := int32(bits(row.Manifest.Val.DV).Cardinality() - bits(was.Manifest.Val.DV).Cardinality())
			if info := &row.Manifest.Val; info.AddedFiles > gone {
				info.AddedFiles -= gone
				row.RecordCount -= int64(gone)
			}
		}),
	maskedPointer("masked-min-sequence", "min_sequence_number is computed again for what is left of a masked leaf.",
		func(p *placement, _, row *tree.Entry) {
			row.Manifest.Val.MinSequenceNumber = p.sequence()
		}),
	maskedPointer("masked-keeps-tight-bounds", "The bounds of a leaf stay tight when rows are masked.",
		func(_ *placement, was, row *tree.Entry) {
			row.Stats = was.Stats
		}),
	maskedPointer("masked-narrows-bounds", "The bounds of a masked leaf are narrowed as if the removed file had held them.",
		func(_ *placement, _, row *tree.Entry) {
			row.Stats = slices.Clone(row.Stats)
			for i := range row.Stats {
				row.Stats[i].Upper = row.Stats[i].Lower
			}
		}),
}

// carriedFaults are faults of rows that the commit leaves alone.
var carriedFaults = []tamper.Fault{
	carriedRow(true, "carried-delta", "Delta bitmaps are carried to the next snapshot.",
		func(_ *placement, was, row *tree.Entry) {
			row.Tracking.DeletedPositions, row.Tracking.ReplacedPositions = was.Tracking.DeletedPositions, was.Tracking.ReplacedPositions
		}),
	carriedRow(true, "carried-leaf-keeps-added", "A pointer stays ADDED when it is carried.",
		func(_ *placement, was, row *tree.Entry) {
			row.Tracking.Status = was.Tracking.Status
			if row.Tracking.Status == tree.Modified {
				row.Tracking.Status = tree.Existing
			}
		}),
	carriedRow(true, "carried-leaf-keeps-modified", "A pointer stays MODIFIED when it is carried.",
		func(_ *placement, was, row *tree.Entry) {
			if was.Tracking.Status == tree.Modified {
				row.Tracking.Status = tree.Modified
			}
		}),
	carriedRow(true, "carried-leaf-new-modified-id", "A pointer that is carried names the commit in modified_snapshot_id.",
		func(p *placement, _, row *tree.Entry) {
			row.Tracking.ModifiedSnapshotID = some(p.work.snapshotID)
		}),
	carriedRow(true, "carried-leaf-loses-modified-id", "A pointer that is carried loses modified_snapshot_id.",
		func(_ *placement, _, row *tree.Entry) {
			row.Tracking.ModifiedSnapshotID = null
		}),
	carriedRow(true, "carried-leaf-loses-mask", "A pointer that is carried loses its deletion vector.",
		func(_ *placement, _, row *tree.Entry) { row.Manifest.Val.DV = nil }),
	carriedRow(true, "carried-leaf-new-row-ids", "A leaf gets new row ids each time it is carried.",
		func(p *placement, _, row *tree.Entry) {
			row.Tracking.FirstRowID = some(p.base.Metadata.NextRowID)
		}),
	carriedRow(true, "carried-leaf-new-sequence", "A pointer gets the number of the base when it is carried.",
		func(p *placement, _, row *tree.Entry) {
			row.Tracking.SequenceNumber, row.Tracking.FileSequenceNumber = some(p.sequence()-1), some(p.sequence()-1)
		}),
	carriedRow(true, "carried-leaf-new-bounds", "The bounds of a leaf are narrowed when it is carried.",
		func(_ *placement, _, row *tree.Entry) {
			row.Stats = slices.Clone(row.Stats)
			for i := range row.Stats {
				row.Stats[i].Upper = row.Stats[i].Lower
			}
		}),
	carriedRow(true, "carried-leaf-tight-again", "The bounds of a leaf are said to be tight again when it is carried.",
		func(_ *placement, _, row *tree.Entry) {
			row.Stats = slices.Clone(row.Stats)
			for i := range row.Stats {
				row.Stats[i].Tight = iceberg.Optional[bool]{Val: true, Valid: true}
			}
		}),
	carriedRow(false, "carried-file-keeps-status", "A loose file keeps its status when it is carried.",
		func(_ *placement, was, row *tree.Entry) {
			row.Tracking.Status = was.Tracking.Status
		}),
	carriedRow(false, "carried-file-new-row-ids", "A loose file gets new row ids each time it is carried.",
		func(p *placement, _, row *tree.Entry) {
			row.Tracking.FirstRowID = some(p.base.Metadata.NextRowID)
		}),
	carriedRow(false, "carried-file-new-sequence", "A loose file gets the base's file sequence number when it is carried.",
		func(p *placement, _, row *tree.Entry) {
			row.Tracking.FileSequenceNumber = some(p.sequence() - 1)
		}),
	carriedRow(false, "carried-file-narrows-bounds", "The bounds of a loose file are narrowed when it is carried.",
		func(_ *placement, _, row *tree.Entry) {
			row.Stats = slices.Clone(row.Stats)
			for i := range row.Stats {
				row.Stats[i].Upper = row.Stats[i].Lower
			}
		}),
	carriedRow(false, "carried-file-loses-vector", "A loose file loses its deletion vector when it is carried.",
		func(_ *placement, _, row *tree.Entry) {
			row.DeletionVector.Valid = false
		}),
	carriedRow(false, "carried-file-default-spec", "A loose file gets the table's default spec when it is carried.",
		func(p *placement, _, row *tree.Entry) {
			row.SpecID = iceberg.Optional[int32]{Val: int32(p.base.Metadata.DefaultSpecID), Valid: true}
		}),
}

// rootFaults are faults of the root as a whole.
var rootFaults = []tamper.Fault{
	rewritten("thinned-loses-partition", "A pointer that loses statistics loses those of the columns by which the table is partitioned too.",
		func(p *placement, rows []tree.Entry) []tree.Entry {
			for _, i := range p.plan.Thinning.Pointers {
				for row := range rows {
					if rows[row].Location == p.base.Tree.Rows[p.pointers[i]].Location {
						rows[row].Stats = nil
					}
				}
			}
			return rows
		}),
	rewritten("pointer-forgotten", "A new leaf is written, and no pointer to it.",
		func(p *placement, rows []tree.Entry) []tree.Entry {
			return slices.DeleteFunc(rows, func(e tree.Entry) bool {
				return e.Manifest.Valid && e.Tracking.Status == tree.Added
			})
		}),
	rewritten("pointer-twice", "The pointer to a leaf stands in the root twice.",
		func(_ *placement, rows []tree.Entry) []tree.Entry {
			i := slices.IndexFunc(rows, func(e tree.Entry) bool { return e.Manifest.Valid })
			if i >= 0 {
				rows = append(rows, rows[i])
			}
			return rows
		}),
	rewritten("carried-forgotten", "The first loose file of the base is not carried.",
		func(_ *placement, rows []tree.Entry) []tree.Entry {
			i := slices.IndexFunc(rows, func(e tree.Entry) bool { return !e.Manifest.Valid && e.Tracking.Status == tree.Existing })
			if i >= 0 {
				rows = slices.Delete(rows, i, i+1)
			}
			return rows
		}),
	rewritten("pushed-stays-loose", "A file that is pushed into a leaf stays loose too.",
		func(p *placement, rows []tree.Entry) []tree.Entry {
			for _, step := range p.plan.Steps {
				for _, ref := range step.Members {
					if row := p.sourceRow(ref); row.from >= 0 && row.entry.Tracking.Status.Live() {
						return append(rows, row.entry)
					}
				}
			}
			return rows
		}),
	rewritten("folded-stays", "The pointer to a leaf that is folded stays beside the new one.",
		func(p *placement, rows []tree.Entry) []tree.Entry {
			for _, m := range p.foldedMembers() {
				if carried, err := tree.Carry(p.base.Tree.Rows[p.rowOf(m.leaf)]); err == nil {
					rows = append(rows, carried)
				}
			}
			return rows
		}),
	rewritten("leaf-of-lost-attempt",
		"After a lost race the leaf that the first attempt folded is listed although the winner folded it too.",
		(*placement).addLost),
	rewritten("ended-pointer-dropped", "The pointer of a leaf whose last file is removed is dropped without a row.",
		func(_ *placement, rows []tree.Entry) []tree.Entry {
			return slices.DeleteFunc(rows, func(e tree.Entry) bool { return e.Manifest.Valid && e.Tracking.Status == tree.Deleted })
		}),
	rewritten("pointer-ends-early", "A pointer becomes DELETED when the first of its files is removed.",
		func(p *placement, rows []tree.Entry) []tree.Entry {
			for i := range rows {
				if e := &rows[i]; e.Manifest.Valid && e.Tracking.Status == tree.Modified {
					e.Tracking.Status, e.Tracking.SnapshotID = tree.Deleted, some(p.work.snapshotID)
				}
			}
			return rows
		}),
}
