package dv

import "fmt"

// Merged is a data file's deletion vector after more rows were deleted.
type Merged struct {
	// Vector has all deleted rows, old and new ones (rules 10.1).
	Vector Vector
	// AddedRows counts those that the old vector did not have. If it is 0 the vector is the old one.
	AddedRows int64
	// All says that no row of the file is left, so that the file can be removed instead.
	All bool
}

// Merge joins the vector that a data file has, empty if none, with the rows to delete now. A position that is no row of
// the file, in either of them, is refused with [ErrOutOfRange].
func Merge(old, deleted Vector, recordCount int64) (Merged, error) {
	union := old.Union(deleted)
	if last, some := union.Max(); some && !isRow(last, recordCount) {
		return Merged{}, fmt.Errorf("deletion vector: %w: %d, the file has %d rows", ErrOutOfRange, last, recordCount)
	}
	return Merged{
		Vector:    union,
		AddedRows: union.Cardinality() - old.Cardinality(),
		All:       !union.IsEmpty() && union.Cardinality() == recordCount,
	}, nil
}
