//go:build mutate

package commit

import (
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/tree"
)

func init() { tamper.Register(slices.Concat(pointerFaults, pointerStatsFaults)...) }

// pointer is a fault of the root's row for a new leaf.
func pointer(name, says string, change func(p *placement, e *tree.Entry)) tamper.Fault {
	return tamper.At(seamPointer, name, says, func(p *placement, e tree.Entry) tree.Entry {
		change(p, &e)
		return e
	})
}

// counts is a fault of the counts of a new leaf.
func counts(name, says string, change func(info *tree.ManifestInfo)) tamper.Fault {
	return pointer(name, says, func(_ *placement, e *tree.Entry) { change(&e.Manifest.Val) })
}

// pointerFaults are faults of the root's row for a new leaf.
var pointerFaults = []tamper.Fault{
	pointer("pointer-record-count", "The record count of a new leaf is one too high.",
		func(_ *placement, e *tree.Entry) { e.RecordCount++ }),
	pointer("pointer-counts-records", "The record count of a new leaf is that of the records of its files.",
		func(_ *placement, e *tree.Entry) {
			e.RecordCount = e.Manifest.Val.AddedRows + e.Manifest.Val.ExistingRows
		}),
	pointer("pointer-size", "The length of a new leaf is one byte too high.",
		func(_ *placement, e *tree.Entry) { e.FileSizeBytes++ }),
	pointer("pointer-format", "A new leaf is said to be an avro file.",
		func(_ *placement, e *tree.Entry) { e.FileFormat = "avro" }),
	pointer("pointer-content", "A new leaf is said to be a manifest of delete files.",
		func(_ *placement, e *tree.Entry) { e.Content = tree.DeleteManifest }),
	pointer("pointer-existing", "The pointer to a new leaf is written as EXISTING.",
		func(_ *placement, e *tree.Entry) { e.Tracking.Status = tree.Existing }),
	pointer("pointer-sequences-differ", "The data sequence number of a new leaf is the lowest of its rows.",
		func(p *placement, e *tree.Entry) {
			e.Tracking.SequenceNumber = some(p.sequence() - 1)
		}),
	pointer("pointer-sequence-of-base", "A new leaf gets the sequence number of the snapshot before.",
		func(p *placement, e *tree.Entry) {
			e.Tracking.SequenceNumber, e.Tracking.FileSequenceNumber = some(p.sequence()-1), some(p.sequence()-1)
		}),
	pointer("pointer-snapshot-of-base", "A new leaf gets the id of the snapshot before.", func(p *placement, e *tree.Entry) {
		e.Tracking.SnapshotID = some(p.base.Tree.Origin.SnapshotID)
	}),
	pointer("pointer-partition-of-first", "A new leaf is said to be of one partition, that of a file of the base.",
		func(p *placement, e *tree.Entry) {
			for _, row := range append(p.base.Tree.Rows, p.work.leaves[len(p.work.leaves)-1].rows()...) {
				if row.SpecID.Valid && !row.Manifest.Valid {
					e.SpecID, e.Partition = row.SpecID, row.Partition
					return
				}
			}
		}),
	pointer("pointer-without-modified-id", "After a lost race a folded leaf with the winner's masks does not say who masked them.",
		func(_ *placement, e *tree.Entry) {
			e.Tracking.ModifiedSnapshotID = null
		}),
	pointer("winners-masks-told-again", "After a lost race a folded leaf tells of the winner's removals as of its own.",
		func(_ *placement, e *tree.Entry) {
			e.Tracking.DeletedPositions = e.Manifest.Val.DV
		}),

	counts("counts-added-as-existing", "A file that is added to a leaf is counted as existing.", func(info *tree.ManifestInfo) {
		if info.AddedFiles > 0 {
			info.AddedFiles, info.ExistingFiles = info.AddedFiles-1, info.ExistingFiles+1
		}
	}),
	counts("counts-added-rows", "The added rows of a new leaf are one too few.",
		func(info *tree.ManifestInfo) { info.AddedRows = max(0, info.AddedRows-1) }),
	counts("counts-existing-rows", "The existing rows of a new leaf are not counted.",
		func(info *tree.ManifestInfo) { info.ExistingRows = 0 }),
	counts("counts-files-without-rows", "Files of a new leaf are counted and their rows are under another status.",
		func(info *tree.ManifestInfo) {
			info.DeletedRows, info.AddedRows = info.AddedRows, 0
		}),
	counts("counts-version", "A new leaf is said to be of format version 3.",
		func(info *tree.ManifestInfo) { info.FormatVersion = 3 }),
	counts("min-sequence-zero", "min_sequence_number of a new leaf is never set.",
		func(info *tree.ManifestInfo) { info.MinSequenceNumber = 0 }),
	pointer("min-sequence-of-commit", "min_sequence_number of a new leaf is the commit's, also where older files moved in.",
		func(p *placement, e *tree.Entry) {
			e.Manifest.Val.MinSequenceNumber = p.sequence()
		}),
	pointer("min-sequence-ahead", "min_sequence_number of a new leaf is one above the commit's.",
		func(p *placement, e *tree.Entry) {
			e.Manifest.Val.MinSequenceNumber = p.sequence() + 1
		}),
}

// pointerStats is a fault of the statistics of a new leaf.
func pointerStats(name, says string, change func(f *tree.FieldStats)) tamper.Fault {
	return pointer(name, says, func(_ *placement, e *tree.Entry) {
		e.Stats = slices.Clone(e.Stats)
		for i := range e.Stats {
			change(&e.Stats[i])
		}
	})
}

// pointerStatsFaults are faults of the statistics of a new leaf.
var pointerStatsFaults = []tamper.Fault{
	pointer("aggregate-of-first", "The statistics of a new leaf are those of its first row.",
		func(p *placement, e *tree.Entry) {
			for _, l := range p.work.leaves {
				if tree.Relativize(p.base.Location, l.location) == e.Location {
					e.Stats = tree.Aggregate(l.rows()[:1])
				}
			}
		}),
	pointer("aggregate-over-gaps", "The statistics of a new leaf pass over the rows that have none.",
		func(p *placement, e *tree.Entry) {
			for _, l := range p.work.leaves {
				if tree.Relativize(p.base.Location, l.location) == e.Location {
					e.Stats = tree.Aggregate(slices.DeleteFunc(l.rows(), func(row tree.Entry) bool { return row.Stats == nil }))
				}
			}
		}),
	pointerStats("aggregate-claims-tight", "The bounds of a new leaf are said to be tight although some of them are cut.",
		func(f *tree.FieldStats) {
			f.Tight = iceberg.Optional[bool]{Val: true, Valid: true}
		}),
	pointerStats("aggregate-exchanged", "The bounds of a new leaf stand in each other's place.",
		func(f *tree.FieldStats) { f.Lower, f.Upper = f.Upper, f.Lower }),
	pointerStats("aggregate-value-count", "The value counts of a new leaf are one too low.",
		func(f *tree.FieldStats) { f.ValueCount.Val-- }),
	pointerStats("aggregate-null-count", "The null counts of a new leaf are zero.",
		func(f *tree.FieldStats) { f.NullCount.Val = 0 }),
}
