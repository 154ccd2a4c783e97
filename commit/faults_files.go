//go:build mutate

package commit

import (
	"context"
	"slices"
	"strings"

	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/rootmanifest"
	"github.com/firn-io/firn/tree"
)

func init() {
	tamper.Register(slices.Concat(newFileFaults, rowIDFaults, statsFaults, tombstoneFaults)...)
}

// newFile is a fault of a loose file that the commit adds.
func newFile(name, says string, change func(p *placement, e *tree.Entry)) tamper.Fault {
	return inRoot(name, says, func(p *placement, _, row *tree.Entry) {
		if !row.Manifest.Valid && row.Tracking.Status == tree.Added {
			change(p, row)
		}
	})
}

// modifiedFile is a fault of a loose file whose deletion vector the commit changed.
func modifiedFile(name, says string, change func(p *placement, e *tree.Entry)) tamper.Fault {
	return inRoot(name, says, func(p *placement, _, row *tree.Entry) {
		if !row.Manifest.Valid && row.Tracking.Status == tree.Modified {
			change(p, row)
		}
	})
}

// newFileFaults are faults of loose rows that are new.
var newFileFaults = []tamper.Fault{
	newFile("added-as-existing", "A file that is added is written as EXISTING.",
		func(_ *placement, e *tree.Entry) { e.Tracking.Status = tree.Existing }),
	newFile("added-as-modified", "A file that is added is written as MODIFIED.", func(p *placement, e *tree.Entry) {
		e.Tracking.Status, e.Tracking.ModifiedSnapshotID = tree.Modified, some(p.work.snapshotID)
	}),
	newFile("added-without-snapshot-id", "A file that is added to the root has no snapshot id.",
		func(_ *placement, e *tree.Entry) { e.Tracking.SnapshotID = null }),
	newFile("added-without-sequence", "A file that is added to the root has no sequence numbers.",
		func(_ *placement, e *tree.Entry) {
			e.Tracking.SequenceNumber, e.Tracking.FileSequenceNumber = null, null
		}),
	newFile("added-sequence-of-base", "A file that is added gets the sequence numbers of the snapshot before.",
		func(p *placement, e *tree.Entry) {
			e.Tracking.SequenceNumber, e.Tracking.FileSequenceNumber = some(p.sequence()-1), some(p.sequence()-1)
		}),
	newFile("added-snapshot-of-base", "A file that is added gets the id of the snapshot before.",
		func(p *placement, e *tree.Entry) {
			e.Tracking.SnapshotID = some(p.base.Tree.Origin.SnapshotID)
		}),
	newFile("added-sequence-of-lost-attempt", "After a lost race a loose file keeps the sequence numbers of the attempt that lost.",
		func(p *placement, e *tree.Entry) {
			n := tamper.First(p.Txn, "file sequence", p.sequence())
			e.Tracking.SequenceNumber, e.Tracking.FileSequenceNumber = some(n), some(n)
		}),
	newFile("born-without-modified-id", "A file that is added with a deletion vector has no modified_snapshot_id.",
		func(_ *placement, e *tree.Entry) {
			e.Tracking.ModifiedSnapshotID = null
		}),
	newFile("added-with-modified-id", "A file that is added names another snapshot in modified_snapshot_id.",
		func(p *placement, e *tree.Entry) {
			e.Tracking.ModifiedSnapshotID = some(p.base.Tree.Origin.SnapshotID)
		}),
	newFile("added-without-partition", "A file of a partitioned spec is written without its partition.",
		func(_ *placement, e *tree.Entry) { e.Partition = nil }),
	newFile("added-without-spec", "A file of a partitioned spec is written without its spec id.",
		func(_ *placement, e *tree.Entry) { e.SpecID.Valid = false }),
	newFile("added-with-unknown-spec", "A file is written with a spec id that the table does not have.",
		func(p *placement, e *tree.Entry) {
			if e.SpecID.Valid {
				e.SpecID.Val = int32(len(p.base.Metadata.Specs)) + 7
			}
		}),
	newFile("added-with-dots", "The location of a file is made relative with a dot in front.",
		func(_ *placement, e *tree.Entry) { e.Location = "./" + e.Location }),
	newFile("added-relative-twice", "The location of a file is made relative by one character too much.",
		func(_ *placement, e *tree.Entry) { e.Location = e.Location[1:] }),
	newFile("added-without-rows", "The record count of a file is left at zero.",
		func(_ *placement, e *tree.Entry) { e.RecordCount = 0 }),
	newFile("added-size", "The size of a file is one byte too high.", func(_ *placement, e *tree.Entry) { e.FileSizeBytes++ }),
	newFile("added-format-unknown", "A file is said to be of a format that does not exist.",
		func(_ *placement, e *tree.Entry) { e.FileFormat = "csv" }),
	newFile("added-splits-backward", "Split offsets of a file descend.", func(_ *placement, e *tree.Entry) {
		e.SplitOffsets = slices.Clone(e.SplitOffsets)
		slices.Reverse(e.SplitOffsets)
	}),
	newFile("added-with-mask", "A data file gets a bitmap of positions.", func(_ *placement, e *tree.Entry) {
		e.Tracking.DeletedPositions = []byte{1, 1, 0, 0, 1, 0, 1, 0, 0, 0}
	}),
	modifiedFile("modified-as-existing", "A file whose rows are deleted is written as EXISTING.",
		func(_ *placement, e *tree.Entry) { e.Tracking.Status = tree.Existing }),
	modifiedFile("modified-as-added", "A file whose rows are deleted is written as ADDED.",
		func(_ *placement, e *tree.Entry) { e.Tracking.Status = tree.Added }),
	modifiedFile("modified-without-modified-id", "A file whose rows are deleted does not say by which snapshot.",
		func(_ *placement, e *tree.Entry) {
			e.Tracking.ModifiedSnapshotID = null
		}),
	modifiedFile("modified-by-base", "A file whose rows are deleted names the snapshot before in modified_snapshot_id.",
		func(p *placement, e *tree.Entry) {
			e.Tracking.ModifiedSnapshotID = some(p.base.Tree.Origin.SnapshotID)
		}),
	modifiedFile("vector-of-more-rows-than-file", "The cardinality of a deletion vector is that of all files of the commit.",
		func(_ *placement, e *tree.Entry) {
			e.DeletionVector.Val.Cardinality += e.RecordCount
		}),
}

// rowIDFaults are faults of the row ids that a commit hands out.
var rowIDFaults = []tamper.Fault{
	newFile("row-id-missing", "A file that is added to the root has no row id.",
		func(_ *placement, e *tree.Entry) { e.Tracking.FirstRowID = null }),
	newFile("row-id-reused", "All files that are added get the row ids of the first one.", func(p *placement, e *tree.Entry) {
		e.Tracking.FirstRowID = some(p.base.Metadata.NextRowID)
	}),
	newFile("row-id-from-zero", "Row ids of each commit begin at zero.", func(p *placement, e *tree.Entry) {
		e.Tracking.FirstRowID.Val -= p.base.Metadata.NextRowID
	}),
	newFile("row-id-one-short", "The row ids of a file begin at the last one of the file before.",
		func(p *placement, e *tree.Entry) {
			e.Tracking.FirstRowID.Val = max(p.base.Metadata.NextRowID, e.Tracking.FirstRowID.Val-1)
		}),
	newFile("row-id-skips-ahead", "The row ids of a file begin behind those that the snapshot hands out.",
		func(_ *placement, e *tree.Entry) {
			e.Tracking.FirstRowID.Val += e.RecordCount
		}),
	tamper.At(seamRoot, "added-rows-one-short", "added-rows is one too few.",
		func(_ *placement, r rootmanifest.Root) rootmanifest.Root {
			r.AddedRows = max(0, r.AddedRows-1)
			return r
		}),
	tamper.At(seamRoot, "added-rows-of-added-alone", "added-rows leaves out the rows that moved into a new leaf.",
		func(_ *placement, r rootmanifest.Root) rootmanifest.Root {
			for _, e := range r.Rows {
				if e.Manifest.Valid && e.Tracking.Status == tree.Added {
					r.AddedRows -= e.Manifest.Val.ExistingRows
				}
			}
			return r
		}),
	tamper.At(seamRoot, "added-rows-without-leaves", "added-rows leaves out the files of new leaves.",
		func(_ *placement, r rootmanifest.Root) rootmanifest.Root {
			for _, e := range r.Rows {
				if e.Manifest.Valid && e.Tracking.Status == tree.Added {
					r.AddedRows -= e.Manifest.Val.ExistingRows + e.Manifest.Val.AddedRows + e.Manifest.Val.ModifiedRows
				}
			}
			return r
		}),
}

// newStats is a fault of the statistics of a file that the commit adds to the root.
func newStats(name, says string, change func(f *tree.FieldStats)) tamper.Fault {
	return newFile(name, says, func(_ *placement, e *tree.Entry) {
		e.Stats = slices.Clone(e.Stats)
		for i := range e.Stats {
			change(&e.Stats[i])
		}
	})
}

// statsFaults are faults of the statistics of files.
var statsFaults = []tamper.Fault{
	newStats("bounds-exchanged", "The bounds of a column stand in each other's place.",
		func(f *tree.FieldStats) { f.Lower, f.Upper = f.Upper, f.Lower }),
	newStats("value-count-without-nulls", "Nulls are not among the values of a column.",
		func(f *tree.FieldStats) { f.ValueCount.Val -= 1 + f.NullCount.Val }),
	newStats("null-count-too-high", "A column has more nulls than values.",
		func(f *tree.FieldStats) { f.NullCount = some(f.ValueCount.Val + 1) }),
}

// tombstoneFaults are faults of the rows that tell of what went.
var tombstoneFaults = []tamper.Fault{
	rewritten("tombstones-forgotten", "A loose file is removed, and no DELETED row is written.",
		func(_ *placement, rows []tree.Entry) []tree.Entry {
			return slices.DeleteFunc(rows, func(e tree.Entry) bool { return !e.Manifest.Valid && e.Tracking.Status == tree.Deleted })
		}),
	rewritten("old-state-forgotten", "Rows of a loose file are deleted, and no REPLACED row is written.",
		func(_ *placement, rows []tree.Entry) []tree.Entry {
			return slices.DeleteFunc(rows, func(e tree.Entry) bool { return e.Tracking.Status == tree.Replaced })
		}),
	rewritten("tombstones-carried", "The dead rows of the base are carried.",
		func(p *placement, rows []tree.Entry) []tree.Entry {
			for _, e := range p.base.Tree.Rows {
				if !e.Tracking.Status.Live() {
					rows = append(rows, e)
				}
			}
			return rows
		}),
	rewritten("tombstones-told-again", "The dead rows of the base are told of again, by the new snapshot.",
		func(p *placement, rows []tree.Entry) []tree.Entry {
			for _, e := range p.base.Tree.Rows {
				if !e.Tracking.Status.Live() && !e.Manifest.Valid {
					e.Tracking.SnapshotID = some(p.work.snapshotID)
					rows = append(rows, e)
				}
			}
			return rows
		}),
	tombstone("tombstone-keeps-snapshot-id", "A tombstone keeps the snapshot id of the live row.",
		func(_ *placement, was, e *tree.Entry) {
			e.Tracking.SnapshotID = was.Tracking.SnapshotID
		}),
	tombstone("tombstone-takes-new-sequence", "A tombstone takes the commit's sequence number.",
		func(p *placement, _, e *tree.Entry) {
			e.Tracking.SequenceNumber = some(p.sequence())
		}),
	tombstone("tombstone-without-sequence", "A tombstone is written without sequence numbers.",
		func(_ *placement, _, e *tree.Entry) {
			e.Tracking.SequenceNumber, e.Tracking.FileSequenceNumber = null, null
		}),
	tombstone("tombstone-loses-vector", "A tombstone loses the deletion vector that the file had.",
		func(_ *placement, _, e *tree.Entry) { e.DeletionVector.Valid = false }),
	tombstone("removed-as-replaced", "A file that is removed gets a REPLACED row.",
		func(_ *placement, _, e *tree.Entry) { e.Tracking.Status = tree.Replaced }),
	tombstone("replaced-as-deleted", "The old state of a file whose rows are deleted gets a DELETED row.",
		func(_ *placement, _, e *tree.Entry) { e.Tracking.Status = tree.Deleted }),
	rewritten("old-state-is-new-state", "The REPLACED row of a file is written from its new state.",
		func(_ *placement, rows []tree.Entry) []tree.Entry {
			for i := range rows {
				for _, e := range rows {
					if rows[i].Tracking.Status == tree.Replaced && e.Tracking.Status == tree.Modified && e.Location == rows[i].Location {
						rows[i].DeletionVector = e.DeletionVector
					}
				}
			}
			return rows
		}),
	rewritten("removal-told-twice", "A file that is removed from a leaf gets a DELETED row beside its position.",
		func(p *placement, rows []tree.Entry) []tree.Entry {
			for _, c := range p.found.files {
				if !c.inRoot() && c.fate == removed {
					old, err := p.search.complete(context.Background(), c.old, c.row)
					gone, deleteErr := tree.Delete(old.Entry, p.work.snapshotID)
					if err == nil && deleteErr == nil {
						rows = append(rows, gone)
					}
				}
			}
			return rows
		}),
	rewritten("come-and-gone-told", "A file that came and went within a commit gets a tombstone.",
		func(p *placement, rows []tree.Entry) []tree.Entry {
			for _, e := range rows {
				if e.Tracking.Status == tree.Added && !e.Manifest.Valid {
					e.Location, e.Tracking.Status = strings.TrimSuffix(e.Location, ".parquet")+"-came-and-went", tree.Deleted
					return append(rows, e)
				}
			}
			return rows
		}),
}

// tombstone is a fault of the row that tells of a loose file's old state.
func tombstone(name, says string, change func(p *placement, was, e *tree.Entry)) tamper.Fault {
	return inRoot(name, says, func(p *placement, was, row *tree.Entry) {
		if was != nil && !row.Manifest.Valid && !row.Tracking.Status.Live() {
			change(p, was, row)
		}
	})
}
