package manifestio

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/iceberg-go"
)

// buffer is the content of one column in the making: full pages, and the levels and values of the open one.
type buffer struct {
	def, rep levels
	values   []byte // in plain encoding, but a byte for each boolean
	rows     int    // of the open page
	count    int    // values in all pages, nulls not counted
	pages    []page
	// lowest and highest are those of the values in pages, of the column of locations; nil if there are none.
	lowest, highest []byte
}

// page is the content of a V1 data page.
type page struct {
	body   []byte // levels and values
	levels int    // rows, or in a list elements and rows without any
	raw    int    // the size of the values in it
}

// rawBytes is the size of all values in plain encoding.
func (b *buffer) rawBytes(typ leafType) int {
	n := len(b.values)
	if typ.physical == parquet.Types.Boolean {
		n = (n + 7) / 8
	}
	for _, p := range b.pages {
		n += p.raw
	}
	return n
}

// appendPage appends the open page to dst.
func (b *buffer) appendPage(dst []byte, typ leafType) page {
	start := len(dst)
	dst = b.def.append(b.rep.append(dst))
	values := len(dst)
	if typ.physical == parquet.Types.Boolean {
		dst = appendBits(dst, b.values)
	} else {
		dst = append(dst, b.values...)
	}
	n := b.rows
	if b.rep.max > 0 {
		n = b.rep.n
	}
	return page{dst[start:], n, len(dst) - values}
}

// closePage makes the open page a full one.
func (b *buffer) closePage(typ leafType) {
	b.pages = append(b.pages, b.appendPage(nil, typ))
	b.def.reset()
	b.rep.reset()
	b.values, b.rows = b.values[:0], 0
}

// appendBits packs booleans, given as a byte each.
func appendBits(dst, flags []byte) []byte {
	for i, flag := range flags {
		if i%8 == 0 {
			dst = append(dst, 0)
		}
		dst[len(dst)-1] |= flag << (i % 8)
	}
	return dst
}

// The plain encoding of what an appender reads.

func putBool(dst []byte, v bool) ([]byte, bool, error) {
	if v {
		return append(dst, 1), true, nil
	}
	return append(dst, 0), true, nil
}

func putInt(dst []byte, v int32) ([]byte, bool, error) {
	return binary.LittleEndian.AppendUint32(dst, uint32(v)), true, nil
}

func putLong(dst []byte, v int64) ([]byte, bool, error) {
	return binary.LittleEndian.AppendUint64(dst, uint64(v)), true, nil
}

func putString(dst []byte, v string) ([]byte, bool, error) {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(v))), v...), true, nil
}

// putBytes takes nil for null; an empty value is none (B19).
func putBytes(dst, v []byte) ([]byte, bool, error) {
	if v == nil {
		return dst, false, nil
	}
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(v))), v...), true, nil
}

func putOptionalInt(dst []byte, v iceberg.Optional[int32]) ([]byte, bool, error) {
	if !v.Valid {
		return dst, false, nil
	}
	return putInt(dst, v.Val)
}

func putOptionalLong(dst []byte, v iceberg.Optional[int64]) ([]byte, bool, error) {
	if !v.Valid {
		return dst, false, nil
	}
	return putLong(dst, v.Val)
}
