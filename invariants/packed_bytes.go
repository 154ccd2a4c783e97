package invariants

import (
	"encoding/binary"
	"errors"

	"github.com/firn-io/firn/tree"
)

// appendFiles appends rows as they stand in a piece of the spill: the texts that they share, then each row as the
// difference from the one before it, for neighbors in a leaf are much alike. Numbers are varints.
func appendFiles(dst []byte, rows []packedFile) []byte {
	texts := make(map[*string]uint64)
	var order []*string
	for i := range rows {
		for _, text := range []*string{rows[i].partition, rows[i].format} {
			if _, known := texts[text]; !known {
				texts[text] = uint64(len(order))
				order = append(order, text)
			}
		}
	}
	dst = binary.AppendUvarint(dst, uint64(len(order)))
	for _, text := range order {
		dst = appendText(dst, *text)
	}
	dst = binary.AppendUvarint(dst, uint64(len(rows)))
	last := &packedFile{}
	for i := range rows {
		row := &rows[i]
		dst = row.append(dst, last)
		dst = binary.AppendUvarint(dst, texts[row.partition])
		dst = binary.AppendUvarint(dst, texts[row.format])
		last = row
	}
	return dst
}

// The bits of a row in the spill beside those of [packedFile].set.
const rareSet = 1 << 6

// append appends all of a row but its shared texts.
func (p *packedFile) append(dst []byte, last *packedFile) []byte {
	set := p.set
	if p.rare != nil {
		set |= rareSet
	}
	dst = append(dst, set, byte(p.status))
	shared := 0
	for shared < min(len(p.location), len(last.location)) && p.location[shared] == last.location[shared] {
		shared++
	}
	dst = binary.AppendUvarint(dst, uint64(shared))
	dst = appendText(dst, p.location[shared:])
	dst = binary.LittleEndian.AppendUint64(dst, p.hash)
	dst = binary.LittleEndian.AppendUint32(dst, p.layout)
	for _, n := range [...]int64{p.recordCount - last.recordCount, p.sizeBytes - last.sizeBytes, int64(p.spec)} {
		dst = binary.AppendVarint(dst, n)
	}
	for i, id := range p.ids {
		dst = binary.AppendVarint(dst, id-last.ids[i])
	}
	if p.rare != nil {
		dst = p.rare.append(dst)
	}
	return dst
}

func (f *rareFields) append(dst []byte) []byte {
	dst = appendText(appendText(dst, f.keyMetadata), f.foreign)
	if f.dv == nil {
		return append(dst, 0)
	}
	dst = append(dst, 1)
	if f.dv.KeyMetadata != nil {
		dst[len(dst)-1] = 2
	}
	dst = appendText(dst, f.dv.Location)
	dst = binary.AppendVarint(dst, f.dv.OffsetBytes)
	dst = binary.AppendVarint(dst, f.dv.SizeBytes)
	dst = binary.AppendVarint(dst, f.dv.Cardinality)
	return appendText(dst, string(f.dv.KeyMetadata))
}

func appendText(dst []byte, text string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// fileReader reads the rows of pieces, with buffers that it uses again.
type fileReader struct {
	pieceReader
	rows      []packedFile
	locations []byte
	ends      []int
}

// read returns the rows of a piece. They are valid until the next call; the locations of all share one string.
func (r *fileReader) read(data []byte) ([]packedFile, error) {
	r.pieceReader = pieceReader{data: data}
	texts := make([]string, r.count())
	for i := range texts {
		texts[i] = string(r.text())
	}
	n := r.count()
	r.rows, r.locations, r.ends = r.rows[:0], r.locations[:0], r.ends[:0]
	last := &packedFile{}
	start := 0 // of the location before
	for range n {
		r.rows = append(r.rows, packedFile{})
		row := &r.rows[len(r.rows)-1]
		start = r.location(row, start)
		r.numbers(row, last)
		partition, format := r.uvarint(), r.uvarint()
		if max(partition, format) >= uint64(len(texts)) {
			r.bad = true
			break
		}
		row.partition, row.format = &texts[partition], &texts[format]
		last = row
	}
	if r.bad {
		return nil, errors.New("the spill did not give back what it was given")
	}
	all, start := string(r.locations), 0
	for i, end := range r.ends {
		r.rows[i].location = all[start:end]
		start = end
	}
	return r.rows, nil
}

// location reads what a row begins with, up to its location, and returns where that starts among the locations. The
// location before starts at last.
func (r *fileReader) location(row *packedFile, last int) int {
	row.set, row.status = r.byte(), tree.Status(r.byte())
	start := len(r.locations)
	if shared := r.uvarint(); shared <= uint64(start-last) {
		r.locations = append(r.locations, r.locations[last:last+int(shared)]...)
	} else {
		r.bad = true
	}
	r.locations = append(r.locations, r.text()...)
	r.ends = append(r.ends, len(r.locations))
	return start
}

// numbers reads the rest of a row but its shared texts.
func (r *fileReader) numbers(row, last *packedFile) {
	if b := r.take(12); b != nil {
		row.hash, row.layout = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:])
	}
	row.recordCount, row.sizeBytes = last.recordCount+r.varint(), last.sizeBytes+r.varint()
	row.spec = int32(r.varint())
	for i := range row.ids {
		row.ids[i] = last.ids[i] + r.varint()
	}
	if row.set&rareSet == 0 {
		return
	}
	row.set &^= rareSet
	row.rare = &rareFields{keyMetadata: string(r.text()), foreign: string(r.text())}
	if has := r.byte(); has > 0 {
		v := tree.DeletionVector{Location: string(r.text()), OffsetBytes: r.varint(), SizeBytes: r.varint(), Cardinality: r.varint()}
		if key := r.text(); has == 2 {
			v.KeyMetadata = append([]byte{}, key...)
		}
		row.rare.dv = &v
	}
}

// pieceReader reads a piece from front to back and never beyond its end.
type pieceReader struct {
	data []byte
	bad  bool
}

func (r *pieceReader) take(n uint64) []byte {
	if r.bad || n > uint64(len(r.data)) {
		r.bad = true
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *pieceReader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *pieceReader) text() []byte { return r.take(r.uvarint()) }

// count reads how many things follow, each of which takes a byte at least.
func (r *pieceReader) count() int {
	n := r.uvarint()
	if n > uint64(len(r.data)) {
		r.bad = true
		return 0
	}
	return int(n)
}

func (r *pieceReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.data = r.data[n:]
	return v
}

func (r *pieceReader) varint() int64 {
	v, n := binary.Varint(r.data)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.data = r.data[n:]
	return v
}
