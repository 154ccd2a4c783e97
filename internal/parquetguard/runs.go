package parquetguard

import (
	"encoding/binary"
	"fmt"
)

// maxPadding bounds what the last run may hold beyond the values: packed runs come in groups of eight, and DuckDB
// fills its up to 256.
const maxPadding = 256

// Runs checks that src, in Parquet's hybrid of run-length and bit-packed runs, holds n values of the given width
// and returns the part that does. uniform reports that one run holds them all, and value is theirs. parquet-go
// allocates what a run claims; what Runs lets through decodes to n values and less than [maxPadding] more.
func Runs(src []byte, width uint, n int) (runs []byte, uniform bool, value uint32, err error) {
	pos := 0
	for have := 0; have < n; {
		head, size := binary.Uvarint(src[pos:])
		if size <= 0 {
			return nil, false, 0, kindf(ErrTruncated, "runs of %d values where %d should be", have, n)
		}
		start := pos
		pos += size
		count, room, packed := head>>1, uint64(n-have+maxPadding-1), head&1 == 1
		if packed {
			room /= 8
		}
		if count == 0 || count > room {
			return nil, false, 0, fmt.Errorf("a run of %d values or groups where %d values are left", count, n-have)
		}
		bytes := uint64(width+7) / 8
		if packed {
			bytes, count = count*uint64(width), count*8
		}
		if bytes > uint64(len(src)-pos) {
			return nil, false, 0, kindf(ErrTruncated, "a run of %d bytes where %d are left", bytes, len(src)-pos)
		}
		if !packed && start == 0 && count >= uint64(n) {
			var word [4]byte
			copy(word[:], src[pos:pos+int(bytes)])
			uniform, value = true, binary.LittleEndian.Uint32(word[:])
		}
		pos += int(bytes)
		have += int(count)
	}
	return src[:pos], uniform, value, nil
}

// Delta checks that src begins with n values in delta encoding, none wider than the given width, and returns that
// part and what follows it. parquet-go allocates what the header claims; what Delta lets through decodes to n values.
func Delta(src []byte, width uint, n int) (packed, rest []byte, err error) {
	pos := 0
	varint := func() uint64 {
		v, size := binary.Uvarint(src[pos:])
		if size <= 0 {
			err = kindf(ErrTruncated, "delta encoding that ends in a header")
			return 0
		}
		pos += size
		return v
	}
	block, minis, total := varint(), varint(), varint()
	varint() // first value
	if err != nil {
		return nil, nil, err
	}
	if total != uint64(n) {
		return nil, nil, fmt.Errorf("delta encoding of %d values where %d should be", total, n)
	}
	if minis == 0 || block > maxDeltaBlock || block%128 != 0 || block == 0 || block%minis != 0 || block/minis%32 != 0 {
		return nil, nil, fmt.Errorf("delta encoding in blocks of %d values and %d parts", block, minis)
	}
	perMini := int(block / minis)
	for left := n - 1; left > 0 && err == nil; {
		varint() // smallest delta
		if uint64(len(src)-pos) < minis {
			return nil, nil, kindf(ErrTruncated, "delta encoding that ends in a block")
		}
		widths := src[pos : pos+int(minis)]
		pos += len(widths)
		for i := 0; i < len(widths) && left > 0; i++ {
			bytes := perMini / 8 * int(widths[i])
			if uint(widths[i]) > width || bytes > len(src)-pos {
				return nil, nil, fmt.Errorf("delta encoding with a width of %d and %d bytes left", widths[i], len(src)-pos)
			}
			pos += bytes
			left -= perMini
		}
	}
	return src[:pos], src[pos:], err
}

// maxDeltaBlock is the largest block that parquet-go decodes.
const maxDeltaBlock = 1 << 16
