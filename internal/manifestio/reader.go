package manifestio

import (
	"io"
	"slices"
	"strconv"

	"github.com/apache/iceberg-go"
)

// Reader reads one v4 manifest. It is immutable: its methods may be called concurrently, and what they return
// owns its memory.
type Reader struct {
	src     io.ReaderAt
	name    string
	limits  DecodeOptions
	footer  *footer
	binding *binding
	schema  Schema
}

// Open reads the footer of a manifest of the given size and resolves its columns by field id, never by name
// (rules 2, 4.8). name is used in errors only. r must stay readable, also concurrently, for as long as the
// Reader is used; no page is read here.
//
// The error is a [CorruptError] if the bytes are not a v4 manifest, a [LimitError] if o is too tight for it,
// or else r's own (MF6, MF7).
func Open(r io.ReaderAt, sizeBytes int64, name string, o DecodeOptions) (*Reader, error) {
	limits, err := o.resolve()
	if err != nil {
		return nil, err
	}
	f, err := readFooter(r, sizeBytes, limits)
	if err != nil {
		return nil, named(name, "", noRow, err)
	}
	b, err := bind(f.root)
	if err != nil {
		return nil, named(name, "", noRow, err)
	}
	out := &Reader{src: r, name: name, limits: limits, footer: f, binding: b}
	out.schema = out.fileSchema()
	return out, nil
}

// noRow is the row of an error that is not in one row.
const noRow = -1

// fileSchema puts together the schema of the file from what it is bound to.
func (r *Reader) fileSchema() Schema {
	var s Schema
	s.SchemaID, _ = r.SchemaID()
	for _, v := range r.binding.values {
		s.Partition = append(s.Partition, v.field)
	}
	for _, c := range r.binding.stats {
		s.Stats = append(s.Stats, c.column)
	}
	return s
}

// Schema returns the partition fields and the statistics columns of the file, by ascending id, with the names and types
// of the file itself: a reused leaf keeps its narrower types (rules 20.4). A column neither of whose bounds
// has a column in the file has a nil Type; one whose bounds are corners of a box has the type geometry, which the
// file does not tell from geography.
func (r *Reader) Schema() Schema {
	s := r.schema
	s.Partition = slices.Clone(s.Partition)
	s.Stats = slices.Clone(s.Stats)
	return s
}

// RowCount returns the number of rows of the file, entries of every status.
func (r *Reader) RowCount() int64 { return r.footer.rows }

// KeyValues returns the Parquet key-value metadata in the order of the file (rules 4.5).
func (r *Reader) KeyValues() []KeyValue { return slices.Clone(r.footer.keyValues) }

// SchemaID returns the value of the key schema-id, and whether it is there and a number (rules 4.5).
func (r *Reader) SchemaID() (id int, ok bool) { return r.numberOf(keySchemaID) }

// FormatVersion returns the value of the key format-version, and whether it is there and a number. A manifest
// is told by its columns, not by this key (rules 0.5-3): it is for checkers.
func (r *Reader) FormatVersion() (version int, ok bool) { return r.numberOf(keyFormatVersion) }

// numberOf returns the number under a key; the first pair of the key counts.
func (r *Reader) numberOf(key string) (int, bool) {
	i := slices.IndexFunc(r.footer.keyValues, func(kv KeyValue) bool { return kv.Key == key })
	if i < 0 {
		return 0, false
	}
	n, err := strconv.ParseInt(r.footer.keyValues[i].Value, 10, 32)
	return int(n), err == nil
}

// geoType is the type of a column whose bounds are corners of a box.
var geoType iceberg.Type = iceberg.GeometryType{}
