package treeio_test

import (
	"errors"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store/mem"
)

// TestPutMetadataWithinLimits: metadata that could not be read again within the limits is refused, and nothing is written.
func TestPutMetadataWithinLimits(t *testing.T) {
	m, err := metadata.New(metadata.NewTable{
		UUID: uuid.UUID{15: 1}, Location: "mem://t",
		Schema: iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64}),
	})
	if err != nil {
		t.Fatal(err)
	}
	objects := new(mem.Objects)
	_, err = treeio.PutMetadata(t.Context(), treeio.Parquet{}, objects, "mem://t/a", m, metadata.Limits{MaxBytes: 100})
	if !errors.Is(err, treeio.ErrMetadata) || len(objects.Names()) > 0 {
		t.Errorf("beyond the limit: %v, objects %q", err, objects.Names())
	}
	l := metadata.Limits{MaxBytes: metadata.DefaultMaxBytes}
	if _, err := treeio.PutMetadata(t.Context(), treeio.Parquet{}, objects, "mem://t/a", m, l); err != nil {
		t.Fatal(err)
	}
	if read, err := treeio.Metadata(t.Context(), treeio.Parquet{}, objects, "mem://t/a", l); err != nil || !read.Equal(m) {
		t.Errorf("read again: %+v, %v", read, err)
	}
}
