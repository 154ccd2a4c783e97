package manifestio

import (
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/internal/parquetguard"
)

// dictionaryOfOldWriters marks dictionary pages, and pages of indexes, in files of older writers.
const dictionaryOfOldWriters = format.PlainDictionary //lint:ignore SA1019 it is there to be read

// plain returns the source of n plainly encoded values, which must fill data exactly.
func (c *cursor) plain(data []byte, n int) (pageValues, error) {
	var want int
	var source pageValues
	switch physical := c.leaf.physical; physical {
	case format.ByteArray:
		return &plainTexts{data: data, left: n, max: c.limits.MaxStringBytes}, nil
	case format.FixedLenByteArray, format.Int96:
		size := c.fixedSize()
		want, source = n*size, &fixedTexts{data: data, size: size}
	case format.Boolean:
		want, source = (n+7)/8, &plainBooleans{data: data}
	default:
		want, source = n*physicalSize(physical), &plainNumbers{data: data, physical: physical}
	}
	if len(data) != want {
		return nil, fmt.Errorf("%d values in %d bytes instead of %d", n, len(data), want)
	}
	return source, nil
}

// fixedSize returns the length of each value of a column of fixed-length texts.
func (c *cursor) fixedSize() int {
	if c.leaf.physical == format.Int96 {
		return 12
	}
	return c.leaf.typeLength
}

// values returns the source of the n values of a data page.
func (c *cursor) values(enc format.Encoding, data []byte, n int) (pageValues, error) {
	physical := c.leaf.physical
	switch enc {
	case format.Plain:
		return c.plain(data, n)
	case dictionaryOfOldWriters, format.RLEDictionary:
		return c.fromDictionary(data, n)
	case format.DeltaLengthByteArray, format.DeltaByteArray:
		if isText(physical) && physical != format.Int96 {
			return c.deltaTexts(enc, data, n)
		}
	case format.RLE:
		if physical == format.Boolean {
			return c.runBooleans(data, n)
		}
	case format.DeltaBinaryPacked:
		if physical == format.Int32 || physical == format.Int64 {
			packed, _, err := parquetguard.Delta(data, uint(8*physicalSize(physical)), n)
			if err != nil {
				return nil, err
			}
			return c.decodeNumbers(&parquet.DeltaBinaryPacked, packed, n)
		}
	case format.ByteStreamSplit:
		return c.splitStreams(data, n)
	}
	return nil, kindf(ErrUnsupported, "encoding %s of %s", enc, physical)
}

// decodeNumbers decodes a whole page with one of parquet-go's decoders.
func (c *cursor) decodeNumbers(enc encoding.Encoding, data []byte, n int) (pageValues, error) {
	if err := c.budget.grow(&c.heldValues, int64(2*8*n)); err != nil {
		return nil, err
	}
	nums := make([]int64, 0, n)
	var err error
	switch c.leaf.physical {
	case format.Int32:
		nums, err = widen(nums, enc.DecodeInt32, data, func(v int32) int64 { return int64(v) })
	case format.Int64:
		nums, err = enc.DecodeInt64(nums, data)
	case format.Float:
		nums, err = widen(nums, enc.DecodeFloat, data, func(v float32) int64 { return int64(math.Float32bits(v)) })
	case format.Double:
		nums, err = widen(nums, enc.DecodeDouble, data, func(v float64) int64 { return int64(math.Float64bits(v)) })
	}
	if err == nil && len(nums) < n {
		err = fmt.Errorf("%d values instead of %d", len(nums), n)
	}
	return &decodedNumbers{nums: nums}, err
}

// widen decodes numbers of type T and turns each into 64 bits.
func widen[T any](dst []int64, decode func([]T, []byte) ([]T, error), data []byte, bits func(T) int64) ([]int64, error) {
	values, err := decode(make([]T, 0, cap(dst)), data)
	for _, v := range values {
		dst = append(dst, bits(v))
	}
	return dst, err
}

// splitStreams decodes byte stream split values, whose bytes must be those of n values.
func (c *cursor) splitStreams(data []byte, n int) (pageValues, error) {
	if isText(c.leaf.physical) {
		size := c.fixedSize()
		if c.leaf.physical != format.FixedLenByteArray || len(data) != n*size {
			return nil, kindf(ErrUnsupported, "encoding BYTE_STREAM_SPLIT of %d bytes of %s", len(data), c.leaf.physical)
		}
		plain, err := parquet.ByteStreamSplit.DecodeFixedLenByteArray(make([]byte, 0, len(data)), data, size)
		return &fixedTexts{data: plain, size: size}, err
	}
	if c.leaf.physical == format.Boolean || len(data) != n*physicalSize(c.leaf.physical) {
		return nil, fmt.Errorf("%d bytes of BYTE_STREAM_SPLIT for %d values of %s", len(data), n, c.leaf.physical)
	}
	return c.decodeNumbers(&parquet.ByteStreamSplit, data, n)
}
