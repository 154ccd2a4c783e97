package dv

import (
	"context"
	"errors"
	"strconv"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// CheckBlob reads a deletion vector as [Read] does and returns its faults instead, [FaultEmpty] among them (B43). An
// error says that nothing was learned: the store failed, the blob is beyond the limit or encrypted.
func CheckBlob(ctx context.Context, objects store.Objects, entry tree.DeletionVector, location string,
	recordCount int64, limits Limits) ([]*FaultError, error) {
	v, err := Read(ctx, objects, entry, location, recordCount, limits)
	var fault *FaultError
	switch {
	case errors.As(err, &fault):
		return []*FaultError{fault}, nil
	case err != nil:
		return nil, err
	case v.IsEmpty():
		return []*FaultError{{FaultEmpty, location, entry.OffsetBytes, "it deletes no row, the entry should have a null"}},
			nil
	}
	return nil, nil
}

// CheckFooter holds an entry against the footer of its Puffin file and returns what contradicts it (B43). The data file's
// location is full, as the table resolves it.
func CheckFooter(f Footer, entry tree.DeletionVector, dataFile string) []*FaultError {
	found := findings{location: f.Location, offset: entry.OffsetBytes}
	blob, listed := f.at(entry.OffsetBytes)
	if !listed {
		if other, elsewhere := f.of(dataFile); elsewhere {
			found.add(FaultOffset, "the entry says offset %d, the footer has the blob of %s at %d", entry.OffsetBytes,
				dataFile, other.OffsetBytes)
		} else {
			found.add(FaultUnlisted, "the footer lists no blob at offset %d", entry.OffsetBytes)
		}
		return found.faults
	}
	if blob.OffsetBytes < int64(len(puffinMagic)) || blob.LengthBytes < 0 ||
		blob.LengthBytes > f.StartBytes-blob.OffsetBytes {
		found.add(FaultRange, "the footer, at %d, lists %d bytes at %d", f.StartBytes, blob.LengthBytes, blob.OffsetBytes)
	}
	if blob.Type != blobType {
		found.add(FaultType, "%q, want %q", blob.Type, blobType)
	}
	if blob.CompressionCodec != "" {
		found.add(FaultCompressed, "the footer says codec %q", blob.CompressionCodec)
	}
	if blob.LengthBytes != entry.SizeBytes {
		found.add(FaultLength, "the entry says %d bytes, the footer %d", entry.SizeBytes, blob.LengthBytes)
	}
	if blob.SnapshotID != unassigned || blob.SequenceNumber != unassigned {
		found.add(FaultFooterSnapshot, "snapshot id %d and sequence number %d, want -1", blob.SnapshotID,
			blob.SequenceNumber)
	}
	found.properties(blob, entry, dataFile)
	return found.faults
}

// at returns the blob at an offset.
func (f Footer) at(offsetBytes int64) (Blob, bool) {
	for i := range f.Blobs {
		if f.Blobs[i].OffsetBytes == offsetBytes {
			return f.Blobs[i], true
		}
	}
	return Blob{}, false
}

// of returns the first deletion vector of a data file.
func (f Footer) of(dataFile string) (Blob, bool) {
	for i := range f.Blobs {
		if b := &f.Blobs[i]; b.Type == blobType && b.Properties[propertyDataFile] == dataFile {
			return *b, true
		}
	}
	return Blob{}, false
}

// findings collects the faults of one entry.
type findings struct {
	location string
	offset   int64
	faults   []*FaultError
}

func (f *findings) add(fault Fault, format string, args ...any) {
	f.faults = append(f.faults, place(faulty(fault, format, args...), f.location, f.offset).(*FaultError))
}

// properties checks the two properties that the format requires.
func (f *findings) properties(blob Blob, entry tree.DeletionVector, dataFile string) {
	switch named, given := blob.Properties[propertyDataFile]; {
	case !given:
		f.add(FaultPropertyMissing, "the footer has no property %q", propertyDataFile)
	case named != dataFile:
		f.add(FaultReference, "the footer says that it belongs to %s, the entry is that of %s", named, dataFile)
	}
	switch counted, given := blob.Properties[propertyCardinality]; {
	case !given:
		f.add(FaultPropertyMissing, "the footer has no property %q", propertyCardinality)
	case counted != strconv.FormatInt(entry.Cardinality, 10):
		f.add(FaultFooterCardinality, "the entry counts %d deleted rows, the footer %q", entry.Cardinality, counted)
	}
}
