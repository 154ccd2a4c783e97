package treeio

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/leaf"
	"github.com/firn-io/firn/rootmanifest"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// Parquet is the codec of the format. The zero value has the default limits (F15, F18).
type Parquet struct {
	// Limits bound what reading one manifest may take.
	Limits manifestio.DecodeOptions
	// MaxRootBytes is the longest root that is read; default 1 GiB.
	MaxRootBytes int64
}

const defaultMaxRootBytes = 1 << 30

func (p Parquet) maxRootBytes() int64 {
	if p.MaxRootBytes <= 0 {
		return defaultMaxRootBytes
	}
	return p.MaxRootBytes
}

// PutRoot implements [Codec].
func (p Parquet) PutRoot(ctx context.Context, objects store.Objects, name string, s manifestio.Schema, rows []tree.Entry) (int64, error) {
	var b bytes.Buffer
	if _, err := rootmanifest.Write(&b, s, rows); err != nil {
		return 0, store.NameError("encode", name, err)
	}
	if err := p.proveRoot(name, b.Bytes(), rows); err != nil {
		return 0, err
	}
	return int64(b.Len()), objects.Put(ctx, name, b.Bytes())
}

// PutLeaf implements [Codec].
func (p Parquet) PutLeaf(ctx context.Context, objects store.Objects, name string, s manifestio.Schema, rows []tree.Entry) (int64, error) {
	var b bytes.Buffer
	if _, err := leaf.Write(&b, s, rows); err != nil {
		return 0, store.NameError("encode", name, err)
	}
	if err := p.prove(name, b.Bytes(), rows); err != nil {
		return 0, err
	}
	return int64(b.Len()), objects.Put(ctx, name, b.Bytes())
}

// Root implements [Codec]. The file is read in one piece: a root is small, and a second request costs more than
// its bytes.
func (p Parquet) Root(ctx context.Context, objects store.Objects, name string) (Root, error) {
	data, err := objects.Get(ctx, name, p.maxRootBytes())
	if err != nil {
		return Root{}, err
	}
	file, err := rootmanifest.Read(bytes.NewReader(data), int64(len(data)), name, tree.Full, p.Limits)
	if err != nil {
		return Root{}, err
	}
	schemaID, _ := file.Reader.SchemaID() // a missing key is a finding of the checker, not unreadable
	return Root{
		Rows: file.Rows, SchemaID: schemaID, SizeBytes: int64(len(data)),
		HasSnapshotTimestamps: file.Reader.HasSnapshotTimestamps(),
	}, nil
}

// Leaves implements [Codec].
func (p Parquet) Leaves(objects store.Objects) LeafReader {
	return &parquetLeaves{objects: objects, limits: p.Limits}
}

// parquetLeaves keeps the leaf that it opened last: a lookup asks for the bounds of a leaf and then for its rows, and
// the footer is most of what it reads.
type parquetLeaves struct {
	objects store.Objects
	limits  manifestio.DecodeOptions
	last    openLeaf
}

// openLeaf is a leaf with its footer read.
type openLeaf struct {
	source    *source
	sizeBytes int64
	reader    *leaf.Reader
}

// source reads an object within the context of the call that is under way.
type source struct {
	ctx     context.Context
	objects store.Objects
	name    string
}

// ReadAt implements [io.ReaderAt].
func (s *source) ReadAt(p []byte, offset int64) (int, error) {
	return s.objects.GetRange(s.ctx, s.name, offset, p)
}

// open reads the footer of the leaf that ref points to. The length is the one that the root states: a file of
// another length is not the file that the root means.
func (l *parquetLeaves) open(ctx context.Context, origin tree.Origin, ref tree.Entry) (*leaf.Reader, error) {
	name := tree.Resolve(origin.TableLocation, ref.Location)
	if ref.Manifest.Valid && ref.Manifest.Val.FormatVersion == 0 {
		return nil, fmt.Errorf("manifest %s: %w", name, ErrLegacy)
	}
	if l.last.reader != nil && l.last.source.name == name && l.last.sizeBytes == ref.FileSizeBytes {
		l.last.source.ctx = ctx
		return l.last.reader, nil
	}
	from := &source{ctx: ctx, objects: l.objects, name: name}
	reader, err := leaf.Open(from, ref.FileSizeBytes, name, l.limits)
	if err != nil {
		return nil, err
	}
	l.last = openLeaf{source: from, sizeBytes: ref.FileSizeBytes, reader: reader}
	return reader, nil
}

// Leaf implements [tree.LeafReader].
func (l *parquetLeaves) Leaf(ctx context.Context, origin tree.Origin, ref tree.Entry, p tree.Projection) iter.Seq2[tree.Row, error] {
	return func(yield func(tree.Row, error) bool) {
		reader, err := l.open(ctx, origin, ref)
		if err != nil {
			yield(tree.Row{}, err)
			return
		}
		reader.Rows(p)(yield)
	}
}

// Excludes implements [LeafReader] with the Parquet statistics of the location column.
func (l *parquetLeaves) Excludes(ctx context.Context, origin tree.Origin, ref tree.Entry, stored []string) (bool, error) {
	reader, err := l.open(ctx, origin, ref)
	if err != nil {
		return false, err
	}
	lower, upper, known := reader.File().LocationBounds()
	if !known {
		return false, nil
	}
	for _, location := range stored {
		if lower <= location && location <= upper {
			return false, nil
		}
	}
	return true, nil
}
