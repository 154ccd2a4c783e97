package metadata

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
)

// The defaults of [Limits]. A metadata file grows by some 750 bytes and 30 values for each retained snapshot.
const (
	DefaultMaxBytes  = 64 << 20
	DefaultMaxDepth  = 200
	DefaultMaxValues = 4 << 20
)

// Limits bound what is read from a metadata file or a schema file. A field that is 0 or less means its
// default. Memory stays below a constant times the bytes that were read (MD7).
type Limits struct {
	// MaxBytes bounds the JSON document, unpacked; default [DefaultMaxBytes].
	MaxBytes int64
	// MaxDepth bounds the nesting of values; default [DefaultMaxDepth]. encoding/json reads no more than 10000.
	MaxDepth int
	// MaxValues bounds how many values the document holds; default [DefaultMaxValues].
	MaxValues int
}

func (l Limits) withDefaults() Limits {
	return Limits{
		MaxBytes:  positiveOr(l.MaxBytes, DefaultMaxBytes),
		MaxDepth:  positiveOr(l.MaxDepth, DefaultMaxDepth),
		MaxValues: positiveOr(l.MaxValues, DefaultMaxValues),
	}
}

func positiveOr[T cmp.Ordered](value, fallback T) T {
	var zero T
	if value > zero {
		return value
	}
	return fallback
}

// ParseError says where and why a document cannot be read.
type ParseError struct {
	// Path leads to the value, as in $.snapshots[3].sequence-number.
	Path string
	// Offset is the byte in the JSON text at which reading stopped.
	Offset int
	// Reason is what is wrong there.
	Reason string
}

// Error implements error.
func (e *ParseError) Error() string {
	return fmt.Sprintf("metadata: %s: %s (byte %d)", e.Path, e.Reason, e.Offset)
}

// Parse reads a metadata file of format version 1 to 4, compressed with gzip or not. It refuses, with a
// [*ParseError], what cannot be read: broken JSON, a name that stands twice in an object, values of the wrong
// type or range, missing members that the version requires (rules 14.6), and a current schema, default spec
// or current snapshot that is not there, for a table must never look empty because it is broken. The Table
// shares no memory with data.
//
// A null member reads as an absent one. Lists and maps that may be absent read as empty, a missing refs as
// the branch main at the current snapshot, and the current-snapshot-id -1 as null (MD1, MD6, MD7).
func Parse(data []byte, l Limits) (Table, error) {
	l = l.withDefaults()
	data, err := unpack(data, l.MaxBytes)
	if err != nil {
		return Table{}, err
	}
	d := newDecoder(data, l)
	t := d.table()
	d.end()
	if d.err != nil {
		return Table{}, d.err
	}
	return t, nil
}

// unpack returns the JSON text of data, which may be compressed; JSON never starts with gzip's magic bytes.
func unpack(data []byte, maxBytes int64) ([]byte, error) {
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("metadata: gzip: %w", err)
		}
		if data, err = io.ReadAll(io.LimitReader(r, maxBytes+1)); err != nil {
			return nil, fmt.Errorf("metadata: gzip: %w", err)
		}
	}
	if int64(len(data)) > maxBytes {
		return nil, fmt.Errorf("metadata: the document has more than %d bytes", maxBytes)
	}
	return data, nil
}
