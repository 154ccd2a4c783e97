package tree

import "github.com/apache/iceberg-go"

// Identity tells a data file of a table from every other one, also from one that had or will have the same
// location in another snapshot. It is comparable.
type Identity struct {
	// Location is the resolved location.
	Location string
	// FileSequenceNumber is null for a file that is not committed yet.
	FileSequenceNumber iceberg.Optional[int64]
}

// Identity returns the identity of an entry, whatever was projected.
func (l Located) Identity() Identity {
	return Identity{Location: l.Location, FileSequenceNumber: l.Entry.Tracking.FileSequenceNumber}
}

// Revision is an identity together with what a commit can change about a live file. Two equal ones are the same
// file in the same state, wherever their entries stand. It is comparable.
type Revision struct {
	Identity
	// DeletionVector is null for a file without one.
	DeletionVector     iceberg.Optional[BlobID]
	ModifiedSnapshotID iceberg.Optional[int64]
}

// BlobID identifies a deletion vector by its place and size. It is comparable.
type BlobID struct {
	// Location is the resolved location of the Puffin file.
	Location                            string
	OffsetBytes, SizeBytes, Cardinality int64
}

// Revision returns the state of an entry, which must have been read with the columns of [Projection.File].
func (l Located) Revision() Revision {
	r := Revision{Identity: l.Identity(), ModifiedSnapshotID: l.Entry.Tracking.ModifiedSnapshotID}
	if dv := l.Entry.DeletionVector; dv.Valid {
		r.DeletionVector = iceberg.Optional[BlobID]{Valid: true, Val: BlobID{
			Location:    Resolve(l.Origin.TableLocation, dv.Val.Location),
			OffsetBytes: dv.Val.OffsetBytes,
			SizeBytes:   dv.Val.SizeBytes,
			Cardinality: dv.Val.Cardinality,
		}}
	}
	return r
}
