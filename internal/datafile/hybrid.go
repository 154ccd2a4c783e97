package datafile

import (
	"encoding/binary"
	"math"
)

// hybrid reads Parquet's mix of run-length encoded and bit-packed numbers, which holds levels and dictionary
// indices.
type hybrid struct {
	data  []byte
	width int // bits of a number, at most 32
	// left numbers remain of the current run; of a packed one, bit is the position of the next number.
	left   uint64
	packed bool
	value  uint32
	bit    int
}

// next returns the next number and how often it comes in a row, at most limit times, which must be positive.
func (h *hybrid) next(limit int64) (value uint32, n int64, err error) {
	for h.left == 0 {
		if err := h.startRun(); err != nil {
			return 0, 0, err
		}
	}
	if h.packed && h.width > 0 {
		if h.bit+h.width > 8*len(h.data) {
			return 0, 0, malformed("packed run cut short")
		}
		value = unpack[uint32](h.data, h.bit, h.width)
		h.bit += h.width
		if h.left--; h.left == 0 {
			h.data = h.data[h.bit/8:]
		}
		return value, 1, nil
	}
	n = limit
	if h.left < uint64(limit) {
		n = int64(h.left)
	}
	h.left -= uint64(n)
	return h.value, n, nil
}

func (h *hybrid) startRun() error {
	head, size := binary.Uvarint(h.data)
	if size <= 0 {
		return malformed("run cut short")
	}
	h.data = h.data[size:]
	h.packed, h.bit, h.value = head&1 == 1, 0, 0
	if h.packed {
		groups := head >> 1
		if groups > math.MaxInt32 || h.width > 0 && groups > uint64(len(h.data)/h.width)+1 {
			return malformed("packed run of %d groups in %d bytes", groups, len(h.data))
		}
		h.left = groups * 8
		return nil
	}
	h.left = head >> 1
	bytes := (h.width + 7) / 8
	if bytes > len(h.data) {
		return malformed("run cut short")
	}
	for i := range bytes {
		h.value |= uint32(h.data[i]) << (8 * i)
	}
	h.data = h.data[bytes:]
	return nil
}

// unpack returns the number of the given width that starts at a bit, lowest bits first. It must lie in data.
func unpack[T uint32 | uint64](data []byte, bit, width int) (v T) {
	for got := 0; got < width; {
		inByte := (bit + got) % 8
		take := min(8-inByte, width-got)
		part := T(data[(bit+got)/8]>>inByte) & (1<<take - 1)
		v |= part << got
		got += take
	}
	return v
}
