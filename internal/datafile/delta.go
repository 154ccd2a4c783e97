package datafile

import "encoding/binary"

// maxDeltaBlock bounds the values of one block of DELTA_BINARY_PACKED, so that a few bytes cannot stand for an
// unlimited number of values. Known writers use 128 to 2,048.
const maxDeltaBlock = 1 << 14

// deltaInts reads numbers of the encoding DELTA_BINARY_PACKED.
type deltaInts struct {
	data []byte
	// mini is the number of values of a miniblock, minis the number of miniblocks of a block.
	mini, minis int
	// left values remain, leftInMini of them in the current miniblock.
	left, leftInMini uint64
	last, minDelta   int64
	started          bool
	// widths are those of the miniblocks that are left of the block.
	widths []byte
	width  int
	bit    int
}

func newDeltaInts(data []byte) (*deltaInts, error) {
	d := &deltaInts{data: data}
	block, ok1 := d.uvarint()
	minis, ok2 := d.uvarint()
	total, ok3 := d.uvarint()
	first, ok4 := d.uvarint()
	switch {
	case !ok1 || !ok2 || !ok3 || !ok4:
		return nil, malformed("delta header cut short")
	case block == 0 || block%128 != 0 || block > maxDeltaBlock:
		return nil, malformed("delta block of %d values", block)
	case minis == 0 || block%minis != 0 || (block/minis)%32 != 0:
		return nil, malformed("delta block of %d values in %d parts", block, minis)
	}
	d.mini, d.minis, d.left = int(block/minis), int(minis), total
	d.last = unzigzag(first)
	return d, nil
}

func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

func (d *deltaInts) uvarint() (uint64, bool) {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		return 0, false
	}
	d.data = d.data[n:]
	return v, true
}

// next returns the next number; sums wrap around, as they do in writers.
func (d *deltaInts) next() (int64, error) {
	if d.left == 0 {
		return 0, malformed("fewer delta values than the page has")
	}
	d.left--
	if !d.started {
		d.started = true
		return d.last, nil
	}
	if d.leftInMini == 0 {
		if err := d.startMini(); err != nil {
			return 0, err
		}
	}
	var delta uint64
	if d.width > 0 {
		if d.bit+d.width > 8*len(d.data) {
			return 0, malformed("delta block cut short")
		}
		delta = unpack[uint64](d.data, d.bit, d.width)
		d.bit += d.width
	}
	d.last += d.minDelta + int64(delta)
	if d.leftInMini--; d.leftInMini == 0 || d.left == 0 {
		d.endMini()
	}
	return d.last, nil
}

func (d *deltaInts) startMini() error {
	if len(d.widths) == 0 {
		head, ok := d.uvarint()
		if !ok || len(d.data) < d.minis {
			return malformed("delta block cut short")
		}
		d.minDelta = unzigzag(head)
		d.widths, d.data = d.data[:d.minis], d.data[d.minis:]
	}
	d.width, d.widths = int(d.widths[0]), d.widths[1:]
	if d.width > 64 {
		return malformed("delta of %d bits", d.width)
	}
	d.bit, d.leftInMini = 0, uint64(d.mini)
	return nil
}

// endMini moves behind the miniblock, which is stored whole even where the last values end within it.
func (d *deltaInts) endMini() {
	d.data = d.data[min(d.mini*d.width/8, len(d.data)):]
	d.bit, d.leftInMini = 0, 0
}

// behindDelta returns what follows a run of delta values.
func behindDelta(data []byte) ([]byte, error) {
	d, err := newDeltaInts(data)
	if err != nil {
		return nil, err
	}
	for d.left > 0 {
		if _, err := d.next(); err != nil {
			return nil, err
		}
	}
	return d.data, nil
}

// deltaLengths reads byte arrays of the encoding DELTA_LENGTH_BYTE_ARRAY: all lengths, then all bytes.
type deltaLengths struct {
	lengths *deltaInts
	data    []byte
}

func newDeltaLengths(data []byte) (*deltaLengths, error) {
	lengths, err := newDeltaInts(data)
	if err != nil {
		return nil, err
	}
	rest, err := behindDelta(data)
	if err != nil {
		return nil, err
	}
	return &deltaLengths{lengths: lengths, data: rest}, nil
}

func (d *deltaLengths) next() ([]byte, error) {
	n, err := d.lengths.next()
	if err != nil {
		return nil, err
	}
	if n < 0 || n > int64(len(d.data)) {
		return nil, malformed("byte array of %d bytes", n)
	}
	v := d.data[:n]
	d.data = d.data[n:]
	return v, nil
}

// deltaStrings reads byte arrays of the encoding DELTA_BYTE_ARRAY: each shares a prefix with the one before.
type deltaStrings struct {
	prefixes *deltaInts
	suffixes *deltaLengths
	last     []byte
}

func newDeltaStrings(data []byte) (*deltaStrings, error) {
	prefixes, err := newDeltaInts(data)
	if err != nil {
		return nil, err
	}
	rest, err := behindDelta(data)
	if err != nil {
		return nil, err
	}
	suffixes, err := newDeltaLengths(rest)
	if err != nil {
		return nil, err
	}
	return &deltaStrings{prefixes: prefixes, suffixes: suffixes}, nil
}

// next returns the next value, which the one after it overwrites.
func (d *deltaStrings) next() ([]byte, error) {
	prefix, err := d.prefixes.next()
	if err != nil {
		return nil, err
	}
	if prefix < 0 || prefix > int64(len(d.last)) {
		return nil, malformed("shared prefix of %d bytes after a value of %d", prefix, len(d.last))
	}
	suffix, err := d.suffixes.next()
	if err != nil {
		return nil, err
	}
	d.last = append(d.last[:prefix], suffix...)
	return d.last, nil
}
