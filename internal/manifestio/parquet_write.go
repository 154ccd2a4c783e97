package manifestio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// The format versions that a manifest can have in manifest_info (rules 2.4.4).
const (
	formatVersion       = 4
	legacyFormatVersion = 0
)

const (
	magic     = "PAR1"
	zstdLevel = 1
	// maxStatisticsBytes is the length from which on a location is too long to be a bound in the footer.
	maxStatisticsBytes = 4096
)

// write writes the file.
func (l *layout) write(w io.Writer, s Schema, rows int, o EncodeOptions) (Encoded, error) {
	out := &countingWriter{w: w}
	if _, err := io.WriteString(out, magic); err != nil {
		return Encoded{}, fmt.Errorf("manifestio: %w", err)
	}
	kept := slices.DeleteFunc(slices.Clone(l.columns), func(c *column) bool { return !c.keep() })
	meta, err := l.newMetadata(s, kept, o)
	if err != nil {
		return Encoded{}, err
	}
	if rows > 0 {
		if err := writeRowGroup(out, meta.AppendRowGroup(), kept, rows); err != nil {
			return Encoded{}, err
		}
	}
	raw, err := writeFooter(out, meta, kept)
	if err != nil {
		return Encoded{}, fmt.Errorf("manifestio: footer: %w", err)
	}
	return Encoded{SizeBytes: out.n, Columns: len(kept), RawBytes: raw}, nil
}

// newMetadata begins the footer.
func (l *layout) newMetadata(s Schema, kept []*column, o EncodeOptions) (*metadata.FileMetaDataBuilder, error) {
	root, err := l.root.node()
	if err != nil {
		return nil, fmt.Errorf("manifestio: %w", err)
	}
	group, ok := root.(*schema.GroupNode)
	if !ok {
		return nil, errors.New("manifestio: the row type is no group")
	}
	keys := metadata.NewKeyValueMetadata()
	if err := errors.Join(keys.Append(keySchemaID, strconv.Itoa(s.SchemaID)),
		keys.Append(keyFormatVersion, strconv.Itoa(formatVersion))); err != nil {
		return nil, fmt.Errorf("manifestio: %w", err)
	}
	return metadata.NewFileMetadataBuilder(schema.NewSchema(group), properties(kept, o), keys), nil
}

// properties says how the columns are written: plain, without page index, some compressed.
func properties(kept []*column, o EncodeOptions, more ...parquet.WriterProperty) *parquet.WriterProperties {
	props := []parquet.WriterProperty{parquet.WithDictionaryDefault(false), parquet.WithStats(false),
		parquet.WithCompressionLevel(zstdLevel), parquet.WithCreatedBy(o.CreatedBy)}
	for _, c := range kept {
		if o.compress(c) {
			props = append(props, parquet.WithCompressionFor(c.path, compress.Codecs.Zstd))
		}
	}
	return parquet.NewWriterProperties(append(props, more...)...)
}

// writeRowGroup writes the one row group, column by column.
func writeRowGroup(out *countingWriter, group *metadata.RowGroupMetaDataBuilder, kept []*column, rows int) error {
	var w pageWriter
	for _, c := range kept {
		if err := w.column(out, group.NextColumnChunk(), c); err != nil {
			return fmt.Errorf("manifestio: column %s: %w", c.path, err)
		}
	}
	group.SetNumRows(rows)
	if err := group.Finish(out.n, 0); err != nil {
		return fmt.Errorf("manifestio: %w", err)
	}
	return nil
}

// pageWriter writes column chunks in turn. It keeps its buffers.
type pageWriter struct {
	pages      file.PageWriter
	body       []byte
	compressed bytes.Buffer
}

func (w *pageWriter) column(out *countingWriter, chunk *metadata.ColumnChunkMetaDataBuilder, c *column) error {
	codec := compress.Compression(chunk.Contents().MetaData.Codec)
	var err error
	if w.pages == nil {
		w.pages, err = file.NewPageWriter(out, codec, zstdLevel, chunk, 0, 0, memory.DefaultAllocator, false, nil, nil)
	} else {
		err = w.pages.Reset(out, codec, zstdLevel, chunk, 0, 0, nil, nil)
	}
	if err != nil {
		return err
	}
	for _, p := range c.buffer.pages {
		if err := w.page(p); err != nil {
			return err
		}
	}
	if c.buffer.rows > 0 {
		p := c.buffer.appendPage(w.body[:0], c.typ)
		w.body = p.body
		if err := w.page(p); err != nil {
			return err
		}
	}
	return w.pages.Close(false, false)
}

// page writes one V1 data page.
func (w *pageWriter) page(p page) error {
	if len(p.body) > math.MaxInt32 || p.levels > math.MaxInt32 {
		return fmt.Errorf("a page of %d bytes is too large", len(p.body))
	}
	data := p.body
	if w.pages.HasCompressor() {
		w.compressed.Reset()
		data = w.pages.Compress(&w.compressed, p.body)
	}
	page := file.NewDataPageV1WithConfig(memory.NewBufferBytes(data), parquet.Encodings.RLE, parquet.Encodings.RLE,
		file.DataPageConfig{Num: int32(p.levels), Encoding: parquet.Encodings.Plain, UncompressedSize: int32(len(p.body))})
	defer page.Release()
	_, err := w.pages.WriteDataPage(page)
	return err
}

// writeFooter writes the footer without the parts that no reader needs, and with bounds for the one column whose
// bounds are of use: a lookup prunes by location. It returns the size of the column chunks before compression.
func writeFooter(out *countingWriter, builder *metadata.FileMetaDataBuilder, kept []*column) (rawBytes int64, err error) {
	meta, err := builder.Finish()
	if err != nil {
		return 0, err
	}
	meta.ColumnOrders = nil
	for _, rg := range meta.RowGroups {
		rg.FileOffset, rg.TotalCompressedSize, rg.Ordinal = nil, nil, nil
		for i, c := range rg.Columns {
			c.FileOffset, c.MetaData.EncodingStats = 0, nil
			rawBytes += c.MetaData.TotalUncompressedSize
			if lowest, highest, ok := kept[i].bounds(); ok {
				c.MetaData.Statistics = newOf(c.MetaData.Statistics)
				c.MetaData.Statistics.MinValue, c.MetaData.Statistics.MaxValue = lowest, highest
			}
		}
	}
	n, err := meta.WriteTo(out, nil)
	if err != nil {
		return 0, err
	}
	_, err = out.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(n)), magic...))
	return rawBytes, err
}

// newOf makes a value of a type that cannot be named here.
func newOf[T any](*T) *T { return new(T) }

// bounds are the smallest and the largest location, if this is the column of locations and those two are not too long.
func (c *column) bounds() (lowest, highest []byte, ok bool) {
	if c.id != idLocation {
		return nil, nil, false
	}
	c.widen()
	lowest, highest = c.buffer.lowest, c.buffer.highest
	return lowest, highest, len(lowest) <= maxStatisticsBytes && len(highest) <= maxStatisticsBytes
}

// widen takes the values of the open page into the lowest and the highest, if this is the column of locations.
func (c *column) widen() {
	if c.id != idLocation {
		return
	}
	b := &c.buffer
	lowest, highest := b.lowest, b.highest
	for rest := b.values; len(rest) > 0; {
		end := 4 + binary.LittleEndian.Uint32(rest)
		v := rest[4:end]
		if lowest == nil || bytes.Compare(v, lowest) < 0 {
			lowest = v
		}
		if bytes.Compare(v, highest) > 0 {
			highest = v
		}
		rest = rest[end:]
	}
	b.lowest, b.highest = bytes.Clone(lowest), bytes.Clone(highest)
}

// countingWriter counts what is written, and fails for good once it failed.
type countingWriter struct {
	w   io.Writer
	n   int64
	err error
}

// Tell returns the number of bytes written.
func (c *countingWriter) Tell() int64 { return c.n }

func (c *countingWriter) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(p)
	c.n, c.err = c.n+int64(n), err
	return n, err
}
