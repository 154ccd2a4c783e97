package treeio

import (
	"context"
	"errors"
	"fmt"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
)

// MetadataCodec is what a [Codec] may be besides: one that has a form of its own for metadata files too. Without it they are
// JSON, as the format says.
type MetadataCodec interface {
	// PutMetadata writes a metadata file under a new name and returns its length.
	PutMetadata(ctx context.Context, objects store.Objects, name string, m metadata.Table) (int64, error)
	// Metadata reads a metadata file.
	Metadata(ctx context.Context, objects store.Objects, name string) (metadata.Table, error)
}

// ErrMetadata says that a table's metadata cannot be written, or could not be read again.
var ErrMetadata = errors.New("metadata that cannot be written")

// provedMetadataBytes is the length up to which a document that was written is within the default limits of reading.
const provedMetadataBytes = 4 << 20

// PutMetadata writes a metadata file under a new name and returns its length. It refuses with [ErrMetadata], before
// anything is written, one beyond the limits of reading: that would lose the table to every reader that has them.
func PutMetadata(ctx context.Context, c Codec, objects store.Objects, name string, m metadata.Table, l metadata.Limits) (int64, error) {
	if own, ok := c.(MetadataCodec); ok {
		return own.PutMetadata(ctx, objects, name, m)
	}
	data, err := m.Marshal()
	if err == nil && int64(len(data)) > min(provedMetadataBytes, l.MaxBytes) {
		_, err = metadata.Parse(data, l)
	}
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrMetadata, err)
	}
	return int64(len(data)), objects.Put(ctx, name, data)
}

// Metadata reads a metadata file by its full location.
func Metadata(ctx context.Context, c Codec, objects store.Objects, name string, l metadata.Limits) (metadata.Table, error) {
	if own, ok := c.(MetadataCodec); ok {
		return own.Metadata(ctx, objects, name)
	}
	data, err := objects.Get(ctx, name, l.MaxBytes)
	if err != nil {
		return metadata.Table{}, err
	}
	m, err := metadata.Parse(data, l)
	if err != nil {
		return metadata.Table{}, fmt.Errorf("metadata file %s: %w", name, err)
	}
	return m, nil
}
