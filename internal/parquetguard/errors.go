package parquetguard

import (
	"errors"
	"fmt"
)

// The kinds of errors, for errors.Is. They do not show in messages.
var (
	// ErrTruncated says that the input ends early, or that something points outside of it.
	ErrTruncated = errors.New("truncated")
	// ErrUnsupported says that the input uses a part of Parquet that is not read here.
	ErrUnsupported = errors.New("not supported")
)

// LimitError says that the input exceeds a limit of the caller.
type LimitError struct {
	// What is limited, in the plural or with its unit.
	What string
	// Value is what the input asks for, Max what is allowed.
	Value, Max int64
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%d %s where %d are allowed", e.Value, e.What, e.Max)
}

// fault gives an error a kind without changing its message.
type fault struct{ kind, err error }

// Error implements error.
func (f *fault) Error() string { return f.err.Error() }

// Unwrap returns the kind and the error.
func (f *fault) Unwrap() []error { return []error{f.kind, f.err} }

// kindf returns an error of the given kind.
func kindf(kind error, format string, args ...any) error {
	return &fault{kind: kind, err: fmt.Errorf(format, args...)}
}
