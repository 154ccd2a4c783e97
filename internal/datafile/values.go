package datafile

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/internal/parquetguard"
)

// values are the decoded values of a page or a dictionary.
type values struct {
	n int
	// same says that all values are equal.
	same bool
	at   func(i int) raw
}

// visit calls the visitor with the values of a range, which must not be empty.
func (v values) visit(from, to, def int, visit visitor) error {
	if v.same {
		return visit(def, v.at(from), int64(to-from))
	}
	for i := from; i < to; i++ {
		if err := visit(def, v.at(i), 1); err != nil {
			return err
		}
	}
	return nil
}

// byteWidth returns the length of a plain value, or 0 where it varies or is no whole byte.
func (l leafColumn) byteWidth() int {
	switch l.physical {
	case format.Int32, format.Float:
		return 4
	case format.Int64, format.Double:
		return 8
	case format.Int96:
		return 12
	case format.FixedLenByteArray:
		return l.width
	}
	return 0
}

// decode decodes n values. What their encoding claims is checked first; values that need more than maxBytes when
// decoded are an error.
func (l leafColumn) decode(enc format.Encoding, data []byte, n int, maxBytes int64) (values, error) {
	var err error
	switch {
	case l.physical == format.FixedLenByteArray && l.width > encoding.MaxFixedLenByteArraySize:
		return values{}, fmt.Errorf("values of %d bytes: %w", l.width, ErrUnsupported)
	case enc == format.Plain:
		data, err = l.checkPlain(data, n)
	case enc == format.ByteStreamSplit && l.byteWidth() > 0:
	case enc == format.RLE && l.physical == format.Boolean:
		return booleanRuns(data, n, maxBytes)
	case enc == format.DeltaBinaryPacked && (l.physical == format.Int32 || l.physical == format.Int64):
		data, err = l.checkDelta(data, n, maxBytes)
	case enc == format.DeltaLengthByteArray && l.physical == format.ByteArray,
		enc == format.DeltaByteArray && (l.physical == format.ByteArray || l.physical == format.FixedLenByteArray):
		err = checkDeltaTexts(enc, data, n, maxBytes)
	default:
		return values{}, fmt.Errorf("encoding %d (%s) of %s: %w", enc, enc, l.physical, ErrUnsupported)
	}
	if err != nil {
		return values{}, err
	}
	v, err := l.decodeSound(parquet.LookupEncoding(enc), slices.Clip(data)) // what lies behind is not part of the page
	switch {
	case errors.Is(err, encoding.ErrNotSupported):
		return values{}, fmt.Errorf("%w: %w", err, ErrUnsupported)
	case err != nil:
		return values{}, malformed("%v", err)
	case v.n < n:
		return values{}, malformed("%d values where the page has %d", v.n, n)
	}
	return v, nil
}

// checkPlain returns the bytes of n plain values. Byte arrays are not looked at: each is stored with its length, and
// decoded they are shorter.
func (l leafColumn) checkPlain(data []byte, n int) ([]byte, error) {
	width := l.byteWidth()
	if width == 0 {
		return data, nil
	}
	if n > len(data)/width {
		return nil, malformed("%d values in %d bytes", n, len(data))
	}
	return data[:n*width], nil
}

// booleanRuns decodes n run-length encoded booleans.
func booleanRuns(data []byte, n int, maxBytes int64) (values, error) {
	bools, same, err := parquetguard.Booleans(data, n, maxBytes)
	switch {
	case err != nil:
		return values{}, guarded(err)
	case bools == nil:
		return values{n: n, same: true, at: func(int) raw { return raw{num: int64(same)} }}, nil
	}
	return values{n: n, at: func(i int) raw { return raw{num: int64(bools[i])} }}, nil
}

// checkDelta returns the part of data that holds n delta encoded integers.
func (l leafColumn) checkDelta(data []byte, n int, maxBytes int64) ([]byte, error) {
	width := l.byteWidth()
	if int64(n) > maxBytes/int64(width) {
		return nil, errDecodedLimit(int64(n)*int64(width), maxBytes)
	}
	packed, _, err := parquetguard.Delta(data, uint(8*width), n)
	if err != nil {
		return nil, guarded(err)
	}
	return packed, nil
}

// checkDeltaTexts checks the lengths of n byte arrays, and of the prefixes that they share with the one before:
// repeated prefixes make the values longer than the page.
func checkDeltaTexts(enc format.Encoding, data []byte, n int, maxBytes int64) error {
	lists := 1
	if enc == format.DeltaByteArray {
		lists = 2
	}
	lengths := leafColumn{physical: format.Int32}
	total := int64(0)
	for range lists {
		packed, err := lengths.checkDelta(data, n, maxBytes)
		if err != nil {
			return err
		}
		data = data[len(packed):]
		decoded, err := parquet.DeltaBinaryPacked.DecodeInt32(nil, packed)
		if err != nil {
			return malformed("%v", err)
		}
		for _, length := range decoded {
			if length < 0 {
				return malformed("a byte array of %d bytes", length)
			}
			total += int64(length)
		}
	}
	if total > maxBytes {
		return errDecodedLimit(total, maxBytes)
	}
	return nil
}

func errDecodedLimit(bytes, limit int64) error {
	return fmt.Errorf("page of %d bytes when decoded: %w (%d)", bytes, ErrLimit, limit)
}

// decodeSound has the library decode values whose encoding was checked.
func (l leafColumn) decodeSound(enc encoding.Encoding, data []byte) (values, error) {
	switch l.physical {
	case format.Boolean:
		bits, err := enc.DecodeBoolean(nil, data)
		return values{n: 8 * len(bits), at: func(i int) raw { return raw{num: int64(bits[i/8]>>(i%8)) & 1} }}, err
	case format.Int32:
		return numbers(enc.DecodeInt32, data, func(v int32) int64 { return int64(v) })
	case format.Int64:
		return numbers(enc.DecodeInt64, data, func(v int64) int64 { return v })
	case format.Float:
		return numbers(enc.DecodeFloat, data, func(v float32) int64 { return int64(math.Float32bits(v)) })
	case format.Double:
		return numbers(enc.DecodeDouble, data, func(v float64) int64 { return int64(math.Float64bits(v)) })
	case format.ByteArray:
		all, offsets, err := enc.DecodeByteArray(nil, data, nil)
		return values{n: len(offsets) - 1, at: func(i int) raw { return raw{bytes: all[offsets[i]:offsets[i+1]]} }}, err
	}
	width := l.byteWidth()
	all, err := enc.DecodeFixedLenByteArray(nil, data, width)
	return values{n: len(all) / width, at: func(i int) raw { return raw{bytes: all[i*width : (i+1)*width]} }}, err
}

// numbers decodes values of type T, which bits turns into the form of [raw].
func numbers[T any](decode func([]T, []byte) ([]T, error), data []byte, bits func(T) int64) (values, error) {
	v, err := decode(nil, data)
	return values{n: len(v), at: func(i int) raw { return raw{num: bits(v[i])} }}, err
}
