package datafile

import (
	"errors"
	"fmt"
	"strings"
)

// Errors of this package; all but [ErrNoRows] arrive inside a [FileError].
var (
	// ErrNoRows says that a file has no rows: an entry for it would be dropped by every reader (rules 2.6.4, DF8).
	ErrNoRows = errors.New("the file has no rows")
	// ErrCorrupt says that a file is not what it says it is: cut, changed, or not Parquet.
	ErrCorrupt = errors.New("malformed Parquet")
	// ErrUnsupported says that a file uses a part of Parquet that is not read here, such as encryption.
	ErrUnsupported = errors.New("not supported")
	// ErrLimit says that a file is larger in some way than [Limits] allow.
	ErrLimit = errors.New("limit exceeded")
)

// FileError places an error in a file. Errors of the underlying reader are wrapped as they are, so the caller
// can tell a missing file from a broken one.
type FileError struct {
	Location string
	// RowGroup is the ordinal of the row group, or -1.
	RowGroup int
	// Column is the dotted path of the column in the file, or empty.
	Column string
	Err    error
}

// Error names the file, and the row group and the column where they are known.
func (e *FileError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "datafile: %s: ", e.Location)
	if e.RowGroup >= 0 {
		fmt.Fprintf(&b, "row group %d: ", e.RowGroup)
	}
	if e.Column != "" {
		fmt.Fprintf(&b, "column %s: ", e.Column)
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns the error without its place.
func (e *FileError) Unwrap() error { return e.Err }

// SchemaMismatchError says that a file's columns do not fit the table (DF6).
type SchemaMismatchError struct {
	Location string
	// Column is the dotted name of the column: the table's where the table has it, else the file's.
	Column string
	Reason string
}

// Error names the file and the column.
func (e *SchemaMismatchError) Error() string {
	return fmt.Sprintf("datafile: %s: column %s: %s", e.Location, e.Column, e.Reason)
}

// PartitionError says that a file has no single partition under a spec.
type PartitionError struct {
	Location string
	// Field is the name of the partition field.
	Field  string
	Reason string
}

// Error names the file and the partition field.
func (e *PartitionError) Error() string {
	return fmt.Sprintf("datafile: %s: partition field %s: %s", e.Location, e.Field, e.Reason)
}

// malformed returns an error that wraps [ErrCorrupt].
func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}

// atColumn places an error in a column chunk.
func atColumn(err error, rowGroup int, column string) error {
	if err == nil || errors.Is(err, errStop) {
		return err
	}
	return &FileError{RowGroup: rowGroup, Column: column, Err: err}
}

// inFile gives an error its location.
func inFile(err error, location string) error {
	var placed *FileError
	var mismatch *SchemaMismatchError
	var partition *PartitionError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &mismatch):
		mismatch.Location = location
	case errors.As(err, &partition):
		partition.Location = location
	case errors.As(err, &placed):
		placed.Location = location
	case errors.Is(err, ErrNoRows):
		return fmt.Errorf("datafile: %s: %w", location, err)
	default:
		err = &FileError{Location: location, RowGroup: -1, Err: err}
	}
	return err
}
