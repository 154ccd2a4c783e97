package tree

import (
	"slices"

	"github.com/apache/iceberg-go"
)

// File is a data file as a caller hands it to an append. The caller keeps what its slices hold: they are copied
// when the file becomes an entry.
type File struct {
	// Location is the full location.
	Location string
	// Format is parquet, avro or orc.
	Format        string
	RecordCount   int64
	FileSizeBytes int64
	// SpecID and Partition are null, and nil, for a file whose spec has no fields (rules 2.7.2).
	SpecID    iceberg.Optional[int32]
	Partition Tuple
	// Stats is nil when nothing is known.
	Stats       Stats
	SortOrderID iceberg.Optional[int32]
	// SplitOffsets are ascending byte offsets within the file, nil when unknown.
	SplitOffsets []int64
	// KeyMetadata is nil when null.
	KeyMetadata []byte
	// DeletionVector is that of a file that is born with one; its location is full (rules 10.4).
	DeletionVector iceberg.Optional[DeletionVector]
	// DataSequenceNumber is that of the rows if the file only rewrites older ones; null for new rows (rules 7.3).
	DataSequenceNumber iceberg.Optional[int64]
}

// Entry returns the ADDED entry of a valid file, with locations relative to the table where they can be
// (rules 12.4). Whatever a leaf's row inherits is null, so that the entry does not depend on the attempt to commit
// it; the snapshot id is only used to say that a file was born with a deletion vector (rules 6.6, 7.10).
func (f File) Entry(tableLocation string, snapshotID int64) Entry {
	e := Entry{
		Tracking:      Tracking{Status: Added, SequenceNumber: f.DataSequenceNumber},
		Content:       Data,
		Location:      Relativize(tableLocation, f.Location),
		FileFormat:    f.Format,
		RecordCount:   f.RecordCount,
		FileSizeBytes: f.FileSizeBytes,
		SpecID:        f.SpecID,
		Partition:     f.Partition.withoutNulls(),
		Stats:         slices.Clone(f.Stats),
		SortOrderID:   f.SortOrderID,
		KeyMetadata:   slices.Clone(f.KeyMetadata),
		SplitOffsets:  slices.Clone(f.SplitOffsets),
	}
	if f.DeletionVector.Valid {
		e.DeletionVector = f.DeletionVector
		e.DeletionVector.Val.Location = Relativize(tableLocation, f.DeletionVector.Val.Location)
		e.DeletionVector.Val.KeyMetadata = slices.Clone(f.DeletionVector.Val.KeyMetadata)
		e.Tracking.ModifiedSnapshotID = iceberg.Optional[int64]{Val: snapshotID, Valid: true}
	}
	return e
}

// withoutNulls returns a copy that lists no null.
func (t Tuple) withoutNulls() Tuple {
	return slices.DeleteFunc(slices.Clone(t), func(v PartitionValue) bool { return v.Value.IsNull() })
}
