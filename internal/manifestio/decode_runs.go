package manifestio

import (
	"fmt"
	"slices"

	"github.com/firn-io/firn/internal/parquetguard"
)

// fromDictionary decodes the indexes of a page and checks that each has an entry.
func (c *cursor) fromDictionary(data []byte, n int) (pageValues, error) {
	if c.dictionary == nil {
		return nil, fmt.Errorf("a page with dictionary indexes in a column without a dictionary")
	}
	if err := c.budget.grow(&c.heldValues, int64(2*8*n)); err != nil {
		return nil, err
	}
	indexes, same, err := parquetguard.Indexes(c.indexes, data, n, c.limits.MaxPageBytes)
	if err != nil {
		return nil, err
	}
	if indexes == nil {
		indexes = slices.Grow(c.indexes[:0], n)[:n]
		for i := range indexes {
			indexes[i] = int32(same)
		}
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

// runBooleans decodes n run-length encoded booleans.
func (c *cursor) runBooleans(data []byte, n int) (pageValues, error) {
	if err := c.budget.grow(&c.heldValues, int64(2*8*n)); err != nil {
		return nil, err
	}
	bools, same, err := parquetguard.Booleans(data, n, c.limits.MaxPageBytes)
	if err != nil {
		return nil, err
	}
	nums := make([]int64, n)
	for i := range nums {
		nums[i] = int64(levelAt(bools, same, i))
	}
	return &decodedNumbers{nums: nums}, nil
}
