package dv

import (
	"encoding/binary"
	"math/bits"
)

// checkBitmap accepts exactly the portable 64-bit bitmaps that have one meaning and fill data (DV4): keys and
// positions ascend, cardinalities and offsets are the true ones, runs neither overlap nor touch, and nothing is above
// [MaxPosition]. It takes no memory.
func checkBitmap(data []byte) error {
	if len(data) < countBytes {
		return faulty(FaultBitmap, "%d bytes are no bitmap", len(data))
	}
	count := binary.LittleEndian.Uint64(data)
	rest := data[countBytes:]
	for i, previous := uint64(0), int64(-1); i < count; i++ {
		if len(rest) < keyBytes {
			return faulty(FaultBitmap, "%d bitmaps are announced, the bytes end after %d", count, i)
		}
		key := binary.LittleEndian.Uint32(rest)
		switch {
		case key > maxKey:
			return faulty(FaultReserved, "key %d of a 32-bit bitmap, the largest is %d", key, maxKey)
		case int64(key) <= previous:
			return faulty(FaultBitmap, "key %d of a 32-bit bitmap follows key %d", key, previous)
		}
		bitmap := checker{data: rest[keyBytes:]}
		if err := bitmap.check(); err != nil {
			return err
		}
		if key == maxKey && bitmap.last > maxLow {
			return faulty(FaultReserved, "position %d, the largest is %d", uint64(key)<<32|uint64(bitmap.last), MaxPosition)
		}
		previous = int64(key)
		rest = rest[keyBytes+bitmap.at:]
	}
	if len(rest) > 0 {
		return faulty(FaultTrailing, "%d bytes after the bitmap", len(rest))
	}
	return nil
}

// checker walks through one 32-bit bitmap at the front of data.
type checker struct {
	data []byte
	at   int    // where the walk stands
	last uint32 // the largest position so far
}

// next returns the next n bytes; nil if there are not as many.
func (c *checker) next(n int) []byte {
	if n > len(c.data)-c.at {
		return nil
	}
	c.at += n
	return c.data[c.at-n : c.at]
}

// cut is the error for a bitmap that ends within the part that is named.
func cut(part string) error { return faulty(FaultBitmap, "the bytes end within %s", part) }

// check reads the bitmap to its end. One without containers is legal: some writers fill gaps between keys with them.
func (c *checker) check() error {
	runFlags, n, err := c.header()
	if err != nil {
		return err
	}
	descriptors := c.next(descriptorBytes * n)
	if descriptors == nil {
		return cut("the descriptors of the containers")
	}
	var offsets []byte
	if hasOffsets(runFlags != nil, n) {
		if offsets = c.next(offsetBytes * n); offsets == nil {
			return cut("the offsets of the containers")
		}
	}
	for i, previous := 0, -1; i < n; i++ {
		key := int(binary.LittleEndian.Uint16(descriptors[descriptorBytes*i:]))
		if key <= previous {
			return faulty(FaultBitmap, "container key %d follows %d", key, previous)
		}
		previous = key
		if offsets != nil {
			if offset := binary.LittleEndian.Uint32(offsets[offsetBytes*i:]); uint64(offset) != uint64(c.at) {
				return faulty(FaultBitmap, "container %d is said to be at byte %d, it is at %d", key, offset, c.at)
			}
		}
		cardinality := int(binary.LittleEndian.Uint16(descriptors[descriptorBytes*i+2:])) + 1
		isRuns := runFlags != nil && runFlags[i>>3]&(1<<(i&7)) != 0
		last, err := c.container(key, cardinality, isRuns)
		if err != nil {
			return err
		}
		c.last = uint32(key)<<16 | uint32(last)
	}
	return nil
}

// header returns which containers are of runs, nil if none can be, and how many containers there are.
func (c *checker) header() (runFlags []byte, containers int, err error) {
	head := c.next(cookieBytes)
	if head == nil {
		return nil, 0, cut("the cookie")
	}
	cookie := binary.LittleEndian.Uint32(head)
	if cookie&0xffff == cookieRuns {
		containers = int(cookie>>16) + 1
		if runFlags = c.next((containers + 7) / 8); runFlags == nil {
			return nil, 0, cut("the flags of the containers")
		}
		return runFlags, containers, nil
	}
	if cookie != cookieNoRuns {
		return nil, 0, faulty(FaultBitmap, "cookie %d, want %d or %d", cookie, cookieNoRuns, cookieRuns)
	}
	size := c.next(cookieBytes)
	if size == nil {
		return nil, 0, cut("the number of containers")
	}
	n := binary.LittleEndian.Uint32(size)
	if n > maxContainers {
		return nil, 0, faulty(FaultBitmap, "%d containers, the most is %d", n, maxContainers)
	}
	return nil, int(n), nil
}

// container reads one container and returns its largest position.
func (c *checker) container(key, cardinality int, isRuns bool) (last uint16, err error) {
	switch {
	case isRuns:
		return c.runs(key, cardinality)
	case cardinality <= maxArray:
		return c.array(key, cardinality)
	}
	return c.bitset(key, cardinality)
}

func (c *checker) array(key, cardinality int) (last uint16, err error) {
	positions := c.next(2 * cardinality)
	if positions == nil {
		return 0, cut("an array")
	}
	for i := range cardinality {
		p := binary.LittleEndian.Uint16(positions[2*i:])
		if i > 0 && p <= last {
			return 0, faulty(FaultBitmap, "container %d has position %d after %d", key, p, last)
		}
		last = p
	}
	return last, nil
}

func (c *checker) bitset(key, cardinality int) (last uint16, err error) {
	set := c.next(bitsetBytes)
	if set == nil {
		return 0, cut("a bitset")
	}
	if n := cardinalityOf(set); n != cardinality {
		return 0, otherCardinality(key, cardinality, n)
	}
	at := len(set) - 1
	for set[at] == 0 { // ends: a bitset has more than maxArray positions
		at--
	}
	return uint16(at<<3 + bits.Len8(set[at]) - 1), nil
}

func (c *checker) runs(key, cardinality int) (last uint16, err error) {
	count := c.next(runCountBytes)
	if count == nil {
		return 0, cut("the number of runs")
	}
	n := int(binary.LittleEndian.Uint16(count))
	runs := c.next(runBytes * n)
	if runs == nil {
		return 0, cut("a run")
	}
	total, end := 0, -2 // the last position of the run before
	for i := range n {
		first := int(binary.LittleEndian.Uint16(runs[runBytes*i:]))
		more := int(binary.LittleEndian.Uint16(runs[runBytes*i+2:]))
		if first <= end+1 || first+more >= containerSize {
			return 0, faulty(FaultBitmap, "container %d has a run of %d from position %d after one that ends at %d", key,
				more+1, first, end)
		}
		total, end = total+more+1, first+more
	}
	if total != cardinality {
		return 0, otherCardinality(key, cardinality, total)
	}
	return uint16(end), nil
}

func otherCardinality(key, said, found int) error {
	return faulty(FaultBitmap, "container %d is said to have %d positions, it has %d", key, said, found)
}
