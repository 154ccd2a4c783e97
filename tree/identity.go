package tree

import (
	"strconv"

	"github.com/apache/iceberg-go"
)

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

// String prints the identity so that others print otherwise.
func (i Identity) String() string { return string(i.append(nil)) }

func (i Identity) append(text []byte) []byte {
	return appendOptional(strconv.AppendQuote(text, i.Location), i.FileSequenceNumber)
}

func appendOptional(text []byte, n iceberg.Optional[int64]) []byte {
	if !n.Valid {
		return append(text, " null"...)
	}
	return strconv.AppendInt(append(text, ' '), n.Val, 10)
}

// Revision is an identity together with what a commit can change about a live file. Two equal ones are the same
// file in the same state, wherever their entries stand. It is comparable.
type Revision struct {
	Identity
	// DeletionVector is null for a file without one.
	DeletionVector     iceberg.Optional[BlobID]
	ModifiedSnapshotID iceberg.Optional[int64]
}

// String prints the revision so that others print otherwise.
func (r Revision) String() string {
	text := appendOptional(r.Identity.append(make([]byte, 0, 128)), r.ModifiedSnapshotID)
	if b := r.DeletionVector; b.Valid {
		text = strconv.AppendQuote(append(text, ' '), b.Val.Location)
		for _, n := range []int64{b.Val.OffsetBytes, b.Val.SizeBytes, b.Val.Cardinality} {
			text = strconv.AppendInt(append(text, ' '), n, 10)
		}
	}
	return string(text)
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
