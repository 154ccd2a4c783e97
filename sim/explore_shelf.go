package sim

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// item is an object of an exploration: its bytes, the rows of a manifest, and what a metadata file says, if that is known
// without reading it. It is never changed.
type item struct {
	data     []byte
	table    *metadata.Table
	manifest bool
	rows     []tree.Entry
	schemaID int
	bytes    int64
}

// shelf holds what a state of the table brought in, on top of what its parent has. It is never changed.
type shelf struct {
	parent *shelf
	items  map[string]item
}

func (s *shelf) find(name string) (item, bool) {
	for ; s != nil; s = s.parent {
		if i, there := s.items[name]; there {
			return i, true
		}
	}
	return item{}, false
}

// shelfCodec is a codec that keeps rows of manifests beside their objects. With direct set it reads no object: what is checked
// is known to be there.
type shelfCodec struct {
	find   func(name string) (item, bool)
	put    func(name string, i item)
	direct bool
}

// PutRoot implements [treeio.Codec].
func (c shelfCodec) PutRoot(ctx context.Context, objects store.Objects, name string, s manifestio.Schema, rows []tree.Entry) (int64, error) {
	bytes := manifestBytes(s, rows, true)
	c.put(name, item{manifest: true, rows: rows, schemaID: s.SchemaID, bytes: bytes})
	return bytes, objects.Put(ctx, name, []byte(stamp))
}

// PutLeaf implements [treeio.Codec].
func (c shelfCodec) PutLeaf(ctx context.Context, objects store.Objects, name string, s manifestio.Schema, rows []tree.Entry) (int64, error) {
	c.put(name, item{manifest: true, rows: rows, schemaID: s.SchemaID})
	return manifestBytes(s, rows, false), objects.Put(ctx, name, []byte(stamp))
}

func (c shelfCodec) get(ctx context.Context, objects store.Objects, name string) (item, error) {
	i, there := c.find(name)
	data := i.data
	if !c.direct {
		var err error
		if data, err = objects.Get(ctx, name, 0); err != nil {
			return item{}, err
		}
	}
	if !there || !i.manifest || string(data) != stamp {
		return item{}, fmt.Errorf("%s is cut or no manifest", name)
	}
	return i, nil
}

// Root implements [treeio.Codec].
func (c shelfCodec) Root(ctx context.Context, objects store.Objects, name string) (treeio.Root, error) {
	i, err := c.get(ctx, objects, name)
	return treeio.Root{Rows: i.rows, SchemaID: i.schemaID, SizeBytes: i.bytes}, err
}

// PutMetadata implements [treeio.MetadataCodec].
func (c shelfCodec) PutMetadata(ctx context.Context, objects store.Objects, name string, m metadata.Table) (int64, error) {
	data, err := m.Marshal()
	if err != nil {
		return 0, err
	}
	c.put(name, item{data: data, table: &m})
	return int64(len(data)), objects.Put(ctx, name, data)
}

// Metadata implements [treeio.MetadataCodec]. What was written here is not parsed again, if it was read whole.
func (c shelfCodec) Metadata(ctx context.Context, objects store.Objects, name string) (metadata.Table, error) {
	data, err := objects.Get(ctx, name, metadata.DefaultMaxBytes)
	if err != nil {
		return metadata.Table{}, err
	}
	if i, there := c.find(name); there && bytes.Equal(data, i.data) {
		return i.metadata()
	}
	return metadata.Parse(data, metadata.Limits{})
}

// metadata returns what a metadata file says.
func (i item) metadata() (metadata.Table, error) {
	if i.table != nil {
		return *i.table, nil
	}
	return metadata.Parse(i.data, metadata.Limits{})
}

// Leaves implements [treeio.Codec].
func (c shelfCodec) Leaves(objects store.Objects) treeio.LeafReader { return shelfLeaves{c, objects} }

type shelfLeaves struct {
	codec   shelfCodec
	objects store.Objects
}

// Leaf implements [tree.LeafReader].
func (l shelfLeaves) Leaf(ctx context.Context, origin tree.Origin, ref tree.Entry, _ tree.Projection) iter.Seq2[tree.Row, error] {
	return func(yield func(tree.Row, error) bool) {
		found, err := l.codec.get(ctx, l.objects, tree.Resolve(origin.TableLocation, ref.Location))
		if err != nil {
			yield(tree.Row{}, err)
			return
		}
		for i := range found.rows {
			if !yield(tree.Row{Position: int64(i), Entry: found.rows[i]}, nil) {
				return
			}
		}
	}
}

// Excludes implements [treeio.LeafReader].
func (l shelfLeaves) Excludes(context.Context, tree.Origin, tree.Entry, []string) (bool, error) {
	return false, nil
}

// candidate is a state of the table that a writer is about to swap in: its metadata file, and the objects of the writer
// that it references.
type candidate struct {
	// old and location are the arguments of the swap.
	old, location string
	intents       map[int64]intent
	// names are those of the objects: the metadata file, the root if there is one, and what it references, in order.
	names []string
	items map[string]item
	// canonical are the items with the names replaced by their places.
	canonical []item
}

// newCandidate gathers what a metadata file that a writer wrote, and its root, reference among the writer's objects.
func newCandidate(old, location, root string, own map[string]item) *candidate {
	c := &candidate{old: old, location: location, items: make(map[string]item)}
	place := make(map[string]string) // by the name as it is stored
	var note func(name string)
	note = func(name string) {
		i, ours := own[name]
		if _, known := c.items[name]; known || !ours {
			return
		}
		place[tree.Relativize(tableLocation, name)] = fmt.Sprintf("own-%d", len(c.names))
		c.names = append(c.names, name)
		c.items[name] = i
		for _, e := range i.rows {
			note(tree.Resolve(tableLocation, e.Location))
			if e.DeletionVector.Valid {
				note(tree.Resolve(tableLocation, e.DeletionVector.Val.Location))
			}
		}
	}
	note(location)
	note(root)
	for _, name := range c.names {
		c.canonical = append(c.canonical, c.items[name].renamed(place, tree.Relativize(tableLocation, root)))
	}
	return c
}

// renamed returns the item with the names in it replaced.
func (i item) renamed(place map[string]string, root string) item {
	if root != "" && !i.manifest {
		i.data = []byte(strings.ReplaceAll(string(i.data), root, "own-root"))
	}
	i.table = nil // the bytes say it all
	i.rows = slices.Clone(i.rows)
	for n := range i.rows {
		e := &i.rows[n]
		if to, own := place[e.Location]; own {
			e.Location = to
		}
		if v := &e.DeletionVector; v.Valid {
			if to, own := place[v.Val.Location]; own {
				v.Val.Location = to
			}
		}
	}
	return i
}

// like reports whether two candidates differ in no more than the names of the objects that they bring, and same whether not
// even in those.
func (c *candidate) like(o *candidate) (like, same bool) {
	like = reflect.DeepEqual(c.canonical, o.canonical)
	return like, like && slices.Equal(c.names, o.names)
}
