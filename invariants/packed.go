package invariants

import (
	"iter"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// packedFiles are the raw rows of a leaf in file order, kept small: a table may have millions of them.
type packedFiles struct {
	rows  []packedFile
	texts map[string]*string // many files share few partitions and formats
}

// packedFile is a [file] without its row. Ids and numbers that are null have no bit in set.
type packedFile struct {
	location               string
	recordCount, sizeBytes int64
	ids                    [5]int64
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
	p.rows = append(p.rows, row)
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

// all yields the rows in file order; a row's ordinal is its position (rules 4.9). The file is valid for one turn.
func (p *packedFiles) all() iter.Seq[*file] {
	return func(yield func(*file) bool) {
		for i := range p.rows {
			if f := p.rows[i].unpack(int64(i)); !yield(&f) {
				return
			}
		}
	}
}

func (p *packedFile) unpack(row int64) file {
	f := file{
		row: row, status: p.status, location: p.location, recordCount: p.recordCount, sizeBytes: p.sizeBytes,
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
