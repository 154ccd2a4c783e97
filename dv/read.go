package dv

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// ErrEncrypted says that an entry has key metadata for its deletion vector, which this version cannot use.
var ErrEncrypted = errors.New("the deletion vector is encrypted")

// Read reads the deletion vector of an entry. It asks the store for exactly the blob's bytes. The location is the entry's
// own, resolved against the table's (rules 2.3.2), and recordCount is that of the data file.
//
// What is wrong with the blob, or between it and the entry, is a [*FaultError] of the faults from [FaultRange] to
// [FaultBeyondRows] (B43). A blob beyond the limit is [store.ErrTooLarge], and one with key metadata [ErrEncrypted]; other
// errors are the store's. That the blob belongs to this data file is not asked: only the footer says so, see
// [CheckFooter].
func Read(ctx context.Context, objects store.Objects, entry tree.DeletionVector, location string, recordCount int64,
	limits Limits) (Vector, error) {
	v, err := read(ctx, objects, entry, location, limits)
	if err == nil {
		err = checkCounts(v, entry, recordCount)
	}
	if err != nil {
		return Vector{}, place(err, location, entry.OffsetBytes)
	}
	return v, nil
}

func read(ctx context.Context, objects store.Objects, entry tree.DeletionVector, location string,
	limits Limits) (Vector, error) {
	offset, size := entry.OffsetBytes, entry.SizeBytes
	switch {
	case entry.KeyMetadata != nil:
		return Vector{}, ErrEncrypted
	case offset < 0 || size < 0 || offset > math.MaxInt64-size:
		return Vector{}, faulty(FaultRange, "%d bytes at %d are no part of a file", size, offset)
	case size > limits.blobBytes():
		return Vector{}, fmt.Errorf("blob of %d bytes, the limit is %d: %w", size, limits.blobBytes(), store.ErrTooLarge)
	case size < frameBytes:
		return Vector{}, faulty(FaultSize, "%d bytes, the least is %d", size, frameBytes)
	}
	data, err := readAt(store.NewReaderAt(ctx, objects, location), offset, size)
	if err != nil {
		return Vector{}, err
	}
	return ParseBlob(data)
}

// checkCounts holds a vector against what the entry says.
func checkCounts(v Vector, entry tree.DeletionVector, recordCount int64) error {
	if v.Cardinality() != entry.Cardinality {
		return faulty(FaultCardinality, "the entry counts %d deleted rows, the blob has %d", entry.Cardinality,
			v.Cardinality())
	}
	if last, some := v.Max(); some && !isRow(last, recordCount) {
		return faulty(FaultBeyondRows, "position %d, the file has %d rows", last, recordCount)
	}
	return nil
}

// isRow reports whether a file of so many rows has one at the position.
func isRow(position uint64, recordCount int64) bool {
	return recordCount > 0 && position < uint64(recordCount)
}

// Inspect reads the footer of a Puffin file, for a checker. What is wrong with the file is a [*FaultError]: a bare blob
// is [FaultNotPuffin], although [Read] reads it (B43). A footer beyond the limit is [store.ErrTooLarge]; other errors
// are the store's.
func Inspect(ctx context.Context, objects store.Objects, location string, limits Limits) (Footer, error) {
	info, err := objects.Stat(ctx, location)
	if err != nil {
		return Footer{}, place(err, location, 0)
	}
	return ParseFooter(store.NewReaderAt(ctx, objects, location), info.SizeBytes, location, limits)
}
