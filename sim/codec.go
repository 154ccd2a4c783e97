package sim

import (
	"context"
	"fmt"
	"iter"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// Codec keeps the rows of manifests as values by the name of their object: objects are written once, so a name says it all.
// What stands in the store is a stamp as long as the value says that it is in Parquet.
type Codec struct {
	manifests map[string]manifest
}

type manifest struct {
	rows     []tree.Entry
	schemaID int
}

// NewCodec returns a codec without manifests.
func NewCodec() *Codec { return &Codec{manifests: make(map[string]manifest)} }

var stamp = []byte("manifest")

func (c *Codec) put(ctx context.Context, objects store.Objects, name string, s manifestio.Schema, rows []tree.Entry) (int64, error) {
	size := int64(1000 + 100*len(rows))
	c.manifests[name] = manifest{rows, s.SchemaID}
	return size, objects.Put(ctx, name, stamp)
}

// PutRoot implements [treeio.Codec].
func (c *Codec) PutRoot(ctx context.Context, objects store.Objects, name string, s manifestio.Schema, rows []tree.Entry) (int64, error) {
	return c.put(ctx, objects, name, s, rows)
}

// PutLeaf implements [treeio.Codec].
func (c *Codec) PutLeaf(ctx context.Context, objects store.Objects, name string, s manifestio.Schema, rows []tree.Entry) (int64, error) {
	return c.put(ctx, objects, name, s, rows)
}

func (c *Codec) get(ctx context.Context, objects store.Objects, name string) (manifest, error) {
	data, err := objects.Get(ctx, name, 100)
	if err != nil {
		return manifest{}, err
	}
	if string(data) != string(stamp) {
		return manifest{}, fmt.Errorf("%s is cut", name)
	}
	return c.manifests[name], nil
}

// Root implements [treeio.Codec].
func (c *Codec) Root(ctx context.Context, objects store.Objects, name string) (treeio.Root, error) {
	m, err := c.get(ctx, objects, name)
	return treeio.Root{Rows: m.rows, SchemaID: m.schemaID}, err
}

// Leaves implements [treeio.Codec].
func (c *Codec) Leaves(objects store.Objects) treeio.LeafReader { return leaves{c, objects} }

type leaves struct {
	codec   *Codec
	objects store.Objects
}

// Leaf implements [tree.LeafReader].
func (l leaves) Leaf(ctx context.Context, origin tree.Origin, ref tree.Entry, _ tree.Projection) iter.Seq2[tree.Row, error] {
	return func(yield func(tree.Row, error) bool) {
		m, err := l.codec.get(ctx, l.objects, tree.Resolve(origin.TableLocation, ref.Location))
		if err != nil {
			yield(tree.Row{}, err)
			return
		}
		for i := range m.rows {
			if !yield(tree.Row{Position: int64(i), Entry: m.rows[i]}, nil) {
				return
			}
		}
	}
}

// Excludes implements [treeio.LeafReader].
func (l leaves) Excludes(ctx context.Context, origin tree.Origin, ref tree.Entry, stored []string) (bool, error) {
	return false, nil
}
