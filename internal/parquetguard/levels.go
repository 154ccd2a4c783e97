package parquetguard

import (
	"fmt"
	"math/bits"

	"github.com/parquet-go/parquet-go/encoding/rle"
)

// Levels decodes n levels of at most the given maximum, into dst if it is large enough. Instead of levels that are
// all the same it returns nil and their value. Others that need more than maxBytes are a [LimitError].
func Levels(dst, data []byte, maximum, n int, maxBytes int64) (levels []byte, same byte, err error) {
	width := uint(bits.Len(uint(maximum)))
	runs, uniform, value, err := Runs(data, width, n)
	if err != nil {
		return nil, 0, err
	}
	if uniform {
		if value > uint32(maximum) {
			return nil, 0, fmt.Errorf("a level of %d above %d", value, maximum)
		}
		return nil, byte(value), nil
	}
	if int64(n) > maxBytes {
		return nil, 0, &LimitError{What: "bytes of levels of a page", Value: int64(n), Max: maxBytes}
	}
	decoder := rle.Encoding{BitWidth: int(width)}
	dst, err = decoder.DecodeLevels(dst, runs)
	if err != nil || len(dst) < n {
		return nil, 0, fmt.Errorf("%d levels instead of %d: %w", len(dst), n, err)
	}
	dst = dst[:n]
	if 1<<width-1 != maximum {
		for _, l := range dst {
			if int(l) > maximum {
				return nil, 0, fmt.Errorf("a level of %d above %d", l, maximum)
			}
		}
	}
	return dst, 0, nil
}

// Booleans decodes n booleans of the encoding RLE, with the length of their runs in front: one byte for each, 0 or 1,
// or nil and the value if all are the same. parquet-go's own decoder takes a run for whole bytes of eight bits, and
// its encoder writes 255 for a run of true.
func Booleans(data []byte, n int, maxBytes int64) (bools []byte, same byte, err error) {
	const lengthBytes = 4
	if len(data) < lengthBytes {
		return nil, 0, kindf(ErrTruncated, "booleans of %d bytes", len(data))
	}
	runs, uniform, value, err := Runs(data[lengthBytes:], 1, n)
	switch {
	case err != nil:
		return nil, 0, err
	case uniform:
		return nil, byte(value & 1), nil
	case int64(n) > maxBytes:
		return nil, 0, &LimitError{What: "booleans of a page", Value: int64(n), Max: maxBytes}
	}
	decoder := rle.Encoding{BitWidth: 1}
	bools, err = decoder.DecodeLevels(nil, runs)
	if err != nil || len(bools) < n {
		return nil, 0, fmt.Errorf("%d booleans instead of %d: %w", len(bools), n, err)
	}
	for i := range bools {
		bools[i] &= 1
	}
	return bools[:n], 0, nil
}

// Indexes decodes n dictionary indexes, into dst if it is large enough. Instead of indexes that are all the same it
// returns nil and their value. Others that need more than maxBytes are a [LimitError]. They are not compared with the
// size of a dictionary.
func Indexes(dst []int32, data []byte, n int, maxBytes int64) (indexes []int32, same uint32, err error) {
	const indexBytes = 4
	if len(data) == 0 {
		return nil, 0, kindf(ErrTruncated, "a page without its dictionary indexes")
	}
	width := uint(data[0])
	if width > 32 {
		return nil, 0, fmt.Errorf("dictionary indexes of %d bits", width)
	}
	runs, uniform, value, err := Runs(data[1:], width, n)
	switch {
	case err != nil:
		return nil, 0, err
	case uniform || width == 0:
		return nil, value, nil
	case int64(n) > maxBytes/indexBytes:
		return nil, 0, &LimitError{What: "dictionary indexes of a page", Value: int64(n), Max: maxBytes / indexBytes}
	}
	if cap(dst) < n {
		dst = make([]int32, n+maxPadding)
	}
	decoder := rle.Encoding{BitWidth: int(width)}
	dst, err = decoder.DecodeInt32(dst[:0], runs)
	if err == nil && len(dst) < n {
		err = fmt.Errorf("%d dictionary indexes instead of %d", len(dst), n)
	}
	return dst[:min(n, len(dst))], 0, err
}
