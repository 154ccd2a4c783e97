package manifestio

import (
	"fmt"
	"math/bits"

	"github.com/parquet-go/parquet-go/encoding/rle"
)

// fromDictionary decodes the indexes of a page and checks that each has an entry.
func (c *cursor) fromDictionary(data []byte, n int) (pageValues, error) {
	if c.dictionary == nil {
		return nil, fmt.Errorf("a page with dictionary indexes in a column without a dictionary")
	}
	if err := c.budget.grow(&c.heldValues, int64(2*8*n)); err != nil {
		return nil, err
	}
	indexes, err := decodeIndexes(c.indexes, data, n)
	if err != nil {
		return nil, err
	}
	c.indexes = indexes
	size := c.dictionary.size()
	for _, i := range indexes {
		if uint32(i) >= uint32(size) {
			return nil, fmt.Errorf("dictionary index %d of %d", uint32(i), size)
		}
	}
	if isText(c.leaf.physical) {
		return &dictionaryTexts{indexes: indexes, entries: c.dictionary.texts}, nil
	}
	return &dictionaryNumbers{indexes: indexes, entries: c.dictionary.nums}, nil
}

// decodeIndexes decodes n dictionary indexes, into dst if it is large enough.
func decodeIndexes(dst []int32, data []byte, n int) ([]int32, error) {
	if len(data) == 0 {
		return nil, kindf(ErrTruncated, "a page without its dictionary indexes")
	}
	width := uint(data[0])
	if width > 32 {
		return nil, fmt.Errorf("dictionary indexes of %d bits", width)
	}
	runs, uniform, value, err := guardRuns(data[1:], width, n)
	if err != nil {
		return nil, err
	}
	if cap(dst) < n {
		dst = make([]int32, n+8)
	}
	if uniform || width == 0 {
		dst = dst[:n]
		for i := range dst {
			dst[i] = int32(value)
		}
		return dst, nil
	}
	decoder := rle.Encoding{BitWidth: int(width)}
	dst, err = decoder.DecodeInt32(dst[:0], runs)
	if err == nil && len(dst) < n {
		err = fmt.Errorf("%d dictionary indexes instead of %d", len(dst), n)
	}
	return dst[:min(n, len(dst))], err
}

// decodeLevels decodes n levels of at most the given maximum, into dst if it is large enough. Instead of
// levels that are all the same it returns nil and their value.
func decodeLevels(dst, data []byte, maximum, n int) ([]byte, byte, error) {
	width := uint(bits.Len(uint(maximum)))
	runs, uniform, value, err := guardRuns(data, width, n)
	if err != nil {
		return nil, 0, err
	}
	if uniform {
		if value > uint32(maximum) {
			return nil, 0, fmt.Errorf("a level of %d above %d", value, maximum)
		}
		return nil, byte(value), nil
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
