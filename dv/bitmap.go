package dv

import (
	"encoding/binary"
	"math/bits"
)

// The portable layout of a Roaring bitmap. The 64-bit form is the number of 32-bit bitmaps and then each after its key,
// the high half of its positions. A 32-bit bitmap is a cookie, which says whether any container is of runs, the number
// of containers, a key and a cardinality for each, their offsets, and the containers.
const (
	countBytes = 8
	keyBytes   = 4

	cookieNoRuns = 12346
	cookieRuns   = 12347
	cookieBytes  = 4
	// minOffsets is the number of containers from which on a bitmap with runs has offsets; one without always has.
	minOffsets = 4

	descriptorBytes = 4 // key and cardinality - 1
	offsetBytes     = 4

	maxContainers = 1 << 16
	containerSize = 1 << 16 // positions that a container has room for
	maxArray      = 4096    // positions from which on a container is no longer an array
	bitsetBytes   = 8192
	runBytes      = 4 // first position and length - 1
	runCountBytes = 2
)

// run is one run of a container: its first position and how many follow.
type run struct{ first, more uint16 }

// appendBitmap appends the vector in the portable 64-bit layout, canonically (DV3).
func appendBitmap(dst []byte, v Vector) []byte {
	count := len(dst)
	dst = append(dst, make([]byte, countBytes)...)
	var b bucket
	written := uint64(0)
	flush := func() {
		if !b.isEmpty() {
			dst = b.appendTo(dst)
			written++
		}
	}
	for s := range v.spans() {
		for lo := s.lo; lo <= s.hi; {
			hi := min(s.hi, lo|(containerSize-1)) // the end of lo's container
			if key := uint32(lo >> 32); key != b.key {
				flush()
				b = bucket{key: key}
			}
			b.add(uint16(lo>>16), run{uint16(lo), uint16(hi - lo)})
			lo = hi + 1
		}
	}
	flush()
	binary.LittleEndian.PutUint64(dst[count:], written)
	return dst
}

// bucket collects one 32-bit bitmap.
type bucket struct {
	key        uint32
	containers []container
	body       []byte
	hasRuns    bool
	// key and runs of the container that is being collected; none while there are no runs.
	current uint16
	runs    []run
}

// container is what the header of a 32-bit bitmap says about one container, and where it begins in the body.
type container struct {
	key         uint16
	isRuns      bool
	cardinality int
	offset      int
}

func (b *bucket) isEmpty() bool { return len(b.runs) == 0 && len(b.containers) == 0 }

// add adds a run to the container with that key, the last one so far or a later one.
func (b *bucket) add(key uint16, r run) {
	if key != b.current {
		b.endContainer()
		b.current = key
	}
	b.runs = append(b.runs, r)
}

// endContainer writes the collected container in its smallest form. On a tie an array or bitset wins, as in Apache's
// Java. The library's own RunOptimize is not used: it takes runs where they are up to 30 bytes longer than a bitset (DV3).
func (b *bucket) endContainer() {
	if len(b.runs) == 0 {
		return
	}
	c := container{key: b.current, offset: len(b.body)}
	for _, r := range b.runs {
		c.cardinality += int(r.more) + 1
	}
	switch {
	case runCountBytes+runBytes*len(b.runs) < min(2*c.cardinality, bitsetBytes):
		c.isRuns, b.hasRuns = true, true
		b.body = appendRuns(b.body, b.runs)
	case c.cardinality <= maxArray:
		b.body = appendArray(b.body, b.runs)
	default:
		b.body = appendBitset(b.body, b.runs)
	}
	b.containers = append(b.containers, c)
	b.runs = b.runs[:0]
}

func appendRuns(dst []byte, runs []run) []byte {
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(runs)))
	for _, r := range runs {
		dst = binary.LittleEndian.AppendUint16(dst, r.first)
		dst = binary.LittleEndian.AppendUint16(dst, r.more)
	}
	return dst
}

func appendArray(dst []byte, runs []run) []byte {
	for _, r := range runs {
		for i := range int(r.more) + 1 {
			dst = binary.LittleEndian.AppendUint16(dst, r.first+uint16(i))
		}
	}
	return dst
}

func appendBitset(dst []byte, runs []run) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, bitsetBytes)...)
	set := dst[start:]
	for _, r := range runs {
		for i := range int(r.more) + 1 {
			p := int(r.first) + i
			set[p>>3] |= 1 << (p & 7)
		}
	}
	return dst
}

// appendTo appends key and bitmap.
func (b *bucket) appendTo(dst []byte) []byte {
	b.endContainer()
	n := len(b.containers)
	dst = binary.LittleEndian.AppendUint32(dst, b.key)
	start := len(dst)
	if b.hasRuns {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n-1)<<16|cookieRuns)
		flags := make([]byte, (n+7)/8)
		for i, c := range b.containers {
			if c.isRuns {
				flags[i>>3] |= 1 << (i & 7)
			}
		}
		dst = append(dst, flags...)
	} else {
		dst = binary.LittleEndian.AppendUint32(dst, cookieNoRuns)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	for _, c := range b.containers {
		dst = binary.LittleEndian.AppendUint16(dst, c.key)
		dst = binary.LittleEndian.AppendUint16(dst, uint16(c.cardinality-1))
	}
	if hasOffsets(b.hasRuns, n) {
		body := len(dst) - start + offsetBytes*n
		for _, c := range b.containers {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(body+c.offset))
		}
	}
	return append(dst, b.body...)
}

func hasOffsets(hasRuns bool, containers int) bool { return !hasRuns || containers >= minOffsets }

// cardinalityOf counts the positions of a bitset.
func cardinalityOf(set []byte) int {
	n := 0
	for len(set) >= 8 {
		n += bits.OnesCount64(binary.LittleEndian.Uint64(set))
		set = set[8:]
	}
	return n
}
