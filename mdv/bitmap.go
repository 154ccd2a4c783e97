package mdv

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
)

// The limits of a bitmap (rules 18.1). A leaf with more rows cannot be fully addressed (rules 9.10).
const (
	// MaxPosition is the largest position that a bitmap can hold.
	MaxPosition = 2_097_151
	// MaxCardinality is the largest number of positions that a bitmap can hold.
	MaxCardinality = 2_097_152
)

// ErrOutOfRange says that a position is larger than [MaxPosition], so that no bitmap can hold it.
var ErrOutOfRange = errors.New("bitmap position out of range")

// Bitmap is an immutable set of positions from 0 to [MaxPosition]. The zero value is the empty set. Copies share
// memory, which nobody writes to once the Bitmap was returned, so a Bitmap may be used by several goroutines.
//
// Its memory is that of the canonical bytes without the descriptors, plus four bytes for each container that is
// not empty.
type Bitmap struct {
	// slots has one element for each container that is not empty, in ascending order.
	slots []slot
	// body holds the containers as on the wire, with nothing in between. A container of fewer than 32 positions is
	// sparse, every other one is dense, so equal sets have equal slots and equal bodies.
	body        []byte
	cardinality int
}

// Containers, their wire forms and their number (rules 18.1, 18.2).
const (
	containerBits   = 8
	containerMask   = 1<<containerBits - 1
	maxContainers   = (MaxPosition + 1) >> containerBits
	denseBytes      = 32
	minDense        = 32 // positions from which on a container is dense
	slotOffsetBits  = 18 // maxContainers * denseBytes is 1<<18, so every container begins below it
	slotOffsetLimit = 1<<slotOffsetBits - 1
)

// slot says where a container begins: its number in the high bits, its offset in the body in the low ones. The next
// slot, or the end of the body, says where it ends. A container of 32 bytes is dense, a shorter one is sparse.
type slot uint32

func newSlot(key uint32, offset int) slot { return slot(key<<slotOffsetBits | uint32(offset)) }

func (s slot) key() uint32 { return uint32(s) >> slotOffsetBits }

func (s slot) offset() int { return int(s & slotOffsetLimit) }

// container returns number and bytes of the container in slot i.
func (b *Bitmap) container(i int) (key uint32, c []byte) {
	end := len(b.body)
	if i+1 < len(b.slots) {
		end = b.slots[i+1].offset()
	}
	return b.slots[i].key(), b.body[b.slots[i].offset():end]
}

// search returns the first slot whose container has the number key or a larger one, and whether it has key.
func (b *Bitmap) search(key uint32) (int, bool) {
	return slices.BinarySearchFunc(b.slots, key, func(s slot, k uint32) int { return cmp.Compare(s.key(), k) })
}

// Cardinality returns the number of positions in the set.
func (b Bitmap) Cardinality() int { return b.cardinality }

// IsEmpty reports whether the set has no position.
func (b Bitmap) IsEmpty() bool { return b.cardinality == 0 }

// Equal reports whether both sets have the same positions.
func (b Bitmap) Equal(o Bitmap) bool {
	return slices.Equal(b.slots, o.slots) && bytes.Equal(b.body, o.body)
}

// Max returns the largest position; false if the set is empty. A set fits a manifest of n rows if it is empty or its
// largest position is below n (rules 9.10).
func (b Bitmap) Max() (uint32, bool) {
	if b.IsEmpty() {
		return 0, false
	}
	key, c := b.container(len(b.slots) - 1)
	base := key << containerBits
	if len(c) < denseBytes {
		return base + uint32(c[len(c)-1]), true
	}
	i := denseBytes - 1
	for c[i] == 0 {
		i--
	}
	return base + uint32(8*i+7-bits.TrailingZeros8(c[i])), true
}

// Contains reports whether the position is in the set. A position beyond [MaxPosition] never is.
func (b Bitmap) Contains(position uint32) bool {
	i, found := b.search(position >> containerBits)
	if !found {
		return false
	}
	_, c := b.container(i)
	low := byte(position & containerMask)
	if len(c) < denseBytes {
		return bytes.IndexByte(c, low) >= 0
	}
	return c[low>>3]&(0x80>>(low&7)) != 0
}

// Rank returns how many positions of the set are smaller than the given one, which need not be in the set and may be
// beyond [MaxPosition]. Its cost grows with the number of containers before the position.
func (b Bitmap) Rank(position uint32) int {
	at, found := b.search(position >> containerBits)
	rank := 0
	for i := range at {
		_, c := b.container(i)
		rank += cardinalityOf(c)
	}
	if !found {
		return rank
	}
	_, c := b.container(at)
	return rank + rankIn(c, byte(position&containerMask))
}

// cardinalityOf returns the number of positions in a container.
func cardinalityOf(c []byte) int {
	if len(c) < denseBytes {
		return len(c)
	}
	return loadDense(c).cardinality()
}

// rankIn returns how many positions of a container are smaller than low.
func rankIn(c []byte, low byte) int {
	if len(c) < denseBytes {
		i, _ := slices.BinarySearch(c, low)
		return i
	}
	rank := 0
	for ; low >= 64; low -= 64 {
		rank += bits.OnesCount64(binary.BigEndian.Uint64(c))
		c = c[8:]
	}
	return rank + bits.OnesCount64(binary.BigEndian.Uint64(c)>>(64-low))
}
