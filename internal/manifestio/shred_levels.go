package manifestio

import (
	"encoding/binary"
	"math/bits"
)

// levels are the definition or repetition levels of a page, as runs. Most columns have one run.
type levels struct {
	max  int16 // 0 for a column without such levels
	n    int
	runs []levelRun
}

type levelRun struct {
	level int16
	n     int
}

// add appends n levels.
func (l *levels) add(level int16, n int) {
	if l.max == 0 || n == 0 {
		return
	}
	l.n += n
	if last := len(l.runs) - 1; last >= 0 && l.runs[last].level == level {
		l.runs[last].n += n
		return
	}
	l.runs = append(l.runs, levelRun{level, n})
}

// reset empties the levels.
func (l *levels) reset() { l.n, l.runs = 0, l.runs[:0] }

// groupLevels is the number of levels that are packed together.
const groupLevels = 8

// append appends the levels in Parquet's hybrid of runs and packed groups, after its length, as V1 pages have
// them. A column without such levels has not even the length.
func (l *levels) append(dst []byte) []byte {
	if l.max == 0 {
		return dst
	}
	start := len(dst)
	e := levelEncoder{dst: append(dst, 0, 0, 0, 0), width: bits.Len16(uint16(l.max))}
	for i, r := range l.runs {
		e.run(r.level, r.n, i == len(l.runs)-1)
	}
	e.flush()
	binary.LittleEndian.PutUint32(e.dst[start:], uint32(len(e.dst)-start-4))
	return e.dst
}

// levelEncoder writes runs of levels.
type levelEncoder struct {
	dst   []byte
	width int     // bits of a level
	loose []int16 // levels that are not written yet, to be packed
}

// run takes n equal levels: those that complete a begun group are packed, and so are the rest if they are too
// few for a run of their own.
func (e *levelEncoder) run(level int16, n int, last bool) {
	for ; n > 0 && len(e.loose)%groupLevels != 0; n-- {
		e.loose = append(e.loose, level)
	}
	if n >= groupLevels || n > 0 && last && len(e.loose) == 0 {
		e.flush()
		e.dst = binary.AppendUvarint(e.dst, uint64(n)<<1)
		e.dst = append(e.dst, byte(level))
		return
	}
	for range n {
		e.loose = append(e.loose, level)
	}
}

// flush writes the loose levels in packed groups, the last one filled up with zeros.
func (e *levelEncoder) flush() {
	if len(e.loose) == 0 {
		return
	}
	groups := (len(e.loose) + groupLevels - 1) / groupLevels
	e.dst = binary.AppendUvarint(e.dst, uint64(groups)<<1|1)
	for start := 0; start < len(e.loose); start += groupLevels {
		var packed uint64
		for i, level := range e.loose[start:min(start+groupLevels, len(e.loose))] {
			packed |= uint64(level) << (i * e.width)
		}
		for range e.width {
			e.dst = append(e.dst, byte(packed))
			packed >>= 8
		}
	}
	e.loose = e.loose[:0]
}
