package parquetguard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The ends of a Parquet file.
const (
	// Magic is at both ends of a file.
	Magic = "PAR1"
	// TailBytes is the size of the footer's length and the magic behind it.
	TailBytes = 8

	encryptedMagic = "PARE"
)

// ReadError is a failure of the reader that a file is read from, as opposed to a fault of the file.
type ReadError struct {
	OffsetBytes, SizeBytes int64
	Err                    error
}

// Error implements error.
func (e *ReadError) Error() string {
	return fmt.Sprintf("reading %d bytes at %d: %v", e.SizeBytes, e.OffsetBytes, e.Err)
}

// Unwrap returns the reader's error.
func (e *ReadError) Unwrap() error { return e.Err }

// ReadAt fills b from the given offset of r. An end of input before that means that the stated size was wrong, and
// is an [ErrTruncated]; any other failure is a [ReadError].
func ReadAt(r io.ReaderAt, b []byte, offset int64) error {
	n, err := r.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return kindf(ErrTruncated, "the object ends after %d of %d bytes at %d", n, len(b), offset)
	}
	return &ReadError{OffsetBytes: offset, SizeBytes: int64(len(b)), Err: err}
}

// ReadFooter returns the bytes of a file's footer and where they begin. A footer above maxBytes is a [LimitError].
func ReadFooter(r io.ReaderAt, sizeBytes, maxBytes int64) (footer []byte, start int64, err error) {
	if sizeBytes < int64(len(Magic))+TailBytes {
		return nil, 0, kindf(ErrTruncated, "%d bytes are no Parquet file", sizeBytes)
	}
	var tail [TailBytes]byte
	if err := ReadAt(r, tail[:], sizeBytes-TailBytes); err != nil {
		return nil, 0, err
	}
	switch magic := string(tail[4:]); magic {
	case Magic:
	case encryptedMagic:
		return nil, 0, kindf(ErrUnsupported, "the footer is encrypted")
	default:
		return nil, 0, kindf(ErrTruncated, "the file ends in %q, not in %q", magic, Magic)
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > sizeBytes-TailBytes-int64(len(Magic)) {
		return nil, 0, kindf(ErrTruncated, "a footer of %d bytes in a file of %d", n, sizeBytes)
	}
	if n > maxBytes {
		return nil, 0, &LimitError{What: "bytes of footer", Value: n, Max: maxBytes}
	}
	footer = make([]byte, n)
	start = sizeBytes - TailBytes - n
	return footer, start, ReadAt(r, footer, start)
}
