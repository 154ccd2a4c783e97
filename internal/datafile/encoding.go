package datafile

import (
	"encoding/binary"
	"fmt"
)

// encoding is a Parquet encoding, by its number in the format.
type encoding int64

// The encodings of Parquet that can occur in a page of a current or older writer.
const (
	encPlain           encoding = 0
	encPlainDictionary encoding = 2
	encRLE             encoding = 3
	encDeltaBinary     encoding = 5
	encDeltaLength     encoding = 6
	encDeltaByteArray  encoding = 7
	encRLEDictionary   encoding = 8
	encByteStreamSplit encoding = 9
)

// values reads the values of one page that are not null. next returns one and how often it comes in a row, at
// most limit times, which must be positive.
type values interface {
	next(limit int64) (v raw, n int64, err error)
}

// newValues returns the reader of a page's values. The dictionary is nil where the chunk has none.
func newValues(enc encoding, leaf leafColumn, data []byte, dictionary []raw) (values, error) {
	switch {
	case enc == encPlain && leaf.physical == physBoolean:
		return &packedBools{data: data}, nil
	case enc == encPlain:
		return &plainValues{leaf: leaf, data: data}, nil
	case enc == encPlainDictionary, enc == encRLEDictionary:
		return newDictionaryValues(data, dictionary)
	case enc == encRLE && leaf.physical == physBoolean:
		return newRunBools(data)
	case enc == encDeltaBinary && (leaf.physical == physInt32 || leaf.physical == physInt64):
		ints, err := newDeltaInts(data)
		return &deltaNumbers{ints: ints, short: leaf.physical == physInt32}, err
	case enc == encDeltaLength && leaf.physical == physByteArray:
		d, err := newDeltaLengths(data)
		return byteArrays{next1: d.next}, err
	case enc == encDeltaByteArray && leaf.physical == physByteArray, enc == encDeltaByteArray && leaf.physical == physFixed:
		d, err := newDeltaStrings(data)
		return byteArrays{next1: d.next, leaf: leaf}, err
	case enc == encByteStreamSplit:
		return newSplitValues(leaf, data)
	}
	return nil, fmt.Errorf("encoding %d of %s: %w", enc, leaf.physical, ErrUnsupported)
}

// byteWidth returns the length of a plain value, or 0 where it varies.
func (l leafColumn) byteWidth() int {
	switch l.physical {
	case physInt32, physFloat:
		return 4
	case physInt64, physDouble:
		return 8
	case physInt96:
		return 12
	case physFixed:
		return l.width
	}
	return 0
}

// plainValues reads the encoding PLAIN of all types but booleans.
type plainValues struct {
	leaf leafColumn
	data []byte
}

func (p *plainValues) next(int64) (raw, int64, error) {
	width := p.leaf.byteWidth()
	if width == 0 {
		if len(p.data) < 4 {
			return raw{}, 0, malformed("plain values cut short")
		}
		length := binary.LittleEndian.Uint32(p.data)
		p.data = p.data[4:]
		if uint64(length) > uint64(len(p.data)) {
			return raw{}, 0, malformed("byte array of %d bytes", length)
		}
		width = int(length)
	}
	if width > len(p.data) {
		return raw{}, 0, malformed("plain values cut short")
	}
	v, ok := plainValue(p.leaf.physical, width, p.data[:width])
	if !ok {
		return raw{}, 0, fmt.Errorf("values of %s: %w", p.leaf.physical, ErrUnsupported)
	}
	p.data = p.data[width:]
	return v, 1, nil
}

// packedBools reads the encoding PLAIN of booleans: a bit for each.
type packedBools struct {
	data []byte
	bit  int
}

func (p *packedBools) next(int64) (raw, int64, error) {
	if p.bit >= 8*len(p.data) {
		return raw{}, 0, malformed("booleans cut short")
	}
	v := unpack[uint32](p.data, p.bit, 1)
	p.bit++
	return raw{num: int64(v)}, 1, nil
}

// runBools reads the encoding RLE of booleans.
type runBools struct{ runs hybrid }

func newRunBools(data []byte) (*runBools, error) {
	if len(data) < 4 {
		return nil, malformed("booleans cut short")
	}
	return &runBools{runs: hybrid{data: data[4:], width: 1}}, nil
}

func (b *runBools) next(limit int64) (raw, int64, error) {
	v, n, err := b.runs.next(limit)
	return raw{num: int64(v & 1)}, n, err
}

// dictionaryValues reads indices into a dictionary.
type dictionaryValues struct {
	indices    hybrid
	dictionary []raw
}

func newDictionaryValues(data []byte, dictionary []raw) (*dictionaryValues, error) {
	const maxIndexBits = 32
	switch {
	case dictionary == nil:
		return nil, malformed("dictionary indices without a dictionary")
	case len(data) == 0: // a page of nulls
		return &dictionaryValues{}, nil
	case data[0] > maxIndexBits:
		return nil, malformed("dictionary indices of %d bits", data[0])
	}
	return &dictionaryValues{indices: hybrid{data: data[1:], width: int(data[0])}, dictionary: dictionary}, nil
}

func (d *dictionaryValues) next(limit int64) (raw, int64, error) {
	index, n, err := d.indices.next(limit)
	if err != nil {
		return raw{}, 0, err
	}
	if uint64(index) >= uint64(len(d.dictionary)) {
		return raw{}, 0, malformed("index %d into a dictionary of %d", index, len(d.dictionary))
	}
	return d.dictionary[index], n, nil
}

// deltaNumbers reads the encoding DELTA_BINARY_PACKED of integers.
type deltaNumbers struct {
	ints  *deltaInts
	short bool
}

func (d *deltaNumbers) next(int64) (raw, int64, error) {
	v, err := d.ints.next()
	if d.short {
		v = int64(int32(v))
	}
	return raw{num: v}, 1, err
}

// byteArrays adapts a reader of byte strings. The length is checked if the leaf says one.
type byteArrays struct {
	next1 func() ([]byte, error)
	leaf  leafColumn
}

func (b byteArrays) next(int64) (raw, int64, error) {
	v, err := b.next1()
	if err == nil && b.leaf.physical == physFixed && len(v) != b.leaf.width {
		err = malformed("value of %d bytes in a column of %d", len(v), b.leaf.width)
	}
	return raw{bytes: v}, 1, err
}

// splitValues reads the encoding BYTE_STREAM_SPLIT: the first bytes of all values, then the second ones.
type splitValues struct {
	leaf     leafColumn
	data     []byte
	count, i int
	value    []byte
}

func newSplitValues(leaf leafColumn, data []byte) (*splitValues, error) {
	width := leaf.byteWidth()
	if width == 0 || len(data)%width != 0 {
		return nil, malformed("%d bytes of %s in split streams", len(data), leaf.physical)
	}
	return &splitValues{leaf: leaf, data: data, count: len(data) / width, value: make([]byte, width)}, nil
}

func (s *splitValues) next(int64) (raw, int64, error) {
	if s.i == s.count {
		return raw{}, 0, malformed("split streams cut short")
	}
	for stream := range s.value {
		s.value[stream] = s.data[stream*s.count+s.i]
	}
	s.i++
	v, ok := plainValue(s.leaf.physical, len(s.value), s.value)
	if !ok {
		return raw{}, 0, fmt.Errorf("values of %s: %w", s.leaf.physical, ErrUnsupported)
	}
	return v, 1, nil
}
