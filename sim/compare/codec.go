package compare

import (
	"context"
	"fmt"
	"iter"
	"maps"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/sim"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// codec remembers how long the manifests are that are written. Metadata files, and in the simulator's model manifests too, are kept as
// values, each by a codec of its own, so that one can be let go. Manifests that are values have the length that
// [policy.RootBytes] and [policy.LeafBytes] estimate, for the simulator's own estimate is of rows that are all alike.
type codec struct {
	real    bool
	columns int
	parquet treeio.Parquet
	kept    map[string]*sim.Codec
	// roots and leaves are the lengths of those written since somebody looked.
	roots, leaves []int64
}

func (c *codec) codecOf(name string) *sim.Codec {
	k := c.kept[name]
	if k == nil {
		k = sim.NewCodec()
		c.kept[name] = k
	}
	return k
}

// PutRoot implements [treeio.Codec].
func (c *codec) PutRoot(ctx context.Context, objects store.Objects, name string, s manifestio.Schema, rows []tree.Entry) (n int64, err error) {
	if c.real {
		n, err = c.parquet.PutRoot(ctx, objects, name, s, rows)
	} else {
		n = c.rootBytes(rows)
		_, err = c.codecOf(name).PutRoot(ctx, objects, name, s, rows)
	}
	c.roots = append(c.roots, n)
	return n, err
}

// rootBytes estimates the length of a root.
func (c *codec) rootBytes(rows []tree.Entry) int64 {
	var pointers, bitmaps int64
	for i := range rows {
		e := &rows[i]
		if e.Content.IsManifest() {
			pointers++
		}
		bitmaps += int64(len(e.Manifest.Val.DV) + len(e.Tracking.DeletedPositions) + len(e.Tracking.ReplacedPositions))
	}
	return policy.RootBytes(c.columns, int64(len(rows))-pointers, pointers, bitmaps)
}

// PutLeaf implements [treeio.Codec].
func (c *codec) PutLeaf(ctx context.Context, objects store.Objects, name string, s manifestio.Schema, rows []tree.Entry) (n int64, err error) {
	if c.real {
		n, err = c.parquet.PutLeaf(ctx, objects, name, s, rows)
	} else {
		n = policy.LeafBytes(c.columns, int64(len(rows)))
		_, err = c.codecOf(name).PutLeaf(ctx, objects, name, s, rows)
	}
	c.leaves = append(c.leaves, n)
	return n, err
}

// forget lets go what is not kept any more, also what others have deleted from the store.
func (c *codec) forget(keep map[string]bool) {
	maps.DeleteFunc(c.kept, func(name string, _ *sim.Codec) bool { return !keep[name] })
}

// Root implements [treeio.Codec].
func (c *codec) Root(ctx context.Context, objects store.Objects, name string) (treeio.Root, error) {
	if c.real {
		return c.parquet.Root(ctx, objects, name)
	}
	return c.codecOf(name).Root(ctx, objects, name)
}

// PutMetadata implements [treeio.MetadataCodec].
func (c *codec) PutMetadata(ctx context.Context, objects store.Objects, name string, m metadata.Table) (int64, error) {
	return c.codecOf(name).PutMetadata(ctx, objects, name, m)
}

// Metadata implements [treeio.MetadataCodec].
func (c *codec) Metadata(ctx context.Context, objects store.Objects, name string) (metadata.Table, error) {
	return c.codecOf(name).Metadata(ctx, objects, name)
}

// Leaves implements [treeio.Codec].
func (c *codec) Leaves(objects store.Objects) treeio.LeafReader {
	if c.real {
		return c.parquet.Leaves(objects)
	}
	return keptLeaves{c, objects}
}

// keptLeaves reads leaves that are kept as values.
type keptLeaves struct {
	codec   *codec
	objects store.Objects
}

func (l keptLeaves) reader(origin tree.Origin, ref tree.Entry) (treeio.LeafReader, error) {
	name := tree.Resolve(origin.TableLocation, ref.Location)
	k := l.codec.kept[name]
	if k == nil {
		return nil, fmt.Errorf("%s is no leaf", name)
	}
	return k.Leaves(l.objects), nil
}

// Leaf implements [tree.LeafReader].
func (l keptLeaves) Leaf(ctx context.Context, origin tree.Origin, ref tree.Entry, p tree.Projection) iter.Seq2[tree.Row, error] {
	reader, err := l.reader(origin, ref)
	if err != nil {
		return func(yield func(tree.Row, error) bool) { yield(tree.Row{}, err) }
	}
	return reader.Leaf(ctx, origin, ref, p)
}

// Excludes implements [treeio.LeafReader].
func (l keptLeaves) Excludes(ctx context.Context, origin tree.Origin, ref tree.Entry, stored []string) (bool, error) {
	reader, err := l.reader(origin, ref)
	if err != nil {
		return false, err
	}
	return reader.Excludes(ctx, origin, ref, stored)
}
