package invariants

import (
	"iter"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// packedFiles are the raw rows of a leaf in file order, kept small: a table may have millions of them. Where the storage
// has a spill and holds enough rows already, those of this leaf are spilled in pieces.
type packedFiles struct {
	storage *storage
	spilled []piece
	// count is how many rows there are, in the spill and in memory.
	count int
	rows  []packedFile       // behind the spilled ones
	texts map[string]*string // many files share few partitions and formats
}

// packedFile is a [file] without its row. Ids and numbers that are null have no bit in set.
type packedFile struct {
	location               string
	recordCount, sizeBytes int64
	ids                    [5]int64
	hash                   uint64 // 0 if it was not worked out
	spec                   int32
	layout                 uint32
	set                    uint8
	status                 tree.Status
	partition, format      *string
	rare                   *rareFields
}

// rareFields are what few files have.
type rareFields struct {
	dv                   *tree.DeletionVector
	keyMetadata, foreign string
}

const specSet = 1 << 5

func (p *packedFiles) add(f file) {
	row := packedFile{
		location: f.location, recordCount: f.recordCount, sizeBytes: f.sizeBytes,
		spec: f.spec.Val, layout: f.layout, status: f.status, partition: p.intern(f.partition), format: p.intern(f.format),
	}
	if f.spec.Valid {
		row.set = specSet
	}
	for i, id := range f.ids() {
		row.ids[i] = id.Val
		if id.Valid {
			row.set |= 1 << i
		}
	}
	if rare := (rareFields{f.dv, f.keyMetadata, f.foreign}); rare != (rareFields{}) {
		row.rare = &rare
	}
	p.count++
	if s := p.storage; s == nil || s.limit == 0 {
		p.rows = append(p.rows, row)
		return
	}
	row.hash = f.hashed() // once here rather than in each pass over the leaf
	p.rows = append(p.rows, row)
	p.storage.held++
	full := p.storage.exceeded(p.storage.held) || len(p.spilled) > 0
	if full && len(p.rows) >= min(filesInPiece, p.storage.limit) {
		p.flush()
	}
}

// end says that the leaf is complete.
func (p *packedFiles) end() {
	p.texts = nil
	if s := p.storage; s != nil && (len(p.spilled) > 0 || s.exceeded(s.held)) {
		p.flush()
	}
}

// flush spills the rows that are in memory.
func (p *packedFiles) flush() {
	s := p.storage
	for rest := p.rows; len(rest) > 0; {
		n := min(filesInPiece, len(rest))
		s.buffer = appendFiles(s.buffer[:0], rest[:n])
		p.spilled = append(p.spilled, s.put(s.buffer))
		rest = rest[n:]
	}
	s.held -= len(p.rows)
	p.texts = nil
	if len(p.rows) > filesInPiece {
		p.rows = nil
	}
	clear(p.rows)
	p.rows = p.rows[:0]
}

// release gives back what the rows take; they are not read afterwards.
func (p *packedFiles) release() {
	if p.storage == nil || p.storage.limit == 0 {
		return
	}
	p.storage.held -= len(p.rows)
	p.storage.drop(p.spilled)
	p.rows, p.spilled = nil, nil
}

func (p *packedFiles) intern(text string) *string {
	if known, ok := p.texts[text]; ok {
		return known
	}
	if p.texts == nil {
		p.texts = make(map[string]*string)
	}
	p.texts[text] = &text
	return &text
}

// all yields the rows in file order; a row's ordinal is its position (rules 4.9). The file is valid for one turn: who
// keeps it calls [file.kept]. If the spill fails the rows end early.
func (p *packedFiles) all() iter.Seq[*file] {
	return func(yield func(*file) bool) {
		var f file // one for all turns, for it takes an allocation
		row := int64(0)
		visit := func(rows []packedFile, borrowed bool) bool {
			for i := range rows {
				f = rows[i].unpack(row)
				f.borrowed = borrowed
				if row++; !yield(&f) {
					return false
				}
			}
			return true
		}
		var data []byte
		var reader fileReader
		for _, piece := range p.spilled {
			data = p.storage.get(piece, data)
			rows, err := reader.read(data)
			if err != nil && !p.storage.failed() {
				p.storage.fail(err)
			}
			if p.storage.failed() || !visit(rows, true) {
				return
			}
		}
		visit(p.rows, false)
	}
}

func (p *packedFile) unpack(row int64) file {
	f := file{
		row: row, status: p.status, location: p.location, hash: p.hash, recordCount: p.recordCount, sizeBytes: p.sizeBytes,
		spec: iceberg.Optional[int32]{Val: p.spec, Valid: p.set&specSet != 0}, partition: *p.partition, format: *p.format, layout: p.layout,
	}
	for i, id := range f.ids() {
		*id = iceberg.Optional[int64]{Val: p.ids[i], Valid: p.set&(1<<i) != 0}
	}
	if p.rare != nil {
		f.dv, f.keyMetadata, f.foreign = p.rare.dv, p.rare.keyMetadata, p.rare.foreign
	}
	return f
}

// ids are the ids and numbers of a file that may be null.
func (f *file) ids() [5]*iceberg.Optional[int64] {
	return [5]*iceberg.Optional[int64]{&f.snapshotID, &f.modifiedID, &f.sequence, &f.fileSequence, &f.firstRowID}
}

// kept returns the file with a location that does not keep those of other files in memory.
func (f *file) kept() file {
	own := *f
	if f.borrowed {
		own.location, own.borrowed = strings.Clone(f.location), false
	}
	return own
}
