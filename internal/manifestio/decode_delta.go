package manifestio

import (
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/internal/parquetguard"
)

// deltaTexts decodes byte arrays whose lengths, and in DELTA_BYTE_ARRAY the lengths of the prefixes that
// they share with the one before, stand delta encoded in front.
func (c *cursor) deltaTexts(enc format.Encoding, data []byte, n int) (pageValues, error) {
	var prefixes []int32
	var err error
	if enc == format.DeltaByteArray {
		if prefixes, data, err = c.deltaLengths(data, n); err != nil {
			return nil, err
		}
	}
	suffixes, data, err := c.deltaLengths(data, n)
	if err != nil {
		return nil, err
	}
	var total int64
	for i := range suffixes {
		size := int64(suffixes[i])
		if prefixes != nil {
			size += int64(prefixes[i])
		}
		if size > c.limits.MaxStringBytes {
			return nil, &LimitError{Limit: "MaxStringBytes", Value: size, Max: c.limits.MaxStringBytes}
		}
		total += size
	}
	if total > c.limits.MaxPageBytes {
		return nil, &LimitError{Limit: "MaxPageBytes", Value: total, Max: c.limits.MaxPageBytes}
	}
	if err := c.budget.grow(&c.heldValues, total+int64(24*n)); err != nil {
		return nil, err
	}
	return c.joinTexts(prefixes, suffixes, data, total)
}

// deltaLengths decodes n lengths, none of them negative, and returns what follows them.
func (c *cursor) deltaLengths(data []byte, n int) ([]int32, []byte, error) {
	packed, rest, err := parquetguard.Delta(data, 32, n)
	if err != nil {
		return nil, nil, err
	}
	lengths, err := parquet.DeltaBinaryPacked.DecodeInt32(make([]int32, 0, n), packed)
	if err != nil {
		return nil, nil, err
	}
	for _, l := range lengths {
		if l < 0 {
			return nil, nil, fmt.Errorf("a value of %d bytes", l)
		}
	}
	return lengths, rest, nil
}

// joinTexts puts delta encoded texts together.
func (c *cursor) joinTexts(prefixes, suffixes []int32, data []byte, total int64) (pageValues, error) {
	var all strings.Builder
	all.Grow(int(total))
	ends := make([]int, len(suffixes))
	last := ""
	for i, n := range suffixes {
		start := all.Len()
		if prefixes != nil {
			if int(prefixes[i]) > len(last) {
				return nil, fmt.Errorf("a prefix of %d bytes of a value of %d", prefixes[i], len(last))
			}
			all.WriteString(last[:prefixes[i]])
		}
		if int(n) > len(data) {
			return nil, kindf(ErrTruncated, "a value of %d bytes in a page with %d left", n, len(data))
		}
		all.Write(data[:n])
		data = data[n:]
		ends[i] = all.Len()
		last = all.String()[start:]
		if c.leaf.physical == format.FixedLenByteArray && len(last) != c.leaf.typeLength {
			return nil, fmt.Errorf("a value of %d bytes in a column of %d", len(last), c.leaf.typeLength)
		}
	}
	texts, start := make([]string, len(ends)), 0
	for i, end := range ends {
		texts[i] = all.String()[start:end]
		start = end
	}
	return &decodedTexts{all: texts}, nil
}
