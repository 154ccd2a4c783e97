package manifestio

import (
	"errors"
	"fmt"
	"strings"

	"github.com/firn-io/firn/internal/parquetguard"
)

// The kinds of a [CorruptError], for errors.Is. Each of them is an ErrCorrupt too.
var (
	// ErrCorrupt says that bytes are not a manifest that this version can read.
	ErrCorrupt = errors.New("corrupt")
	// ErrTruncated says that the object ends early, or that its footer points outside of it.
	ErrTruncated = fmt.Errorf("%w: truncated", ErrCorrupt)
	// ErrFieldIDs says that field ids are missing, doubled, or stand on a column of another type or in
	// another struct than the format's (rules 2, 4.2; B51, MF4).
	ErrFieldIDs = fmt.Errorf("%w: field ids", ErrCorrupt)
	// ErrLegacyNumbering says that the manifest has the count ids of August 2026, some of which mean
	// something else today, so that reading it would misread it (rules 2.4.1, Q3).
	ErrLegacyNumbering = fmt.Errorf("%w: field ids of August 2026", ErrCorrupt)
	// ErrNotV4 says that the file is sound Parquet and no v4 manifest, for example a Parquet manifest of v3
	// records (rules 0.5-3, MF5).
	ErrNotV4 = fmt.Errorf("%w: not a v4 manifest", ErrCorrupt)
	// ErrUnsupported says that the file uses a part of Parquet that manifests do not: encryption, or a codec
	// or an encoding that nothing here can decode (MF11).
	ErrUnsupported = fmt.Errorf("%w: unsupported Parquet feature", ErrCorrupt)
)

// ErrLimit is the kind of every [LimitError].
var ErrLimit = errors.New("limit exceeded")

// CorruptError says what is wrong with a manifest and where. It is an [ErrCorrupt] and its Kind.
type CorruptError struct {
	// Object is the name that the manifest was opened under.
	Object string
	// Row is the ordinal of the row in the file. If the pages that hold it are damaged, it is the first of the
	// rows that could not be read; -1 if the fault is not in any row.
	Row int64
	// Field names the field by the format's names and its id, empty if the fault is not in one field.
	Field string
	// Kind is one of the errors above.
	Kind error
	// Err tells the fault.
	Err error
}

// Error implements error.
func (e *CorruptError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "manifest %s: ", e.Object)
	if e.Row >= 0 {
		fmt.Fprintf(&b, "row %d: ", e.Row)
	}
	if e.Field != "" {
		fmt.Fprintf(&b, "%s: ", e.Field)
	}
	fmt.Fprintf(&b, "%v: %v", e.Kind, e.Err)
	return b.String()
}

// Unwrap returns the kind and the fault.
func (e *CorruptError) Unwrap() []error { return []error{e.Kind, e.Err} }

// LimitError says that a manifest exceeds one of the [DecodeOptions]. It is an [ErrLimit] and no
// [ErrCorrupt]: with a higher limit the manifest may be readable.
type LimitError struct {
	// Object is the name that the manifest was opened under.
	Object string
	// Limit is the name of the option.
	Limit string
	// Value is what the manifest asks for, Max what is allowed.
	Value, Max int64
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("manifest %s: %v: needs %d, %s is %d", e.Object, ErrLimit, e.Value, e.Limit, e.Max)
}

// Is reports whether target is [ErrLimit].
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// rowFault is a fault in one row, counted from the start of the batch being decoded.
type rowFault struct {
	row int
	err error
}

// Error implements error.
func (f *rowFault) Error() string { return f.err.Error() }

// Unwrap returns the fault.
func (f *rowFault) Unwrap() error { return f.err }

// faultf returns a fault in a row of the current batch.
func faultf(row int, format string, args ...any) error {
	return &rowFault{row: row, err: fmt.Errorf(format, args...)}
}

// faultKind attaches one of the kinds above to a fault found below the level that knows the object's name.
type faultKind struct {
	kind, err error
}

// Error implements error.
func (e *faultKind) Error() string { return e.err.Error() }

// Unwrap returns the fault.
func (e *faultKind) Unwrap() error { return e.err }

// kindf returns a fault of the given kind.
func kindf(kind error, format string, args ...any) error {
	return &faultKind{kind: kind, err: fmt.Errorf(format, args...)}
}

// named turns a fault found anywhere below into the error that a caller sees. first is the ordinal of the
// row that a rowFault counts from, or the row to report, or -1.
func named(object, field string, first int64, err error) error {
	var limit *LimitError
	if errors.As(err, &limit) {
		out := *limit
		out.Object = object
		return &out
	}
	var guard *parquetguard.LimitError // of a page; a footer's is turned into ours where it is read
	if errors.As(err, &guard) {
		return &LimitError{Object: object, Limit: "MaxPageBytes", Value: guard.Value, Max: guard.Max}
	}
	var io *parquetguard.ReadError
	if errors.As(err, &io) {
		return fmt.Errorf("manifest %s: %w", object, io)
	}
	out := &CorruptError{Object: object, Row: first, Field: field, Kind: ErrCorrupt, Err: err}
	var corrupt *CorruptError
	if errors.As(err, &corrupt) {
		return corrupt
	}
	var kind *faultKind
	switch {
	case errors.As(err, &kind):
		out.Kind, out.Err = kind.kind, kind.err
	case errors.Is(err, parquetguard.ErrTruncated):
		out.Kind = ErrTruncated
	case errors.Is(err, parquetguard.ErrUnsupported):
		out.Kind = ErrUnsupported
	}
	var fault *rowFault
	if errors.As(err, &fault) {
		out.Row = first + int64(fault.row)
	}
	return out
}
