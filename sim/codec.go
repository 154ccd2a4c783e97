package sim

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// Codec keeps manifests and metadata files as values by the name of their object: objects are written once, so a name says
// it all. What stands in the store is a stamp, so that faults, listings and deletions mean what they mean for real files.
type Codec struct {
	manifests map[string]*manifest
	metadata  map[string]metadata.Table
	// rowBytes are those of the statistics of a row beside what manifestBytes says.
	rowBytes int64
	// seen are those that were in the store when it was last looked at.
	seen map[string]bool
}

type manifest struct {
	rows     []tree.Entry
	schemaID int
	// bytes is the length that the engine was told.
	bytes int64
	// stored finds rows by their location, made when it is first asked for.
	stored map[string]bool
}

// NewCodec returns a codec without objects.
func NewCodec() *Codec {
	return &Codec{manifests: make(map[string]*manifest), metadata: make(map[string]metadata.Table), seen: make(map[string]bool)}
}

// stamp is the content of every object.
const stamp = "value"

// PutRoot implements [treeio.Codec].
func (c *Codec) PutRoot(ctx context.Context, objects store.Objects, name string, s manifestio.Schema, rows []tree.Entry) (int64, error) {
	return c.put(ctx, objects, name, s, rows, manifestBytes(s, rows, true)+c.wide(s, rows))
}

// wide is what the statistics of rows take beside what manifestBytes says: a row that lacks some of them takes less.
func (c *Codec) wide(s manifestio.Schema, rows []tree.Entry) int64 {
	if len(s.Stats) == 0 {
		return int64(len(rows)) * c.rowBytes
	}
	return statistics(s, rows) * c.rowBytes / int64(len(s.Stats))
}

// PutLeaf implements [treeio.Codec].
func (c *Codec) PutLeaf(ctx context.Context, objects store.Objects, name string, s manifestio.Schema, rows []tree.Entry) (int64, error) {
	return c.put(ctx, objects, name, s, rows, manifestBytes(s, rows, false)+c.wide(s, rows))
}

func (c *Codec) put(ctx context.Context, objects store.Objects, name string, s manifestio.Schema, rows []tree.Entry, bytes int64) (int64, error) {
	if _, known := c.manifests[name]; !known { // a second put of a name has no effect
		c.manifests[name] = &manifest{rows: written(s, rows), schemaID: s.SchemaID, bytes: bytes}
	}
	return bytes, objects.Put(ctx, name, []byte(stamp))
}

// written returns rows as a manifest of this schema can hold them: statistics of other columns are not written.
func written(s manifestio.Schema, rows []tree.Entry) []tree.Entry {
	at := 0 // the column that was found last: statistics are in the order of the columns, mostly
	foreign := func(f tree.FieldStats) bool {
		for range s.Stats {
			if s.Stats[at].FieldID == f.FieldID {
				return false
			}
			at = (at + 1) % len(s.Stats)
		}
		return true
	}
	kept := slices.Clone(rows)
	for i := range kept {
		if slices.ContainsFunc(kept[i].Stats, foreign) {
			kept[i].Stats = slices.DeleteFunc(slices.Clone(kept[i].Stats), foreign)
		}
	}
	return kept
}

// check reads the stamp of an object.
func check(ctx context.Context, objects store.Objects, name string) error {
	data, err := objects.Get(ctx, name, int64(len(stamp)))
	if err == nil && string(data) != stamp {
		err = fmt.Errorf("%s is torn", name)
	}
	return err
}

func (c *Codec) get(ctx context.Context, objects store.Objects, name string) (*manifest, error) {
	if err := check(ctx, objects, name); err != nil {
		return nil, err
	}
	m, known := c.manifests[name]
	if !known {
		return nil, fmt.Errorf("%s is no manifest", name)
	}
	return m, nil
}

// Root implements [treeio.Codec].
func (c *Codec) Root(ctx context.Context, objects store.Objects, name string) (treeio.Root, error) {
	m, err := c.get(ctx, objects, name)
	if err != nil {
		return treeio.Root{}, err
	}
	return treeio.Root{Rows: m.rows, SchemaID: m.schemaID, SizeBytes: m.bytes}, nil
}

// PutMetadata implements [treeio.MetadataCodec].
func (c *Codec) PutMetadata(ctx context.Context, objects store.Objects, name string, m metadata.Table) (int64, error) {
	if _, known := c.metadata[name]; !known {
		c.metadata[name] = m
	}
	return int64(len(stamp)), objects.Put(ctx, name, []byte(stamp))
}

// Metadata implements [treeio.MetadataCodec].
func (c *Codec) Metadata(ctx context.Context, objects store.Objects, name string) (metadata.Table, error) {
	if err := check(ctx, objects, name); err != nil {
		return metadata.Table{}, err
	}
	m, known := c.metadata[name]
	if !known {
		return metadata.Table{}, fmt.Errorf("%s is no metadata file", name)
	}
	return m, nil
}

// Leaves implements [treeio.Codec].
func (c *Codec) Leaves(objects store.Objects) treeio.LeafReader { return leaves{c, objects} }

type leaves struct {
	codec   *Codec
	objects store.Objects
}

func (l leaves) open(ctx context.Context, origin tree.Origin, ref tree.Entry) (*manifest, error) {
	return l.codec.get(ctx, l.objects, tree.Resolve(origin.TableLocation, ref.Location))
}

// Leaf implements [tree.LeafReader]. Rows come whole, whatever was asked for.
func (l leaves) Leaf(ctx context.Context, origin tree.Origin, ref tree.Entry, _ tree.Projection) iter.Seq2[tree.Row, error] {
	return func(yield func(tree.Row, error) bool) {
		m, err := l.open(ctx, origin, ref)
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

// Excludes implements [treeio.LeafReader]. It knows exactly what a leaf holds, where Parquet has bounds.
func (l leaves) Excludes(ctx context.Context, origin tree.Origin, ref tree.Entry, stored []string) (bool, error) {
	m, err := l.open(ctx, origin, ref)
	if err != nil {
		return false, err
	}
	if m.stored == nil {
		m.stored = make(map[string]bool, len(m.rows))
		for i := range m.rows {
			m.stored[m.rows[i].Location] = true
		}
	}
	return !slices.ContainsFunc(stored, func(name string) bool { return m.stored[name] }), nil
}

// keep forgets what is not in the store, if it was there when that was last looked at, or will not come any more.
func (c *Codec) keep(there, comes func(name string) bool) {
	gone := func(name string) bool {
		was := c.seen[name]
		c.seen[name] = there(name)
		return !c.seen[name] && (was || !comes(name))
	}
	maps.DeleteFunc(c.manifests, func(name string, _ *manifest) bool { return gone(name) })
	maps.DeleteFunc(c.metadata, func(name string, _ metadata.Table) bool { return gone(name) })
	maps.DeleteFunc(c.seen, func(_ string, is bool) bool { return !is })
}
